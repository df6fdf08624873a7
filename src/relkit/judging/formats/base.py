"""What every format is: text in, a sheet of grades out, and back; and what it cannot hold."""

from __future__ import annotations

import json
import math
import os
import re
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from relkit.core.errors import InputError, ParameterError, ParseError
from relkit.core.notes import Note
from relkit.core.registry import Registry
from relkit.data.scale import Scale
from relkit.judging.aggregation import Rule, aggregate
from relkit.judging.records import Item, Rating

__all__ = [
    "BYTE_ORDER_MARK",
    "FORMATS",
    "Format",
    "Row",
    "Sheet",
    "formats",
    "parse_json",
    "read_sheet",
    "write_sheet",
]

#: The modules of the formats, in the order in which `relkit judge` lists them.
FORMATS = (
    "csv_table", "jsonl", "trec_qrels", "quepid", "rre", "rank_eval", "opensearch", "ranklib",
    "label_studio",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Row:
    """One item with what was said of it.

    Attributes:
        item: One document of one query.
        ratings: What each judge says.
        final: The grade that counts, if it is known.
        final_source: The language model whose grade that is; empty where it is people's.
    """

    item: Item
    ratings: tuple[Rating, ...] = ()
    final: float | None = None
    final_source: str = ""


@dataclass(frozen=True)
class Sheet:
    """Graded items, as files hold them.

    Attributes:
        rows: One an item; a query and a document stand in one row only.
        name: Of the project.
        scale: The grades there are, if it is known.
    """

    rows: tuple[Row, ...]
    name: str = ""
    scale: Scale | None = field(default=None, compare=False)

    def finals(self, rule: Rule = "median") -> Sheet:
        """Returns the sheet with a final grade wherever there is one or can be made of ratings."""
        return replace(self, rows=tuple(self._with_final(row, rule) for row in self.rows))

    def _with_final(self, row: Row, rule: Rule) -> Row:
        grades = [one.grade for one in row.ratings if one.grade is not None]
        if row.final is not None or not grades:
            return row
        return replace(row, final=aggregate(grades, rule=rule, scale=self.scale).value)


#: By it Excel on Windows knows that a CSV file is UTF-8; without it Chinese texts are garbled.
BYTE_ORDER_MARK = "\ufeff"

#: What a format may hold besides queries and documents.
PARTS = (
    "query_text",
    "query_id",
    "rank",
    "title",
    "snippet",
    "url",
    "image",
    "fields",
    "tier",
    "session",
    "inclusion_probability",
    "ratings",
    "cannot",
    "reason",
    "note",
    "seconds",
    "at",
    "final",
    "final_source",
    "ungraded",
    "name",
)


class Format(ABC):
    """A kind of file.

    Attributes:
        name: In options.
        title: What people call it.
        suffix: Of its files.
        holds: The parts of a sheet that it can hold: keys of `PARTS`.
        steady: Whether whatever a database holds can be written, line by line.
        names_ids: Whether queries and documents that it cannot hold get ids, and tables say which.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    suffix: ClassVar[str]
    holds: ClassVar[frozenset[str]]
    steady: ClassVar[bool] = False
    names_ids: ClassVar[bool] = False

    def read(
        self, text: str, *, path: str = "", scale: Scale | None = None, limit: int | None = None
    ) -> Sheet:
        """Reads a file's text.

        Args:
            text: All of it.
            path: The file, for messages.
            scale: Names that grades may have.
            limit: Bytes of memory that it may take when it is read, about; for what strangers send.
                None for any.

        Raises:
            InputError: If it is not of this format, cannot be used, or takes more.
        """
        if limit is not None:
            check_size(text, limit, path)
        check_characters(text, path)
        return self.parse(text, path=path, scale=scale)

    @abstractmethod
    def parse(self, text: str, *, path: str, scale: Scale | None) -> Sheet:
        """Reads a text without characters that cannot be stored; otherwise as `read`."""

    @abstractmethod
    def parts(self, sheet: Sheet) -> Iterator[str]:
        """Yields a file's text in parts: lines, or all of it at once.

        Raises:
            InputError: If the format cannot write an id.
        """

    def write(self, sheet: Sheet) -> str:
        """Returns a file's text.

        Raises:
            InputError: If the format cannot write an id.
        """
        return "".join(self.parts(sheet))

    def tables(self, sheet: Sheet, *, made: Iterable[str] = ()) -> dict[str, str]:
        """Returns the tables that have to stand beside a file, as TSV, by their names.

        Args:
            sheet: Graded items.
            made: Names of tables to make even where nothing depends on them.
        """
        return {}

    @property
    def lacks(self) -> tuple[str, ...]:
        """The parts of a sheet that it cannot hold, in the order of `PARTS`."""
        return tuple(part for part in PARTS if part not in self.holds)

    def may_be(self, text: str) -> bool:
        """Says whether a text whose file has the format's ending may be of the format."""
        return True

    def losses(self, sheet: Sheet) -> tuple[Note, ...]:
        """Returns what a file of this format will not hold of a sheet, counted."""
        counts = dict.fromkeys(PARTS, 0)
        counts["name"] = bool(sheet.name)
        for row in sheet.rows if {*self.lacks} - {"name"} else ():
            for part in _used(row):
                counts[part] += 1
        return tuple(
            Note(
                f"not-exported-{part.replace('_', '-')}",
                count,
                "info" if part == "name" else "warning",
                values={"format": self.title, "part": part},
                key="not-exported-name" if part == "name" else "not-exported",
            )
            for part, count in counts.items()
            if count and part not in self.holds
        )


def _used(row: Row) -> Iterable[str]:
    for part in (
        "query_text", "rank", "title", "snippet", "url", "image", "fields", "tier", "session",
        "inclusion_probability",
    ):  # fmt: skip
        if getattr(row.item, part) not in ("", None, {}):
            yield part
    if row.item.query_text not in ("", row.item.query):
        yield "query_id"
    if any(one.grade is not None for one in row.ratings):
        yield "ratings"
    if any(one.grade is None for one in row.ratings):
        yield "cannot"
    for part in ("reason", "note", "seconds", "at"):
        if any(getattr(one, part) not in ("", None) for one in row.ratings):
            yield part
    if row.final_source:
        yield "final_source"
    if row.final is not None:
        yield "final"
    elif not row.ratings:
        yield "ungraded"


formats: Registry[Format] = Registry(
    "format", modules=[f"relkit.judging.formats.{module}" for module in FORMATS]
)


def register(kind: type[Format]) -> type[Format]:
    """Class decorator that makes a format known by its name."""
    formats.add(kind.name, kind())
    return kind


def find_format(name: str | None, path: str, text: str) -> Format:
    """Returns the format of a name, or the only one with the file's ending that a text may be of.

    Raises:
        UnknownNameError: If there is none of that name.
        ParameterError: If the ending says nothing, or the text may be of several.
    """
    if name is not None:
        return formats.get(name)
    every = [formats.get(one) for one in formats]
    ending = [one for one in every if path.lower().endswith(one.suffix)]
    found = [one for one in ending if one.may_be(text)] or ending
    if len(found) == 1:
        return found[0]
    names = ", ".join(one.name for one in found or every)
    raise ParameterError(
        f"{path or 'the data'}: the format could be one of {names}",
        hint="name it with format= (--format on the command line)",
    )


def read_sheet(
    path: str | os.PathLike[str], *, format: str | None = None, scale: Scale | None = None
) -> Sheet:
    """Reads graded items from a file.

    Args:
        path: The file; `-` is stdin.
        format: Its format; recognised by the ending and the content without.
        scale: Names that grades may have.

    Raises:
        InputError: If the file cannot be read or used.
        UnknownNameError: If there is no such format.
        ParameterError: If ending and content do not say the format.
    """
    name = os.fspath(path)
    if format is not None:
        formats.get(format)
    text = read_text(name)
    chosen = find_format(format, name, text)
    return join_rows(chosen.read(text, path=name, scale=scale), path=name)


def read_text(path: str) -> str:
    """Returns what a file holds; `-` is stdin.

    Raises:
        InputError: If it cannot be read, or is not UTF-8.
    """
    try:
        if path == "-":
            import sys

            return decode(sys.stdin.buffer.read(), path)
        with open(path, "rb") as file:
            return decode(file.read(), path)
    except OSError as error:
        raise InputError(error.strerror or str(error), path=path) from None


def decode(data: bytes, path: str) -> str:
    """Returns the text of a file.

    Raises:
        InputError: If it is not UTF-8.
    """
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            f"the file is not UTF-8 (byte {error.start})",
            path=path,
            hint="save it as UTF-8; a spreadsheet offers `CSV UTF-8`",
        ) from None


