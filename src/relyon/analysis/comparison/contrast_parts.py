"""The parts of a contrast that tables and sentences show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from relyon.measures.display_names import detail_names, measure_label
from relyon.measures.parser import measure as parse_measure

if TYPE_CHECKING:
    from relyon.analysis.comparison.contrast import Contrast

__all__ = ["beside", "contrast_label", "decimals", "is_pooled", "is_ratio"]


def contrast_label(one: Contrast) -> str:
    """Returns the name of a contrast's measure in tables."""
    return measure_label(one.measure, one.average, one.definition)


def is_pooled(one: Contrast) -> bool:
    """Whether no query has a value of its own, as of an AUC over all pairs of rows."""
    return one.average == "micro" and parse_measure(one.measure).combine == "pooled"


def is_ratio(one: Contrast) -> bool:
    """Whether a number is a ratio of sums over all queries, such as PNR."""
    return one.largest is not None


def decimals(one: Contrast, digits: int | None = None) -> int | None:
    """Returns the decimals of a contrast's numbers: none for counts, such as `num_rel_ret`."""
    whole = one.baseline_mean.is_integer() and one.candidate_mean.is_integer()
    return 0 if one.average == "sum" and whole else digits


def beside(one: Contrast) -> list[tuple[str, float, float]]:
    """Returns the details below a contrast: name, and the numbers of baseline and candidate.

    The share of positive pairs comes first: it has an interval and a p-value, too.
    """
    names = detail_names(one.measure, one.baseline_details, one.definition)
    share = one.share
    found = [] if share is None else [("share", share.baseline, share.candidate)]
    return found + [
        (name, one.baseline_details[name], one.candidate_details[name])
        for name in ("strict", "random")
        if name in names and name in one.candidate_details
    ]
