"""Before training: rows split by query, and checks of what a ranker would learn from."""
