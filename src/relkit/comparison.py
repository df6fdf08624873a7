"""From a baseline and candidates to what changed, and whether it is real."""
