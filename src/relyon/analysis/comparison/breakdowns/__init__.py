"""A comparison broken down by the columns of its queries: numbers, sentences and tables."""
