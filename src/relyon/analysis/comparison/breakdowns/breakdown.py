"""A comparison broken down by a column of its queries: one contrast per value."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from relyon.analysis.comparison.contrast import Contrast, Verdict, gain_sign
from relyon.analysis.comparison.inference import contrasts
from relyon.analysis.comparison.pairing import Pairing, Sample, pair
from relyon.analysis.comparison.query_groups import QueryGroup, group_queries
from relyon.analysis.comparison.sample_queries import only_queries
from relyon.analysis.comparison.settings import Settings
from relyon.core.document.exportable import Exportable
from relyon.core.document.frames import frame_document
from relyon.core.document.json import json_number
from relyon.measures.parser import measure as parse_measure

if TYPE_CHECKING:
    import numpy as np
    import polars
    from numpy.typing import NDArray

    from relyon.analysis.comparison.query_facts import QueryFacts
    from relyon.core.document.model import Document
    from relyon.core.texts import Language

__all__ = ["Breakdown", "Part", "Spread", "breakdown_frame", "breakdowns"]


#: The columns of a part besides those of its contrast, as far as they come first.
PART_COLUMNS = ("column", "kind", "value", "values")
#: The columns that are shown of a breakdown by itself.
SHOWN = ("value", "candidate", "measure", "queries", "difference", "p_adjusted", "verdict")


@dataclass(frozen=True)
class Part:
    """A candidate against the baseline on one measure and the queries of one value.

    Attributes:
        group: The queries.
        contrast: That of a comparison of only these queries, corrected over all values. With
            fewer than six queries `p_adjusted` is NaN: nothing is called significant.
        shrunken: The difference shrunken towards that of all queries; NaN if that is unknown.
    """

    group: QueryGroup
    contrast: Contrast
    shrunken: float = math.nan

    @property
    def gain(self) -> float:
        """The difference, positive if the candidate is better."""
        return gain_sign(self.contrast.measure) * self.contrast.difference

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values."""
        found = {**self.group.to_dict(), **self.contrast.to_dict()}
        return {**found, "few": self.contrast.few, "shrunken": json_number(self.shrunken)}

    def to_row(self) -> dict[str, object]:
        """Returns the same, flattened: one column per number."""
        found = {**self.group.to_dict(), **self.contrast.to_row()}
        return {**found, "few": self.contrast.few, "shrunken": json_number(self.shrunken)}


@dataclass(frozen=True)
class Spread:
    """Whether the values of a column differ from each other by more than chance.

    Attributes:
        measure: The measure.
        candidate: The candidate.
        groups: How many groups of queries were compared.
        q: Cochran's Q.
        tau: The standard deviation of the true differences between groups; 0 if chance alone
            explains theirs.
        p: The p-value of Q, by permutation; NaN if it cannot be tested.
        p_adjusted: The same corrected over columns, measures and candidates.
        significant: Whether `p_adjusted` is at most the significance level.
    """

    measure: str
    candidate: str
    groups: int
    q: float
    tau: float
    p: float
    p_adjusted: float = math.nan
    significant: bool = False

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values."""
        return {
            "measure": self.measure,
            "candidate": self.candidate,
            "groups": self.groups,
            "q": json_number(self.q),
            "tau": json_number(self.tau),
            "p": json_number(self.p),
            "p_adjusted": json_number(self.p_adjusted),
            "significant": self.significant,
        }


@dataclass(frozen=True)
class Breakdown(Exportable):
    """A comparison broken down by one column of its queries.

    Attributes:
        column: The name of the column.
        groups: The queries of each value, most queries first; those without a value last.
        parts: One per candidate, measure and group that has a value.
        spreads: One per candidate and tested measure: whether the values differ from each other.
        corrected: How many p-values are corrected together, over all columns; 0 without a
            correction.
    """

    column: str
    groups: tuple[QueryGroup, ...]
    parts: tuple[Part, ...]
    spreads: tuple[Spread, ...]
    corrected: int = 0

    def document(self, language: Language = "en") -> Document:
        """Returns one row per part; `Comparison.document` has what they show in sentences."""
        return frame_document(self.to_frame().select(SHOWN), language)

    def of(self, candidate: str, measure: str) -> tuple[Part, ...]:
        """Returns the parts of one candidate and measure, in the order of the groups."""
        wanted = candidate, measure
        return tuple(
            one for one in self.parts if (one.contrast.candidate, one.contrast.measure) == wanted
        )

    def spread(self, candidate: str, measure: str) -> Spread | None:
        """Returns whether the values differ on one measure; `None` if it is not tested."""
        wanted = candidate, measure
        found = (one for one in self.spreads if (one.candidate, one.measure) == wanted)
        return next(found, None)

    def losses(self, candidate: str | None = None) -> tuple[Part, ...]:
        """Returns the parts in which a candidate is significantly worse, the largest loss first.

        Args:
            candidate: Restricts them to one candidate.
        """
        return tuple(sorted(self._decided("worse", candidate), key=lambda one: one.gain))

    def gains(self, candidate: str | None = None) -> tuple[Part, ...]:
        """Returns the parts in which a candidate is significantly better, the largest gain first.

        Args:
            candidate: Restricts them to one candidate.
        """
        return tuple(sorted(self._decided("better", candidate), key=lambda one: -one.gain))

    def _decided(self, verdict: Verdict, candidate: str | None) -> list[Part]:
        return [
            one
            for one in self.parts
            if one.contrast.verdict == verdict and candidate in (None, one.contrast.candidate)
        ]

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values."""
        return {
            "column": self.column,
            "groups": [one.to_dict() for one in self.groups],
            "parts": [one.to_dict() for one in self.parts],
            "spreads": [one.to_dict() for one in self.spreads],
            "corrected": self.corrected,
        }

    def to_rows(self) -> list[dict[str, object]]:
        """Returns one row per part, one column per number."""
        return [{"column": self.column, **one.to_row()} for one in self.parts]

    def to_frame(self) -> polars.DataFrame:
        """Returns one row per part, one column per number."""
        import polars

        return polars.DataFrame(self.to_rows(), infer_schema_length=None)


