"""Every candidate against the baseline on every measure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from typing import TYPE_CHECKING

from relyon.analysis.comparison.breakdowns.breakdown import breakdown_frame
from relyon.analysis.comparison.contrast import Contrast
from relyon.analysis.comparison.contrast_tables import comparison_document, query_rows
from relyon.analysis.comparison.decision import JUDGED, decide
from relyon.analysis.comparison.paired_runs import PairedRuns
from relyon.analysis.comparison.pairing import Sample
from relyon.analysis.comparison.plans.query_plan import POWERS, QueryPlan, plan_queries
from relyon.analysis.comparison.query_facts import QueryFacts
from relyon.analysis.comparison.repeats.systems import System, system_notes
from relyon.analysis.comparison.runs import Progress
from relyon.analysis.comparison.settings import Settings
from relyon.analysis.comparison.tracking import tracked_comparison
from relyon.core.document.exportable import Exportable
from relyon.core.document.json import json_values, note_dict
from relyon.core.errors import ParameterError, UnknownNameError
from relyon.core.notes import Note, warn
from relyon.core.registry import suggestion
from relyon.core.texts import Language, message
from relyon.core.texts.numbers import DIGITS
from relyon.data.convention import Convention
from relyon.data.judgments import Judgments
from relyon.data.run import Run
from relyon.evaluation import Evaluator, MeasureNames
from relyon.evaluation.results import Results
from relyon.io.descriptions import described
from relyon.io.excel_export import ExcelExport
from relyon.io.plotted import Plotted
from relyon.io.traces import read_lists
from relyon.io.tracked import Tracked, TrackedContent
from relyon.measures.display_names import convention_line
from relyon.measures.fingerprint import definition_fingerprint
from relyon.measures.parser import measures as parse_measures

if TYPE_CHECKING:
    import polars

    from relyon.analysis.comparison.summaries.summary import Commands, Gate
    from relyon.core.document.model import Document
    from relyon.data.scale import Scale
    from relyon.data.traces import Traces

__all__ = ["Comparison"]


class Comparison(PairedRuns, Exportable, ExcelExport, Plotted, Tracked):
    """Candidates against a baseline, paired by query.

    Attributes:
        baseline: The name of the baseline run.
        candidates: The names of the other runs.
        measures: The measures' names.
        tested: The tested measures: all except measures of the data, such as `judged@10`, which are
            shown without a p-value and do not count in the correction.
        contrasts: One per candidate and measure, candidate by candidate.
        pairs: For more than two runs: every pair of runs and measure, by the randomised Tukey
            HSD test.
        results: The evaluations, the baseline's first; empty if only values were given. Of a system
            with several runs that of its first run.
        systems: The runs of each system, if one has several; else empty.
        settings: Test, interval, correction, alpha, confidence, resamples, seed, margins.
        facts: Clusters of the queries, and columns to break the differences down by.
        convention: The rules of the evaluations, `None` if only values were given.
        scale: The grade scale, if there is one.
        judgments: The judgments, `None` if only results or values were given.
        breakdowns: The comparison broken down by each of the columns asked for.
        notes: Notes about the data.
        query_texts: Query texts by id; `None` until `described` adds it.

    Examples:
        >>> import relyon
        >>> judgments = {f"q{n}": {"good": 1, "bad": 0} for n in range(20)}
        >>> old = {q: {"good": 1.0, "bad": 2.0} for q in judgments}
        >>> new = {q: {"good": 2.0, "bad": 1.0} for q in judgments} | {"q0": old["q0"]}
        >>> comparison = relyon.compare(judgments, old, new, "rr")
        >>> contrast = comparison.contrast("run 2", "rr")
        >>> round(contrast.difference, 3), contrast.wins, contrast.ties, contrast.verdict
        (0.475, 19, 1, 'better')
    """

    def __init__(
        self,
        names: Sequence[str],
        samples: Mapping[str, Sequence[Sample]],
        settings: Settings,
        *,
        facts: QueryFacts | None = None,
        systems: Sequence[System] = (),
        results: Sequence[Results] = (),
        convention: Convention | None = None,
        scale: Scale | None = None,
        judgments: Judgments | None = None,
        sources: Sequence[object] = (),
        notes: Sequence[Note] = (),
        progress: Progress | None = None,
    ) -> None:
        definitions = {
            name: entry.definition for one in results[:1] for name, entry in one.entries.items()
        }
        super().__init__(
            names, samples, settings, definitions, convention, facts or QueryFacts(), progress
        )
        self.systems = tuple(systems)
        self.results = tuple(results)
        self.scale = scale
        self.judgments = judgments
        self._sources = dict(zip(names, sources, strict=False))
        self._measured: dict[str, list[Results]] = {name: [] for name in names}
        self._further: dict[str, Callable[[], Results]] = {}
        found = [*self._notes(), *system_notes(self.systems, self.contrasts)]
        self.notes = (*notes, *found)
        warn(found)

    # -- look-ups ----------------------------------------------------------------------------

    @property
    def test(self) -> str:
        """The deciding test."""
        return self.settings.test

    @property
    def correction(self) -> str:
        """The correction for several comparisons."""
        return self.settings.correction

    @property
    def alpha(self) -> float:
        """The level of the tests."""
        return self.settings.alpha

    @property
    def confidence(self) -> float:
        """The level of the intervals."""
        return self.settings.confidence

    def regressions(self, measure: str | None = None) -> tuple[Contrast, ...]:
        """Returns the contrasts in which a candidate is significantly worse.

        Args:
            measure: Restricts them to one measure.

        Raises:
            UnknownNameError: If the measure was not compared.
        """
        names = self.measures if measure is None else (self._measure(measure),)
        worse = (one for one in self.contrasts if one.verdict == "worse")
        return tuple(one for one in worse if one.measure in names)

    def lists(self, name: str) -> Run | Traces:
        """Returns one of the whole runs, or traces; a file is read on first use.

        Of a system with several runs, the first one.

        Raises:
            UnknownNameError: If no run has the name.
            ParameterError: If results or values were compared, not runs.
        """
        if name not in self.runs:
            raise UnknownNameError(
                message("analysis.no-run", name=name), hint=suggestion(name, list(self.runs))
            )
        if name not in self._sources:
            raise ParameterError(
                message("analysis.only-values-were-compared"),
                hint=message("analysis.compare-judgments-and-runs"),
            )
        found = self._sources[name] = read_lists(self._sources[name])
        return found

    def run(self, name: str) -> Run:
        """Returns what `lists` does; traces with one call per task as a run.

        Raises:
            InputError: If a task of traces has several calls.
        """
        found = self.lists(name)
        return found if isinstance(found, Run) else found.run()

    @property
    def of_tasks(self) -> bool:
        """Whether traces with several calls of a task are compared."""
        found = [] if self.judgments is None else [self.lists(name) for name in self._sources]
        return any(not isinstance(one, Run) and one.most_calls > 1 for one in found)

    def measured(self, name: str, measures: MeasureNames) -> Results:
        """Returns further measures of one of the runs, under the rules of the comparison.

        Results are cached: request all measures of a run at once, before subsets of them.

        Args:
            name: The run.
            measures: One or more measures; the results may contain others.

        Raises:
            UnknownNameError: If no run has the name.
            ParameterError: If results or values were compared, not runs.

        Examples:
            >>> import relyon
            >>> old, new = {"q": {"b": 2.0, "a": 1.0}}, {"q": {"a": 1.0}}
            >>> names = ["old", "new"]
            >>> comparison = relyon.compare({"q": {"a": 1}}, old, new, "ndcg", names=names)
            >>> comparison.measured("old", ["rr", "recall@1"])["rr"]
            0.5
        """
        asked = parse_measures(measures)
        known = self._measured.get(name, [])
        if name in self._further:
            known.append(self._further.pop(name)())
        found = next((one for one in known if all(map(one.__contains__, asked))), None)
        if found is None:
            run = self.lists(name)
            evaluator = Evaluator(
                self.judgments,
                convention=self.convention,
                scale=self.scale,
                threads=self.settings.threads,
            )
            found = evaluator.evaluate(run, asked, name=name)
            known.append(found)
        return found

    def judged_share(self, name: str) -> float:
        """Returns the mean judged share of a run's first documents; NaN if it is unknown."""
        known = self.judgments is None or name in self.judged_shares
        return super().judged_share(name) if known else self.measured(name, JUDGED)[JUDGED]

    def keep_further(self, found: Mapping[str, Callable[[], Results]]) -> None:
        """Keeps further measures of each run, which are not compared, for `measured`.

        Args:
            found: By run: returns the results.
        """
        self._further = dict(found)

    def plan(
        self,
        differences: Sequence[float | str] | None = None,
        *,
        powers: Sequence[float] = POWERS,
        repeat_cost: float | None = None,
    ) -> QueryPlan:
        """Returns how many queries to grade to detect a difference.

        From the standard deviation of these runs' differences, at this comparison's significance
        level divided by its number of comparisons.

        Args:
            differences: Numbers, or shares of the baseline's number such as "2%".
            powers: The probabilities of detecting the difference.
            repeat_cost: Of systems with repeated runs: what running one query once more costs,
                relative to grading one more query; names the cheapest number of runs.

        Raises:
            ParameterError: If a difference is not above 0, or a power is not between 0 and 1.
        """
        return plan_queries(self, differences, powers=powers, repeat_cost=repeat_cost)

    def described(self, query_texts: object) -> Comparison:
        """Returns a copy with query texts next to the ids.

        Its tables, `relyon.diagnose` and `relyon.write_report` then show the texts.

        Args:
            query_texts: A mapping from ids to texts, a frame, or a CSV, TSV, JSON Lines or Parquet
                file with a column of ids and one of texts.

        Raises:
            InputError: If the table cannot be read, or has no column of ids or texts.
            ParameterError: If something else is given.
        """
        found = copy(self)
        found.query_texts = described(query_texts, "query", self.queries)
        return found

    # -- as text and tables --------------------------------------------------------------------

    def to_dict(self, *, per_query: bool = False) -> dict[str, object]:
        """Returns the object that ``--format json`` prints; `per_query` adds the differences."""
        return {
            "baseline": self.baseline,
            "candidates": list(self.candidates),
            "measures": list(self.measures),
            "contrasts": [self._contrast_dict(one) for one in self.contrasts],
            "decision": [decide(self, name).to_dict() for name in self.candidates],
            "pairs": [one.to_dict() for one in self.pairs],
            **self._breakdown_dicts(),
            **self._systems_dict(),
            **self.settings.to_dict(),
            "convention": None if self.convention is None else self.convention.to_dict(),
            **self._inputs_dict(),
            "notes": [note_dict(note) for note in self.notes],
            **(self._query_dict() if per_query else {}),
        }

    def _systems_dict(self) -> dict[str, object]:
        """Returns the names of each system's runs, if a system has several."""
        found = {one.name: list(one.runs) for one in self.systems}
        return {"systems": found} if found else {}

    def _query_dict(self) -> dict[str, object]:
        """Returns the differences by candidate, measure and query, and the queries' texts."""
        deltas = {
            candidate: {name: json_values(self.deltas(candidate, name)) for name in self.measures}
            for candidate in self.candidates
        }
        texts = self.query_texts
        return {"per_query": deltas} | ({} if texts is None else {"query_texts": dict(texts)})

    def _breakdown_dicts(self) -> dict[str, object]:
        found = [one.to_dict() for one in self.breakdowns]
        return {"breakdowns": found} if found else {}

    def _inputs_dict(self) -> dict[str, object]:
        """Returns the fingerprints of what each run was measured with, as far as they are known."""
        known = {
            name: one.inputs.to_dict()
            for name, one in zip(self.runs, self.results, strict=False)
            if one.inputs is not None
        }
        return {"inputs": known} if known else {}

    def _contrast_dict(self, one: Contrast) -> dict[str, object]:
        """Returns a contrast with the fingerprint of its numbers, if their rules are known."""
        values = one.to_dict()
        if self.convention is not None and one.definition:
            found = definition_fingerprint(one.definition, self.convention, one.average)
            values["fingerprint"] = found
        return values

    def to_frame(self) -> polars.DataFrame:
        """Returns one row per contrast and one column per number."""
        import polars

        return polars.DataFrame([one.to_row() for one in self.contrasts], infer_schema_length=None)

    def excel_frames(self) -> dict[str, polars.DataFrame]:
        """Returns the sheets of `to_excel`: contrasts, every query, and breakdowns if there are."""
        import polars

        names, *rows = query_rows(self)
        queries = polars.DataFrame(rows, [str(name) for name in names], orient="row")
        found = {"summary": self.to_frame(), "per_query": queries}
        values = [row for one in self.breakdowns for row in one.to_rows()]
        more = {"breakdowns": polars.DataFrame(values, infer_schema_length=None)} if values else {}
        return found | more

    def excel_notes(self, language: Language) -> list[str]:
        """Returns the convention, if it is known, and the notes."""
        notes = [note.text(language) for note in self.notes]
        if self.convention is None:
            return notes
        line = convention_line(
            self.convention, self.measures, definitions=self.definitions, language=language
        )
        return [line, *notes]

    def tracked_content(self) -> TrackedContent:
        """Returns what `log` logs: the numbers, verdicts and rules of every contrast."""
        return tracked_comparison(self, self.results)

    def document(
        self, *, digits: int = DIGITS, per_query: bool = False, language: Language = "en"
    ) -> Document:
        """Returns every candidate's contrasts, with a legend.

        Args:
            digits: Decimals.
            per_query: Adds a table of per-query differences before the others.
            language: `en` or `zh`.
        """
        return comparison_document(self, digits=digits, per_query=per_query, language=language)

    def to_markdown(
        self, *, digits: int = DIGITS, per_query: bool = False, language: Language = "en"
    ) -> str:
        """Returns Markdown tables: runs by measures, then the contrasts."""
        from relyon.core.document.markdown import render_markdown

        found = comparison_document(
            self, digits=digits, per_query=per_query, overview=True, language=language
        )
        return render_markdown(found)

    def to_summary(
        self,
        *,
        gate: Gate | None = None,
        commands: Commands | None = None,
        title: str = "",
        language: Language = "en",
    ) -> str:
        """Returns Markdown for a pull request, the verdict first, of at most 65,536 characters.

        Texts of queries and names in it cannot mention anybody, link, or format.

        Args:
            gate: What a gate checked, and why it fails; without it the first tested measure
                comes first.
            commands: Commands for a reader to run.
            title: What is compared, if there are several such comments.
            language: `en` or `zh`.

        Examples:
            >>> import relyon
            >>> judgments = {f"q{n}": {"good": 1, "bad": 0} for n in range(8)}
            >>> old = {q: {"good": 2.0, "bad": 1.0} for q in judgments}
            >>> new = {q: {"good": 1.0, "bad": 2.0} for q in judgments} | {"q0": old["q0"]}
            >>> summary = relyon.compare(judgments, old, new, "rr").to_summary()
            >>> print(summary.splitlines()[0])
            ### ❌ worse: rr 1.0000 → 0.5625 (−0.4375 [−0.5853, −0.2897])
        """
        from relyon.analysis.comparison.summaries.summary import comparison_summary

        return comparison_summary(
            self, self.notes, gate=gate, commands=commands, title=title, language=language
        )

    def to_latex(self, *, digits: int = DIGITS, language: Language = "en") -> str:
        """Returns a LaTeX table (booktabs): runs by measures, the best in bold."""
        from relyon.analysis.comparison.matrix import latex

        return latex(self, digits=digits, language=language)

    def to_csv(self, *, per_query: bool = False) -> str:
        """Returns CSV: one row per contrast, or per candidate, query and measure.

        With breakdowns, the contrasts of all queries come first, then those of each value, with
        the columns `column`, `kind`, `value`, `values`, `few` and `shrunken`.
        """
        from relyon.core.cells import csv_frame, csv_text

        if not per_query and self.breakdowns:
            return csv_frame(breakdown_frame(self.contrasts, self.breakdowns)).rstrip("\n")
        if not per_query:
            return super().to_csv()
        return csv_text(query_rows(self)).rstrip("\n")

    def __repr__(self) -> str:
        candidates = ", ".join(map(repr, self.candidates))
        return f"Comparison({self.baseline!r} with {candidates}: {', '.join(self.measures)})"
