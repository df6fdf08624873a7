"""Margins: whether a difference that matters is ruled out, and how it is said."""