def breakdown_frame(whole: Sequence[Contrast], found: Sequence[Breakdown]) -> polars.DataFrame:
    """Returns one row per contrast of all queries, whose `kind` is `whole`, and one per part."""
    import polars

    parts = [row for one in found for row in one.to_rows()]
    rows = [{**dict.fromkeys(PART_COLUMNS), "kind": "whole", **one.to_row()} for one in whole]
    return polars.DataFrame([*rows, *parts], infer_schema_length=None)


def breakdowns(
    names: Sequence[str],
    samples: Mapping[str, Sequence[Sample]],
    settings: Settings,
    facts: QueryFacts,
    *,
    queries: Sequence[str],
    described: Collection[str],
    definitions: Mapping[str, str],
) -> tuple[Breakdown, ...]:
    """Breaks a comparison down by each column of its queries.

    The contrast of a value is that of a comparison of only its queries. The p-values of all
    columns, values with six queries or more, tested measures and candidates are corrected together.

    Args:
        names: The names of the runs, the baseline's first.
        samples: The values of all runs, by measure.
        settings: The settings of the tests. Fisher's randomisation test, which is Tukey's for two
            runs, replaces `tukey`.
        facts: The columns, and clusters.
        queries: The queries that are paired on some measure.
        described: Measures of the data, which are shown but not tested.
        definitions: The definitions of the measures, by name.

    Raises:
        ParameterError: If a column has too many values.
    """
    if settings.test == "tukey":
        settings = replace(settings, test="permutation")
    groups = {name: group_queries(name, one, queries) for name, one in facts.columns.items()}
    pairings: dict[_Place, Pairing] = {}
    for column, of_column in groups.items():
        for number, group in enumerate(of_column):
            kept = frozenset(group.queries)
            for measure, columns in samples.items():
                baseline, *candidates = (only_queries(one, kept) for one in columns)
                for name, candidate in zip(names[1:], candidates, strict=True):
                    if not _has_pairs(baseline, candidate):
                        continue
                    pairing = pair(measure, baseline, candidate, facts)
                    if pairing.queries:
                        pairings[_Place(column, name, measure, number)] = pairing
    found = _contrasts(names[0], pairings, settings, described, facts.cluster)
    corrected = sum(not math.isnan(one.p_adjusted) for one in found.values())
    spreads, shrunken = _spreads(pairings, groups, settings, described)
    return tuple(
        Breakdown(
            column,
            of_column,
            tuple(
                Part(
                    of_column[place.group],
                    replace(one, definition=definitions.get(one.measure, "")),
                    shrunken.get(place, math.nan),
                )
                for place, one in sorted(
                    found.items(), key=lambda item: _order(item[0], names, samples)
                )
                if place.column == column
            ),
            tuple(spread for name, spread in spreads if name == column),
            corrected if settings.correction != "none" and corrected > 1 else 0,
        )
        for column, of_column in groups.items()
    )


