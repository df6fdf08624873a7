"""What an evaluation returns: values, how many queries stand behind them, and under which rules."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from relkit.core.errors import ParameterError, UnknownNameError
from relkit.core.notes import Note
from relkit.core.packages import optional_package
from relkit.core.rendering import json_number, note_dict
from relkit.data.convention import Convention
from relkit.evaluation import rendering
from relkit.measures.base import Measure
from relkit.measures.names import measure as parse_measure

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow
    from numpy.typing import ArrayLike

__all__ = ["Entry", "Parts", "Pool", "Results"]

#: Numerators and denominators of one measure, query by query.
Parts = tuple["ArrayLike", "ArrayLike"]
#: Scores of positives and of negatives of all queries, then a query's place and how many it has.
Pool = tuple["ArrayLike", "ArrayLike", list[int], list[int], list[int]]


@dataclass(frozen=True)
class Entry:
    """One measure of one run.

    Attributes:
        value: The number; NaN where no query defines it.
        average: How queries became one number: `macro`, `micro`, or `sum`.
        queries: Queries that the number rests on.
        undefined: Queries for which the measure has no value.
        missing: Judged queries that the run does not hold, among those counted.
        tie_sensitive: Queries whose cutoff falls inside a tie that holds a relevant document.
        definition: The measure with every parameter filled in.
        details: What stands beside the number: for PNR the positive and negative pairs and the
            `share` of positive ones; the value without pairs of equal labels (`strict`,
            `strict_share`), and what random orders would reach (`random`, `random_share`).
        ties: The rule on equal scores that the number follows.
        tie_decided: Queries whose value depends on the order of documents with equal scores.
        span: The lowest and the highest number that an order of tied documents gives; `None`
            where no query depends on it.
    """

    value: float
    average: str
    queries: int
    undefined: int
    missing: int
    tie_sensitive: int
    definition: str
    details: Mapping[str, float] = field(default_factory=dict)
    ties: str = ""
    tie_decided: int = 0
    span: tuple[float, float] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Returns JSON-ready values: a number that JSON cannot hold becomes null."""
        values: dict[str, Any] = {
            "value": self.value if math.isfinite(self.value) else None,
            "queries": self.queries,
            "undefined": self.undefined,
            "missing": self.missing,
            "tie_sensitive": self.tie_sensitive,
            "average": self.average,
            "definition": self.definition,
        }
        if math.isinf(self.value):
            values["infinite"] = True
        if self.ties:
            values["ties"] = self.ties
        if self.span is not None:
            values["tie_decided"] = self.tie_decided
            values["span"] = [json_number(bound) for bound in self.span]
        return values | {name: json_number(one) for name, one in self.details.items()}


class Results(Mapping[str, float]):
    """The measures of one run: a mapping from measure names to numbers.

    Attributes:
        run: The run's name.
        entries: Everything known about each measure, by its canonical name.
        convention: The rules under which the numbers hold.
        notes: What was noticed about the data.

    Examples:
        >>> import relkit
        >>> results = relkit.evaluate({"q": {"a": 1}}, {"q": {"b": 2.0, "a": 1.0}}, ["rr@10"])
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

    def _key(self, name: str | Measure) -> str:
        key = str(parse_measure(name))
        if key not in self.entries:
            raise UnknownNameError(
                f"`{key}` was not evaluated", hint="there are " + ", ".join(self.entries)
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
        """The evaluated queries, in the run's order, those that the run lacks at the end.

        Raises:
            ParameterError: If per-query values were not kept (see `Accumulator`).
        """
        if self._queries is None:
            raise ParameterError(
                "per-query values were not kept",
                hint="an Accumulator keeps sums only; use relkit.evaluate for one run",
            )
        return self._queries()

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

        They are what micro averages add up: for PNR the positive and the negative pairs.

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

        Scores of all positives and of all negatives, query after query; then, for each part of
        them, the query's place in `queries`, its positives and its negatives.
        """
        pool = self._pools.get(self._key(name))
        return None if pool is None else pool()

    @property
    def summary(self) -> polars.DataFrame:
        """One row a measure: value, average, queries, undefined, missing, tie_sensitive."""
        import polars

        rows = [
            {
                "measure": name,
                "value": entry.value,
                "average": entry.average,
                "queries": entry.queries,
                "undefined": entry.undefined,
                "missing": entry.missing,
                "tie_sensitive": entry.tie_sensitive,
            }
            for name, entry in self.entries.items()
        ]
        return polars.DataFrame(rows)

    @property
    def per_query(self) -> polars.DataFrame:
        """One row a query, one column a measure; null where a measure is undefined."""
        import polars

        columns: dict[str, Any] = {"query": polars.Series(self.queries, dtype=polars.String)}
        for name in self.entries:
            columns[name] = polars.Series(self.column(name), dtype=polars.Float64).fill_nan(None)
        return polars.DataFrame(columns)

    def to_pandas(self) -> pandas.DataFrame:
        """Returns `per_query` as a pandas frame.

        Raises:
            DependencyError: If pandas is not installed.
        """
        library = optional_package("pandas", purpose="a pandas frame")
        frame: pandas.DataFrame = library.DataFrame(self.per_query.to_dict(as_series=False))
        return frame

    def to_arrow(self) -> pyarrow.Table:
        """Returns `per_query` as a PyArrow table.

        Raises:
            DependencyError: If PyArrow is not installed.
        """
        optional_package("pyarrow", purpose="a PyArrow table")
        return self.per_query.to_arrow()

    def to_dict(self, *, per_query: bool = False) -> dict[str, Any]:
        """Returns the object that ``--format json`` prints.

        Args:
            per_query: Adds `per_query`: {query: {measure: value or null}}.
        """
        values: dict[str, Any] = {
            "run": self.run,
            "measures": {name: entry.to_dict() for name, entry in self.entries.items()},
            "convention": self.convention.to_dict(),
            "notes": [note_dict(note) for note in self.notes],
        }
        if per_query:
            values["per_query"] = {
                query: {
                    name: value if math.isfinite(value) else None
                    for name, value in zip(self.entries, row, strict=True)
                }
                for query, row in self.rows()
            }
        return values

    def rows(self) -> Iterator[tuple[str, tuple[float, ...]]]:
        """Yields each query with its values in the order of the measures."""
        columns = [self.column(name) for name in self.entries]
        for place, query in enumerate(self.queries):
            yield query, tuple(column[place] for column in columns)

    def __str__(self) -> str:
        return rendering.table([self])

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={entry.value:.4f}" for name, entry in self.entries.items())
        return f"Results({self.run!r}: {shown})"

    def _repr_html_(self) -> str:
        return rendering.html([self])
