"""The guideline of a project, in a form."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request

from relyon.core.texts.languages import LANGUAGES, language_name, language_tag

__all__ = ["WRITTEN_IN", "GuidelineForm"]

#: Languages of texts: code, native name, and HTML tag.
WRITTEN_IN = tuple((one, language_name(one), language_tag(one)) for one in LANGUAGES)


async def _texts(request: Request) -> dict[str, str]:
    """Returns the non-empty texts of a form by language."""
    form = await request.form()
    return {language: str(form[language]) for language, *_ in WRITTEN_IN if language in form}


#: The guideline in a form, by language.
GuidelineForm = Annotated[dict[str, str], Depends(_texts)]
