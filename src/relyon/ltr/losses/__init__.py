"""Losses of ranked lists: value, gradient and Hessian by the scores; one class in one file each."""

from relyon.ltr.losses.definition import Loss, LossValues, losses, register
from relyon.ltr.losses.loss_names import loss

__all__ = ["Loss", "LossValues", "loss", "losses", "register"]
