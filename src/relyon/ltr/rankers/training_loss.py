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

#: Losses of single documents.
POINTWISE = frozenset({"squared_error", "logistic", "cross_entropy", "ordinal"})


def checked_loss(
    given: str | Loss, measure: str, convention: Convention, rows: TrainingRows
) -> Loss:
    """Returns the loss of a name, for rows that are informative for it.

    Parameters that the name leaves out are filled in. LambdaRank gets the ranker's measure, a
    random order of equal scores (rows are often sorted by label, and in that order the first tree
    would have nothing to improve), and weights of pairs if rows of a query differ in weight;
    `ordinal` gets the levels of the labels. Parameters left out of LambdaRank's measure are the
    convention's, as for the reported measure.

    Raises:
        UnknownNameError: If the loss is unknown.
        InputError: If the rows do not inform the loss, such as rows with equal labels.
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
    """Returns the loss that a ranker minimises, with the parameters that its name leaves out.

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
    """Returns whether LambdaRank weighs pairs: by default if weights differ within a query.

    Such weights are those of clicks: the inverse of the probability that the row was seen.
    Multiplied with each row's own derivatives, as in LightGBM, the heaviest rows are those that
    were hardly seen, clicked or not, and clicks at the bottom gain little; weighing each pair by
    its better document removes the bias. With weights of whole queries both give the same.

    Args:
        given: The loss as the user gave it.
        rows: Training rows.
    """
    if not isinstance(given, str) or "weighting" in given or rows.weights is None:
        return False
    return isinstance(parse_loss(given), LambdaRank) and rows.varied(rows.weights) > 0


def refuse_positions(rows: TrainingRows, name: str) -> None:
    """Rejects rows with positions if nothing would use them.

    Args:
        rows: Training rows.
        name: The ranker, in words.

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
