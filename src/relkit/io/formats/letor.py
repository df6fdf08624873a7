"""SVMlight, LETOR and RankLib: `label qid:N feature:value … # comment`, one document per line.

The id of the query is what follows `qid:`. The comment names the document, as `docid = X` or by its
first word; what follows such a word is the text of the query.

The scores of a model stand in a second file, one a line. Where the lines have no `qid:`, a third
file holds the number of rows of each query.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from relkit.core.errors import InputError, ParameterError, ParseError
from relkit.core.texts import message
from relkit.data.columns import number
from relkit.data.sheets import Item, Row, Sheet
from relkit.io.format import first_lines, formats
from relkit.io.naming import Naming, is_word, name_sheet
from relkit.io.numbers import number_text
from relkit.io.open import Source
from relkit.io.sheet_values import by_query, parse_grade, shown_query
from relkit.io.sheets import SheetFormat
from relkit.io.sparse import SparseRows

if TYPE_CHECKING:
    import polars as pl

    from relkit.core.notes import Note
    from relkit.data.judgments import Judgments
    from relkit.data.labelled import LabelledRows
    from relkit.data.scale import Scale

__all__ = ["Letor"]

_DOCUMENT = re.compile(r"\bdoc(?:ument)?_?(?:id|no)\s*=\s*(\S+)", re.I)
_NUMBERED = re.compile(r"([1-9]\d*):(\S+)")
_FEATURE = re.compile(rb"\d+:\S+")


class Letor(SheetFormat):
    """Learning-to-rank rows. Further fields of items named by whole numbers are the features."""

    name: ClassVar[str] = "letor"
    title: ClassVar[str] = "a LETOR file"
    suffix: ClassVar[str] = ".letor"
    steady: ClassVar[bool] = True
    names_ids: ClassVar[bool] = True
    keeps: ClassVar[frozenset[str]] = frozenset({"query_text", "query_id", "final"})
    aliases: ClassVar[tuple[str, ...]] = ("svmlight", "libsvm", "ranklib")
    suffixes: ClassVar[tuple[str, ...]] = (".letor", ".svmlight", ".svm", ".libsvm")

    def recognises(self, head: bytes) -> bool:
        """A second column that is `qid:` or a feature."""
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
        from relkit.io.tables import Table

        _no_columns(columns)

        data = source.read_all()

        def records() -> Iterator[tuple[int, dict[str, str]]]:
            for line, label, query, comment, _ in _rows(data, source.path):
                if query is None:
                    raise _no_query(source.path, line)
                document, _ = _about(comment, source.path, line)
                yield (
                    line,
                    {
                        "query": query,
                        "document": document,
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
        rows = []
        for line, label, query, comment, features in _rows(text.encode(), path):
            if query is None:
                raise _no_query(path, line)
            document, shown = _about(comment, path, line)
            grade = parse_grade(label, "the grade", f"{path}:{line}", scale)
            fields = _features(features, path, line)
            item = Item(query, document, query_text=shown, fields=fields)
            rows.append(Row(item, final=grade))
        return Sheet(tuple(rows))

    def parts(self, sheet: Sheet) -> Iterator[str]:
        """Yields the rows of one query after the other, with the query's text."""
        names = _naming(sheet)
        for query, rows in by_query(sheet).items():
            for row, grade in rows:
                item = row.item
                features = "".join(
                    f" {name}:{number_text(item.fields[name])}" for name in _feature_names(item)
                )
                about = names.documents[item.document]
                shown = " ".join(shown_query(item).replace("\0", "").split())
                written = names.queries[query]
                # A text that would come back otherwise is in the table of what ids stand for.
                if shown != written and (written == query or shown == shown_query(item)):
                    about += f" {shown}"
                yield f"{number_text(grade)} qid:{written}{features} # {about}\n"

    def tables(self, sheet: Sheet, *, made: Iterable[str] = ()) -> dict[str, str]:
        """Returns what the ids of queries and documents stand for, where they are new."""
        return _naming(sheet).tables(sheet, made=made)

    def losses(self, sheet: Sheet) -> tuple[Note, ...]:
        """As for every format; features are not lost."""
        return super().losses(replace(sheet, rows=tuple(map(_without_features, sheet.rows))))

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
        import polars as pl

        if scores is None:
            _no_columns(columns)
            raise ParameterError(
                message("{source_path}: this format holds no scores", source_path=source.path),
                hint="name the file that holds one score a line: scores=PATH",
            )

        def beside(rows: int) -> dict[str, pl.Series]:
            values = [_finite(text, "score", scores.path, line) for line, text in _single(scores)]
            if len(values) != rows:
                raise InputError(
                    message(
                        "there are {count:,} scores for the {count_2:,} rows of {source_path}",
                        count=len(values),
                        count_2=rows,
                        source_path=source.path,
                    ),
                    path=scores.path,
                    hint="one score a row, in the same order",
                )
            return {"score": pl.Series(values)}

        return _labelled(source, columns, groups, scale, lambda line, features: None, beside)

    def read_features(
        self,
        source: Source,
        *,
        columns: Mapping[str, str] | None = None,
        groups: Source | None = None,
        scale: Scale | None = None,
    ) -> LabelledRows:
        """Reads labels, queries and features, from 1 to the highest number; what is not given is 0.

        A feature that is 0 in every row is there, too.
        """
        table = SparseRows()

        def keep(line: int, features: str) -> None:
            table.add(_features(features, source.path, line))

        return _labelled(source, columns, groups, scale, keep, lambda rows: table.columns())


