"""TREC qrels: query, iteration, document, grade."""

from __future__ import annotations

from typing import ClassVar

from relkit.errors import InputError, ParseError
from relkit.judging.formats.base import Format, Row, Sheet, figure, parse_grade, register
from relkit.judging.records import Item
from relkit.scale import Scale

__all__ = ["TrecQrels", "refuse_spaces"]


def refuse_spaces(value: str, what: str, title: str) -> str:
    """Returns an id that may stand between spaces.

    Raises:
        InputError: If it holds a space itself.
    """
    if value.split() != [value]:
        raise InputError(
            f"{title} cannot hold the {what} `{value}`: it has a space",
            hint="give queries ids of their own, or export CSV or JSON Lines",
        )
    return value


@register
class TrecQrels(Format):
    """What trec_eval and relkit evaluate read."""

    name: ClassVar[str] = "trec"
    title: ClassVar[str] = "a TREC qrels file"
    suffix: ClassVar[str] = ".qrels"
    holds: ClassVar[frozenset[str]] = frozenset({"query_id", "final"})

    def read(self, text: str, *, path: str = "", scale: Scale | None = None) -> Sheet:
        """Reads four columns; the grades are final."""
        rows = []
        for number, line in enumerate(text.split("\n"), 1):
            fields = line.split()
            if not fields:
                continue
            if len(fields) != 4:
                raise ParseError(
                    "expected 4 columns (query, iteration, document, grade),"
                    f" got {len(fields)}: `{line.strip()}`",
                    path=path,
                    line=number,
                )
            grade = parse_grade(fields[3], "the grade", f"{path}:{number}", scale)
            rows.append(Row(Item(fields[0], fields[2]), final=grade))
        return Sheet(tuple(rows))

    def write(self, sheet: Sheet) -> str:
        """Returns a line an item that has a final grade."""
        return "".join(
            f"{refuse_spaces(row.item.query, 'query', self.title)} 0"
            f" {refuse_spaces(row.item.document, 'document', self.title)} {figure(row.final)}\n"
            for row in sheet.rows
            if row.final is not None
        )
