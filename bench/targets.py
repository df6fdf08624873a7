"""relyon's targets, each as a quotient or difference of medians of one run."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from bench.timing import Timing

MEBIBYTE = 2**20


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
            how many `seconds`, peak memory in MiB (`memory`), or peak memory over the size of the
            input (`share`).
    """

    workload: str
    over: str
    under: str
    bound: float
    best: Literal["at least", "at most"] = "at least"
    kind: Literal["ratio", "cpu", "peak", "difference", "seconds", "memory", "share"] = "ratio"

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
        }[self.kind]

    def show(self, value: float) -> str:
        """Returns a number with its unit."""
        if math.isnan(value):
            return "not measured"
        units = {"difference": "ms", "seconds": "s", "memory": "MiB"}
        unit = units.get(self.kind, "×")
        digits = 2 if abs(value) < 10 and unit in ("×", "s") else 1 if abs(value) < 100 else 0
        return f"{value:,.{digits}f} {unit}"


#: Of what starts a process: time on the clock, and time of the processor.
KINDS: tuple[Literal["ratio"], Literal["cpu"]] = ("ratio", "cpu")

TARGETS = (
    Target("file", "trec_eval", "relyon", 60),
    Target("file", "ranx", "relyon", 200),
    Target("file", "ir_measures", "relyon", 200),
    Target("file", "Polars", "relyon", 15),
    Target("file", "relyon", "wc -l", 3, "at most"),
    Target("process", "trec_eval", "relyon", 35),
    Target("process", "relyon", "", 100, "at most", "memory"),
    Target("process", "relyon, shuffled", "", 1.5, "at most", "share"),
    Target("process", "relyon, shuffled", "relyon", 20, "at most"),
    Target("formats", "CSV", "TREC text", 1.5, "at most"),
    Target("formats", "CSV, all quoted", "TREC text", 1.5, "at most"),
    Target("formats", "TSV", "TREC text", 1.5, "at most"),
    Target("formats", "JSON Lines", "TREC text", 6, "at most"),
    Target("traces", "trace, and one of sessions", "run, JSON Lines", 2, "at most"),
    Target("formats", "CSV, process", "", 150, "at most", "memory"),
    Target("formats", "TSV, process", "", 150, "at most", "memory"),
    Target("formats", "JSON Lines, process", "", 150, "at most", "memory"),
    Target("small", "relyon", "pytrec_eval", 1, "at most"),
    Target("small", "relyon", "trec_eval", 2, "at most"),
    Target("diversity", "ndeval", "relyon", 5),
    Target("diversity", "ir_measures", "relyon", 30),
    Target("dicts", "pytrec_eval", "relyon", 12),
    Target("frames", "pytrec_eval", "relyon", 30),
    Target("parquet", "relyon, Polars file", "Polars' read, Polars file", 1.5, "at most"),
    Target("parquet", "relyon, PyArrow file", "Polars' read, PyArrow file", 1.5, "at most"),
    Target("parquet", "relyon, Polars file, process", "", 150, "at most", "memory"),
    Target("parquet", "relyon, PyArrow file, process", "", 150, "at most", "memory"),
    Target("labelled", "relyon, GAUC, process", "", 150, "at most", "memory"),
    Target("arrays", "scikit-learn, NDCG@10", "relyon", 50),
    Target("arrays", "ranx, sorted before", "relyon", 8),
    Target("arrays", "LightGBM, NDCG", "relyon", 4),
    Target("auc", "scikit-learn", "relyon", 20),
    Target("gauc", "Polars", "relyon", 20),
    Target("pnr", "grades, 1 M", "grades, 500 k", 2.3, "at most"),
    Target("pnr", "grades, 2 M", "grades, 1 M", 2.3, "at most"),
    Target("pnr", "real labels, 1 M", "real labels, 500 k", 2.3, "at most"),
    Target("pnr", "real labels, 2 M", "real labels, 1 M", 2.3, "at most"),
    Target("imports", "import relyon", "import numpy", 40, "at most", "difference"),
    Target("imports", "from relyon import evaluate", "import numpy", 40, "at most", "difference"),
    Target("growth", "all lines", "half the lines", 2.1, "at most"),
    Target("permutations", "SciPy (0.2%, scaled)", "relyon", 300),
    Target("permutations", "ranx (0.2%, scaled)", "relyon", 300),
    Target("permutations", "relyon", "", 3, "at most", "seconds"),
    Target("leaderboards", "relyon", "", 5, "at most", "seconds"),
    Target("slices", "relyon, two conditions", "", 2, "at most", "seconds"),
    Target("slices", "relyon, three conditions", "", 2, "at most", "seconds"),
    Target("deep", "relyon, second run", "relyon", 1, "at most"),
    Target("letor", "scikit-learn", "relyon", 10),
    Target("letor", "LightGBM, to its bins", "relyon", 3),
    Target(
        "boosting", "LightGBM, relyon's lambdarank", "LightGBM, its lambdarank", 1.08, "at most"
    ),
    *(
        Target(
            "boosting",
            f"LightGBM, its 8 metrics, {trees}",
            f"LightGBM, relyon's 8 metrics, {trees}",
            2,
        )
        for trees in ("one tree", "23 trees")
    ),
    *(
        Target("tensors", f"allRank, {name}", f"relyon, {name}", 1)
        for name in ("ranknet", "listnet", "listmle", "approx_ndcg", "neural_ndcg", "ndcg_loss2pp")
    ),
    Target("tensors", "torchmetrics, NDCG", "relyon, NDCG", 100),
    Target("clicks", "relyon, PBM", "", 15, "at most", "seconds"),
    Target("clicks", "relyon, PBM", "", 3072, "at most", "memory"),
    Target("clicks", "relyon, UBM", "", 15, "at most", "seconds"),
    Target("clicks", "relyon, UBM", "", 3072, "at most", "memory"),
    Target("clicks", "relyon, DBN", "", 60, "at most", "seconds"),
    Target("clicks", "relyon, PBM", "relyon, PBM, half the log", 2.1, "at most"),
    Target("clicks", "relyon, UBM", "relyon, UBM, half the log", 2.1, "at most"),
    Target("clicks", "relyon, DBN", "relyon, DBN, half the log", 2.1, "at most"),
    Target(
        "clicks", "PyClick, PBM, few sessions (10.0%, scaled)", "relyon, PBM, few sessions", 1000
    ),
    Target(
        "clicks", "PyClick, UBM, few sessions (10.0%, scaled)", "relyon, UBM, few sessions", 1000
    ),
    Target(
        "clicks", "PyClick, DBN, few sessions (0.5%, scaled)", "relyon, DBN, few sessions", 1000
    ),
    *(
        Target("starts", f"relyon {command}", "import numpy", bound, "at most", kind)
        for command, bound in (("--help", 0.4), ("evaluate", 0.7), ("compare", 2.5), ("report", 12))
        for kind in KINDS
    ),
    Target("reports", "relyon report", "relyon compare", 2, "at most"),
    Target("reports", "relyon report", "relyon compare", 1.5, "at most", "peak"),
    Target("reports", "relyon diagnose", "relyon compare", 1.5, "at most"),
    Target("searches", "relyon", "httpx2, threads", 1.3, "at most"),
    Target("searches", "relyon", "httpx2, async", 1.3, "at most"),
    Target("replays", "relyon, replay", "relyon, read_run", 2, "at most"),
)
