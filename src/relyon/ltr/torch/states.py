"""Rows kept over batches and processes: as a metric of torchmetrics, or without that package."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from importlib import import_module
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

__all__ = ["KINDS", "LocalRows", "Rows"]

#: The states and their types: double precision keeps scores apart that single would tie.
KINDS = {"preds": torch.float64, "target": torch.float64, "indexes": torch.int64}


def _one(parts: list[Tensor] | Tensor, kind: torch.dtype) -> Tensor:
    """Returns the rows of several batches as one tensor in main memory."""
    if isinstance(parts, Tensor):
        return parts.cpu()
    return torch.cat([one.cpu() for one in parts]) if parts else torch.empty(0, dtype=kind)


class LocalRows(torch.nn.Module):
    """Lists of rows with the methods of torchmetrics' `Metric` that need no more than PyTorch.

    Processes are merged by `torch.distributed`, in the order of their ranks.
    """

    preds: list[Tensor]
    target: list[Tensor]
    indexes: list[Tensor]

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.reset()

    def reset(self) -> None:
        """Forgets all rows."""
        for name in KINDS:
            setattr(self, name, [])

    def update(self, preds: Tensor, target: Tensor, indexes: Tensor) -> None:
        """Keeps the rows of a batch."""
        raise NotImplementedError

    def compute(self) -> Any:
        """Returns the measures of all rows."""
        raise NotImplementedError

    def forward(self, preds: Tensor, target: Tensor, indexes: Tensor) -> Any:
        """Keeps the rows of a batch, and returns the measures of these rows alone."""
        before = {name: getattr(self, name) for name in KINDS}
        self.reset()
        try:
            self.update(preds, target, indexes)
            return self._value()
        finally:
            for name, rows in before.items():
                setattr(self, name, [*rows, *getattr(self, name)])

    def merge_state(self, incoming_state: LocalRows) -> None:
        """Adds the rows of another metric after the own ones."""
        for name in KINDS:
            setattr(self, name, [*getattr(self, name), *getattr(incoming_state, name)])

    def _value(self) -> Any:
        raise NotImplementedError

    def _rows(self) -> dict[str, Tensor]:
        """Returns the rows as three tensors in main memory."""
        return {name: _one(getattr(self, name), kind) for name, kind in KINDS.items()}

    @contextmanager
    def _merged(self) -> Iterator[None]:
        """Has the rows of all processes inside, and those of this process afterwards."""
        distributed = torch.distributed
        if not (distributed.is_available() and distributed.is_initialized()):
            yield
            return
        own = {name: getattr(self, name) for name in KINDS}
        everywhere: list[Any] = [None] * distributed.get_world_size()
        distributed.all_gather_object(everywhere, self._rows())
        try:
            for name in KINDS:
                setattr(self, name, [rows[name] for rows in everywhere])
            yield
        finally:
            for name, rows in own.items():
                setattr(self, name, rows)

    _merged_in_compute = _merged


def _rows_of_torchmetrics() -> Any:
    """Returns the same as a subclass of torchmetrics' `Metric`; None if it is not installed."""
    try:
        base = import_module("torchmetrics").Metric
    except ImportError:
        return None

    class Rows(base):  # type: ignore[misc, valid-type]
        """Lists of rows that torchmetrics resets, merges, moves and saves."""

        is_differentiable = False
        full_state_update = False

        def __init__(self, **settings: Any) -> None:
            super().__init__(**settings)
            for name in KINDS:
                self.add_state(name, default=[], dist_reduce_fx="cat")

        def sync(self, *args: Any, **settings: Any) -> None:
            """Merges processes; one without rows sends none, of the others' types."""
            for name, kind in KINDS.items():
                if isinstance(getattr(self, name), list) and not getattr(self, name):
                    setattr(self, name, [torch.empty(0, dtype=kind, device=self.device)])
            super().sync(*args, **settings)

        def set_dtype(self, dst_type: Any) -> Rows:
            """Keeps double precision: scores would be tied in any other."""
            return self

        _rows = LocalRows._rows

        def _merged(self) -> AbstractContextManager[None]:
            found: AbstractContextManager[None] = self.sync_context()
            return found

        def _merged_in_compute(self) -> AbstractContextManager[None]:
            """Has what torchmetrics has merged before `compute`."""
            return nullcontext()

    return Rows


if TYPE_CHECKING:
    Rows = LocalRows
else:
    Rows = _rows_of_torchmetrics() or LocalRows
