"""Paired significance tests, intervals, corrections and power: numbers in, numbers out."""
