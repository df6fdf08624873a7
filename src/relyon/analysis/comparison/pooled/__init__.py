"""Numbers pooled over queries: ratios of sums, and what one query decides."""
