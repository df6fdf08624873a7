"""Pairs to grade next: leads add a batch of two snapshots, and see what it says."""
