"""BEIR's results as runs. Its files need no adapter.

`relyon.read_judgments` reads `qrels/test.tsv`, `relyon.read_run` what `save_runfile` writes, and
tables of texts are `queries.jsonl` and `corpus.jsonl`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import get_args

from relyon.compat.identical_ids import IdenticalIds, without_identical_ids
from relyon.core.parameters import check_choice
from relyon.data.run import Run, run_name
from relyon.io import read_run

__all__ = ["run"]


def run(
    results: Mapping[str, Mapping[str, float]] | str | os.PathLike[str],
    *,
    identical_ids: IdenticalIds = "drop",
    name: str | None = None,
) -> Run:
    """Returns what BEIR retrieved, with the documents that its evaluation counts.

    `EvaluateRetrieval.evaluate` by default leaves out results whose id is that of the query, and
    deletes them from the dict that it is given: the same dict is another run afterwards. Here the
    rule is explicit, and the dict stays as it is. For BEIR's numbers evaluate with
    `convention="pytrec_eval"`.

    Args:
        results: `{query: {document: score}}`, or a run file of `beir.util.save_runfile`.
        identical_ids: `drop` them as BEIR does by default, or `keep` them, as with
            `ignore_identical_ids=False`.
        name: The name of the run.

    Raises:
        InputError: If the results cannot be used.

    Examples:
        >>> run({"q1": {"q1": 3.0, "d1": 2.0}}).to_dict()
        {'q1': {'d1': 2.0}}
    """
    check_choice("identical_ids", identical_ids, get_args(IdenticalIds))
    given = read_run(results, name=name)
    if identical_ids == "keep":
        return given
    kept = without_identical_ids(given.to_dict())
    return Run.from_dict(kept, name=name or run_name(given), source=given.source)
