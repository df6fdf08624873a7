"""Features of a question and a document for rankers, from the collection alone.

The candidates of a question are the top documents of both search engines, never the graded ones: a
document that people added to the judgments because it answers the question, but that no engine
found, would give itself away by having no score. An ungraded candidate is labelled 0, as in `relyon
evaluate`.

The dense ranker, if enabled, adds features but no candidates: people did not grade what it alone
finds, and a ranker trained with such documents as 0 learns which were graded, not which are
relevant.
"""

from __future__ import annotations

import math
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from relyon.demo.corpus import Document, Question
from relyon.demo.rankers import Ranking, tokenize

if TYPE_CHECKING:
    import polars as pl

__all__ = ["DENSE_FEATURES", "DEPTH", "FEATURES", "build_features", "write_features"]

#: Number of candidates from each engine; as many were graded.
DEPTH = 20
#: The engines whose top documents are the candidates.
GRADED = ("bm25", "tfidf")
#: Constant of reciprocal rank fusion.
SLOWNESS = 60

#: Every feature and its meaning.
FEATURES: Mapping[str, str] = {
    "bm25": "score of BM25; 0 where it does not find the document",
    "bm25_share": "the same, divided by the question's highest",
    "bm25_inverse_rank": "1 / rank by BM25; 0 where it does not find the document",
    "tfidf": "cosine of TF-IDF character n-grams",
    "tfidf_share": "the same, divided by the question's highest",
    "tfidf_inverse_rank": "1 / rank by TF-IDF",
    "fused": "reciprocal rank fusion of BM25 and TF-IDF: the sum of 1 / (60 + rank)",
    "title_coverage": "share of the question's terms that the title contains, weighted by IDF",
    "name_coverage": "the same for the last part of the name",
    "summary_coverage": "the same for the first line of the text",
    "text_coverage": "the same for the whole text",
    "matched_terms": "how many terms of the question the title or the text contains",
    "matched_idf": "the sum of their IDF",
    "rarest_idf": "the highest of their IDF",
    "name_precision": "share of the terms of the last part of the name that were asked for",
    "name_asked": "1 where all of them were",
    "module_asked": "1 where the question names the first part of the name, such as `json`",
    "longest_phrase": "most terms of the question that follow each other in the title or the text",
    "first_match": "1 / place of the text's first term that the question contains",
    "question_terms": "how many terms the question has",
    "question_chinese": "1 where the question is in Chinese",
    "title_terms": "how many terms the title has",
    "text_terms": "how many terms the text has",
    "depth": "parts of the name: 1 for a module such as `json`, 2 for `json.loads`",
    "parameters": "how many parameters the title names; -1 where it has no parentheses",
    "members": "documents beneath: functions of a module, methods of a class",
    "is_class": "1 where the last part of the name begins with a capital letter",
    "is_builtin": "1 where no import is needed",
    "mentions": "documents whose text contains the last part of the name as a word",
}

#: The dense ranker's features.
DENSE_FEATURES: Mapping[str, str] = {
    "dense": "cosine of the language model's vectors; 0 where it is not above 0",
    "dense_share": "the same, divided by the question's highest",
    "dense_inverse_rank": "1 / rank by the language model",
}

_WORD = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")


def build_features(
    documents: Sequence[Document],
    questions: Iterable[Question],
    engines: Mapping[str, Ranking],
    grades: Mapping[str, Mapping[str, int]],
) -> pl.DataFrame:
    """Returns one row per question and candidate: `query`, `document`, `label` and `FEATURES`.

    Where one of the engines is `dense`, `DENSE_FEATURES` follow.

    Args:
        documents: The collection.
        questions: The questions.
        engines: The results of `bm25`, `tfidf` and optionally `dense`, by name; scores are above 0.
        grades: Grades by question and document; 0 if missing.
    """
    import polars as pl

    collection = _Collection(documents)
    rows = [
        {
            "query": question.id,
            "document": document,
            "label": grades.get(question.id, {}).get(document, 0),
            **features,
        }
        for question in questions
        for document, features in _candidates(question, collection, engines)
    ]
    whole: dict[str, type[pl.DataType]] = {
        "query": pl.String,
        "document": pl.String,
        "label": pl.Int64,
    }
    return pl.DataFrame(rows, schema=whole | dict.fromkeys(_names(engines), pl.Float32))


def write_features(
    path: str | os.PathLike[str],
    documents: Sequence[Document],
    questions: Iterable[Question],
    engines: Mapping[str, Ranking],
    grades: Mapping[str, Mapping[str, int]],
) -> None:
    """Writes what `build_features` returns as Parquet, which `relyon.read_features` reads.

    Args:
        path: The file; an existing one is replaced.
        documents: The collection.
        questions: The questions.
        engines: The results of `bm25`, `tfidf` and optionally `dense`, by name.
        grades: Grades by question and document; 0 if missing.
    """
    build_features(documents, questions, engines, grades).write_parquet(os.fspath(path))


