"""Pairs to grade next in a project's queue: drawn, kept, and what their grades say."""

from relyon.judging.next_pairs.queue import Queued, draw_next, estimate_drawn
from relyon.judging.next_pairs.records import Batch, read_batches

__all__ = ["Batch", "Queued", "draw_next", "estimate_drawn", "read_batches"]
