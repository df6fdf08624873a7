"""What became of a request, as tapes and snapshots keep it: without secrets sent back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from relyon.core.texts import message
from relyon.engines.asking import Outcome
from relyon.engines.files.secrets import Secrets
from relyon.engines.hits import whole_text
from relyon.engines.problems import FatalError
from relyon.engines.tapes.entry import Entry

__all__ = ["recorded"]


def recorded(
    key: str, outcome: Outcome, secrets: Secrets
) -> tuple[Entry, dict[str, Mapping[str, str]]]:
    """Returns the entry of an outcome and the fields of its documents.

    An outcome without an answer counts as a query that the engine refuses.

    Args:
        key: The key of the request.
        outcome: What became of it.
        secrets: What must not be kept, although the engine may have sent it back.

    Raises:
        FatalError: If an id contains a secret: without it, it would be another document's.
    """
    answer, request = outcome.answer, outcome.request
    entry = Entry(
        key=key,
        variant=request.variant.name,
        query=request.query.id,
        ms=round(outcome.seconds * 1000, 3),
        at=round(outcome.at, 3),
        problems=outcome.problems,
    )
    if answer is None:
        entry.failed = whole_text(outcome.detail) or "refused"
        return entry, {}
    entry.ids = list(answer.ids)
    if _hidden(entry.ids, secrets) != entry.ids:
        raise FatalError(
            message("engines.id-has-secret", query=request.query.id),
            hint=message("engines.write-if-no-secret"),
        )
    entry.scores = list(answer.scores)
    entry.took, entry.total, entry.duplicates = answer.took, answer.total, answer.duplicates
    entry.why = [whole_text(one) for one in _hidden(answer.explanations, secrets)]
    fields = [
        {name: secrets.hide(text) for name, text in one.items()} if secrets else one
        for one in answer.fields
    ]
    return entry, dict(zip(entry.ids, fields, strict=False))


def _hidden(texts: Sequence[str], secrets: Secrets) -> list[str]:
    return [secrets.hide(one) for one in texts] if secrets else list(texts)