@dataclass(frozen=True)
class _Place:
    """What a contrast is of."""

    column: str
    candidate: str
    measure: str
    group: int


def _order(
    place: _Place, names: Sequence[str], samples: Mapping[str, object]
) -> tuple[int, int, int]:
    return names.index(place.candidate), list(samples).index(place.measure), place.group


def _has_pairs(baseline: Sample, candidate: Sample) -> bool:
    """Whether two samples share a query that can count; a ratio of no queries has no number."""
    common = baseline.values.keys() & candidate.values.keys()
    if baseline.ratio is None:
        return bool(common)
    return any(baseline.counts(query) or candidate.counts(query) for query in common)


def _contrasts(
    baseline: str,
    pairings: Mapping[_Place, Pairing],
    settings: Settings,
    described: Collection[str],
    cluster: str,
) -> dict[_Place, Contrast]:
    """Returns the contrasts: those of enough queries are corrected together, the others not."""
    from relyon.analysis.statistics import ENOUGH_QUERIES

    found: dict[_Place, Contrast] = {}
    for enough in (True, False):
        chosen = {
            place: one for place, one in pairings.items() if (one.units >= ENOUGH_QUERIES) == enough
        }
        margins = _margins(settings, pairings.values(), chosen.values())
        # The key tells parts of one measure apart; the pairing has the measure's name.
        keyed = {
            (place.candidate, f"{place.measure} {number}"): one
            for number, (place, one) in enumerate(chosen.items())
        }
        own = replace(settings, margins=margins)
        made = contrasts(baseline, keyed, (), own, described, column=cluster)
        if not enough:
            made = tuple(replace(one, p_adjusted=math.nan) for one in made)
        found |= dict(zip(chosen, made, strict=True))
    return found


def _margins(
    settings: Settings, every: Iterable[Pairing], chosen: Iterable[Pairing]
) -> dict[str, float | str]:
    """Returns the margins of measures that have parts; a share is one of each part's baseline.

    That of a sum over all queries does not apply to a sum over some.
    """
    compared = {one.measure for one in every}
    present = {one.measure for one in chosen if one.average != "sum"}
    given = {
        name if name in compared else str(parse_measure(name)): one
        for name, one in settings.margins.items()
    }
    return {name: one for name, one in given.items() if name in present}


def _spreads(
    pairings: Mapping[_Place, Pairing],
    groups: Mapping[str, Sequence[QueryGroup]],
    settings: Settings,
    described: Collection[str],
) -> tuple[list[tuple[str, Spread]], dict[_Place, float]]:
    """Returns whether values differ, with their column, and the shrunken differences.

    A sum grows with its queries: its mean per query is what groups can differ in.
    """
    from relyon.analysis.statistics import adjust, group_means

    together: dict[tuple[str, str, str], list[_Place]] = {}
    for place in pairings:
        if place.measure not in described:
            together.setdefault((place.column, place.candidate, place.measure), []).append(place)
    spreads: list[tuple[str, Spread]] = []
    shrunken: dict[_Place, float] = {}
    for (column, candidate, measure), places in together.items():
        units = [_unit(pairings[place]) for place in places]
        values = [
            pairings[place].differences / unit for place, unit in zip(places, units, strict=True)
        ]
        clusters = _clusters([pairings[place] for place in places])
        found = group_means(values, clusters, seed=settings.seed)
        for place, unit, one in zip(places, units, found.shrunken, strict=True):
            shrunken[place] = one * unit
        spreads.append(
            (column, Spread(measure, candidate, len(places), found.q, found.tau, found.p))
        )
    adjusted = adjust([one.p for _, one in spreads], settings.correction)
    tested = [
        (column, replace(one, p_adjusted=p, significant=p <= settings.alpha))
        for (column, one), p in zip(spreads, adjusted, strict=True)
    ]
    return tested, shrunken


def _clusters(pairings: Sequence[Pairing]) -> list[NDArray[np.int64]] | None:
    """Returns the cluster of each query, numbered alike in all groups; None without clusters."""
    import numpy as np

    if all(one.clustered is None for one in pairings):
        return None
    numbers: dict[str, int] = {}
    found = []
    for one in pairings:
        if one.clusters is None:
            return None
        names = [one.cluster_names[place] for place in one.clusters.tolist()]
        found.append(np.array([numbers.setdefault(name, len(numbers)) for name in names]))
    return found


def _unit(pairing: Pairing) -> int:
    return len(pairing.queries) if pairing.average == "sum" else 1
