"""Queries, grades and requests of other programs: Quepid and `_rank_eval`."""
