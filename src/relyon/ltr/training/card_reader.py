"""Reading of model cards, for comparisons with earlier rankers."""

from __future__ import annotations

import dataclasses
import json
import math
from os import PathLike
from typing import NotRequired, TypedDict

from relyon.core.errors import InputError, RelyonError
from relyon.core.parameters import check_path
from relyon.core.texts import message
from relyon.data.convention import load_convention
from relyon.data.input_fingerprints import InputFingerprints
from relyon.io.plain_text import read_file
from relyon.ltr.rankers.files import convention_fields
from relyon.ltr.training.card import DataFacts, ModelCard
from relyon.ltr.training.held_out import HeldOut

__all__ = ["read_card", "read_training"]


class DataRecord(TypedDict):
    """The JSON of `DataFacts`."""

    source: str
    queries: int
    rows: int
    features: list[str]
    labels: dict[str, int]
    constant: int
    fingerprint: str


class HeldOutRecord(TypedDict):
    """The JSON of `HeldOut`."""

    queries: int
    value: float | None
    interval: tuple[float | None, float | None]
    paired: int
    baseline: float | None
    difference: float | None
    difference_interval: tuple[float | None, float | None]
    p: float | None
    better: int
    worse: int
    clusters: NotRequired[int]


class CardRecord(TypedDict):
    """The JSON of `ModelCard`."""

    ranker: str
    loss: str
    engine: str
    parameters: dict[str, object]
    seed: int
    data: DataRecord
    measure: str
    convention: dict[str, object]
    fingerprint: str
    split: str
    tested: str
    inputs: NotRequired[dict[str, dict[str, object]]]
    held_out: HeldOutRecord
    baseline: str
    level: float
    versions: dict[str, str]


def read_card(path: str | PathLike[str]) -> ModelCard:
    """Reads a model card from JSON, alone or in the output of `relyon train`.

    Its notes are left out: they are about other data.

    Args:
        path: The output of ``relyon train --card FILE.json`` or ``--format json``.

    Raises:
        InputError: If the file cannot be read, or is not a model card.
    """
    return read_training(check_path("path", path))[0]


def read_training(path: str) -> tuple[ModelCard, dict[str, float]]:
    """Reads a model card and the ranker's value on each query, if the file has them.

    Raises:
        InputError: If the file cannot be read, or is not a model card.
    """
    text = read_file(path)
    try:
        found = json.loads(text)
        if "card" not in found:
            return _card(found), {}
        values = {query: _number(one["value"]) for query, one in found["per_query"].items()}
        held_out = found["card"].get("inputs", {}).get("held_out", {})
        held_out["judgments_by_query"] = found.get("judgments_by_query", {})
        return _card(found["card"]), values
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, RelyonError):
        raise InputError(
            message("ltr.is-neither-saved-ranker"),
            path=path,
            hint=message("ltr.relyon-train-writes-them"),
        ) from None


def _card(values: CardRecord) -> ModelCard:
    fields, data = values["convention"], values["data"]
    rules = load_convention(convention_fields(fields))
    return ModelCard(
        ranker=str(values["ranker"]),
        loss=str(values["loss"]),
        engine=str(values["engine"]),
        measure=str(values["measure"]),
        fingerprint=str(values["fingerprint"]),
        split=str(values["split"]),
        tested=str(values["tested"]),
        inputs={
            name: InputFingerprints.from_dict(one) for name, one in values.get("inputs", {}).items()
        },
        baseline=str(values["baseline"]),
        parameters=dict(values["parameters"]),
        seed=int(values["seed"]),
        data=DataFacts(
            source=str(data["source"]),
            queries=int(data["queries"]),
            rows=int(data["rows"]),
            features=tuple(map(str, data["features"])),
            labels={float(label): int(count) for label, count in data["labels"].items()},
            constant=int(data["constant"]),
            fingerprint=str(data["fingerprint"]),
        ),
        convention=dataclasses.replace(rules, name=str(fields["name"])),
        found=_held_out(values["held_out"]),
        level=float(values["level"]),
        versions={str(name): str(one) for name, one in values["versions"].items()},
    )


def _held_out(values: HeldOutRecord) -> HeldOut:
    low, high = map(_number, values["interval"])
    lowest, highest = map(_number, values["difference_interval"])
    return HeldOut(
        queries=int(values["queries"]),
        value=_number(values["value"]),
        interval=(low, high),
        paired=int(values["paired"]),
        baseline=_number(values["baseline"]),
        difference=_number(values["difference"]),
        difference_interval=(lowest, highest),
        p=_number(values["p"]),
        better=int(values["better"]),
        worse=int(values["worse"]),
        clusters=int(values.get("clusters", 0)),
    )


def _number(value: float | None) -> float:
    return math.nan if value is None else float(value)
