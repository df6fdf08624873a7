"""What runs cost, such as latency, size or price, and which are worth it."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from relyon.core.document.json import json_number
from relyon.core.errors import InputError, ParameterError
from relyon.core.texts import message

__all__ = ["CostStanding", "CostVerdict", "Costs", "cost_standings", "read_costs"]

#: By cost, the number of each run.
Costs = Mapping[str, Mapping[str, float]]
CostVerdict = Literal["front", "open", "dominated"]

#: Names of the column with the runs' names.
NAMES = ("name", "run", "system", "model", "名称", "结果", "系统", "模型")


@dataclass(frozen=True)
class CostStanding:
    """One run's cost.

    Attributes:
        value: The number; lower is better.
        verdict: `front` if no run with a better value costs as little, and none with the same
            value costs less; `dominated` if a run that costs no more is separated and better; else
            `open`: another run looks better for no more, but these queries do not decide.
        by: The best of the runs that dominate it, or look as if; empty on the front.
    """

    value: float
    verdict: CostVerdict
    by: str = ""

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values."""
        return {"value": json_number(self.value), "verdict": self.verdict, "by": self.by or None}


def cost_standings(
    costs: Mapping[str, float], order: Sequence[tuple[str, float, Iterable[str]]]
) -> dict[str, CostStanding]:
    """Returns the standing of every run whose cost is known.

    Args:
        costs: The cost of each run.
        order: The runs from the best: name, value (higher is better), and the runs that are
            separated from it and better.

    Examples:
        >>> order = [("big", 0.8, []), ("mid", 0.7, []), ("small", 0.5, ["big", "mid"])]
        >>> found = cost_standings({"big": 90.0, "mid": 95.0, "small": 95.0}, order)
        >>> [(name, one.verdict, one.by) for name, one in found.items()]
        [('big', 'front', ''), ('mid', 'open', 'big'), ('small', 'dominated', 'big')]
    """
    found = {}
    known = [(name, value, set(better)) for name, value, better in order if name in costs]
    for name, value, better in known:
        cost = costs[name]
        rivals = [
            other
            for other, theirs, _ in known
            if other != name
            and costs[other] <= cost
            and (theirs > value or (theirs == value and costs[other] < cost))
        ]
        sure = [other for other in rivals if other in better]
        verdict: CostVerdict = "dominated" if sure else "open" if rivals else "front"
        found[name] = CostStanding(cost, verdict, next(iter(sure or rivals), ""))
    return found


def read_costs(source: object, runs: Sequence[str]) -> dict[str, dict[str, float]]:
    """Returns the costs of runs: by column, the number of each run.

    Args:
        source: A mapping {run: {cost: number}}; or a frame, or a CSV, TSV, JSON Lines or Parquet
            file with a column `name` (or `run`, `model`, `system`) and one column of numbers per
            cost, such as `name,p50,size`. Lower is better in all of them. Columns that contain
            other text are left out; empty cells are unknown.
        runs: The names of the runs; other rows are left out.

    Raises:
        InputError: If the table cannot be read, has no column of names, none of the runs, no
            column of numbers, a negative number, or two rows of one run.
        ParameterError: If something else is given.

    Examples:
        >>> read_costs({"a": {"p50": 12}, "b": {"p50": 40.5}}, ["a", "b"])
        {'p50': {'a': 12.0, 'b': 40.5}}
    """
    path = ""
    if isinstance(source, Mapping):
        rows = {str(name): dict(values) for name, values in source.items() if _checked(values)}
    else:
        rows, path = _rows(source)
    known = _of_runs(rows, runs)
    if not known:
        raise InputError(
            message("analysis.costs-name-no-run", names=list(rows)[:5], runs=list(runs)[:5]),
            path=path,
            hint=message("analysis.name-runs-as-here"),
        )
    found: dict[str, dict[str, float]] = {}
    for column in dict.fromkeys(key for values in known.values() for key in values):
        cells = {name: values.get(column) for name, values in known.items()}
        numbers = _column(str(column), cells, path)
        if numbers:
            found[str(column)] = numbers
    if not found:
        raise InputError(
            message("analysis.costs-have-no-numbers"),
            path=path,
            hint=message("analysis.add-cost-columns"),
        )
    return found


def _of_runs(
    rows: Mapping[str, dict[str, object]], runs: Sequence[str]
) -> dict[str, dict[str, object]]:
    """Returns the rows of the runs; `bm25` is the run `bm25.run` if no row has that name."""
    found = {}
    for name in runs:
        stem = os.path.splitext(name)[0]
        if name in rows:
            found[name] = rows[name]
        elif stem in rows and stem not in runs:
            found[name] = rows[stem]
    return found


def _column(column: str, cells: Mapping[str, object], path: str) -> dict[str, float]:
    """Returns the numbers of one cost; none if a cell is other text.

    Raises:
        InputError: If one is negative or infinite.
    """
    found = {}
    for name, cell in cells.items():
        if cell is None or not str(cell).strip():
            continue
        number = _number(cell)
        if number is None:
            return {}
        if not 0 <= number < math.inf:
            raise InputError(
                message("analysis.cost-is-negative", name=column, run=name, value=str(cell)),
                path=path,
            )
        found[name] = number
    return found


def _checked(values: object) -> bool:
    if not isinstance(values, Mapping):
        raise ParameterError(
            message("analysis.costs-are-mappings", name=type(values).__name__),
            hint=message("analysis.write-costs"),
        )
    return True


def _number(cell: object) -> float | None:
    try:
        return float(str(cell).strip())
    except ValueError:
        return None


def _rows(source: object) -> tuple[dict[str, dict[str, object]], str]:
    import polars

    from relyon.data.columns import is_frame, named_series, plain_name
    from relyon.io.table_files import read_table

    path = ""
    if isinstance(source, str | os.PathLike):
        path = os.fspath(source)
        table = read_table(path)
    elif is_frame(source):
        table = polars.DataFrame(named_series(source, bool))
    else:
        raise ParameterError(
            message("analysis.costs-are-mappings", name=type(source).__name__),
            hint=message("analysis.write-costs"),
        )
    key = next((one for one in table.columns if plain_name(one) in NAMES), None)
    if key is None:
        raise InputError(
            message("analysis.costs-have-no-names", columns=[*table.columns]),
            path=path,
            hint=message("analysis.add-column-name"),
        )
    found: dict[str, dict[str, object]] = {}
    for row in table.iter_rows(named=True):
        name = str(row.pop(key)).strip()
        if name in found:
            raise InputError(message("analysis.cost-named-twice", run=name), path=path)
        found[name] = row
    return found, path
