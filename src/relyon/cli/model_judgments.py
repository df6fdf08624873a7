"""Options of commands that combine few human grades with a model's for all."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import click

from relyon.cli.request import option, request
from relyon.cli.sections import Asked, WithSection
from relyon.core.errors import InputError, ParameterError
from relyon.core.texts import message

if TYPE_CHECKING:
    from relyon.analysis.comparison import Comparison
    from relyon.analysis.prediction_powered import FewerGrades, Labelled
    from relyon.cli.inputs import Given
    from relyon.core.notes import Note
    from relyon.data.run import Run
    from relyon.data.scale import Scale
    from relyon.evaluation import Evaluator

__all__ = ["ModelJudgments", "WithFewerGrades"]


@request
class ModelJudgments(Asked):
    """A model's grades beside people's, and how the labelled queries were drawn."""

    asked_by: ClassVar[str] = "--model-judgments"
    needs: ClassVar[str] = "cli.model-judgments-are-for-runs"

    model_judgments: str | None = option(
        "--model-judgments",
        metavar="FILE",
        help="A model's judgments of all queries, where JUDGMENTS has people's of some: adds"
        " prediction-powered intervals, from people's grades corrected by the model's. The"
        " labelled queries must be a random sample of all.",
    )
    model_grades: tuple[str, ...] = option(
        "--model-grade",
        "model_grades",
        metavar="MODEL=HUMAN",
        multiple=True,
        help="With --model-judgments: the human grade of a grade of the model, if their scales"
        " differ, such as 1=3; once for each.",
    )
    labelled: Labelled = option(
        "--labelled",
        type=click.Choice(["complete", "judged"]),
        default="complete",
        show_default=True,
        help="With --model-judgments: which queries count as labelled: those with a human grade"
        " for each of the first k documents of every run (k: the measure's cutoff), or those with"
        " any human grade; what is unjudged then counts by the convention.",
    )
    sample_strata: str | None = option(
        "--sample-strata",
        metavar="COLUMN",
        help="With --model-judgments: the column of --queries with the strata, such as tiers, in"
        " each of which the labelled queries are a random sample.",
    )
    sample_weight: str | None = option(
        "--sample-weight",
        metavar="COLUMN",
        help="With --model-judgments: the column of --queries with the weight of each labelled"
        " query, 1 / (the probability that it was drawn).",
    )

    def __bool__(self) -> bool:
        return self.model_judgments is not None

    def __post_init__(self) -> None:
        others = {
            "--model-grade": self.model_grades,
            "--labelled": self.labelled != "complete",
            "--sample-strata": self.sample_strata,
            "--sample-weight": self.sample_weight,
        }
        given = [name for name, value in others.items() if value]
        if given and not self:
            raise ParameterError(
                message("cli.needs-model-judgments", option=given[0]),
                hint=message("cli.add-model-judgments"),
            )

    def mapping(self, scale: Scale | None) -> dict[float, float]:
        """Returns the human grade of each grade of the model.

        Args:
            scale: The scale, whose names are grades, too.

        Raises:
            ParameterError: If one is not MODEL=HUMAN, or a grade is mapped twice.
        """
        found: dict[float, float] = {}
        for text in self.model_grades:
            ends = [_grade(part, scale) for part in text.partition("=")[::2]]
            if any(math.isnan(end) for end in ends) or ends[0] in found:
                raise ParameterError(
                    message("cli.model-grade-is-no-pair", text=text),
                    hint=message("cli.write-model-grade"),
                )
            found[ends[0]] = ends[1]
        return found

    @property
    def paths(self) -> list[str]:
        """The file, which may not be written to."""
        return [] if self.model_judgments is None else [self.model_judgments]

    def found(
        self,
        given: Given,
        people: Evaluator,
        runs: Mapping[str, object],
        measures: Sequence[str],
        **settings: Any,
    ) -> FewerGrades:
        """Returns the means and differences by both kinds of grades.

        Args:
            given: The options of the inputs.
            people: People's judgments and the rules.
            runs: The runs by name, the baseline first.
            measures: The measures; those that are not means over queries are left out.
            **settings: `confidence`, `cluster` and `queries`.
        """
        from relyon.analysis.prediction_powered import LabelledRules, fewer_grades_of
        from relyon.cli.inputs import judgments_argument
        from relyon.data.run import Run

        whole = {name: run for name, run in runs.items() if isinstance(run, Run)}
        if len(whole) < len(runs) or people.reference is not None:
            raise ParameterError(
                message("cli.model-judgments-need-lists"),
                hint=message("cli.model-judgments-are-for-runs"),
            )
        path = str(self.model_judgments)
        columns = given.columns_of("judgments", path)
        option_name = "--judgments-columns"
        model = judgments_argument(path, None, columns, people.scale, option_name)
        rules = LabelledRules(
            self.labelled,
            self.mapping(people.scale),
            self.sample_strata,
            self.sample_weight,
            **settings,
        )
        return fewer_grades_of(people, model, whole, measures, rules, only_means=True)

    def of_comparison(
        self, given: Given, comparison: Comparison, **settings: Any
    ) -> FewerGrades | None:
        """Returns it for the runs of a comparison; None if nothing is asked for.

        Args:
            given: The options of the inputs.
            comparison: The comparison, whose settings are used.
            **settings: `cluster` and `queries`.
        """
        if not self:
            return None
        from relyon.evaluation import Evaluator

        people = Evaluator(
            comparison.judgments,
            convention=comparison.convention,
            scale=comparison.scale,
            threads=comparison.settings.threads,
        )
        runs: dict[str, Run] = {name: comparison.run(name) for name in comparison.runs}
        measures = list(dict.fromkeys(one.measure for one in comparison.contrasts))
        confidence = comparison.settings.confidence
        found = self.found(given, people, runs, measures, confidence=confidence, **settings)
        comparison.notes = _without_graded(comparison.notes, found)
        return found

    def beside(
        self,
        result: Any,
        given: Given,
        seen: Sequence[tuple[Evaluator, str, object]],
        measures: Sequence[str],
        confidence: float,
    ) -> Any:
        """Returns results with the means of their runs by both kinds of grades, if asked for.

        Args:
            result: The results.
            given: The options of the inputs.
            seen: Each run with its evaluator and name.
            measures: The measures.
            confidence: The level of the intervals.
        """
        if not self:
            return result
        runs = {name: run for _, name, run in seen}
        found = self.found(given, seen[0][0], runs, measures, confidence=confidence)
        for one in getattr(result, "results", ()):
            one.notes = _without_graded(one.notes, found)
        # Differences are shown by `relyon compare`.
        own = tuple(one for one in found.means if not one.baseline)
        return WithFewerGrades(result, replace(found, means=own))


class WithFewerGrades(WithSection):
    """A result, and its means by few human grades and a model's, in one output."""

    key = "fewer_grades"

    def part(self, run: str | None) -> dict[str, object]:
        """Returns all means; of a run, its own."""
        own = [one.to_dict() for one in self._found.means if run in (None, one.run)]
        return {**super().part(run), "means": own}


def _without_graded(notes: Sequence[Note], found: FewerGrades) -> tuple[Note, ...]:
    """Returns notes without those on queries without people's grades that the model graded."""
    graded = found.model_queries
    return tuple(
        note
        for note in notes
        if note.kind != "unjudged-queries" or not all(one in graded for one in note.examples)
    )


def _grade(text: str, scale: Scale | None) -> float:
    """Returns a finite number, or the grade of a name; NaN for other texts."""
    try:
        number = float(text)
    except ValueError:
        try:
            return math.nan if scale is None else scale.parse(text)
        except InputError:
            return math.nan
    return number if math.isfinite(number) else math.nan
