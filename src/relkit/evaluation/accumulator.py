"""Evaluations accumulated over parts: batches, files, machines."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from relkit import _native
from relkit.core.errors import ParameterError
from relkit.core.texts import message
from relkit.data.convention import Convention, load_convention
from relkit.evaluation.assembly import assemble
from relkit.evaluation.columns import Column, kept_column
from relkit.evaluation.evaluator import Evaluator
from relkit.evaluation.labelled import Settings, evaluate_rows
from relkit.evaluation.notes import measure_notes
from relkit.evaluation.program import Average, MeasureNames, Program
from relkit.evaluation.results import Results
from relkit.evaluation.scores import array_rules, grouped_rows, without_formula
from relkit.evaluation.sources import evaluate_run
from relkit.measures.names import measures as parse_measures

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from relkit.data.scale import Scale

__all__ = ["Accumulator"]


class Accumulator:
    """Accumulates evaluations of parts: batches, files, machines.

    Sums are exact, so any split and any order of merging gives the same bits as the whole.
    Per-query values are not kept. Accumulators can be pickled.

    Args:
        measures: See `evaluate`.
        convention: See `evaluate`.
        average: See `evaluate`.
        scale: See `evaluate`.

    Examples:
        >>> import relkit
        >>> one = relkit.Accumulator(["auc", "pnr"])
        >>> one.update_scores([1, 0], [0.9, 0.8])
        >>> two = relkit.Accumulator(["auc", "pnr"])
        >>> two.update_scores([1, 0], [0.7, 0.1])
        >>> one.merge(two)
        >>> one.compute()["auc"]
        0.75
    """

    def __init__(
        self,
        measures: MeasureNames,
        *,
        convention: Convention | str | Mapping[str, Any] | None = None,
        average: Average | None = None,
        scale: Scale | str | None = None,
    ) -> None:
        self.convention = load_convention(convention)
        from relkit.data.scale import load_scale

        self.scale = load_scale(scale)
        self.average = average
        self.measures = parse_measures(measures)
        for one in self.measures:
            held = self.convention.measure_rules((one.name, *one.aliases))
            if one.needs_highest_grade and self.scale is None and "max" not in held:
                raise ParameterError(
                    message(
                        "`{one_name}` needs the highest grade of the whole data, which a single"
                        " part does not have",
                        one_name=one.name,
                    ),
                    hint=message("name it: {one}", one=dataclasses.replace(one, max=3)),  # type: ignore[type-var]
                )
        self._totals = {str(one): _native.Total() for one in self.measures}
        self._runs = False
        self._scores = False

    def update(self, judgments: Any, run: Any) -> None:
        """Adds the queries of one run and its judgments; see `evaluate`."""
        evaluator = Evaluator(judgments, convention=self.convention, scale=self.scale)
        program = Program.compile(self.measures, self.convention, evaluator.scale, self.average)
        program.check_inputs(False)
        _, columns, _ = evaluate_run(evaluator.judgments, program, run, evaluator.threads)
        self._add(columns)
        self._runs = True

    def update_scores(
        self,
        labels: ArrayLike,
        scores: ArrayLike,
        groups: ArrayLike | None = None,
        weights: ArrayLike | None = None,
    ) -> None:
        """Adds labelled scores; see `evaluate_scores`. A query must not be split over calls."""
        rows = grouped_rows(labels, scores, groups, self.scale, weights)
        settings = Settings(
            array_rules(self.convention),
            self.average,
            self.scale,
            otherwise=without_formula(self.convention),
        )
        columns = evaluate_rows(rows, self.measures, settings).columns
        self._add(columns)
        self._scores = True

    def _add(self, columns: Mapping[str, Column]) -> None:
        for name, total in self._totals.items():
            total.merge(columns[name].total)

    def merge(self, other: Accumulator) -> None:
        """Adds the contents of another accumulator.

        Raises:
            ParameterError: If its measures or its convention differ.
        """
        if (
            other.measures != self.measures
            or other.convention != self.convention
            or other.scale != self.scale
        ):
            raise ParameterError(
                "accumulators can be merged only if measures, convention and scale are the same"
            )
        for name, total in self._totals.items():
            total.merge(other._totals[name])
        self._runs |= other._runs
        self._scores |= other._scores

    def compute(self, name: str = "accumulated") -> Results:
        """Returns the measures over everything added so far."""
        rules, otherwise = self.convention, without_formula(self.convention)
        if self._scores and not self._runs:
            rules = array_rules(rules)
        program = Program.compile(
            self.measures, rules, self.scale, self.average, otherwise=otherwise
        )
        columns = {key: kept_column([], total, ([], [])) for key, total in self._totals.items()}
        notes = measure_notes(program, columns)
        return assemble(name, program, None, columns, notes, strict=False)

    def __getstate__(self) -> dict[str, Any]:
        state = dict(self.__dict__)
        state["_totals"] = {name: total.to_bytes() for name, total in self._totals.items()}
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._totals = {
            name: _native.Total.from_bytes(content) for name, content in state["_totals"].items()
        }
