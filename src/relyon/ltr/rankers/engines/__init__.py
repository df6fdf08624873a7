"""Engines of boosted trees behind one interface: LightGBM, XGBoost, CatBoost."""
