"""What the plugin and what it loads later agree on: settings, and keys of what they keep."""

from __future__ import annotations

from typing import Final

import pytest

__all__ = ["FAILED", "OWN_FIXTURES", "PASSED", "SETTINGS", "WRITTEN"]

#: Settings of pytest that a mark can replace, with their help.
SETTINGS: Final = {
    "judgments": "file of judgments",
    "baseline": "run that others are compared with",
    "queries": "table of query ids and texts",
    "scale": "grade scale",
    "convention": "preset of the rules, such as trec_eval",
    "cluster": "column of clusters of queries",
    "by": "columns to break comparisons down by, separated by commas",
    "margins": "smallest losses that matter, such as ndcg@10=0.01, separated by spaces",
    "alpha": "significance level",
}
#: Names of a report's properties: checks, and files that were written.
PASSED, FAILED, WRITTEN = "relevance.passed", "relevance.failed", "relevance.written"
#: Whether a test uses fixtures that are made anew for it, which can change what a search finds.
OWN_FIXTURES: Final = pytest.StashKey[bool]()
