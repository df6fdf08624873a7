"""The result: measures, judged shares and power at each cutoff."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from relyon.analysis.comparison.contrast import Verdict
from relyon.analysis.depth.advice import Advice
from relyon.analysis.depth.clicks import LastClicks
from relyon.analysis.depth.sensitivity import QueriesNeeded
from relyon.core.document.exportable import Exportable
from relyon.core.document.json import json_number, note_dict
from relyon.core.document.model import Block, Cell, Document, Lines, Points, Table
from relyon.core.language import Language
from relyon.core.notes import Note
from relyon.core.texts import DIGITS, TERMINAL, Catalogue, NumberStyle, catalogue
from relyon.data.convention import Convention
from relyon.measures.display_names import convention_line, prose_label

if TYPE_CHECKING:
    import polars

__all__ = ["Depth", "DepthRow"]


@dataclass(frozen=True)
class DepthRow:
    """One measure of one run at one cutoff.

    Attributes:
        k: The cutoff.
        measure: The measure with it, such as `ndcg@10`.
        run: The run's name.
        value: The run's number, as `relyon.evaluate` computes it.
        judged: Share of the first k that is judged.
        reach: Share of the queries for which the run returns k documents or more.
        paired: Queries behind the comparison with the first run; 0 for that run itself.
        difference: The value minus the first run's, over those queries; NaN for that run itself,
            as are the following.
        p: Two-sided p-value of the paired t test, not corrected.
        p_adjusted: The same, corrected by Holm for all tests of the result: measures x cutoffs x
            candidates.
        verdict: `better` or `worse` if `p_adjusted` is at most alpha and there are six queries or
            more, else `undecided`; `described` for the first run, and for a measure of the data.
        detectable: The smallest difference that this many queries detect with a power of 0.8.
        detectable_share: The same as a share of the first run's value.
        deviation_share: Standard deviation of the differences as a share of the first run's value:
            the queries that a relative difference needs grow with its square.
    """

    k: int
    measure: str
    run: str
    value: float
    judged: float
    reach: float
    paired: int
    difference: float
    p: float
    p_adjusted: float
    verdict: Verdict
    detectable: float
    detectable_share: float
    deviation_share: float

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values: NaN becomes null."""
        return {
            name: json_number(value) if isinstance(value, float) else value
            for name, value in asdict(self).items()
        }


