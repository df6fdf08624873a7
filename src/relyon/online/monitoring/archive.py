"""Rounds as folders of plain files, with a manifest that notices every change."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NotRequired, TypedDict, TypeGuard
from uuid import uuid4

from relyon.core.errors import InputError
from relyon.core.parameters import check_path, check_type
from relyon.core.texts import message
from relyon.data.convention import load_convention
from relyon.data.input_fingerprints import InputFingerprints, content_of
from relyon.data.period import MONTH
from relyon.data.scale import Level, Scale
from relyon.io import read_judgments, write_judgments
from relyon.io.table_files import read_table, write_table
from relyon.online.monitoring.rounds import Round
from relyon.online.sampling import read_sample

if TYPE_CHECKING:
    import polars as pl

__all__ = ["MANIFEST", "find_rounds", "read_round", "read_rounds", "write_round"]

MANIFEST = "round.json"
SAMPLE, JUDGMENTS, RESULTS = "sample.csv", "judgments.csv", "results.csv"
#: A model's grades, in rounds that have them.
MODEL = "model.csv"
FORMAT = 1
#: From this share of equal results on, two samples are one and the same.
SAME = 0.5
#: With fewer results they may be equal by chance.
LEAST_RESULTS = 20
HINT = "online.rounds-are-never-changed"


def write_round(made: Round, folder: str | os.PathLike[str]) -> Path:
    """Stores a round in a folder of rounds, under its month.

    Its files are `sample.csv`, `judgments.csv`, `results.csv` and `round.json`, which contains the
    rules and the SHA-256 of each; `model.csv` has a model's grades, if there are any. They appear
    together or not at all.

    Args:
        made: What `relyon.create_round` returned.
        folder: Where the rounds are; made where it is not there.

    Returns:
        The round's own folder.

    Raises:
        InputError: If the month already exists, another round has the same sample, or nothing can
            be written.

    Examples:
        >>> import polars as pl, relyon, tempfile
        >>> log = pl.DataFrame({"session": ["s"], "query": ["tv"], "position": [1], "doc": ["a"]})
        >>> made = relyon.create_round("2026-03", relyon.draw_sample(log), {"tv": {"a": 1}})
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = relyon.write_round(made, folder)
        ...     sorted(file.name for file in path.iterdir())
        ['judgments.csv', 'results.csv', 'round.json', 'sample.csv']
    """
    check_type("made", made, Round, "what relyon.create_round returned")
    rounds = Path(check_path("folder", folder))
    target = rounds / made.month
    partial = rounds / f".{made.month}.{uuid4().hex}.partial"
    try:
        rounds.mkdir(parents=True, exist_ok=True)
        if target.exists():
            raise _taken(target)
        _refuse_again(made, rounds)
        partial.mkdir()
        try:
            _write_files(made, partial)
            # A rename does not replace a folder with files.
            partial.rename(target)
        finally:
            shutil.rmtree(partial, ignore_errors=True)
    except OSError as error:
        if target.exists():
            raise _taken(target) from None
        raise InputError(
            message("core.cannot-be-written", strerror=error.strerror or error),
            path=str(target),
        ) from None
    return target


def _taken(target: Path) -> InputError:
    return InputError(
        message("core.this-round-exists-already"),
        path=str(target),
        hint=message("online.to-replace"),
    )


def _refuse_again(made: Round, rounds: Path) -> None:
    """Refuses the sample of another month: half of its results or more are the same.

    Raises:
        InputError: If a stored round has the same sample.
    """
    keys = ["session", "query", "position", "doc"]
    own = made.sample.results.select(keys)
    for path in find_rounds(rounds):
        if not (path / SAMPLE).is_file():
            continue
        same = own.join(read_sample(path / SAMPLE).results.select(keys), on=keys, how="semi").height
        if own.height >= LEAST_RESULTS and same >= SAME * own.height:
            raise InputError(
                message(
                    "online.sample-of-another-month",
                    month=path.name,
                    same=same,
                    results=own.height,
                ),
                path=str(rounds / made.month),
                hint=message("online.draw-this-month"),
            )


class _Level(TypedDict):
    grade: float
    name: str
    chinese: str
    gain: float


class _Scale(TypedDict):
    name: str
    relevant_from: float
    levels: list[_Level]


class _Manifest(TypedDict):
    """The content of `round.json`, the manifest of a round."""

    format: int
    month: str
    made: str
    version: str
    sessions: int
    grades: int
    k: dict[str, int]
    common_k: int
    convention: dict[str, object]
    scale: _Scale | None
    grading: NotRequired[str]
    inputs: NotRequired[dict[str, object]]
    files: dict[str, str]


def _write_files(made: Round, folder: Path) -> None:
    from relyon import _native

    made.sample.write(folder / SAMPLE)
    write_judgments(made.judgments, folder / JUDGMENTS)
    write_table(made.results, folder / RESULTS)
    names = [SAMPLE, JUDGMENTS, RESULTS]
    if made.model_judgments is not None:
        write_judgments(made.model_judgments, folder / MODEL)
        names.append(MODEL)
    manifest: dict[str, object] = {
        "format": FORMAT,
        "month": made.month,
        "made": made.made or datetime.now(UTC).isoformat(timespec="seconds"),
        "version": made.version or _native.__version__,
        "sessions": len(made.sample),
        "grades": len(made.judgments),
        "k": dict(made.depths),
        "common_k": made.common_k,
        "convention": made.convention.to_dict(),
        "scale": _scale_dict(made.judgments.scale),
        **({"grading": made.grading} if made.grading else {}),
        "inputs": _inputs(made),
        "files": {name: _digest(folder / name) for name in names},
    }
    manifest["sha256"] = _seal(manifest)
    text = json.dumps(manifest, ensure_ascii=False, indent=2) + "\n"
    (folder / MANIFEST).write_text(text, encoding="utf-8", newline="\n")
    for path in folder.iterdir():
        with open(path, "rb") as file:
            os.fsync(file.fileno())


def _inputs(made: Round) -> dict[str, object]:
    """Returns the fingerprints of judgments, scale and convention."""
    content = content_of(made.judgments.table)
    return InputFingerprints.of(content, made.judgments.scale, made.convention).to_dict()


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _seal(manifest: Mapping[str, object]) -> str:
    """Returns the digest of a manifest without its own."""
    values = {key: value for key, value in manifest.items() if key != "sha256"}
    text = json.dumps(values, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def read_rounds(folder: str | os.PathLike[str]) -> list[Round]:
    """Reads all rounds of a folder, the earliest first, and checks that none was changed.

    Args:
        folder: Where `relyon.write_round` or `relyon monitor add` has put them.

    Raises:
        InputError: If there is no round, or one was changed since it was made.

    Examples:
        >>> import polars as pl, relyon, tempfile
        >>> log = pl.DataFrame({"session": ["s"], "query": ["tv"], "position": [1], "doc": ["a"]})
        >>> made = relyon.create_round("2026-03", relyon.draw_sample(log), {"tv": {"a": 1}})
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = relyon.write_round(made, folder)
        ...     relyon.read_rounds(folder)
        [Round('2026-03', sessions=1, grades=1)]
    """
    rounds = Path(check_path("folder", folder))
    if not rounds.is_dir():
        raise InputError(message("online.is-not-folder"), path=str(rounds), hint=message(NONE_YET))
    months = find_rounds(rounds)
    if not months:
        raise InputError(message("online.holds-no-round"), path=str(rounds), hint=message(NONE_YET))
    return [read_round(path) for path in months]


def find_rounds(folder: str | os.PathLike[str]) -> list[Path]:
    """Returns the folders of all rounds in a folder, the earliest first, unread.

    Examples:
        >>> find_rounds("no such folder")
        []
    """
    rounds = Path(folder)
    if not rounds.is_dir():
        return []
    return sorted(path for path in rounds.iterdir() if path.is_dir() and MONTH.fullmatch(path.name))


NONE_YET = "online.relyon-monitor-add-folder"


def read_round(folder: str | os.PathLike[str]) -> Round:
    """Reads one round and checks that it was not changed.

    Args:
        folder: The round's own folder.

    Raises:
        InputError: If a file is missing, or was changed since the round was made.
    """
    path = Path(folder)
    manifest = _manifest(path)
    for name, digest in manifest["files"].items():
        file = path / name
        if not file.is_file():
            raise InputError(message("online.file-is-missing"), path=str(file), hint=message(HINT))
        if _digest(file) != digest:
            raise InputError(message("online.file-has-changed-since"), path=str(file),
                             hint=message(HINT))  # fmt: skip
    scale = _scale_of(manifest["scale"])
    return Round(
        month=manifest["month"],
        sample=read_sample(path / SAMPLE),
        judgments=read_judgments(path / JUDGMENTS, scale=scale),
        convention=load_convention(manifest["convention"]),
        depths=manifest["k"],
        common_k=manifest["common_k"],
        results=_typed(read_table(path / RESULTS)),
        made=manifest["made"],
        version=manifest["version"],
        grading=manifest.get("grading", ""),
        model_judgments=read_judgments(path / MODEL, scale=scale)
        if MODEL in manifest["files"]
        else None,
    )


def _manifest(path: Path) -> _Manifest:
    file = path / MANIFEST
    try:
        found: object = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(message("online.is-not-round"), path=str(path)) from None
    except (OSError, ValueError) as error:
        raise InputError(
            message("core.cannot-be-read", error=error), path=str(file), hint=message(HINT)
        ) from None
    if not _sealed(found):
        raise InputError(
            message("online.file-has-changed-since"), path=str(file), hint=message(HINT)
        )
    if found["format"] != FORMAT:
        raise InputError(
            message(
                "online.round-has-format",
                found=found["format"],
                format=FORMAT,
            ),
            path=str(file),
            hint=message("online.install-version-that-made"),
        )
    if found["month"] != path.name:
        raise InputError(
            message("online.folder-holds-round", found=found["month"]),
            path=str(path),
            hint=message(HINT),
        )
    return found


def _sealed(values: object) -> TypeGuard[_Manifest]:
    """Returns whether values are a manifest with its own digest."""
    return isinstance(values, dict) and values.get("sha256") == _seal(values)


def _typed(results: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    whole, texts = {"k", "shown", "judged"}, {"session", "query", "tier"}
    return results.with_columns(
        pl.col(name).cast(pl.Int64 if name in whole else pl.Float64)
        for name in results.columns
        if name not in texts
    )


def _scale_dict(scale: Scale | None) -> _Scale | None:
    if scale is None:
        return None
    levels: list[_Level] = [
        {"grade": one.grade, "name": one.name, "chinese": one.chinese, "gain": one.gain}
        for one in scale.levels
    ]
    return {"name": scale.name, "relevant_from": scale.relevant_from, "levels": levels}


def _scale_of(values: _Scale | None) -> Scale | None:
    if values is None:
        return None
    levels = tuple(Level(**level) for level in values["levels"])
    return Scale(values["name"], values["relevant_from"], levels)
