"""The results of an evaluation: values, the number of queries behind them, and the rules."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Generic, NoReturn, TypeVar

from relyon.core.document.exportable import Exportable
from relyon.core.document.json import note_dict
from relyon.core.document.model import Document, Points
from relyon.core.errors import InputError, ParameterError, UnknownNameError
from relyon.core.lessons import with_lessons
from relyon.core.notes import Note
from relyon.core.texts import Language, message
from relyon.core.texts.numbers import DIGITS
from relyon.data.convention import Convention
from relyon.data.input_fingerprints import InputFingerprints
from relyon.evaluation.entry import Entry
from relyon.evaluation.measure_tables import (
    csv_rows,
    results_document,
    results_latex,
    rules_line,
    summary_columns,
)
from relyon.evaluation.stored_values import stored_values
from relyon.io.excel_export import ExcelExport
from relyon.io.plotted import Plotted
from relyon.io.tracked import Tracked, TrackedContent, tracked_rules
from relyon.measures.definition import Measure
from relyon.measures.parser import measure as parse_measure

if TYPE_CHECKING:
    import polars
    from numpy import float64
    from numpy.typing import ArrayLike, NDArray

__all__ = ["Parts", "Pool", "Results"]

T = TypeVar("T")

#: Numerators and denominators of one measure, query by query.
Parts = tuple["Sequence[float] | NDArray[float64]", "Sequence[float] | NDArray[float64]"]
#: Scores of positives and of negatives of all queries, then a query's index and its counts.
Pool = tuple["ArrayLike", "ArrayLike", list[int], list[int], list[int]]


@dataclass(frozen=True)
class _Kept(Generic[T]):
    """Returns a value that was computed before."""

    value: T

    def __call__(self) -> T:
        return self.value


@dataclass(frozen=True)
class Absent:
    """Raises an error: what is asked for was not stored.

    Attributes:
        said: What is missing, where, and what to do.
    """

    said: tuple[str, str, str]

    def __call__(self) -> NoReturn:
        sentence, path, hint = self.said
        raise InputError(sentence, path=path, hint=hint)


class Results(Exportable, ExcelExport, Plotted, Tracked, Mapping[str, float]):
    """The measures of one run: a mapping from measure names to numbers.

    Attributes:
        run: The run's name.
        entries: Everything known about each measure, by its canonical name.
        convention: The rules behind the numbers.
        notes: Notes about the data.

    Examples:
        >>> import relyon
        >>> results = relyon.evaluate({"q": {"a": 1}}, {"q": {"b": 2.0, "a": 1.0}}, ["rr@10"])
        >>> results["MRR@10"]
        0.5
        >>> results.values_by_query("rr@10")
        {'q': 0.5}
    """

    def __init__(
        self,
        *,
        run: str,
        entries: Mapping[str, Entry],
        convention: Convention,
        notes: tuple[Note, ...] = (),
        queries: Callable[[], list[str]] | None = None,
        columns: Mapping[str, Callable[[], list[float]]] | None = None,
        parts: Mapping[str, Callable[[], Parts]] | None = None,
        equal_pairs: Mapping[str, Callable[[], list[list[float]]]] | None = None,
        pools: Mapping[str, Callable[[], Pool]] | None = None,
        inputs: Callable[[], InputFingerprints] | None = None,
    ) -> None:
        self.run = run
        self.entries = dict(entries)
        self.convention = convention
        self.notes = notes
        self._queries = queries
        self._columns = dict(columns or {})
        self._parts = dict(parts or {})
        self._equal_pairs = dict(equal_pairs or {})
        self._pools = dict(pools or {})
        self._inputs = inputs

    def __getstate__(self) -> dict[str, object]:
        """Returns the values; the closures that compute them are not pickled."""
        state = dict(self.__dict__)
        for name in ("_columns", "_parts", "_equal_pairs", "_pools"):
            state[name] = {
                key: make if isinstance(make, Absent) else _Kept(make())
                for key, make in state[name].items()
            }
        if self._queries is not None:
            state["_queries"] = _Kept(self.queries)
        if self._inputs is not None:
            state["_inputs"] = _Kept(self.inputs)
        return state

    def _key(self, name: str | Measure) -> str:
        key = str(parse_measure(name))
        if key not in self.entries:
            raise UnknownNameError(
                message("evaluation.was-not-evaluated", key=key),
                hint=message("evaluation.available-entries", entries=list(self.entries)),
            )
        return key

    def __getitem__(self, name: str | Measure) -> float:
        return self.entries[self._key(name)].value

    def __iter__(self) -> Iterator[str]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def __contains__(self, name: object) -> bool:
        try:
            self._key(name)  # type: ignore[arg-type]
        except (LookupError, ValueError):
            return False
        return True

    @cached_property
    def queries(self) -> list[str]:
        """The evaluated queries in the run's order; those that the run lacks come last.

        Raises:
            ParameterError: If per-query values were not kept (see `Accumulator`).
        """
        if self._queries is None:
            raise ParameterError(
                message("evaluation.per-query-values"),
                hint=message("evaluation.accumulator-keeps-sums-only"),
            )
        return self._queries()

    @cached_property
    def inputs(self) -> InputFingerprints | None:
        """The fingerprints of judgments, scale and rules; None if the judgments were not kept.

        Evaluations with the same fingerprints can be compared.
        """
        return None if self._inputs is None else self._inputs()

    def column(self, name: str | Measure) -> list[float]:
        """Returns one measure's value for each of `queries`, NaN where undefined."""
        key = self._key(name)
        if key not in self._columns:
            return [math.nan] * len(self.queries)
        return self._columns[key]()

    def values_by_query(self, name: str | Measure) -> dict[str, float]:
        """Returns one measure's value by query, NaN where undefined."""
        return dict(zip(self.queries, self.column(name), strict=True))

    def parts(self, name: str | Measure) -> Parts:
        """Returns one measure's numerators and denominators for each of `queries`.

        Micro averages sum them: for PNR the positive and the negative pairs.

        Raises:
            ParameterError: If per-query values were not kept (see `Accumulator`).
        """
        key = self._key(name)
        if key not in self._parts:
            nothing = [math.nan] * len(self.queries)
            return nothing, nothing
        return self._parts[key]()

    def equal_pairs(self, name: str | Measure) -> list[list[float]]:
        """Returns, for each of `queries`, PNR's positive and negative pairs of equal labels.

        Two lists; both are empty for measures that do not count pairs.
        """
        counts = self._equal_pairs.get(self._key(name))
        return [[], []] if counts is None else counts()

    def pool(self, name: str | Measure) -> Pool | None:
        """Returns the scores behind a pooled AUC, `None` for other measures.

        Scores of all positives and of all negatives, query by query; then, for each query, its
        index in `queries` and the numbers of its positives and negatives.
        """
        pool = self._pools.get(self._key(name))
        return None if pool is None else pool()

    @property
    def summary(self) -> polars.DataFrame:
        """One row per measure: value, average, queries, undefined, missing, tie_sensitive."""
        import polars

        names = ("value", "average", "queries", "undefined", "missing", "tie_sensitive")
        columns: dict[str, object] = {"measure": list(self.entries)}
        for name in names:
            columns[name] = [getattr(entry, name) for entry in self.entries.values()]
        return polars.DataFrame(columns)

    @property
    def per_query(self) -> polars.DataFrame:
        """One row per query, one column per measure; null if a measure is undefined."""
        import polars

        columns: dict[str, object] = {"query": polars.Series(self.queries, dtype=polars.String)}
        for name in self.entries:
            columns[name] = polars.Series(self.column(name), dtype=polars.Float64).fill_nan(None)
        return polars.DataFrame(columns)

    def to_frame(self, *, per_query: bool = False) -> polars.DataFrame:
        """Returns one row per measure with all its facts, or `per_query`.

        Args:
            per_query: One row per query, one column per measure.
        """
        import polars

        if per_query:
            return self.per_query
        return polars.DataFrame(summary_columns([self]), infer_schema_length=None)

    def to_dict(self, *, per_query: bool = False) -> dict[str, object]:
        """Returns the object that ``--format json`` prints.

        Args:
            per_query: Adds `per_query`: {query: {measure: value or null}}, and what
                `relyon.read_results` needs to compare the file later.
        """
        values: dict[str, object] = {
            "run": self.run,
            "measures": {
                name: entry.to_dict() | {"fingerprint": entry.fingerprint(self.convention)}
                for name, entry in self.entries.items()
            },
            "convention": self.convention.to_dict(),
            "notes": [note_dict(note) for note in self.notes],
        }
        if self.inputs is not None:
            values["inputs"] = self.inputs.to_dict(per_query=per_query)
        if per_query:
            values["per_query"] = {
                query: {
                    name: value if math.isfinite(value) else None
                    for name, value in zip(self.entries, row, strict=True)
                }
                for query, row in self.rows()
            }
            values["stored"] = stored_values(self)
        return values

    def to_csv(self, *, per_query: bool = False) -> str:
        """Returns CSV: one row per measure, or per query and measure, in full precision.

        Args:
            per_query: One row per query and measure.
        """
        from relyon.core.cells import csv_text

        return csv_text(csv_rows([self], per_query)).rstrip("\n")

    def excel_frames(self) -> dict[str, polars.DataFrame]:
        """Returns the sheets of `to_excel`."""
        return {"summary": self.to_frame(), "per_query": self.per_query}

    def excel_notes(self, language: Language) -> list[str]:
        """Returns the convention and the notes."""
        return [rules_line(self, language), *(note.text(language) for note in self.notes)]

    def tracked_content(self) -> TrackedContent:
        """Returns what `log` logs: the measures, the rules, and what the numbers depend on."""
        inputs = {} if self.inputs is None else self.inputs.to_dict()
        facts = {
            f"measure.{name}": f"{entry.definition} {entry.fingerprint(self.convention)}"
            for name, entry in self.entries.items()
        }
        facts |= {f"inputs.{name}": one for name, one in inputs.items() if isinstance(one, str)}
        numbers = {name: entry.value for name, entry in self.entries.items()}
        return TrackedContent(numbers, tracked_rules(self.convention), {"run": self.run, **facts})

    def document(
        self, *, per_query: bool = False, digits: int = DIGITS, language: Language = "en"
    ) -> Document:
        """Returns the measures as a table.

        Args:
            per_query: Adds a table of queries before it.
            digits: Decimals.
            language: `en` or `zh`.
        """
        return results_document([self], per_query=per_query, digits=digits, language=language)

    def to_html(
        self, *, per_query: bool = False, digits: int = DIGITS, language: Language = "en"
    ) -> str:
        """Returns an HTML table with the notes and the convention below.

        Args:
            per_query: Adds a table of queries before it.
            digits: Decimals.
            language: `en` or `zh`.
        """
        from relyon.core.document.html import render_html

        found = results_document(
            [self], per_query=per_query, digits=digits, rules=True, language=language
        )
        said = with_lessons([(note.text(language), note.lesson) for note in self.notes], language)
        return render_html(Document([*found.blocks, *([Points(said)] if said else [])]))

    def to_latex(self, *, digits: int = DIGITS, language: Language = "en") -> str:
        r"""Returns a LaTeX table for the package booktabs, with the convention in its caption.

        Args:
            digits: Decimals.
            language: `en` or `zh`.

        Examples:
            >>> import relyon
            >>> found = relyon.evaluate({"q": {"a": 1}}, {"q": {"b": 2.0, "a": 1.0}}, "ndcg@10")
            >>> print(found.to_latex().splitlines()[8])
            run & 0.6309 \\
        """
        return results_latex([self], digits=digits, language=language)

    def rows(self) -> Iterator[tuple[str, tuple[float, ...]]]:
        """Yields each query with its values in the order of the measures."""
        columns = [self.column(name) for name in self.entries]
        for place, query in enumerate(self.queries):
            yield query, tuple(column[place] for column in columns)

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={entry.value:.4f}" for name, entry in self.entries.items())
        return f"Results({self.run!r}: {shown})"
