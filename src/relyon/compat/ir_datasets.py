"""Collections of ir_datasets: judgments, runs, and texts of queries and documents.

`relyon.evaluate("irds:ID", run)` and the command line take an id, too.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from relyon.io import irds

if TYPE_CHECKING:
    from relyon.data.judgments import Judgments
    from relyon.data.run import Run
    from relyon.data.scale import Scale

__all__ = ["documents", "judgments", "queries", "run"]


def judgments(dataset: str, *, scale: Scale | str | None = None) -> Judgments:
    """Returns the judgments of a data set, as `relyon.read_judgments("irds:ID")`.

    Judgments of subtopics keep them. Iterations, and the probabilities of sampled judgments, are
    not kept. ir_datasets downloads what is missing when it is first used.

    Args:
        dataset: Its id, such as `vaswani` or `msmarco-passage/trec-dl-2019/judged`.
        scale: The grade scale, or its name.

    Raises:
        DependencyError: If ir_datasets is not installed.
        InputError: If it has no judgments, or they cannot be downloaded or read.
        UnknownNameError: If there is no such data set.
    """
    from relyon.data.scale import load_scale

    return irds.dataset_judgments(dataset, load_scale(scale))


def run(dataset: str, *, name: str | None = None) -> Run:
    """Returns the scored documents of a data set, such as those to rerank.

    Args:
        dataset: Its id.
        name: The name of the run; by default the id.

    Raises:
        DependencyError: If ir_datasets is not installed.
        InputError: If it has no scored documents, or they cannot be downloaded or read.
        UnknownNameError: If there is no such data set.
    """
    return irds.dataset_run(dataset, name)


def queries(dataset: str) -> dict[str, str]:
    """Returns the text of each query: what ir_datasets calls its default text.

    Args:
        dataset: Its id.

    Raises:
        DependencyError: If ir_datasets is not installed.
        InputError: If it has no queries, or they cannot be downloaded or read.
        UnknownNameError: If there is no such data set.
    """
    return irds.dataset_queries(dataset)


def documents(dataset: str, ids: Iterable[str] | None = None) -> dict[str, str]:
    """Returns the texts of documents: what ir_datasets calls their default text.

    Args:
        dataset: Its id.
        ids: The documents to look up; those that are absent are left out. None reads all of them
            into memory.

    Raises:
        DependencyError: If ir_datasets is not installed.
        InputError: If it has no documents, or they cannot be downloaded or read.
        UnknownNameError: If there is no such data set.
    """
    return irds.dataset_documents(dataset, ids)
