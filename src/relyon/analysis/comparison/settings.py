"""The settings of the tests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Literal, TypedDict, get_args

from relyon.analysis.statistics import (
    CORRECTIONS,
    INTERVALS,
    Resampling,
    cluster_interval,
    interval,
)
from relyon.core.errors import ParameterError
from relyon.core.parameters import check_choice, check_fraction
from relyon.core.texts import message

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from relyon.analysis.statistics import ClusteredMean

__all__ = ["ALWAYS_VALID", "TESTS", "AlwaysValid", "Correction", "Interval", "Options", "Settings"]

Correction = Literal["holm", "bh", "none"]
Interval = Literal["t", "percentile", "bca", "anytime", "asymptotic"]
AlwaysValid = Literal["anytime", "asymptotic"]

TESTS = ("t", "wilcoxon", "sign", "permutation", "bootstrap")
#: Tests and intervals that are valid at every look.
ALWAYS_VALID: tuple[AlwaysValid, ...] = get_args(AlwaysValid)


@dataclass(frozen=True)
class Settings:
    """The settings of the tests.

    Attributes:
        test: The deciding test: one of `TESTS`, or `tukey`; or `anytime`, valid at every look while
            queries arrive, or its `asymptotic` form.
        interval: The kind of confidence intervals: `t`, `percentile`, `bca`; `anytime` or
            `asymptotic` with the test of that name.
        correction: For several comparisons: `holm`, `bh` (Benjamini-Hochberg), `none`.
        alpha: The significance level of corrected p-values.
        confidence: Confidence level of the intervals, such as 0.95.
        resamples: Number of resamples of tests and intervals.
        seed: Equal seeds give identical results.
        threads: 0 uses all cores; results do not depend on it.
        margins: By measure, the smallest difference that matters: a number in the measure's own
            units, or a share of the baseline's value such as "2%".
    """

    test: str = "t"
    interval: Interval = "t"
    correction: Correction = "holm"
    alpha: float = 0.05
    confidence: float = 0.95
    resamples: int = 10_000
    seed: int = 0
    threads: int = 0
    margins: Mapping[str, float | str] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        check_choice("test", self.test, (*TESTS, "tukey", *ALWAYS_VALID))
        check_choice("interval", self.interval, (*INTERVALS, *ALWAYS_VALID))
        if self.test != self.interval and {self.test, self.interval} & {*ALWAYS_VALID}:
            raise ParameterError(
                message("analysis.anytime-is-both", test=self.test, interval=self.interval),
                hint=message("analysis.choose-anytime-for-both"),
            )
        check_choice("correction", self.correction, CORRECTIONS)
        for name in ("alpha", "confidence"):
            check_fraction(name, getattr(self, name))
        _ = self.draws

    def to_dict(self) -> dict[str, object]:
        """Returns the settings that affect the numbers: all but the threads."""
        values = asdict(self)
        del values["threads"]
        if not self.margins:
            del values["margins"]
        return values

    @property
    def always_valid(self) -> bool:
        """Whether tests and intervals are valid at every look."""
        return self.test in ALWAYS_VALID

    @property
    def draws(self) -> Resampling:
        """The resampling of tests and intervals."""
        return Resampling(self.resamples, self.seed, self.threads)

    def interval_of(
        self, values: NDArray[np.float64], clustered: ClusteredMean | None = None
    ) -> tuple[float, float]:
        """Returns the confidence interval of the mean of values, one per query.

        Args:
            values: The values.
            clustered: Their mean in clusters, if they have any.
        """
        if clustered is not None:
            return cluster_interval(self.interval, clustered, self.confidence, self.draws)
        return interval(
            self.interval,
            values,
            confidence=self.confidence,
            resamples=self.resamples,
            seed=self.seed,
            threads=self.threads,
        )


class Options(TypedDict, total=False):
    """The fields of `Settings` as keyword arguments."""

    test: str
    interval: Interval
    correction: Correction
    alpha: float
    confidence: float
    resamples: int
    seed: int
    threads: int
    margins: Mapping[str, float | str]
