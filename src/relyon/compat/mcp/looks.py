"""The state of a sealed set: its settings, its looks and their answers, in one SQLite file.

A look is charged, in a transaction of its own, before its answer is computed; an answer that a
crash prevented is computed from what was stored, at the next access. All writers queue, so that at
any time at most one look waits for its answer, and each look knows all answers before it.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Literal

from relyon.compat.mcp.rule import LEAST_LEVEL, is_better, level_of
from relyon.core.errors import InputError
from relyon.core.texts import message

__all__ = ["Answer", "Look", "Looks"]

Answer = Literal["baseline", "better", "not distinguishable"]
#: Seconds that a writer waits for another one.
PATIENCE = 60.0
VERSION = 1
TABLES = (
    "CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS looks (number INTEGER PRIMARY KEY, run TEXT NOT NULL UNIQUE,"
    " name TEXT NOT NULL, against INTEGER NOT NULL, level REAL NOT NULL, scores TEXT NOT NULL,"
    " answer TEXT, asked REAL NOT NULL)",
)
COLUMNS = "number, run, name, against, level, scores, answer"


@dataclass(frozen=True)
class Look:
    """One look: a run that was compared with the best one before it.

    Attributes:
        number: From 1; 0 is the baseline.
        run: The fingerprint of its rankings of held-out queries.
        name: The name of the file when it was asked.
        against: The number of the best run before it.
        level: The level of its test.
        values: Its value for each held-out query in the secret order, higher ones better.
        answer: The answer, or None if it was not computed yet.
    """

    number: int
    run: str
    name: str
    against: int
    level: float
    values: tuple[float, ...]
    answer: Answer | None


class Looks:
    """The looks of one sealed set.

    Args:
        path: The file of the state; it must exist, see `create`.
    """

    def __init__(self, path: str) -> None:
        self.path = path

    @classmethod
    def create(cls, path: str, settings: Mapping[str, object]) -> Looks:
        """Creates a state unless there is one: then that one stays as it is.

        Args:
            path: The file. It and its folder are readable by its owner only.
            settings: Its settings, JSON-ready.

        Raises:
            InputError: If it cannot be written.
        """
        try:
            os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        except OSError as error:
            raise InputError(
                message("compat.mcp-state-not-written", reason=error.strerror or error), path=path
            ) from None
        found = cls(path)
        with found._writing() as database:
            for table in TABLES:
                database.execute(table)
            if not database.execute("SELECT 1 FROM settings").fetchone():
                rows = [(name, json.dumps(one)) for name, one in settings.items()]
                rows.append(("version", json.dumps(VERSION)))
                database.executemany("INSERT INTO settings VALUES (?, ?)", rows)
        return found

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """Runs a transaction that excludes other writers."""
        try:
            with closing(
                sqlite3.connect(self.path, timeout=PATIENCE, isolation_level=None)
            ) as database:
                database.execute("PRAGMA synchronous = FULL")
                database.execute("BEGIN IMMEDIATE")
                try:
                    yield database
                except BaseException:
                    database.execute("ROLLBACK")
                    raise
                database.execute("COMMIT")
        except sqlite3.Error as error:
            raise InputError(
                message("compat.mcp-state-broken", reason=error), path=self.path
            ) from None

    def settings(self) -> dict[str, object]:
        """Returns the settings."""
        with self._writing() as database:
            rows = database.execute("SELECT name, value FROM settings").fetchall()
        return {name: json.loads(value) for name, value in rows}

    def all(self) -> list[Look]:
        """Returns the baseline and all looks that were charged, answered or not."""
        with self._writing() as database:
            return _looks(database)

    def set_baseline(self, run: str, name: str, values: tuple[float, ...]) -> Look:
        """Stores the baseline unless there is one, and returns the one that is stored."""
        with self._writing() as database:
            known = _looks(database)
            if not known:
                _insert(database, Look(0, run, name, 0, 0.0, values, "baseline"))
                known = _looks(database)
        return known[0]

    def charge(
        self, run: str, name: str, values: tuple[float, ...], looks: int, alpha: float
    ) -> Look | None:
        """Charges a look, and commits that, before anything is compared.

        Args:
            run: The fingerprint of the candidate.
            name: Its name.
            values: Its values.
            looks: The number of looks of the set.
            alpha: The probability of ever answering “better” wrongly.

        Returns:
            The look, without an answer; an earlier one of the same run, which costs nothing; or
            None if there are no looks left.
        """
        with self._writing() as database:
            known = _settled(database)
            earlier = next((one for one in known if one.run == run), None)
            if earlier is not None:
                return earlier
            better = sum(one.answer == "better" for one in known)
            level = level_of(looks, better, alpha)
            if len(known) > looks or level < LEAST_LEVEL:
                return None
            look = Look(len(known), run, name, best(known).number, level, values, None)
            _insert(database, look)
        return look

    def settle(self, run: str) -> Look:
        """Computes the answer of a charged look, if it has none, and returns the look."""
        with self._writing() as database:
            return next(one for one in _settled(database) if one.run == run)


def best(looks: list[Look]) -> Look:
    """Returns the last accepted look, or the baseline."""
    return [one for one in looks if one.answer in {"baseline", "better"}][-1]


def _looks(database: sqlite3.Connection) -> list[Look]:
    rows = database.execute(f"SELECT {COLUMNS} FROM looks ORDER BY number").fetchall()
    return [
        Look(number, run, name, against, level, tuple(json.loads(scores)), answer)
        for number, run, name, against, level, scores, answer in rows
    ]


def _insert(database: sqlite3.Connection, look: Look) -> None:
    scores = json.dumps(look.values)
    row = (look.number, look.run, look.name, look.against, look.level, scores, look.answer)
    database.execute("INSERT INTO looks VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (*row, time.time()))


def _settled(database: sqlite3.Connection) -> list[Look]:
    """Returns all looks, after computing the answer that a crash prevented."""
    import numpy as np

    known = _looks(database)
    for look in known:
        if look.answer is None:
            pairs = zip(look.values, known[look.against].values, strict=True)
            better = is_better(np.array([new - old for new, old in pairs]), look.level)
            answer = "better" if better else "not distinguishable"
            database.execute("UPDATE looks SET answer = ? WHERE number = ?", (answer, look.number))
    return _looks(database)
