"""Searches the documentation of Python's standard library with SQLite's full text."""

from __future__ import annotations

import csv
import re
import sqlite3
from functools import cache
from pathlib import Path

DOCUMENTS = Path(__file__).parents[1] / "engine" / "documents.csv"
TITLE = 2.0  # how much more a word counts in a title than in a text


@cache
def index() -> sqlite3.Connection:
    """Returns the index of all documents."""
    database = sqlite3.connect(":memory:")
    database.execute("CREATE VIRTUAL TABLE docs USING fts5(id UNINDEXED, title, text)")
    with DOCUMENTS.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file)
        database.executemany("INSERT INTO docs VALUES (:id, :title, :text)", rows)
    return database


def search(query: str, k: int) -> list[str]:
    """Returns the ids of the k best documents that contain a word of the query."""
    words = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", query))
    found = index().execute(
        "SELECT id FROM docs WHERE docs MATCH ? ORDER BY bm25(docs, 0, ?, 1), id LIMIT ?",
        (words, TITLE, k),
    )
    return [document for (document,) in found]
