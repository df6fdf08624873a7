"""relyon's targets, each as a quotient or difference of medians of one run, beside its limit."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from bench.timing import Timing

MEBIBYTE = 2**20

Kind = Literal["ratio", "cpu", "peak", "difference", "seconds", "memory", "share", "exponent"]


@dataclass(frozen=True)
class Target:
    """One bound.

    Attributes:
        workload: Key of `WORKLOADS`.
        over: The contender above the line (or from which is subtracted).
        under: The contender below the line (or that is subtracted).
        bound: The number to reach.
        best: Whether the value should be at least or at most the bound.
        kind: How many times as long (`ratio`), as much CPU time (`cpu`) or peak memory
            (`peak`), how many milliseconds longer (`difference`),
            how many `seconds`, peak memory in MiB (`memory`), peak memory over the size of the
            input (`share`), or the power of two by which the time grows (`exponent`).
        limit: What nothing could be faster or smaller than: the contender that takes relyon's place
            in the quantity; or two, above and below the line. It is measured in the same run.
    """

    workload: str
    over: str
    under: str
    bound: float
    best: Literal["at least", "at most"] = "at least"
    kind: Kind = "ratio"
    limit: str | tuple[str, str] = field(kw_only=True)

    def value(self, timings: Mapping[str, Timing], input_bytes: int) -> float:
        """Returns the measured number; NaN where a contender did not run."""
        over = timings.get(self.over, Timing(self.over))
        under = timings.get(self.under, Timing(self.under))
        match self.kind:
            case "ratio":
                return over.median / under.median
            case "cpu":
                return over.cpu_median / under.cpu_median
            case "peak":
                return over.memory / under.memory
            case "difference":
                return 1000 * (over.median - under.median)
            case "seconds":
                return over.median
            case "memory":
                return over.memory / MEBIBYTE
            case "share":
                return over.memory / input_bytes if input_bytes else math.nan
            case "exponent":
                return math.log2(over.median / under.median)

    def at_limit(self) -> Target:
        """Returns the same quantity of the limit, which stands where relyon stands in this one."""
        match self.limit:
            case str(name) if self.best == "at most":
                return replace(self, over=name)
            case str(name):
                return replace(self, under=name)
            case over, under:
                return replace(self, over=over, under=under)

    def reached(self, value: float) -> bool | None:
        """Returns whether the bound is kept; `None` where nothing was measured."""
        if math.isnan(value):
            return None
        return value >= self.bound if self.best == "at least" else value <= self.bound

    @property
    def words(self) -> str:
        """The quantity, as the tables name it."""
        return {
            "ratio": f"{self.over} / {self.under}",
            "cpu": f"{self.over} / {self.under}: CPU time",
            "peak": f"{self.over} / {self.under}: peak memory",
            "difference": f"{self.over} − {self.under}",
            "seconds": f"{self.over}: time",
            "memory": f"{self.over}: peak memory",
            "share": f"{self.over}: peak memory / file",
            "exponent": f"{self.over} / {self.under}: exponent",
        }[self.kind]

    def show(self, value: float) -> str:
        """Returns a number with its unit."""
        if math.isnan(value):
            return "not measured"
        units = {"difference": " ms", "seconds": " s", "memory": " MiB", "exponent": ""}
        unit = units.get(self.kind, " ×")
        fine = abs(value) < 10 and self.kind not in ("difference", "memory")
        return f"{value:,.{2 if fine else 1 if abs(value) < 100 else 0}f}{unit}"

    def show_limit(self, timings: Mapping[str, Timing], input_bytes: int) -> str:
        """Returns the same quantity of the limit, and what the limit is."""
        found = self.at_limit()
        names = self.limit if isinstance(self.limit, str) else found.words
        return f"{found.show(found.value(timings, input_bytes))} ({names})"
