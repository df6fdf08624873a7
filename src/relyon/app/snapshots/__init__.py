"""Snapshots: all queries of a project through an engine, compared, and what is unjudged graded."""
