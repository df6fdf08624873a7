"""Their evaluator of retrieval, with the types that it lacks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from relyon.evaluation.results import Results

__all__ = ["Base", "Scored"]


@dataclass(frozen=True)
class Scored:
    """What one score function found.

    Attributes:
        results: The measures.
        run: The scores of the documents of each query.
    """

    results: Results
    run: Mapping[str, Mapping[str, float]]


if TYPE_CHECKING:

    class Base:
        """`InformationRetrievalEvaluator`: encodes, scores and keeps the best documents."""

        queries_ids: list[str]
        queries: list[Any]
        corpus_ids: list[str]
        corpus: list[Any]
        score_functions: dict[str, Any]
        score_function_names: list[str]
        primary_metric: str | None
        query_prompt: str | None
        query_prompt_name: str | None
        corpus_prompt: str | None
        corpus_prompt_name: str | None
        show_progress_bar: bool
        batch_size: int

        def __init__(self, *given: Any, **settings: Any) -> None: ...
        def compute_all_metrics(self, model: Any, **settings: Any) -> dict[str, Scored]: ...
        def embed_inputs(self, model: Any, sentences: Any, **settings: Any) -> Any: ...
        def prefix_name_to_metrics(self, metrics: Any, name: str) -> dict[str, float]: ...
        def store_metrics_in_model_card_data(self, *given: Any) -> None: ...

else:
    Base = import_module("sentence_transformers.evaluation").InformationRetrievalEvaluator
