"""Ids of two sources that do not match: which difference in spelling explains it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from relyon.core.texts import Text, message

if TYPE_CHECKING:
    from relyon.core.notes import Note

__all__ = ["explain_mismatch"]

ENOUGH = 0.5  # from this share of the smaller side on, ids count as spelled alike


def explain_mismatch(
    judgments_queries: Iterable[str], run_queries: Iterable[str], what: str = "query"
) -> Note | None:
    """Explains why few or no ids of a run match the judgments.

    Tries white space, letter case, Unicode forms, leading zeros, numbers written as decimals,
    quotation marks, and prefixes of numbers (`q7` and `7`).

    Args:
        judgments_queries: The ids on the judgments' side.
        run_queries: The ids on the run's side.
        what: "query" or "document", for the message.

    Returns:
        None if at least half of the smaller side's ids match, or if some match and nothing explains
        the rest.

    Examples:
        >>> print(explain_mismatch(["007"], ["7"]))
        no query id of the run matches the judgments: they differ in leading zeros (`7` in the run, `007` in the judgments)
    """  # noqa: E501
    from relyon.core.notes import Note

    judged, retrieved = dict.fromkeys(judgments_queries), dict.fromkeys(run_queries)
    if not judged or not retrieved:
        return None
    smaller = min(len(judged), len(retrieved))
    matched = len(judged.keys() & retrieved.keys())
    if matched >= ENOUGH * smaller:
        return None
    left = [one for one in judged if one not in retrieved]
    right = [one for one in retrieved if one not in judged]
    for forms in _attempts(left, right):
        pairs = _pairs(left, right, forms)
        if not pairs or matched + len(pairs) < ENOUGH * smaller:
            continue
        needed = forms
        for form in forms:  # a form without effect is not a reason
            fewer = [other for other in needed if other is not form]
            if len(_pairs(left, right, fewer)) == len(pairs):
                needed = fewer
        values = {"what": what, "matched": matched, "reasons": [form.reason for form in needed]}
        retrieved_id, judged_id = pairs[0]
        example = message(
            "io.in-run",
            retrieved=retrieved_id,
            judged=judged_id,
        )
        return Note(
            "id-mismatch",
            len(pairs),
            "warning",
            (example,),
            {**values, "pair": pairs[0]},
            key="id-mismatch.few" if matched else "id-mismatch.written",
        )
    if matched:
        return None
    return Note(
        "id-mismatch",
        len(retrieved),
        "warning",
        values={"what": what, "retrieved": next(iter(retrieved)), "judged": next(iter(judged))},
        key="id-mismatch.strange",
    )


class _Form(NamedTuple):
    """A normalisation of ids, applied to both sides."""

    reason: Text
    judged: Callable[[str], str]
    retrieved: Callable[[str], str]


def _pairs(left: list[str], right: list[str], forms: list[_Form]) -> list[tuple[str, str]]:
    """Pairs of ids of the run and the judgments that are equal once normalised."""
    owner = {_applied([form.judged for form in forms], one): one for one in left}
    found = [(one, _applied([form.retrieved for form in forms], one)) for one in right]
    return [(one, owner[text]) for one, text in found if text in owner]


def _applied(changes: list[Callable[[str], str]], text: str) -> str:
    for change in changes:
        text = change(text)
    return text


def _attempts(left: list[str], right: list[str]) -> Iterator[list[_Form]]:
    """Yields sets of normalisations to try, the simplest explanation first."""
    from unicodedata import normalize

    simple = [
        _Form(Text(f"notes.reason.{reason}"), change, change)
        for reason, change in (
            ("space", _stripped),
            ("quotes", _unquoted),
            ("case", str.casefold),
            ("unicode", lambda text: normalize("NFKC", text)),
            ("numbers", _whole),
            ("zeros", _without_zeros),
        )
    ]
    for form in simple:
        yield [form]
    yield simple
    ours, theirs = _common_prefix(left), _common_prefix(right)
    if ours != theirs:
        reason = (
            Text("notes.reason.prefixes", {"retrieved": theirs, "judged": ours})
            if ours and theirs
            else Text("notes.reason.prefix", {"prefix": ours or theirs})
        )
        prefix = _Form(
            reason, lambda text: text.removeprefix(ours), lambda text: text.removeprefix(theirs)
        )
        yield [prefix]
        yield [prefix, *simple]


def _stripped(text: str) -> str:
    return text.strip().strip("\ufeff\u200b\u200c\u200d\u2060").strip()


def _unquoted(text: str) -> str:
    for start, end in (("b'", "'"), ("'", "'"), ('"', '"')):
        if len(text) > len(start) and text.startswith(start) and text.endswith(end):
            return text[len(start) : -len(end)]
    return text


def _whole(text: str) -> str:
    """Returns `7.0` and `+7` as `7`."""
    import re

    found = re.fullmatch(r"\+?(-?\d+)(?:\.0*)?", text)
    return found[1] if found else text


def _without_zeros(text: str) -> str:
    """Strips leading zeros from every run of digits."""
    import re

    return re.sub(r"(?<!\d)0+(?=\d)", "", text)


def _common_prefix(ids: Iterable[str]) -> str:
    """Returns the prefix of the number in most ids, or an empty string."""
    import re
    from collections import Counter

    found = Counter(match[1] for one in ids if (match := re.match(r"(\D*)\d", one)))
    if not found:
        return ""
    prefix, count = found.most_common(1)[0]
    return prefix if count * 2 > found.total() else ""
