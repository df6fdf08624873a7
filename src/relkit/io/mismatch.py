"""Ids of two sources that do not meet: which difference in writing keeps them apart."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from relkit.notes import Note

__all__ = ["explain_mismatch"]

ENOUGH = 0.5  # from this share of the smaller side on, ids are taken to be written alike


def explain_mismatch(
    judgments_queries: Iterable[str], run_queries: Iterable[str], what: str = "query"
) -> Note | None:
    """Says why few or no ids of a run are those of the judgments.

    Tries white space, letter case, Unicode forms, zeros in front, numbers written as decimals,
    quotation marks, and words in front of a number (`q7` and `7`).

    Args:
        judgments_queries: The ids on the judgments' side.
        run_queries: The ids on the run's side.
        what: "query" or "document", for the message.

    Returns:
        None where at least half of the smaller side's ids match, or where some match and nothing
        explains the rest.

    Examples:
        >>> print(explain_mismatch(["007", "008"], ["7", "8"]))
        no query id of the run is judged as it is written: they differ in zeros in front (`7` in the run, `007` in the judgments)
    """  # noqa: E501
    from relkit.notes import Note

    judged, retrieved = dict.fromkeys(judgments_queries), dict.fromkeys(run_queries)
    if not judged or not retrieved:
        return None
    smaller = min(len(judged), len(retrieved))
    matched = len(judged.keys() & retrieved.keys())
    if matched >= ENOUGH * smaller:
        return None
    left = {one: one for one in judged if one not in retrieved}
    right = {one: one for one in retrieved if one not in judged}
    reasons: list[str] = []
    for reason, judged_form, run_form in _forms(left, right):
        before = len(set(left.values()) & set(right.values()))
        new_left = {one: judged_form(form) for one, form in left.items()}
        new_right = {one: run_form(form) for one, form in right.items()}
        after = len(set(new_left.values()) & set(new_right.values()))
        if after > before:
            left, right = new_left, new_right
            reasons.append(reason)
    owner = {form: one for one, form in left.items()}
    pairs = [(one, owner[form]) for one, form in right.items() if form in owner]
    if pairs and matched + len(pairs) >= ENOUGH * smaller:
        few = f"only {matched:,}" if matched else "no"
        ids = f"{what} ids" if matched > 1 else f"{what} id"
        verb = "are" if matched > 1 else "is"
        return Note(
            "id-mismatch",
            f"{few} {ids} of the run {verb} judged as it is written: "
            f"they differ in {' and '.join(reasons)}",
            count=len(pairs),
            level="warning",
            examples=tuple(
                f"`{run}` in the run, `{one}` in the judgments" for run, one in pairs[:1]
            ),
        )
    if matched:
        return None
    return Note(
        "id-mismatch",
        f"no {what} id of the run is judged: the run has `{next(iter(retrieved))}`, "
        f"the judgments have `{next(iter(judged))}`",
        count=len(retrieved),
        level="warning",
    )


Form = Callable[[str], str]


def _forms(left: Iterable[str], right: Iterable[str]) -> list[tuple[str, Form, Form]]:
    from unicodedata import normalize

    forms: list[tuple[str, Form, Form]] = [
        (reason, form, form)
        for reason, form in (
            ("white space around them", _stripped),
            ("quotation marks", _unquoted),
            ("letter case", str.casefold),
            ("their Unicode form", lambda text: normalize("NFKC", text)),
            ("how numbers are written", _whole),
            ("zeros in front", _without_zeros),
        )
    ]
    ours, theirs = _common_prefix(left), _common_prefix(right)
    if ours != theirs:
        forms.append(
            (
                f"what stands in front (`{theirs}` in the run, `{ours}` in the judgments)"
                if ours and theirs
                else f"`{ours or theirs}` in front",
                lambda text: _number_after(text, ours),
                lambda text: _number_after(text, theirs),
            )
        )
    return forms


def _stripped(text: str) -> str:
    return text.strip().strip("\ufeff\u200b\u200c\u200d\u2060").strip()


def _unquoted(text: str) -> str:
    for start, end in (("b'", "'"), ("'", "'"), ('"', '"')):
        if len(text) > len(start) and text.startswith(start) and text.endswith(end):
            return text[len(start) : -len(end)]
    return text


def _whole(text: str) -> str:
    """`7.0` and `+7` as `7`."""
    import re

    found = re.fullmatch(r"\+?(-?\d+)(?:\.0*)?", text)
    return found[1] if found else text


def _without_zeros(text: str) -> str:
    """Every run of digits without the zeros in front of it."""
    import re

    return re.sub(r"(?<!\d)0+(?=\d)", "", text)


def _common_prefix(ids: Iterable[str]) -> str:
    """The word that stands in front of the number in most ids, or nothing."""
    import re
    from collections import Counter

    found = Counter(match[1] for one in ids if (match := re.match(r"(\D*)\d", one)))
    if not found:
        return ""
    prefix, count = found.most_common(1)[0]
    return prefix if count * 2 > found.total() else ""


def _number_after(text: str, prefix: str) -> str:
    rest = text[len(prefix) :] if text.casefold().startswith(prefix.casefold()) else text
    return _without_zeros(rest)
