"""Slices of queries as a table and sentences."""

from __future__ import annotations

from collections.abc import Sequence
from shlex import quote
from typing import TYPE_CHECKING

from relyon.analysis.slices.found import conditions
from relyon.core.document.model import Block, Cell, Document, Lines, Table, Tone
from relyon.core.texts import Catalogue, Language, catalogue
from relyon.core.texts.numbers import DIGITS, PAGE

if TYPE_CHECKING:
    from relyon.analysis.slices.found import FoundSlice, SliceFacts

__all__ = ["slice_lines", "slice_table", "slices_document", "slices_legend", "slices_verdict"]

MARKS: dict[str, tuple[Tone, str]] = {
    "loses": ("worse", "▼"),
    "elsewhere": ("worse", "▽"),
    "undecided": ("undecided", "·"),
}
#: Slices that are shown of those that were tested without a result.
SHOWN = 3


def slices_document(
    found: SliceFacts, *, digits: int = DIGITS, language: Language = "en"
) -> Document:
    """Returns the verdict, the table, each slice's examples, and how to read them.

    Args:
        found: The result.
        digits: Decimals.
        language: `en` or `zh`.
    """
    words = catalogue("slices", language)
    blocks: list[Block] = [Lines([slices_verdict(found, words)])]
    shown = shown_slices(found)
    if shown:
        blocks.append(slice_table(found, shown, words, digits))
    lines = [line for one in found.slices for line in slice_lines(one, found, words, digits)]
    if lines:
        blocks.append(Lines(lines))
    blocks.append(Lines(slices_legend(found, words)))
    return Document(blocks, words["title"])


def shown_slices(found: SliceFacts) -> Sequence[FoundSlice]:
    """Returns the slices that are shown: those found, and a few of the others."""
    rest = [one for one in found.tested if one.verdict == "undecided"]
    return [*found.slices, *rest[: max(0, SHOWN - len(found.slices))]]


def slices_verdict(found: SliceFacts, words: Catalogue) -> str:
    """Returns what was found as one sentence.

    Args:
        found: The result.
        words: The texts of the area `slices`.
    """
    loses = sum(one.verdict == "loses" for one in found.slices)
    worse = len(found.slices) - loses
    values = {"queries": found.queries, "predicates": found.predicates, "alpha": found.alpha}
    if not found.slices:
        kind = "verdict.none" if found.tested else "verdict.nothing"
        return words.say(kind, **values)
    parts = []
    if loses:
        parts.append(words.say("verdict.loses", count=loses, **values))
    if worse:
        parts.append(words.say("verdict.elsewhere", count=worse, **values))
    return words["list.sentence"].join(parts)


def slice_table(
    found: SliceFacts, shown: Sequence[FoundSlice], words: Catalogue, digits: int = DIGITS
) -> Table:
    """Returns one row per slice.

    Args:
        found: The result.
        shown: The slices.
        words: The texts of the area `slices`.
        digits: Decimals.
    """
    style = words.style
    several = len({(one.candidate, one.measure) for one in shown}) > 1
    names = ("where", "queries", "difference", "interval", "rest", "p_loss", "p_elsewhere")
    rows = []
    for one in shown:
        tone, mark = MARKS[one.verdict]
        mark = "○" if style is PAGE and one.verdict == "undecided" else mark
        where = conditions(one.predicates, words)
        if several:
            where = words.say("of", candidate=one.candidate, measure=one.measure, where=where)
        rows.append(
            (
                where,
                f"{one.tested:,}/{len(one.queries):,}",
                Cell(style.signed(one.difference, digits), tone, mark),
                style.signed_interval(one.interval, digits),
                style.signed(one.rest, digits),
                style.p_value(one.p_loss),
                style.p_value(one.p_elsewhere),
            )
        )
    first = shown[0]
    kind = "caption.several" if several else "caption.one"
    caption = words.say(kind, candidate=first.candidate, measure=first.measure)
    return Table(words.names("heading", names), rows, caption=caption, long=[0])


def slice_lines(
    one: FoundSlice, found: SliceFacts, words: Catalogue, digits: int = DIGITS
) -> list[str]:
    """Returns the largest losses of a slice, what overlaps it, and how to look closer.

    Args:
        one: The slice.
        found: The result, which has the texts of queries.
        words: The texts of the area `slices`.
        digits: Decimals.
    """
    said = [
        words.say(
            "example",
            query=query,
            text=f" {text}" if (text := found.query_texts.get(query, query)) != query else "",
            change=words.style.signed(change, digits),
        )
        for query, change in one.examples
    ]
    lines = []
    if said:
        lines.append(words.say("examples", where=conditions(one.predicates, words), examples=said))
    if one.overlapping:
        others = [conditions(other, words) for other in one.overlapping]
        lines.append(words.say("overlapping", others=others))
    if one.by and len(one.by) == len(one.predicates):
        options = " ".join(f"--by {quote(name)}" for name in one.by)
        lines.append(words.say("closer.by", options=options))
    elif one.examples:
        lines.append(words.say("closer.explain", query=quote(one.examples[0][0])))
    return lines


def slices_legend(found: SliceFacts, words: Catalogue) -> list[str]:
    """Returns how to read the table.

    Args:
        found: The result.
        words: The texts of the area `slices`.
    """
    features = [words.name("feature", name) for name in found.features]
    if found.words:
        features.append(words.say("feature.contains", count=found.words))
    lines = [words.say("legend.searched", depth=found.depth, least=found.least, seed=found.seed)]
    if found.tested:
        level = words.percent(found.confidence)
        lines.append(words.say("legend.numbers", level=level))
        lines.append(words.say("legend.p", alpha=found.alpha))
    if features:
        lines.append(words.say("legend.features", names=features))
    return lines
