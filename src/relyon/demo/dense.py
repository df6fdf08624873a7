"""A third search engine: the documents whose vectors are closest to the question's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from relyon.demo.corpus import Document
from relyon.demo.rankers import Ranking, best, check_depth, content

if TYPE_CHECKING:
    from relyon.demo.encoder import Encoder
    from relyon.demo.question import Question

__all__ = ["rank_dense"]


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
    similarities: Any = vectors[len(documents) :] @ vectors[: len(documents)].T
    return {
        question.id: best(documents, scores, depth)
        for question, scores in zip(asked, similarities, strict=True)
    }
