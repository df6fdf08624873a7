"""Figures of the lesson on the month: a sample's interval, judges, the sessions that it takes."""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING

from relyon.core.errors import InputError
from relyon.core.texts import message
from relyon.learn.figures import Figure, figure

if TYPE_CHECKING:
    import polars as pl

    from relyon.online.monitoring import SamplePlan

QUERIES = 1500
SESSIONS = 6000
#: Head is half of the traffic, middle three tenths, tail the rest.
CUTS = (0.5, 0.8)
#: Sessions per tier up to which the chart is drawn.
SIZES = (20, 50, 100, 200, 400)
SEED = 7

#: Grades of one judge, and of how many of them the other judge gave another.
GRADED = (3, 2, 1, 0) * 6
DIFFERENT = 8


@figure("month")
def month(per_tier: float) -> Figure:
    """The mean DCG of a month, from a sample of so many sessions of each tier.

    The chart shows how far each number is from the truth.

    Args:
        per_tier: How many sessions of each tier are graded.
    """
    rows = [(size, _sampled(size)) for size in SIZES if size <= per_tier]
    _, found = rows[-1]
    return Figure(
        found,
        {
            f"{name}-off": [(float(size), values[name] - values["truth"]) for size, values in rows]
            for name in ("high", "low", "head", "unweighted")
        },
    )


@cache
def _sampled(per_tier: int) -> dict[str, float]:
    """Returns the estimate of a sample and the value of the whole month."""
    from relyon.online.sampling import draw_sample, estimate

    log, values = _month()
    sample = draw_sample(log, per_tier=per_tier, tiers="share", cuts=CUTS, k=1, seed=SEED)
    found = estimate(sample, values)
    tiers = [tier.value for tier in found.per_tier.values()]
    low, high = found.interval
    return {
        "truth": sum(values.values()) / len(values),
        "estimate": found.value,
        "low": low,
        "high": high,
        "width": high - low,
        "head": tiers[0],
        "unweighted": sum(tiers) / len(tiers),
    }


@cache
def _month() -> tuple[pl.DataFrame, dict[str, float]]:
    """Returns a log, and the DCG of each of its sessions: frequent queries are served better."""
    import numpy
    import polars

    generator = numpy.random.default_rng(SEED)
    often = 1 / numpy.arange(1, QUERIES + 1) ** 0.8
    asked = generator.choice(QUERIES, SESSIONS, p=often / often.sum())
    own = generator.normal(0, 1, QUERIES)
    worth = 7.5 - 1.5 * numpy.log10(asked + 1) + own[asked] + generator.normal(0, 0.7, SESSIONS)
    names = [f"s{number}" for number in range(SESSIONS)]
    log = polars.DataFrame(
        {
            "session": names,
            "query": [f"q{query}" for query in asked],
            "position": [1] * SESSIONS,
            "doc": [f"d{query}" for query in asked],
        }
    )
    return log, dict(zip(names, worth.clip(0).tolist(), strict=True))


@figure("graded")
def graded(sessions: float) -> Figure:
    """The mean DCG of a month, from so many graded sessions: tiers by their share of the traffic.

    The series has the DCG of each graded session.

    Args:
        sessions: How many sessions are graded in all, a multiple of ten: five of ten in head,
            three in middle, two in tail.
    """
    from relyon.online.sampling import draw_sample, estimate

    if sessions < 10 or sessions % 10:
        raise InputError(message("learn.graded-needs-tens", sessions=f"{sessions:g}"))
    log, values = _month()
    tens = int(sessions) // 10
    per_tier = {"head": 5 * tens, "middle": 3 * tens, "tail": 2 * tens}
    sample = draw_sample(log, per_tier=per_tier, tiers="share", cuts=CUTS, k=1, seed=SEED)
    found = estimate(sample, values)
    low, high = found.interval
    drawn = [values[name] for name in sample.sessions["session"].to_list()]
    return Figure(
        {
            "truth": sum(values.values()) / len(values),
            "estimate": found.value,
            "low": low,
            "high": high,
            "width": high - low,
        },
        {"sessions": [(float(place), round(one, 2)) for place, one in enumerate(drawn)]},
    )


@figure("judges")
def judges(steps: float) -> Figure:
    """The agreement of two judges who differ on a third of the documents.

    Args:
        steps: By how many grades they are apart there, where the scale allows it.
    """
    from relyon.judging import cohen_kappa, krippendorff_alpha

    second = list(GRADED)
    for place in range(DIFFERENT):
        grade = GRADED[place]
        second[place] = max(0, grade - int(steps)) if grade > 1 else min(3, grade + int(steps))
    pairs = list(zip(GRADED, second, strict=True))
    return Figure(
        {
            "equal": sum(one == other for one, other in pairs) / len(pairs),
            "kappa": cohen_kappa(GRADED, second),
            "weighted": cohen_kappa(GRADED, second, weights="quadratic"),
            "alpha": krippendorff_alpha(pairs, level="ordinal"),
        }
    )


@figure("rare")
def rare(_: float) -> Figure:
    """The agreement of two judges if each finds two of twenty documents good, one in common."""
    from relyon.judging import cohen_kappa

    first, second = [1, 1] + [0] * 18, [1, 0, 1] + [0] * 17
    equal = sum(one == other for one, other in zip(first, second, strict=True))
    return Figure({"equal": equal / len(first), "kappa": cohen_kappa(first, second)})


@figure("plan")
def plan(drop: float) -> Figure:
    """The sessions to grade to detect a drop, eight times in ten.

    Args:
        drop: The fall in percent.
    """
    found = _plan().needed(drop / 100) or (math.nan, math.nan)
    return Figure({"per-tier": float(found[0]), "sessions": float(found[1])})


@cache
def _plan() -> SamplePlan:
    from relyon.online.monitoring import plan_sample

    log, _ = _month()
    return plan_sample(log, draws=3)