def join_rows(sheet: Sheet, path: str = "") -> Sheet:
    """Returns a sheet in which every item stands once, with all its ratings.

    Raises:
        InputError: If a judge grades an item twice and differently, or two final grades differ.
    """
    if _all_different(sheet.rows):
        return sheet
    rows: dict[tuple[str, str], Row] = {}
    for row in sheet.rows:
        key = (row.item.query, row.item.document)
        if key not in rows:
            rows[key] = row
            continue
        before = rows[key]
        known = {one.judge: one for one in before.ratings}
        for one in row.ratings:
            if one.judge in known and known[one.judge].grade != one.grade:
                raise InputError(
                    f"query `{key[0]}`, document `{key[1]}`: `{one.judge}` grades it twice",
                    path=path,
                )
        if None not in (before.final, row.final) and before.final != row.final:
            raise InputError(
                f"query `{key[0]}`, document `{key[1]}` has the final grades {before.final:g}"
                f" and {row.final:g}",
                path=path,
            )
        new = tuple(one for one in row.ratings if one.judge not in known)
        final = row.final if before.final is None else before.final
        source = before.final_source or row.final_source
        rows[key] = Row(before.item, (*before.ratings, *new), final, source)
    return replace(sheet, rows=tuple(rows.values()))


def _all_different(rows: Sequence[Row]) -> bool:
    """Says, in little memory, that no item stands twice; it may say no where all differ."""
    import numpy as np

    hashes = (hash((row.item.query, row.item.document)) for row in rows)
    found = np.fromiter(hashes, np.int64, len(rows))
    found.sort()
    return not bool((found[1:] == found[:-1]).any())


