"""Which queries have an answer: a column of a table of queries, or a mapping."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import isnan

from relyon.core.errors import InputError, ParseError
from relyon.core.texts import message
from relyon.data.columns import plain_name
from relyon.data.columns.synonyms import QUERY_IDS
from relyon.io.descriptions import NO_ROWS, key_column
from relyon.io.query_columns import query_table

__all__ = ["ANSWERABLE", "read_answer_scores", "read_answerable"]

#: Names of the column.
ANSWERABLE = (
    "answerable", "hasanswer", "isanswerable", "有答案", "是否有答案", "有无答案", "有無答案",
    "可回答", "是否可回答", "能否回答", "可否回答",
)  # fmt: skip
_YES = ("true", "1", "1.0", "yes", "是", "有")
_NO = ("false", "0", "0.0", "no", "否", "无", "無")


def read_answerable(source: object, ids: Iterable[str]) -> dict[str, bool]:
    """Returns whether each query has an answer, for all queries with a value.

    The values are true or false, 1 or 0, yes or no, 是 or 否, 有 or 无; case and spaces do not
    matter. A query without a row or with an empty value is unknown, and left out: nothing is
    inferred. A query may have several rows if they agree.

    Args:
        source: A mapping from ids of queries to these values; a data frame, or a CSV, TSV, JSON
            Lines or Parquet file, with a column of query ids and a column `answerable` (or
            `has_answer`, 有答案, 是否有答案, 可回答 and the like), such as
            `{"query": "q7", "answerable": false}`.
        ids: Ids of the queries, by which the column of ids is found.

    Raises:
        InputError: If the table cannot be read, lacks a column, has none of the ids, a value is
            something else, or a query has two values.
        ParameterError: If the source is something else.

    Examples:
        >>> read_answerable({"q1": "yes", "q2": "否", 3: 1}, ["q1"])
        {'q1': True, 'q2': False, '3': True}
    """
    if isinstance(source, Mapping):
        return {
            str(query): _parsed(str(value), str(query))
            for query, value in source.items()
            if not _empty(value)
        }
    import polars as pl

    table, path = query_table(source, ANSWERABLE)
    column = next((name for name in table.columns if plain_name(name) in ANSWERABLE), None)
    if column is None:
        raise InputError(
            message("io.no-query-column", name=ANSWERABLE[0]),
            path=path,
            hint=message("io.add-column-answerable", columns=[*table.columns]),
        )
    key = key_column(
        table, sorted(set(ids)), QUERY_IDS, path, role="query_id", problem=NO_ROWS["query"]
    )
    found: dict[str, bool] = {}
    rows = table.select(
        pl.col(key).cast(pl.String, strict=False),
        pl.col(column).cast(pl.String, strict=False).str.strip_chars(),
    )
    for row, (query, value) in enumerate(rows.iter_rows()):
        if query is None or value is None or value == "" or value.lower() == "nan":
            continue
        answer = _parsed(value, query, path, row)
        if found.setdefault(query, answer) != answer:
            raise InputError(
                message(
                    "io.query-column-has-two-values",
                    query=query,
                    column=column,
                    first=str(found[query]).lower(),
                    second=str(answer).lower(),
                ),
                path=path,
                hint=message("io.give-query-one-value"),
            )
    return found


def read_answer_scores(source: object, column: str, ids: Iterable[str]) -> dict[str, float]:
    """Returns a column with the confidence of a system's answers, for all queries with a value.

    Args:
        source: The table, as for `read_answerable`; or a mapping from ids of queries to numbers.
        column: The name of the column; of a mapping it is not used.
        ids: Ids of the queries.

    Raises:
        InputError: If the table cannot be read, lacks a column, has none of the ids, a value is not
            a finite number, or a query has two values.

    Examples:
        >>> read_answer_scores({"q1": 0.5, "q2": "2"}, "", [])
        {'q1': 0.5, 'q2': 2.0}
    """
    from relyon.io.query_columns import query_columns

    if isinstance(source, Mapping):
        path = ""
        values = {str(query): str(one) for query, one in source.items() if not _empty(one)}
    else:
        path = query_table(source, [column])[1]
        values = query_columns(source, [column], ids)[column]
    found = {}
    for query, text in values.items():
        try:
            number = float(text)
        except ValueError:
            number = float("nan")
        if not abs(number) < float("inf"):
            raise InputError(
                message("io.answer-score-is-not-finite", query=query, value=text, column=column),
                path=path,
                hint=message("io.leave-answer-score-empty"),
            )
        found[query] = number
    return found


def _empty(value: object) -> bool:
    """Returns whether a value of a mapping is missing: None, NaN or empty text."""
    return value is None or value == "" or (isinstance(value, float) and isnan(value))


def _parsed(value: str, query: str, path: str = "", row: int | None = None) -> bool:
    plain = value.strip().lower()
    if plain in _YES:
        return True
    if plain in _NO:
        return False
    said = message("io.answerable-is-yes-or-no", query=query, value=value)
    hint = message("io.write-yes-or-no")
    if row is None or not path or path.endswith(".parquet"):
        raise InputError(said, path=path, hint=hint)
    # The heading is the first line of a table, but not of JSON Lines.
    first = 1 if ".jsonl" in path or ".ndjson" in path else 2
    raise ParseError(said, path=path, line=row + first, hint=hint)
