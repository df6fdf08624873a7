"""Judging sheets as JSON Lines: one item per line with everything known about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields

from relyon.core.errors import InputError, ParseError
from relyon.core.texts import message
from relyon.data.columns import ITEM_LEVELS, ITEM_NAMES, best_columns, named_twice
from relyon.data.scale import Scale
from relyon.data.sheets import ITEM_TEXTS, Item, Rating, Row, Sheet, described
from relyon.io.json_members import (
    identifier,
    listing,
    mapping,
    parse_grade,
    parse_json,
    parse_number,
    write_json,
)

__all__ = ["KNOWN", "RATING", "is_judged", "line_row", "named_members", "read_lines", "write_lines"]

ITEM = tuple(one.name for one in fields(Item) if one.name != "id")
RATING = tuple(one.name for one in fields(Rating))
#: Members of an object that are not further fields of the item.
KNOWN = frozenset({*ITEM, "id", "grade", "ratings", "final", "final_source"})


#: Roles of members with alternative names, and the names used here.
ROLES = {
    "query": {"query"},
    "document": {"document"},
    "grade": {"grade", "final", "ratings"},
    "rank": {"rank"},
    "judge": {"judge", "ratings"},
    **{role: {role} for role in ITEM_NAMES},
}


def is_judged(content: Mapping[str, object]) -> bool:
    """Whether an object contains the rating of one judge, or of several."""
    found = _named(content)
    return "ratings" in found or {"judge", "grade"} <= found.keys()


def named_members(
    content: Mapping[str, object], given: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Returns the members that have another name than their role's, by role.

    Args:
        content: The object of an item.
        given: The caller's own choice, by role.

    Raises:
        InputError: If two members could be meant.
    """
    found: dict[str, str] = {**(given or {})}
    for role, names in ROLES.items():
        if role in found or not names.isdisjoint(content):
            continue
        best = best_columns([*content], ITEM_LEVELS[role])
        if len(best) > 1:
            raise named_twice(best, "items", role)
        if best and best[0] not in found.values():
            found[role] = best[0]
    return found


def _named(
    content: Mapping[str, object], given: Mapping[str, str] | None = None
) -> dict[str, object]:
    """Renames members with usual or given names to those read here."""
    own = {name: role for role, name in named_members(content, given).items()}
    return {own.get(name, name): value for name, value in content.items()}


def read_lines(
    text: str, path: str, scale: Scale | None, given: Mapping[str, str] | None = None
) -> Iterator[Row]:
    """Yields rows from objects with an item's fields, `ratings` and `final` (or `grade`)."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                yield line_row(mapping(parse_json(line, ""), "the line", ""), scale, given)
            except InputError as error:
                raise ParseError(error.message, path=path, line=number, hint=error.hint) from None


def write_lines(sheet: Sheet) -> Iterator[str]:
    """Yields one line per item, without empty members."""
    for row in sheet.rows:
        content = _given(row.item, ITEM)
        if row.ratings:
            content["ratings"] = [_given(one, RATING) for one in row.ratings]
        if row.final is not None:
            content["final"] = row.final
        if row.final_source:
            content["final_source"] = row.final_source
        yield write_json(content) + "\n"


def _given(record: Item | Rating, names: Sequence[str]) -> dict[str, object]:
    """Returns a record without empty values."""
    values = ((name, getattr(record, name)) for name in names)
    return {name: value for name, value in values if value not in ("", None, {})}


def line_row(
    content: Mapping[str, object], scale: Scale | None, given: Mapping[str, str] | None = None
) -> Row:
    """Returns the item of an object, with its ratings.

    Args:
        content: The object.
        scale: Names that grades may have.
        given: The caller's own choice of members, by role.

    Raises:
        InputError: If a member cannot be used.
    """
    content = _named(content, given)
    rank = content.get("rank")
    if rank is not None and (isinstance(rank, bool) or not isinstance(rank, int)):
        raise InputError(message("core.rank-is-not-whole", rank=str(rank)[:60]))
    chance = content.get("inclusion_probability")
    extra = dict(mapping(content.get("fields", {}), "`fields`", ""))
    judged = content.get("judge") not in (None, "")  # one line per judge
    known = KNOWN.union(RATING) if judged else KNOWN
    extra.update({key: value for key, value in content.items() if key not in known})
    texts = {name: _text(content.get(name, ""), name) for name in ITEM_TEXTS}
    item = described(
        identifier(content.get("query"), "`query`", ""),
        identifier(content.get("document"), "`document`", ""),
        texts,
        rank=rank,
        fields=extra,
        inclusion_probability=None
        if chance is None
        else parse_number(chance, "`inclusion_probability`", ""),
    )
    ratings = tuple(
        _rating(mapping(one, "a rating", ""), scale)
        for one in listing(content.get("ratings", []), "`ratings`", "")
    )
    grade = content.get("grade")
    if judged:
        ratings, grade = (*ratings, _rating(content, scale)), None
    final = content.get("final", grade)
    return Row(
        item,
        ratings,
        None if final is None else parse_grade(final, "io.the-grade", "", scale),
        _text(content.get("final_source", ""), "final_source"),
    )


def _rating(content: Mapping[str, object], scale: Scale | None) -> Rating:
    grade = content.get("grade")
    times = {
        name: None if content.get(name) is None else parse_number(content[name], f"`{name}`", "")
        for name in ("seconds", "at")
    }
    return Rating(
        identifier(content.get("judge"), "`judge`", ""),
        None if grade is None else parse_grade(grade, "io.the-grade", "", scale),
        _text(content.get("reason", ""), "reason"),
        _text(content.get("note", ""), "note"),
        **times,
    )


def _text(value: object, name: str) -> str:
    if not isinstance(value, str):
        raise InputError(message("io.name-is-not-text", name=name, value=str(value)[:60]))
    return value
