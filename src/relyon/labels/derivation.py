"""Derives labels from a log: relevance with intervals, and grades."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from relyon.core.errors import InputError, ParameterError
from relyon.core.notes import warn
from relyon.core.packages import scipy_part
from relyon.core.parameters import check_fraction, check_least, check_type
from relyon.core.texts import message
from relyon.io.log_checks import read_log
from relyon.labels.actions import ActionCounts, Actions
from relyon.labels.beta import Relevance
from relyon.labels.fit_check import check_fit
from relyon.labels.grading import Grading, parse_grading
from relyon.labels.label_set import Labels
from relyon.labels.log import read_folds
from relyon.labels.model import ClickModel, models
from relyon.labels.model_choice import AUTO, choose_model
from relyon.labels.position_bias.connection import Support, support_of
from relyon.labels.prior import with_estimated_prior
from relyon.labels.rules import Rules
from relyon.online.logs import without_bots

if TYPE_CHECKING:
    import polars as pl

    from relyon.data.sessions import Sessions
    from relyon.labels.model import FittedModel

__all__ = ["make_labels", "model_of"]


def model_of(model: str | ClickModel) -> ClickModel:
    """Returns a click model by its name, or as it is.

    Raises:
        UnknownNameError: If no model has that name.
    """
    return model if isinstance(model, ClickModel) else models.get(model)()


def make_labels(
    sessions: object,
    model: str | ClickModel = AUTO,
    *,
    depth: int = 10,
    min_dwell: float | None = None,
    need_dwell: bool = False,
    drop_bots: bool = False,
    actions: Actions | Mapping[str, float] | None = None,
    prior: tuple[float, float] | str | None = None,
    grading: Grading | str | None = None,
    min_weight: float = 0.0,
    level: float = 0.95,
    seed: int = 0,
    threads: int = 0,
) -> Labels:
    """Makes labels of a log's clicks, and of what followed them.

    Args:
        sessions: What `relyon.read_sessions` takes.
        model: A click model or its name; `relyon.labels.models` lists the names. `auto` chooses
            what the log supports: `choose_model`.
        depth: Ignore positions after this one.
        min_dwell: Clicks after which the user stayed for fewer seconds do not count.
        need_dwell: Clicks without a dwell time do not count either.
        drop_bots: Leaves out users with non-human rates: `relyon.online.logs.Bots`.
        actions: The value of a click by what followed it: `Actions`, or the values by name, such
            as `{"click": 1, "cart": 3, "purchase": 5}`. A cart or purchase without a click counts
            as a click.
        prior: Clicks and impressions that every probability begins with, in place of the model's;
            `"data"` estimates them from the log (empirical Bayes).
        grading: Makes grades of the labels: `Thresholds`, `Posterior`, `Quantiles`, or text such as
            `"threshold=0.1,0.3,0.6"`.
        min_weight: Minimum number of effective impressions behind a label.
        level: Confidence level of the intervals.
        seed: Of the sessions that the choice and the check of the model look at.
        threads: Threads to use; 0 uses all cores.

    Raises:
        InputError: If the log lacks a column that is needed, or no label has `min_weight`.
        ParameterError: If the model does not estimate documents, or a parameter is invalid.
        UnknownNameError: If the model or grading is unknown.
        DependencyError: If SciPy is not installed.

    Examples:
        >>> import polars as pl
        >>> log = pl.DataFrame(
        ...     {
        ...         "session": [1, 1, 2, 2],
        ...         "query": ["tv"] * 4,
        ...         "doc": ["a", "b", "a", "b"],
        ...         "position": [1, 2, 1, 2],
        ...         "clicked": [0, 1, 0, 1],
        ...         "purchase": [0, 1, 0, 0],
        ...     }
        ... )
        >>> make_labels(log, "dctr").judgments["tv"]
        {'b': 0.75, 'a': 0.25}
        >>> make_labels(log, "dctr", grading="threshold=0.5").judgments["tv"]
        {'b': 1.0, 'a': 0.0}
        >>> bought = make_labels(log, "dctr", actions={"click": 0, "purchase": 1})
        >>> bought.judgments["tv"]
        {'b': 0.375, 'a': 0.125}
    """
    named = None if model == AUTO else model_of(model)
    if named is not None and not named.ranks:
        raise ParameterError(
            message("labels.click-model-does", name=named.name),
            hint=message("labels.is-only-baseline"),
        )
    check_fraction("level", level)
    check_least("min_weight", min_weight)
    grader = parse_grading(grading) if isinstance(grading, str) else grading
    if grader is not None:
        check_type("grading", grader, Grading, "a grading")
    valued = Actions(actions) if isinstance(actions, Mapping) else actions
    scipy_part("special")  # of the intervals: missed before a log is read, not after
    read = read_log(sessions, kind="clicks")
    if drop_bots:
        read = without_bots(read)
    rules = Rules(depth, min_dwell, need_dwell, acted=_acted(valued, read))
    log = read_folds(read, [None], rules=rules, threads=threads)[0]
    choice = None if named is not None else choose_model(log, support_of(log), seed=seed)
    chosen = model_of(choice.model) if choice is not None else model_of(model)
    if prior == "data":
        chosen = with_estimated_prior(chosen, log)
    elif prior is not None:
        clicks, shown = _two(prior)
        chosen = replace(chosen, prior_clicks=clicks, prior_shown=shown)
    support = support_of(log) if chosen.needs_swaps else Support(None, ())
    fitted = chosen.fit(log, support.shown)
    fit = check_fit(fitted, log, seed=seed)
    notes = (*log.notes, *chosen.notes(fitted.parameters), *support.notes, *fit.notes)
    counts = None if valued is None else valued.count(rules.clicks(read))
    every = _relevances(fitted, counts, level)
    labels = every.filter(every.get_column("weight") >= min_weight)
    if labels.is_empty():
        raise InputError(
            message("labels.no-label-has-effective", weight=min_weight),
            path=log.path,
            hint=message("labels.lower-minimum-weight"),
        )
    bounds: tuple[float, ...] = ()
    if grader is not None:
        labels, bounds = grader.apply(labels)
    warn(notes)
    return Labels(
        fitted=fitted,
        labels=labels,
        level=level,
        min_weight=min_weight,
        left_out=every.height - labels.height,
        sessions=log.sessions,
        results=log.results,
        source=log.source,
        notes=notes,
        rules=rules,
        actions=counts,
        prior="data" if prior == "data" else "",
        grading=grader,
        bounds=bounds,
        fit=fit,
        choice=choice,
    )


def _acted(actions: Actions | None, sessions: Sessions) -> tuple[str, ...]:
    """The columns of the actions that count as a click."""
    if actions is None:
        return ()
    actions.check(sessions)
    return actions.chosen


def _two(prior: tuple[float, float] | str) -> tuple[float, float]:
    try:
        clicks, shown = map(float, prior)
    except (TypeError, ValueError):
        raise ParameterError(
            message("labels.prior-is-two-numbers", prior=prior),
            hint=message("labels.such-as-1-10"),
        ) from None
    return clicks, shown


def _relevances(fitted: FittedModel, counts: ActionCounts | None, level: float) -> pl.DataFrame:
    """The labels of all pairs, with the columns of judgments and their evidence."""
    import polars as pl

    found = fitted.relevances
    if counts is not None:
        found = counts.valued(fitted.pairs, Relevance(found.value, found.evidence))
        if counts.actions.per == "impression":
            found = fitted.at_most_shown(found)
    low, high = found.interval(level)
    return fitted.pairs.with_columns(
        grade=pl.Series(found.value),
        low=pl.Series(low),
        high=pl.Series(high),
        weight=pl.Series(found.evidence),
    ).sort("query", "grade", "document", descending=[False, True, False])
