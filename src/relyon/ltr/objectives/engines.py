"""What LightGBM, XGBoost and CatBoost hold of a data set, and how they name it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, get_args

from relyon.core.parameters import check_choice

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Engine", "check_engine", "group_sizes", "labels_of", "weights_of"]

Engine = Literal["lightgbm", "xgboost", "catboost"]


def check_engine(engine: str) -> None:
    """Rejects other engines.

    Raises:
        ParameterError: If it is neither LightGBM nor XGBoost nor CatBoost.
    """
    check_choice("engine", engine, get_args(Engine))


def labels_of(data: Any) -> NDArray[Any] | None:
    """Returns the labels of a LightGBM `Dataset` or an XGBoost `DMatrix`, as float32."""
    import numpy as np

    found = data.get_label()
    return None if found is None else np.asarray(found)


def group_sizes(data: Any) -> NDArray[np.int64] | None:
    """Returns how many rows each query of a data set has, or None where it has no queries."""
    import numpy as np

    if hasattr(data, "get_uint_info"):  # XGBoost has offsets
        offsets = np.asarray(data.get_uint_info("group_ptr"), dtype=np.int64)
        return np.diff(offsets) if len(offsets) > 1 else None
    found = data.get_group()
    return None if found is None else np.asarray(found, dtype=np.int64)


def weights_of(data: Any) -> NDArray[Any] | None:
    """Returns the weights of a data set, or None where all weigh the same."""
    import numpy as np

    found = data.get_weight()
    if found is None or not len(found):
        return None
    weights = np.asarray(found)
    return None if bool((weights == weights[0]).all()) and weights[0] == 1 else weights
