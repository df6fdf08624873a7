"""Rankers: a loss and a scorer, trained on labelled rows with features."""
