"""Why a job ended, kept in every language that pages have."""

from __future__ import annotations

import json

from relyon.core.texts import LANGUAGES, Language, translate

__all__ = ["read_reason", "write_reason"]


def write_reason(reason: str) -> str:
    """Returns a message in every language, to be stored with a job.

    Examples:
        >>> from relyon.core.texts import message
        >>> read_reason(write_reason(message("judging.model-is-grading")), "en")
        'a language model is grading this project already'
    """
    told = {language: translate(reason, language)[:900] for language in LANGUAGES}
    return json.dumps(told, ensure_ascii=False)


def read_reason(stored: str, language: Language) -> str:
    """Returns a message that `write_reason` returned, or another text as it is."""
    try:
        return str(json.loads(stored)[language])
    except (ValueError, TypeError, LookupError):
        return stored
