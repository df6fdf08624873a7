"""SVMlight, LETOR and RankLib: `label qid:N feature:value … # comment`, one document per line.

The query id follows `qid:`. The comment names the document, as `docid = X` or by its first word;
the text of the query follows that word.

The scores of a model are in a second file, one per line. If the lines have no `qid:`, a third file
has the number of rows per query.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, BinaryIO, ClassVar

from relyon.core.errors import ParameterError, ParseError
from relyon.core.texts import message
from relyon.data.features import STORAGE, Labelling, Storage
from relyon.data.sheets import Item, Row, Sheet
from relyon.io.byte_source import Source
from relyon.io.feature_rows import letor_parts
from relyon.io.format import first_lines, formats
from relyon.io.json_members import by_query, parse_grade, shown_query
from relyon.io.letor_header import header_of
from relyon.io.letor_lines import DOCUMENT, no_query, row_values, rows_of
from relyon.io.numbers import number_text
from relyon.io.sheets import SheetFormat
from relyon.io.spaced_ids import Naming, is_word, name_sheet

if TYPE_CHECKING:
    from relyon.core.notes import Note
    from relyon.data.judgments import Judgments
    from relyon.data.labelled import LabelledRows
    from relyon.data.scale import Scale

__all__ = ["Letor"]

_FEATURE = re.compile(rb"\d+:\S+")


class Letor(SheetFormat):
    """Learning-to-rank rows. Further fields named by whole numbers are the features."""

    name: ClassVar[str] = "letor"
    title: ClassVar[str] = "a LETOR file"
    suffix: ClassVar[str] = ".letor"
    steady: ClassVar[bool] = True
    names_ids: ClassVar[bool] = True
    keeps: ClassVar[frozenset[str]] = frozenset({"query_text", "query_id", "final"})
    aliases: ClassVar[tuple[str, ...]] = ("svmlight", "libsvm", "ranklib")
    suffixes: ClassVar[tuple[str, ...]] = (".letor", ".svmlight", ".svm", ".libsvm")

    def recognises(self, head: bytes) -> bool:
        """Whether the second column is `qid:` or a feature."""
        lines = first_lines(head)
        fields = lines[0].split(maxsplit=2) if lines else []
        return len(fields) > 1 and (
            fields[1].startswith(b"qid:") or _FEATURE.fullmatch(fields[1]) is not None
        )

    def read_judgments(
        self,
        source: Source,
        *,
        columns: Mapping[str, str] | None = None,
        scale: Scale | None = None,
    ) -> Judgments:
        """Reads labels as grades; the comments must name the documents.

        A comment names the document as `docid = X`, or else by its first word.
        """
        from relyon.io.table_columns import Table

        _no_columns(columns)

        header = header_of(source)
        data = source.read_all()

        def records() -> Iterator[tuple[int, dict[str, str]]]:
            for line, label, query, comment, _ in rows_of(data, source.path):
                if query is None:
                    raise no_query(source.path, line)
                document, _ = _about(comment, source.path, line)
                yield (
                    line,
                    {
                        "query": header.decode(query),
                        "document": header.decode(document),
                        "grade": label,
                    },
                )

        import polars as pl

        roles = ("query", "document", "grade")
        values: dict[str, list[str]] = {role: [] for role in roles}
        for _, fields in records():
            for role in roles:
                values[role].append(fields[role])
        series = {role: pl.Series(role, values[role], dtype=pl.String) for role in roles}
        return Table(series, source.path, records).judgments(scale)

    def parse(self, text: str, *, path: str, scale: Scale | None) -> Sheet:
        """Reads labels as final grades, and features as further fields."""
        content = text.encode()
        header = header_of(Source(io.BytesIO(content), name=path))
        rows = []
        for line, label, query, comment, features in rows_of(content, path):
            if query is None:
                raise no_query(path, line)
            document, shown = _about(comment, path, line)
            grade = parse_grade(label, "io.the-grade", f"{path}:{line}", scale)
            fields = row_values(features, path, line)
            item = Item(
                header.decode(query), header.decode(document), query_text=shown, fields=fields
            )
            rows.append(Row(item, final=grade))
        return Sheet(tuple(rows))

    def parts(self, sheet: Sheet) -> Iterator[str]:
        """Yields the rows query by query, with the query's text."""
        names = _naming(sheet)
        for query, rows in by_query(sheet).items():
            for row, grade in rows:
                item = row.item
                features = "".join(
                    f" {name}:{number_text(value)}" for name, value in _item_features(item).items()
                )
                about = names.documents[item.document]
                shown = " ".join(shown_query(item).replace("\0", "").split())
                written = names.queries[query]
                # A text that would not read back is in the table of ids instead.
                if shown != written and (written == query or shown == shown_query(item)):
                    about += f" {shown}"
                yield f"{number_text(grade)} qid:{written}{features} # {about}\n"

    def tables(self, sheet: Sheet, *, made: Iterable[str] = ()) -> dict[str, str]:
        """Returns the tables of new ids of queries and documents."""
        return _naming(sheet).tables(sheet, made=made)

    def losses(self, sheet: Sheet) -> tuple[Note, ...]:
        """As in every format, except that features are kept."""
        return super().losses(replace(sheet, rows=tuple(map(_without_features, sheet.rows))))

    def write_features(self, rows: LabelledRows, stream: BinaryIO) -> None:
        """Writes one line per row; names of features, weights and positions are in comments."""
        for text in letor_parts(rows):
            stream.write(text.encode())

    def read_scored(
        self,
        source: Source,
        *,
        columns: Mapping[str, str] | None = None,
        scores: Source | None = None,
        groups: Source | None = None,
        scale: Scale | None = None,
    ) -> LabelledRows:
        """Reads labels and queries, the scores from their own file, and group sizes if given."""
        from relyon.io.letor_rows import read_letor

        _no_columns(columns)
        if scores is None:
            raise ParameterError(
                message("io.this-format-has-no", source_path=source.path),
                hint=message("io.name-file-with-one-score"),
            )
        return read_letor(source, groups=groups, scale=scale, scores=scores)

    def read_features(
        self,
        source: Source,
        *,
        columns: Mapping[str, str] | None = None,
        groups: Source | None = None,
        scale: Scale | None = None,
        storage: Storage = STORAGE,
        labels: Labelling = "own",
    ) -> LabelledRows:
        """Reads labels, queries and features, from 1 to the highest number; missing ones are 0.

        A feature that is 0 in every row is included, too.
        """
        from relyon.io.letor_rows import read_letor

        unread = {role for role, name in (columns or {}).items() if not name}
        _no_columns({role: name for role, name in (columns or {}).items() if name})
        return read_letor(source, groups=groups, scale=scale, storage=storage, unread=unread)


