"""Trees of each engine, converted by other libraries: onnxmltools, CatBoost, Treelite."""

from __future__ import annotations

import json
import math
import os
import tempfile
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import TYPE_CHECKING, Literal, Protocol

from relyon.core.errors import InputError, RelyonError
from relyon.core.packages import optional_package
from relyon.core.texts import message
from relyon.ltr.rankers.exporting.exported import Candidate
from relyon.ltr.rankers.exporting.onnx_files import OnnxModel, onnx_package

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "TreeliteModel",
    "catboost_onnx",
    "lightgbm_onnx",
    "lightgbm_treelite",
    "treelite_candidate",
    "xgboost_onnx",
    "xgboost_treelite",
]

#: Objectives of XGBoost whose base score is a probability.
LOGISTIC = ("binary:logistic", "reg:logistic")


class TreeliteHeader(Protocol):
    """Treelite's accessor of a model's fields."""

    def set_field(self, name: str, value: str) -> None: ...


class TreeliteTree(Protocol):
    """Treelite's accessor of a tree's fields."""

    def get_field(self, name: str) -> Iterable[float]: ...


class TreeliteModel(Protocol):
    """Treelite's `Model`."""

    @property
    def num_tree(self) -> int: ...
    @property
    def input_type(self) -> str: ...
    def get_header_accessor(self) -> TreeliteHeader: ...
    def get_tree_accessor(self, tree_id: int) -> TreeliteTree: ...
    def serialize_bytes(self) -> bytes: ...


class XGBoostRegressor(Protocol):
    """XGBoost's `XGBRegressor`."""

    def load_model(self, fname: bytearray) -> None: ...
    def get_booster(self) -> object: ...


@contextmanager
def _converting(what: str) -> Iterator[None]:
    """Turns errors of converters into ours, and hides their warnings.

    Raises:
        InputError: If a converter cannot do it.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except RelyonError:
        raise
    except Exception as error:
        lines = [line for line in str(error).strip().splitlines() if line.strip()]
        raise InputError(
            message(
                "ltr.cannot-convert-these-trees",
                what=what,
                error=lines[0] if lines else type(error).__name__,
            ),
            hint=message("ltr.engine-is-format"),
        ) from None


def lightgbm_onnx(text: str, features: int) -> tuple[OnnxModel, tuple[int, ...]]:
    """Returns LightGBM's trees as an ONNX model, and the features that single precision blurs.

    Thresholds of ONNX are of single precision. Each is rounded down, so that every feature of
    single precision takes the same branch as with LightGBM's own threshold.
    """
    library, convert = _onnx_converter("lightgbm")
    plain, blurred = _plain_lightgbm(text, single=True)
    with _converting("onnxmltools"):
        booster = library.Booster(model_str=plain)
        return convert(booster, initial_types=_types(features), name="relyon"), blurred


def xgboost_onnx(raw: bytes, features: int) -> OnnxModel:
    """Returns XGBoost's trees as an ONNX model; both compare in single precision.

    Args:
        raw: XGBoost's JSON of them.
        features: The number of features.
    """
    library, convert = _onnx_converter("xgboost")
    with _converting("onnxmltools"):
        return convert(_plain_xgboost(library, raw), initial_types=_types(features), name="relyon")


def catboost_onnx(save: Callable[[str], None]) -> OnnxModel:
    """Returns the ONNX model that CatBoost writes.

    Args:
        save: Has CatBoost write the model to a path.

    Raises:
        InputError: If CatBoost cannot write it, since the trees are not symmetric.
    """
    onnx = onnx_package()
    with _converting("CatBoost"), tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "catboost.onnx")
        try:
            save(path)
        except Exception as error:
            if "non symmetric" not in str(error):
                raise
            raise InputError(
                message("ltr.catboost-exports-only-symmetric"),
                hint=message("ltr.depth-6"),
            ) from None
        model: OnnxModel = onnx.load(path)
        return model


def lightgbm_treelite(text: str) -> TreeliteModel:
    """Returns LightGBM's trees as a model of Treelite, in double precision."""
    treelite = _treelite()
    library = optional_package("lightgbm", purpose=message("ltr.a-ranker"), install="relyon[ltr]")
    plain, _ = _plain_lightgbm(text, single=False)
    with _converting("Treelite"):
        model: TreeliteModel = treelite.frontend.from_lightgbm(library.Booster(model_str=plain))
        return model


def xgboost_treelite(raw: bytes) -> TreeliteModel:
    """Returns XGBoost's trees as a model of Treelite."""
    treelite = _treelite()
    library = optional_package(
        "xgboost", purpose=message("ltr.a-ranker"), install="relyon[xgboost]"
    )
    with _converting("Treelite"):
        booster = _plain_xgboost(library, raw).get_booster()
        model: TreeliteModel = treelite.frontend.from_xgboost(booster)
        return model


