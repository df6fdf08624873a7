"""JSON in ranx's form, `{query: {document: value}}`, or an array of row objects."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, BinaryIO, ClassVar

from relyon.core.errors import InputError, ParameterError, ParseError
from relyon.core.texts import message
from relyon.io.byte_source import Source
from relyon.io.encoding import not_utf8
from relyon.io.format import Format, formats

if TYPE_CHECKING:
    from relyon.data.judgments import Judgments
    from relyon.data.run import Run
    from relyon.data.scale import Scale

__all__ = ["RanxJson"]

#: Python reads whole numbers of fewer digits than this.
DIGITS = 4300


class RanxJson(Format):
    """One JSON object that maps queries to documents to grades or scores.

    An array of objects, one per row, is read as a table.
    """

    name: ClassVar[str] = "json"
    aliases: ClassVar[tuple[str, ...]] = ("ranx",)
    general: ClassVar[bool] = True
    tabular: ClassVar[bool] = True
    weak_suffixes: ClassVar[tuple[str, ...]] = (".json",)

    def recognises(self, head: bytes) -> bool:
        """Whether the file begins with a brace or a bracket."""
        return head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"{", b"[")

    def read_judgments(
        self,
        source: Source,
        *,
        columns: Mapping[str, str] | None = None,
        scale: Scale | None = None,
    ) -> Judgments:
        """Reads grades by query and document, perhaps by subtopic too."""
        from relyon.data.judgments import Judgments

        data = _load(source, "grade")
        if isinstance(data, list):
            return Judgments.from_frame(
                _frame(data, source.path), columns, scale=scale, source=source.path
            )
        _no_columns(columns)
        return Judgments.from_dict(data, scale=scale, source=source.path)

    def read_run(
        self,
        source: Source,
        *,
        columns: Mapping[str, str] | None = None,
        name: str | None = None,
    ) -> Run:
        """Reads scores by query and document."""
        from relyon.data.run import Run

        data = _load(source, "score")
        if isinstance(data, list):
            return Run.from_frame(_frame(data, source.path), columns, name=name, source=source.path)
        _no_columns(columns)
        return Run.from_dict(data, name=name, source=source.path)

    def write_judgments(self, judgments: Judgments, stream: BinaryIO) -> None:
        """Writes grades by query and document, whole ones as integers: ranx accepts no others.

        Judgments of subtopics have one object per document that maps subtopics to grades.
        """
        subtopics = judgments.has_subtopics
        _write(
            {
                query: {
                    document: {name: _whole(grade) for name, grade in grades.items()}
                    if subtopics
                    else _whole(grades["0"])
                    for document, grades in judgments.subtopics(query).items()
                }
                for query in judgments.queries
            },
            stream,
        )

    def write_run(self, run: Run, stream: BinaryIO) -> None:
        """Writes scores by query and document."""
        _write(run.to_dict(), stream)


def _integer(text: str) -> float:
    """Returns a whole number; one with more digits than Python reads is as good as infinite."""
    return int(text) if len(text) < DIGITS else math.inf


def _load(source: Source, value: str) -> list[dict[str, object]] | dict[str, dict[str, object]]:
    def pairs(found: list[tuple[str, object]]) -> dict[str, object]:
        whole = dict(found)
        if len(whole) < len(found):
            keys = [key for key, _ in found]
            twice = next(key for place, key in enumerate(keys) if key in keys[:place])
            raise InputError(
                message("io.occurs-twice-in-one-object", twice=twice), path=source.path
            )
        return whole

    def constant(text: str) -> float:
        raise InputError(
            message("io.value-is-text", value=value, text=text),
            path=source.path,
            hint=message("io.scores-and-grades"),
        )

    data = source.read_all().removeprefix(b"\xef\xbb\xbf")
    try:
        parsed = json.loads(
            data, object_pairs_hook=pairs, parse_constant=constant, parse_int=_integer
        )
    except InputError:
        raise
    except json.JSONDecodeError as error:
        raise ParseError(
            message("io.is-not-json", msg=error.msg, colno=error.colno),
            path=source.path,
            line=error.lineno,
        ) from None
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise not_utf8(data, source.path, line, error.reason) from None
    except RecursionError:
        raise InputError(message("io.is-nested-too-deeply"), path=source.path) from None
    if isinstance(parsed, list) and all(isinstance(row, dict) for row in parsed):
        return parsed
    form = f"the form is {{query: {{document: {value}}}}}"
    if not isinstance(parsed, dict):
        raise InputError(message("io.contains-neither-object-nor"), path=source.path, hint=form)
    for query, values in parsed.items():
        if not isinstance(values, dict):
            raise InputError(
                message("io.does-not-map", query=query),
                path=source.path,
                hint=form,
            )
    return parsed


def _frame(rows: list[dict[str, object]], path: str) -> object:
    import polars as pl

    from relyon.data.columns import from_values

    names = list(dict.fromkeys(name for row in rows for name in row))
    return pl.DataFrame(
        [from_values(name, [row.get(name) for row in rows], path=path) for name in names]
    )


def _no_columns(columns: Mapping[str, str] | None) -> None:
    if columns:
        raise ParameterError(
            message("io.this-json-has-no"),
            hint=message("io.leave-columns-out"),
        )


def _whole(grade: float) -> float:
    return int(grade) if grade.is_integer() else grade


def _write(data: Mapping[str, object], stream: BinaryIO) -> None:
    # One query per line, so that the file and its diffs stay readable.
    rows = (
        json.dumps(query, ensure_ascii=False) + ": " + json.dumps(values, ensure_ascii=False)
        for query, values in data.items()
    )
    stream.write(("{\n" + ",\n".join(rows) + "\n}\n").encode())


formats.register(RanxJson())
