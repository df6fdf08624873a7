"""Draws pairs of months of one process, and writes how often the monitor calls them changed.

python docs/make_monitoring.py                      writes both pages on the monitor
python docs/make_monitoring.py --pairs 50 --print   prints the tables of fewer pairs
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np
import polars as pl
from marks import replaced

from relyon.online.monitoring.changes import difference
from relyon.online.monitoring.month_variance import MonthMean, month_means
from relyon.online.sampling import Sample, draw_sample
from relyon.online.sampling.sample import Design

PAGES = (Path(__file__).with_name("monitoring.md"), Path(__file__).parent / "zh" / "monitoring.md")
START, END = "<!-- simulation:start -->", "<!-- simulation:end -->"
PAIRS = 60
ALPHA = 0.05
TIERS = ("head", "middle", "tail")
INCLUSIONS = (0.02, 0.1, 0.25, 0.5, 0.75, 1.0)
#: Pairs after which the pages are written anew.
STEP = 4

Months = Literal["shared", "redrawn", "disjoint"]


@dataclass(frozen=True)
class Process:
    """What brings months forth.

    Attributes:
        queries: Different queries of a month.
        each: Sessions a query, on average.
        months: What two months share: `shared` queries with the values that they always have;
            `redrawn` values for the same queries; or `disjoint` queries.
        skew: The exponent of the queries' traffic, 1 / rank ** skew.
        discrete: Whether a query's value is 0 or 3 instead of normal around 3.
        drop: How far all values fall in the second month.
    """

    queries: int
    each: int
    months: Months = "shared"
    skew: float = 0.0
    discrete: bool = False
    drop: float = 0.0

    @property
    def sessions(self) -> int:
        """The sessions of a month."""
        return self.queries * self.each

    def draw(
        self, random: np.random.Generator, fixed: np.ndarray, later: bool
    ) -> tuple[pl.DataFrame, dict[str, float]]:
        """Returns a month's log and the value of every session."""
        traffic = 1.0 / np.arange(1, self.queries + 1) ** self.skew
        count = self.queries * self.each
        asked = random.choice(self.queries, count, p=traffic / traffic.sum())
        level = fixed
        if self.months != "shared":
            level = self.levels(random)
        values = level[asked] - self.drop * later
        if not self.discrete:
            values = values + 0.5 * random.standard_normal(count)
        prefix = "later" if later and self.months == "disjoint" else "query"
        sessions = [f"{later:d}-{number}" for number in range(count)]
        log = pl.DataFrame(
            {
                "session": sessions,
                "query": [f"{prefix} {query}" for query in asked],
                "position": [1] * count,
                "doc": ["d"] * count,
            }
        )
        return log, dict(zip(sessions, values.tolist(), strict=True))

    def levels(self, random: np.random.Generator) -> np.ndarray:
        """Returns what each query is worth."""
        if self.discrete:
            return np.where(random.random(self.queries) < 0.5, 3.0, 0.0)
        return 3.0 + random.standard_normal(self.queries)


@dataclass
class Count:
    """How often a test said something.

    Attributes:
        tests: All of them.
        fell: Those that called it a fall at the level 0.05, without a correction.
        rose: Those that called it a rise.
        unknown: Those that could not tell.
    """

    tests: int = 0
    fell: int = 0
    rose: int = 0
    unknown: int = 0

    def __add__(self, other: Count) -> Count:
        """Returns the counts of both."""
        return Count(
            self.tests + other.tests,
            self.fell + other.fell,
            self.rose + other.rose,
            self.unknown + other.unknown,
        )

    def add(self, before: MonthMean, after: MonthMean) -> bool:
        """Tests one more pair of months; returns whether it fell."""
        found = difference(before, after, alpha=ALPHA)
        fell = found.value < 0 and found.p <= ALPHA
        self.rose += found.value > 0 and found.p <= ALPHA
        self.tests += 1
        self.fell += fell
        self.unknown += math.isnan(found.p)
        return fell

    @property
    def share(self) -> float:
        """The share of tests that called it a fall."""
        return self.fell / self.tests if self.tests else math.nan

    @property
    def alarms(self) -> float:
        """The share of falls where nothing changes: of two months, either may be the first."""
        return (self.fell + self.rose) / 2 / self.tests if self.tests else math.nan


@dataclass
class Rates:
    """The counts of all tiers together and of the tiers, over pairs of months of one process."""

    whole: Count = field(default_factory=Count)
    tiers: Count = field(default_factory=Count)

    def __add__(self, other: Rates) -> Rates:
        """Returns the counts of both."""
        return Rates(self.whole + other.whole, self.tiers + other.tiers)


def simulate(
    process: Process,
    inclusion: float,
    design: Design = "stratified",
    *,
    pairs: int = PAIRS,
    same_seed: bool = True,
    seed: int = 0,
    first: int = 0,
) -> Rates:
    """Draws pairs of months, samples both, and tests the change.

    Args:
        process: What brings the months forth.
        inclusion: Sampled sessions, as a share of the month's; under PPTSS draws.
        design: Of the samples.
        pairs: How many.
        same_seed: Whether both months are sampled with one seed.
        seed: Of the whole simulation.
        first: The number of the first pair, on which the seeds of the samples depend.
    """
    random = np.random.default_rng([seed, process.queries, process.each, round(1000 * inclusion)])
    rates = Rates()
    per_tier = max(2, round(process.queries * process.each * inclusion / len(TIERS)))
    # All of a month is more than the same number from each tier, where tiers differ.
    per_tier = process.queries * process.each if inclusion == 1 and design != "pptss" else per_tier
    for number in range(first, first + pairs):
        fixed = process.levels(random)
        found = []
        for later in (False, True):
            log, values = process.draw(random, fixed, later)
            sample: Sample = draw_sample(
                log, per_tier=per_tier, design=design, k=1,
                seed=2 * number + (later and not same_seed),
            )  # fmt: skip
            found.append(month_means(sample, values))
        (before, before_tiers), (after, after_tiers) = found
        rates.whole.add(before, after)
        for tier in TIERS:
            if tier in before_tiers and tier in after_tiers:
                rates.tiers.add(before_tiers[tier], after_tiers[tier])
    return rates


