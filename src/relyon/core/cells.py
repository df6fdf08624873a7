"""Cells of CSV and TSV that every program splits alike and no spreadsheet runs as a formula.

A spreadsheet treats a cell that begins with = + - @ as a formula, even after a control character
that it drops. Some split a cell again: at a line end, or at the semicolon or tab that separates
columns in their locale. A mark before such a sign makes it text, and relyon removes the mark when
it reads the file. Numbers are written as numbers.

Signs and quoting rules are defined once, as patterns that mean the same to Python, which writes
rows, and to Polars, which writes frames.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from relyon.core.errors import InputError
from relyon.core.texts import message

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "APOSTROPHE",
    "REPAIR",
    "Cell",
    "Mark",
    "csv_cell",
    "csv_frame",
    "csv_lines",
    "csv_text",
    "hide_texts",
    "needs_no_marks",
    "show_column",
    "show_texts",
]

#: A cell of a row: text, a number, or empty.
Cell = str | float | None

REPAIR = "core.json-lines-can"
#: Some spreadsheets turn the full-width forms into the plain ones.
SIGNS = frozenset("=+-@＝＋－＠")
#: Spaces that some programs strip from an unquoted cell.
SPACES = frozenset(
    map(chr, (*range(1, 0x21), 0x7F, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200C), 0x2028, 0x2029,
              0x202F, 0x205F, 0x3000, 0xFEFF))
)  # fmt: skip
#: A text with none of these inside, and no sign or space at its ends, needs no quotes.
LINE = "\n"
INSIDE = re.compile('[\0\ud800-\udfff",;|\t\r\n]')
OUTER = SIGNS | SPACES | {"'"}


def _class(characters: Iterable[str]) -> str:
    """Returns the pattern of one of some characters, for Python and for Polars."""
    return "[" + "".join(f"\\u{ord(one):04x}" for one in sorted(characters)) + "]"


SIGN, SPACE = _class(SIGNS), _class(SPACES)
#: What makes a line of text other than a cell that is written as it is.
MARKED = re.compile(
    f"{INSIDE.pattern.replace(LINE, '')}|^{_class(OUTER - {LINE})}|{_class(SPACES - {LINE})}$",
    re.MULTILINE,
)
UNLIKE = rf'[",;|\t\r\n]|^{SPACE}|{SPACE}$|^$'


@dataclass(frozen=True)
class Mark:
    """The prefix of texts that a spreadsheet would read as a formula.

    Attributes:
        text: The mark: one character.
        breaks: Characters after which a sign counts, besides the start of the text.

    Examples:
        >>> APOSTROPHE.hide("=1+1"), APOSTROPHE.hide("a;-5 °C"), APOSTROPHE.hide("red-hot")
        ("'=1+1", "a;'-5 °C", 'red-hot')
        >>> APOSTROPHE.show("'=1+1"), APOSTROPHE.show("'s-Hertogenbosch")
        ('=1+1', "'s-Hertogenbosch")
    """

    text: str
    breaks: str

    @cached_property
    def _hiding(self) -> tuple[tuple[str, str], ...]:
        before, mark = f"(^|[{self.breaks}])", self.text
        return (
            (f"{before}({mark}*{SIGN})", rf"\g<1>{mark}\g<2>"),
            (f"(^)({mark}*[\\t\\r\\n])", rf"\g<1>{mark}\g<2>"),
        )

    @cached_property
    def showing(self) -> tuple[tuple[str, str], ...]:
        """Patterns, and their replacements, that undo `hide`."""
        before, mark = f"(^|[{self.breaks}])", self.text
        return (
            (f"{before}{mark}({mark}*{SIGN})", r"\g<1>\g<2>"),
            (f"(^){mark}({mark}*[\\t\\r\\n])", r"\g<1>\g<2>"),
        )

    @cached_property
    def _first(self) -> frozenset[str]:
        return SIGNS | {self.text, "\t", "\r", "\n"}

    @cached_property
    def _break(self) -> re.Pattern[str]:
        return re.compile(f"[{self.breaks}]")

    def hide(self, value: str) -> str:
        """Returns text with the mark wherever a spreadsheet could see a formula."""
        if value[:1] in self._first or self._break.search(value):
            return _replaced(value, self._hiding)
        return value

    def show(self, value: str) -> str:
        """Undoes `hide`."""
        return _replaced(value, self.showing) if self.text in value else value

    def hide_expression(self, name: str) -> pl.Expr:
        """Returns the expression that applies `hide` to a column."""
        return _expression(name, self._hiding)

    def show_expression(self, name: str) -> pl.Expr:
        """Returns the expression that applies `show` to a column."""
        return _expression(name, self.showing)


#: The sign that spreadsheets write before text that looks like a number or a formula.
APOSTROPHE = Mark("'", "\r\n\t;")


def _replaced(value: str, rules: Iterable[tuple[str, str]]) -> str:
    for pattern, replacement in rules:
        value = re.sub(pattern, replacement, value)
    return value


def _expression(name: str, rules: Iterable[tuple[str, str]]) -> pl.Expr:
    import polars as pl

    column = pl.col(name).cast(pl.String)
    for pattern, replacement in rules:
        written = re.sub(r"\\g<(\d)>", r"${\1}", replacement)
        column = column.str.replace_all(pattern, written)
    return column


def csv_lines(
    rows: Iterable[Sequence[Cell]], *, separator: str = ",", mark: Mark = APOSTROPHE
) -> Iterator[str]:
    """Yields lines of CSV, each with its line end.

    Text is quoted if it contains a separator of any kind, a quote or a line end, or begins or ends
    with a space; empty text is quoted, a missing value is not. Numbers are written in full.

    Raises:
        InputError: If text contains characters that a text file cannot contain.

    Examples:
        >>> list(csv_lines([["query", "grade"], ["=1+1", -2], [" red, blue", 0.5], ["", None]]))
        ['query,grade\\n', "'=1+1,-2\\n", '" red, blue",0.5\\n', '"",\\n']
    """
    for row in rows:
        line = separator.join([csv_cell(one, mark) for one in row])
        # An empty line would not count as a row.
        yield (line or '""') + "\n"


def csv_text(
    rows: Iterable[Sequence[Cell]], *, separator: str = ",", mark: Mark = APOSTROPHE
) -> str:
    """Returns CSV; the arguments are those of `csv_lines`."""
    return "".join(csv_lines(rows, separator=separator, mark=mark))


def csv_cell(value: Cell, mark: Mark = APOSTROPHE) -> str:
    """Returns one value as `csv_lines` writes it.

    Raises:
        InputError: If text contains characters that a text file cannot contain.
    """
    if value is None:
        return ""
    if not isinstance(value, str):
        return float.__repr__(value) if isinstance(value, float) else str(value)
    inside = INSIDE.search(value)
    if not (inside or value[:1] in OUTER or value[-1:] in SPACES) and value:
        return value
    if inside:
        _check(value)
    marked = mark.hide(value)
    if not (inside or marked[:1] in SPACES or marked[-1:] in SPACES) and marked:
        return marked
    return '"' + marked.replace('"', '""') + '"'


def needs_no_marks(values: Sequence[str]) -> bool:
    """Whether texts are written as they are: without quotes, and without a mark.

    Empty texts count as empty cells.

    Examples:
        >>> needs_no_marks(["tv", "", "red shoes"]), needs_no_marks(["a,b"]), needs_no_marks(["-1"])
        (True, False, False)
    """
    if "".join(values).isalnum():  # which is found much faster
        return True
    lines = "\n".join(values)
    return lines.count("\n") == len(values) - 1 and MARKED.search(lines) is None


def _check(value: str) -> None:
    """Refuses text that no file can contain, or that no reader accepts as text."""
    try:
        value.encode("utf-8")
        fault = message("core.character-of-code-0") if "\0" in value else ""
    except UnicodeEncodeError:
        fault = message("core.half-of-surrogate-pair")
    if fault:
        shown = value[:60].encode("utf-8", "backslashreplace").decode().replace("\0", "\\0")
        raise InputError(
            message("core.csv-cannot-contain", fault=message(fault), shown=shown),
            hint=message(REPAIR),
        )


def csv_frame(frame: pl.DataFrame, *, separator: str = ",") -> str:
    """Returns a frame as CSV: texts as in `csv_lines`, numbers as Polars writes them.

    Raises:
        InputError: If text contains characters that a text file cannot contain.

    Examples:
        >>> import polars as pl
        >>> csv_frame(pl.DataFrame({"query": ["=1+1", None], "rank": [1, -2]}))
        "query,rank\\n'=1+1,1\\n,-2\\n"
    """
    import polars as pl

    for column in frame.select(pl.col(pl.String)).get_columns():
        _check_column(column)
    return hide_texts(frame.lazy()).collect().write_csv(separator=separator, quote_style="never")


def _check_column(column: pl.Series) -> pl.Series:
    zeros = column.filter(column.str.contains("\0", literal=True))
    if len(zeros):
        _check(zeros[0])
    return column


def hide_texts(frame: pl.LazyFrame) -> pl.LazyFrame:
    """Returns a frame whose texts and headings are quoted as needed, to be written as they are.

    Collecting it raises `InputError` if text contains characters that a text file cannot contain.
    """
    import polars as pl

    schema = frame.collect_schema()
    texts = [name for name, kind in schema.items() if kind in (pl.String, pl.Categorical, pl.Enum)]
    checked = frame.with_columns(
        pl.col(name)
        .cast(pl.String)
        .map_batches(_check_column, return_dtype=pl.String, is_elementwise=True)
        for name in texts
    )
    cells = [_quoted(APOSTROPHE.hide_expression(name)).alias(name) for name in texts]
    if len(schema) == 1:
        # An empty line would not count as a row.
        cells = [cell.fill_null('""') for cell in cells]
    return checked.with_columns(cells).rename({name: csv_cell(name) for name in schema})


def _quoted(column: pl.Expr) -> pl.Expr:
    import polars as pl

    mark = pl.lit('"')
    quoted = pl.concat_str(mark, column.str.replace_all('"', '""', literal=True), mark)
    return pl.when(column.str.contains(UNLIKE)).then(quoted).otherwise(column)


def show_texts(frame: pl.DataFrame) -> pl.DataFrame:
    """Undoes `hide_texts` on a frame read from CSV."""
    import polars as pl

    return frame.with_columns(map(show_column, frame.select(pl.col(pl.String)).get_columns()))


def show_column(column: pl.Series) -> pl.Series:
    """Undoes `hide_texts` on a column read from CSV."""
    if not column.str.contains("'", literal=True).any():
        return column
    return column.to_frame().select(APOSTROPHE.show_expression(column.name)).to_series()
