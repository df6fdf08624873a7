"""How often the tests raise a false alarm, and how often the intervals hold the truth.

python -m bench.calibration                                     prints both tables
python -m bench.calibration --write docs/statistics.md docs/zh/statistics.md
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import relyon
from relyon.analysis import statistics

Values = NDArray[np.float64]

TESTS = ("t", "wilcoxon", "sign", "permutation", "bootstrap", "tukey")
INTERVALS = ("t", "percentile", "bca")
MEASURES = ("ndcg@10", "rr@10")
POPULATIONS = ("normal", "ndcg@10", "skewed")
QUERIES = (20, 50, 200)
DOCUMENTS = 20
POOL = 200_000
ALPHA, CONFIDENCE = 0.05, 0.95
RESAMPLES = 999
#: Share of the binomial distribution within the bounds.
INSIDE = 0.999


@dataclass(frozen=True)
class Rate:
    """How often something happened.

    Attributes:
        name: Of the test or interval.
        data: The data: a measure or a population.
        queries: Of each repetition.
        events: Repetitions in which it happened.
        repetitions: All of them.
        nominal: The share of repetitions in which it should happen.
    """

    name: str
    data: str
    queries: int
    events: int
    repetitions: int
    nominal: float

    @property
    def share(self) -> float:
        return self.events / self.repetitions

    @property
    def bounds(self) -> tuple[float, float]:
        """The shares between which 99.9% of such experiments end if the nominal one is true."""
        from scipy.stats import binom

        tail = (1 - INSIDE) / 2
        ends = binom.ppf([tail, 1 - tail], self.repetitions, self.nominal)
        return float(ends[0]) / self.repetitions, float(ends[1]) / self.repetitions


@cache
def exchangeable(measure: str, runs: int, queries: int, seed: int) -> Values:
    """Returns runs x queries of values of one ranker whose scores were disturbed at random.

    All rows have the same distribution, query by query: no test should find a difference. Queries
    are as unlike each other as real ones: each has its own number of relevant documents, and is
    hard or easy for all runs.
    """
    random = np.random.default_rng([seed, queries])
    relevant = random.random((queries, DOCUMENTS)) < random.beta(1, 5, (queries, 1))
    relevant[:, 0] = True
    labels = relevant * random.integers(1, 4, relevant.shape)
    scores = labels * random.exponential(0.5, (queries, 1)) + random.normal(0, 1, labels.shape)
    rows = [
        relyon.evaluate_scores(
            labels, scores + random.normal(0, 0.5, scores.shape), measures=[measure]
        ).column(measure)
        for _ in range(runs)
    ]
    return np.array(rows)


@cache
def population(name: str) -> Values:
    """Returns differences from which samples are drawn: their mean is known."""
    random = np.random.default_rng(11)
    if name == "normal":
        return random.normal(0.02, 0.1, POOL)
    if name == "skewed":
        return random.exponential(0.1, POOL) - 0.05
    labels = random.integers(0, 4, (POOL, DOCUMENTS)) * (random.random((POOL, DOCUMENTS)) < 0.2)
    labels[:, 0] = 1
    worse = labels + random.normal(0, 1.5, labels.shape)
    better = worse + 0.2 * labels + random.normal(0, 0.5, labels.shape)
    first, second = (
        np.array(relyon.evaluate_scores(labels, scores, measures=[name]).column(name))
        for scores in (worse, better)
    )
    difference: Values = second - first
    return difference


def false_alarms(test: str, measure: str, queries: int, repetitions: int) -> Rate:
    """Returns how often a test finds a difference at level 0.05 where there is none."""
    runs = 3 if test == "tukey" else 2
    values = exchangeable(measure, runs, queries * repetitions, 1)
    samples = values.reshape(runs, repetitions, queries)
    alarms = 0
    for number in range(repetitions):
        sample = np.ascontiguousarray(samples[:, number])
        if test == "tukey":
            pairs = statistics.tukey_hsd(sample, resamples=RESAMPLES, seed=number, threads=1)
            p = min(pair.p for pair in pairs.values())
        else:
            p = statistics.paired_test(
                test, sample[1] - sample[0], resamples=RESAMPLES, seed=number, threads=1
            ).p
        alarms += p <= ALPHA
    return Rate(test, measure, queries, alarms, repetitions, ALPHA)


def sign_level(measure: str, queries: int, repetitions: int) -> float:
    """Returns the false-alarm rate that the sign test has by the binomial distribution.

    It has few p-values, so the largest at or below 0.05 lies well below it.
    """
    from scipy.stats import binom

    @cache
    def level(count: int) -> float:
        counts = np.arange(count + 1)
        p = np.minimum(1, 2 * binom.cdf(np.minimum(counts, count - counts), count, 0.5))
        return float(binom.pmf(counts[p <= ALPHA], count, 0.5).sum())

    values = exchangeable(measure, 2, queries * repetitions, 1)
    unequal = (values[1] != values[0]).reshape(repetitions, queries).sum(axis=1)
    return float(np.mean([level(int(count)) for count in unequal]))


def coverage(interval: str, name: str, queries: int, repetitions: int) -> Rate:
    """Returns how often an interval at 95% holds the mean of the population."""
    pool = population(name)
    truth = statistics.mean(pool)
    random = np.random.default_rng([13, queries])
    held = 0
    for number in range(repetitions):
        sample = pool[random.integers(0, len(pool), queries)]
        low, high = statistics.interval(
            interval, sample, confidence=CONFIDENCE, resamples=RESAMPLES, seed=number, threads=1
        )
        held += low <= truth <= high
    return Rate(interval, name, queries, held, repetitions, CONFIDENCE)


# -- tables ------------------------------------------------------------------------------------

HEADINGS = {
    "en": {
        "test": "test",
        "interval": "interval",
        "queries": "{} queries",
        "alarms": "Repetitions: {:,} each. A rate of exactly 5% gives {:.1f} – {:.1f}% in 99.9%"
        " of such experiments.",
        "coverage": "Repetitions: {:,} each. A coverage of exactly 95% gives {:.1f} – {:.1f}% in"
        " 99.9% of such experiments.",
        "tukey": "tukey, any of three runs",
        "normal": "normal",
        "skewed": "exponential",
        "comma": ", ",
    },
    "zh": {
        "test": "检验",
        "interval": "区间",
        "queries": "{} 条查询",
        "alarms": "每格重复 {:,} 次。真实误报率若恰为 5%，99.9% 的这类实验会落在"
        " {:.1f} – {:.1f}% 之间。",
        "coverage": "每格重复 {:,} 次。真实覆盖率若恰为 95%，99.9% 的这类实验会落在"
        " {:.1f} – {:.1f}% 之间。",
        "tukey": "tukey，三组中任意一对",
        "normal": "正态",
        "skewed": "指数分布",
        "comma": "，",
    },
}


def table(rates: list[Rate], kind: str, language: str) -> str:
    """Returns rates as Markdown: one row per name, one column per kind of data and number of
    queries."""
    words = HEADINGS[language]
    columns = list(dict.fromkeys((rate.data, rate.queries) for rate in rates))
    heads = [
        words.get(data, data) + words["comma"] + words["queries"].format(n) for data, n in columns
    ]
    lines = [
        "| " + " | ".join([words["test" if kind == "alarms" else "interval"], *heads]) + " |",
        "|---|" + "--:|" * len(columns),
    ]
    found = {(rate.name, rate.data, rate.queries): rate for rate in rates}
    for name in dict.fromkeys(rate.name for rate in rates):
        cells = [f"{100 * found[name, *column].share:.1f}%" for column in columns]
        title = words[name] if name == "tukey" else name
        lines.append("| " + " | ".join([title, *cells]) + " |")
    low, high = rates[0].bounds
    note = words[kind].format(rates[0].repetitions, 100 * low, 100 * high)
    return "\n".join([*lines, "", note])


def rates(repetitions: int) -> Iterator[tuple[str, list[Rate]]]:
    """Yields both kinds of rates."""
    yield (
        "alarms",
        [
            false_alarms(test, measure, queries, repetitions)
            for test in TESTS
            for measure in MEASURES
            for queries in QUERIES
        ],
    )
    yield (
        "coverage",
        [
            coverage(interval, name, queries, repetitions)
            for interval in INTERVALS
            for name in POPULATIONS
            for queries in QUERIES
        ],
    )


def _between_marks(match: re.Match[str], inside: str) -> str:
    return f"{match[1]}{inside}{match[2]}"


def main() -> None:
    """Prints the tables, or puts them between their marks in pages."""
    parser = argparse.ArgumentParser(prog="python -m bench.calibration", description=__doc__)
    parser.add_argument("--repetitions", type=int, default=2000, help="default 2000")
    parser.add_argument("--write", type=Path, nargs="+", metavar="PAGE", default=[])
    options = parser.parse_args()
    for kind, found in rates(options.repetitions):
        if not options.write:
            print(table(found, kind, "en"), end="\n\n")
        for page in options.write:
            language = "zh" if "zh" in page.parts else "en"
            marks = re.compile(rf"(<!-- {kind} -->\n).*?(<!-- /{kind} -->)", re.DOTALL)
            text = page.read_text("utf-8")
            inside = f"\n{table(found, kind, language)}\n\n"
            page.write_text(marks.sub(partial(_between_marks, inside=inside), text), "utf-8")


if __name__ == "__main__":
    main()