def _labelled(
    source: Source,
    columns: Mapping[str, str] | None,
    groups: Source | None,
    scale: Scale | None,
    keep: Callable[[int, str], None],
    beside: Callable[[int], dict[str, pl.Series]],
) -> LabelledRows:
    """Reads labelled rows, with the columns that stand beside labels and queries."""
    import polars as pl

    from relkit.data.labelled import from_columns, offsets_of

    _no_columns(columns)
    labels: list[float] = []
    queries: list[str] = []
    documents: list[str] = []
    for line, label, query, comment, features in _rows(source.read_all(), source.path):
        if query is None and groups is None:
            raise _no_query(source.path, line)
        labels.append(_finite(label, "label", source.path, line, scale))
        queries.append(query or "")
        keep(line, features)
        if found := _DOCUMENT.search(comment):
            documents.append(found[1])
    found_columns = {"label": pl.Series(labels, dtype=pl.Float64), **beside(len(labels))}
    if len(documents) == len(labels):
        found_columns["document"] = pl.Series(documents, dtype=pl.String)
    if groups is None:
        found_columns["query"] = pl.Series(queries, dtype=pl.String)
        return from_columns(found_columns, path=source.path)
    sizes = _sizes(groups, len(labels), source.path)
    names = [str(place) for place in range(len(sizes))]
    rows = from_columns(found_columns, path=source.path)
    return replace(rows, groups=offsets_of(sizes), queries=names, notes=())


def _about(comment: str, path: str, line: int) -> tuple[str, str]:
    """Returns the document that a comment names, and the text of the query."""
    found = _DOCUMENT.search(comment)
    if found:
        return found[1], ""
    words = comment.split(maxsplit=1)
    if not words:
        raise ParseError(
            "there is no comment that names the document",
            path=path,
            line=line,
            hint="to evaluate a file of scores, use read_scored(…, scores=…)",
        )
    return words[0], words[1].strip() if len(words) > 1 else ""


def _features(texts: str, path: str, line: int) -> dict[str, float]:
    """Returns the values of a row's features by their numbers."""
    features = {}
    for text in texts.split():
        found = _NUMBERED.fullmatch(text)
        value = number(found[2]) if found else None
        if found is None or value is None or not math.isfinite(value):
            raise ParseError(
                message("`{text}` is no feature", text=text[:60]), path=path, line=line
            )
        features[found[1]] = value
    return features


