"""Pairs to grade next: how long a draw takes, and how many grades it saves.

python -m bench.next_pairs                                   50 of 100,000 unjudged pairs, timed
python -m bench.next_pairs JUDGMENTS BASELINE CANDIDATE      error and width by number of grades

The second compares drawn pairs with pairs at random, with all pairs of random queries, and with a
pool of the first ranks. What is unjudged in the judgments counts as not relevant: that is the
truth, from which all grades are taken.
"""

from __future__ import annotations

import argparse
import math
import time
import warnings
from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

import relyon
from relyon.analysis.next_pairs.draw import draw, fitted_curve
from relyon.analysis.next_pairs.estimate import interval_of
from relyon.analysis.next_pairs.frame import Frame, build_frame
from relyon.analysis.next_pairs.martingale import Graded, Pairs, estimate_sums
from relyon.analysis.next_pairs.prior import expect
from relyon.analysis.statistics.intervals import t_interval
from relyon.core.notes import RelyonWarning
from relyon.data.convention import load_convention

#: Queries of the timed draw: with 20 documents each that only one run returns, or at other ranks.
QUERIES, DEPTH, BUDGET, REPEATS = 5_000, 10, 50, 60
COUNTS = (50, 100, 200, 400, 600)


def timed() -> tuple[int, float, float]:
    """Returns how many pairs there are, and the seconds of a first draw and of an estimate."""
    random = np.random.default_rng(1)
    old, new = (
        {
            f"q{query}": {
                f"d{side if n < DEPTH else 2}-{n}": float(score)
                for n, score in enumerate(random.random(2 * DEPTH))
            }
            for query in range(QUERIES)
        }
        for side in (0, 1)
    )
    before, after = relyon.Run.from_dict(old), relyon.Run.from_dict(new)
    measure = f"dcg@{2 * DEPTH}"
    start = time.perf_counter()
    found = relyon.next_pairs({}, before, after, measure, budget=BUDGET)
    drawn = time.perf_counter() - start
    judged = {one.query: {one.document: 1.0} for one in found.drawn}
    start = time.perf_counter()
    relyon.estimate_pairs(judged, before, after, drawn=found)
    return found.left, drawn, time.perf_counter() - start


def estimated(
    frame: Frame, gains: NDArray[np.float64], count: int, seed: int, *, equal: bool
) -> tuple[float, float]:
    """Returns the estimate after so many grades in batches of 50, and half the interval's width."""
    known, curve = np.full(len(gains), np.nan), 1.0
    drawn: list[Graded] = []
    pairs = Pairs(frame.query, frame.weight, known.copy(), len(frame.queries))
    for batch in range(1, math.ceil(count / BUDGET) + 1):
        prior = expect(frame, known)
        left = np.isnan(known) & frame.counts
        own = np.ones(len(gains)) if equal else np.abs(frame.weight) * prior.deviation
        sizes = np.where(left, own, 0.0)
        curve = curve if drawn else fitted_curve(sizes[left], 4 * BUDGET)
        chosen = draw(sizes, min(BUDGET, count - BUDGET * (batch - 1)), (seed, batch))
        here = gains[chosen.places]
        drawn.append(Graded(chosen.places, chosen.probabilities, here, prior))
        known[chosen.places] = here
    found = interval_of(estimate_sums(pairs, drawn, curve, expect(frame, known)), 0.95)
    return found.value, found.half


def whole_queries(
    frame: Frame, gains: NDArray[np.float64], count: int, seed: int
) -> tuple[float, float]:
    """Returns the same from all pairs of random queries, as many as the grades suffice for."""
    size = len(frame.queries)
    values = np.bincount(frame.query, frame.weight * gains, size).astype(np.float64)
    order = np.random.default_rng(seed).permutation(size)
    costs = np.cumsum(np.bincount(frame.query, frame.counts, size)[order])
    chosen = values[order[: max(2, int((costs <= count).sum()))]]
    low, high = t_interval(chosen, 0.95)
    return float(chosen.mean()), (high - low) / 2


def compare(judgments: str, baseline: str, candidate: str) -> None:
    """Prints the error and the width by the number of grades."""
    frame = build_frame(
        relyon.read_judgments(judgments),
        relyon.read_run(baseline),
        relyon.read_run(candidate),
        relyon.measure("dcg@10"),
        load_convention(None),
        None,
    )
    gains = np.where(np.isnan(frame.gains), 0.0, frame.gains)
    truth = float((frame.weight * gains).sum()) / len(frame.queries)
    size = len(frame.queries)
    whole = np.bincount(frame.query, frame.weight * gains, size).astype(np.float64)
    low, high = t_interval(whole, 0.95)
    print(f"{len(frame.queries)} queries, {int(frame.counts.sum())} pairs, DCG@10 {truth:+.3f}")
    print(f"all graded: ± {(high - low) / 2:.3f}\n")
    print("grades  way      error  ±")
    for count in [one for one in COUNTS if one < frame.counts.sum()]:
        ways = {
            "drawn": partial(estimated, frame, gains, count, equal=False),
            "random": partial(estimated, frame, gains, count, equal=True),
            "queries": partial(whole_queries, frame, gains, count),
        }
        for name, way in ways.items():
            found = np.array([way(seed) for seed in range(REPEATS)])
            error = math.sqrt(float(((found[:, 0] - truth) ** 2).mean()))
            print(f"{count:6}  {name:7}  {error:.3f}  {float(found[:, 1].mean()):.3f}")
    for depth in (1, 2, 3, 5):
        inside = ((frame.ranks > 0) & (frame.ranks <= depth)).any(axis=1) & frame.counts
        value = float((frame.weight * gains * inside).sum()) / len(frame.queries)
        print(f"{int(inside.sum()):6}  pool@{depth}   {value - truth:+.3f}  not shown")


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs it."""
    parser = argparse.ArgumentParser(prog="python -m bench.next_pairs", description=__doc__)
    parser.add_argument("files", nargs="*", metavar="FILE")
    files = parser.parse_args(arguments).files
    warnings.simplefilter("ignore", RelyonWarning)
    if files:
        compare(*files)
        return
    left, drawn, estimate = timed()
    print(f"{BUDGET} of {left:,} unjudged pairs: {drawn:.2f} s; the estimate: {estimate:.2f} s")


if __name__ == "__main__":
    main()
