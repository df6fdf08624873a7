"""Snapshots: what an engine answered to all queries of a project, kept to be compared."""
