"""What executors do, without Spark: rows of any order in any parts give the bits of one machine."""

from __future__ import annotations

import copy
import itertools
import pickle
import random
from dataclasses import replace
from typing import Any

import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, strategies as st
from tests.property.test_measures import JUDGED, variants
from tests.spark.same import by_query, collection, said, shuffled
from tests.unit.cluster import BUCKETS, Cluster, dealt

import relyon
from relyon import _native
from relyon.data.columns.spark_partitions import BLOCK, BLOCK_BYTES, blocks
from relyon.evaluation.facts import RunFacts, known, merged
from relyon.spark.packed_rows import (
    PIECE,
    PIECE_BYTES,
    Layout,
    query_names,
    whole_queries,
)
from relyon.spark.tasks import PackedError, State

LAYOUT = Layout(("document", "subtopic"), ("score", "rank"))
MEASURES = sorted(
    {
        text
        for name in JUDGED
        for text in variants(name)
        if ("@" not in text or text.endswith(("@3", "@all", "@0"))) and name != "kappa"
    }
)
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=4)
#: Few queries, so that some have more rows than a packed row.
ROWS = st.lists(
    st.tuples(st.sampled_from(["", "q", "查询", "\0"]), TEXT, st.floats(), st.integers(-9, 9)),
    min_size=1,
    max_size=4 * PIECE,
)


def bits(rows: list[tuple[Any, ...]]) -> list[str]:
    return sorted(repr(row) for row in rows)


@given(rows=ROWS, repeats=st.integers(1, 40), cut=st.integers(0, 3), with_rank=st.booleans())
def test_packed_rows_are_unpacked(
    rows: list[tuple[Any, ...]], repeats: int, cut: int, with_rank: bool
) -> None:
    rows = rows * repeats
    arrays = [pa.array(column, kind) for column, kind in zip(
        zip(*rows, strict=True), [pa.string(), pa.string(), pa.float64(), pa.float64()], strict=True
    )]  # fmt: skip
    cut = min(cut, len(rows) - 1)
    query, document, score, rank = (array.slice(cut) for array in arrays)
    columns = {"document": document, "score": score} | ({"rank": rank} if with_rank else {})
    packed = LAYOUT.pack(3, query, columns, BUCKETS)
    assert packed.column("kind").unique().to_pylist() == [3]
    assert packed.column("subtopic").null_count == packed.num_rows
    assert {len(one) for one in packed.column("score").to_pylist()} <= set(
        range(8, PIECE * 8 + 1, 8)
    )
    whole = pa.Table.from_batches([packed, packed.slice(1)][: 1 + (packed.num_rows == 1)])
    whole = whole.slice(0, packed.num_rows)
    found = LAYOUT.unpack(whole)
    assert set(found) == {"query", *columns}
    back = zip(
        found["query"].to_pylist(),
        found["document"].to_pylist(),
        found["score"].tolist(),
        found["rank"].tolist() if with_rank else itertools.repeat(0.0),
        strict=False,
    )
    kept = [(*row[:3], float(row[3]) if with_rank else 0.0) for row in rows[cut:]]
    assert bits(list(back)) == bits(kept)
    names = found["query"].to_pylist()
    assert names == sorted(names, key=str.encode)


