"""The plan of a month: its sample, how wide its intervals will be, and what is left to grade."""

from __future__ import annotations

import math
import os
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from relyon.app.months.checked_logs import titles_of
from relyon.core.errors import ParameterError
from relyon.core.texts import message
from relyon.io.session_readers import read_sessions
from relyon.judging.earlier_grades import read_earlier_grades, retitled
from relyon.online.monitoring import PlannedInterval, Round, plan_intervals
from relyon.online.sampling import DEFAULT_DEPTH, Pool, Sample, build_pool, build_tiers, draw_sample
from relyon.online.sampling.tiers import NAMES, Tiers

if TYPE_CHECKING:
    from relyon.judging.store import Store

__all__ = ["MOST_RESULTS", "Plan", "PlanForm", "draw_plan", "first_form"]

#: Sessions per tier to begin with: what `relyon sample` draws, too.
PER_TIER = 100
#: Query-document pairs of a month's project; more would not be graded in a month.
MOST_RESULTS = 200_000
#: The largest seed: what the database keeps.
LARGEST_SEED = 2**31 - 1


@dataclass(frozen=True)
class PlanForm:
    """What a lead chose.

    Attributes:
        head: Up to which share of all sessions queries are head.
        middle: Up to which share they are head or middle.
        sizes: Sessions of head, middle and tail.
        depths: Results of a session that count, in the same order.
        seed: Chooses the sessions.
        earlier: The project whose grades are used again; 0 for none.
        max_age: The most days that such a grade may be old; 0 for any.
    """

    head: float = 1 / 3
    middle: float = 2 / 3
    sizes: tuple[int, int, int] = (PER_TIER, PER_TIER, PER_TIER)
    depths: tuple[int, int, int] = (40, 20, 20)
    seed: int = 0
    earlier: int = 0
    max_age: int = 0


@dataclass(frozen=True)
class Plan:
    """What came of it.

    Attributes:
        sample: The sample.
        pool: The results to grade, and those graded before.
        interval: The planned intervals.
        basis: The month whose variances they are of; empty if they are assumed.
    """

    sample: Sample
    pool: Pool
    interval: PlannedInterval
    basis: str


def first_form(month: Round | None, earlier: int) -> PlanForm:
    """Returns the form to begin with: sizes and depths of the month before, if there is one.

    Args:
        month: The last stored month.
        earlier: The project whose grades are used again; 0 for none.
    """
    seed = secrets.randbelow(LARGEST_SEED)
    known = {} if month is None else {tier.name: tier for tier in month.sample.tiers}
    if month is None or known.keys() != {*NAMES}:
        head, middle, tail = (DEFAULT_DEPTH[name] for name in NAMES)
        return PlanForm(depths=(head, middle, tail), seed=seed, earlier=earlier)
    first, second, third = (known[name] for name in NAMES)
    sizes = tuple(max(one.sampled, 1) for one in (first, second, third))
    return PlanForm(
        sizes=(sizes[0], sizes[1], sizes[2]),
        depths=(first.k, second.k, third.k),
        seed=seed,
        earlier=earlier,
    )


def draw_plan(
    log: Path,
    form: PlanForm,
    store: Store,
    last: Round | None,
    *,
    report: Callable[[int, int, object], None],
) -> Plan:
    """Draws the sample of a log.

    Args:
        log: The repaired log.
        form: What was chosen.
        store: The database with earlier grades.
        last: The last stored month.
        report: Called with the steps that are done, and all.

    Raises:
        InputError: If it is no log of sessions.
        ParameterError: If a choice is invalid, or there would be too many results to grade.
    """
    sessions = read_sessions(os.fspath(log))
    sample = draw_sample(
        sessions,
        per_tier=dict(zip(NAMES, form.sizes, strict=True)),
        tiers=cut_tiers(sessions, form),
        k=dict(zip(NAMES, form.depths, strict=True)),
        seed=form.seed,
        progress=report,
    )
    earlier = read_earlier_grades(store, form.earlier) if form.earlier else None
    age = f"{form.max_age}d" if form.max_age and earlier is not None else None
    pool = build_pool(sample, earlier, max_age=age)
    if len(pool.reused):
        titles = titles_of(log, pool.reused["doc"].to_list())
        pool = pool.without(retitled(store, form.earlier, titles))
    results = len(pool) + len(pool.reused)
    if results > MOST_RESULTS:
        raise ParameterError(
            message("app.month-has-too-many-results", count=results, most=MOST_RESULTS)
        )
    interval = plan_intervals(sample.tiers, last)
    basis = "" if interval.assumed or last is None else last.month
    return Plan(sample, pool, interval, basis)


def cut_tiers(sessions: object, form: PlanForm) -> Tiers:
    """Returns the tiers of a log.

    Raises:
        ParameterError: If the boundaries do not ascend between 0 and 1.
    """
    if not (0 < form.head < form.middle < 1) or not math.isfinite(form.middle):
        raise ParameterError(message("app.tiers-must-ascend", head=form.head, middle=form.middle))
    return build_tiers(sessions, "share", [form.head, form.middle])
