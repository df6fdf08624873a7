"""Clusters of queries in a comparison: as units of numbers, their facts, notes and tables."""
