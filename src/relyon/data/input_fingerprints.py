"""Fingerprints of what an evaluation was given: equal content, equal fingerprint.

They depend on content alone: not on the order of rows, the format or compression of a file, nor on
its name. Two programs that follow the definition get the same fingerprints:

- A number is 8 bytes, the highest first (IEEE 754, -0 as 0). A text is the length of its UTF-8 in 4
  bytes, the highest first, then its UTF-8.
- The documents of a query, by the bytes of their ids: each id as a text; if the query has several
  subtopics, followed by a subtopic as a text. Their numbers are the grades, in the same order.
- A query's fingerprint is SHA-256 of: SHA-256 of its documents, then their numbers.
- Judgments are SHA-256 of: every query's id as a text and its fingerprint, by the bytes of the ids.
  With scores in place of grades it is the fingerprint of a run.
- Queries are SHA-256 of the ids alone; documents are as judgments, without the numbers.
- A scale is SHA-256 of its lowest relevant grade, then grade and gain of each level by grade.
- A convention is SHA-256 of its rules as JSON, without its name.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from relyon import _native

if TYPE_CHECKING:
    from relyon.data.convention import Convention
    from relyon.data.scale import Scale

__all__ = [
    "SHORT",
    "Content",
    "InputFingerprints",
    "content_of",
    "convention_fingerprint",
    "query_ids_fingerprint",
    "scale_fingerprint",
]

#: Characters of a fingerprint as it is shown: 64 bits.
SHORT = 16
#: Bytes of a SHA-256.
BYTES = 32


class QueryHashes(Mapping[str, str]):
    """Hashes by query, in hexadecimal once one is asked for: only files with values of queries do.

    Args:
        queries: The queries.
        hashes: Their hashes, one after the other in the same order.
        digits: How many digits to show of each.
    """

    def __init__(self, queries: list[str], hashes: bytes, digits: int = 2 * BYTES) -> None:
        self.queries = queries
        self.hashes = hashes
        self.digits = digits

    @cached_property
    def shown(self) -> dict[str, str]:
        """The hashes as text."""
        size = self.digits // 2
        places = range(0, len(self.hashes), BYTES)
        return {
            query: self.hashes[place : place + size].hex()
            for query, place in zip(self.queries, places, strict=True)
        }

    def shortened(self) -> QueryHashes:
        """Returns the first digits, as files have them."""
        return QueryHashes(self.queries, self.hashes, SHORT)

    def __getitem__(self, query: str) -> str:
        return self.shown[query]

    def __iter__(self) -> Iterator[str]:
        return iter(self.queries)

    def __len__(self) -> int:
        return len(self.queries)


@dataclass(frozen=True)
class Content:
    """What judgments or a run contain.

    Attributes:
        whole: The fingerprint of queries, documents and their numbers.
        queries: That of the queries' ids.
        documents: That of queries and documents.
        rows: The number of grades or scores.
        by_query: The fingerprint of each query's documents and numbers.
    """

    whole: str
    queries: str
    documents: str
    rows: int
    by_query: QueryHashes = field(repr=False)


def content_of(table: _native.JudgmentTable | _native.RunTable) -> Content:
    """Returns the fingerprints of a table, which are computed once: a table never changes.

    Args:
        table: The table of judgments or of a run.

    Examples:
        >>> import relyon
        >>> one = relyon.Judgments.from_dict({"q": {"a": 1, "b": 0}})
        >>> other = relyon.Judgments.from_dict({"q": {"b": 0, "a": 1.0}})
        >>> content_of(one.table) == content_of(other.table)
        True
        >>> content_of(one.table).whole[:16]
        'cf5ba2ad6fa4c842'
    """
    if table not in _CONTENTS:
        _CONTENTS[table] = _content(table)
    return _CONTENTS[table]


#: What tables contain, for as long as they exist.
_CONTENTS: WeakKeyDictionary[_native.JudgmentTable | _native.RunTable, Content] = (
    WeakKeyDictionary()
)


def _content(table: _native.JudgmentTable | _native.RunTable) -> Content:
    if isinstance(table, _native.RunTable):
        found = _native.run_contents(table)
    else:
        found = _native.judgment_contents(table)
    whole, queries, documents, rows, names, own = found
    return Content(whole.hex(), queries.hex(), documents.hex(), rows, QueryHashes(names, own))


def query_ids_fingerprint(queries: Iterable[str]) -> str:
    """Returns the fingerprint of queries' ids, as `Content.queries`.

    Examples:
        >>> import relyon
        >>> found = relyon.evaluate({"b": {"d": 1}, "a": {"d": 1}}, {"a": {"d": 1.0}}).inputs
        >>> query_ids_fingerprint(["a", "b"]) == found.queries
        True
    """
    encoded = sorted(one.encode("utf-8", "surrogateescape") for one in queries)
    parts = (len(one).to_bytes(4, "big") + one for one in encoded)
    return _sha256(b"".join(parts))


def _sha256(content: bytes) -> str:
    import hashlib  # it loads OpenSSL, and few programs need a fingerprint

    return hashlib.sha256(content).hexdigest()


def scale_fingerprint(scale: Scale | None) -> str | None:
    """Returns the fingerprint of what a scale does: grades and gains, not names; None without one.

    Examples:
        >>> from relyon.data.scale import SEARCH
        >>> scale_fingerprint(SEARCH)[:16], scale_fingerprint(None)
        ('e2816224dd84b3e6', None)
    """
    if scale is None:
        return None
    numbers = [scale.relevant_from]
    for level in sorted(scale.levels, key=lambda one: one.grade):
        numbers += [level.grade, level.gain]
    return _sha256(b"".join(struct.pack(">d", one + 0.0) for one in numbers))


def convention_fingerprint(convention: Convention) -> str:
    """Returns the fingerprint of rules, regardless of their name.

    Examples:
        >>> from relyon.data.convention import load_convention
        >>> rules = load_convention("relyon")
        >>> convention_fingerprint(rules) == convention_fingerprint(rules.replace(name="ours"))
        True
    """
    import json

    rules = convention.to_dict()
    rules.pop("name")
    return _sha256(json.dumps(rules, sort_keys=True, default=str).encode())


@dataclass(frozen=True)
class InputFingerprints:
    """Fingerprints of the inputs of an evaluation, as SHA-256 in 64 hexadecimal digits.

    Attributes:
        judgments: Queries, documents, subtopics and grades.
        queries: The judged queries.
        documents: The judged documents of each query.
        scale: The grade scale; None without one.
        convention: The rules.
        run: The documents and scores of the run; None if it was streamed.
        counts: The number of `queries` and of `judgments`.
        by_query: The first 16 digits of the fingerprint of each query's judgments; empty if they
            were not stored.
    """

    judgments: str
    queries: str
    documents: str
    scale: str | None
    convention: str
    run: str | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
    by_query: Mapping[str, str] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls,
        judgments: Content,
        scale: Scale | None,
        convention: Convention,
        run: Content | None = None,
    ) -> InputFingerprints:
        """Returns the fingerprints of inputs.

        Args:
            judgments: The content of the judgments.
            scale: The grade scale.
            convention: The rules.
            run: The content of the run, if it is kept.
        """
        return cls(
            judgments.whole,
            judgments.queries,
            judgments.documents,
            scale_fingerprint(scale),
            convention_fingerprint(convention),
            None if run is None else run.whole,
            {"queries": len(judgments.by_query), "judgments": judgments.rows},
            judgments.by_query.shortened(),
        )

    def to_dict(self, *, per_query: bool = False) -> dict[str, object]:
        """Returns JSON-ready values; `per_query` adds the judgments of each query."""
        return {
            "judgments": self.judgments,
            "queries": self.queries,
            "documents": self.documents,
            "scale": self.scale,
            "convention": self.convention,
            "run": self.run,
            "counts": dict(self.counts),
            **({"judgments_by_query": dict(self.by_query)} if per_query else {}),
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, object]) -> InputFingerprints:
        """Returns what `to_dict` returned.

        Raises:
            ValueError: If a value is missing or of another type.
        """
        texts = {name: values.get(name) for name in TEXTS}
        counts, by_query = values.get("counts", {}), values.get("judgments_by_query", {})
        sound = (
            all(isinstance(texts[name], str) for name in TEXTS[:4])
            and all(one is None or isinstance(one, str) for one in texts.values())
            and isinstance(counts, dict)
            and isinstance(by_query, dict)
        )
        if not sound:
            raise ValueError("fingerprints are incomplete")
        return cls(**texts, counts=counts, by_query=by_query)  # type: ignore[arg-type]

    def difference(self, other: InputFingerprints) -> InputDifference | None:
        """Returns how judgments and scale differ from another evaluation's; None if they do not.

        Runs differ, of course; differing rules are differing measures.
        """
        if (self.judgments, self.scale) == (other.judgments, other.scale):
            return None
        known = bool(self.by_query) and bool(other.by_query)
        if self.judgments == other.judgments:
            return InputDifference(("scale",), known)
        shared = self.by_query.keys() & other.by_query.keys()
        kinds = ["queries"] * (self.queries != other.queries)
        kinds += ["documents"] * (self.documents != other.documents)
        kinds += ["scale"] * (self.scale != other.scale)
        return InputDifference(
            ("judgments", *kinds),
            known,
            tuple(sorted(one for one in shared if self.by_query[one] != other.by_query[one])),
            tuple(sorted(self.by_query.keys() - shared)),
            tuple(sorted(other.by_query.keys() - shared)),
            frozenset(one for one in shared if self.by_query[one] == other.by_query[one]),
        )


#: The fields of `InputFingerprints` that are text; the last two may be None.
TEXTS = ("judgments", "queries", "documents", "convention", "scale", "run")


@dataclass(frozen=True)
class InputDifference:
    """How the inputs of two evaluations differ.

    Attributes:
        kinds: What differs: `judgments`, `queries`, `documents`, `scale`.
        known: Whether the judgments of single queries are known.
        changed: Queries whose judgments differ.
        first: Queries judged in the first only.
        second: Queries judged in the second only.
        same: Queries with the same judgments.
    """

    kinds: tuple[str, ...]
    known: bool
    changed: tuple[str, ...] = ()
    first: tuple[str, ...] = ()
    second: tuple[str, ...] = ()
    same: frozenset[str] = field(default=frozenset(), repr=False)
