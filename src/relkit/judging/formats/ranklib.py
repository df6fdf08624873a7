"""RankLib and LETOR: `grade qid:N feature:value … # document query`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from math import isfinite
from typing import ClassVar

from relkit.core.errors import ParseError
from relkit.core.notes import Note
from relkit.data.columns import number
from relkit.data.scale import Scale
from relkit.judging.formats.base import (
    Format,
    Row,
    Sheet,
    by_query,
    figure,
    parse_grade,
    register,
)
from relkit.judging.formats.naming import Naming, name_sheet
from relkit.judging.records import Item

__all__ = ["RankLib"]

_FEATURE = re.compile(r"([1-9]\d*):(\S+)")


@register
class RankLib(Format):
    """Rows to train rankers with. Further fields named by whole numbers are the features."""

    name: ClassVar[str] = "ranklib"
    title: ClassVar[str] = "a RankLib file"
    suffix: ClassVar[str] = ".letor"
    steady: ClassVar[bool] = True
    names_ids: ClassVar[bool] = True
    holds: ClassVar[frozenset[str]] = frozenset({"query_text", "final"})

    def parse(self, text: str, *, path: str, scale: Scale | None) -> Sheet:
        """Reads labels as final grades; the comment's first word is the document.

        What follows in the comment is the query; without it the query is its number.
        """
        rows = []
        for place, line in enumerate(text.split("\n"), 1):
            content, _, comment = line.partition("#")
            fields, said = content.split(), comment.split(maxsplit=1)
            if not fields:
                continue
            if len(fields) < 2 or not fields[1].startswith("qid:") or not said:
                raise ParseError(
                    f"expected `grade qid:N … # document`, got `{line.strip()[:60]}`",
                    path=path,
                    line=place,
                )
            features = {}
            for feature in fields[2:]:
                found = _FEATURE.fullmatch(feature)
                value = None if found is None else _number(found[2])
                if found is None or value is None:
                    raise ParseError(f"`{feature[:60]}` is no feature", path=path, line=place)
                features[found[1]] = value
            grade = parse_grade(fields[0], "the grade", f"{path}:{place}", scale)
            query = said[1].strip() if len(said) > 1 else fields[1].removeprefix("qid:")
            rows.append(Row(Item(query, said[0], fields=features), final=grade))
        return Sheet(tuple(rows))

    def parts(self, sheet: Sheet) -> Iterator[str]:
        """Yields the rows of one query after the other."""
        names = _naming(sheet)
        for place, (query, rows) in enumerate(by_query(sheet).items(), 1):
            for row, grade in rows:
                features = "".join(
                    f" {name}:{figure(row.item.fields[name])}" for name in _features(row.item)
                )
                about = f"{names.documents[row.item.document]} {names.queries[query]}"
                yield f"{figure(grade)} qid:{place}{features} # {about}\n"

    def tables(self, sheet: Sheet, *, made: Iterable[str] = ()) -> dict[str, str]:
        """Returns what the ids of queries and documents stand for, where they are new."""
        return _naming(sheet).tables(sheet, made=made)

    def losses(self, sheet: Sheet) -> tuple[Note, ...]:
        """As for every format; features are not lost."""
        return super().losses(replace(sheet, rows=tuple(map(_without_features, sheet.rows))))


def _naming(sheet: Sheet) -> Naming:
    return name_sheet(sheet, stands=_ends_line, shown=True)


def _ends_line(query: str) -> bool:
    """Says whether a query's words come back from the end of a line."""
    return bool(query) and query == " ".join(query.split()) and "\0" not in query


def _without_features(row: Row) -> Row:
    features = _features(row.item)
    rest = {name: value for name, value in row.item.fields.items() if name not in features}
    return replace(row, item=replace(row.item, fields=rest))


def _features(item: Item) -> list[str]:
    """Returns the names of the fields that are features, in the order of their numbers."""
    names = [
        name
        for name, value in item.fields.items()
        if re.fullmatch(r"[1-9]\d*", name)
        and isinstance(value, int | float)
        and not isinstance(value, bool)
    ]
    return sorted(names, key=int)


def _number(text: str) -> float | None:
    found = number(text)
    return found if found is not None and isfinite(found) else None
