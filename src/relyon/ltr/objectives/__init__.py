"""Objectives and metrics that LightGBM, XGBoost and CatBoost call during training."""

from relyon.ltr.objectives.callbacks import stopping
from relyon.ltr.objectives.early_stopping import EarlyStopping
from relyon.ltr.objectives.metric import Metric, feval
from relyon.ltr.objectives.objective import Objective, objective

__all__ = ["EarlyStopping", "Metric", "Objective", "feval", "objective", "stopping"]
