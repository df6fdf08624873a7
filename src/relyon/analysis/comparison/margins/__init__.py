"""Margins: whether a difference that matters is ruled out, and its sentences."""
