"""What follows from evaluated runs: comparisons, explanations, diagnoses, statistics."""
