"""Files of rankers: one zip of data, without pickle, checked when it is read."""

from __future__ import annotations

import dataclasses
import hashlib
import io
import json
import math
import platform
import zipfile
import zlib
from collections.abc import Mapping
from os import PathLike
from typing import TypedDict, TypeGuard

from relyon import _native
from relyon.core.errors import InputError, ParameterError
from relyon.core.parameters import check_path
from relyon.core.texts import message
from relyon.data.convention import Convention
from relyon.io.atomic_files import open_replaced
from relyon.ltr.rankers.fitted import FittedRanker, TrainedOn
from relyon.measures.definition import Measure

__all__ = ["Description", "RankerFile", "convention_fields", "is_ranker", "save"]

FORMAT = "relyon ranker"
#: The version of the format written; older ones are read, too.
VERSION = 1
MODEL = "model.json"
#: The first bytes of a zip.
MAGIC = b"PK\x03\x04"
LONGEST_MODEL = 16 << 20
#: The largest size of a part in bytes, and the largest ratio of unpacked to packed size.
LARGEST_PART = 4 << 30
LARGEST_RATIO = 200
#: The time stamp of every part, constant so that the same ranker gives the same bytes.
MADE = (1980, 1, 1, 0, 0, 0)
#: The exceptions of reading a damaged zip.
DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, RuntimeError, KeyError,
          NotImplementedError, RecursionError)  # fmt: skip


class Part(TypedDict):
    """The size and the checksum of a part."""

    bytes: int
    sha256: str


class Description(TypedDict):
    """The description of a saved ranker.

    Attributes:
        format: The name of the format.
        version: Its version.
        kind: `trees`, `linear` or `neural`.
        parameters: The parameters of its constructor.
        measure: The measure that it is trained for.
        convention: The measure's rules.
        fingerprint: Equal if two numbers mean the same.
        data: The rows that it was trained on.
        features: The names of its features.
        versions: The versions of the libraries that trained it.
        parts: The parts of the file.
    """

    format: str
    version: int
    kind: str
    parameters: dict[str, object]
    measure: str
    convention: dict[str, object]
    fingerprint: str
    data: TrainedOn
    features: list[str]
    versions: dict[str, str]
    parts: dict[str, Part]


class Manifest(Description):
    """The manifest of a ranker's file.

    Attributes:
        learnt: `named`: whether the features had names.
        checksum: The checksum of everything else.
    """

    learnt: dict[str, bool]
    checksum: str


def save(ranker: FittedRanker, path: str | PathLike[str]) -> None:
    """Writes a fitted ranker as one file."""
    target = check_path("path", path)
    parts = ranker._parts()
    model = _described(ranker)
    model["parts"] = {
        name: {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        for name, data in parts.items()
    }
    model["checksum"] = _checksum(model)
    text = json.dumps(model, indent=1, ensure_ascii=False, allow_nan=False)
    with open_replaced(target) as file, zipfile.ZipFile(file, "w") as archive:
        for name, data in ((MODEL, text.encode()), *parts.items()):
            entry = zipfile.ZipInfo(name, MADE)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, data)