def test_packed_rows_are_bounded_in_bytes() -> None:
    names = [f"{place:0200}" for place in range(100)] + ["x" * 2 * PIECE_BYTES]
    for documents, rows in ((names[:-1], 64), (names, 1)):
        columns = {"document": pa.array(documents), "score": pa.array([0.5] * len(documents))}
        packed = LAYOUT.pack(3, pa.array(["q"] * len(documents)), columns, BUCKETS)
        assert packed.num_rows == -(-len(documents) // rows)
        found = LAYOUT.unpack(pa.Table.from_batches([packed]))
        assert found["document"].to_pylist() == documents


@given(rows=ROWS)
def test_part_of_packed_rows_is_unpacked(rows: list[tuple[Any, ...]]) -> None:
    query, document, score, _ = (list(column) for column in zip(*rows, strict=True))
    packed = LAYOUT.pack(
        3,
        pa.array(query, pa.string()),
        {"document": pa.array(document, pa.large_string()), "score": pa.array(score, pa.float64())},
        BUCKETS,
    )
    for place in range(packed.num_rows):
        one = pa.Table.from_batches([packed.slice(place, 1)])
        found = LAYOUT.unpack(one)
        names = found["query"].to_pylist()
        assert set(query_names(one).to_pylist()) == set(names)
        assert set(BUCKETS.of(pa.array(names))) == {packed.column("bucket")[place].as_py()}
        documents, scores = found["document"].to_pylist(), map(repr, found["score"].tolist())
        mine = zip(names, documents, scores, strict=True)
        assert set(mine) <= {(row[0], row[1], repr(row[2])) for row in rows}
        assert len(found["score"]) == len(packed.column("score")[place].as_py()) // 8


def test_blocks_are_of_whole_batches_and_hold_all_rows() -> None:
    table = pa.table({"row": range(3 * BLOCK)})
    sizes = [len(block) for block in blocks(table.to_batches(max_chunksize=10_000))]
    assert sum(sizes) == table.num_rows
    assert BLOCK <= sizes[0] < BLOCK + 10_000
    assert len(sizes) == 3
    assert list(blocks([])) == []


def test_blocks_of_long_rows_are_smaller() -> None:
    batch = pa.RecordBatch.from_pydict({"row": ["x" * 2**20] * 4})
    sizes = [block.nbytes for block in blocks([batch] * 40)]
    assert len(sizes) == 3
    assert max(sizes) < BLOCK_BYTES + batch.nbytes


@given(
    sizes=st.lists(st.integers(1, 9), min_size=1, max_size=12),
    most=st.integers(1, 8),
    seed=st.integers(0, 99),
)
def test_queries_are_whole(sizes: list[int], most: int, seed: int) -> None:
    names = [number for number, size in enumerate(sizes) for _ in range(size)]
    table = pa.table({"bucket": names, "row": range(len(names))})
    found = list(whole_queries(dealt(table, random.Random(seed), most)))
    seen: set[int] = set()
    for part in found:
        buckets = set(part.column("bucket").to_pylist())
        assert buckets
        assert not buckets & seen
        seen |= buckets
    assert [row for part in found for row in part.column("row").to_pylist()] == list(
        range(len(names))
    )


def states() -> list[State]:
    """States of three parts, one with an error."""
    found = []
    for place in range(3):
        total = _native.Total()
        values = [0.1 * place, 1e16, float("nan"), -1e16]
        total.add(values, values, [1.0] * 4, 0)
        error = relyon.InputError(f"bad {place}") if place else None
        found.append(
            State(
                {"rr": total},
                {"rr": place},
                {"rr": [f"q{place + step}" for step in range(4)]},
                [place],
                PackedError("q", error) if error else None,
            )
        )
    return found


def told(state: State) -> tuple[Any, ...]:
    total = state.totals["rr"]
    return (
        total.to_bytes(),
        total.mean(),
        state.weighty,
        state.undefined,
        sorted(state.facts),
        None if state.error is None else str(state.error.error),
    )


def test_states_merge_in_any_order_and_grouping() -> None:
    found = set()
    for order in itertools.permutations(range(3)):
        one, two, three = (pickle.loads(pickle.dumps(states()[place])) for place in order)
        left, right = copy.deepcopy(one), copy.deepcopy(two)
        left.merge(two)
        left.merge(three)
        right.merge(three)
        one.merge(right)
        found |= {repr(told(left)), repr(told(one))}
    assert len(found) == 1
    assert "bad 1" in found.pop()


def test_facts_merge_in_any_order_and_grouping() -> None:
    judgments = {f"q{place}": {"a": place - 1, "b": 0.5} for place in range(4)}
    whole = relyon.Judgments.from_dict(judgments)
    facts = RunFacts(4, 0, (), 0, (), 0, 0, 0, False, 0, 0.0, 0, known(0.0), False, 0)
    parts = [
        replace(
            facts,
            queries=1,
            missing_examples=(f"q{place}",),
            missing=1,
            negatives=int(grades["a"] < 0),
            highest=float(max(grades.values())),
            lowest=known(float(min(grades.values()))),
            fractions=1,
        )
        for place, grades in enumerate(judgments.values())
    ]
    for order in itertools.permutations(parts):
        nested = merged([merged(order[:2]), *order[2:]])
        for one in (merged(order), nested):
            assert one.missing_examples == ("q0", "q1", "q2")
            assert one.highest == whole.table.highest == 2.0
            assert one.negatives == whole.table.negatives == 1
            assert one.fractions == whole.table.fractions
            assert one.lowest() == -1.0
            assert (one.queries, one.missing) == (4, 4)


def check(judgments: pl.DataFrame, run: pl.DataFrame, measures: Any, **options: Any) -> None:
    expected = relyon.evaluate(judgments, run, measures, name="run", **options)
    for inputs, outputs in ((1, 1), (3, 2), (7, 64)):
        cluster = Cluster(outputs, inputs, outputs)
        found = cluster.evaluate(shuffled(judgments), shuffled(run), measures, **options)
        assert said(found) == said(expected)
        assert by_query(found) == by_query(expected)


@pytest.mark.long
@pytest.mark.parametrize("subtopics", [False, True], ids=["plain", "subtopics"])
def test_every_measure(subtopics: bool) -> None:
    check(*collection(20, 9, subtopics=subtopics), MEASURES)


@pytest.mark.parametrize("seed", range(3))
def test_queries_of_many_rows(seed: int) -> None:
    measures = ["ndcg", "ap", "rr", "auc", "pnr", "bpref", "rbp_residual"]
    check(*collection(4, 3 * PIECE, seed=seed), measures)


RULES: list[dict[str, Any]] = [
    {"ties": "worst"},
    {"ties": "best"},
    {"missing": "skip"},
    {"undefined": "one"},
    {"no_relevant": "undefined"},
    {"unjudged": "removed"},
    {"unjudged": "ignored"},
    {"unjudged": 1},
    {"unretrieved": "removed"},
    {"scores": "float32"},
    {"decimals": 2},
    {"rel": 2},
]


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_conventions(rules: dict[str, Any]) -> None:
    check(*collection(20, 9), ["ndcg", "ap(rel=0)", "rr", "p@3", "pnr", "auc", "gauc", "judged@3"],
          convention=rules)  # fmt: skip


@pytest.mark.parametrize("negative", ["nonrelevant", "unjudged"])
def test_negative_grades(negative: str) -> None:
    data = collection(20, 9, grades=(-2, -1, 0, 1, 2, 0.5))
    check(*data, ["ndcg", "ap", "pnr", "tau", "infap", "bpref"], convention={"negative": negative})


def test_ranks_where_a_part_has_no_rows() -> None:
    judgments, run = collection(20, 9)
    rank = pl.col("score").rank("ordinal", descending=True).over("query").cast(pl.Int64)
    ranked = run.with_columns(rank=rank)
    check(judgments, ranked, ["ap", "ndcg"], convention={"ties": "rank"})
    check(judgments, ranked.drop("score"), ["ap", "ndcg"])


def test_grades_by_name() -> None:
    judgments, run = collection(20, 9, grades=("高", "中", "低", "无"))
    check(judgments, run, ["ndcg", "ap", "pnr"], scale="search")


def test_judgments_that_repeat_or_lack_a_grade() -> None:
    judgments, run = collection(20, 9)
    check(pl.concat([judgments, judgments.head(20)]).sort("query"), run, ["ap"])
    blank = pl.when(pl.col("grade") == 1).then(None).otherwise("grade")
    check(judgments.with_columns(grade=blank), run, ["ap"])


def test_tasks_that_read_only_judgments_without_a_grade() -> None:
    judgments, run = collection(3, 5)
    blank = pl.when(pl.int_range(pl.len()) < 4).then(None).otherwise("grade")
    some = judgments.with_columns(grade=blank)
    found = Cluster(0, some.height, 2).evaluate(some, run, ["ap"])
    assert said(found) == said(relyon.evaluate(some, run, ["ap"], name="run"))
    none = judgments.with_columns(grade=pl.lit(None, pl.Float64))
    for evaluate in (Cluster(0, 3, 2).evaluate, relyon.evaluate):
        with pytest.raises(relyon.InputError, match="there are no judgments"):
            evaluate(none, run, ["ap"])


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"missing": "error"}, "3 judged queries are not in the run: `q0003"),
    ({"undefined": "error"}, "`ap\\(rel=9\\)` has no value for 18 queries: `q0000"),
    ({"negative": "error"}, "query `q0000 查询`, document `d006é`: negative grade -1"),
]


