"""How long `relyon conventions --match` takes: ways of counting, measures, lists.

python -m bench.matching
python -m bench.matching --queries 50 --documents 1000 --ways 2000
"""

from __future__ import annotations

import argparse
import time

import numpy as np

import relyon
from relyon.analysis.matching.effects import effects_of
from relyon.analysis.matching.measured import Measurements
from relyon.analysis.matching.ways import ways

MEASURES = ("ndcg@10", "ap", "rr", "p@10", "recall@100", "ndcg", "bpref")
REPEATS = 3


def files(queries: int, documents: int) -> tuple[relyon.Judgments, relyon.Run]:
    """Returns judgments and a run with tied scores, unjudged and missed documents."""
    draw = np.random.default_rng(1)
    judgments: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    for number in range(queries):
        names = [f"d{code}" for code in draw.choice(50 * documents, documents, replace=False)]
        judged = draw.choice(names, max(documents // 10, 1), replace=False).tolist()
        grades = draw.choice([0, 0, 1, 2, 3], len(judged)).tolist()
        judgments[f"q{number}"] = {**dict(zip(judged, grades, strict=True)), "missed": 2}
        scores = np.round(draw.normal(0, 1, documents), 2).tolist()
        run[f"q{number}"] = dict(zip(names, scores, strict=True))
    return relyon.read_judgments(judgments), relyon.read_run(run)


def main() -> None:
    """Prints the seconds of the best of three runs, and the CPU's."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queries", type=int, default=50)
    parser.add_argument("--documents", type=int, default=1000)
    parser.add_argument("--ways", type=int, default=2000)
    given = parser.parse_args()
    judgments, run = files(given.queries, given.documents)
    measures = [relyon.measure(name) for name in MEASURES]
    found = []
    for _ in range(REPEATS):
        start, cpu = time.perf_counter(), time.process_time()
        listed, _ = ways(measures, effects_of(judgments, run, None))
        Measurements(judgments, run, None, 0).numbers(listed[: given.ways], measures)
        found.append((time.perf_counter() - start, time.process_time() - cpu))
    wall, cpu = min(found)
    tried = min(given.ways, len(listed))
    print(f"{tried:,} ways x {len(measures)} measures: {wall:.2f} s, CPU {cpu:.2f} s")
    numbers = relyon.evaluate(judgments, run, MEASURES)
    asked = {name: f"{numbers[name]:.4f}" for name in MEASURES}
    start, cpu = time.perf_counter(), time.process_time()
    answer = relyon.match_convention(judgments, run, asked)
    wall, cpu = time.perf_counter() - start, time.process_time() - cpu
    print(f"all {answer.tiers[-1].tried:,} ways, with the answer: {wall:.2f} s, CPU {cpu:.2f} s")


if __name__ == "__main__":
    main()
