"""The kinds of files that ranx reads and writes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from os import PathLike, fspath
from pathlib import Path

from relyon.core.errors import InputError, ParameterError
from relyon.core.packages import optional_package
from relyon.core.texts import message

__all__ = ["get_file_kind", "read_json", "read_lz4", "write_lz4"]

KINDS = ("json", "trec", "gz", "lz4", "parquet")


def get_file_kind(path: str | PathLike[str], kind: str | None = None) -> str:
    """Returns a file's kind: the given one, or that of its ending.

    Raises:
        ParameterError: If the kind is unknown.

    Examples:
        >>> get_file_kind("run.txt")
        'trec'
    """
    chosen = kind or Path(path).suffix[1:].lower()
    chosen = {"txt": "trec", "parq": "parquet"}.get(chosen, chosen)
    if chosen not in KINDS:
        raise ParameterError(
            message("compat.is-of-no-known", path=fspath(path)),
            hint=message("compat.name-kind-json-trec"),
        )
    return chosen


def read_json(path: str | PathLike[str]) -> dict[str, dict[str, float]]:
    """Reads {query: {document: number}}.

    Raises:
        InputError: If it contains something else.
    """
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
    except ValueError as error:
        raise InputError(message("core.not-json", error=error), path=fspath(path)) from error
    return _nested(content, path)


def _nested(content: object, path: str | PathLike[str]) -> dict[str, dict[str, float]]:
    if not isinstance(content, dict) or not all(isinstance(row, dict) for row in content.values()):
        raise InputError(
            message("compat.expected-query"),
            path=fspath(path),
            hint=message("compat.see-ranxs-json-form"),
        )
    return content


def read_lz4(path: str | PathLike[str]) -> tuple[dict[str, dict[str, float]], dict[str, object]]:
    """Reads a run and its metadata from CBOR in LZ4 in LZ4, as ranx and its hub write it.

    Raises:
        DependencyError: If one of the packages lz4 and cbor2 is not installed.
        InputError: If it contains something else.
    """
    lz4 = optional_package("lz4.frame", purpose="an lz4 file of ranx", install="lz4")
    cbor2 = optional_package("cbor2", purpose="an lz4 file of ranx")
    data = Path(path).read_bytes()
    try:
        content = cbor2.loads(lz4.decompress(lz4.decompress(data)))
    except (RuntimeError, ValueError) as error:
        raise InputError(
            message("compat.not-run-that-ranx", error=error), path=fspath(path)
        ) from error
    if isinstance(content, dict) and set(content) == {"run", "metadata"}:
        return _nested(content["run"], path), dict(content["metadata"])
    return _nested(content, path), {}


def write_lz4(data: Mapping[str, Mapping[str, float]], path: str | PathLike[str]) -> None:
    """Writes CBOR in LZ4 in LZ4, as ranx does.

    Raises:
        DependencyError: If one of the packages lz4 and cbor2 is not installed.
    """
    lz4 = optional_package("lz4.frame", purpose="an lz4 file of ranx", install="lz4")
    cbor2 = optional_package("cbor2", purpose="an lz4 file of ranx")
    whole = {query: dict(numbers) for query, numbers in data.items()}
    Path(path).write_bytes(lz4.compress(lz4.compress(cbor2.dumps(whole), compression_level=16)))
