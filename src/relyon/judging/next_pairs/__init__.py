"""Pairs to grade next in a project's queue: drawn, kept, and what their grades say."""

from relyon.judging.next_pairs.queue import Queued, draw_next, estimate_drawn
from relyon.judging.next_pairs.records import Batch, read_batches
from relyon.judging.next_pairs.snapshots import NextOfSnapshots, Step

__all__ = [
    "Batch",
    "NextOfSnapshots",
    "Queued",
    "Step",
    "draw_next",
    "estimate_drawn",
    "read_batches",
]
