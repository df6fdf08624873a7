"""Draws thousands of samples of a known log, and writes what their estimates are worth.

python docs/make_sampling.py                          writes both pages on sampling
python docs/make_sampling.py --samples 200 --print    prints the table of fewer samples
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import polars as pl
from marks import replaced

from relyon.online.sampling import Estimate, build_tiers, draw_sample, estimate

PAGES = (Path(__file__).with_name("sampling.md"), Path(__file__).parent / "zh" / "sampling.md")
START, END = "<!-- simulation:start -->", "<!-- simulation:end -->"
SAMPLES = 2000
SESSIONS = 4000
PER_TIER = 60
CUTS = (0.25, 0.5)


@dataclass(frozen=True)
class Population:
    """A log all of whose values are known.

    Attributes:
        log: Its rows.
        values: The value of each session.
        by_query: The mean value of each query.
        truth: The mean over all sessions, and over each tier's.
        deviations: The standard deviation of each tier.
    """

    log: pl.DataFrame
    values: Mapping[str, float]
    by_query: Mapping[str, float]
    truth: Mapping[str, float]
    deviations: Mapping[str, float]


def make_population(seed: int = 1) -> Population:
    """Frequent queries are worth more; values are skewed, as DCG is, and differ in a query."""
    random = np.random.default_rng(seed)
    queries = np.floor(np.exp(random.random(SESSIONS) * np.log(1500))).astype(np.int64)
    level = random.gamma(3.0, 1.0, 1501) + 6.0 / (1.0 + np.arange(1501) / 20.0)
    values = level[queries] * random.uniform(0.6, 1.4, SESSIONS)
    log = pl.DataFrame(
        {
            "session": [f"session {number}" for number in range(SESSIONS)],
            "query": [f"query {query}" for query in queries],
            "position": [1] * SESSIONS,
            "doc": ["d"] * SESSIONS,
        }
    )
    known = log.with_columns(pl.Series("value", values))
    tiers = build_tiers(log, "share", CUTS)
    named = known.join(tiers.frame, on="query").with_columns(
        pl.col("tier").replace_strict(dict(enumerate(tiers.names)), return_dtype=pl.String)
    )
    by_tier = named.group_by("tier").agg(
        pl.col("value").mean().alias("mean"), pl.col("value").std().alias("deviation")
    )
    return Population(
        log,
        dict(known.select("session", "value").iter_rows()),
        dict(known.group_by("query").agg(pl.col("value").mean()).iter_rows()),
        {"all": float(values.mean()), **dict(by_tier.select("tier", "mean").iter_rows())},
        dict(by_tier.select("tier", "deviation").iter_rows()),
    )


@dataclass
class Record:
    """What the samples of one design said, of all sessions or of one tier's."""

    truth: float
    values: list[float] = field(default_factory=list)
    errors: list[float] = field(default_factory=list)
    covered: int = 0

    def add(self, found: Estimate) -> None:
        """Takes the estimate of one more sample."""
        self.values.append(found.value)
        self.errors.append(found.standard_error)
        self.covered += found.interval[0] <= self.truth <= found.interval[1]

    @property
    def mean(self) -> float:
        """The mean of the estimates."""
        return float(np.mean(self.values))

    @property
    def deviation(self) -> float:
        """The standard deviation of the estimates: what the standard error should be."""
        return float(np.std(self.values, ddof=1))

    @property
    def standard_error(self) -> float:
        """The root of the mean of the squared standard errors."""
        return float(np.sqrt(np.mean(np.square(self.errors))))

    @property
    def bias(self) -> float:
        """The mean less the truth, in standard errors of that mean."""
        return (self.mean - self.truth) / (self.deviation / math.sqrt(len(self.values)))

    @property
    def coverage(self) -> float:
        """The share of the intervals that hold the truth."""
        return self.covered / len(self.values)


def simulate(samples: int, first: int = 0) -> dict[str, dict[str, Record]]:
    """Draws samples with the seeds `first` and following.

    Returns:
        By design, and then by `all` or a tier, what the samples said.
    """
    population = make_population()
    tiers = build_tiers(population.log, "share", CUTS)
    designs: dict[str, tuple[dict[str, object], list[tuple[str, dict[str, object]]]]] = {
        "stratified, equal": ({}, [("", {})]),
        "stratified, proportional": ({"allocation": "proportional"}, [("", {})]),
        "stratified, Neyman": (
            {"allocation": "neyman", "deviations": population.deviations},
            [("", {})],
        ),
        "PPTSS": (
            {"design": "pptss"},
            [
                (", Hansen–Hurwitz", {}),
                (", Horvitz–Thompson", {"estimator": "horvitz-thompson", "by": "query"}),
            ],
        ),
    }
    found: dict[str, dict[str, Record]] = {}
    draw: Callable[..., object] = draw_sample
    for name, (options, estimators) in designs.items():
        for seed in range(first, first + samples):
            sample = draw(population.log, tiers=tiers, per_tier=PER_TIER, seed=seed, **options)
            for suffix, chosen in estimators:
                values = population.by_query if chosen else population.values
                one = estimate(sample, values, **chosen)  # type: ignore[arg-type]
                records = found.setdefault(
                    name + suffix, {key: Record(truth) for key, truth in population.truth.items()}
                )
                for key, record in records.items():
                    part = one if key == "all" else one.per_tier[key]
                    if key == "all" or not math.isnan(part.standard_error):
                        record.add(part)
    return found


def bounds(count: int, confidence: float = 0.999) -> tuple[float, float]:
    """Returns the shares between which the coverage of exact 95% intervals lies."""
    from scipy.stats import binom

    low, high = binom.interval(confidence, count, 0.95)
    return float(low) / count, float(high) / count


def table(found: Mapping[str, Mapping[str, Record]]) -> str:
    """Returns the figures as a Markdown table."""
    lines = [
        "| | truth | mean | bias / s.e. | s.d. | s.e. | coverage | head | middle | tail |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name, records in found.items():
        whole = records["all"]
        tiers = " | ".join(f"{records[key].coverage:.1%}" for key in ("head", "middle", "tail"))
        lines.append(
            f"| {name} | {whole.truth:.4f} | {whole.mean:.4f} | {whole.bias:+.2f} |"
            f" {whole.deviation:.4f} | {whole.standard_error:.4f} | {whole.coverage:.1%} |"
            f" {tiers} |"
        )
    return "\n".join(lines)


def main() -> None:
    """Writes the table into the pages, or prints it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--samples", type=int, default=SAMPLES)
    parser.add_argument("--print", action="store_true", dest="only_print")
    given = parser.parse_args()
    found = simulate(given.samples)
    low, high = bounds(given.samples)
    text = table(found)
    if given.only_print:
        print(text, f"\nbounds of the coverage: {low:.1%} to {high:.1%}")
        return
    sizes = f"{given.samples:,} × {3 * PER_TIER}"
    for path in PAGES:
        shown = f"\n{text}\n\n({sizes}; {low:.1%} – {high:.1%})\n"
        path.write_text(replaced(path, START, END, shown), "utf-8")


if __name__ == "__main__":
    main()
