"""What an upload would change, found out while its lead looks at the first rows.

A small upload is checked at once, a large one in the background, one at a time: the result lies
beside the upload, where every process of the app sees it.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from relyon.app.long_work import in_background
from relyon.app.told_errors import tell_error
from relyon.core.errors import RelyonError
from relyon.core.texts import LANGUAGES, Language, translate
from relyon.judging.intake.outcome import Outcome
from relyon.judging.intake.upload import check_upload

if TYPE_CHECKING:
    from relyon.app.imports.waiting import Waiting
    from relyon.judging.records import Project
    from relyon.judging.store import Store

__all__ = ["SMALL", "Checked", "find_check"]

#: Bytes up to which an upload is checked while its lead waits.
SMALL = 500_000

_running: set[Path] = set()
#: Each check takes as much memory as an import.
_one = threading.Lock()


@dataclass(frozen=True)
class Checked:
    """What an upload would change, or why it cannot be imported.

    Attributes:
        counts: The numbers of an `Outcome`.
        refused: The places of refused rows, with the reasons by language.
        unit: Whether places are lines or rows.
        problem: By language, why nothing can be imported, and what to do; empty if it can be.
    """

    counts: Mapping[str, int]
    refused: tuple[tuple[int, Mapping[str, str]], ...]
    unit: str
    problem: Mapping[str, tuple[str, str]]

    @property
    def changes(self) -> int:
        """How much of the project would change."""
        return sum(self.counts.get(name, 0) for name in ("new", "grades", "filled", "needs"))


def find_check(store: Store, project: Project, waiting: Waiting, limit: int) -> Checked | None:
    """Returns what an upload would change; None while that is being found out.

    Args:
        store: The database.
        project: The project.
        waiting: The upload.
        limit: Approximate bytes of memory that reading a file may take.
    """
    path = waiting.folder / f"check-{waiting.key}.json"
    found = _read(path)
    if found is not None:
        return found
    if waiting.size <= SMALL:
        _check(store, project, waiting, limit, path)
        return _read(path)
    if path not in _running:
        _running.add(path)
        in_background(
            lambda: _check_alone(store, project, waiting, limit, path), f"checking {waiting.name}"
        )
    return None


def _check_alone(store: Store, project: Project, waiting: Waiting, limit: int, path: Path) -> None:
    try:
        with _one:
            if waiting.current:  # neither forgotten nor read otherwise by now
                _check(store, project, waiting, limit, path)
    finally:
        _running.discard(path)


def _check(store: Store, project: Project, waiting: Waiting, limit: int, path: Path) -> None:
    values: dict[str, object]
    try:
        outcome = check_upload(store, project, waiting.upload, limit)
    except RelyonError as error:
        values = {"problem": {language: tell_error(error, language) for language in LANGUAGES}}
    else:
        values = _values(outcome)
    partial = path.with_suffix(".new")
    partial.write_text(json.dumps(values), "utf-8")
    partial.replace(path)


def _values(outcome: Outcome) -> dict[str, object]:
    counts = asdict(outcome)
    del counts["refused"], counts["unit"]
    reasons: dict[str, dict[Language, str]] = {}
    for one in outcome.refused:
        if one.reason not in reasons:
            told = {language: translate(one.reason, language) for language in LANGUAGES}
            reasons[one.reason] = told
    numbers = {reason: number for number, reason in enumerate(reasons)}
    return {
        "counts": counts,
        "unit": outcome.unit,
        "reasons": list(reasons.values()),
        "refused": [[one.place, numbers[one.reason]] for one in outcome.refused],
    }


def _read(path: Path) -> Checked | None:
    try:
        values = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return None
    if "problem" in values:
        problem = {language: tuple(told) for language, told in values["problem"].items()}
        return Checked({}, (), "line", problem)
    reasons = values["reasons"]
    refused = tuple((place, reasons[number]) for place, number in values["refused"])
    return Checked(values["counts"], refused, values["unit"], {})
