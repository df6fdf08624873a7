"""Losses of ranked lists: value, gradient and Hessian with respect to the scores."""

from relyon.ltr.losses.definition import Loss, LossValues, losses, register
from relyon.ltr.losses.loss_names import loss

__all__ = ["Loss", "LossValues", "loss", "losses", "register"]
