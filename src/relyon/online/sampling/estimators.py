"""From values of sampled sessions to all sessions of the log: means with intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, get_args

from relyon.core.document.exportable import Exportable
from relyon.core.document.json import json_number, note_dict
from relyon.core.document.model import Document, Lines, Table
from relyon.core.errors import InputError, ParameterError
from relyon.core.notes import Note
from relyon.core.parameters import check_choice, check_fraction
from relyon.core.texts import message
from relyon.core.texts.numbers import TERMINAL
from relyon.online.sampling.sample import Sample

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

__all__ = ["Estimate", "Estimator", "estimate"]

Estimator = Literal["hansen-hurwitz", "horvitz-thompson"]
By = Literal["session", "query"]


@dataclass(frozen=True)
class Estimate(Exportable):
    """A mean over all sessions of a log, or of one of its tiers, as a sample shows it.

    Attributes:
        value: The mean; NaN where nothing was sampled.
        interval: Its confidence interval by Student's t; NaN where the sample is too small, or all
            its values are equal without being a census: their spread is unknown, not 0.
        standard_error: Its standard error; 0 where everything was sampled, or all is equal.
        degrees_of_freedom: Of the interval; infinite where everything was sampled.
        sampled: Values it rests on.
        confidence: Of the interval.
        per_tier: The same of every tier that is not empty.
        notes: What was noticed.
    """

    value: float
    interval: tuple[float, float]
    standard_error: float
    degrees_of_freedom: float
    sampled: int
    confidence: float
    per_tier: Mapping[str, Estimate] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values: NaN and infinity become null."""
        values: dict[str, object] = {
            "value": json_number(self.value),
            "interval": [json_number(bound) for bound in self.interval],
            "standard_error": json_number(self.standard_error),
            "degrees_of_freedom": json_number(self.degrees_of_freedom),
            "sampled": self.sampled,
            "confidence": self.confidence,
        }
        if self.per_tier:
            values["per_tier"] = {name: one.to_dict() for name, one in self.per_tier.items()}
        if self.notes:
            values["notes"] = [note_dict(note) for note in self.notes]
        return values

    def document(self) -> Document:
        """Returns the mean with its interval, and those of the tiers below."""
        rows = [[name, str(one)] for name, one in self.per_tier.items()]
        table = [Table(["tier", "mean"], rows, left=2)] if rows else []
        return Document([Lines([str(self)]), *table])

    def to_frame(self) -> pl.DataFrame:
        """Returns one row for all sessions, and one per tier."""
        import polars as pl

        names = ("value", "standard_error", "degrees_of_freedom", "sampled", "confidence")
        rows = []
        for tier, one in {"all": self, **self.per_tier}.items():
            low, high = one.interval
            numbers = {name: getattr(one, name) for name in names}
            rows.append({"tier": tier, **numbers, "low": low, "high": high})
        return pl.DataFrame(rows, infer_schema_length=None)

    def __str__(self) -> str:
        low, high = self.interval
        return f"{TERMINAL.number(self.value)} [{TERMINAL.number(low)}, {TERMINAL.number(high)}]"


