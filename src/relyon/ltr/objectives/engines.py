"""Labels, groups and weights of the engines' data sets."""

from __future__ import annotations

from collections.abc import Sized
from typing import TYPE_CHECKING, Literal, Protocol, TypeGuard, get_args

from relyon.core.errors import ParameterError
from relyon.core.parameters import check_choice
from relyon.core.texts import message

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

__all__ = [
    "DataSet",
    "Engine",
    "check_engine",
    "engine_of",
    "group_sizes",
    "is_data_set",
    "labels_of",
    "refuse_other_engine",
    "weights_of",
]

Engine = Literal["lightgbm", "xgboost", "catboost"]

TITLES = {"lightgbm": "LightGBM", "xgboost": "XGBoost", "catboost": "CatBoost"}


class DataSet(Protocol):
    """A LightGBM `Dataset` or an XGBoost `DMatrix`."""

    def get_label(self) -> ArrayLike | None: ...
    def get_group(self) -> ArrayLike | None: ...
    def get_weight(self) -> Sized | None: ...
    def get_uint_info(self, field: str) -> ArrayLike: ...


def is_data_set(value: object) -> TypeGuard[DataSet]:
    """Returns whether a value is a data set of LightGBM or XGBoost, and not an array."""
    return hasattr(value, "get_label")


def check_engine(engine: str) -> None:
    """Rejects unknown engines.

    Raises:
        ParameterError: If it is neither LightGBM nor XGBoost nor CatBoost.
    """
    check_choice("engine", engine, get_args(Engine))


def engine_of(data: DataSet) -> Engine:
    """Returns the engine of a data set."""
    return "xgboost" if hasattr(data, "get_uint_info") else "lightgbm"


def refuse_other_engine(made: str, caller: str) -> None:
    """Refuses a call by another engine than a metric or its early stopping was made for.

    Args:
        made: The engine that it was made for.
        caller: The engine that calls it.

    Raises:
        ParameterError: If they differ.
    """
    if made != caller:
        raise ParameterError(
            message("ltr.hook-of-another-engine", made=TITLES[made], caller=TITLES[caller]),
            hint=message("ltr.name-engine-of-hook", engine=caller),
        )


def labels_of(data: DataSet) -> NDArray[np.float64] | None:
    """Returns the labels of a data set, in single precision."""
    import numpy as np

    found = data.get_label()
    return None if found is None else np.asarray(found)


def group_sizes(data: DataSet) -> NDArray[np.int64] | None:
    """Returns the number of rows of each query of a data set, or None if it has no queries."""
    import numpy as np

    if engine_of(data) == "xgboost":
        offsets = np.asarray(data.get_uint_info("group_ptr"), dtype=np.int64)
        return np.diff(offsets) if len(offsets) > 1 else None
    found = data.get_group()
    return None if found is None else np.asarray(found, dtype=np.int64)


def weights_of(data: DataSet) -> NDArray[np.float64] | None:
    """Returns the weights of a data set, or None if all are 1."""
    import numpy as np

    found = data.get_weight()
    if found is None or not len(found):
        return None
    weights = np.asarray(found)
    return None if bool((weights == weights[0]).all()) and weights[0] == 1 else weights
