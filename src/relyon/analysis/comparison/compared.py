"""The parts of a comparison that tables and sentences need."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from relyon.analysis.comparison.contrast import Contrast, PairContrast
from relyon.analysis.comparison.settings import Settings
from relyon.data.convention import Convention
from relyon.measures.display_names import detail_names, measure_label
from relyon.measures.parser import measure as parse_measure

__all__ = ["Compared", "beside", "contrast_label", "contrasts_of", "decimals", "is_pooled"]


class Compared(Protocol):
    """Candidates against a baseline, with every contrast: see `Comparison`."""

    @property
    def baseline(self) -> str: ...
    @property
    def candidates(self) -> Sequence[str]: ...
    @property
    def runs(self) -> Sequence[str]: ...
    @property
    def measures(self) -> Sequence[str]: ...
    @property
    def tested(self) -> Sequence[str]: ...
    @property
    def contrasts(self) -> Sequence[Contrast]: ...
    @property
    def pairs(self) -> Sequence[PairContrast]: ...
    @property
    def settings(self) -> Settings: ...
    @property
    def corrected(self) -> int: ...
    @property
    def focus(self) -> str: ...
    @property
    def convention(self) -> Convention | None: ...
    @property
    def query_texts(self) -> Mapping[str, str] | None: ...

    def deltas(self, candidate: str, measure: str) -> dict[str, float]:
        """Returns each paired query's part of the difference."""


def contrast_label(one: Contrast) -> str:
    """Returns the name of a contrast's measure in tables."""
    return measure_label(one.measure, one.average, one.definition)


def is_pooled(one: Contrast) -> bool:
    """Whether no query has a value of its own, as of an AUC over all pairs of rows."""
    return one.average == "micro" and parse_measure(one.measure).combine == "pooled"


def decimals(one: Contrast, digits: int | None = None) -> int | None:
    """Returns the decimals of a contrast's numbers: none for counts, such as `num_rel_ret`."""
    whole = one.baseline_mean.is_integer() and one.candidate_mean.is_integer()
    return 0 if one.average == "sum" and whole else digits


def contrasts_of(comparison: Compared, candidate: str) -> list[Contrast]:
    """Returns one candidate's contrasts."""
    return [one for one in comparison.contrasts if one.candidate == candidate]


def beside(one: Contrast) -> list[tuple[str, float, float]]:
    """Returns the details below a contrast: name, and the numbers of baseline and candidate."""
    names = detail_names(one.measure, one.baseline_details, one.definition)
    return [
        (name, one.baseline_details[name], one.candidate_details[name])
        for name in ("strict", "random")
        if name in names and name in one.candidate_details
    ]
