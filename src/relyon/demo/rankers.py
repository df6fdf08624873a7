"""Search engines over the documents: BM25 on words, TF-IDF on character n-grams, and vectors."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from relyon.core.packages import optional_package
from relyon.core.texts import message
from relyon.demo.corpus import Document

if TYPE_CHECKING:
    from types import ModuleType

    import numpy as np
    from numpy.typing import NDArray

    from relyon.demo.corpus import Question
    from relyon.demo.encoder import Encoder

Ranking = dict[str, list[tuple[str, float]]]
"""For each question id, documents and their scores, best first."""

STOP_WORDS = frozenset(
    {
        "a",
        "about",
        "an",
        "and",
        "any",
        "are",
        "as",
        "at",
        "be",
        "by",
        "can",
        "do",
        "does",
        "for",
        "from",
        "has",
        "have",
        "how",
        "i",
        "in",
        "into",
        "is",
        "it",
        "its",
        "me",
        "my",
        "of",
        "on",
        "or",
        "s",
        "so",
        "t",
        "that",
        "the",
        "their",
        "them",
        "then",
        "there",
        "these",
        "this",
        "to",
        "use",
        "using",
        "want",
        "was",
        "way",
        "what",
        "when",
        "where",
        "which",
        "will",
        "with",
        "without",
        "would",
        "you",
        "your",
    }
)
"""English stop words; operators such as `not` are kept."""

_TOKEN = re.compile(r"[0-9A-Za-z]+|[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+")
_HUMP = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


def tokenize(text: str) -> list[str]:
    """Split text into the terms that BM25 counts.

    Dotted and snake_case names are split into words. A CamelCase name yields itself and its parts:
    ``OrderedDict`` gives ``ordereddict``, ``ordered`` and ``dict``. A run of Chinese characters
    gives its bigrams.

    Args:
        text: A document or a question.

    Returns:
        Terms in lower case, in the order of the text, without stop words.
    """
    terms: list[str] = []
    for token in _TOKEN.findall(text):
        if not token.isascii():
            pairs = [token[start : start + 2] for start in range(len(token) - 1)]
            terms.extend(pairs or [token])
            continue
        terms.append(token.lower())
        humps = _HUMP.findall(token)
        if len(humps) > 1 and any(hump[0].isupper() for hump in humps[1:]):
            terms.extend(hump.lower() for hump in humps)
    return [term for term in terms if term not in STOP_WORDS]


def bm25(documents: Sequence[Document], questions: Iterable[Question], depth: int = 100) -> Ranking:
    """Rank the documents for each question with BM25 (Lucene's variant, by bm25s).

    Args:
        documents: The collection.
        questions: The questions.
        depth: Maximum number of documents in a ranking.

    Returns:
        Rankings of the documents with a score above zero, best first, ties by id. A question that
        shares no term with the collection has an empty ranking.

    Raises:
        DependencyError: bm25s or scikit-learn is not installed.
        ValueError: The depth is below one.
    """
    check_depth(depth)
    bm25s = _package("bm25s")
    asked = list(questions)
    if not documents:
        return {question.id: [] for question in asked}
    engine = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
    engine.index([tokenize(content(document)) for document in documents], show_progress=False)
    ranking: Ranking = {}
    for question in asked:
        known = [term for term in tokenize(question.text) if term in engine.vocab_dict]
        scores = engine.get_scores(known) if known else [0.0] * len(documents)
        ranking[question.id] = best(documents, scores, depth)
    return ranking


def tfidf(
    documents: Sequence[Document], questions: Iterable[Question], depth: int = 100
) -> Ranking:
    """Rank the documents for each question by the cosine of TF-IDF character n-grams.

    The n-grams have three to five characters and stay inside words, which forgives word
    forms and misspellings.

    Args:
        documents: The collection.
        questions: The questions.
        depth: Maximum number of documents in a ranking.

    Returns:
        Rankings of the documents with a score above zero, best first, ties by id. A question that
        shares no n-gram with the collection has an empty ranking.

    Raises:
        DependencyError: bm25s or scikit-learn is not installed.
        ValueError: The depth is below one.
    """
    check_depth(depth)
    texts = _package("sklearn.feature_extraction.text")
    asked = list(questions)
    if not documents or not asked:
        return {question.id: [] for question in asked}
    vectorizer = texts.TfidfVectorizer(
        analyzer="char_wb",
        ngram_range=(3, 5),
        sublinear_tf=True,
        preprocessor=_join_terms,
    )
    matrix = vectorizer.fit_transform(content(document) for document in documents)
    wanted = vectorizer.transform(question.text for question in asked)
    similarities: NDArray[np.float64] = (wanted @ matrix.T).toarray()
    return {
        question.id: best(documents, scores, depth)
        for question, scores in zip(asked, similarities, strict=True)
    }


def rankings(
    documents: Sequence[Document], questions: Iterable[Question], depth: int = 100
) -> Mapping[str, Ranking]:
    """Rank with every engine of the demonstration.

    Args:
        documents: The collection.
        questions: The questions.
        depth: Maximum number of documents in a ranking.

    Returns:
        Rankings by the engine's name, ``bm25`` and ``tfidf``.
    """
    asked = list(questions)
    return {"bm25": bm25(documents, asked, depth), "tfidf": tfidf(documents, asked, depth)}


def _package(name: str) -> ModuleType:
    return optional_package(
        name,
        purpose=message("demo.demonstration"),
        package="bm25s" if name == "bm25s" else "scikit-learn",
        install="relyon[demo]",
    )


def content(document: Document) -> str:
    """Returns the text of a document that the engines index."""
    return f"{document.title}\n{document.text}"


def _join_terms(text: str) -> str:
    return " ".join(tokenize(text))


def check_depth(depth: int) -> None:
    """Rejects a ranking without documents."""
    if depth < 1:
        raise ValueError(f"depth must be at least 1, not {depth}")


def best(
    documents: Sequence[Document], scores: Iterable[float], depth: int
) -> list[tuple[str, float]]:
    """Returns the documents with a score above 0, best first, ties by id."""
    # Rounding first ensures that scores that are equal in a run file also tie here.
    rounded = (
        (document.id, round(float(score), 6))
        for document, score in zip(documents, scores, strict=True)
    )
    found = [(identifier, score) for identifier, score in rounded if score > 0]
    found.sort(key=lambda pair: (-pair[1], pair[0]))
    return found[:depth]


def rank_dense(
    encoder: Encoder,
    documents: Sequence[Document],
    questions: Iterable[Question],
    depth: int = 100,
    *,
    progress: Callable[[int, int], None] | None = None,
) -> Ranking:
    """Rank the documents for each question by the cosine of their vectors.

    Args:
        encoder: The language model: see `relyon.demo.encoder`.
        documents: The collection.
        questions: The questions.
        depth: Maximum number of documents in a ranking.
        progress: Called with the number of tokens done and their total.

    Returns:
        Rankings of the documents with a cosine above zero, best first, ties by id.

    Raises:
        DependencyError: threadpoolctl is not installed.
        ValueError: The depth is below one.
    """
    check_depth(depth)
    asked = list(questions)
    texts = [*(content(one) for one in documents), *(one.text for one in asked)]
    vectors = encoder.encode(texts, progress)
    similarities = vectors[len(documents) :] @ vectors[: len(documents)].T
    return {
        question.id: best(documents, scores, depth)
        for question, scores in zip(asked, similarities, strict=True)
    }
