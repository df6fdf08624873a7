"""Off-policy estimators: one class in one file each."""