def treelite_candidate(model: TreeliteModel, metadata: dict[str, str]) -> Candidate:
    """Returns Treelite's trees as a checkpoint, scored by its reference."""
    import numpy as np

    treelite = _treelite()
    model.get_header_accessor().set_field("attributes", json.dumps(metadata))
    points: dict[int, list[float]] = {}
    whole: set[int] = set()
    for tree in map(model.get_tree_accessor, range(model.num_tree)):
        places, values = tree.get_field("split_index"), tree.get_field("threshold")
        categories = tree.get_field("category_list")
        for place, value, node in zip(places, values, tree.get_field("node_type"), strict=True):
            if node == NUMERICAL:
                points.setdefault(int(place), []).append(float(value))
            elif node == CATEGORICAL:
                points.setdefault(int(place), []).extend(map(float, categories))
                whole.add(int(place))
    data = model.serialize_bytes()
    again: TreeliteModel = treelite.Model.deserialize_bytes(data)
    kind: Literal["float32", "float64"] = "float64" if again.input_type == "float64" else "float32"

    def score(values: NDArray[np.float64]) -> NDArray[np.float64]:
        with np.errstate(over="ignore"):
            given = np.ascontiguousarray(values, dtype=kind)
        found = treelite.gtil.predict(again, given, nthread=1)
        return np.asarray(found, dtype=np.float64).reshape(len(given))

    touched = {place: np.array(found) for place, found in points.items()}
    return Candidate(data, score, touched, frozenset(whole), kind)


#: Treelite's types of nodes that compare numbers, and of nodes that look for a category.
NUMERICAL, CATEGORICAL = 1, 2


def _plain_lightgbm(text: str, *, single: bool) -> tuple[str, tuple[int, ...]]:
    """Returns LightGBM's model with plain sums as predictions, and which features are blurred.

    The objective becomes regression: converters do not know relyon's objectives, and others turn
    the sum into a probability.

    Args:
        text: LightGBM's text of it.
        single: Whether thresholds are rounded down to single precision.
    """
    import numpy as np

    # The parameters at the end name the objective again; the sizes of trees change with thresholds.
    trees, _, _ = text.partition("\nparameters:\n")
    lines = [
        line for line in trees.split("\n") if not line.startswith(("objective=", "tree_sizes="))
    ]
    names = next(at for at, line in enumerate(lines) if line.startswith("feature_names="))
    lines.insert(names, "objective=regression")
    if not single:
        return "\n".join(lines), ()
    exact: dict[int, set[float]] = {}
    rounded: dict[int, set[float]] = {}
    places: list[int] = []
    at = 0
    for number, line in enumerate(lines):
        name, _, rest = line.partition("=")
        if name == "split_feature":
            places = [int(one) for one in rest.split()]
        elif name == "threshold":
            at = number
        elif name == "decision_type":
            values = np.array(lines[at].partition("=")[2].split(), dtype=np.float64)
            numbers = np.array([int(kind) & 1 == 0 for kind in rest.split()], dtype=bool)
            values[numbers] = _floor(values[numbers])
            before = lines[at].partition("=")[2].split()
            for place, was, now, counts in zip(places, before, values, numbers, strict=True):
                if counts:
                    exact.setdefault(place, set()).add(float(was))
                    rounded.setdefault(place, set()).add(float(now))
            lines[at] = "threshold=" + " ".join(
                repr(float(now)) if counts else was
                for was, now, counts in zip(before, values, numbers, strict=True)
            )
    blurred = sorted(place for place in exact if len(rounded[place]) < len(exact[place]))
    return "\n".join(lines), tuple(blurred)


def _floor(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns the values, rounded down to single precision."""
    import numpy as np

    with np.errstate(over="ignore"):
        near = values.astype(np.float32)
    below = np.nextafter(near, np.float32(-np.inf))
    return np.where(near.astype(np.float64) > values, below, near).astype(np.float64)


def _plain_xgboost(library: ModuleType, raw: bytes) -> XGBoostRegressor:
    """Returns XGBoost's model with plain sums as predictions, as a regressor for scikit-learn."""
    model = json.loads(raw)
    learner = model["learner"]
    said = learner["learner_model_param"]
    if learner["objective"]["name"] in LOGISTIC:
        # A number before XGBoost 3, a list of one since; it reads at most nine digits.
        listed = said["base_score"].startswith("[")
        share = float(said["base_score"].strip("[]"))
        text = f"{math.log(share / (1 - share)):.8E}"
        said["base_score"] = f"[{text}]" if listed else text
    learner["objective"] = {
        "name": "reg:squarederror",
        "reg_loss_param": {"scale_pos_weight": "1"},
    }
    found: XGBoostRegressor = library.XGBRegressor()
    found.load_model(bytearray(json.dumps(model).encode()))
    return found


def _onnx_converter(engine: str) -> tuple[ModuleType, Callable[..., OnnxModel]]:
    """Returns an engine's library, and the converter of its models."""
    extra = "ltr" if engine == "lightgbm" else engine
    library = optional_package(engine, purpose=message("ltr.a-ranker"), install=f"relyon[{extra}]")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return library, onnx_package(f"onnxmltools.convert.{engine}").convert


def _types(features: int) -> list[tuple[str, object]]:
    types = onnx_package("onnxmltools.convert.common.data_types")
    return [("features", types.FloatTensorType([None, features]))]


def _treelite() -> ModuleType:
    return optional_package(
        "treelite", purpose=message("ltr.treelite-file"), install="relyon[treelite]"
    )