def _about(comment: str, path: str, line: int) -> tuple[str, str]:
    """Returns the document that a comment names, and the text of the query."""
    found = DOCUMENT.search(comment)
    if found:
        return found[1], ""
    words = comment.split(maxsplit=1)
    if not words:
        raise ParseError(
            message("io.no-comment-names-document"),
            path=path,
            line=line,
            hint=message("io.to-evaluate-file"),
        )
    return words[0], words[1].strip() if len(words) > 1 else ""


def _naming(sheet: Sheet) -> Naming:
    return name_sheet(sheet, stands=_is_id, letter="")


def _is_id(query: str) -> bool:
    return is_word(query) and "#" not in query


def _without_features(row: Row) -> Row:
    features = _item_features(row.item)
    rest = {name: value for name, value in row.item.fields.items() if name not in features}
    return replace(row, item=replace(row.item, fields=rest))


def _item_features(item: Item) -> dict[str, float]:
    """Returns the fields that are features, in the order of their numbers."""
    features = {
        name: value
        for name, value in item.fields.items()
        if re.fullmatch(r"[1-9]\d*", name)
        and isinstance(value, int | float)
        and not isinstance(value, bool)
    }
    return dict(sorted(features.items(), key=lambda one: int(one[0])))


def _no_columns(columns: Mapping[str, str] | None) -> None:
    if columns:
        raise ParameterError(
            message("io.svmlight-and-letor-files"), hint=message("io.leave-columns-out")
        )


formats.register(Letor())
