"""A live engine on the demonstration's documents: its file, and the table that it searches."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from importlib import resources
from pathlib import Path

from relyon.demo.corpus import Document, build_corpus

__all__ = ["ENGINE", "FOLDER", "read_documents", "write_engine"]

#: The folder of the engine in the directory of the demonstration, and the engine's file.
FOLDER, ENGINE = "engines", "docs.toml"
DOCUMENTS = "documents.csv"


def write_engine(directory: str | Path, documents: Sequence[Document]) -> Path:
    """Writes the documents as a table, and a file of an engine that searches them.

    Args:
        directory: The directory of the demonstration.
        documents: The collection.

    Returns:
        The engine's file.
    """
    folder = Path(directory) / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / DOCUMENTS, "w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["id", "title", "text"])
        rows.writerows([one.id, one.title, one.text] for one in documents)
    text = resources.files("relyon.demo").joinpath("data", "engine.toml").read_text("utf-8")
    path = folder / ENGINE
    path.write_text(text, "utf-8", newline="\n")
    return path


def read_documents(directory: str | Path) -> list[Document]:
    """Returns the documents of the engine's table, which is written first if it is missing.

    Args:
        directory: The directory of the demonstration.
    """
    path = Path(directory) / FOLDER / DOCUMENTS
    if not path.exists():
        write_engine(directory, build_corpus())
    with open(path, encoding="utf-8", newline="") as file:
        return [Document(*row) for row in list(csv.reader(file))[1:]]