def is_ranker(path: str) -> bool:
    """Returns whether a file may be a saved ranker, by its first bytes."""
    try:
        with open(path, "rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False


class RankerFile:
    """The open file of a saved ranker, with a verified header.

    Attributes:
        path: The path of the file.
        model: Its manifest.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        try:
            with open(path, "rb") as file:
                self._data = file.read()
        except OSError as error:
            raise InputError(
                message("core.cannot-be-read-strerror", strerror=error.strerror or error), path=path
            ) from None
        if not self._data.startswith(MAGIC):
            raise self.error(
                message("ltr.is-not-saved-ranker"), message("ltr.relyon-ltr-load-reads")
            )
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(self._data))
            entries = {entry.filename: entry for entry in self._zip.infolist()}
            found = json.loads(self._read(entries[MODEL], LONGEST_MODEL))
        except DAMAGE:
            raise self.error(message("ltr.is-not-saved-or-truncated")) from None
        if not isinstance(found, dict) or found.get("format") != FORMAT:
            raise self.error(
                message("ltr.is-not-saved-ranker"), message("ltr.relyon-ltr-load-reads")
            )
        version = found.get("version")
        if not isinstance(version, int) or isinstance(version, bool) or not 1 <= version <= VERSION:
            maker = found.get("versions")
            maker = maker.get("relyon") if isinstance(maker, dict) else None
            raise self.error(
                message(
                    "ltr.is-ranker-of-format",
                    version=version,
                    maker=maker or "?",
                    latest=VERSION,
                ),
                message("ltr.install-version-of-relyon"),
            )
        if found.get("checksum") != _checksum(found) or not _is_whole(found):
            raise self.error(message("ltr.was-changed"), message("ltr.copy-again"))
        self.model: Manifest = found
        if {MODEL, *found["parts"]} != set(entries) or len(self._zip.infolist()) != len(entries):
            raise self.error(message("ltr.contains-other-parts"), message("ltr.copy-again"))
        self._entries = entries

    def error(self, what: str, hint: str = "") -> InputError:
        """Returns an error that names the file."""
        return InputError(message("core.file-what", what=message(what)), path=self.path, hint=hint)

    def parts(self) -> dict[str, bytes]:
        """Returns the parts, compared with their checksums.

        Raises:
            InputError: If one was changed, or is too large.
        """
        found = {}
        for name, said in self.model["parts"].items():
            size = said["bytes"]
            limit = min(LARGEST_PART, LARGEST_RATIO * max(len(self._data), 1 << 16))
            if size > limit:
                raise self.error(
                    message(
                        "ltr.contains-part-of-bytes",
                        size=size,
                        limit=limit,
                    )
                )
            try:
                data = self._read(self._entries[name], size)
            except DAMAGE:
                data = b""
            if len(data) != size or hashlib.sha256(data).hexdigest() != said["sha256"]:
                raise self.error(
                    message("ltr.was-cut-off"),
                    message("ltr.copy-again"),
                )
            found[name] = data
        return found

    def _read(self, entry: zipfile.ZipInfo, limit: int) -> bytes:
        """Returns a part of at most `limit` bytes."""
        with self._zip.open(entry) as file:
            data = file.read(limit)
            if file.read(1):
                raise ValueError(entry.filename)
        return data


def _described(ranker: FittedRanker) -> dict[str, object]:
    """Returns the manifest of a ranker, without its parts and checksum."""
    import numpy as np

    sklearn = __import__("sklearn")
    return {
        "format": FORMAT,
        "version": VERSION,
        "kind": ranker.kind,
        "parameters": {
            name: _written(name, value) for name, value in ranker.get_params(deep=False).items()
        },
        "measure": ranker.measure_,
        "convention": ranker.convention_.to_dict(),
        "fingerprint": ranker.fingerprint_,
        "data": ranker.data_,
        "features": list(ranker.feature_names_),
        "learnt": {"named": hasattr(ranker, "feature_names_in_")},
        "versions": {
            "relyon": _native.__version__,
            "python": platform.python_version(),
            "numpy": np.__version__,
            "scikit-learn": sklearn.__version__,
        }
        | ranker._versions(),
    }


def _written(name: str, value: object) -> object:
    """Returns a parameter as a value for JSON.

    Raises:
        ParameterError: If it cannot be written.
    """
    value = value.item() if hasattr(value, "item") and not hasattr(value, "__len__") else value
    if isinstance(value, Convention):
        return convention_fields(value.to_dict())
    if isinstance(value, Measure) or hasattr(value, "kernel"):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): _written(name, one) for key, one in value.items()}
    if isinstance(value, tuple | list):
        return [_written(name, one) for one in value]
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    raise ParameterError(
        message(
            "ltr.parameter-cannot-be-saved",
            name=name,
            kind=type(value).__name__,
        ),
        hint=message("ltr.numbers-text-lists"),
    )


def convention_fields(values: Mapping[str, object]) -> dict[str, object]:
    """Returns fields for `load_convention`, from the `to_dict` of a convention."""
    known = {field.name for field in dataclasses.fields(Convention)} - {"name"}
    return {key: value for key, value in values.items() if key in known and value is not None}


def _checksum(model: Mapping[str, object]) -> str:
    """Returns the checksum of a manifest without its checksum."""
    said = {key: value for key, value in model.items() if key != "checksum"}
    text = json.dumps(said, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _is_whole(model: dict[str, object]) -> TypeGuard[Manifest]:
    """Returns whether everything that `load` reads is present."""
    texts = all(isinstance(model.get(key), str) for key in ("kind", "measure", "fingerprint"))
    maps = ("parameters", "convention", "data", "learnt", "versions", "parts")
    mappings = all(isinstance(model.get(key), dict) for key in maps)
    parts = model.get("parts")
    if not texts or not mappings or not isinstance(model.get("features"), list):
        return False
    return isinstance(parts, dict) and all(
        isinstance(one, dict)
        and isinstance(one.get("bytes"), int)
        and one["bytes"] >= 0
        and isinstance(one.get("sha256"), str)
        for one in parts.values()
    )
