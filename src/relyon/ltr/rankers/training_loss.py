"""The loss of a ranker, and whether rows are informative for it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from relyon.core.errors import InputError, ParameterError
from relyon.core.texts import message
from relyon.data.convention import Convention
from relyon.ltr.losses import Loss, loss as parse_loss
from relyon.ltr.losses.lambdarank import LambdaRank
from relyon.ltr.losses.ordinal import Ordinal

if TYPE_CHECKING:
    from relyon.data.labelled import LabelledRows
    from relyon.ltr.rankers.query_rows import TrainingRows

__all__ = ["POINTWISE", "checked_loss", "plain", "refuse_positions", "trained_loss", "weighs_pairs"]

#: Losses that look at each document alone.
POINTWISE = frozenset({"squared_error", "logistic", "cross_entropy", "ordinal"})


def checked_loss(
    given: str | Loss, measure: str, convention: Convention, rows: TrainingRows
) -> Loss:
    """Returns the loss of a name for rows that say something about it.

    What a name leaves open is filled in: the measure of LambdaRank is the ranker's, and its equal
    scores are in an order that is drawn, since rows are often sorted by label, so that the first
    tree would find nothing wrong with theirs; where rows of a query weigh differently, so do its
    pairs; the levels of `ordinal` are those of the labels. What the name of LambdaRank's measure
    leaves open is what the convention says, as it is for the measure that is reported.

    Raises:
        UnknownNameError: If the loss is unknown.
        InputError: If there is nothing to learn.
    """
    found = trained_loss(given, measure, convention, rows.rows)
    labels = rows.rows.labels
    if found.name in POINTWISE:
        if len(labels) and labels.min() == labels.max():
            raise InputError(
                message("ltr.all-labels-are-equal"),
                hint=message("ltr.give-rows-with-relevant"),
            )
    elif not rows.varied():
        raise InputError(
            message("ltr.every-querys-labels"),
            hint=message("ltr.training-needs-queries"),
        )
    return found


def trained_loss(
    given: str | Loss, measure: str, convention: Convention, rows: LabelledRows
) -> Loss:
    """Returns what a ranker makes small, with everything that the loss's name leaves open.

    Args:
        given: The loss, or its name.
        measure: The ranker's measure.
        convention: The measure's rules.
        rows: The training rows.

    Raises:
        UnknownNameError: If the loss is unknown.
    """
    found = _filled(given, measure, rows)
    if isinstance(found, LambdaRank):
        return found.resolve(convention, None, float(rows.labels.max(initial=0.0)))
    return found


def _filled(given: str | Loss, measure: str, rows: LabelledRows) -> Loss:
    found = parse_loss(given)
    if not isinstance(given, str):
        return found
    if isinstance(found, LambdaRank):
        if "measure" not in given:
            found = replace(found, measure=measure)
        if "ties" not in given:
            found = replace(found, ties="drawn")
        if weighs_pairs(given, rows):
            found = replace(found, weighting="pairs")
    if isinstance(found, Ordinal) and "levels" not in given:
        found = replace(found, levels=max(int(rows.labels.max(initial=0.0)), 1))
    return found


def weighs_pairs(given: str | Loss, rows: LabelledRows) -> bool:
    """Whether LambdaRank's name leaves open what rows weigh, and the weights say that pairs do.

    Weights that differ within a query are those of clicks: the inverse of how likely the row was
    to be seen. Multiplied with each row's own derivatives, as LightGBM does, the heaviest rows are
    those that were hardly seen, clicked or not, and clicks at the bottom gain little; weighing each
    pair by its better document is what removes the bias. Weights of whole queries give both alike.

    Args:
        given: The loss as it was asked for.
        rows: Training rows.
    """
    if not isinstance(given, str) or "weighting" in given or rows.weights is None:
        return False
    return isinstance(parse_loss(given), LambdaRank) and rows.varied(rows.weights) > 0


def refuse_positions(rows: TrainingRows, name: str) -> None:
    """Rejects rows with positions if nothing would use them.

    Args:
        rows: Training rows.
        name: What the ranker is called.

    Raises:
        ParameterError: If there are positions.
    """
    if rows.rows.positions is not None:
        raise ParameterError(
            message("ltr.learns-no-position-bias", name=message(name)),
            hint=message("ltr.leave-out-positions-position"),
        )


def plain(value: object) -> object:
    """Returns a number of NumPy as Python's: a search over parameters may draw NumPy's."""
    return value.item() if hasattr(value, "item") else value
