"""Model cards read back, so that a number that was kept can be compared."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping
from os import PathLike
from typing import Any

from relyon.core.errors import InputError, RelyonError
from relyon.core.parameters import check_path
from relyon.core.texts import message
from relyon.data.convention import load_convention
from relyon.io.plain_text import read_file
from relyon.ltr.rankers.files import convention_fields
from relyon.ltr.training.card import DataFacts, ModelCard
from relyon.ltr.training.held_out import HeldOut

__all__ = ["read_card", "read_training"]


def read_card(path: str | PathLike[str]) -> ModelCard:
    """Reads a model card that was written as JSON, alone or in what `relyon train` prints.

    Its notes are left out: they speak of data that is not here.

    Args:
        path: What ``relyon train --card FILE.json`` or ``--format json`` wrote.

    Raises:
        InputError: If it cannot be read, or is no model card.
    """
    return read_training(check_path("path", path))[0]


def read_training(path: str) -> tuple[ModelCard, dict[str, float]]:
    """Reads a model card and, where they are beside it, what the ranker reaches on each query.

    Raises:
        InputError: If it cannot be read, or is no model card.
    """
    text = read_file(path)
    try:
        found = json.loads(text)
        whole = "card" in found
        queries = found["per_query"] if whole else {}
        values = {query: _number(one["value"]) for query, one in queries.items()}
        return _card(found["card"] if whole else found), values
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, RelyonError):
        raise InputError(
            message("ltr.is-neither-saved-ranker"),
            path=path,
            hint=message("ltr.relyon-train-writes-them"),
        ) from None


def _card(values: Mapping[str, Any]) -> ModelCard:
    said, data = values["convention"], values["data"]
    rules = load_convention(convention_fields(said))
    texts = ("ranker", "loss", "engine", "measure", "fingerprint", "split", "tested", "baseline")
    told: dict[str, Any] = {name: str(values[name]) for name in texts}
    return ModelCard(
        **told,
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
        convention=dataclasses.replace(rules, name=str(said["name"])),
        found=_held_out(values["held_out"]),
        level=float(values["level"]),
        versions={str(name): str(one) for name, one in values["versions"].items()},
    )


def _held_out(values: Mapping[str, Any]) -> HeldOut:
    """Returns what was reached: null stands for numbers that do not exist."""
    found: dict[str, Any] = {
        name: int(values[name]) for name in ("queries", "paired", "better", "worse")
    }
    found |= {name: _number(values[name]) for name in ("value", "baseline", "difference", "p")}
    for name in ("interval", "difference_interval"):
        low, high = map(_number, values[name])
        found[name] = (low, high)
    return HeldOut(**found)


def _number(value: Any) -> float:
    return math.nan if value is None else float(value)
