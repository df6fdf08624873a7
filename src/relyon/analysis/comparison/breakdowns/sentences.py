"""What a breakdown shows, in sentences that claim no more than its tests allow."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from relyon.analysis.comparison.breakdowns.breakdown import Breakdown, Part, Spread
from relyon.analysis.comparison.contrast_parts import contrast_label, decimals
from relyon.analysis.comparison.query_groups import QueryGroup
from relyon.core.texts import Catalogue, catalogue
from relyon.core.texts.numbers import DIGITS
from relyon.measures.display_names import measure_label

if TYPE_CHECKING:
    from relyon.analysis.comparison.paired_runs import PairedRuns

__all__ = [
    "breakdown_sentences",
    "group_label",
    "hidden_losses",
    "hidden_parts",
    "rule",
    "units",
    "where",
]

#: At most so many values have a sentence of their own.
NAMED = 5


def group_label(group: QueryGroup, words: Catalogue) -> str:
    """Returns the name of a group of queries: its value, or words for the others and none."""
    if group.kind == "value":
        return group.value
    return words.say(f"group.{group.kind}", values=group.values)


def where(column: str, group: QueryGroup, words: Catalogue) -> str:
    """Returns the condition that a group of queries meets, such as `tier = head`."""
    key = "part.where" if group.kind == "value" else f"part.where_{group.kind}"
    return words.say(key, column=column, value=group.value, values=group.values)


def hidden_losses(comparison: PairedRuns, words: Catalogue, digits: int = DIGITS) -> list[str]:
    """Returns one sentence per value with a loss that the whole comparison does not show.

    Args:
        comparison: The comparison.
        words: The texts of breakdowns.
        digits: Decimals.
    """
    found = []
    for breakdown in comparison.breakdowns:
        for one in hidden_parts(breakdown, comparison)[:NAMED]:
            contrast = one.contrast
            whole = comparison.contrast(contrast.candidate, contrast.measure)
            found.append(
                words.say(
                    "outcome.hidden",
                    candidate=contrast.candidate,
                    where=where(breakdown.column, one.group, words),
                    evidence=_evidence(one, words, digits),
                    measure=contrast_label(contrast),
                    whole=words.style.signed(whole.difference, decimals(whole, digits)),
                )
            )
    return found


def hidden_parts(breakdown: Breakdown, comparison: PairedRuns) -> list[Part]:
    """Returns the losses on a value, largest first, on measures that the whole does not lose on."""
    return [
        one
        for one in breakdown.losses()
        if comparison.contrast(one.contrast.candidate, one.contrast.measure).verdict != "worse"
    ]


def breakdown_sentences(
    breakdown: Breakdown,
    comparison: PairedRuns,
    candidate: str,
    words: Catalogue,
    digits: int = DIGITS,
) -> Iterator[str]:
    """Yields where a candidate loses and gains, and whether the values differ from each other.

    Without a significant loss, the largest one is named as what it is: it could be chance.

    Args:
        breakdown: The breakdown.
        comparison: Its comparison.
        candidate: The candidate.
        words: The texts of breakdowns.
        digits: Decimals.
    """
    column = breakdown.column
    tested = [
        one
        for one in breakdown.parts
        if one.contrast.candidate == candidate and one.contrast.tested and not one.contrast.few
    ]
    losses, gains = breakdown.losses(candidate), breakdown.gains(candidate)
    for key, found in (("loses", losses), ("wins", gains)):
        for one in found[:NAMED]:
            yield words.say(
                f"outcome.{key}",
                candidate=candidate,
                where=where(column, one.group, words),
                evidence=_evidence(one, words, digits),
            )
        if found[NAMED:]:
            yield words.say(f"outcome.{key}_more", candidate=candidate, count=len(found) - NAMED)
    if not losses:
        yield _without_loss(breakdown, comparison, tested, words, digits)
    spreads = [one for one in breakdown.spreads if one.candidate == candidate]
    yield from _spreads(spreads, column, words, units(breakdown))


def _without_loss(
    breakdown: Breakdown,
    comparison: PairedRuns,
    tested: Sequence[Part],
    words: Catalogue,
    digits: int,
) -> str:
    if not tested:
        return words.say(f"outcome.too_few{units(breakdown)}", column=breakdown.column)
    fallen = [one for one in tested if one.gain < 0]
    if not fallen:
        return words.say(f"outcome.no_loss{units(breakdown)}", column=breakdown.column)
    # Of several measures, whose units differ, the least likely loss comes first.
    largest = min(fallen, key=lambda one: (_p(one), one.gain))
    contrast = largest.contrast
    whole = comparison.contrast(contrast.candidate, contrast.measure)
    return words.say(
        "outcome.whole" if whole.verdict == "worse" else "outcome.chance",
        column=breakdown.column,
        rule=rule(breakdown, comparison, words),
        where=where(breakdown.column, largest.group, words),
        evidence=_evidence(largest, words, digits),
    )


def units(breakdown: Breakdown) -> str:
    """Returns the end of the key of a text about clusters; empty if single queries count."""
    clustered = any(one.contrast.clusters is not None for one in breakdown.parts)
    return ".clusters" if clustered else ""


def _p(one: Part) -> float:
    return one.contrast.p if math.isfinite(one.contrast.p) else math.inf


def rule(breakdown: Breakdown, comparison: PairedRuns, words: Catalogue) -> str:
    """Returns when a value is called better or worse."""
    tables = catalogue("tables", words.language)
    return words.say(
        "rule.corrected" if breakdown.corrected else "rule.plain",
        alpha=comparison.settings.alpha,
        correction=tables.name("correction", comparison.settings.correction),
        count=breakdown.corrected,
    )


def _evidence(one: Part, words: Catalogue, digits: int) -> str:
    contrast, style = one.contrast, words.style
    plain = math.isnan(contrast.interval[0])
    return words.say(
        "part.evidence_plain" if plain else "part.evidence",
        measure=contrast_label(contrast),
        difference=style.signed(contrast.difference, decimals(contrast, digits)),
        interval=style.signed_interval(contrast.interval, digits),
        queries=contrast.queries,
        p=contrast.p_adjusted,
    )


def _spreads(found: Sequence[Spread], column: str, words: Catalogue, units: str) -> Iterator[str]:
    known = [one for one in found if math.isfinite(one.p_adjusted)]
    if found and not known:
        yield words.say(f"outcome.untested{units}", column=column)
    for key, significant in (("differ", True), ("same", False)):
        told = [
            words.say("part.spread", measure=measure_label(one.measure), p=one.p_adjusted)
            for one in known
            if one.significant == significant
        ]
        if told:
            yield words.say(f"outcome.{key}", column=column, measures=told)
