"""A/B tests: whether one can be read, and what its arms did."""
