"""A/B tests: validity, and results by arm."""
