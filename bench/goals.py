"""The targets: what relyon promises of its speed and memory, and the limit of each."""

from __future__ import annotations

from typing import Literal

from bench.growth import GROWTH
from bench.limits import COPY, LINES, LOG, MEMORY, NOTHING, PAIRS, SORT, TABLES
from bench.targets import Kind, Target

#: Of what starts a process: time on the clock, and time of the processor.
KINDS: tuple[Literal["ratio"], Literal["cpu"]] = ("ratio", "cpu")
#: Commands over 20 million rows, each beside a comparison of them.
REPORTS: tuple[tuple[str, float, Kind], ...] = (
    ("report", 1.5, "cpu"),
    ("report", 1.5, "peak"),
    ("diagnose", 1.5, "ratio"),
)

TARGETS = (
    Target("file", "trec_eval", "relyon", 60, limit=LINES),
    Target("file", "ir_measures", "relyon", 200, limit=LINES),
    Target("file", "relyon", "wc -l", 2.5, "at most", limit="cat"),
    Target("process", "trec_eval", "relyon", 35, limit=LINES),
    Target("process", "relyon", "", 100, "at most", "memory", limit=NOTHING),
    Target("process", "relyon, shuffled", "", 1.5, "at most", "share", limit=MEMORY),
    Target("process", "relyon, shuffled", "relyon", 20, "at most", limit=MEMORY),
    *(
        Target("formats", name, "TREC text", bound, "at most", limit=f"wc -l, {name}")
        for name, bound in (
            ("CSV", 1.5),
            ("CSV, all quoted", 1.4),
            ("TSV", 1.5),
            ("JSON Lines", 2),
        )
    ),
    *(
        Target("formats", f"{name}, process", "", 150, "at most", "memory", limit=NOTHING)
        for name in ("CSV", "TSV", "JSON Lines")
    ),
    Target(
        "traces",
        "trace, and one of sessions",
        "run, JSON Lines",
        2,
        "at most",
        limit=LINES,
    ),
    Target("small", "relyon", "pytrec_eval", 1, "at most", limit=NOTHING),
    Target("small", "relyon", "trec_eval", 2, "at most", limit=NOTHING),
    Target("diversity", "ndeval", "relyon", 5, limit=LINES),
    Target("diversity", "ir_measures", "relyon", 30, limit=LINES),
    Target("dicts", "pytrec_eval", "relyon", 12, limit=PAIRS),
    Target("frames", "pytrec_eval", "relyon", 30, limit="every document hashed"),
    *(
        Target(
            "parquet",
            f"relyon, {name} file",
            f"Polars' read, {name} file",
            1.5,
            "at most",
            limit=f"Polars' read, {name} file",
        )
        for name in ("Polars", "PyArrow")
    ),
    *(
        Target(
            "parquet", f"relyon, {name} file, process", "", 150, "at most", "memory", limit=NOTHING
        )
        for name in ("Polars", "PyArrow")
    ),
    Target("labelled", "relyon, GAUC, process", "", 150, "at most", "memory", limit=NOTHING),
    Target("arrays", "relyon, NDCG@10, one thread", "np.argsort", 1.2, "at most", limit=SORT),
    Target("arrays", "relyon, one thread", "np.argsort", 2, "at most", limit=SORT),
    Target("arrays", "scikit-learn, NDCG@10", "relyon, NDCG@10", 50, limit=SORT),
    Target("arrays", "ranx, sorted before", "relyon", 8, limit=SORT),
    Target("arrays", "LightGBM, NDCG", "relyon, LightGBM's NDCG", 2, limit=SORT),
    Target(
        "arrays",
        "LightGBM, NDCG, one thread",
        "relyon, LightGBM's NDCG, one thread",
        2,
        limit=SORT,
    ),
    Target("auc", "scikit-learn", "relyon", 20, limit=SORT),
    Target("gauc", "Polars", "relyon", 20, limit="np.sort of the groups"),
    *(
        Target(
            "pnr",
            f"{labels}, {twice}",
            f"{labels}, {once}",
            2.2,
            "at most",
            limit=(f"np.sort, {twice}", f"np.sort, {once}"),
        )
        for labels in ("grades", "real labels")
        for once, twice in (("500 k", "1 M"), ("1 M", "2 M"))
    ),
    *(
        Target("imports", line, "import numpy", 40, "at most", "difference", limit="pass")
        for line in ("import relyon", "from relyon import evaluate")
    ),
    *(
        Target("permutations", f"{peer} (0.2%, scaled)", "relyon", 300, limit="the bits alone")
        for peer in ("SciPy", "ranx")
    ),
    Target("permutations", "relyon", "", 3, "at most", "seconds", limit="the bits alone"),
    Target("leaderboards", "relyon", "", 5, "at most", "seconds", limit="np.cov"),
    *(
        Target(
            "slices",
            f"relyon, {number} conditions",
            "",
            2,
            "at most",
            "seconds",
            limit="sums of all pairs",
        )
        for number in ("two", "three")
    ),
    Target("deep", "relyon, second run", "relyon", 1, "at most", limit=LINES),
    Target("letor", "scikit-learn", "relyon", 10, limit=COPY),
    Target("letor", "LightGBM, to its bins", "relyon", 3, limit=COPY),
    Target(
        "boosting",
        "LightGBM, relyon's lambdarank",
        "LightGBM, its lambdarank",
        1.08,
        "at most",
        limit="LightGBM, squares",
    ),
    *(
        Target(
            "boosting",
            f"LightGBM, its 8 metrics, {trees}",
            f"LightGBM, relyon's 8 metrics, {trees}",
            2,
            limit=f"np.sort, {trees}",
        )
        for trees in ("one tree", "23 trees")
    ),
    *(
        Target("tensors", f"allRank, {name}", f"relyon, {name}", 1, limit="torch.sort")
        for name in ("ranknet", "listnet", "listmle", "approx_ndcg", "neural_ndcg", "ndcg_loss2pp")
    ),
    Target("tensors", "torchmetrics, NDCG", "relyon, NDCG", 100, limit="torch.sort, NDCG"),
    *(
        Target("clicks", f"relyon, {model}", "", bound, "at most", "seconds", limit=LOG)
        for model, bound in (("PBM", 12), ("UBM", 12), ("DBN", 12))
    ),
    *(
        Target("clicks", f"relyon, {model}", "", 3072, "at most", "memory", limit=LOG)
        for model in ("PBM", "UBM")
    ),
    *(
        Target(
            "clicks",
            f"relyon, {model}",
            f"relyon, {model}, half the log",
            2.1,
            "at most",
            limit=(LOG, f"{LOG}, half the log"),
        )
        for model in ("PBM", "UBM", "DBN")
    ),
    *(
        Target(
            "clicks",
            f"PyClick, {model}, few sessions ({share}, scaled)",
            f"relyon, {model}, few sessions",
            1000,
            limit=f"{LOG}, few sessions",
        )
        for model, share in (("PBM", "10.0%"), ("UBM", "10.0%"), ("DBN", "0.5%"))
    ),
    *(
        Target("starts", f"relyon {command}", "import numpy", bound, "at most", kind, limit=NOTHING)
        for command, bound in (("--help", 0.4), ("evaluate", 0.8), ("compare", 2), ("report", 8))
        for kind in KINDS
    ),
    *(
        Target(
            "reports", f"relyon {command}", "relyon compare", bound, "at most", kind, limit=TABLES
        )
        for command, bound, kind in REPORTS
    ),
    Target("reports", "relyon report", "", 2048, "at most", "memory", limit=TABLES),
    *(
        Target("searches", "relyon", f"httpx2, {how}", 1.3, "at most", limit="sockets")
        for how in ("threads", "async")
    ),
    Target("replays", "relyon, replay", "relyon, read_run", 2, "at most", limit="json.loads"),
    *GROWTH,
)
