"""The file of drawn pairs: with it and the grades, the estimate can be computed later."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike, fspath
from typing import TYPE_CHECKING

from relyon.core.errors import InputError, ParseError
from relyon.core.texts import message

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from relyon.analysis.next_pairs.frame import Frame

__all__ = ["COLUMNS", "SKIPPED", "DrawnPair", "fingerprint", "frame_of", "read_drawn"]

#: The columns of the file, in order; judges see none whose name begins with `draw`.
COLUMNS = (
    "query", "document", "grade", "draw_batch", "draw_order", "draw_probability", "draw_weight",
    "draw_left", "draw_curve", "draw_seed", "draw_measure", "draw_pairs",
)  # fmt: skip

#: The least value of columns with whole numbers, and the largest.
_LEAST = {"draw_batch": 1, "draw_order": 1, "draw_left": 1, "draw_seed": 0}
MOST = 2**63 - 1

#: What is written in place of the grade of a pair that cannot be judged.
SKIPPED = ("skip", "cannot", "跳过", "无法判断")


@dataclass(frozen=True)
class DrawnPair:
    """A pair that was drawn.

    Attributes:
        query: The query.
        document: The document.
        batch: The number of the batch, from 1.
        order: The number of the draw, from 1 over all batches.
        probability: The probability with which it was drawn, among the pairs then left.
        weight: What one unit of gain adds to the mean over the queries.
        left: The number of pairs then left.
        curve: How the weights of the draws fall (`draw_weights`).
        seed: The seed.
        measure: The measure.
        pairs: The fingerprint of the pairs to draw from.
        grade: Its grade as written in the file; empty if it has none there, and one of `SKIPPED` if
            it cannot be judged.
        path: The file from which it was read; empty for others.
        line: Its line there, the first after the names of the columns being 2.
    """

    query: str
    document: str
    batch: int
    order: int
    probability: float
    weight: float
    left: int
    curve: float
    seed: int
    measure: str
    pairs: str
    grade: str = ""
    path: str = field(default="", compare=False, repr=False)
    line: int = field(default=0, compare=False, repr=False)

    @property
    def skipped(self) -> bool:
        """Whether it was looked at and cannot be judged."""
        return self.grade.lower() in SKIPPED


def fingerprint(
    frame: Frame, first: Sequence[int], model: NDArray[np.float64] | None = None
) -> str:
    """Returns a fingerprint of the pairs that could be drawn, their weights and a model's grades.

    With a model's grades that came after the draw, such as of drawn pairs only, what is expected of
    a pair would depend on whether it was drawn, and the estimate would be biased.

    Args:
        frame: All pairs.
        first: The indices of those that were unjudged before the first draw.
        model: The gain of each pair by a model's grades; None without any.
    """
    import numpy as np

    places = np.asarray(first, dtype=np.int64)
    found = hashlib.blake2b(digest_size=8)
    found.update(f"{frame.linear.measure} {len(frame.queries)}\0".encode())
    for names in (frame.queries, [frame.documents[place] for place in places.tolist()]):
        found.update("\0".join(names).encode("utf-8", "surrogateescape"))
        found.update(b"\0\0")
    found.update(frame.query[places].astype("<i8").tobytes())
    found.update(np.rint(frame.weight[places] * 1e9).astype("<i8").tobytes())
    if model is not None:
        given = np.nan_to_num(model[places], nan=-1.0)
        found.update(np.rint(given * 1e9).astype("<i8").tobytes())
    return found.hexdigest()


def frame_of(drawn: Sequence[DrawnPair]) -> pl.DataFrame:
    """Returns drawn pairs as the frame that is written."""
    import polars as pl

    integers = {"draw_batch", "draw_order", "draw_left", "draw_seed"}
    decimals = {"draw_probability", "draw_weight", "draw_curve"}
    return pl.DataFrame(
        {name: [getattr(one, name.removeprefix("draw_")) for one in drawn] for name in COLUMNS},
        schema={
            name: pl.Int64 if name in integers else pl.Float64 if name in decimals else pl.String
            for name in COLUMNS
        },
    )


def read_drawn(source: object) -> list[DrawnPair]:
    """Returns drawn pairs in the order of the draws.

    Args:
        source: What `relyon.next_pairs` returned, its frame, a CSV, TSV, JSON Lines, Parquet or
            Excel file of it, or several of these.

    Raises:
        InputError: If a column is missing, a value cannot be used, a pair is drawn twice in one
            batch, or the batches are not of one series.
    """
    found: list[DrawnPair] = []
    paths: dict[int, str] = {}
    many = source if isinstance(source, list | tuple) else [source]
    for one in many:
        if isinstance(one, DrawnPair):
            found.append(one)
            continue
        table, path = _table(one)
        rows = _rows(table, path)
        paths |= dict.fromkeys((pair.batch for pair in rows), path)
        found += rows
    _check(found, paths)
    return sorted(found, key=lambda one: (one.batch, one.order))


def _table(source: object) -> tuple[pl.DataFrame, str]:
    import polars as pl

    from relyon.io.table_files import read_table

    if isinstance(source, str | PathLike):
        path = fspath(source)
        return read_table(path), path
    frame = source if isinstance(source, pl.DataFrame) else getattr(source, "to_frame", None)
    if callable(frame):
        frame = frame()
    if not isinstance(frame, pl.DataFrame):
        raise InputError(
            message("analysis.drawn-is-not-table", name=type(source).__name__),
            hint=message("analysis.give-drawn-pairs"),
        )
    return frame, ""


def _rows(table: pl.DataFrame, path: str) -> list[DrawnPair]:
    import polars as pl

    missing = [name for name in COLUMNS if name not in table.columns and name != "grade"]
    if missing:
        raise InputError(
            message("analysis.drawn-lacks-columns", count=len(missing), names=missing),
            path=path,
            hint=message("analysis.give-drawn-pairs"),
        )
    chosen = table.select(
        pl.col(name).cast(pl.String, strict=False).fill_null("")
        for name in COLUMNS
        if name in table.columns
    )
    found = []
    for line, row in enumerate(chosen.iter_rows(named=True), 2):
        numbers = {
            name: _number(row[f"draw_{name}"], f"draw_{name}", path, line)
            for name in ("batch", "order", "probability", "weight", "left", "curve", "seed")
        }
        found.append(
            DrawnPair(
                row["query"],
                row["document"],
                int(numbers["batch"]),
                int(numbers["order"]),
                numbers["probability"],
                numbers["weight"],
                int(numbers["left"]),
                numbers["curve"],
                int(numbers["seed"]),
                row["draw_measure"],
                row["draw_pairs"],
                row.get("grade", "").strip(),
                path,
                line,
            )
        )
        if not 0 < numbers["probability"] <= 1:
            raise _at(
                path, line, message("analysis.probability-is-share", value=row["draw_probability"])
            )
    return found


def _number(text: str, name: str, path: str, line: int) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    least = _LEAST.get(name)
    if not math.isfinite(value) or (
        least is not None and not (value == int(value) and least <= value <= MOST)
    ):
        raise _at(path, line, message("analysis.drawn-number-is-wrong", name=name, value=text))
    return value


def _at(path: str, line: int, text: str) -> InputError:
    """Returns an error of a row of a file, or of a frame."""
    hint = message("analysis.leave-draw-columns")
    if not path:
        return InputError(text, hint=hint)
    return ParseError(text, path=path, line=line, hint=hint)


def _check(drawn: Sequence[DrawnPair], paths: Mapping[int, str]) -> None:
    """Refuses rows that are not of one series of batches.

    Args:
        drawn: All rows.
        paths: The file of each batch that is from one.

    Raises:
        InputError: If they differ in what was drawn from, or a row is missing or repeated.
    """
    series = dict[tuple[object, ...], DrawnPair]()
    orders: dict[int, list[int]] = {}
    pairs: dict[int, set[tuple[str, str]]] = {}
    for one in drawn:
        series.setdefault((one.measure, one.pairs, one.curve), one)
        orders.setdefault(one.batch, []).append(one.order)
        pairs.setdefault(one.batch, set()).add((one.query, one.document))
    if len(series) > 1:
        raise InputError(
            message("analysis.drawn-are-of-several"),
            path=paths.get([*series.values()][-1].batch, ""),
            hint=message("analysis.give-one-series"),
        )
    for number, (batch, found) in enumerate(sorted(orders.items()), 1):
        start = 1 if number == 1 else min(found)
        gap = sorted(found) != [*range(start, start + len(found))]
        if gap or batch != number or len(pairs[batch]) < len(found):
            raise InputError(
                message("analysis.drawn-rows-are-missing", batch=number),
                path=paths.get(batch, ""),
                hint=message("analysis.give-all-batches"),
            )
