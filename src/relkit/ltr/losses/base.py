"""What a loss is, and the registry of all."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from relkit.core.registry import Registry

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["MODULES", "Loss", "LossValues", "losses", "register"]

#: The modules of the losses, with the names that each registers.
MODULES: dict[str, str] = {}

#: Every loss by its name.
losses: Registry[type[Loss]] = Registry("loss", modules=MODULES)


def register(loss: type[Loss]) -> type[Loss]:
    """Adds a loss: a class decorator."""
    return losses.register(loss)


@dataclass(frozen=True, eq=False)
class LossValues:
    """What a loss says of the scores of some lists.

    Attributes:
        values: One number per list: its loss, 0 where the list says nothing about order.
        gradient: One number per row: the derivative of the sum of `values` by the row's score.
        hessian: One number per row, 0 or more: the second derivative, or what stands for it where
            that can be negative; None if it was not asked for.
    """

    values: NDArray[np.float64]
    gradient: NDArray[np.float64]
    hessian: NDArray[np.float64] | None = None


@dataclass(frozen=True)
class Loss(ABC):
    """What a ranker makes small: a function of one list's scores and labels.

    A subclass is one file: its fields are its parameters, its docstring says the formula, what the
    Hessian is, what happens to ties, to lists without any order and to labels below 0, and its
    source.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    formula: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def kernel(self) -> tuple[str, dict[str, Any]]:
        """Returns the name of the native function, and its parameters."""