@pytest.mark.parametrize(("rules", "text"), REFUSED, ids=["missing", "undefined", "negative"])
def test_what_the_whole_is_refused_for(rules: dict[str, Any], text: str) -> None:
    grades = (-2, -1, 0, 1, 2) if "negative" in rules else (0, 1, 2)
    judgments, run = collection(20, 9, grades=grades)
    with pytest.raises(relyon.InputError, match=text) as here:
        relyon.evaluate(judgments, run, ["ap(rel=9)"], convention=rules)
    for outputs in (1, 7):
        with pytest.raises(relyon.InputError) as there:
            Cluster(0, 3, outputs).evaluate(judgments, run, ["ap(rel=9)"], convention=rules)
        assert str(there.value).split(":")[0] == str(here.value).split(":")[0]
        assert there.value.hint == here.value.hint


def bad_rows(run: pl.DataFrame, **values: Any) -> pl.DataFrame:
    """Spoils two rows of different queries, the later query first."""
    rows = run.with_row_index("row")
    for name, value in values.items():
        here = pl.when(pl.col("row").is_in([50, 70])).then(pl.lit(value)).otherwise(name)
        rows = rows.with_columns(here.alias(name))
    return shuffled(rows.drop("row"))


BAD: list[tuple[dict[str, Any], str]] = [
    ({"score": float("nan")}, "the score of document `d00[0-9]é` is nan"),
    ({"score": float("-inf")}, "the score of document `d00[0-9]é` is -inf"),
    ({"score": None}, "the score is empty"),
    ({"document": None}, "query `q[0-9]{4} 查询`: the document is empty"),
    ({"query": None}, "document `d00[0-9]é`: the query is empty"),
    ({"query": ""}, "document `d00[0-9]é`: the query is empty"),
]


