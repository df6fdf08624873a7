"""What differs between two tapes: what was asked, what was found, and what answered."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relyon.core.document.exportable import Exportable
from relyon.core.document.model import Block, Document, Lines, Table
from relyon.core.texts import Language, catalogue
from relyon.engines.tapes.entry import Entry, sorted_json
from relyon.engines.tapes.journal import lasting
from relyon.engines.tapes.tape import Tape, read_tape

if TYPE_CHECKING:
    import polars as pl

__all__ = ["TapeDrift", "diff_tapes"]

#: Ids that are named.
NAMED = 3
#: Characters of a value that are shown.
LONGEST = 60
#: How the answers to one query can differ.
KINDS = ("documents", "order", "scores", "refused")


@dataclass(frozen=True)
class Part:
    """The queries, documents or answers of two tapes.

    Attributes:
        same: How many are the same in both.
        changed: Those in both that differ.
        first: Those of the first tape only.
        second: Those of the second tape only.
    """

    same: int
    changed: Sequence[str]
    first: Sequence[str]
    second: Sequence[str]

    @property
    def differs(self) -> bool:
        """Whether anything differs."""
        return bool(self.changed or self.first or self.second)

    def apart(self) -> dict[str, Sequence[str]]:
        """Returns the ids of what differs, by how."""
        return {"changed": self.changed, "only_first": self.first, "only_second": self.second}

    def to_dict(self) -> dict[str, object]:
        """Returns the count and the ids, JSON-ready."""
        return {"same": self.same, **{name: list(ids) for name, ids in self.apart().items()}}


@dataclass(frozen=True)
class OtherAnswer:
    """An answer that differs.

    Attributes:
        variant: The variant, as the first tape names it.
        query: The id of the query.
        kind: `documents`: others were found; `order`: the same in another order; `scores`: only
            their scores differ; `refused`: one has no answer.
        shared: The share of documents that both found, of the longer answer.
    """

    variant: str
    query: str
    kind: str
    shared: float


@dataclass(frozen=True)
class TapeDrift(Exportable):
    """What differs between two tapes.

    Attributes:
        first: The first tape.
        second: The second tape.
        settings: What was asked differently: key, and its value in each tape; None if it lacks it.
        queries: The queries by id: changed is one with another text or other columns.
        documents: The documents by id: changed is one with other fields, passages aside.
        answers: The answers that both have, and that differ.
        same_answers: How many answers are the same.
    """

    first: str
    second: str
    settings: Mapping[str, tuple[object, object]]
    queries: Part
    documents: Part
    answers: Sequence[OtherAnswer]
    same_answers: int

    @property
    def comparable(self) -> bool:
        """Whether both were asked the same queries for as many results.

        Then a difference of a measure is one of the engine, its index or its settings.
        """
        return "k" not in self.settings and not self.queries.differs

    @property
    def same(self) -> bool:
        """Whether they were asked the same, and answered the same."""
        return self.comparable and not self.settings and not self.answers

    def to_dict(self) -> dict[str, object]:
        """Returns everything, JSON-ready."""
        return {
            "first": self.first,
            "second": self.second,
            "same": self.same,
            "comparable": self.comparable,
            "settings": {
                key: {"first": first, "second": second}
                for key, (first, second) in self.settings.items()
            },
            "queries": self.queries.to_dict(),
            "documents": self.documents.to_dict(),
            "answers": {
                "same": self.same_answers,
                "changed": [
                    {
                        "variant": one.variant,
                        "query": one.query,
                        "difference": one.kind,
                        "shared": one.shared,
                    }
                    for one in self.answers
                ],
            },
        }

    def to_frame(self) -> pl.DataFrame:
        """Returns a row per answer that differs."""
        import polars as pl

        rows = [(one.variant, one.query, one.kind, one.shared) for one in self.answers]
        schema = {
            "variant": pl.String(),
            "query": pl.String(),
            "difference": pl.String(),
            "shared": pl.Float64(),
        }
        return pl.DataFrame(rows, schema=schema, orient="row")

    def document(self, language: Language = "en") -> Document:
        """Returns what differs, with a few examples.

        Args:
            language: `en` or `zh`.
        """
        texts = catalogue("search", language)
        if self.same and not self.documents.differs:
            return Document([Lines([texts["drift.same"]])])
        blocks: list[Block] = []
        if self.settings:
            rows = [[key, *map(_shown, values)] for key, values in self.settings.items()]
            names = ("setting", "first", "second")
            blocks.append(Table([texts[f"drift.{name}"] for name in names], rows, left=3))
        headings = ("part", "same_count", "changed", "only_first", "only_second")
        counted = {
            "queries": self.queries,
            "documents": self.documents,
            "answers": Part(self.same_answers, [one.query for one in self.answers], (), ()),
        }
        rows = [
            [
                texts[f"drift.{name}"],
                *(f"{n:,}" for n in (one.same, *map(len, (one.changed, one.first, one.second)))),
            ]
            for name, one in counted.items()
        ]
        blocks.append(Table([texts[f"drift.{name}"] for name in headings], rows))
        lines = [texts["drift.comparable" if self.comparable else "drift.not_comparable"]]
        for name, ids in self.queries.apart().items():
            if ids:
                known = {"count": len(ids), "queries": [*ids[:NAMED], *["…"] * (len(ids) > NAMED)]}
                lines.append(texts.say(f"drift.queries_{name}", **known))
        for kind in KINDS:
            found = [one.query for one in self.answers if one.kind == kind]
            if found:
                named = found[:NAMED]
                lines.append(texts.say(f"drift.answers_{kind}", count=len(found), queries=named))
        blocks.append(Lines(lines))
        return Document(blocks)


def diff_tapes(
    first: Tape | str | os.PathLike[str], second: Tape | str | os.PathLike[str]
) -> TapeDrift:
    """Compares two tapes: which inputs drifted, and which answers differ.

    Answers are compared by variant and query; regardless of its name
    if each tape has one variant.

    Args:
        first: A tape, or its path.
        second: Another one.

    Raises:
        InputError: If one cannot be read.

    Examples:
        >>> import relyon
        >>> from relyon.engines import diff_tapes
        >>> old = relyon.search(lambda query, k: ["d1", "d2"], ["red", "tv"], k=2)
        >>> new = relyon.search(lambda query, k: ["d2", query], ["red", "tv"], k=2)
        >>> drift = diff_tapes(old.tape, new.tape)
        >>> drift.comparable, drift.same, [one.kind for one in drift.answers]
        (True, False, ['documents', 'documents'])
    """
    one, other = (tape if isinstance(tape, Tape) else read_tape(tape) for tape in (first, second))
    mine, theirs = _answers(one), _answers(other)
    found: list[OtherAnswer] = []
    both = [key for key in mine if key in theirs]
    for key in both:
        kind = _kind(mine[key], theirs[key])
        if kind:
            name = mine[key].variant
            found.append(OtherAnswer(name, key[1], kind, _shared(mine[key], theirs[key])))
    return TapeDrift(
        _name(first),
        _name(second),
        dict(_settings(one, other)),
        _part(
            {id: (query.text, dict(query.values)) for id, query in one.queries.items()},
            {id: (query.text, dict(query.values)) for id, query in other.queries.items()},
        ),
        _part(
            {id: lasting(fields) for id, fields in one.documents.items()},
            {id: lasting(fields) for id, fields in other.documents.items()},
        ),
        found,
        len(both) - len(found),
    )


def _name(tape: Tape | str | os.PathLike[str]) -> str:
    return tape.path if isinstance(tape, Tape) else os.fspath(tape)


def _answers(tape: Tape) -> dict[tuple[str, str], Entry]:
    single = len({one.variant for one in tape.entries.values()}) == 1
    return {("" if single else one.variant, one.query): one for one in tape.entries.values()}


def _kind(mine: Entry, theirs: Entry) -> str:
    """Returns how two answers differ; an empty string if they do not."""
    if bool(mine.failed) != bool(theirs.failed):
        return "refused"
    if mine.ids == theirs.ids:
        return "" if mine.scores == theirs.scores else "scores"
    return "order" if sorted(mine.ids) == sorted(theirs.ids) else "documents"


def _shared(mine: Entry, theirs: Entry) -> float:
    longer = max(len(mine.ids), len(theirs.ids))
    return len({*mine.ids} & {*theirs.ids}) / longer if longer else 1.0


def _part(mine: Mapping[str, object], theirs: Mapping[str, object]) -> Part:
    both = [id for id in mine if id in theirs]
    changed = [id for id in both if mine[id] != theirs[id]]
    return Part(
        len(both) - len(changed),
        changed,
        [id for id in mine if id not in theirs],
        [id for id in theirs if id not in mine],
    )


def _settings(one: Tape, other: Tape) -> Iterator[tuple[str, tuple[object, object]]]:
    """Yields what was asked differently, by key."""
    mine, theirs = (dict(_flat(_asked(tape))) for tape in (one, other))
    for key in dict.fromkeys([*mine, *theirs]):
        first, second = mine.get(key), theirs.get(key)
        if first != second or type(first) is not type(second):
            yield key, (first, second)


def _asked(tape: Tape) -> dict[str, object]:
    head = tape.head
    variants: object = head.variants
    if len(head.variants) == 1:
        variants = next(iter(head.variants.values()))
    return {
        "kind": head.kind,
        "k": head.k,
        "explain": head.explain,
        "templates": head.templates,
        "parameters": variants,
    }


def _flat(value: object, path: str = "") -> Iterator[tuple[str, object]]:
    """Yields the values within JSON, by path."""
    if isinstance(value, Mapping) and value:
        for name, one in value.items():
            yield from _flat(one, f"{path}.{name}" if path else str(name))
    elif isinstance(value, list) and value:
        for number, one in enumerate(value):
            yield from _flat(one, f"{path}[{number}]")
    elif value not in ({}, []):
        yield path, value


def _shown(value: object) -> str:
    text = "" if value is None else sorted_json(value).decode()
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
