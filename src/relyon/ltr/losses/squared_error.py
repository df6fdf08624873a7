"""Regression on the label: the squared error."""

from __future__ import annotations

from dataclasses import dataclass

from relyon.ltr.losses.definition import Loss, register

__all__ = ["SquaredError"]


@register
@dataclass(frozen=True)
class SquaredError(Loss):
    """The squared error of each document: the pointwise baseline.

    Σ w_i (s_i − y_i)² / 2. The gradient is w_i (s_i − y_i), the Hessian w_i, both exact.

    Documents are independent, so a list in which all labels are equal counts like any other, and
    ties have no effect. Labels may be fractions or below 0.

    Examples:
        >>> import relyon.ltr
        >>> relyon.ltr.loss("squared_error").evaluate([2, 0], [1.0, 2.0]).values.tolist()
        [2.5]

    References:
        Cossock and Zhang (2006), Subset ranking using regression.
    """

    name = "squared_error"
    title = "Squared error"
    formula = "sum of (s_i - y_i)^2 / 2"
    aliases = ("mse", "l2", "regression")