def write_sheet(sheet: Sheet, *, format: str) -> tuple[str, tuple[Note, ...]]:
    """Returns a file's text, and what it does not hold of the sheet.

    Args:
        sheet: Graded items.
        format: The name of a format.

    Raises:
        UnknownNameError: If there is no such format.
        InputError: If the format cannot write an id or a grade.

    Examples:
        >>> sheet = Sheet((Row(Item("q1", "d1", title="Red"), final=3.0),))
        >>> text, notes = write_sheet(sheet, format="trec")
        >>> text, [note.kind for note in notes]
        ('q1 0 d1 3\\n', ['not-exported-title'])
    """
    chosen = formats.get(format)
    return chosen.write(sheet), chosen.losses(sheet)


def left_out(chosen: Format, sheet: Sheet, tables: Collection[str]) -> tuple[Note, ...]:
    """Returns what a file does not hold of a sheet, with the tables that are written beside it."""
    held = {"not-exported-query-text"} if "queries" in tables else set()
    return tuple(note for note in chosen.losses(sheet) if note.kind not in held)


def has_member(text: str, *names: str) -> bool:
    """Says whether a JSON text has a member of one of these names anywhere.

    Examples:
        >>> has_member('{"requests": []}', "requests"), has_member('["requests"]', "requests")
        (True, False)
    """
    return any(re.search(rf'(?<!\\)"{name}"\s*:', text) for name in names)


#: Bytes that what begins or ends with a character takes at least, in any format: a line, a cell,
#: an object, a list, a member.
COSTS = {"\n": 250, "\r": 250, ",": 60, "{": 60, "[": 60, ":": 10}


def check_size(text: str, limit: int, path: str) -> None:
    """Refuses a text that takes more memory than a limit when it is read, about.

    Raises:
        InputError: If it does.
    """
    if len(text) + sum(cost * text.count(sign) for sign, cost in COSTS.items()) > limit:
        raise InputError(
            f"holds too much to be read at once: it takes more than {limit / 2**20:,.0f} MiB",
            path=path,
            hint="send it in parts; the command line has no such limit",
        )


#: No database, and no file of text, can hold these.
UNUSABLE = re.compile("[\0\ud800-\udfff]")
#: One escape of JSON after the other; a pair of surrogates is one.
ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    r"|(?P<unusable>u(?:[dD][89a-fA-F][0-9a-fA-F]{2}|0000))|.)"
)
SUSPECT = re.compile(r"\\u(?:[dD][89a-fA-F]|0000)")
#: How deeply values may stand in one another.
DEEPEST = 100


def check_characters(text: str, path: str) -> None:
    """Refuses a text with a character that cannot be stored.

    Raises:
        ParseError: At its line.
    """
    found = UNUSABLE.search(text)
    if found is not None:
        raise _unusable(text, found.start(), f"U+{ord(found[0]):04X}", path)


