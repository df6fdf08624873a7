"""A trace of many calls against a run of the same rows: the file to numbers."""

from __future__ import annotations

from functools import cache, partial
from pathlib import Path

import relyon
from bench import limits
from bench.timing import Contender, Workload

LIST = "ndcg@10"
SESSION = "session_dcg"


def traces(home: Path) -> Workload:
    """A million calls of 10 results; judgments are read before, per task or per call."""

    @cache
    def evaluator(name: str) -> relyon.Evaluator:
        return relyon.Evaluator(home / f"{name}.qrels")

    def values(judgments: str, file: str, *measures: str) -> dict[str, float]:
        return dict(evaluator(judgments).evaluate(home / file, measures))

    def expected(rules: str) -> dict[str, tuple[float, float]]:
        # All tasks have as many calls, so the mean of means is the mean over all calls.
        value = values("traces.calls", "traces.run", LIST)[LIST]
        return {LIST: (value - 1e-12, value + 1e-12)}

    for judgments in ("traces", "traces.calls"):
        evaluator(judgments)
    ours = partial(values, "traces", "traces.jsonl")
    run = partial(values, "traces.calls")
    return Workload(
        [
            Contender("run, TREC text", lambda: run("traces.run", LIST), agrees="relyon"),
            Contender("run, JSON Lines", lambda: run("traces.run.jsonl", LIST), agrees="relyon"),
            Contender("trace, one measure of lists", lambda: ours(LIST), agrees="relyon"),
            Contender("trace, and one of sessions", lambda: ours(LIST, SESSION), agrees="relyon"),
            limits.lines(home / "traces.jsonl"),
        ],
        expected,
        (home / "traces.jsonl").stat().st_size,
    )
