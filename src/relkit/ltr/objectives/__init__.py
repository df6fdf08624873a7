"""Objectives and metrics that LightGBM, XGBoost and CatBoost call while they train."""
