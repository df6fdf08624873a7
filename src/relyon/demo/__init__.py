"""The demonstration: the standard library's documentation as a search collection.

`relyon.demo.corpus` reads the documents from the Python that runs it, `relyon.demo.rankers`
provides two search engines over them, and `relyon.demo.files` the questions and the graded
judgments that ship with the package.
"""

from relyon.demo.corpus import Document, Question, build_corpus
from relyon.demo.files import (
    DemoFiles,
    Judgment,
    load_guideline,
    load_judgments,
    load_questions,
    write_demo,
)
from relyon.demo.rankers import Ranking, bm25, tfidf

__all__ = [
    "DemoFiles",
    "Document",
    "Judgment",
    "Question",
    "Ranking",
    "bm25",
    "build_corpus",
    "load_guideline",
    "load_judgments",
    "load_questions",
    "tfidf",
    "write_demo",
]
