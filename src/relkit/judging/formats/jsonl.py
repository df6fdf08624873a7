"""JSON Lines: one item a line with everything that is known of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any, ClassVar

from relkit.core.errors import InputError, ParseError
from relkit.data.scale import Scale
from relkit.judging.formats.base import (
    PARTS,
    Format,
    Row,
    Sheet,
    identifier,
    listing,
    mapping,
    parse_grade,
    parse_json,
    parse_number,
    register,
    write_json,
)
from relkit.judging.records import Item, Rating

__all__ = ["JsonLines"]

ITEM = tuple(one.name for one in fields(Item) if one.name != "id")
RATING = tuple(one.name for one in fields(Rating))
TEXTS = ("query_text", "title", "snippet", "url", "image", "tier", "session")


@register
class JsonLines(Format):
    """Items as objects; also lines of query, document and grade alone."""

    name: ClassVar[str] = "jsonl"
    title: ClassVar[str] = "JSON Lines"
    suffix: ClassVar[str] = ".jsonl"
    steady: ClassVar[bool] = True
    holds: ClassVar[frozenset[str]] = frozenset(PARTS) - {"name"}

    def parse(self, text: str, *, path: str, scale: Scale | None) -> Sheet:
        """Reads objects of an item's fields, `ratings` and `final` (or `grade`)."""
        rows = []
        for number, line in enumerate(text.split("\n"), 1):
            if line.strip():
                try:
                    rows.append(_row(mapping(parse_json(line, ""), "the line", ""), scale))
                except InputError as error:
                    raise ParseError(
                        error.message, path=path, line=number, hint=error.hint
                    ) from None
        return Sheet(tuple(rows))

    def parts(self, sheet: Sheet) -> Iterator[str]:
        """Yields one line an item, without what is empty."""
        for row in sheet.rows:
            content = _given(row.item, ITEM)
            if row.ratings:
                content["ratings"] = [_given(one, RATING) for one in row.ratings]
            if row.final is not None:
                content["final"] = row.final
            if row.final_source:
                content["final_source"] = row.final_source
            yield write_json(content) + "\n"


def _given(record: Item | Rating, names: Sequence[str]) -> dict[str, Any]:
    """Returns what a record holds, without what is empty."""
    values = ((name, getattr(record, name)) for name in names)
    return {name: value for name, value in values if value not in ("", None, {})}


def _row(content: Mapping[str, Any], scale: Scale | None) -> Row:
    rank = content.get("rank")
    if rank is not None and (isinstance(rank, bool) or not isinstance(rank, int)):
        raise InputError(f"the rank `{str(rank)[:60]}` is not a whole number")
    chance = content.get("inclusion_probability")
    known = {one.name for one in fields(Item)} | {"ratings", "final", "final_source", "grade"}
    extra = dict(mapping(content.get("fields", {}), "`fields`", ""))
    extra.update({key: value for key, value in content.items() if key not in known})
    texts: dict[str, Any] = {name: _text(content.get(name, ""), name) for name in TEXTS}
    item = Item(
        identifier(content.get("query"), "`query`", ""),
        identifier(content.get("document"), "`document`", ""),
        rank=rank,
        fields=extra,
        inclusion_probability=None
        if chance is None
        else parse_number(chance, "`inclusion_probability`", ""),
        **texts,
    )
    ratings = tuple(
        _rating(mapping(one, "a rating", ""), scale)
        for one in listing(content.get("ratings", []), "`ratings`", "")
    )
    final = content.get("final", content.get("grade"))
    return Row(
        item,
        ratings,
        None if final is None else parse_grade(final, "the grade", "", scale),
        _text(content.get("final_source", ""), "final_source"),
    )


def _rating(content: Mapping[str, Any], scale: Scale | None) -> Rating:
    grade = content.get("grade")
    times = {
        name: None if content.get(name) is None else parse_number(content[name], f"`{name}`", "")
        for name in ("seconds", "at")
    }
    return Rating(
        identifier(content.get("judge"), "`judge`", ""),
        None if grade is None else parse_grade(grade, "the grade", "", scale),
        _text(content.get("reason", ""), "reason"),
        _text(content.get("note", ""), "note"),
        **times,
    )


def _text(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise InputError(f"`{name}` is not a text: `{str(value)[:60]}`")
    return value
