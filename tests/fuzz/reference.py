"""Qrels and runs read slowly, line by line, from what the documentation says about the format.

Written apart from the native readers, so that the two can be compared.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import isinf

LONGEST_LINE = 16 << 20
BLANKS = re.compile(rb"[ \t\r\v\f]+")
NUMBER = re.compile(rb"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
RANK = re.compile(rb"-?[0-9]+")
MAGIC = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd")


class RefusedError(Exception):
    """The text cannot be read; `lines` are those that may be named (0: none)."""

    def __init__(self, lines: set[int]) -> None:
        super().__init__(sorted(lines))
        self.lines = lines


@dataclass
class Judged:
    """Grades by query and document, the highest of its subtopics, and those by subtopic."""

    grades: dict[str, dict[str, float]] = field(default_factory=dict)
    subtopics: dict[str, dict[str, dict[str, float]]] = field(default_factory=dict)
    duplicates: int = 0

    @property
    def several(self) -> bool:
        """Whether a query has more than one subtopic."""
        names = (
            {name for one in known.values() for name in one} for known in self.subtopics.values()
        )
        return any(len(one) > 1 for one in names)


@dataclass
class Retrieved:
    """Rows by query in the order of the file: document, score, rank and line."""

    rows: dict[str, list[tuple[str, float, int, int]]] = field(default_factory=dict)
    count: int = 0
    has_ranks: bool = True
    tag: str = ""

    def repeated(self, queries: set[str]) -> set[int]:
        """The lines that hold a document for the second time or later, in some queries."""
        lines = set()
        for query in queries & self.rows.keys():
            seen: set[str] = set()
            for document, _, _, line in self.rows[query]:
                if document in seen:
                    lines.add(line)
                seen.add(document)
        return lines


def read_judgments(text: bytes) -> Judged:
    """Reads qrels; raises `RefusedError`."""
    judged = Judged()
    contradicted = set()
    for line, (query, subtopic, document, grade), _ in _rows(text, 4, 4):
        value = _number(grade, line)
        known = judged.subtopics.setdefault(_text(query), {}).setdefault(_text(document), {})
        name = _text(subtopic)
        if name not in known:
            known[name] = value
        elif known[name] == value:
            judged.duplicates += 1
        else:
            contradicted.add(line)
    if not judged.subtopics:
        raise RefusedError({0})
    if contradicted:
        raise RefusedError(contradicted)
    judged.grades = {
        query: {document: max(one.values()) for document, one in known.items()}
        for query, known in judged.subtopics.items()
    }
    return judged


def read_run(text: bytes) -> Retrieved:
    """Reads a run, without a look at repeated documents; raises `RefusedError`."""
    run = Retrieved()
    for line, fields, content in _rows(text, 5, None):
        query, _, document, rank, score = fields[:5]
        value = _number(score, line)
        if RANK.fullmatch(rank) and -(2**63) <= int(rank) < 2**63:
            place = int(rank)
        else:
            place, run.has_ranks = 0, False
        if not run.count and len(fields) > 5:
            run.tag = _text(BLANKS.split(content, maxsplit=5)[5])
        run.count += 1
        run.rows.setdefault(_text(query), []).append((_text(document), value, place, line))
    if not run.count:
        raise RefusedError({0})
    return run


def _rows(text: bytes, least: int, most: int | None) -> Iterator[tuple[int, list[bytes], bytes]]:
    """Yields the number, the fields and the content of each line that holds data."""
    if not text or text.startswith(MAGIC):
        raise RefusedError({0})
    for number, line in enumerate(text.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        if len(line) > LONGEST_LINE or b"\0" in line:
            raise RefusedError({number})
        content = line.strip(b" \t\r\v\f")
        if not content:
            continue
        fields = BLANKS.split(content)
        expected = least <= len(fields) <= (most or 6)
        if fields[0] == b"#" or (fields[0].startswith(b"#") and not expected):
            continue
        try:
            line.decode()
        except UnicodeDecodeError:
            raise RefusedError({number}) from None
        if len(fields) < least or (most is not None and len(fields) > most):
            raise RefusedError({number})
        yield number, fields, content


def _number(text: bytes, line: int) -> float:
    if not NUMBER.fullmatch(text) or isinf(value := float(text)):
        raise RefusedError({line})
    return value


def _text(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")
