"""Ranking the candidates of each query, with a bi-encoder or a cross-encoder."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from relyon.core.errors import InputError
from relyon.core.texts import message

if TYPE_CHECKING:
    from relyon.compat.sentence_transformers.base import Base

__all__ = ["candidates_of", "reranked", "samples_of"]

Hits = list[list[dict[str, Any]]]


def candidates_of(
    candidates: Mapping[Any, Sequence[Any]] | None, corpus: Mapping[str, Any]
) -> dict[str, list[str]] | None:
    """Returns the candidates of each query, each document once.

    Raises:
        InputError: If one is not in the corpus.
    """
    if candidates is None:
        return None
    found = {
        str(query): [*dict.fromkeys(map(str, documents))] for query, documents in candidates.items()
    }
    for query, documents in found.items():
        for one in documents:
            if one not in corpus:
                said = message("compat.candidate-is-not-in-corpus", query=query, document=one)
                raise InputError(said)
    return found


def reranked(
    evaluator: Base, model: Any, candidates: Mapping[str, Sequence[str]]
) -> dict[str, Hits]:
    """Returns the scored candidates of the judged queries, by score function.

    Raises:
        InputError: If a cross-encoder returns several scores per pair.
    """
    lists = [candidates.get(query, ()) for query in evaluator.queries_ids]
    texts = dict(zip(evaluator.corpus_ids, evaluator.corpus, strict=True))
    used = [*dict.fromkeys(one for documents in lists for one in documents)]
    if not hasattr(model, "encode"):
        pairs = [
            (query, texts[one])
            for query, documents in zip(evaluator.queries, lists, strict=True)
            for one in documents
        ]
        scores = iter(_predicted(evaluator, model, pairs))
        return {"": [[_hit(one, next(scores)) for one in documents] for documents in lists]}
    queries = evaluator.embed_inputs(
        model,
        evaluator.queries,
        encode_fn_name="query",
        prompt_name=evaluator.query_prompt_name,
        prompt=evaluator.query_prompt,
    )
    encoded = evaluator.embed_inputs(
        model,
        [texts[one] for one in used],
        encode_fn_name="document",
        prompt_name=evaluator.corpus_prompt_name,
        prompt=evaluator.corpus_prompt,
    )
    places = {one: number for number, one in enumerate(used)}
    found: dict[str, Hits] = {}
    for name, function in evaluator.score_functions.items():
        found[name] = []
        for number, documents in enumerate(lists):
            rows = [places[one] for one in documents]
            scores = function(queries[number : number + 1], encoded[rows])[0] if rows else []
            found[name].append(
                [_hit(one, float(score)) for one, score in zip(documents, scores, strict=True)]
            )
    return found


def _predicted(evaluator: Base, model: Any, pairs: list[Any]) -> list[float]:
    if not pairs:
        return []
    shown = evaluator.show_progress_bar
    scores = model.predict(pairs, batch_size=evaluator.batch_size, show_progress_bar=shown)
    if len(getattr(scores, "shape", ())) > 1:
        raise InputError(message("compat.cross-encoder-has-several-scores"))
    return [float(one) for one in scores]


def _hit(document: str, score: float) -> dict[str, Any]:
    return {"corpus_id": document, "score": score}


def samples_of(
    samples: Iterable[Mapping[str, Any]],
) -> tuple[dict[str, str], dict[str, str], dict[str, dict[str, float]], dict[str, list[str]]]:
    """Returns queries, corpus, judgments and candidates of reranking samples.

    Raises:
        InputError: If a sample has neither positives and negatives nor documents with grades.
    """
    queries: dict[str, str] = {}
    corpus: dict[str, str] = {}
    judgments: dict[str, dict[str, float]] = {}
    for number, sample in enumerate(samples, 1):
        query = str(number)
        texts, grades = _graded(sample, number)
        ids = [f"{number}-{place}" for place in range(1, len(texts) + 1)]
        queries[query] = sample["query"]
        corpus |= dict(zip(ids, texts, strict=True))
        judgments[query] = dict(zip(ids, grades, strict=True))
    return queries, corpus, judgments, {query: [*one] for query, one in judgments.items()}


def _graded(sample: Mapping[str, Any], number: int) -> tuple[list[str], list[float]]:
    """Returns the texts of a sample's documents and their grades."""
    if "query" in sample and "documents" in sample and "grades" in sample:
        texts, grades = [*sample["documents"]], [*sample["grades"]]
        if len(texts) == len(grades):
            return texts, grades
    elif "query" in sample and "positive" in sample and "negative" in sample:
        sides = [sample["positive"], sample["negative"]]
        good, bad = ([one] if isinstance(one, str) else [*one] for one in sides)
        return [*good, *bad], [1.0] * len(good) + [0.0] * len(bad)
    raise InputError(
        message("compat.sample-lacks-documents", number=number, keys=sorted(map(str, sample))),
        hint=message("compat.give-positives-or-grades"),
    )
