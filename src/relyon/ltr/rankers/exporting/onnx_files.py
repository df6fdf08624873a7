"""ONNX files: one input `features`, one output `scores`, and metadata of the ranker."""

from __future__ import annotations

import json
from collections.abc import Mapping, MutableSequence
from dataclasses import replace
from types import ModuleType
from typing import TYPE_CHECKING, Protocol

from relyon import _native
from relyon.core.packages import optional_package
from relyon.core.texts import message
from relyon.ltr.rankers.exporting.exported import Candidate
from relyon.ltr.rankers.fitted import FittedRanker

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "OnnxModel",
    "described",
    "linear_model",
    "onnx_candidate",
    "onnx_package",
    "tree_candidate",
]

INPUT, OUTPUT = "features", "scores"
#: Versions of ONNX that runtimes have supported since 2021.
OPSET, FORMAT = 13, 8


class _Named(Protocol):
    name: str


class OnnxNode(Protocol):
    """ONNX's `NodeProto`."""

    input: MutableSequence[str]
    attribute: MutableSequence[_Named]
    metadata_props: MutableSequence[object]


class OnnxGraph(Protocol):
    """ONNX's `GraphProto`."""

    name: str
    doc_string: str
    node: MutableSequence[OnnxNode]
    input: MutableSequence[_Named]
    output: MutableSequence[_Named]
    value_info: MutableSequence[object]
    initializer: MutableSequence[object]


class OnnxOperators(Protocol):
    """ONNX's `OperatorSetIdProto`."""

    domain: str


class OnnxModel(Protocol):
    """ONNX's `ModelProto`."""

    graph: OnnxGraph
    ir_version: int
    doc_string: str
    metadata_props: MutableSequence[object]
    opset_import: MutableSequence[OnnxOperators]

    def SerializeToString(self, *, deterministic: bool) -> bytes: ...  # noqa: N802


def onnx_package(name: str = "onnx") -> ModuleType:
    """Returns one of the packages that write ONNX files."""
    return optional_package(name, purpose=message("ltr.onnx-file"), install="relyon[onnx]")


def described(ranker: FittedRanker) -> dict[str, str]:
    """Returns the metadata of a ranker's file, which other programs do not read."""
    said = {
        "version": _native.__version__,
        "kind": ranker.kind,
        "features": json.dumps(list(ranker.feature_names_), ensure_ascii=False),
        "measure": ranker.measure_,
        "convention": json.dumps(ranker.convention_.to_dict(), default=str),
        "fingerprint": ranker.fingerprint_,
        "data_fingerprint": ranker.data_["fingerprint"],
    }
    return {f"relyon.{name}": str(value) for name, value in said.items()}


def onnx_candidate(model: OnnxModel, metadata: Mapping[str, str]) -> Candidate:
    """Returns a model as a file that ONNX Runtime scores.

    Args:
        model: The model, with the input `features` and the output `scores`.
        metadata: The metadata of the ranker.
    """
    onnx, runtime = onnx_package(), onnx_package("onnxruntime")
    del model.metadata_props[:]
    onnx.helper.set_model_props(model, dict(metadata))
    for node in model.graph.node:
        del node.metadata_props[:]  # PyTorch writes the path of its source code
    model.doc_string = model.graph.doc_string = ""
    model.graph.name = "relyon"
    # From version 4 on, constants need not be inputs.
    model.ir_version = max(model.ir_version, 4)
    onnx.checker.check_model(model)
    data = model.SerializeToString(deterministic=True)
    options = runtime.SessionOptions()
    options.log_severity_level = 3
    session = runtime.InferenceSession(data, options, providers=["CPUExecutionProvider"])

    def score(values: NDArray[np.float64]) -> NDArray[np.float64]:
        import numpy as np

        with np.errstate(over="ignore"):
            given = np.asarray(values, dtype=np.float32)
        return np.asarray(session.run([OUTPUT], {INPUT: given})[0], dtype=np.float64)

    return Candidate(data, score)


def tree_candidate(
    model: OnnxModel, features: int, metadata: Mapping[str, str], blurred: tuple[int, ...]
) -> Candidate:
    """Returns converted trees, under our names, as a file that ONNX Runtime scores.

    Args:
        model: The model of a converter: one input, and a column of scores.
        features: The number of features.
        metadata: The metadata of the ranker.
        blurred: The features with thresholds that single precision does not tell apart.
    """
    import numpy as np

    onnx = onnx_package()
    graph, helper, kind = model.graph, onnx.helper, onnx.TensorProto
    names = {graph.input[0].name: INPUT}
    for node in graph.node:
        node.input[:] = [names.get(name, name) for name in node.input]
    column = graph.output[0].name
    graph.initializer.append(helper.make_tensor("flat", kind.INT64, [1], [-1]))
    graph.node.append(helper.make_node("Reshape", [column, "flat"], [OUTPUT]))
    del graph.input[:], graph.output[:], graph.value_info[:]
    graph.input.append(helper.make_tensor_value_info(INPUT, kind.FLOAT, ["rows", features]))
    graph.output.append(helper.make_tensor_value_info(OUTPUT, kind.FLOAT, ["rows"]))
    if not any(one.domain == "" for one in model.opset_import):
        model.opset_import.append(helper.make_opsetid("", OPSET))
    points: dict[int, set[float]] = {}
    whole: set[int] = set()
    for node in graph.node:
        said = {one.name: helper.get_attribute_value(one) for one in node.attribute}
        if "nodes_modes" not in said:
            continue
        for mode, place, value in zip(
            said["nodes_modes"], said["nodes_featureids"], said["nodes_values"], strict=True
        ):
            if mode != b"LEAF":
                points.setdefault(place, set()).add(value)
                whole |= {place} if mode == b"BRANCH_EQ" else set()
    touched = {place: np.array(sorted(found)) for place, found in points.items()}
    candidate = onnx_candidate(model, metadata)
    return replace(candidate, touched=touched, whole=frozenset(whole), blurred=blurred)


def linear_model(coefficients: NDArray[np.float64], intercept: float) -> OnnxModel:
    """Returns a weighted sum, computed in double precision, as a model."""
    onnx = onnx_package()
    helper, kind = onnx.helper, onnx.TensorProto
    nodes = [
        helper.make_node("Cast", [INPUT], ["double"], to=kind.DOUBLE),
        helper.make_node("MatMul", ["double", "coefficients"], ["weighted"]),
        helper.make_node("Add", ["weighted", "intercept"], ["sum"]),
        helper.make_node("Cast", ["sum"], [OUTPUT], to=kind.FLOAT),
    ]
    width = len(coefficients)
    graph = helper.make_graph(
        nodes,
        "relyon",
        [helper.make_tensor_value_info(INPUT, kind.FLOAT, ["rows", width])],
        [helper.make_tensor_value_info(OUTPUT, kind.FLOAT, ["rows"])],
        [
            helper.make_tensor("coefficients", kind.DOUBLE, [width], coefficients.tolist()),
            helper.make_tensor("intercept", kind.DOUBLE, [], [intercept]),
        ],
    )
    model: OnnxModel = helper.make_model(
        graph,
        ir_version=FORMAT,
        producer_name="relyon",
        opset_imports=[helper.make_opsetid("", OPSET)],
    )
    return model
