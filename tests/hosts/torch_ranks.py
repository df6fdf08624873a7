"""What one of several processes does in the test of merged metrics."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["MEASURES", "batches", "measure_on_rank"]

MEASURES = ["ndcg@10", "ap", "rr@10", "recall@5", "err@10", "pnr"]


def batches(seed: int = 5, rows: int = 400) -> list[tuple[Any, Any, Any]]:
    """Batches of different sizes: queries are cut by them, many scores are tied."""
    rng = np.random.default_rng(seed)
    queries = np.sort(rng.integers(0, 23, rows))
    scores = np.round(rng.normal(size=rows), 1)
    grades = rng.integers(0, 4, rows)
    mixed = rng.permutation(rows)
    ends = np.sort(rng.choice(np.arange(1, rows), 6, replace=False))
    return [
        (scores[part], grades[part], queries[part]) for part in np.split(mixed, ends) if len(part)
    ]


def measure_on_rank(
    rank: int, world: int, folder: str, shares: Mapping[str, Sequence[Sequence[int]]]
) -> None:
    """Updates with the batches of this rank, computes, and writes the bits of the values.

    Both classes are measured: the one of torchmetrics, and the one without it.

    Args:
        rank: The number of this process.
        world: How many processes there are.
        folder: Where the processes meet, and where the values go.
        shares: The numbers of the batches of each process, by the name of a case.
    """
    import torch
    from torch import distributed

    torch.set_num_threads(1)
    store = f"file://{folder}/store"
    distributed.init_process_group("gloo", init_method=store, rank=rank, world_size=world)
    try:
        from relyon.ltr.torch import Relevance

        found = {"torchmetrics": _measured(Relevance, rank, shares)}
        for name in ("relyon.ltr.torch.states", "relyon.ltr.torch.relevance"):
            del sys.modules[name]
        sys.modules["torchmetrics"] = None  # type: ignore[assignment]
        from relyon.ltr.torch.relevance import Relevance as Alone

        found["alone"] = _measured(Alone, rank, shares)
    finally:
        distributed.destroy_process_group()
    Path(folder, f"{rank}.json").write_text(json.dumps(found), "utf-8")


def _measured(
    kind: Any, rank: int, shares: Mapping[str, Sequence[Sequence[int]]]
) -> dict[str, object]:
    import torch

    metric = kind(MEASURES)
    given = batches()
    found: dict[str, object] = {"base": hasattr(kind, "sync_context")}
    for name, share in shares.items():
        metric.reset()
        for number in share[rank]:
            metric.update(*(torch.as_tensor(one) for one in given[number]))
        found[name] = {
            "values": {key: float(value).hex() for key, value in metric.compute().items()},
            "by_query": metric.results().values_by_query("ndcg@10"),
            "kept": sum(len(one) for one in metric.preds),
        }
    return found
