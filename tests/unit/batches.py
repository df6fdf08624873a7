"""What tests of the native readers evaluate, and everything that comes out."""

from __future__ import annotations

import struct
from typing import Any

from relyon import _native
from relyon.data.convention import Convention
from relyon.evaluation import Program

NAMES = ["ndcg@5", "ap", "rr", "recall@3", "num_ret"]


def plan(**rules: Any) -> _native.Plan:
    """Returns a plan of a few measures under some rules."""
    return Program.compile(NAMES, Convention(**rules), None, None).plan


def state(batch: _native.Batch) -> object:
    """Returns everything a batch says, with values bit for bit."""
    return (
        batch.queries,
        batch.missing,
        batch.rows,
        batch.matched,
        batch.unjudged_queries,
        batch.unjudged_examples,
        [struct.pack(f"{len(v)}d", *v) for v in map(batch.values, range(len(NAMES)))],
    )
