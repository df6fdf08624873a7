"""The value of a candidate, estimated from the log of another ranking or policy."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, get_args

from relyon.analysis.statistics import ClusterSizes, Resampling
from relyon.core.errors import InputError, ParameterError
from relyon.core.notes import Note, warn
from relyon.core.parameters import check_choice, check_fraction, check_whole
from relyon.core.texts import Text, message
from relyon.labels.derivation import model_of
from relyon.labels.off_policy.candidate import Candidate, read_candidate
from relyon.labels.off_policy.choices import Choices, align
from relyon.labels.off_policy.estimator import Estimator, Evidence, Terms, estimators
from relyon.labels.off_policy.feedback import Feedback, Propensities, Reward, read_feedback
from relyon.labels.off_policy.intervals import Interval, estimate_of, interval_of
from relyon.labels.off_policy.policy_value import SHOWN, OffPolicy, PolicyValue
from relyon.labels.off_policy.weights import Level, Overlap, Weights

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from relyon.labels.model import ClickModel

__all__ = ["ESTIMATORS", "Cluster", "evaluate_policy"]

#: The estimators that are used where none is named.
ESTIMATORS = ("ips", "snips", "dr", "item-position", "cascade-dr", "dm", "click-model")
#: … of single decisions, which the others would repeat.
SINGLE = ("ips", "snips", "dr", "dm", "click-model")

#: Effective sessions below which a note says how few there are.
FEW = 30

Cluster = Literal["auto", "user", "query", "none"]


def evaluate_policy(
    log: object,
    candidate: object,
    *,
    estimators: Sequence[str] | None = None,
    depth: int = 10,
    propensities: Propensities = "auto",
    reward: Reward = "auto",
    click_model: str | ClickModel = "pbm",
    interval: Interval = "betting",
    cluster: Cluster = "auto",
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
    wanted: int = 100,
    threads: int = 0,
) -> OffPolicy:
    """Estimates what a candidate would earn per session, from the log of another ranker or policy.

    Args:
        log: What `relyon.labels.off_policy.read_feedback` takes.
        candidate: What `relyon.labels.off_policy.read_candidate` takes.
        estimators: Names of estimators; None for all that apply.
        depth: Ignore positions after this one.
        propensities: What the log's column `propensity` is of; `none` counts in the log instead.
        reward: The column of what a result earned; `auto` takes the clicks where there are any.
        click_model: The click model of the estimator of that name, or its name: its prior then has
            the log's clicks per result for its mean.
        interval: `betting` and the wider `bernstein` are valid for any number of independent
            sessions, users or queries, `anytime` also at any number of looks as independent
            sessions come in; `bootstrap` and `t` are narrower, and too narrow where few sessions
            match or weights are heavy.
        cluster: The independent units: all sessions of a `user`, all of a `query`, or each session
            (`none`); `auto` takes users where the log has them.
        level: Confidence level of the intervals.
        resamples: Setting of the bootstrap.
        seed: Setting of the bootstrap.
        wanted: How many matching sessions to say the traffic for.
        threads: Threads of the bootstrap; 0 uses all cores.

    Raises:
        InputError: If no estimator can say anything: the log has shown nothing of what the
            candidate shows, or so rarely that a handful of sessions would decide; the hint names
            what would have to be logged. If the log has no users, and `cluster` is `user`.
        ParameterError: If an option has an invalid value, or `anytime` is asked for by user or
            query.
        UnknownNameError: If an estimator or the click model is unknown.

    Examples:
        >>> import polars as pl
        >>> log = pl.DataFrame(
        ...     {
        ...         "session": [1, 1, 2, 2, 3, 3, 4, 4],
        ...         "query": ["tv"] * 8,
        ...         "doc": ["a", "b", "b", "a", "b", "a", "a", "b"],
        ...         "position": [1, 2] * 4,
        ...         "clicked": [0, 1, 1, 0, 1, 1, 0, 0],
        ...         "propensity": [0.5] * 8,
        ...     }
        ... )
        >>> new = {"tv": {"b": 2.0, "a": 1.0}}
        >>> found = evaluate_policy(log, new, estimators=["ips"], propensities="list")
        >>> found["ips"].value, found.logged
        (1.5, 1.0)

    References:
        Dudík, Langford and Li (2011), ICML; Li et al. (2018), KDD; Kiyohara et al. (2022), WSDM;
        Waudby-Smith and Ramdas (2024), JRSS B 86(1); Maurer and Pontil (2009), COLT; Howard,
        Ramdas, McAuliffe and Sekhon (2021), Annals of Statistics 49(2).
    """
    import numpy as np

    check_choice("interval", interval, get_args(Interval))
    check_choice("cluster", cluster, get_args(Cluster))
    check_fraction("level", level)
    check_whole("wanted", wanted)
    resampling = Resampling(resamples, seed, threads)
    model = model_of(click_model)
    wished = _named(estimators)
    chosen = read_candidate(candidate)
    feedback = read_feedback(
        log, depth=_depth(chosen, depth), propensities=propensities, reward=reward
    )
    choices = align(feedback, chosen)
    kept = choices.feedback
    if not wished:
        wished = _named(SINGLE if kept.places == 1 else ESTIMATORS)
    if isinstance(click_model, str):
        model = _mean_prior(model, kept)
    evidence = Evidence(choices, model)
    most = (kept.bounds[0] * kept.places, kept.bounds[1] * kept.places)
    unit, groups = _groups(kept, cluster, interval)
    sizes = None if groups is None else ClusterSizes.of(np.bincount(groups).astype(float))
    order = kept.hashes.argsort(kind="stable")

    def bounds(terms: Terms) -> tuple[float, float]:
        return interval_of(
            terms,
            interval,
            level,
            most=most,
            resampling=resampling,
            groups=groups,
            order=order,
        )

    values = tuple(_value(one, evidence, bounds) for one in wished)
    overlaps = tuple(evidence.weights(one).overlap for one in _levels(evidence))
    missing = _missing(choices)
    whole = overlaps[0]
    needed = _needed(whole, len(kept), wanted)
    if all(value.refused is not None for value in values):
        raise _refusal(values, missing, feedback, needed, wanted)
    logged = Terms(kept.totals, None, *most)
    notes = (
        *feedback.notes,
        *choices.notes,
        *_notes(evidence, wished, values, overlaps),
        *_people(kept, unit),
        *_outside(values, most),
    )
    warn(notes)
    return OffPolicy(
        values=values,
        overlaps=overlaps,
        logged=estimate_of(logged),
        logged_interval=bounds(logged),
        candidate=chosen.name,
        sessions=len(kept),
        queries=kept.queries,
        depth=int(kept.positions.max()),
        single=kept.single,
        clicks=kept.clicks,
        method=interval,
        level=level,
        unit=unit,
        units=sizes,
        missing=missing,
        needed=needed,
        wanted=wanted,
        source=kept.sessions.source,
        notes=notes,
    )


def _groups(
    feedback: Feedback, cluster: Cluster, interval: Interval
) -> tuple[Literal["user", "query", "none"], NDArray[np.int64] | None]:
    """Returns the independent units, and that of each session if it is not one."""
    if cluster == "none" or (cluster == "auto" and feedback.users is None):
        return "none", None
    if interval == "anytime":
        raise ParameterError(
            message("labels.interval-is-for-independent", interval=interval),
            hint=message("labels.use-betting-or-none"),
        )
    if cluster == "query":
        queries = feedback.contexts.get_column("query").rank("dense").to_numpy().astype("int64") - 1
        return "query", queries[feedback.context]
    if feedback.users is None:
        raise InputError(
            message("labels.log-has-no-users"),
            path=feedback.path,
            hint=message("labels.name-user-column"),
        )
    return "user", feedback.users


def _people(feedback: Feedback, unit: str) -> list[Note]:
    """Warns where users come back and sessions are counted as independent."""
    if feedback.users is None or unit == "user":
        return []
    count = int(feedback.users.max()) + 1
    if count == len(feedback):
        return []
    return [Note("offpolicy-users", count, "warning", values={"sessions": len(feedback)})]


def _outside(values: Sequence[PolicyValue], most: tuple[float, float]) -> list[Note]:
    """Names estimates that lie beyond what a session can earn."""
    slack = 1e-9 * max(1.0, abs(most[0]), abs(most[1]))
    names = [
        one.estimator
        for one in values
        if one.value < most[0] - slack or one.value > most[1] + slack
    ]
    if not names:
        return []
    about = {"names": names, "low": most[0], "high": most[1]}
    return [Note("offpolicy-outside", len(names), "warning", values=about)]


def _named(names: Sequence[str] | None) -> list[Estimator]:
    found = [estimators.get(name)() for name in dict.fromkeys(names or ())]
    if names is not None and not found:
        raise ParameterError(
            message("labels.name-off-policy-estimator"), hint=message("labels.such-as-ips")
        )
    return found


def _mean_prior(model: ClickModel, feedback: Feedback) -> ClickModel:
    """Returns a click model whose prior has the log's clicks per result for its mean.

    What labels begin with, one click in two impressions, would dominate the predictions of rare
    clicks.
    """
    shown = int((feedback.documents >= 0).sum())
    if not feedback.clicks or not shown:
        return model
    return replace(model, prior_clicks=model.prior_shown * feedback.totals.sum() / shown)


def _depth(candidate: Candidate, depth: int) -> int:
    """The last position that a policy knows, where it comes first."""
    check_whole("depth", depth)
    positions = candidate.table.get_column("position")
    if candidate.ranking or positions.null_count():
        return depth
    return min(depth, int(positions.max()))  # type: ignore[arg-type]


def _levels(evidence: Evidence) -> tuple[Level, ...]:
    """What can be compared: of single decisions, and of policies on lists, places alone."""
    if evidence.chances or evidence.feedback.places == 1:
        return ("place",)
    return ("list", "prefix", "place")


def _value(
    estimator: Estimator, evidence: Evidence, bounds: Callable[[Terms], tuple[float, float]]
) -> PolicyValue:
    """Returns an estimate, or the reason why it is missing."""
    nothing = (math.nan, math.nan)
    refused = estimator.refusal(evidence)
    level = estimator.level or "place"
    if estimator.lists and evidence.chances:
        level = "place"
    seen = evidence.weights(level).overlap.seen
    if refused is not None:
        return PolicyValue(estimator.name, math.nan, nothing, seen, refused)
    terms = estimator.terms(evidence)
    return PolicyValue(estimator.name, estimate_of(terms), bounds(terms), seen)


def _missing(choices: Choices) -> pl.DataFrame:
    """The results of the candidate that the log has not shown there."""
    import numpy as np
    import polars as pl

    feedback = choices.feedback
    absent = (choices.document >= 0) & ~choices.seen
    context, place = choices.context[absent], choices.place[absent]
    return pl.DataFrame(
        {
            "query": feedback.contexts.get_column("query").gather(context),
            "position": feedback.positions[context, place],
            "document": choices.names.gather(choices.document[absent]),
            "probability": choices.probability[absent],
            "sessions": feedback.counts[context].astype(np.int64),
        }
    ).sort("sessions", "query", "position", "document", descending=[True, False, False, False])


def _needed(overlap: Overlap, sessions: int, wanted: int) -> int:
    """Sessions of which `wanted` would match at the log's rate; more than so many without one.

    Of n sessions without a match the rate is below 3 / n, with 95% confidence.
    """
    return math.ceil(wanted * sessions / (overlap.matches or 3))


def _refusal(
    values: Sequence[PolicyValue],
    missing: pl.DataFrame,
    feedback: Feedback,
    needed: int,
    wanted: int,
) -> InputError:
    """The error where no estimator can say anything."""
    reasons = list(dict.fromkeys(value.refused for value in values if value.refused is not None))
    examples = [
        message(
            "labels.document-at-position",
            document=document,
            position=position,
            query=query,
        )
        for query, position, document in missing.head(SHOWN)
        .select("query", "position", "document")
        .iter_rows()
    ]
    hint = message(
        "labels.show-to-some-users",
        wanted=wanted,
        needed=f"{needed:,}",
    )
    if examples:
        hint = message(
            "labels.results-were-never-shown",
            hint=hint,
            count=f"{missing.height:,}",
            examples=examples,
        )
    return InputError(
        message("labels.log-cannot-say-what", reasons=reasons),
        path=feedback.path,
        hint=hint,
    )


def _notes(
    evidence: Evidence,
    wished: Sequence[Estimator],
    values: Sequence[PolicyValue],
    overlaps: Sequence[Overlap],
) -> list[Note]:
    """Returns the assumptions, and the limits of the numbers."""
    feedback = evidence.feedback
    given = {value.estimator: value for value in values if value.refused is None}
    used = [one for one in wished if one.name in given]
    weighted = [one for one in used if one.level is not None]
    notes = []
    counted = [one.name for one in weighted if evidence.weights(one.level or "place").estimated]
    if counted:
        key = "offpolicy-counted.single" if feedback.single else "offpolicy-counted.list"
        note = Note("offpolicy-counted", len(feedback), values={"names": counted})
        notes.append(replace(note, key=key))
    for kind in ("zero", "part", "model"):
        names = [one.name for one in used if one.unseen == kind and given[one.name].seen < 1 - 1e-9]
        if names:
            about = {"names": names, "share": 1 - min(given[name].seen for name in names)}
            notes.append(Note(f"offpolicy-unseen-{kind}", len(names), "warning", values=about))
    if not feedback.clicks and used:
        low, high = feedback.bounds
        notes.append(Note("offpolicy-range", values={"low": low, "high": high}))
    for overlap in overlaps:
        levels = {one.level for one in weighted}
        if overlap.level not in levels and not feedback.single:
            continue
        if 0 < overlap.effective < FEW:
            key = f"offpolicy.level.{overlap.level}{'.single' if feedback.single else ''}"
            about = {"level": Text(key)}
            notes.append(Note("offpolicy-few", round(overlap.effective), "warning", values=about))
            break
    whole = evidence.weights(overlaps[0].level)
    if not whole.estimated and _off(whole):
        about = {"mean": whole.overlap.mean}
        notes.append(Note("offpolicy-mean", 1, "warning", values=about))
    return notes


def _off(weights: Weights) -> bool:
    """Returns whether the mean weight differs from 1 by more than four standard errors."""
    import numpy as np

    values = weights.values.mean(axis=1)
    if weights.overlap.matches < FEW:
        return False
    return abs(float(values.mean()) - 1) > 4 * float(np.std(values)) / math.sqrt(len(values))
