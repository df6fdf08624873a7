"""The files of the final exam: a small search engine whose launch has five faults.

The files are the same on every machine: drawn from a fixed seed by `random` alone.
"""

from __future__ import annotations

import csv
import io
import random
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from relyon.core.errors import InputError
from relyon.core.texts import message

__all__ = ["exam_files", "write_exam"]

SEED = 14
#: How many queries each tier has.
TIERS = {"head": 60, "middle": 60, "tail": 80}
#: Judged documents of a query, and how many a search returns.
JUDGED = 24
RETURNED = 20
#: How often each grade occurs among them.
GRADES = {0: 12, 1: 6, 2: 4, 3: 2}
#: The old ranker's errors, and those of the new one; in units of a grade.
OLD_NOISE = 1.6
NEW_NOISE = 0.65
#: Decimals of the old ranker's scores; those of the new one were saved without any.
DECIMALS = 5
#: Unjudged documents that the new search adds for a head query.
UNJUDGED = 8
#: The part of the index that the new search does not reach in the tail: one document in so many.
LOST = 3

DAYS = 14
SESSIONS_PER_DAY = 18
RESULTS = 10
#: From this day of the log on, the rows of the new search were delivered twice.
TWICE = 8
#: How likely a result is clicked if it is looked at, by its grade.
CLICKS = {0: 0.05, 1: 0.15, 2: 0.3, 3: 0.5}

KINDS = ("dark", "milk", "white", "sugar-free", "vegan", "mini", "giant", "sour", "salted", "soft")
SWEETS = (
    "chocolate", "toffee", "liquorice", "nougat", "gummy bears", "lollipops", "marzipan",
    "caramels", "bonbons", "jelly beans", "truffles", "fudge", "pralines", "mints",
    "marshmallows", "candy canes", "wine gums", "brittle", "rock candy", "chewing gum",
)  # fmt: skip


def write_exam(folder: Path) -> list[Path]:
    """Writes the files of the exam.

    Args:
        folder: Where to; it is created if it does not exist.

    Returns:
        The files written.

    Raises:
        InputError: If one of them exists; nothing is written then.
    """
    files = exam_files()
    there = [name for name in files if (folder / name).exists()]
    if there:
        raise InputError(
            message("core.holds-already", there=there),
            path=str(folder),
            hint=message("core.name-another-folder"),
        )
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")
    return [folder / name for name in files]


@cache
def exam_files() -> dict[str, str]:
    """Returns the text of every file of the exam by its name.

    Examples:
        >>> sorted(exam_files())
        ['judgments.qrels', 'log.csv', 'new.run', 'old.run', 'queries.csv', 'tail.qrels']
    """
    rng = random.Random(SEED)
    ids = rng.sample(range(10_000, 100_000), sum(TIERS.values()) * (JUDGED + UNJUDGED))
    texts = [f"{kind} {sweet}" for kind in KINDS for sweet in SWEETS]
    rng.shuffle(texts)
    queries: list[tuple[str, str, str]] = []
    judgments: dict[str, dict[str, int]] = {}
    old: dict[str, list[tuple[str, float]]] = {}
    new: dict[str, list[tuple[str, float]]] = {}
    for tier, count in TIERS.items():
        for number in range(1, count + 1):
            query = f"{tier}-{number:02d}"
            queries.append((query, texts.pop(), tier))
            names = [f"d{ids.pop()}" for _ in range(JUDGED + UNJUDGED)]
            grades = [grade for grade, often in GRADES.items() for _ in range(often)]
            judged = dict(zip(names, rng.sample(grades, JUDGED), strict=False))
            judgments[query] = judged
            old[query] = _ranked(judged, OLD_NOISE, DECIMALS, rng)
            new[query] = _new(tier, judged, names[JUDGED:], rng)
    return {
        "queries.csv": _table([("query", "text", "tier"), *queries]),
        "judgments.qrels": _qrels(judgments),
        "tail.qrels": _qrels({q: judgments[q] for q in judgments if q.startswith("tail")}),
        "old.run": _run(old, "old"),
        "new.run": _run(new, "new"),
        "log.csv": _log(queries, judgments, {"old": old, "new": new}, rng),
    }


def _new(
    tier: str, judged: dict[str, int], others: list[str], rng: random.Random
) -> list[tuple[str, float]]:
    """Returns the results of the new search, with unjudged documents or without some."""
    if tier == "tail":
        judged = {name: grade for name, grade in judged.items() if int(name[1:]) % LOST}
    found = dict(judged)
    if tier == "head":
        found |= {name: rng.choice((1, 2, 3)) for name in others}
    ranked = _ranked(found, NEW_NOISE, 0, rng)
    # The file was joined with the judgments, and came back sorted by grade.
    return sorted(ranked, key=lambda row: (-row[1], -judged.get(row[0], 0)))


def _ranked(
    grades: dict[str, int], noise: float, decimals: int, rng: random.Random
) -> list[tuple[str, float]]:
    """Returns documents with scores, the highest first."""
    scored = []
    for name, grade in grades.items():
        scored.append((name, round(5 + grade + rng.gauss(0, noise), decimals)))
    return sorted(scored, key=lambda row: -row[1])[:RETURNED]


def _qrels(judgments: dict[str, dict[str, int]]) -> str:
    return "".join(
        f"{query} 0 {name} {grade}\n"
        for query, grades in judgments.items()
        for name, grade in grades.items()
    )


def _run(run: dict[str, list[tuple[str, float]]], name: str) -> str:
    return "".join(
        f"{query} Q0 {document} {rank} {score:g} {name}\n"
        for query, ranked in run.items()
        for rank, (document, score) in enumerate(ranked, 1)
    )


def _table(rows: Iterable[Iterable[object]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def _log(
    queries: list[tuple[str, str, str]],
    judgments: dict[str, dict[str, int]],
    runs: dict[str, dict[str, list[tuple[str, float]]]],
    rng: random.Random,
) -> str:
    """Returns two weeks of sessions, half of them served by each search."""
    rows: list[tuple[object, ...]] = [
        ("session", "user", "bucket", "timestamp", "query", "position", "doc", "clicked")
    ]
    for day in range(1, DAYS + 1):
        delivered: list[tuple[object, ...]] = []
        for number in range(SESSIONS_PER_DAY):
            bucket = ("old", "new")[number % 2]
            query, text, _ = queries[int(len(queries) * rng.random() ** 2)]
            when = f"2026-10-{day:02d}T{5 + number:02d}:{rng.randrange(60):02d}:00Z"
            user = f"u{2 * rng.randrange(120) + number % 2}"
            session = (f"s{day:02d}{number:02d}", user, bucket, when, text)
            # In production grades are unknown: equal scores are shown by name.
            served = sorted(runs[bucket][query], key=lambda row: (-row[1], row[0]))
            for position, (name, _) in enumerate(served[:RESULTS], 1):
                likely = CLICKS[judgments[query].get(name, 1)] / position**0.5
                delivered.append((*session, position, name, int(rng.random() < likely)))
        rows += delivered
        if day >= TWICE:
            rows += [row for row in delivered if row[2] == "new"]
    return _table(rows)
