"""The results of several runs in one table."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from relyon.core.document.exportable import Exportable
from relyon.core.document.json import json_number
from relyon.core.document.terminal import COLUMNS, render_text
from relyon.core.notes import shared_notes
from relyon.core.texts import Language
from relyon.core.texts.numbers import DIGITS
from relyon.evaluation.measure_tables import (
    csv_rows,
    results_document,
    results_latex,
    rules_line,
    summary_columns,
)
from relyon.io.excel_export import ExcelExport

if TYPE_CHECKING:
    import polars

    from relyon.core.document.model import Document
    from relyon.evaluation.results import Results

__all__ = ["SideBySide"]


class SideBySide(Exportable, ExcelExport):
    """Results of several runs with the same measures and rules.

    Attributes:
        results: One per run.

    Examples:
        >>> import relyon
        >>> judgments = {"q": {"a": 1}}
        >>> runs = {"old": {"q": {"b": 2.0, "a": 1.0}}, "new": {"q": {"a": 1.0}}}
        >>> results = [relyon.evaluate(judgments, runs[name], "rr", name=name) for name in runs]
        >>> print(SideBySide(results).to_text(rules=False))
        measure     old     new
        ───────  ──────  ──────
        rr       0.5000  1.0000
    """

    def __init__(self, results: Sequence[Results]) -> None:
        self.results = tuple(results)

    @property
    def rules(self) -> str:
        """The convention in one line."""
        return rules_line(self.results[0])

    def document(
        self,
        *,
        per_query: bool = False,
        digits: int = DIGITS,
        rules: bool = True,
        language: Language = "en",
        columns: int = COLUMNS,
    ) -> Document:
        """Returns one run with its counts, or several in columns.

        Args:
            per_query: Adds a table of queries before it.
            digits: Decimals.
            rules: Adds the convention below it.
            language: `en` or `zh`.
            columns: Line width; if several runs do not fit in columns, they become rows.
        """
        return results_document(
            self.results,
            per_query=per_query,
            digits=digits,
            rules=rules,
            language=language,
            columns=columns,
        )

    def to_text(self, *values: object, columns: int | None = COLUMNS, **options: object) -> str:
        """Returns text for the terminal; runs that do not fit in columns become rows.

        Args:
            *values: See `document`.
            columns: Maximum line width in terminal columns; `None` does not limit tables.
            **options: See `document`.
        """
        document: Callable[..., Document] = self.document
        return render_text(document(*values, columns=columns or COLUMNS, **options), columns)

    def to_latex(self, *, digits: int = DIGITS, language: Language = "en") -> str:
        """Returns a LaTeX table for the package booktabs: runs by measures.

        Args:
            digits: Decimals.
            language: `en` or `zh`.
        """
        return results_latex(self.results, digits=digits, language=language)

    def to_dict(self, *, per_query: bool = False) -> dict[str, object]:
        """Returns the `to_dict` of each run by its name."""
        return {one.run: one.to_dict(per_query=per_query) for one in self.results}

    def to_json(self, *, per_query: bool = False) -> str:
        """Returns one JSON object per run."""
        return "\n".join(one.to_json(per_query=per_query) for one in self.results)

    def to_jsonl(self, *, per_query: bool = False) -> str:
        """Returns JSON Lines: with `per_query` one per query, then one per run."""
        import json

        lines = []
        for run in self.results:
            if per_query:
                for query, values in run.rows():
                    measures = dict(zip(run.entries, map(json_number, values), strict=True))
                    record = {"run": run.run, "query": query, "measures": measures}
                    lines.append(json.dumps(record, ensure_ascii=False))
            lines.append(json.dumps(run.to_dict(), ensure_ascii=False))
        return "\n".join(lines)

    def to_frame(self, *, per_query: bool = False) -> polars.DataFrame:
        """Returns one row per run and measure, or per run and query with a column per measure."""
        import polars

        if not per_query:
            return polars.DataFrame(summary_columns(self.results), infer_schema_length=None)
        return polars.concat(
            one.per_query.select(polars.lit(one.run).alias("run"), polars.all())
            for one in self.results
        )

    def excel_frames(self) -> dict[str, polars.DataFrame]:
        """Returns the sheets of `to_excel`."""
        return {"summary": self.to_frame(), "per_query": self.to_frame(per_query=True)}

    def excel_notes(self, language: Language) -> list[str]:
        """Returns the convention, and the notes of each run."""
        notes = shared_notes((one.run, one.notes) for one in self.results)
        return [rules_line(self.results[0], language), *(note.text(language) for note in notes)]

    def to_csv(self, *, per_query: bool = False) -> str:
        """Returns CSV: one row per run and measure, or per run, query and measure."""
        from relyon.core.cells import csv_text

        return csv_text(csv_rows(self.results, per_query)).rstrip("\n")

    def to_trec(
        self,
        *,
        per_query: bool = False,
        digits: int = DIGITS,
        header: Sequence[Sequence[tuple[str, str]]] = (),
    ) -> str:
        """Returns trec_eval's output: name padded to 22, tab, query or `all`, tab, value.

        For several runs a fourth column names the run; programs that read the first three still
        work.

        Args:
            per_query: Adds per-query values before the averages, sorted by query.
            digits: Decimals.
            header: For each run, names and texts before its averages.
        """
        from relyon.evaluation.trec_output import trec_lines

        lines: list[str] = []
        for place, run in enumerate(self.results):
            block = trec_lines(run, per_query, digits, header[place] if header else ())
            if len(self.results) > 1:
                name = re.sub(r"[\t\r\n]+", " ", run.run)
                lines += [f"{line}\t{name}" for line in block]
            else:
                lines += block
        return "\n".join(lines)
