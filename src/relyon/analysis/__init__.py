"""Analysis of evaluated runs: comparisons, explanations, diagnoses, statistics."""
