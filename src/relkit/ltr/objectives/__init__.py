"""Objectives and metrics that LightGBM, XGBoost and CatBoost call while they train."""

from relkit.ltr.objectives.callbacks import stopping
from relkit.ltr.objectives.early_stopping import EarlyStopping
from relkit.ltr.objectives.metric import Metric, feval
from relkit.ltr.objectives.objective import Objective, objective

__all__ = ["EarlyStopping", "Metric", "Objective", "feval", "objective", "stopping"]