@dataclass(frozen=True)
class Depth(Exportable):
    """How measures, and the power to distinguish runs, grow with the cutoff.

    Attributes:
        runs: The names of the runs; the first is the baseline.
        cutoffs: The cutoffs K, ascending.
        measures: The measures without a cutoff.
        rows: One per measure, cutoff and run, in this order.
        queries: Number of queries.
        deepest: Length of the longest list.
        clicks: Where users stop; `None` if not given.
        alpha: Significance level.
        needs: Per measure and candidate: the pair of cutoffs that differ most clearly in the
            number of queries they need.
        convention: The rules.
        definitions: The measures at the largest cutoff, with all parameters filled in.
        notes: Notes about the data.
        advice: Advice on the choice of K, the most important first.

    Examples:
        >>> import relyon
        >>> judgments = {"q": {"a": 1, "b": 1}}
        >>> found = relyon.depth(judgments, {"q": {"a": 2.0, "b": 1.0}}, measures=["recall"])
        >>> [row.value for row in found.rows]
        [0.5, 1.0]
        >>> found.advice[0].kind
        'recall-full'
    """

    runs: tuple[str, ...]
    cutoffs: tuple[int, ...]
    measures: tuple[str, ...]
    rows: tuple[DepthRow, ...]
    queries: int
    deepest: int
    clicks: LastClicks | None
    alpha: float
    convention: Convention
    needs: tuple[QueriesNeeded, ...] = ()
    definitions: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()
    advice: tuple[Advice, ...] = ()

    @property
    def tests(self) -> int:
        """How many tests the p-values are corrected for."""
        return sum(not math.isnan(row.p) for row in self.rows)

    @cached_property
    def _series(self) -> Mapping[tuple[str, str], Mapping[int, DepthRow]]:
        found: dict[tuple[str, str], dict[int, DepthRow]] = {}
        each = len(self.cutoffs) * len(self.runs)
        for place, row in enumerate(self.rows):
            found.setdefault((self.measures[place // each], row.run), {})[row.k] = row
        return found

    def series(self, measure: str, run: str) -> Mapping[int, DepthRow]:
        """Returns the rows of one measure of `measures` and one run, by cutoff.

        Raises:
            KeyError: If the measure or run is unknown.
        """
        return self._series[measure, run]

    def at(self, k: int) -> list[DepthRow]:
        """Returns the rows of one cutoff."""
        return [row for row in self.rows if row.k == k]

    def label(self, measure: str) -> str:
        """Returns the prose name of one measure of `measures`: `NDCG@K`."""
        row = self.series(measure, self.runs[0])[self.cutoffs[0]]
        return f"{prose_label(row.measure).rpartition('@')[0]}@K"

    def document(self, *, digits: int = DIGITS, language: Language = "en") -> Document:
        """Returns a table of the share seen and judged, one per measure, and the advice.

        Args:
            digits: Decimals.
            language: `en` or `zh`.
        """
        words = catalogue("depth", language)
        blocks: list[Block] = list(self.tables(words, TERMINAL, digits))
        if self.advice:
            blocks.append(Points([one.sentence(language) for one in self.advice]))
        notes = [self.legend(language)] if self.tests else []
        last = [row.measure for row in self.at(self.cutoffs[-1])]
        line = convention_line(
            self.convention,
            list(dict.fromkeys(last)),
            definitions=self.definitions,
            language=language,
        )
        blocks.append(Lines([*notes, line]))
        return Document(blocks, self.title(language))

    def legend(self, language: Language = "en") -> str:
        """Returns the meaning of the marks and columns of the tests."""
        words = catalogue("depth", language)
        values = {"alpha": f"{self.alpha:g}", "tests": self.tests}
        return words.say("tested" if self.tests > 1 else "tested_once", **values)

    def title(self, language: Language = "en") -> str:
        """Returns the measures and the number of queries."""
        words = catalogue("depth", language)
        labels = [self.label(one) for one in self.measures]
        return words.say("title", measures=labels, runs=len(self.runs), queries=self.queries)

    def tables(
        self, words: Catalogue, style: NumberStyle = TERMINAL, digits: int = DIGITS
    ) -> list[Table]:
        """Returns the tables: the share seen and judged, then each measure."""
        found = [self.coverage_table(words, style)]
        for measure in self.measures:
            found += self.measure_tables(measure, words, style, digits)
        return found

    def coverage_table(self, words: Catalogue, style: NumberStyle = TERMINAL) -> Table:
        """Returns the share that users see, and the share judged, at each cutoff."""
        headings = ["K"]
        columns = [[str(k) for k in self.cutoffs]]
        if self.clicks is not None:
            headings.append(words["column.clicks"])
            columns.append([style.part(self.clicks.share(k)) for k in self.cutoffs])
            if self.clicks.shown:
                headings.append(words["column.shown"])
                columns.append([style.part(self.clicks.shown_share(k)) for k in self.cutoffs])
        for run in self.runs:
            headings.append(run if len(self.runs) > 1 else words["column.judged"])
            rows = self.series(self.measures[0], run)
            columns.append([style.part(rows[k].judged) for k in self.cutoffs])
        caption = words["caption.coverage" if self.clicks is not None else "caption.judged"]
        return Table(headings, list(zip(*columns, strict=True)), caption)

    def measure_tables(
        self, measure: str, words: Catalogue, style: NumberStyle = TERMINAL, digits: int = DIGITS
    ) -> list[Table]:
        """Returns the values of one measure, and each candidate's comparison with the first run."""
        label = self.label(measure)
        columns = [one for one in COMPARED if one != "corrected" or self.tests > 1]
        compared = words.names("column", columns)
        headings = ["K", *self.runs]
        series = [self.series(measure, run) for run in self.runs]
        rows: list[list[Cell | str]] = [
            [str(k), *(style.number(one[k].value, digits) for one in series)] for k in self.cutoffs
        ]
        if len(self.runs) != 2:
            tables = [Table(headings, rows, label)]
            for run, one in zip(self.runs[1:], series[1:], strict=True):
                caption = words.say(
                    "caption.against", measure=label, run=run, baseline=self.runs[0]
                )
                more = [[str(k), *_compared(one[k], columns, style, digits)] for k in self.cutoffs]
                tables.append(Table(["K", *compared], more, caption))
            return tables
        both = [
            [*row, *_compared(series[1][k], columns, style, digits)]
            for row, k in zip(rows, self.cutoffs, strict=True)
        ]
        return [Table([*headings, *compared], both, label)]

    def to_frame(self) -> polars.DataFrame:
        """Returns one row per measure, cutoff and run; `clicks` and `shown` with last clicks."""
        import polars

        rows = []
        for row in self.rows:
            more = {} if self.clicks is None else self._seen(row.k)
            rows.append(asdict(row) | more)
        floats = {name: polars.Float64 for name in FLOATS if name in rows[0]}
        return polars.DataFrame(rows, infer_schema_length=None, schema_overrides=floats).fill_nan(
            None
        )

    def _seen(self, k: int) -> dict[str, float]:
        if self.clicks is None:
            return {}
        return {"clicks": self.clicks.share(k), "shown": self.clicks.shown_share(k)}

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values."""
        return {
            "runs": list(self.runs),
            "measures": list(self.measures),
            "cutoffs": list(self.cutoffs),
            "queries": self.queries,
            "deepest": self.deepest,
            "alpha": self.alpha,
            "clicks": None
            if self.clicks is None
            else {
                "sessions": self.clicks.sessions or None,
                "clicked": self.clicks.clicked,
                "at": [
                    {"k": k, **{name: json_number(one) for name, one in self._seen(k).items()}}
                    for k in self.cutoffs
                ],
            },
            "tests": self.tests,
            "rows": [row.to_dict() for row in self.rows],
            "needs": [one.to_dict() for one in self.needs],
            "advice": [one.to_dict() for one in self.advice],
            "convention": self.convention.to_dict(),
            "notes": [note_dict(note) for note in self.notes],
        }


COMPARED = ("difference", "p", "corrected", "detectable", "share")
MARKS = {"better": "▲", "worse": "▼"}
FLOATS = (
    "value",
    "judged",
    "reach",
    "difference",
    "p",
    "p_adjusted",
    "detectable",
    "detectable_share",
    "deviation_share",
    "clicks",
    "shown",
)


def _compared(
    row: DepthRow, columns: Sequence[str], style: NumberStyle, digits: int
) -> list[Cell | str]:
    """Returns a comparison as cells of some of the columns `COMPARED`."""
    share = row.detectable_share
    cells: dict[str, Cell | str] = {
        "difference": Cell(
            style.signed(row.difference, digits), tone=row.verdict, mark=MARKS.get(row.verdict, "")
        ),
        "p": style.p_value(row.p, digits),
        "corrected": style.p_value(row.p_adjusted, digits),
        "detectable": style.number(row.detectable, digits),
        "share": style.nothing if math.isnan(share) else style.short_percent(share),
    }
    return [cells[name] for name in columns]
