"""Position bias: how often each position is seen, and whether a log identifies it."""
