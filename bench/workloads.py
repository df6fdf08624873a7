"""The workloads: one function each, which lists the contenders that do the same work."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

import relyon
from bench import limits, peers
from bench.arrays import arrays, auc, gauc, pnr
from bench.boosting import boosting
from bench.click_models import clicks
from bench.commands import reports, starts
from bench.contenders import (
    evaluate_command,
    expected_values,
    five_measures,
    read_json,
    trec_eval,
    with_rr,
)
from bench.formats import formats
from bench.growth import DATA as GROWTH_DATA, growth
from bench.leaderboards import leaderboards
from bench.letor import letor
from bench.parquet import labelled, parquet
from bench.search import replays, searches
from bench.slices import slices
from bench.tensors import tensors
from bench.timing import Contender, Workload
from bench.traces import traces


def file(home: Path) -> Workload:
    """File to five measures, in process."""
    judgments, run = home / "msdev.qrels", home / "msdev.run"
    return Workload(
        [
            Contender("relyon", lambda: five_measures(judgments, run), agrees="relyon"),
            Contender(
                "relyon, one thread",
                lambda: relyon.evaluate(judgments, run, peers.FIVE, threads=1),
                agrees="relyon",
            ),
            limits.lines(run),
            Contender("cat", ["cat", str(run)]),
            Contender("Polars", lambda: peers.polars_files(judgments, run), agrees="input order"),
            trec_eval(judgments, run),
            Contender("ranx", lambda: peers.ranx_files(judgments, run), agrees="any order of ties"),
            Contender(
                "ir_measures",
                lambda: peers.ir_measures(judgments, run),
                agrees="any order of ties",
            ),
        ],
        expected_values(partial(with_rr, judgments, run)),
        run.stat().st_size,
    )


def deep(home: Path) -> Workload:
    """200 graded documents per query, long ids; and a second run against the same judgments."""
    judgments, run = home / "deep.qrels", home / "deep.run"
    evaluator = relyon.Evaluator(judgments)
    return Workload(
        [
            Contender("relyon", lambda: five_measures(judgments, run), agrees="relyon"),
            Contender(
                "relyon, second run",
                lambda: evaluator.evaluate(run, peers.FIVE),
                agrees="relyon",
            ),
            Contender("Polars", lambda: peers.polars_files(judgments, run), agrees="input order"),
            trec_eval(judgments, run),
            limits.lines(run),
        ],
        expected_values(partial(with_rr, judgments, run)),
        run.stat().st_size,
    )


def diversity(home: Path) -> Workload:
    """Judgments of subtopics and a run to six measures, in process; ndeval as a process."""
    judgments, run = home / "diverse.qrels", home / "diverse.run"

    def ours(convention: Any = None, threads: int = 0) -> relyon.Results:
        return relyon.evaluate(
            judgments, run, peers.DIVERSITY, convention=convention, threads=threads
        )

    return Workload(
        [
            Contender("relyon", ours, agrees="relyon"),
            Contender("relyon, one thread", lambda: ours(threads=1), agrees="relyon"),
            Contender(
                "ndeval",
                peers.ndeval_command(judgments, run),
                peers.read_ndeval,
                "relyon",
                1e-6,
                absent=None
                if peers.ndeval_program()
                else "no ndeval binary on the path or in NDEVAL",
            ),
            Contender("pyndeval", lambda: peers.pyndeval(judgments, run), agrees="pyndeval"),
            Contender(
                "ir_measures",
                lambda: peers.ir_measures_diversity(judgments, run),
                agrees="pyndeval",
            ),
            limits.lines(run),
        ],
        expected_values(ours),
        run.stat().st_size,
    )


def fusion(home: Path) -> Workload:
    """Five runs fused, with and without their reading; the fused scores are compared."""
    paths = [home / f"several.{number}.run" for number in range(1, 6)]
    read = [relyon.read_run(path) for path in paths]
    theirs = cache(lambda: peers.ranx_runs(paths))

    def values(fused: relyon.Run) -> peers.Values:
        score = fused.to_frame()["score"]
        return {"mean score": score.mean(), "rows": float(len(fused))}  # type: ignore[dict-item]

    def expected(rules: str) -> Mapping[str, tuple[float, float]]:
        found = values(relyon.fuse(read, rules))
        return {name: (value, value) for name, value in found.items()}

    contenders = []
    for method in ("rrf", "sum"):
        contenders += [
            Contender(
                f"relyon, {method}", partial(relyon.fuse, paths, method), values, agrees=method
            ),
            Contender(
                f"relyon, {method}, runs read before",
                partial(relyon.fuse, read, method),
                values,
                agrees=method,
            ),
            Contender(
                f"ranx, {method}, runs read before",
                partial(lambda method: peers.ranx_fuse(theirs(), method), method),
                peers.fused_values,
                agrees=method,
            ),
            Contender(
                f"ranx, {method}",
                partial(lambda method: peers.ranx_fuse(peers.ranx_runs(paths), method), method),
                peers.fused_values,
                agrees=method,
            ),
        ]
    return Workload(contenders, cache(expected), sum(path.stat().st_size for path in paths))


def process(home: Path) -> Workload:
    """The same as a whole process; the shuffled run cannot be streamed."""
    judgments, run = home / "msdev.qrels", home / "msdev.run"
    shuffled = evaluate_command(judgments, home / "msdev.shuffled.run")
    return Workload(
        [
            Contender("relyon", evaluate_command(judgments, run), read_json, "relyon"),
            Contender("relyon, shuffled", shuffled, read_json, "relyon"),
            trec_eval(judgments, run),
            limits.nothing(),
            limits.lines(run),
            limits.memory(home / "msdev.shuffled.run"),
        ],
        expected_values(partial(with_rr, judgments, run)),
        run.stat().st_size,
    )


def small(home: Path) -> Workload:
    """50 queries as a whole process: what starting costs."""
    judgments, run = home / "small.qrels", home / "small.run"
    script = [sys.executable, "-c", peers.PYTREC_EVAL_SCRIPT, str(judgments), str(run)]
    return Workload(
        [
            Contender("relyon", evaluate_command(judgments, run), read_json, "relyon"),
            Contender("pytrec_eval", script, peers.read_trec_eval, "pytrec_eval"),
            trec_eval(judgments, run),
            limits.nothing(),
        ],
        expected_values(partial(with_rr, judgments, run)),
        run.stat().st_size,
    )


def _frames(home: Path) -> tuple[Any, Any]:
    import polars as pl

    def read(name: str, columns: dict[str, Any], value: str) -> pl.DataFrame:
        schema = {"query": pl.String, "constant": pl.String, "document": pl.String} | columns
        return pl.read_csv(
            home / name, separator=" ", has_header=False, quote_char=None, schema=schema
        ).select("query", "document", value)

    return (
        read("msdev.qrels", {"grade": pl.Int64}, "grade"),
        read("msdev.run", {"rank": pl.Int64, "score": pl.Float64, "tag": pl.String}, "score"),
    )


def _dictionary(frame: Any) -> dict[str, dict[str, Any]]:
    value = frame.columns[-1]
    return {
        name: dict(zip(part["document"].to_list(), part[value].to_list(), strict=True))
        for (name,), part in frame.partition_by("query", as_dict=True, maintain_order=True).items()
    }


def dicts(home: Path) -> Workload:
    """Dict of dicts; for ranx both with and without the making of its own objects."""
    judgments, run = map(_dictionary, _frames(home))

    def make() -> tuple[Any, Any]:
        from ranx import Qrels, Run

        return Qrels(judgments), Run(run)

    made = cache(make)
    return Workload(
        [
            Contender("relyon", lambda: five_measures(judgments, run), agrees="relyon"),
            Contender(
                "pytrec_eval", lambda: peers.pytrec_eval(judgments, run), agrees="pytrec_eval"
            ),
            Contender(
                "ranx, objects made before", lambda: peers.ranx(*made()), agrees="any order of ties"
            ),
            Contender("ranx", lambda: peers.ranx(*make()), agrees="any order of ties"),
            limits.pairs_seen(run),
        ],
        expected_values(partial(with_rr, judgments, run)),
    )


def frames(home: Path) -> Workload:
    """Polars frames of strings; pytrec_eval gets the same pairs as dicts made before."""
    judgments, run = _frames(home)
    made = _dictionary(judgments), _dictionary(run)
    return Workload(
        [
            Contender("relyon", lambda: five_measures(judgments, run), agrees="relyon"),
            Contender("pytrec_eval", lambda: peers.pytrec_eval(*made), agrees="pytrec_eval"),
            Contender("every document hashed", run["document"].hash),
        ],
        expected_values(partial(with_rr, judgments, run)),
    )


def permutations(home: Path) -> Workload:
    """Fisher's randomisation test of 7,000 queries, 3 measures; peers draw 0.2% of the million."""
    resamples, few = 1_000_000, 2_000
    random = np.random.default_rng(5)
    baseline = random.beta(1.0, 2.0, (3, 7_000))
    candidate = np.clip(baseline + random.normal(0.0, 0.1, baseline.shape), 0.0, 1.0)
    # Neither plain nor hopeless: a wrong test would show.
    shift = np.array([[0.0005], [0.001], [0.0015]]) - (candidate - baseline).mean(axis=1)[:, None]
    candidate += shift
    differences = candidate - baseline

    def ours(threads: int = 0) -> peers.Values:
        from relyon.analysis.statistics import Resampling, permutation_p_values

        found = permutation_p_values(differences, Resampling(resamples, threads=threads))
        return {f"measure {row}": p for row, p in enumerate(found, 1)}

    def expected(rules: str) -> Mapping[str, tuple[float, float]]:
        """A peer's share of draws lies within 5 standard errors of ours."""
        errors = {name: 5 * math.sqrt(p * (1 - p) / int(rules)) for name, p in ours().items()}
        return {name: (p - errors[name], p + errors[name]) for name, p in ours().items()}

    return Workload(
        [
            Contender("relyon", ours, agrees=str(resamples)),
            Contender("relyon, one thread", lambda: ours(1), agrees=str(resamples)),
            Contender(
                "SciPy (0.2%, scaled)",
                lambda: peers.scipy_permutation(differences, few),
                agrees=str(few),
                share=few / resamples,
            ),
            Contender(
                "ranx (0.2%, scaled)",
                lambda: peers.ranx_fisher(baseline, candidate, few),
                agrees=str(few),
                share=few / resamples,
            ),
            Contender("the bits alone", partial(_bits, resamples * differences.shape[1])),
        ],
        expected,
    )


