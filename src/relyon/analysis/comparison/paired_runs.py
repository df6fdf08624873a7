"""Runs paired with a baseline on every measure, and their contrasts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from relyon.analysis.comparison.breakdowns.breakdown import breakdowns
from relyon.analysis.comparison.clusters.notes import cluster_notes
from relyon.analysis.comparison.contrast import Contrast, describes_data
from relyon.analysis.comparison.contrast_parts import is_pooled
from relyon.analysis.comparison.inference import all_pairs, contrasts
from relyon.analysis.comparison.margins.margins import check_reachable
from relyon.analysis.comparison.notes import (
    evidence_notes,
    few_notes,
    look_notes,
    pairing_notes,
    record_notes,
)
from relyon.analysis.comparison.pairing import Sample, pair
from relyon.analysis.comparison.query_facts import QueryFacts
from relyon.analysis.comparison.runs import Progress
from relyon.analysis.comparison.settings import Settings
from relyon.core.errors import UnknownNameError
from relyon.core.notes import Note
from relyon.core.registry import suggestion
from relyon.core.texts import message
from relyon.data.convention import Convention
from relyon.measures.parser import measure as parse_measure

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["PairedRuns"]


class PairedRuns:
    """The numbers of a `Comparison`, which its tables and plans read.

    Args:
        names: The names of the runs, the baseline's first.
        samples: The values of all runs, by measure.
        settings: The settings of the tests.
        definitions: The definitions of the measures, by name.
        convention: The rules of the evaluations, if known.
        facts: Clusters and columns of the queries.
        progress: Called with the work done, the total, and the next step.
    """

    def __init__(
        self,
        names: Sequence[str],
        samples: Mapping[str, Sequence[Sample]],
        settings: Settings,
        definitions: Mapping[str, str],
        convention: Convention | None,
        facts: QueryFacts,
        progress: Progress | None,
    ) -> None:
        self.baseline = names[0]
        self.candidates = tuple(names[1:])
        self.measures = tuple(samples)
        self.settings = settings
        self.convention = convention
        self.facts = facts
        self.query_texts: Mapping[str, str] | None = None
        #: What `judged_share` returns of a run, where whoever evaluated it knows it.
        self.judged_shares: dict[str, float] = {}
        self._pairings = {
            (candidate, measure): pair(measure, columns[0], columns[place], facts)
            for place, candidate in enumerate(self.candidates, 1)
            for measure, columns in samples.items()
        }
        self.definitions = tuple(definitions.get(name, "") for name in samples)
        described = {name for name in samples if describes_data(definitions.get(name) or name)}
        self.tested = tuple(name for name in samples if name not in described)
        tested = {name: samples[name] for name in self.tested}
        all_of_them = len(names) > 2 and not settings.always_valid  # Tukey's is for one look
        self.pairs = all_pairs(names, tested, settings, facts, progress) if all_of_them else ()
        self.contrasts = tuple(
            replace(one, definition=definitions.get(one.measure, ""))
            for one in contrasts(
                self.baseline,
                self._pairings,
                self.pairs,
                settings,
                described,
                progress,
                facts.cluster,
            )
        )
        for one in self.contrasts:
            check_reachable(one)
        self.breakdowns = (
            breakdowns(
                names,
                samples,
                settings,
                facts,
                queries=self.queries,
                described=described,
                definitions=definitions,
            )
            if facts.columns
            else ()
        )

    @property
    def runs(self) -> tuple[str, ...]:
        """The names of all runs, the baseline's first."""
        return (self.baseline, *self.candidates)

    @property
    def queries(self) -> tuple[str, ...]:
        """The ids of all queries that are paired on some measure, sorted."""
        found = (one.queries for one in self._pairings.values())
        return tuple(sorted(set().union(*found)))

    @property
    def corrected(self) -> int:
        """How many p-values are corrected together; 0 without a correction.

        Tukey's test already corrects for the runs, so only a candidate's measures remain.
        """
        count = len(self.tested)
        if self.settings.test != "tukey":
            count *= len(self.candidates)
        return count if self.settings.correction != "none" and count > 1 else 0

    @property
    def focus(self) -> str:
        """The measure used to look at queries: the first that is tested.

        A pooled AUC has no values per query and is skipped: with `auc` and `gauc` it is `gauc`.
        """
        pooled = {one.measure for one in self.contrasts if is_pooled(one)}
        own = [name for name in self.tested if name not in pooled]
        return (own or self.tested or self.measures)[0]

    def contrast(self, candidate: str, measure: str) -> Contrast:
        """Returns one candidate's contrast on one measure.

        Raises:
            UnknownNameError: If the candidate or measure is unknown.
        """
        key = self._key(candidate, measure)
        return next(one for one in self.contrasts if (one.candidate, one.measure) == key)

    def judged_share(self, name: str) -> float:
        """Returns the mean judged share of a run's first documents; NaN if it is unknown."""
        return self.judged_shares.get(name, math.nan)

    def deltas(self, candidate: str, measure: str) -> dict[str, float]:
        """Returns each paired query's own change, candidate - baseline, in the order of the ids.

        Of a ratio of sums or a pooled AUC, that is the change of the query's own ratio or AUC;
        queries without one are left out, and their mean is not the pooled difference.

        Raises:
            UnknownNameError: If the candidate or measure is unknown.
        """
        return self._pairings[self._key(candidate, measure)].own_changes

    def own_values(self, candidate: str, measure: str) -> dict[str, tuple[float, float]]:
        """Returns each paired query's own values in the baseline and in the candidate.

        Raises:
            UnknownNameError: If the candidate or measure is unknown.
        """
        found = self._pairings[self._key(candidate, measure)]
        pairs = zip(found.baseline.tolist(), found.candidate.tolist(), strict=True)
        return dict(zip(found.queries, pairs, strict=True))

    def influences(self, candidate: str, measure: str) -> dict[str, float]:
        """Returns how much each paired query moves the difference; 0 if that is unknown.

        Raises:
            UnknownNameError: If the candidate or measure is unknown.
        """
        found = self._pairings[self._key(candidate, measure)]
        if found.ratio is None or not found.changed:
            changes = found.own_changes
            return {query: changes.get(query, 0.0) for query in found.queries}
        parts = found.differences.tolist()
        if not all(map(math.isfinite, parts)):
            return found.own_changes
        return dict(zip(found.queries, parts, strict=True))

    def parts_of_difference(self, candidate: str, measure: str) -> NDArray[np.float64]:
        """Returns one number per paired query with the difference of the runs as their mean.

        For a mean over queries that is candidate - baseline, for a sum that times the number of
        queries, for a pooled number the jackknife's pseudo-value: their spread is that of the
        difference.

        Raises:
            UnknownNameError: If the candidate or measure is unknown.
        """
        return self._pairings[self._key(candidate, measure)].differences

    def _notes(self) -> list[Note]:
        """Returns notes about the queries behind the numbers."""
        return [
            *pairing_notes(self._pairings),
            *record_notes(
                {key: one for key, one in self._pairings.items() if key[1] in self.tested}
            ),
            *evidence_notes(self.contrasts),
            *cluster_notes(self.contrasts),
            *(
                look_notes(self._pairings, dict(zip(self.measures, self.definitions, strict=True)))
                if self.settings.always_valid
                else ()
            ),
            *few_notes(one.queries for one in self.contrasts if one.tested and not one.in_clusters),
        ]

    def _measure(self, name: str) -> str:
        if name in self.measures:
            return name
        key = str(parse_measure(name))
        if key not in self.measures:
            raise UnknownNameError(
                message("analysis.was-not-compared", key=key),
                hint=message("analysis.there-are-measures", measures=list(self.measures)),
            )
        return key

    def _key(self, candidate: str, measure: str) -> tuple[str, str]:
        if candidate not in self.candidates:
            raise UnknownNameError(
                message("analysis.no-candidate", candidate=candidate),
                hint=suggestion(candidate, list(self.candidates)),
            )
        return candidate, self._measure(measure)
