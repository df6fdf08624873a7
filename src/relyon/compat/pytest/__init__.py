"""A plugin of pytest: tests of a search function, on judgments and against a baseline.

pytest loads it wherever relyon is installed. A test asks for the fixture `relevance`, and the mark
of the same name says where its files are:

    @pytest.mark.relevance(judgments="judgments.qrels", queries="queries.tsv")
    def test_search(relevance):
        found = relevance.search(search, k=20)
        found.at_least("recall@20", 0.85)

This package has the types of what the fixture returns, for annotations. Importing it imports
neither them nor any room of relyon.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from relyon.compat.pytest.checked_run import CheckedRun
    from relyon.compat.pytest.relevance import Relevance

__all__ = ["CheckedRun", "Relevance"]

_HOMES = {"CheckedRun": "checked_run", "Relevance": "relevance"}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
