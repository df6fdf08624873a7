"""Reads position bias from a file."""

from __future__ import annotations

import json
import os

from relyon.core.errors import InputError
from relyon.core.parameters import check_path
from relyon.core.texts import message

__all__ = ["read_bias"]


def read_bias(path: str | os.PathLike[str]) -> dict[int, float]:
    """Returns the examination of each position from a file.

    Args:
        path: What `relyon labels bias -o bias.json` wrote, or a JSON object of positions and
            numbers, such as `{"1": 1, "2": 0.6}`.

    Raises:
        InputError: If the file contains neither.

    Examples:
        >>> import pathlib, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder, "bias.json")
        ...     _ = path.write_text('{"1": 1, "2": 0.6}', "utf-8")
        ...     read_bias(path)
        {1: 1.0, 2: 0.6}
    """
    name = check_path("path", path)
    try:
        with open(name, encoding="utf-8") as file:
            found = json.load(file)
        held = found.get("examination", found)
        return {_position(key): _examination(value) for key, value in held.items()}
    except OSError as error:
        raise InputError(
            message("core.cannot-be-read-strerror", strerror=error.strerror), path=name
        ) from None
    except (AttributeError, TypeError, ValueError):
        raise InputError(
            message("labels.expected-json-object"),
            path=name,
            hint=message("labels.write-one-with-relyon"),
        ) from None


def _position(key: str) -> int:
    position = int(key)
    if position < 1:
        raise ValueError(key)
    return position


def _examination(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(value)
    if not 0 < value < float("inf"):
        raise ValueError(value)
    return float(value)
