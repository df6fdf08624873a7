"""Draws a sample of sessions from a log of any engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar, get_args

from relyon.core.errors import ParameterError
from relyon.core.notes import Note, warn
from relyon.core.parameters import check_choice
from relyon.core.registry import suggestion
from relyon.core.texts import message
from relyon.io.log_checks import read_log
from relyon.online.logs.bots import noted_bots
from relyon.online.sampling.allocation import Allocation, allocate
from relyon.online.sampling.depths import chosen_common
from relyon.online.sampling.frames import results_of
from relyon.online.sampling.origin import origin_of
from relyon.online.sampling.pptss import draw_pptss
from relyon.online.sampling.sample import Design, Sample, Stratum, make_stratum
from relyon.online.sampling.stratified import draw_stratified
from relyon.online.sampling.tiers import NAMES, Method, Tiers, build_tiers

if TYPE_CHECKING:
    import polars as pl

__all__ = ["DEFAULT_DEPTH", "draw_sample"]

N = TypeVar("N", int, float)

#: Results of a session that count, by tier; other tiers take the least of them.
DEFAULT_DEPTH: Mapping[str, int] = {"head": 40, "middle": 20, "tail": 20}


def draw_sample(
    sessions: object,
    *,
    per_tier: int | Mapping[str, int] = 100,
    design: Design = "stratified",
    allocation: Allocation = "equal",
    deviations: Mapping[str, float] | None = None,
    tiers: Method | Tiers = "share",
    cuts: Sequence[float] | None = None,
    names: Sequence[str] = NAMES,
    k: int | Mapping[str, int] | None = None,
    common_k: int | None = None,
    seed: int = 0,
    progress: Callable[[int, int, str], None] | None = None,
) -> Sample:
    """Draws sessions from which the mean over all sessions of a log can be estimated.

    The log is never held in memory: the engine counts sessions by query, and returns the sessions
    of queries that were drawn, and the results of sessions that were. Which ones these are depends
    on the seed and the ids alone: not on the order of the rows, their partitions, or the engine.

    Args:
        sessions: What `relyon.read_sessions` takes: `relyon.Sessions`, a frame of any engine, or a
            path. A warning says how many bots are in it; `relyon.online.logs.without_bots` leaves
            them out.
        per_tier: Sessions per tier, averaged over tiers; or how many of each tier, by its name,
            for a stratified sample that is not allocated otherwise.
        design: `stratified`: from each tier a simple random sample without replacement. `pptss`:
            draws with replacement, of queries with probability proportional to their traffic and
            then of one of their sessions.
        allocation: How a stratified sample is divided over the tiers, as in
            `relyon.online.sampling.allocate`.
        deviations: Standard deviation of the values of each tier, from a pilot; for `neyman`.
        tiers: How queries are cut into tiers, as in `build_tiers`; or the tiers of this log.
        cuts: Where they are cut.
        names: Their names.
        k: Results of a session that count, for all tiers or by tier. `None` takes 40 for head and
            20 for the others.
        common_k: The depth at which tiers are compared: DCG@40 and DCG@20 are not comparable.
            `None` takes the smallest depth.
        seed: Chooses the sessions.
        progress: Called with the steps that are done, how many there are, and what the next one
            does.

    Returns:
        The sample, with its results down to k.

    Raises:
        InputError: If it is no log of sessions.
        ParameterError: If an option has an invalid value.

    Examples:
        >>> import polars as pl
        >>> log = pl.DataFrame({
        ...     "session": ["s1", "s1", "s2", "s3"], "query": ["a", "a", "a", "b"],
        ...     "position": [1, 2, 1, 1], "doc": ["d1", "d2", "d2", "d1"],
        ... })
        >>> sample = draw_sample(log, per_tier=1, cuts=[0.5], names=["head", "tail"])
        >>> sample.sessions["query"].to_list()
        ['a', 'b']

    References:
        Cochran (1977), Sampling Techniques, 3rd edition, chapters 5 and 9A; Hansen and Hurwitz
        (1943), Annals of Mathematical Statistics 14(4).
    """
    for size in per_tier.values() if isinstance(per_tier, Mapping) else [per_tier]:
        if size < 1:
            raise ParameterError(message("online.parameter-per-tier", per_tier=size))
    if seed < 0:
        raise ParameterError(message("online.parameter-seed-must-be-0", seed=seed))
    check_choice("design", design, get_args(Design))
    if design == "pptss" and allocation != "equal":
        raise ParameterError(message("online.pptss-has-no-allocation"))
    if deviations is not None and (design == "pptss" or allocation != "neyman"):
        raise ParameterError(message("online.standard-deviations-of-pilot"))
    named = tiers.names if isinstance(tiers, Tiers) else tuple(names)
    depths = _depths(k, named)
    each = _by_tier(per_tier, named, "per_tier") if isinstance(per_tier, Mapping) else None
    if each is not None and (design == "pptss" or allocation != "equal"):
        raise ParameterError(message("online.sizes-by-tier-are-not-allocated"))
    shallow = chosen_common(min(depths), min(depths), common_k)
    pilot = None if deviations is None else _by_tier(deviations, named, "deviations")
    say = progress or (lambda done, steps, what: None)
    log = read_log(sessions)
    say(0, 4, "looking for bots")
    bots = noted_bots(log)
    say(1, 4, "counting the sessions of every query")
    cut = tiers if isinstance(tiers, Tiers) else build_tiers(log, tiers, cuts, names=named)
    wanted = per_tier * len(named) if isinstance(per_tier, int) else 0
    say(2, 4, "choosing sessions")
    if design == "pptss":
        drawn = draw_pptss(log, cut, wanted, seed)
    else:
        sizes = (
            allocate(cut.sessions, wanted, allocation, deviations=pilot)
            if each is None
            else [min(pair) for pair in zip(each, cut.sessions, strict=True)]
        )
        drawn = draw_stratified(log, cut, sizes, seed)
    strata = _strata(cut, drawn, depths)
    rows = _described(drawn, strata)
    say(3, 4, "reading their results")
    shown = results_of(log, rows["session"].unique().sort().to_list(), max(depths))
    equal = per_tier if isinstance(per_tier, int) and allocation == "equal" else 0
    thin = _notes(strata, design, each or [equal] * len(strata))
    notes = (*bots, *_mixed(shown), *thin)
    warn(notes)
    origin = origin_of(log, sum(note.count for note in bots))
    return Sample(rows, _top(shown, rows), strata, design, seed, shallow, notes, origin)


def _depths(k: int | Mapping[str, int] | None, names: Sequence[str]) -> list[int]:
    if isinstance(k, Mapping):
        depths = _by_tier(k, names, "k")
    elif k is None:
        depths = [DEFAULT_DEPTH.get(name, min(DEFAULT_DEPTH.values())) for name in names]
    else:
        depths = [k] * len(names)
    for depth in depths:
        if depth < 1:
            raise ParameterError(message("online.parameter-k-must-be-1", depth=depth))
    return [int(depth) for depth in depths]


def _by_tier(values: Mapping[str, N], names: Sequence[str], what: str) -> list[N]:
    for name in values:
        if name not in names:
            raise ParameterError(
                message(
                    "online.names-tier",
                    what=what,
                    name=name,
                    names=list(names),
                ),
                hint=suggestion(name, list(names)),
            )
    missing = [name for name in names if name not in values]
    if missing:
        raise ParameterError(message("online.says-nothing-of-tier", what=what, missing=missing[0]))
    return [values[name] for name in names]


def _strata(tiers: Tiers, drawn: pl.DataFrame, depths: Sequence[int]) -> tuple[Stratum, ...]:
    import polars as pl

    found = []
    total = sum(tiers.sessions)
    for number, name in enumerate(tiers.names):
        queries = tiers.frame.filter(pl.col("tier") == number)["sessions"]
        chance = drawn.filter(pl.col("tier") == number)["inclusion_probability"]
        found.append(
            make_stratum(
                name,
                total,
                queries=len(queries),
                sessions=int(queries.sum()),
                least=_whole(queries.min()),
                most=_whole(queries.max()),
                chances=chance.to_list(),
                k=depths[number],
            )
        )
    return tuple(found)


def _whole(value: object) -> int:
    return value if isinstance(value, int) else 0


def _described(drawn: pl.DataFrame, strata: Sequence[Stratum]) -> pl.DataFrame:
    import polars as pl

    tiers = pl.DataFrame(
        {
            "tier": list(range(len(strata))),
            "name": [tier.name for tier in strata],
            "tier_sessions": [tier.sessions for tier in strata],
            "k": [tier.k for tier in strata],
        },
        schema_overrides={"name": pl.String},
    )
    joined = drawn.join(tiers, on="tier", maintain_order="left")
    chances = [name for name in drawn.columns if name.endswith("probability")]
    return joined.select(
        pl.int_range(1, pl.len() + 1).alias("draw"),
        pl.col("name").alias("tier"),
        "query",
        "session",
        "query_sessions",
        "tier_sessions",
        *chances,
        "k",
    )


def _top(shown: pl.DataFrame, rows: pl.DataFrame) -> pl.DataFrame:
    """Returns the results of the sampled sessions and queries, down to the k of their tier."""
    import polars as pl

    wanted = rows.select("session", "query", "k").unique()
    return (
        shown.join(wanted, on=["session", "query"])
        .filter(pl.col("position") <= pl.col("k"))
        .select("session", "query", "position", "doc")
        .sort("session", "query", "position", "doc")
    )


def _mixed(shown: pl.DataFrame) -> list[Note]:
    import polars as pl

    mixed = shown.group_by("session").agg(pl.col("query").n_unique())
    ids = mixed.filter(pl.col("query") > 1)["session"].sort().to_list()
    if not ids:
        return []
    return [
        Note(
            "mixed-sessions",
            len(ids),
            "warning",
            tuple(ids[:3]),
        )
    ]


def _notes(strata: Sequence[Stratum], design: Design, sizes: Sequence[int]) -> list[Note]:
    notes = []
    for tier, per_tier in zip(strata, sizes, strict=True):
        if not tier.sessions:
            notes.append(_tier_note("empty-tier", tier.name))
        elif design == "pptss" and tier.sampled < 2:
            notes.append(_tier_note("thin-tier", tier.name, draws=tier.sampled))
        elif design == "stratified" and tier.sampled == tier.sessions:
            note = _tier_note("small-tier", tier.name, wanted=per_tier)
            key = "small-tier.fewer" if tier.sessions < per_tier else "small-tier.whole"
            notes.append(replace(note, count=tier.sessions, key=key))
    return notes


def _tier_note(kind: str, tier: str, **values: int) -> Note:
    return Note(kind, level="warning", values={"tier": tier, **values})
