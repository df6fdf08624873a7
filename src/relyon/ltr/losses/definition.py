"""Losses: the base class, and the registry."""

from __future__ import annotations

import dataclasses
from abc import ABC
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from relyon.core.errors import ParameterError
from relyon.core.parameters import check_whole
from relyon.core.registry import Registry
from relyon.core.rules import show_gain
from relyon.core.texts import message
from relyon.data.row_index import paired
from relyon.measures.parameters import check_parameter, parameters, show

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from relyon import _native

__all__ = ["MODULES", "Loss", "LossValues", "losses", "register"]

#: The modules of the losses, with the names that each registers.
MODULES: dict[str, str] = {
    f"relyon.ltr.losses.{module}": names
    for module, names in {
        "approx_ndcg": "approx_ndcg approxndcg",
        "cross_entropy": "cross_entropy",
        "lambdarank": "lambdarank",
        "listmle": "listmle",
        "listnet": "listnet",
        "logistic": "logistic binary",
        "ndcg_losses": "ndcg_loss1 ndcg_loss2 ndcg_loss2pp ndcg_loss2++ lambdaloss",
        "neural_ndcg": "neural_ndcg neuralndcg",
        "ordinal": "ordinal",
        "ranknet": "ranknet",
        "softmax": "softmax",
        "softrank": "softrank",
        "squared_error": "squared_error mse l2 regression",
    }.items()
}

#: Every loss by its name.
losses: Registry[type[Loss]] = Registry("loss", modules=MODULES)


def register(loss: type[Loss]) -> type[Loss]:
    """Adds a loss: a class decorator."""
    return losses.register(loss)


@dataclass(frozen=True, eq=False)
class LossValues:
    """The values of a loss for the scores of some lists.

    Attributes:
        values: One number per list: its loss, 0 if the labels of the list have no order.
        gradient: One number per row: the derivative of the sum of `values` by the row's score.
        hessian: One number per row, 0 or more: the second derivative, or its substitute if that can
            be negative; None if it was not requested.
    """

    values: NDArray[np.float64]
    gradient: NDArray[np.float64]
    hessian: NDArray[np.float64] | None = None


@dataclass(frozen=True)
class Loss(ABC):
    """A training loss: a function of one list's scores and labels.

    The fields of a subclass are its parameters; its docstring gives the formula, the Hessian, the
    treatment of ties, of lists without any order and of labels below 0, and the source. The native
    function that `kernel` names is the definition.

    Attributes:
        name: The canonical name.
        title: Its name in prose.
        formula: The formula in one line of plain text.
        aliases: Other names, case-insensitive.
        positive: The fields that must be above 0.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    formula: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]] = ()
    positive: ClassVar[tuple[str, ...]] = ()

    def kernel(self) -> tuple[str, dict[str, object]]:
        """Returns the name of the native function, and its parameters."""
        values = {
            name: dict(value) if isinstance(value, tuple) else value
            for name in parameters(type(self))
            if (value := getattr(self, name)) is not None
        }
        return self.name, values

    def evaluate(
        self,
        labels: ArrayLike,
        scores: ArrayLike,
        offsets: ArrayLike | None = None,
        *,
        weights: ArrayLike | None = None,
        hessian: bool = True,
        seed: int = 0,
        threads: int = 0,
    ) -> LossValues:
        """Returns the loss of each list, and its derivatives by the scores.

        The result is the same for any number of threads. It runs without Python's lock.

        Args:
            labels: One label per row; 2-D: one list per row.
            scores: One score per row, in the shape of the labels.
            offsets: The first row of each list, and the number of rows at the end: list i has
                rows offsets[i] to offsets[i + 1]. Without them all rows are one list.
            weights: One weight per row, 0 or more; each loss documents its effect. The same weight
                in a whole list multiplies its loss.
            hessian: Whether to compute the Hessian, too.
            seed: The seed of losses with random draws, combined with the number of the list.
            threads: The number of threads; 0: one per processor, up to 8.

        Raises:
            InputError: If shapes do not fit, a number is NaN or infinite, or a weight is below 0.
            ParameterError: If the seed or the number of threads is not a whole number of 0 or
                more.

        Examples:
            >>> import relyon.ltr
            >>> ranknet = relyon.ltr.loss("ranknet")
            >>> found = ranknet.evaluate([1, 0, 2, 2], [0.0, 0.0, 3, 5], [0, 2, 4])
            >>> found.values.round(6).tolist(), found.gradient.tolist()
            ([0.693147, 0.0], [-0.5, 0.5, 0.0, 0.0])
        """
        import numpy as np

        given = paired({"labels": labels, "scores": scores, "weights": weights})
        if offsets is not None:
            offsets = np.ascontiguousarray(offsets, dtype=np.int64)
        return LossValues(
            *self.native().evaluate(
                np.asarray(given["labels"]),
                np.asarray(given["scores"]),
                offsets,
                weights=None if weights is None else np.asarray(given["weights"]),
                hessian=hessian,
                seed=check_whole("seed", seed, least=0),
                threads=check_whole("threads", threads, least=0),
            )
        )

    def native(self) -> _native.Loss:
        """Returns the loss as an object of the native core, to be reused for many calls."""
        from relyon import _native

        return _native.Loss(*self.kernel())

    def checked(self, name: str, value: object, hint: object) -> object:
        """Returns a parameter's value in its own type, from text too.

        Raises:
            ParameterError: If the value is not valid.
        """
        value = check_parameter(self.name, name, value, hint)
        if name == "gain" and value == "scale":
            raise ParameterError(
                message(
                    "core.parameter-name-of-measure",
                    name=name,
                    measure=self.name,
                    wanted=message("`linear`, `exp` or a map of grades to gains"),
                    value=value,
                )
            )
        if name in self.positive and isinstance(value, int | float) and not value > 0:
            raise ParameterError(
                message(
                    "core.parameter-must-be-above-0",
                    name=name,
                    value=value,
                )
            )
        return value

    def __post_init__(self) -> None:
        for name, hint in parameters(type(self)).items():
            object.__setattr__(self, name, self.checked(name, getattr(self, name), hint))

    def __str__(self) -> str:
        shown = [
            f"{field.name}={show_gain(value) if field.name == 'gain' else show(value)}"
            for field in dataclasses.fields(self)
            if (value := getattr(self, field.name)) != field.default
        ]
        return f"{self.name}({','.join(shown)})" if shown else self.name
