"""A project that tests its search with the fixture `relevance`, and pytest run in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

# What pytester's sessions import anew is forgotten after each; the native core cannot be.
import numpy as np  # noqa: F401
import polars as pl  # noqa: F401
import pytest

import relyon.compat.pytest.relevance
import relyon.engines.searching
import relyon.report.contents  # noqa: F401

#: pytest itself, with this plugin and no other, whatever is installed.
OPTIONS = ("-p", "relyon.compat.pytest.plugin", "-W", "always::relyon.core.notes.RelyonWarning")
QUERIES = 40
DEPTH = 10

SEARCH = '''
"""Ten documents per query: `d0` is the relevant one, at a rank that depends on the query."""

calls = []

def ranked(query, shift=0):
    number = int(query.split()[-1])
    place = (number + shift) % 5
    documents = [f"q{number}-d{one}" for one in range(1, 10)]
    return documents[:place] + [f"q{number}-d0"] + documents[place:]

def search(query, k):
    calls.append(query)
    return ranked(query)[:k]

def worse(query, k):
    number = int(query.split()[-1])
    return (ranked(query, 0) if number % 4 == 0 else ranked(query, 9)[::-1])[:k]
'''
MARK = """import pytest
import project_search
from project_search import calls, search, worse

pytestmark = pytest.mark.relevance(
    judgments="judgments.qrels", queries="queries.tsv", baseline="baseline.run"
)
"""


class Project:
    """A folder with judgments, queries and a search; tests are written into it and run."""

    def __init__(self, pytester: pytest.Pytester, queries: int = QUERIES) -> None:
        self.pytester = pytester
        self.path: Path = pytester.path
        judgments = [
            f"q{query} 0 q{query}-d{one} {int(one == 0)}\n"
            for query in range(queries)
            for one in range(DEPTH)
        ]
        texts = [f"q{query}\tquery number {query}\n" for query in range(queries)]
        self.write("judgments.qrels", "".join(judgments))
        self.write("queries.tsv", "query_id\tquery\n" + "".join(texts))
        self.write("project_search.py", SEARCH)
        lists: dict[str, Any] = {}
        exec(SEARCH, lists)
        self.write_run(
            "baseline.run",
            {f"q{query}": lists["ranked"](f"query number {query}") for query in range(queries)},
        )

    def write(self, name: str, text: str) -> Path:
        """Writes a file."""
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        return path

    def write_run(self, name: str, lists: dict[str, list[str]]) -> Path:
        """Writes a run of ranked lists."""
        rows = [
            f"{query} Q0 {document} {rank} {100 - rank} old\n"
            for query, documents in lists.items()
            for rank, document in enumerate(documents, 1)
        ]
        return self.write(name, "".join(rows))

    def run(self, tests: str, *options: str, mark: str = MARK) -> pytest.RunResult:
        """Runs tests with the plugin."""
        self.write("test_search.py", mark + tests)
        return self.pytester.runpytest_inprocess(*OPTIONS, "--strict-markers", *options)