#: What stands in the tables, by the names of its rows in English and Chinese.
PROCESSES: Mapping[tuple[str, str], Process] = {
    ("400 queries × 1, other queries", "400 条查询 × 1，查询不同"): Process(400, 1, "disjoint"),
    ("40 queries × 3", "40 条查询 × 3"): Process(40, 3),
    ("40 queries × 40, unequal traffic", "40 条查询 × 40，流量不均"): Process(40, 40, skew=1.0),
    ("6 queries × 400, values redrawn", "6 条查询 × 400，取值重抽"): Process(6, 400, "redrawn"),
    ("6 queries × 20, other queries, 0 or 3", "6 条查询 × 20，查询不同，取值 0 或 3"): Process(
        6, 20, "disjoint", discrete=True
    ),
}
DESIGNS: Mapping[Design, tuple[str, str]] = {
    "stratified": ("stratified", "分层"),
    "pptss": ("PPTSS", "PPTSS"),
}
FALLING = Process(40, 20, drop=0.5)
SEEDS = {
    True: ("40 queries × 20, one seed", "40 条查询 × 20，同一种子"),
    False: ("40 queries × 20, two seeds", "40 条查询 × 20，两个种子"),
}
ALL = ("all of these", "以上合计")
PAIRS_OF = (
    "{pairs} pairs of months in each cell; {total:,} in the last row of the first table.",
    "每格 {pairs} 对月份；第一张表最后一行每格 {total:,} 对。",
)

Row = tuple[tuple[str, str], Design, float, bool]


def rows() -> Iterator[Row]:
    """Yields the cells of both tables: the row's names, design, inclusion, and one seed or two."""
    for names in PROCESSES:
        for design in DESIGNS:
            for inclusion in INCLUSIONS:
                yield names, design, inclusion, True
    for same, names in SEEDS.items():
        for design in DESIGNS:
            for inclusion in INCLUSIONS:
                yield names, design, inclusion, same


def cell(row: Row, seed: int) -> Rates:
    """Simulates some pairs of one cell."""
    names, design, inclusion, same = row
    process = PROCESSES.get(names, FALLING)
    return simulate(
        process, inclusion, design, pairs=STEP, same_seed=same, seed=seed, first=STEP * seed
    )


def simulate_all(pairs: int, workers: int) -> Iterator[tuple[int, dict[Row, Rates]]]:
    """Yields the pairs of each cell so far, and their rates; works on several cells at a time."""
    # Those that take longest come first.
    wanted = sorted(rows(), key=lambda row: -PROCESSES.get(row[0], FALLING).sessions * row[2])
    found = {row: Rates() for row in wanted}
    with ProcessPoolExecutor(workers) as pool:
        for seed in range(math.ceil(pairs / STEP)):
            for row, rates in zip(
                wanted, pool.map(cell, wanted, [seed] * len(wanted)), strict=True
            ):
                found[row] += rates
            yield (seed + 1) * STEP, found


def tables(found: Mapping[Row, Rates], pairs: int, language: int) -> str:
    """Returns both tables as Markdown, in English (0) or Chinese (1)."""
    heads = [
        "| | | " + " | ".join(f"{inclusion:g}" for inclusion in INCLUSIONS) + " |",
        "| --- | --- |" + " ---: |" * len(INCLUSIONS),
    ]
    alarms = [
        _line(names[language], DESIGNS[design][language],
              [_pair(found[names, design, one, True]) for one in INCLUSIONS])
        for names in PROCESSES for design in DESIGNS
    ]  # fmt: skip
    pooled = [
        sum((found[names, design, one, True] for names in PROCESSES for design in DESIGNS), Rates())
        for one in INCLUSIONS
    ]
    alarms.append(_line(ALL[language], "", [_pair(one) for one in pooled]))
    power = [
        _line(names[language], DESIGNS[design][language],
              [f"{100 * found[names, design, one, same].whole.share:.0f}" for one in INCLUSIONS])
        for same, names in SEEDS.items() for design in DESIGNS
    ]  # fmt: skip
    told = PAIRS_OF[language].format(pairs=pairs, total=pooled[0].whole.tests)
    return "\n".join(["", *heads, *alarms, "", *heads, *power, "", told, ""])


def _pair(rates: Rates) -> str:
    return f"{100 * rates.whole.alarms:.1f} / {100 * rates.tiers.alarms:.1f}"


def _line(name: str, design: str, shown: list[str]) -> str:
    return f"| {name} | {design} | " + " | ".join(shown) + " |"


def main() -> None:
    """Writes the tables into the pages, or prints them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pairs", type=int, default=PAIRS)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--print", action="store_true", dest="only_print")
    given = parser.parse_args()
    for pairs, found in simulate_all(given.pairs, given.workers):
        print(f"{pairs} pairs")
        for language, path in enumerate(PAGES):
            text = tables(found, pairs, language)
            if given.only_print:
                print(text)
            else:
                path.write_text(replaced(path, START, END, text), "utf-8")


if __name__ == "__main__":
    main()