def _bits(count: int) -> None:
    """Draws so many random bits, a block at a time."""
    bits = np.random.SFC64(5)
    for _ in range(count // 2**26 + 1):
        bits.random_raw(2**20)


def imports(home: Path) -> Workload:
    """Starting Python and importing; `import relyon` imports the rest when it is first used."""
    lines = ("pass", "import numpy", "import relyon", "from relyon import evaluate")
    return Workload([Contender(line, [sys.executable, "-c", line]) for line in lines])


@dataclass(frozen=True)
class Entry:
    """A workload, what the table calls it and the data sets that it needs."""

    title: str
    make: Callable[[Path], Workload]
    data: tuple[str, ...] = ()


WORKLOADS = {
    "file": Entry("File to five measures, in process", file, ("msdev",)),
    "process": Entry("File to five measures, whole process", process, ("msdev",)),
    "formats": Entry("The same run in several formats", formats, ("tables",)),
    "traces": Entry("A trace of a million calls, in process", traces, ("traces",)),
    "small": Entry("50 queries x 1,000, whole process", small, ("small",)),
    "deep": Entry("Deep judgments, long ids, in process", deep, ("deep",)),
    "diversity": Entry("Judgments of subtopics, in process", diversity, ("diverse",)),
    "fusion": Entry("Five runs fused", fusion, ("several",)),
    "dicts": Entry("Dict of dicts", dicts, ("msdev",)),
    "frames": Entry("Polars string columns", frames, ("msdev",)),
    "parquet": Entry("Runs in Parquet", parquet, ("msdev",)),
    "labelled": Entry("Labelled rows in Parquet", labelled, ("flat",)),
    "arrays": Entry("Arrays of 100 documents per query", arrays, ("dense",)),
    "auc": Entry("Pooled AUC", auc, ("flat",)),
    "gauc": Entry("Grouped AUC", gauc, ("flat",)),
    "pnr": Entry("PNR of one long query", pnr, ("single",)),
    "permutations": Entry("A million permutations", permutations),
    "leaderboards": Entry("A leaderboard of 200 systems x 7,000 queries", leaderboards),
    "slices": Entry("Slices of 7,000 queries x 40 columns", slices),
    "imports": Entry("Imports, whole process", imports),
    "starts": Entry("The shipped example, whole process", starts),
    "reports": Entry("Reports over 20 million rows, whole process", reports, ("reports",)),
    "growth": Entry("Twice the size, and twice the threads", growth, GROWTH_DATA),
    "clicks": Entry("Click models, at convergence", clicks, ("clicks",)),
    "letor": Entry("LETOR text, 136 features", letor, ("letor",)),
    "searches": Entry("1,000 queries to a local server, 8 at a time", searches),
    "replays": Entry("A tape of 1,000 x 100, in process", replays),
    "tensors": Entry("Losses and NDCG of PyTorch's tensors", tensors),
    "boosting": Entry("LightGBM, two rounds; eight metrics", boosting, ("ranked",)),
}