def _naming(sheet: Sheet) -> Naming:
    return name_sheet(sheet, stands=_is_id, letter="")


def _is_id(query: str) -> bool:
    return is_word(query) and "#" not in query


def _without_features(row: Row) -> Row:
    features = _feature_names(row.item)
    rest = {name: value for name, value in row.item.fields.items() if name not in features}
    return replace(row, item=replace(row.item, fields=rest))


def _feature_names(item: Item) -> list[str]:
    """Returns the names of the fields that are features, in the order of their numbers."""
    names = [
        name
        for name, value in item.fields.items()
        if re.fullmatch(r"[1-9]\d*", name)
        and isinstance(value, int | float)
        and not isinstance(value, bool)
    ]
    return sorted(names, key=int)


def _rows(content: bytes, path: str) -> Iterator[tuple[int, str, str | None, str, str]]:
    """Line, label, query (None where there is no `qid:`), comment and features of every row."""
    for line, text in _lines(content, path):
        data, _, comment = text.partition("#")
        fields = data.split(maxsplit=2)
        if not fields:
            continue
        query = None
        if len(fields) > 1 and fields[1].startswith("qid:"):
            query = fields[1][4:]
            if not query:
                raise ParseError("the query id after `qid:` is empty", path=path, line=line)
        elif len(fields) > 1 and ":" not in fields[1]:
            raise ParseError(
                message(
                    "expected `label qid:N feature:value …`, got `{text}`", text=text.strip()[:80]
                ),
                path=path,
                line=line,
            )
        features = data.split(maxsplit=1 if query is None else 2)
        yield line, fields[0], query, comment, "".join(features[1 if query is None else 2 :])


def _lines(content: bytes, path: str) -> Iterator[tuple[int, str]]:
    for place, line in enumerate(content.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        try:
            yield place, line.decode()
        except UnicodeDecodeError as error:
            raise ParseError(
                message("is not UTF-8 text ({reason})", reason=error.reason), path=path, line=place
            ) from None


def _single(source: Source) -> Iterator[tuple[int, str]]:
    """The one number that every line holds."""
    for line, text in _lines(source.read_all(), source.path):
        fields = text.split()
        if len(fields) > 1:
            raise ParseError(
                message("expected one number a line, got `{text}`", text=text.strip()[:80]),
                path=source.path,
                line=line,
            )
        if fields:
            yield line, fields[0]


def _finite(text: str, what: str, path: str, line: int, scale: Scale | None = None) -> float:
    try:
        found = number(text) if scale is None else scale.parse(text)
    except InputError as error:
        raise ParseError(error.message, path=path, line=line, hint=error.hint) from None
    if found is None:
        raise ParseError(
            message("the {what} `{text}` is not a number", what=what, text=text),
            path=path,
            line=line,
        )
    if not math.isfinite(found):
        raise ParseError(
            message("the {what} is {found}", what=what, found=found),
            path=path,
            line=line,
            hint="labels and scores must be finite",
        )
    return found


def _sizes(groups: Source, rows: int, path: str) -> list[int]:
    sizes = []
    for line, text in _single(groups):
        if not (text.isascii() and text.isdecimal()):
            raise ParseError(
                message("the group size `{text}` is no count", text=text),
                path=groups.path,
                line=line,
            )
        sizes.append(int(text))
    if sum(sizes) != rows:
        raise InputError(
            message(
                "the group sizes add up to {sizes:,}, and {path} has {rows:,} rows",
                sizes=sum(sizes),
                path=path,
                rows=rows,
            ),
            path=groups.path,
        )
    return sizes


def _no_query(path: str, line: int) -> ParseError:
    return ParseError(
        "there is no `qid:`",
        path=path,
        line=line,
        hint="name the file that holds the number of rows of each query: groups=PATH",
    )


def _no_columns(columns: Mapping[str, str] | None) -> None:
    if columns:
        raise ParameterError(
            "SVMlight and LETOR files have no column names", hint="leave `columns` out"
        )


formats.register(Letor())
