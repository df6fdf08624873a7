"""Damaged LETOR text, the files beside it, and tables with features: data, or a clear error.

    python -m tests.fuzz.fuzz_features --count 20000 --seed 1

Every input must end in data or in an `InputError`; all sizes of stretches, threads and ways to
open a file must say the same; and a slow reader, one line after the other, must agree.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import math
import os
import re
import tempfile
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Any

import numpy as np
from tests.fuzz.fuzz_text import DisagreementError, environment, mutate, random_number

import relyon
from relyon.core.errors import InputError
from relyon.data.labelled import LabelledRows
from relyon.io.letor_lines import finite, no_query, row_values, rows_of

PIECES = [b" 1:1", b" 2:0 1:1", b" 3:1 3:2", b" qid:9", b"#", b" 1048577:1", b" 0:1", b",", b'"']
QUERIES = ["1", "2", "a", "问", "01"]
SETTINGS = ({"RELYON_STRETCH": "1"}, {"RELYON_STRETCH": "40", "RELYON_THREADS": "3"})
#: What lies beside a text without `qid:`, and what one line of it may be.
BESIDE: dict[str, Callable[[Random], str]] = {
    ".weight": lambda random: random.choice(["1", "0", "0.25", "1e3", "-1"]),
    ".position": lambda random: random.choice(["1", "2", "3.0", "2.5"]),
}


def make_letor(random: Random) -> dict[str, bytes]:
    """Returns a text, and the files beside it where it has no `qid:`."""
    grouped = random.random() < 0.4
    sizes = [random.randint(1, 4) for _ in range(random.randint(1, 4))]
    lines = []
    for query, size in enumerate(sizes):
        for _ in range(size):
            columns = sorted(random.sample(range(1, 12), random.randint(0, 5)))
            features = "".join(f" {column}:{random_number(random).decode()}" for column in columns)
            named = "" if grouped else f" qid:{QUERIES[query]}"
            comment = random.choice(["", " # docid = d1", " # docid=文 x", "#"])
            lines.append(f"{random.randrange(5)}{named}{features}{comment}\n")
    files = {"rows.letor": "".join(lines).encode()}
    if grouped:
        files["rows.letor.query"] = "".join(f"{size}\n" for size in sizes).encode()
        for ending, one in BESIDE.items():
            if random.randrange(2):
                files["rows.letor" + ending] = "".join(f"{one(random)}\n" for _ in lines).encode()
    return files


def make_table(random: Random) -> dict[str, bytes]:
    """Returns a table with queries, labels, weights and two features."""
    rows = [
        {
            "query": random.choice(QUERIES),
            "label": random.randrange(5),
            "weight": random.choice([0, 0.5, 1, 2]),
            "bm25": random.choice([0.25, -3, 1e300, 7]),
            "age": random.randrange(9),
        }
        for _ in range(random.randint(1, 9))
    ]
    if random.randrange(2):
        return {"rows.jsonl": "".join(json.dumps(row) + "\n" for row in rows).encode()}
    text = StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return {"rows.csv": text.getvalue().encode()}


def make_input(seed: int) -> dict[str, bytes]:
    """Returns files by their names; the first is the one that is read."""
    random = Random(seed)
    files = make_letor(random) if random.randrange(3) else make_table(random)
    for _ in range(random.choice([0, 1, 1, 2, 3])):
        name = random.choice(list(files))
        if random.randrange(3):
            files[name] = mutate(random, files[name])
        else:
            at = random.randrange(len(files[name]) + 1)
            files[name] = files[name][:at] + random.choice(PIECES) + files[name][at:]
    return files


def outcome(path: Path, **more: Any) -> tuple[LabelledRows | None, Any]:
    """Returns the rows, and what can be compared of them, or of the error."""
    weight = None if path.name.startswith("rows.letor") else "weight"
    try:
        rows = relyon.read_features(path, weight=weight, **more)
    except InputError as error:
        return None, (type(error).__name__, str(error).replace(".gz", ""))
    values = rows.known_features().dense()
    parts = (rows.labels, values, rows.groups, rows.weights, rows.positions)
    arrays = [None if part is None else np.asarray(part).tobytes() for part in parts]
    return rows, (arrays, rows.queries, rows.documents, rows.known_features().names)


def slow_rows(content: bytes, path: str, grouped: bool) -> list[tuple[float, str | None, Any]]:
    """Returns label, query and features of each row, a line at a time."""
    found = []
    for line, label, query, _, texts in rows_of(content, path):
        if query is None and not grouped:
            raise no_query(path, line)
        number = finite(label, "label", path, line)
        found.append((number, query, row_values(texts, path, line)))
    return found


def check(seed: int, folder: Path) -> str:
    """Checks one input; returns what became of it."""
    files = make_input(seed)
    for name, content in files.items():
        (folder / name).write_bytes(content)
    try:
        return _check(files, folder / next(iter(files)))
    finally:
        for name in files:
            (folder / name).unlink()


def _check(files: dict[str, bytes], path: Path) -> str:
    letor = path.suffix == ".letor"
    more = {"format": "letor", "dtype": "float64"} if letor else {}
    rows, first = outcome(path, **more)
    for settings in SETTINGS:
        with environment(**settings):
            _same(first, outcome(path, **more)[1])
    if not files[path.name].startswith(b"\x1f\x8b"):  # else it would be compressed twice
        packed = path.with_name(path.name + ".gz")
        packed.write_bytes(gzip.compress(files[path.name], 1))
        try:
            _same(first, outcome(packed, **more)[1])
        finally:
            packed.unlink()
    if rows is not None:
        _sound(rows)
    if letor and (rows is None or not len(files) > 1):
        _slowly(files, path, rows, first)
    return "refused" if rows is None else "accepted"


def _same(one: Any, other: Any) -> None:
    # A packed file is unpacked before it is converted: the hint says so.
    if str(one) != re.sub(r"gzip -dc (\S+) \| (iconv -f \S+ -t UTF-8) >", r"\2 \1 >", str(other)):
        raise DisagreementError(f"{one}\n{other}")


def _sound(rows: LabelledRows) -> None:
    """What must hold of any rows."""
    count = len(rows.labels)
    values = rows.known_features().dense()
    sound = (
        np.isfinite(rows.labels).all()
        and values.shape == (count, len(rows.known_features().names))
        and rows.groups[0] == 0
        and rows.groups[-1] == count
        and (np.diff(rows.groups) >= 0).all()
        and len(rows.queries) == len(rows.groups) - 1
        and (rows.weights is None or (rows.weights >= 0).all())
        and (rows.documents is None or len(rows.documents) == count)
    )
    if not sound:
        raise DisagreementError(f"{rows} is not sound")


def _slowly(files: dict[str, bytes], path: Path, rows: LabelledRows | None, first: Any) -> None:
    """Compares with a slow reader, one line after the other."""
    grouped = len(files) > 1
    # What is wrong with a file as a whole, which may be binary or empty, has no line.
    of_line = rows is None and re.match(re.escape(f"{path}:") + r"\d", first[1]) is not None
    if rows is None and "carriage return alone" in first[1]:
        return  # a file that is one line to one reader is many lines to the other
    try:
        slow = slow_rows(files[path.name], str(path), grouped)
    except InputError as error:
        if rows is not None:
            raise DisagreementError(f"only the slow reader says {error}") from None
        if of_line and not grouped and "too large" not in first[1]:
            _same(first[1], str(error))
        return
    if rows is None:
        # What lies beside the text, or a number that has no column, may be wrong.
        if (
            of_line
            and not grouped
            and not any(int(name) > 1 << 20 for row in slow for name in row[2])
        ):
            raise DisagreementError(f"only the native reader says {first}")
        return
    by_query: dict[str | None, list[tuple[float, Any]]] = {}
    for label, query, features in slow:
        by_query.setdefault(query, []).append((label, features))
    values = rows.known_features().dense()
    expected = np.zeros_like(values)
    labels = []
    for number, (label, features) in enumerate(row for some in by_query.values() for row in some):
        labels.append(label)
        for name, value in features.items():
            expected[number, int(name) - 1] = value
    _same(rows.queries, list(by_query))
    _same(rows.labels.tolist(), labels)
    if not np.array_equal(values, expected) or any(map(math.isnan, labels)):
        raise DisagreementError(f"{values}\n{expected}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    start = perf_counter()
    counts = {"accepted": 0, "refused": 0}
    with tempfile.TemporaryDirectory(dir=os.environ.get("RELYON_FUZZ_FOLDER")) as folder:
        for seed in range(arguments.seed, arguments.seed + arguments.count):
            try:
                counts[check(seed, Path(folder))] += 1
            except Exception as error:
                error.add_note(f"input {seed}: {make_input(seed)!r}"[:4000])
                raise
    print(
        f"{arguments.count} inputs in {perf_counter() - start:.1f} s, no disagreement: "
        f"{counts['accepted']} accepted, {counts['refused']} refused"
    )


if __name__ == "__main__":
    main()
