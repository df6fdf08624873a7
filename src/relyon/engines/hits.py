"""The results of one answer, checked as they come: ids, scores, doubles, and how many count."""

from __future__ import annotations

import math
from collections.abc import Mapping
from operator import index
from typing import SupportsIndex
from uuid import UUID

from relyon.engines.asked import Answer
from relyon.engines.problems import RefusedError

__all__ = ["Hits", "whole_text"]

#: Characters of a field that are kept.
LONGEST = 2000


class Hits:
    """Collects the results of one answer.

    Args:
        k: How many were asked for: more are left out.

    Examples:
        >>> hits = Hits(10)
        >>> hits.add("d1", 2.5, {"title": "Red shoes"})
        >>> hits.add("d1", 1.5)
        >>> hits.add(7, None)
        >>> answer = hits.answer()
        >>> answer.ids, answer.scores, answer.duplicates
        (['d1', '7'], [2.5, None], 1)
    """

    def __init__(self, k: int) -> None:
        self._k = k
        self._found: dict[str, tuple[float | None, dict[str, str], str]] = {}
        self._duplicates = 0

    def add(
        self,
        id: object,
        score: object,
        fields: Mapping[str, object] | None = None,
        explanation: str = "",
    ) -> None:
        """Adds the next result.

        Raises:
            RefusedError: If it has no id, or its score is not a number.
        """
        known = _id(id)
        if known in self._found:
            self._duplicates += 1
        elif len(self._found) < self._k:
            self._found[known] = (_score(score), _texts(fields) if fields else {}, explanation)

    @property
    def full(self) -> bool:
        """Whether there are as many results as were asked for."""
        return len(self._found) >= self._k

    def answer(self, *, took: float | None = None, total: int | None = None) -> Answer:
        """Returns all of them."""
        rows = self._found.values()
        why = [one[2] for one in rows]
        return Answer(
            list(self._found),
            [one[0] for one in rows],
            [one[1] for one in rows],
            why if any(why) else (),
            took,
            self._duplicates,
            total,
        )


def whole_text(text: str) -> str:
    """Returns a text without halves of characters, which no file can contain.

    Examples:
        >>> whole_text("电视"), whole_text("a" + chr(0xD800))
        ('电视', 'a?')
    """
    return str(text) if text.isascii() else text.encode("utf-8", "replace").decode()


def _id(value: object) -> str:
    if isinstance(value, str | UUID) and str(value):
        found = str(value)
        if whole_text(found) != found:
            raise RefusedError("bad-hit", f"id {value!r:.80}")
        return found
    # Whole numbers of NumPy, too; a number of JSON with a decimal point is not an id.
    if isinstance(value, bool) or not isinstance(value, SupportsIndex):
        raise RefusedError("bad-hit", f"id {value!r:.80}")
    return str(index(value))


def _score(value: object) -> float | None:
    if value is None or (type(value) is float and math.isfinite(value)):
        return value
    if isinstance(value, bool):
        raise RefusedError("bad-hit", f"score {value!r:.80}")
    try:
        found = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        raise RefusedError("bad-hit", f"score {value!r:.80}") from None
    if not math.isfinite(found):
        raise RefusedError("bad-hit", f"score {value!r:.80}")
    return found


def _texts(fields: Mapping[str, object]) -> dict[str, str]:
    """Returns fields as texts: lists joined, what is empty left out."""
    found: dict[str, str] = {}
    for name, value in fields.items():
        if isinstance(value, str):
            if value:
                found[str(name)] = whole_text(value[:LONGEST])
            continue
        parts = value if isinstance(value, list | tuple) else [value]
        text = ", ".join(str(one) for one in parts if one is not None)
        if text:
            found[str(name)] = whole_text(text[:LONGEST])
    return found
