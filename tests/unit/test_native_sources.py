"""Judgments and runs from dictionaries and Arrow columns: the same numbers as from text."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from types import MappingProxyType
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from tests.unit.batches import plan, state

from relyon import _native
from relyon.core.errors import InputError

Rows = list[tuple[str, str, float, int]]


def rows_of(seed: int, *, whole_ids: bool = False) -> Rows:
    draw = random.Random(seed)
    names = [str(n * n) if whole_ids else f"document {n} 文" * (n % 3 + 1) for n in range(90)]
    queries = [str(n) if whole_ids else f"q{n}" * (n % 9 + 1) for n in range(70)]
    rows = []
    for query in draw.sample(queries, 50):
        chosen = draw.sample(names, draw.randint(1, 60))
        for rank, document in enumerate(chosen, start=1):
            rows.append((query, document, float(draw.randint(-20, 20)), rank))
    return rows


def nested(rows: Rows) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for query, document, score, _ in rows:
        found.setdefault(query, {})[document] = score
    return found


def grades_of(rows: Rows) -> dict[str, dict[str, float]]:
    draw = random.Random(3)
    found: dict[str, dict[str, float]] = {"404": {"9": 1.0}}
    for query, document, _, _ in rows:
        if draw.random() < 0.2 and not query.endswith("7"):
            found.setdefault(query, {})[document] = draw.choice([0.0, 1.0, 2.0, 3.0])
    return found


def split(column: pa.Array, seed: int) -> pa.ChunkedArray:
    """Cuts a column into chunks, some of them empty and all of them slices with an offset."""
    draw = random.Random(seed)
    cuts = sorted([0, len(column), *(draw.randint(0, len(column)) for _ in range(7))])
    parts = [column.slice(a, b - a) for a, b in pairwise(cuts)]
    return pa.chunked_array(parts, type=column.type)


TEXT_TYPES: dict[str, Callable[[list[str]], Any]] = {
    "string": lambda ids: pa.array(ids, pa.string()),
    "large_string": lambda ids: pa.array(ids, pa.large_string()),
    "string_view": lambda ids: pa.array(ids, pa.string_view()),
    "binary": lambda ids: pa.array([one.encode() for one in ids], pa.binary()),
    "dictionary": lambda ids: pa.array(ids).dictionary_encode(),
    "dictionary of int8": lambda ids: pa.DictionaryArray.from_arrays(
        pa.array([sorted(set(ids)).index(one) for one in ids], pa.int8()), sorted(set(ids))
    ),
    "chunks": lambda ids: split(pa.array(ids), 1),
    "chunks of views": lambda ids: split(pa.array(ids, pa.string_view()), 2),
    "chunks of dictionaries": lambda ids: pa.chunked_array(
        [pa.array(ids[:100]).dictionary_encode(), pa.array(ids[100:]).dictionary_encode()]
    ),
    "polars": pl.Series,
    "polars categorical": lambda ids: pl.Series(ids, dtype=pl.Categorical),
    "polars enum": lambda ids: pl.Series(ids, dtype=pl.Enum(sorted(set(ids)))),
    "polars in parts": lambda ids: pl.concat(
        [pl.Series(ids[:77]), pl.Series(ids[77:])], rechunk=False
    ),
}


@pytest.mark.parametrize("kind", TEXT_TYPES)
def test_text_columns(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if kind in ("polars categorical", "polars enum") and not hasattr(pl, "Categories"):
        pytest.skip("Polars before 1.32 hands categories to Arrow as numbers")
    rows = rows_of(1)
    make = TEXT_TYPES[kind]
    query, document = make([row[0] for row in rows]), make([row[1] for row in rows])
    score = split(pa.array([row[2] for row in rows]), 5)
    judgments = _native.JudgmentTable.from_dict(grades_of(rows))
    rules = plan()
    expected = state(_native.evaluate_dict(judgments, rules, nested(rows)))
    for stretch in (1, 7, 64, 1 << 20):
        monkeypatch.setenv("RELYON_STRETCH", str(stretch))
        for threads in (1, 2, 5):
            batch = _native.evaluate_arrow(
                judgments, rules, query, document, score, threads=threads
            )
            assert state(batch) == expected, (stretch, threads)
            assert not batch.regrouped
    table = _native.RunTable.from_arrow(query, document, score)
    assert not table.has_ranks
    assert table.columns()[:3] == tuple(
        list(part) for part in zip(*(r[:3] for r in rows), strict=True)
    )


@pytest.mark.parametrize("width", ["int16", "int32", "int64", "uint16", "uint32", "uint64"])
def test_whole_numbers_as_ids(width: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = rows_of(2, whole_ids=True)
    kind = getattr(pa, width)()
    query = pa.array([int(row[0]) for row in rows], kind)
    document = split(pa.array([int(row[1]) for row in rows], kind), 3)
    score = pl.Series([row[2] for row in rows])
    judgments = _native.JudgmentTable.from_dict(grades_of(rows))
    expected = state(_native.evaluate_dict(judgments, plan(), nested(rows)))
    for stretch in (1, 50, 1 << 20):
        monkeypatch.setenv("RELYON_STRETCH", str(stretch))
        batch = _native.evaluate_arrow(judgments, plan(), query, document, score, threads=2)
        assert state(batch) == expected
    table = _native.RunTable.from_arrow(query, document, score)
    assert table.columns()[1] == [row[1] for row in rows]


def test_long_lists_of_whole_numbers() -> None:
    # Their texts outlive many blocks of rows.
    documents = list(range(-50_000, 50_000))
    scores = [float(n % 1000) for n in documents]
    judgments = _native.JudgmentTable.from_dict({1: dict.fromkeys(documents[::997], 1), 2: {5: 1}})
    query = pa.array([1] * len(documents) + [2] * 10, pa.int64())
    document = pa.array([*documents, *range(10)])
    score = pa.array([*scores, *([1.0] * 10)])
    run = {1: dict(zip(documents, scores, strict=True)), 2: dict.fromkeys(range(10), 1.0)}
    assert state(_native.evaluate_arrow(judgments, plan(), query, document, score)) == state(
        _native.evaluate_dict(judgments, plan(), run)
    )


def test_rows_in_any_order_are_regrouped(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = rows_of(4)
    random.Random(4).shuffle(rows)
    query, document, score, _ = (pl.Series(list(part)) for part in zip(*rows, strict=True))
    judgments = _native.JudgmentTable.from_dict(grades_of(rows))
    for ties in ("doc-desc", "input"):
        expected = state(_native.evaluate_dict(judgments, plan(ties=ties), nested(rows)))
        for stretch in (1, 1 << 20):
            monkeypatch.setenv("RELYON_STRETCH", str(stretch))
            batch = _native.evaluate_arrow(judgments, plan(ties=ties), query, document, score)
            assert batch.regrouped
            assert state(batch) == expected


def test_ranks_break_ties(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [(query, document, 1.0, rank) for query, document, _, rank in rows_of(5)]
    query, document, score, rank = (pl.Series(list(part)) for part in zip(*rows, strict=True))
    columns = query, document, score
    judgments = _native.JudgmentTable.from_dict(grades_of(rows))
    # All scores tie, so the order of the ranks is the order of the input.
    expected = state(_native.evaluate_dict(judgments, plan(ties="input"), nested(rows)))
    for stretch in (1, 64, 1 << 20):
        monkeypatch.setenv("RELYON_STRETCH", str(stretch))
        batch = _native.evaluate_arrow(judgments, plan(ties="rank"), *columns, rank)
        assert state(batch) == expected
    table = _native.RunTable.from_arrow(*columns, rank)
    assert table.has_ranks
    assert state(_native.evaluate_run(judgments, plan(ties="rank"), table)) == expected
    with pytest.raises(InputError, match="ties=rank needs a rank column"):
        _native.evaluate_arrow(judgments, plan(ties="rank"), *columns)
    with pytest.raises(InputError, match="ties=rank needs a rank column"):
        _native.evaluate_arrow(judgments, plan(ties="rank"), *columns, None)
    with pytest.raises(InputError, match="ties=rank needs a rank column"):
        _native.evaluate_dict(judgments, plan(ties="rank"), nested(rows))


@pytest.mark.parametrize(
    "kind", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32"]
)
def test_numbers_of_every_type(kind: str) -> None:
    score = pa.array([3, 1, 2, 9], getattr(pa, kind)())
    table = _native.RunTable.from_arrow(pa.array(["q"] * 4), pa.array(list("abcd")), score)
    assert table.documents("q") == (["a", "b", "c", "d"], [3.0, 1.0, 2.0, 9.0], None)
    judgments = _native.JudgmentTable.from_arrow(pa.array([7] * 4), pa.array(list("abcd")), score)
    assert judgments.grades("7") == {"a": 3.0, "b": 1.0, "c": 2.0, "d": 9.0}


class OnlyArray:
    """A column that is one array, and no stream."""

    def __init__(self, array: pa.Array) -> None:
        self.array = array

    def __arrow_c_array__(self, schema: object = None) -> Any:
        return self.array.__arrow_c_array__(schema)


def test_a_column_of_one_array() -> None:
    table = _native.RunTable.from_arrow(
        OnlyArray(pa.array(["a", "a"])), OnlyArray(pa.array([1, 2])), OnlyArray(pa.array([0.5, 1]))
    )
    assert table.columns() == (["a", "a"], ["1", "2"], [0.5, 1.0], None)


def test_no_rows() -> None:
    ids = pl.Series([], dtype=pl.String)
    empty = ids, ids, pl.Series([], dtype=pl.Float64)
    judgments = _native.JudgmentTable.from_dict({"q": {"d": 1}})
    batch = _native.evaluate_arrow(judgments, plan(), *empty)
    assert (batch.queries, batch.missing, batch.rows) == (["q"], 1, 0)
    assert _native.RunTable.from_arrow(*empty).rows == 0


IDS = pa.array(["q", "q", "r"])
DOCUMENTS = pa.array(["a", "b", "a"])
SCORES = pa.array([1.0, 2.0, 3.0])


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ((IDS, pa.array(["a", None, "b"]), SCORES), "the document column has no value in row 2"),
        ((IDS, DOCUMENTS, pa.array([1.0, 2.0, None])), "the score column has no value in row 3"),
        (
            (pa.array(["q", None, "r"]).dictionary_encode(), DOCUMENTS, SCORES),
            "the query column has no value in row 2",
        ),
        (
            (pa.DictionaryArray.from_arrays([1, 0, 1], [None, "q"]), DOCUMENTS, SCORES),
            "the query column has no value in row 2",
        ),
        (
            (IDS, DOCUMENTS, pa.array([1.0, float("nan"), 3.0])),
            "the score is not a finite number in row 2: nan",
        ),
        (
            (IDS, DOCUMENTS, pa.array([1.0, 3.0, float("-inf")], pa.float32())),
            "the score is not a finite number in row 3: -inf",
        ),
        (
            (IDS, DOCUMENTS, pa.array([True, False, True])),
            "the score column must contain numbers, and contains true and false",
        ),
        (
            (IDS, DOCUMENTS, pa.array(["1", "2", "3"])),
            "the score column must contain numbers, and contains text",
        ),
        (
            (IDS, pa.array([1.0, 2.0, 3.0]), SCORES),
            "the document column must contain text or whole numbers, and contains"
            " floating-point numbers",
        ),
        (
            (IDS, DOCUMENTS, pa.array([None, None, None])),
            "the score column must contain numbers, and contains nothing but nulls",
        ),
        (
            (IDS, DOCUMENTS, pa.array([Decimal(1), Decimal(2), Decimal(3)])),
            "the score column must contain numbers, and contains the Arrow type `d:1,0`",
        ),
        (
            (pl.DataFrame({"a": [1]}), DOCUMENTS, SCORES),
            "the query is a table, not a column",
        ),
        (
            (["q"], DOCUMENTS, SCORES),
            "the query column is a `list`, which has no Arrow interface (__arrow_c_stream__)",
        ),
        (
            (IDS, DOCUMENTS, SCORES.slice(1)),
            "the columns differ in length: query has 3 rows, score has 2",
        ),
        (
            (IDS, DOCUMENTS, SCORES, pa.array([1.0, 2.0, 3.0])),
            "the rank column must contain whole numbers, and contains floating-point numbers",
        ),
        (
            (pa.array(["q", "q", "q"]), DOCUMENTS, SCORES),
            "document `a` occurs twice in query `q`: rows 1 and 3",
        ),
        (
            (pa.array(["q", "r", "q"]), pa.array(["a", "b", "a"]), SCORES),
            "document `a` occurs twice in query `q`: rows 1 and 3",
        ),
    ],
)
def test_columns_that_cannot_be_used(columns: tuple[Any, ...], message: str) -> None:
    judgments = _native.JudgmentTable.from_dict({"q": {"b": 1}})
    with pytest.raises(InputError) as caught:
        _native.evaluate_arrow(judgments, plan(), *columns)
    assert caught.value.message == message
    with pytest.raises(InputError) as caught:
        _native.RunTable.from_arrow(*columns)
    assert caught.value.message == message


def test_judgments_from_columns() -> None:
    table = _native.JudgmentTable.from_arrow(IDS, DOCUMENTS, pl.Series([1, -2, 0]))
    assert table.queries() == ["q", "r"]
    assert table.grades("q") == {"a": 1.0, "b": -2.0}
    assert (table.rows, table.negatives, table.highest) == (3, 1, 1.0)
    twice = pa.array(["q", "q", "q"])
    with pytest.raises(InputError, match="query `q`, document `a`: rows 1 and 3"):
        _native.JudgmentTable.from_arrow(twice, DOCUMENTS, SCORES)
    same = _native.JudgmentTable.from_arrow(twice, DOCUMENTS, pa.array([1, 2, 1]))
    assert (same.rows, same.duplicates) == (2, 1)


class Counted(Mapping[Any, Any]):
    """A mapping that is no dictionary."""

    def __init__(self, content: dict[Any, Any]) -> None:
        self.content = content

    def __getitem__(self, key: Any) -> Any:
        return self.content[key]

    def __iter__(self) -> Any:
        return iter(self.content)

    def __len__(self) -> int:
        return len(self.content)


@pytest.mark.parametrize("wrap", [dict, Counted, MappingProxyType])
def test_mappings_of_any_kind(wrap: Callable[[Any], Any]) -> None:
    rows = rows_of(6)
    judgments = _native.JudgmentTable.from_dict(
        wrap({query: wrap(grades) for query, grades in grades_of(rows).items()})
    )
    plain = _native.JudgmentTable.from_dict(grades_of(rows))
    assert judgments.columns() == plain.columns()
    run = wrap({query: wrap(scores) for query, scores in nested(rows).items()})
    expected = state(_native.evaluate_run(plain, plan(), _native.RunTable.from_dict(nested(rows))))
    assert state(_native.evaluate_dict(judgments, plan(), run)) == expected
    assert state(_native.evaluate_run(plain, plan(), _native.RunTable.from_dict(run))) == expected


@pytest.mark.parametrize(
    "value",
    [2, 2.0, np.float32(2), np.float64(2), np.int8(2), np.uint64(2), Fraction(2), Decimal(2)],
    ids=lambda value: type(value).__name__,
)
def test_numbers_of_any_kind(value: Any) -> None:
    assert _native.RunTable.from_dict({"q": {"d": value}}).documents("q")[1] == [2.0]
    assert _native.JudgmentTable.from_dict({"q": {"d": value}}).grades("q") == {"d": 2.0}


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("文", "文"),
        (12, "12"),
        (-(10**30), "-1" + "0" * 30),
        (np.int64(12), "12"),
        (np.uint8(3), "3"),
        (b"raw", "raw"),
        (b"\xff", "\udcff"),
        ("\udcff", "\udcff"),
        ("a b", "a b"),
    ],
)
def test_ids_of_any_kind(key: Any, text: str) -> None:
    table = _native.RunTable.from_dict({key: {key: 1}})
    assert table.columns() == ([text], [text], [1.0], None)
    judgments = _native.JudgmentTable.from_dict({text: {text: 1}})
    assert _native.evaluate_dict(judgments, plan(), {key: {key: 1}}).matched == 1


@pytest.mark.parametrize("value", [True, None, "1", b"1", float("nan"), float("inf"), [], 1j])
def test_values_that_are_no_numbers(value: Any) -> None:
    judgments = _native.JudgmentTable.from_dict({"q": {"d": 1}})
    for query in ("q", "unjudged"):
        for read in (
            lambda one: _native.evaluate_dict(judgments, plan(), one),
            _native.RunTable.from_dict,
        ):
            with pytest.raises(InputError) as caught:
                read({query: {"a": 1, "d": value}})
            assert caught.value.message == (
                f"query '{query}', document 'd': the score is not a finite number: {value!r}"
            )
    with pytest.raises(InputError, match="the grade is not a finite number"):
        _native.JudgmentTable.from_dict({"q": {"d": value}})


@pytest.mark.parametrize("key", [1.5, None, True, (1,), "\ud83d"])
def test_ids_that_are_none(key: Any) -> None:
    judgments = _native.JudgmentTable.from_dict({"q": {"d": 1}})
    for run in ({key: {"d": 1}}, {"q": {key: 1}}):
        with pytest.raises(InputError, match="an id"):
            _native.evaluate_dict(judgments, plan(), run)
        with pytest.raises(InputError, match="an id"):
            _native.JudgmentTable.from_dict(run)


def test_ids_that_are_the_same_as_text_and_number() -> None:
    judgments = _native.JudgmentTable.from_dict({"1": {"1": 1}})
    runs: list[dict[Any, dict[Any, float]]] = [
        {"1": {1: 1.0, "2": 2, "1": 3}},
        {1: {"1": 1.0}, "1": {"2": 2}},
    ]
    for run in runs:
        with pytest.raises(InputError, match=r"occurs twice.*as text and as a number"):
            _native.evaluate_dict(judgments, plan(), run)
    with pytest.raises(InputError, match="two grades for query `1`, document `1`: rows 1 and 2"):
        _native.JudgmentTable.from_dict({"1": {1: 1, "1": 2}})


@pytest.mark.parametrize("run", [[], "text", 3, {"q": 1}, {"q": ["d"]}, {"q": None}])
def test_things_that_are_no_mappings(run: Any) -> None:
    judgments = _native.JudgmentTable.from_dict({"q": {"d": 1}})
    with pytest.raises(InputError, match="expected a mapping"):
        _native.evaluate_dict(judgments, plan(), run)
