"""Facts about the values of a log that decide whether they mean what their columns say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from relyon.data.columns.log_names import FALSE, TRUE
from relyon.data.day_first import DAY_FIRST
from relyon.data.lazy import gather

if TYPE_CHECKING:
    import narwhals as nw

    from relyon.data.lazy import LazyRows

__all__ = [
    "CLICKED_ALWAYS",
    "LEAST_ROWS",
    "Facts",
    "expressions",
    "facts_from",
    "facts_of",
    "joined",
]

#: From this share of clicked rows on, a log contains only what was clicked.
CLICKED_ALWAYS = 0.95
#: With fewer rows it may be chance.
LEAST_ROWS = 20

YES = (*TRUE, "1", "1.0", "+1", "1.00")
NO = (*FALSE, "0", "0.0", "+0", "-0", "0.00", "-0.0", "nan", "")
FLAGS = ("clicked", "shown")


@dataclass(frozen=True)
class Facts:
    """Counts over the rows of a log.

    Attributes:
        rows: Rows that were shown.
        clicked: Those of them that were clicked.
        odd: How many values of a flag are neither 0 nor 1, by column.
        first: The first such value, by column, as text.
        line: Where it is in the file, by column: a line, or in `facts_from` a row from 0.
        day_first: Times that begin with a day or a month.
        times: Times in all.
    """

    rows: int = 0
    clicked: int = 0
    odd: Mapping[str, int] = field(default_factory=dict)
    first: Mapping[str, str] = field(default_factory=dict)
    line: Mapping[str, int] = field(default_factory=dict)
    day_first: int = 0
    times: int = 0


def joined(parts: Sequence[Facts]) -> Facts:
    """Returns the facts of a log in several files; lines are those of a single file."""
    if len(parts) == 1:
        return parts[0]
    names = {name for part in parts for name in part.odd}
    return Facts(
        rows=sum(part.rows for part in parts),
        clicked=sum(part.clicked for part in parts),
        odd={name: sum(part.odd.get(name, 0) for part in parts) for name in names},
        first={name: value for part in reversed(parts) for name, value in part.first.items()},
        day_first=sum(part.day_first for part in parts),
        times=sum(part.times for part in parts),
    )


def facts_of(raw: LazyRows) -> Facts:
    """Returns the facts of a log; its engine does the work.

    Args:
        raw: Rows with the canonical columns, unconverted.
    """
    wanted = expressions(raw)
    return facts_from(gather(raw.select(*wanted)).row(0, named=True)) if wanted else Facts()


def expressions(raw: LazyRows, row: str | None = None) -> list[nw.Expr]:
    """Returns the aggregates that `facts_from` takes: of the columns that can say something.

    Args:
        raw: Rows with the canonical columns, unconverted.
        row: The column that numbers the rows.
    """
    import narwhals as nw

    schema = raw.collect_schema()
    found = []
    flags = [name for name in FLAGS if name in schema and _readable(schema[name])]
    shown = _flag("shown", schema["shown"])[0] if "shown" in flags else None
    if "clicked" in flags:
        yes = _flag("clicked", schema["clicked"])[0]
        found.append(_count(yes if shown is None else yes & shown).alias("clicked"))
        found.append((nw.len() if shown is None else _count(shown)).alias("rows"))
    for name in flags:
        if schema[name] == nw.Boolean:
            continue
        odd = _flag(name, schema[name])[1]
        found.append(_count(odd).alias(f"odd {name}"))
        if row is None:
            found.append(nw.when(odd).then(nw.col(name)).max().alias(f"value {name}"))
        else:
            found.append(nw.when(odd).then(nw.col(row)).min().alias(f"row {name}"))
    if "timestamp" in schema and schema["timestamp"] == nw.String:
        time = nw.col("timestamp")
        found.append(_count(time.str.contains(DAY_FIRST)).alias("day_first"))
        found.append(time.count().alias("times"))
    return found


def facts_from(values: Mapping[str, object]) -> Facts:
    """Returns the facts from the values of `expressions`, by name."""

    def number(name: str) -> int:
        found = values.get(name)
        return int(found) if isinstance(found, int | float) else 0

    odd = {name: number(f"odd {name}") for name in FLAGS if number(f"odd {name}")}
    return Facts(
        rows=number("rows"),
        clicked=number("clicked"),
        odd=odd,
        first={name: str(values[f"value {name}"]) for name in odd if f"value {name}" in values},
        line={name: number(f"row {name}") for name in odd if f"row {name}" in values},
        day_first=number("day_first"),
        times=number("times"),
    )


def _readable(kind: object) -> bool:
    import narwhals as nw

    return kind in (nw.Boolean, nw.String) or bool(getattr(kind, "is_numeric", bool)())


def _count(condition: nw.Expr) -> nw.Expr:
    import narwhals as nw

    return nw.when(condition).then(1).otherwise(0).sum()


def _flag(name: str, kind: object) -> tuple[nw.Expr, nw.Expr]:
    """Returns whether a value says yes, and whether it says neither yes nor no."""
    import narwhals as nw

    column = nw.col(name)
    if kind == nw.Boolean:
        return column, nw.lit(False)
    if kind == nw.String:
        text = column.str.strip_chars().str.to_lowercase()
        yes = text.is_in(list(YES))
        return yes, ~yes & ~text.is_in(list(NO))
    known = ~column.is_null() & ~column.is_nan() if _floats(kind) else ~column.is_null()
    return column > 0, known & (column != 0) & (column != 1)


def _floats(kind: object) -> bool:
    return bool(getattr(kind, "is_float", bool)())