@pytest.mark.parametrize(("values", "text"), BAD, ids=str)
def test_bad_rows_are_named(values: dict[str, Any], text: str) -> None:
    judgments, run = collection(20, 9)
    found = set()
    for seed in range(4):
        with pytest.raises(relyon.InputError, match=text) as raised:
            Cluster(seed, 1 + seed * 3, 3).evaluate(judgments, bad_rows(run, **values), ["ap"])
        found.add(str(raised.value))
    assert len(found) == 1


def test_documents_that_come_twice() -> None:
    judgments, run = collection(20, 9, subtopics=True)
    twice = pl.concat([run, run.slice(40, 1), run.slice(60, 1)])
    other = judgments.slice(40, 1).with_columns(grade=pl.lit(9.0))
    for seed in range(3):
        cluster = Cluster(seed, 3, 2)
        with pytest.raises(relyon.InputError, match=r"`q0006.* is retrieved twice"):
            cluster.evaluate(judgments, shuffled(twice, seed), ["ap"])
        text = "subtopic `.`, is judged twice, with different grades$"
        with pytest.raises(relyon.InputError, match=text):
            cluster.evaluate(pl.concat([judgments, other]), run, ["ap"])


SCORES = [
    *(
        "auc",
        "gauc",
        "pnr",
        "concordance",
        "ndcg@10",
        "dcg",
        "ap",
        "rr",
        "p@3",
        "average_precision",
    ),
    *("err(max=3)", "err", "bpref", "tau", "auc(max_fpr=0.1)", "gauc(weight=rows)"),
]


def labelled(queries: int = 20, rows: int = 100) -> pl.DataFrame:
    """Labelled rows with ties, fractions and weights."""
    draw = random.Random(3)
    return pl.DataFrame(
        [
            (
                f"q{query:03d}",
                f"d{row:03d}",
                draw.choice([0, 0, 1, 2, 3, 0.3, 1.7]),
                draw.choice([0.1, 0.2, 1 / 3, draw.random()]),
                draw.choice([0.1, 0.3, 1.5, 2]),
            )
            for query in range(queries)
            for row in range(rows if query else 5 * rows)
        ],
        ["query", "document", "label", "score", "weight"],
        orient="row",
    )


@pytest.mark.parametrize("rules", [None, {"ties": "worst"}, {"undefined": "zero"}], ids=str)
@pytest.mark.parametrize("average", [None, "micro"])
def test_labelled_scores(rules: Any, average: Any) -> None:
    rows = labelled()
    expected = relyon.evaluate_scores(
        relyon.read_scored(rows), measures=SCORES, convention=rules, average=average
    )
    for inputs, outputs in ((1, 1), (3, 2), (7, 64)):
        found = Cluster(outputs, inputs, outputs).evaluate_scores(
            shuffled(rows), SCORES, convention=rules, average=average
        )
        assert said(found) == said(expected)
        assert by_query(found) == by_query(expected)


def test_weighted_scores_and_repeated_documents() -> None:
    rows = labelled().with_columns(document=pl.col("document").str.replace("1", "2"))
    measures = ["auc", "gauc", "pnr", "concordance", "average_precision"]
    expected = relyon.evaluate_scores(
        relyon.read_scored(rows.sort("query", "document"), weight="weight"), measures=measures
    )
    for outputs in (1, 7):
        found = Cluster(outputs, 3, outputs).evaluate_scores(
            shuffled(rows), measures, columns={"weight": "weight"}
        )
        assert said(found) == said(expected)
        assert by_query(found) == by_query(expected)