class _Collection:
    """Statistics of the documents, independent of questions."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self.documents = {one.id: one for one in documents}
        titles = {one.id: tokenize(one.title) for one in documents}
        self.texts = {one.id: tokenize(one.text) for one in documents}
        self.titles = titles
        found = Counter(
            term for one in documents for term in {*titles[one.id], *self.texts[one.id]}
        )
        count = len(documents)
        self.idf = {
            term: math.log1p((count - often + 0.5) / (often + 0.5)) for term, often in found.items()
        }
        self.unknown = math.log1p((count + 0.5) / 0.5)
        self.mentions = Counter(word for one in documents for word in set(_WORD.findall(one.text)))
        self.members = Counter(
            one.id[:place]
            for one in documents
            for place, letter in enumerate(one.id)
            if letter == "."
        )

    def weigh(self, terms: Iterable[str]) -> float:
        """Returns the sum of the terms' IDF."""
        return math.fsum(self.idf.get(term, self.unknown) for term in terms)


def _names(engines: Mapping[str, Ranking]) -> list[str]:
    return [*FEATURES, *(DENSE_FEATURES if "dense" in engines else ())]


def _candidates(
    question: Question, collection: _Collection, engines: Mapping[str, Ranking]
) -> Iterator[tuple[str, dict[str, float]]]:
    """Yields the candidates of a question, in the order of their ids, with their features."""
    found = {name: ranking.get(question.id, []) for name, ranking in engines.items()}
    scores = {name: dict(ranked) for name, ranked in found.items()}
    ranks = {
        name: {document: rank for rank, (document, _) in enumerate(ranked, 1)}
        for name, ranked in found.items()
    }
    terms = tokenize(question.text)
    asked: dict[str, float] = {
        "question_terms": len(terms),
        "question_chinese": question.language == "zh",
    }
    names = _names(engines)
    for document in sorted({one for name in GRADED for one, _ in found[name][:DEPTH]}):
        values: dict[str, float] = {"fused": 0.0}
        for name, ranked in found.items():
            score, rank = scores[name].get(document, 0.0), ranks[name].get(document)
            values[name] = score
            values[f"{name}_share"] = score / ranked[0][1] if ranked else 0.0
            values[f"{name}_inverse_rank"] = 1 / rank if rank else 0.0
            values["fused"] += 1 / (SLOWNESS + rank) if rank and name in GRADED else 0.0
        values |= asked | _match(terms, document, collection) | _describe(document, collection)
        yield document, {name: float(values[name]) for name in names}


def _match(terms: Sequence[str], identifier: str, collection: _Collection) -> dict[str, float]:
    """Returns the features of the match between question and document."""
    document = collection.documents[identifier]
    title, text = collection.titles[identifier], collection.texts[identifier]
    module = identifier.partition(".")[0]
    name = set(tokenize(identifier.rpartition(".")[2]))
    wanted = set(terms)
    matched = wanted & {*title, *text}
    all_weights = collection.weigh(wanted)

    def coverage(field: Iterable[str]) -> float:
        return collection.weigh(wanted.intersection(field)) / all_weights if wanted else 0.0

    places = [place for place, term in enumerate(text, 1) if term in wanted]
    return {
        "title_coverage": coverage(title),
        "name_coverage": coverage(name),
        "summary_coverage": coverage(tokenize(document.text.partition("\n")[0])),
        "text_coverage": coverage(text),
        "matched_terms": len(matched),
        "matched_idf": collection.weigh(matched),
        "rarest_idf": max((collection.idf[term] for term in matched), default=0.0),
        "name_precision": len(name & wanted) / len(name) if name else 0.0,
        "name_asked": bool(name) and name <= wanted,
        "module_asked": module.lower() in wanted,
        "longest_phrase": max(_longest(terms, title), _longest(terms, text)),
        "first_match": 1 / places[0] if places else 0.0,
    }


def _longest(terms: Sequence[str], field: Sequence[str]) -> int:
    """Returns the length of the longest run of terms that a field contains verbatim."""
    best = 0
    before = [0] * (len(terms) + 1)
    for token in field:
        now = [0] * (len(terms) + 1)
        for place, term in enumerate(terms, 1):
            if term == token:
                now[place] = before[place - 1] + 1
                best = max(best, now[place])
        before = now
    return best


def _describe(identifier: str, collection: _Collection) -> dict[str, float]:
    """Returns the features of the document alone."""
    document = collection.documents[identifier]
    last = identifier.rpartition(".")[2]
    _, opened, inside = document.title.partition("(")
    inside = inside.rpartition(")")[0]
    return {
        "title_terms": len(collection.titles[identifier]),
        "text_terms": len(collection.texts[identifier]),
        "depth": identifier.count(".") + 1,
        "parameters": (inside.count(",") + bool(inside.strip())) if opened else -1,
        "members": collection.members[identifier],
        "is_class": last[:1].isupper(),
        "is_builtin": identifier.startswith("builtins."),
        "mentions": collection.mentions[last],
    }