def estimate(
    sample: Sample,
    values: Mapping[str, float],
    *,
    by: By = "session",
    estimator: Estimator = "hansen-hurwitz",
    confidence: float = 0.95,
) -> Estimate:
    """Estimates the mean over all sessions of the log from the values of those sampled.

    A stratified sample, with W_h = N_h / N and n_h of the N_h sessions of tier h:

        mean = Σ W_h ȳ_h,  variance = Σ W_h² (1 - n_h / N_h) s_h² / n_h,

    with Satterthwaite's degrees of freedom: the variance's square, over the sum of the squares of
    its terms divided by n_h - 1.

    PPTSS, with n draws of queries, each with probability p = (sessions of the query) / N, and one
    of the query's sessions at random at every draw. Hansen and Hurwitz keep draws that come twice:
    the mean of the draws, with the variance s² / n and n - 1 degrees of freedom; a tier's mean is
    that of the draws that fell into it. Horvitz and Thompson count each query once, by its
    inclusion probability π = 1 - (1 - p)^n:

        mean = Σ p_i ȳ_i / π_i,
        variance = Σ (1 - π_i) t_i² + Σ Σ (π_ij - π_i π_j) / π_ij t_i t_j,
        t_i = p_i ȳ_i / π_i,  π_ij = π_i + π_j - 1 + (1 - p_i - p_j)^n.

    This takes a query's value for the same in all its sessions. The number of different queries is
    left to chance, which costs precision: prefer the other one.

    Args:
        sample: What `draw_sample` returned.
        values: The value of every sampled session, such as its DCG@20; or of every query.
        by: What `values` are named by.
        estimator: For PPTSS.
        confidence: Confidence level of the intervals.

    Raises:
        InputError: If a sampled session or query has no value, or one that is not finite.
        ParameterError: If an option has an invalid value.

    Examples:
        >>> import polars as pl
        >>> from relyon.online.sampling import draw_sample
        >>> log = pl.DataFrame({
        ...     "session": [f"s{i}" for i in range(9)], "query": ["a"] * 6 + ["b", "b", "c"],
        ...     "position": [1] * 9, "doc": ["d"] * 9,
        ... })
        >>> sample = draw_sample(log, per_tier=6, cuts=[0.5], names=["head", "tail"])
        >>> found = estimate(sample, {f"s{i}": i for i in range(9)})
        >>> print(found)
        4.0000 [4.0000, 4.0000]

    References:
        Cochran (1977), Sampling Techniques, 3rd edition, 5.4 and 9A; Satterthwaite (1946),
        Biometrics Bulletin 2(6); Hansen and Hurwitz (1943), Annals of Mathematical Statistics
        14(4); Horvitz and Thompson (1952), Journal of the American Statistical Association 47.
    """
    check_choice("by", by, get_args(By))
    check_choice("estimator", estimator, get_args(Estimator))
    check_fraction("confidence", confidence)
    found = _values(sample, values, by)
    if sample.design == "stratified":
        if estimator != "hansen-hurwitz":
            raise ParameterError(message("online.estimator-horvitz-thompson"))
        return _stratified(sample, found, confidence)
    if estimator == "horvitz-thompson":
        return _horvitz_thompson(sample, found, confidence)
    return _hansen_hurwitz(sample, found, confidence)


def _values(sample: Sample, values: Mapping[str, float], by: By) -> NDArray[np.float64]:
    """The value of every draw, in their order."""
    import numpy as np

    ids = sample.sessions[by].to_list()
    missing = sorted({one for one in ids if one not in values})
    if missing:
        raise InputError(
            message(
                "online.sampled-without-value",
                count=len(missing),
                plural=PLURAL[by],
                missing=missing[0],
            ),
            hint=message("online.unjudged-session-has-no"),
        )
    found = np.array([values[one] for one in ids], dtype=np.float64)
    bad = np.flatnonzero(~np.isfinite(found))
    if len(bad):
        raise InputError(
            message("online.value-of-by-ids", by=by, ids=ids[bad[0]], found=found[bad[0]])
        )
    return found


PLURAL = {"session": "sessions", "query": "queries"}


def _stratified(sample: Sample, values: NDArray[np.float64], confidence: float) -> Estimate:
    tiers = [tier for tier in sample.tiers if tier.sessions]
    total = sum(tier.sessions for tier in tiers)
    names = sample.sessions["tier"].to_numpy()
    per_tier: dict[str, Estimate] = {}
    mean, terms = [], []
    notes: list[Note] = []
    for tier in tiers:
        of_tier = values[names == tier.name]
        count = len(of_tier)
        centre = float(of_tier.mean()) if count else math.nan
        left = 1 - count / tier.sessions
        variance = (
            _variance(of_tier) / count * left if count and left else 0.0 if count else math.nan
        )
        weight = tier.sessions / total
        mean.append(weight * centre)
        degrees = count - 1 if left else math.inf
        terms.append((weight**2 * variance, degrees))
        per_tier[tier.name] = _estimate(centre, variance, degrees, count, confidence)
        if left:
            notes += _unknown(tier.name, of_tier)
    variance = math.fsum(term for term, _ in terms)
    return _estimate(
        math.fsum(mean),
        variance,
        _satterthwaite(terms),
        len(values),
        confidence,
        per_tier,
        tuple(notes),
    )


def _satterthwaite(terms: Sequence[tuple[float, float]]) -> float:
    """Degrees of freedom of a sum of variances, each with its own."""
    whole = math.fsum(term for term, _ in terms)
    if math.isnan(whole):
        return math.nan
    parts = math.fsum(term**2 / degrees for term, degrees in terms if term > 0)
    if parts:
        return whole**2 / parts
    # No variance: all was sampled, or all values of each tier are the same.
    return float(min((degrees for _, degrees in terms if degrees > 0), default=math.inf))


