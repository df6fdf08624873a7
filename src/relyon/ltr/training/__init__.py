"""Training a ranker, its evaluation on held-out queries, and explanations of its rankings."""
