"""Queries and judgments as a request to `_rank_eval` of Elasticsearch and OpenSearch."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import cast

from relyon.core.errors import InputError, ParameterError
from relyon.core.notes import Note
from relyon.core.registry import suggestion
from relyon.core.texts import message
from relyon.data.judgments import Judgments
from relyon.engines.asked import Query, Request
from relyon.engines.files.configuration import Configuration
from relyon.engines.files.template import Json, fill, fill_text
from relyon.engines.imports.rank_eval import METRICS
from relyon.measures.definition import Measure
from relyon.measures.parser import measure as parse_measure

__all__ = ["rank_eval_request"]

#: Parts of a body that `_rank_eval` refuses, or sets itself.
REFUSED = ("aggs", "aggregations", "suggest", "highlight", "explain", "profile")
OWN = ("size", "from")
#: What a parameter of a measure may be, because the metric is always so.
ALWAYS = {"denominator": "retrieved", "gain": "exp", "discount": "log2"}
NAMED = 3


def rank_eval_request(
    configuration: Configuration,
    queries: Sequence[Query],
    judgments: Judgments,
    measure: str,
    *,
    k: int | None = None,
    variant: str | None = None,
    index: str = "",
) -> tuple[dict[str, Json], tuple[Note, ...]]:
    """Returns a request that asks `_rank_eval` for a measure of an engine's variant, and notes.

    Its number is that of `relyon.evaluate` with `convention="elasticsearch"` on what the variant
    returns: unrated documents count as not relevant, DCG has the gain 2^grade − 1, the ideal list
    of NDCG is as long as the answer, and a query without a relevant document counts 0.

    Args:
        configuration: An engine of the kind `elasticsearch` or `opensearch`.
        queries: The queries; those without judgments are left out.
        judgments: The judgments: whole numbers of 0 or more.
        measure: `p`, `recall`, `rr`, `dcg`, `ndcg` or `err` with a cutoff, such as `ndcg@10`.
        k: The cutoff of a measure that names none; 10 by default.
        variant: The variant; by default the first.
        index: The index of the rated documents, if the engine is asked by an alias or several:
            Elasticsearch knows documents by their own index.

    Raises:
        InputError: If no query has judgments, or a grade cannot be sent.
        ParameterError: If the engine is of another kind, or there is no such metric.
    """
    recipe = configuration.engine.recipe
    body = recipe.get("body") if isinstance(recipe, dict) else None
    path = recipe.get("path") if isinstance(recipe, dict) else None
    if configuration.engine.name != "elasticsearch" or not isinstance(body, dict):
        raise ParameterError(
            message("engines.rank-eval-needs", kind=configuration.engine.name),
        )
    chosen = configuration.chosen([variant] if variant else [])[0]
    grades = judgments.to_dict()
    metric, depth = _metric(parse_measure(measure), k, grades)
    refused = [name for name in REFUSED if name in body]
    kept = {name: one for name, one in body.items() if name not in (*REFUSED, *OWN)}
    requests: list[Json] = []
    for query in queries:
        if not grades.get(query.id):
            continue
        asked = Request(query, chosen, depth)
        target = index or fill_text(str(path), asked.values).strip("/").split("/")[0]
        if not target or any(sign in target for sign in ",*") or target == "_all":
            raise ParameterError(
                message("engines.several-indices", index=target),
                hint=message("engines.name-index"),
            )
        requests.append(
            {
                "id": query.id,
                "request": fill(kept, asked.values),
                "ratings": [
                    {"_index": target, "_id": document, "rating": _rating(query.id, document, one)}
                    for document, one in grades[query.id].items()
                ],
            }
        )
    if not requests:
        raise InputError(message("engines.no-query-is-rated"))
    notes = []
    without = [one.id for one in queries if not grades.get(one.id)]
    if without:
        named = tuple(without[:NAMED])
        notes.append(Note("rank-eval-unrated", len(without), "warning", named))
    if refused:
        notes.append(Note("rank-eval-refused", len(refused), "warning", tuple(refused)))
    return {"requests": requests, "metric": metric}, tuple(notes)


def _rating(query: str, document: str, grade: float) -> int:
    if grade != int(grade) or grade < 0:
        raise InputError(
            message(
                "io.query-document-elasticsearch-does",
                query=query,
                document=document,
                grade=grade,
            ),
            hint=message("io.export-grades"),
        )
    return int(grade)


def _metric(
    measure: Measure, k: int | None, grades: dict[str, dict[str, float]]
) -> tuple[dict[str, Json], int]:
    """Returns the metric of a measure, and its cutoff.

    Raises:
        ParameterError: If there is none.
    """
    names = {one: name for name, one in METRICS.items()} | {"ndcg": "dcg"}
    name = measure.name
    if name not in names:
        raise ParameterError(
            message("engines.no-such-metric", measure=str(measure)),
            hint=suggestion(name, list(names)),
        )
    options: dict[str, Json] = {}
    own = getattr(measure, "k", None)
    if own and k and own != k:
        raise ParameterError(message("engines.two-cutoffs", measure=str(measure), k=k))
    options["k"] = depth = own or k or 10
    for field in dataclasses.fields(measure):  # type: ignore[arg-type]
        value = getattr(measure, field.name)
        if field.name == "k" or value is None or value == ALWAYS.get(field.name):
            continue
        if field.name == "rel" and name in ("p", "recall", "rr") and value == int(value):
            options["relevant_rating_threshold"] = int(value)
        elif field.name == "max" and value == int(value):
            options["maximum_relevance"] = int(value)
        elif value != field.default:
            raise ParameterError(
                message("engines.metric-has-no", measure=str(measure), name=field.name)
            )
    if name == "err" and "maximum_relevance" not in options:
        highest = max((one for found in grades.values() for one in found.values()), default=1)
        options["maximum_relevance"] = int(highest)
    if name in ("dcg", "ndcg"):
        options["normalize"] = name == "ndcg"
    return {names[name]: cast("Json", options)}, depth
