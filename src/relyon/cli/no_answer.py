"""Options and output of commands for questions without an answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import click

from relyon.cli.request import option, request
from relyon.cli.sections import Asked, WithSection
from relyon.cli.shares import SHARE_BELOW_1, SHARE_BETWEEN
from relyon.core.errors import ParameterError, StrictError
from relyon.core.texts import message

if TYPE_CHECKING:
    import polars

    from relyon.analysis.abstention import Abstention
    from relyon.analysis.comparison import Comparison
    from relyon.core.notes import Note
    from relyon.data.run import Run
    from relyon.data.traces import Traces
    from relyon.evaluation import Evaluator
    from relyon.evaluation.side_by_side import SideBySide
    from relyon.io import Source

__all__ = ["NoAnswer", "WithAbstention"]


@request
class NoAnswer(Asked):
    """Which queries have no answer, and how the threshold is chosen from which a run answers."""

    asked_by: ClassVar[str] = "--answerable"
    needs: ClassVar[str] = "cli.answerable-is-for-runs"

    answerable: str | None = option(
        "--answerable",
        metavar="FILE",
        help="A table of queries with a column answerable (true or false, 1 or 0, yes or no): adds"
        " false answers and coverage at a threshold on the top score. It can be the table of the"
        " queries' texts.",
    )
    tune: str | None = option(
        "--threshold-from",
        "tune",
        metavar="FILE",
        help="With --answerable: the same for other queries, on which the threshold is chosen."
        "  [default: each fifth of the queries is reported at the threshold chosen on the others]",
    )
    answer_scores: tuple[str, ...] = option(
        "--answer-score",
        metavar="[RUN=]COLUMN",
        multiple=True,
        help="With --answerable: the column of that table with the confidence of each answer, in"
        " place of the top score; with several runs once per run.",
    )
    target: float | None = option(
        "--target-false-answers",
        "target",
        metavar="SHARE",
        type=SHARE_BELOW_1,
        help="With --answerable: the threshold is the lowest at which at most this share of the"
        " unanswerable queries is answered.  [default: 0.1]",
    )
    cost: float | None = option(
        "--false-answer-cost",
        "cost",
        metavar="COST",
        type=click.FloatRange(0, min_open=True),
        help="With --answerable: the threshold has the least expected cost, if a false answer costs"
        " this and no answer to an answerable query costs 1.",
    )
    threshold: float | None = option(
        "--threshold",
        metavar="SCORE",
        type=float,
        help="With --answerable: a threshold that is given, such as that in use.",
    )
    base_rate: float | None = option(
        "--base-rate",
        metavar="SHARE",
        type=SHARE_BETWEEN,
        help="With --answerable: the share of unanswerable queries where the system is used."
        "  [default: that of the test set]",
    )
    k: int = option(
        "--right-within",
        "k",
        metavar="K",
        type=click.IntRange(min=1),
        default=1,
        show_default=True,
        help="With --answerable: an answer is right if a relevant document is among the first K.",
    )

    def __bool__(self) -> bool:
        return self.answerable is not None

    def __post_init__(self) -> None:
        others = {
            "--threshold-from": self.tune,
            "--answer-score": self.answer_scores or None,
            "--target-false-answers": self.target,
            "--false-answer-cost": self.cost,
            "--threshold": self.threshold,
            "--base-rate": self.base_rate,
        }
        given = [name for name, value in others.items() if value is not None]
        if given and not self:
            raise ParameterError(
                message("cli.needs-answerable", option=given[0]),
                hint=message("cli.add-answerable"),
            )
        rules = [name for name in given if name in list(others)[2:5]]
        if len(rules) > 1:
            raise ParameterError(
                message("analysis.one-rule-of-threshold", names=rules),
                hint=message("analysis.name-one-rule-of-threshold"),
            )
        if self.threshold is not None and self.tune is not None:
            raise ParameterError(message("analysis.threshold-and-tune"))

    @property
    def paths(self) -> list[str]:
        """The files, none of which may be written to."""
        return [path for path in (self.answerable, self.tune) if path is not None]

    def found(
        self, evaluator: Evaluator, runs: Mapping[str, object], **settings: Any
    ) -> Abstention:
        """Returns what the runs do on queries without an answer.

        Args:
            evaluator: The judgments and rules.
            runs: The runs by name, the baseline first.
            **settings: `confidence`, `alpha` and `correction`.
        """
        from relyon.analysis.abstention import AbstentionRules, abstention_of
        from relyon.data.run import Run

        whole = {name: run for name, run in runs.items() if isinstance(run, Run)}
        if len(whole) < len(runs) or evaluator.reference is not None:
            raise ParameterError(
                message("cli.answerable-needs-lists"), hint=message("cli.answerable-is-for-runs")
            )
        return abstention_of(
            evaluator,
            whole,
            self.answerable,
            AbstentionRules(
                self.target, self.cost, self.threshold, self.base_rate, self.k, **settings
            ),
            self.tune,
            self._scores(evaluator, whole),
        )

    def of_comparison(self, comparison: Comparison) -> Abstention | None:
        """Returns it for the runs of a comparison; None if nothing is asked for.

        Args:
            comparison: The comparison, whose settings are used.
        """
        if not self:
            return None
        from relyon.evaluation import Evaluator

        evaluator = Evaluator(
            comparison.judgments,
            convention=comparison.convention,
            scale=comparison.scale,
            threads=comparison.settings.threads,
        )
        settings = comparison.settings
        runs = {name: comparison.run(name) for name in comparison.runs}
        found = self.found(
            evaluator,
            runs,
            confidence=settings.confidence,
            alpha=settings.alpha,
            correction=settings.correction,
            seed=settings.seed,
        )
        comparison.notes = _mended(comparison.notes, found, evaluator, runs)
        return found

    def beside(
        self,
        results: SideBySide,
        seen: Sequence[tuple[Evaluator, str, Run | Traces | Source]],
        confidence: float,
        strict: bool,
    ) -> SideBySide | WithAbstention:
        """Returns results with what their runs do on queries without an answer, if asked for.

        Args:
            results: The evaluations, whose notes then name queries without an answer.
            seen: Each run with its evaluator and name.
            confidence: The level of the intervals.
            strict: Whether warnings are errors.

        Raises:
            StrictError: If they are, and there is one.
        """
        if not self:
            return results
        evaluator = seen[0][0]
        runs = {name: run for _, name, run in seen}
        found = self.found(evaluator, runs, confidence=confidence)
        for one in results.results:
            one.notes = _mended(one.notes, found, evaluator, {one.run: runs[one.run]})
            if strict:
                _refuse_warnings(one.run, [*one.notes, *found.notes])
        # What is compared, `relyon compare` shows.
        return WithAbstention(results, replace(found, contrasts=()))

    def _scores(self, evaluator: Evaluator, runs: Mapping[str, Run]) -> dict[str, dict[str, float]]:
        """Returns the stated confidence of answers, by run and query."""
        from relyon.io.answerable import read_answer_scores

        ids = {*evaluator.judgments.queries}
        ids |= {query for run in runs.values() for query in run.queries}
        found: dict[str, dict[str, float]] = {}
        for text in self.answer_scores:
            name, equals, column = text.rpartition("=")
            if not equals and len(runs) > 1:
                raise ParameterError(
                    message("cli.answer-score-names-no-run", text=text, count=len(runs)),
                    hint=message("cli.write-run-and-column", run=next(iter(runs))),
                )
            run = name if equals else next(iter(runs))
            values: dict[str, float] = {}
            for path in self.paths:
                values |= read_answer_scores(path, column, ids)
            found[run] = values
        return found


class WithAbstention(WithSection):
    """A result, and what its runs do on queries without an answer, in one output."""

    key = "no_answer"

    def part(self, run: str | None) -> dict[str, object]:
        """Returns what the systems do; of a run, what that does."""
        values = super().part(run)
        return values if run is None else {**values, "systems": [self._found.system(run).to_dict()]}

    def frame(self) -> polars.DataFrame:
        """Returns a row per system and number, or per contrast where there are any."""
        frame = super().frame()
        if self._found.contrasts:
            names = {"low": "interval_low", "high": "interval_high"}
            names |= {"baseline_value": "baseline_mean", "candidate_value": "candidate_mean"}
            frame = self._found.contrast_frame().rename(names)
        return frame


def _refuse_warnings(run: str, notes: Sequence[Note]) -> None:
    """Raises warnings as one error.

    Raises:
        StrictError: If there is one.
    """
    warnings = [note for note in notes if note.level == "warning"]
    if warnings:
        raise StrictError(
            message("evaluation.run-notes", run=run, notes=warnings),
            hint=message("evaluation.without-strict"),
        )


def _mended(
    notes: Sequence[Note],
    found: Abstention,
    evaluator: Evaluator,
    runs: Mapping[str, Run | Traces | Source],
) -> tuple[Note, ...]:
    """Returns notes in which queries without an answer are named once."""
    from relyon.analysis.abstention import ranking_notes
    from relyon.data.run import Run

    without = found.unanswerable_queries
    judged = [query for query in without if query in evaluator.judgments]
    return ranking_notes(
        notes,
        judged,
        {
            name: [query for query in without if query in run and query not in judged]
            for name, run in runs.items()
            if isinstance(run, Run)
        },
    )
