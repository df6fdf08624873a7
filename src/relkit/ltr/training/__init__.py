"""Training a ranker, what it reaches on held-out queries, and why it ranks as it does."""