def _unusable(text: str, place: int, what: str, path: str) -> InputError:
    message = f"a text holds a character that cannot be stored: {what}"
    hint = "it is of code 0, or half of a pair; repair or remove it"
    if not path:  # whoever asks knows the line
        return InputError(message, hint=hint)
    return ParseError(message, path=path, line=text.count("\n", 0, place) + 1, hint=hint)


def parse_json(text: str, path: str) -> Any:
    """Returns what a JSON text holds.

    Raises:
        InputError: If it is no JSON, holds NaN or a character that cannot be stored, or is nested
            more deeply than anything that people grade.
    """

    def refuse(name: str) -> float:
        raise InputError(f"{name} is no number of JSON", path=path)

    if SUSPECT.search(text):
        for escape in ESCAPE.finditer(text):
            if escape["unusable"]:
                raise _unusable(text, escape.start(), escape[0], path)
    try:
        found = json.loads(text, parse_constant=refuse)
    except InputError:
        raise
    except (ValueError, RecursionError) as error:
        raise InputError(f"not JSON: {error}", path=path) from None
    _check_depth(found, path)
    return found


def _check_depth(value: Any, path: str) -> None:
    level = [value]
    for _ in range(DEEPEST):
        inner = []
        for one in level:
            if isinstance(one, dict):
                inner += [part for part in one.values() if isinstance(part, dict | list)]
            elif isinstance(one, list):
                inner += [part for part in one if isinstance(part, dict | list)]
        if not inner:
            return
        level = inner
    raise InputError(f"not JSON that can be used: nested {DEEPEST} levels deep", path=path)


def mapping(value: Any, where: str, path: str) -> Mapping[str, Any]:
    """Returns a value that has to be an object of JSON."""
    if not isinstance(value, dict):
        raise InputError(f"{where} is not an object", path=path)
    return value


def listing(value: Any, where: str, path: str) -> list[Any]:
    """Returns a value that has to be a list of JSON."""
    if not isinstance(value, list):
        raise InputError(f"{where} is not a list", path=path)
    return value


def identifier(value: Any, where: str, path: str) -> str:
    """Returns an id: a text or a whole number."""
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
        raise InputError(f"{where} is no id: `{str(value)[:60]}`", path=path)
    return str(value)


def parse_grade(value: Any, where: str, path: str, scale: Scale | None) -> float:
    """Returns a grade.

    Raises:
        InputError: If it is none, or none of the scale.
    """
    from relkit.data import columns

    try:
        found = None if isinstance(value, bool) else columns.parse_grade(value, scale)
    except InputError as error:
        raise InputError(f"{where}: {error.message}", path=path, hint=error.hint) from None
    if found is None or not math.isfinite(found):
        raise InputError(f"{where}: not a grade: `{str(value)[:60]}`", path=path)
    return found


def parse_number(value: Any, where: str, path: str) -> float:
    """Returns a finite number of JSON.

    Raises:
        InputError: If it is none.
    """
    from relkit.data import columns

    found = None if isinstance(value, str) else columns.number(value)
    if found is None or not math.isfinite(found):
        raise InputError(f"{where} is not a number: `{str(value)[:60]}`", path=path)
    return found


def figure(value: float) -> str:
    """Returns a number as short as it can be without being another."""
    return str(int(value)) if value == int(value) and abs(value) < 2**53 else repr(value)


def plain_number(value: float) -> float | int:
    """Returns a number that JSON writes without `.0` where it is whole."""
    return int(value) if value == int(value) and abs(value) < 2**53 else value


def shown_query(item: Item) -> str:
    """Returns the query as the user wrote it: what programs that know no ids take for one."""
    return item.query_text or item.query


def by_query(sheet: Sheet, *, shown: bool = False) -> dict[str, list[tuple[Row, float]]]:
    """Returns the rows with a final grade, and the grade, by query in their order.

    Args:
        sheet: Graded items.
        shown: By the query's text in place of its id.
    """
    found: dict[str, list[tuple[Row, float]]] = {}
    for row in sheet.rows:
        if row.final is not None:
            query = shown_query(row.item) if shown else row.item.query
            found.setdefault(query, []).append((row, row.final))
    return found


#: Returns JSON on one line; made once, as there may be a million.
write_json = json.JSONEncoder(ensure_ascii=False).encode


def dump(value: Any) -> str:
    """Returns JSON for people, with a line end."""
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"
