"""Objectives and metrics that LightGBM, XGBoost and CatBoost call while they train."""

from relkit.ltr.objectives.metric import Metric, feval
from relkit.ltr.objectives.objective import Objective, objective

__all__ = ["Metric", "Objective", "feval", "objective"]