def _hansen_hurwitz(sample: Sample, values: NDArray[np.float64], confidence: float) -> Estimate:
    names = sample.sessions["tier"].to_numpy()
    per_tier: dict[str, Estimate] = {}
    notes: list[Note] = []
    for tier in sample.tiers:
        if not tier.sessions:
            continue
        of_tier = values[names == tier.name]
        per_tier[tier.name] = _simple(of_tier, confidence)
        notes += _unknown(tier.name, of_tier)
    whole = _simple(values, confidence)
    return Estimate(
        whole.value,
        whole.interval,
        whole.standard_error,
        whole.degrees_of_freedom,
        whole.sampled,
        confidence,
        per_tier,
        tuple(notes),
    )


def _simple(values: NDArray[np.float64], confidence: float) -> Estimate:
    count = len(values)
    centre = float(values.mean()) if count else math.nan
    variance = _variance(values) / count if count else math.nan
    return _estimate(centre, variance, count - 1, count, confidence)


def _horvitz_thompson(sample: Sample, values: NDArray[np.float64], confidence: float) -> Estimate:
    import numpy as np
    import polars as pl

    queries = (
        sample.sessions.with_columns(pl.Series("value", values))
        .group_by("query")
        .agg(
            pl.col("tier").first(),
            pl.col("tier_sessions").first(),
            pl.col("query_sessions").first(),
            pl.col("draw_probability").first(),
            pl.col("inclusion_probability").first(),
            pl.col("value").mean(),
        )
        .sort("query")
    )
    chance = queries["draw_probability"].to_numpy()
    drawn = queries["inclusion_probability"].to_numpy()
    names = queries["tier"].to_numpy()
    of_rows = sample.sessions["tier"].to_numpy()
    excess = _excess(chance, drawn, len(sample))

    def of(rows: NDArray[np.bool_], weights: NDArray[np.float64]) -> Estimate:
        terms = np.where(rows, weights * queries["value"].to_numpy() / drawn, 0.0)
        count = int(rows.sum())
        if not count:
            return _estimate(math.nan, math.nan, -1, 0, confidence)
        variance = max(0.0, float(terms @ excess @ terms))
        return _estimate(float(terms.sum()), variance, count - 1, count, confidence)

    share = queries["query_sessions"].to_numpy() / queries["tier_sessions"].to_numpy()
    per_tier = {tier.name: of(names == tier.name, share) for tier in sample.tiers if tier.sessions}
    whole = of(np.ones(len(queries), dtype=np.bool_), chance)
    notes = tuple(note for name in per_tier for note in _unknown(name, values[of_rows == name]))
    return Estimate(**{**vars(whole), "per_tier": per_tier, "notes": notes})


def _excess(
    chance: NDArray[np.float64], drawn: NDArray[np.float64], draws: int
) -> NDArray[np.float64]:
    """Returns (π_ij - π_i π_j) / π_ij of every pair of queries, and 1 - π_i on the diagonal."""
    import numpy as np

    absent = 1.0 - chance
    # The difference of two nearly equal numbers, written so that rare queries keep their digits.
    with np.errstate(divide="ignore", invalid="ignore"):
        odds = np.minimum(np.outer(chance / absent, chance / absent), 1.0)
        difference = np.outer(1.0 - drawn, 1.0 - drawn) * np.expm1(draws * np.log1p(-odds))
        excess: NDArray[np.float64] = difference / (np.outer(drawn, drawn) + difference)
    np.fill_diagonal(excess, 1.0 - drawn)
    return excess


def _variance(values: NDArray[np.float64]) -> float:
    return float(values.var(ddof=1)) if len(values) > 1 else math.nan


def _estimate(
    centre: float,
    variance: float,
    degrees: float,
    count: int,
    confidence: float,
    per_tier: Mapping[str, Estimate] | None = None,
    notes: tuple[Note, ...] = (),
) -> Estimate:
    error = math.sqrt(variance)
    if error == 0 and math.isinf(degrees):
        bounds = (centre, centre)
    elif error == 0 or math.isnan(error) or degrees < 1:
        bounds = (math.nan, math.nan)
    else:
        from relyon.analysis.statistics import student_quantile

        half = student_quantile(degrees, 0.5 + confidence / 2) * error
        bounds = (centre - half, centre + half)
    return Estimate(centre, bounds, error, degrees, count, confidence, per_tier or {}, notes)


def _unknown(tier: str, values: NDArray[np.float64]) -> list[Note]:
    """Returns the note on a tier whose sample does not show how much its sessions differ."""
    count = len(values)
    if count > 1 and values.min() < values.max():
        return []
    return [
        Note(
            "no-variance" if count < 2 else "equal-sample",
            level="warning",
            examples=(tier,),
            values={"tier": tier, "sampled": count},
        )
    ]
