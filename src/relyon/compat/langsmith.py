"""LangSmith: evaluators of retrieved documents, with relyon's measures.

LangSmith calls a function with a run and its example, and takes `{"key": …, "score": …}`. What is
here has that shape and needs no package, so that a runner of your own can call it, too. The rules
of lists are those of `relyon.compat.ranked_lists`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from relyon.compat.ranked_lists import ListMeasure, Rules, evaluate_lists, grades_of, text_id
from relyon.core.errors import InputError
from relyon.core.texts import message
from relyon.data.scale import Scale
from relyon.measures.parser import measure as parse_measure

__all__ = ["relevance_evaluator", "summary_evaluator"]

Feedback = dict[str, Any]


def relevance_evaluator(
    measure: str = "ndcg@10",
    *,
    retrieved: str = "document_ids",
    reference: str = "relevant",
    convention: Rules = None,
    scale: Scale | str | None = None,
) -> Callable[[Any, Any], Feedback]:
    """Returns an evaluator of one run, for LangSmith's `evaluators`.

    Args:
        measure: A name such as `ndcg@10`; its canonical form is the key of the score.
        retrieved: The key of a run's outputs with what was retrieved, best first: ids, or documents
            with an `id` (mappings, or objects such as those of LangChain). A run that failed counts
            as a search that found nothing: leaving it out would praise what breaks.
        reference: The key of an example's outputs with the judged documents: {id: grade}, or a list
            of ids, each of grade 1.
        convention: See `relyon.evaluate`.
        scale: See `relyon.evaluate`.

    Returns:
        A function of a run and its example, or of the outputs of both. It returns the key and the
        score; a score of None, with a comment, if there is no value, which LangSmith leaves out of
        its mean. It raises an `InputError` if outputs have no such key, or no documents there.

    Raises:
        ParameterError: If a rule is invalid, or the measure needs a scale, as ERR does.
        UnknownNameError: If the measure, a preset or a scale has no such name.

    Examples:
        >>> evaluate = relevance_evaluator("ndcg@10")
        >>> found = evaluate({"document_ids": ["b", "a"]}, {"relevant": {"a": 3, "b": 2}})
        >>> found["key"], round(found["score"], 10)
        ('ndcg@10', 0.9134015925)
    """
    value = ListMeasure(measure, convention=convention, scale=scale)

    def evaluate(run: Any, example: Any) -> Feedback:
        return _feedback(value.name, value(_judged(example, reference), _ids(run, retrieved)))

    evaluate.__name__ = value.name
    return evaluate


def summary_evaluator(
    measure: str = "ndcg@10",
    *,
    retrieved: str = "document_ids",
    reference: str = "relevant",
    convention: Rules = None,
    scale: Scale | str | None = None,
) -> Callable[[Sequence[Any], Sequence[Any]], Feedback]:
    """Returns an evaluator of all runs together, for LangSmith's `summary_evaluators`.

    Its score is the number of `relyon.evaluate`. Unlike the mean that LangSmith shows, it sums
    pairs where a measure does (PNR), and follows the convention on queries without a value.

    Args:
        measure: See `relevance_evaluator`.
        retrieved: See `relevance_evaluator`.
        reference: See `relevance_evaluator`.
        convention: See `relyon.evaluate`.
        scale: See `relyon.evaluate`.

    Examples:
        >>> evaluate = summary_evaluator("rr")
        >>> runs = [{"document_ids": ["x", "a"]}, {"document_ids": []}]
        >>> evaluate(runs, [{"relevant": ["a"]}, {"relevant": ["b"]}])
        {'key': 'rr', 'score': 0.25}
    """
    name = str(parse_measure(measure))

    def evaluate(runs: Sequence[Any], examples: Sequence[Any]) -> Feedback:
        judged = [_judged(one, reference) for one in examples]
        found = [_ids(one, retrieved) for one in runs]
        results = evaluate_lists(judged, found, name, convention=convention, scale=scale)
        return _feedback(name, results[name])

    evaluate.__name__ = name
    return evaluate


def _feedback(key: str, score: float) -> Feedback:
    if math.isfinite(score):
        return {"key": key, "score": score}
    return {"key": key, "score": None, "comment": str(message("compat.no-value", value=score))}


def _ids(run: Any, key: str) -> list[str]:
    if getattr(run, "error", None):
        return []
    return [text_id(_id(one)) for one in _documents(run, key)]


def _judged(example: Any, key: str) -> dict[str, float]:
    found = _documents(example, key)
    if isinstance(found, Mapping):
        return {text_id(document): grade for document, grade in found.items()}
    return grades_of(map(_id, found))


def _documents(one: Any, key: str) -> Mapping[Any, Any] | Sequence[Any]:
    """Returns documents from outputs, or from a run or an example that has some.

    Raises:
        InputError: If there is no list or mapping under the key.
    """
    outputs = (one if isinstance(one, Mapping) else one.outputs) or {}
    found = outputs.get(key)
    if isinstance(found, Mapping | Sequence) and not isinstance(found, str | bytes):
        return found
    raise InputError(
        message("compat.outputs-without-key", key=key, keys=[str(one) for one in outputs]),
        hint=message("compat.name-the-key"),
    )


def _id(document: Any) -> object:
    if isinstance(document, Mapping):
        return document.get("id")
    return document if isinstance(document, str | int) else getattr(document, "id", document)
