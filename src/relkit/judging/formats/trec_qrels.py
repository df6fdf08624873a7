"""TREC qrels: query, iteration, document, grade."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar

from relkit.core.errors import ParseError
from relkit.data.scale import Scale
from relkit.judging.formats.base import Format, Row, Sheet, figure, parse_grade, register
from relkit.judging.formats.naming import Naming, name_sheet, starts_line
from relkit.judging.records import Item

__all__ = ["TrecQrels"]


@register
class TrecQrels(Format):
    """What trec_eval and relkit evaluate read."""

    name: ClassVar[str] = "trec"
    title: ClassVar[str] = "a TREC qrels file"
    suffix: ClassVar[str] = ".qrels"
    steady: ClassVar[bool] = True
    names_ids: ClassVar[bool] = True
    holds: ClassVar[frozenset[str]] = frozenset({"query_id", "final"})

    def parse(self, text: str, *, path: str, scale: Scale | None) -> Sheet:
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

    def parts(self, sheet: Sheet) -> Iterator[str]:
        """Yields a line an item that has a final grade."""
        names = _naming(sheet)
        for row in sheet.rows:
            if row.final is not None:
                query, document = names.queries[row.item.query], names.documents[row.item.document]
                yield f"{query} 0 {document} {figure(row.final)}\n"

    def tables(self, sheet: Sheet, *, made: Iterable[str] = ()) -> dict[str, str]:
        """Returns what the ids of queries and documents stand for, where they are new."""
        return _naming(sheet).tables(sheet, made=made)


def _naming(sheet: Sheet) -> Naming:
    return name_sheet(sheet, stands=starts_line)
