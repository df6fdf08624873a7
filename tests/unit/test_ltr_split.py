"""Splits: no query and no row on two sides, the same whatever the order of rows, nothing lost."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings, strategies as st
from tests.unit.conftest import Command

import relyon.ltr
from relyon.core.errors import InputError, ParameterError
from relyon.data.features import Features
from relyon.data.labelled import LabelledRows
from relyon.ltr.preparation.duplicates import joined_queries, row_keys, telling_rows
from relyon.ltr.preparation.split import PARTS


def rows_of(frame: pl.DataFrame) -> LabelledRows:
    return relyon.read_features(frame, query="q")


def simulated(queries: int, seed: int = 0) -> pl.DataFrame:
    random = np.random.default_rng(seed)
    sizes = random.integers(1, 9, queries)
    q = np.repeat(np.arange(queries), sizes)
    return pl.DataFrame(
        {
            "q": [f"query {one}" for one in q],
            "label": random.integers(0, 3, len(q)),
            "a": random.random(len(q)),
            "b": random.random(len(q)),
        }
    )


@settings(max_examples=30, deadline=None)
@given(queries=st.integers(12, 60), seed=st.integers(0, 5), folds=st.sampled_from([None, 3, 5]))
def test_each_query_is_in_one_part_and_the_order_of_rows_does_not_matter(
    queries: int, seed: int, folds: int | None
) -> None:
    frame = simulated(queries, seed)
    found = relyon.ltr.split(rows_of(frame), folds=folds, seed=seed)
    mixed = relyon.ltr.split(
        rows_of(frame.sample(fraction=1.0, shuffle=True, seed=seed)), folds=folds, seed=seed
    )
    for fold in range(1, found.folds + 1):
        parts = [set(found.part(name, fold).queries) for name in ("train", "valid", "test")]
        assert sum(map(len, parts)) == len(set.union(*parts)) == queries
        again = [set(mixed.part(name, fold).queries) for name in ("train", "valid", "test")]
        assert parts == again
    if folds:
        tested = [
            query for fold in range(1, folds + 1) for query in found.part("test", fold).queries
        ]
        assert sorted(tested) == sorted(found.rows.queries)
        chosen = found.part("valid", 1).queries
        assert chosen == found.part("test", 2).queries


def test_another_seed_gives_other_parts() -> None:
    rows = rows_of(simulated(60))
    one, two = (set(relyon.ltr.split(rows, seed=seed).test.queries) for seed in (0, 1))
    assert one != two
    assert len(one) == len(two) == 12


def test_parts_have_their_shares_of_queries_with_few_and_many_relevant_documents() -> None:
    # 40 queries each with 0, 1 and 5 relevant documents.
    counts = [0, 1, 5] * 40
    frame = pl.concat(
        pl.DataFrame(
            {
                "q": [n] * 6,
                "label": [1] * good + [0] * (6 - good),
                "f": np.arange(6) + 10 * n,
                "g": 0.5,
            }
        )
        for n, good in enumerate(counts)
    )
    found = relyon.ltr.split(rows_of(frame), test=0.25, valid=0.25)
    for part in (found.valid, found.test):
        good = np.add.reduceat((part.labels > 0).astype(int), part.groups[:-1]).tolist()
        assert [good.count(one) for one in (0, 1, 5)] == [10, 10, 10]
    assert found.to_frame()["relevant"].to_list() == [2, 2, 2]
    assert found.to_frame()["constant"].to_list() == [20, 10, 10]


def test_queries_that_share_a_row_stay_together() -> None:
    frame = simulated(40)
    shared = [f"query {one}" for one in (3, 17, 17, 29)]
    extra = pl.DataFrame(
        {"q": shared, "label": [0, 1, 0, 0], "a": [5.0, 5, 6, 6], "b": [7.0, 7, 8, 8]}
    ).cast({"label": pl.Int64})
    rows = rows_of(pl.concat([frame, extra]))
    sides = set()
    for seed in range(12):
        found = relyon.ltr.split(rows, seed=seed)
        assert (found.joined, found.duplicates, found.largest) == (3, 4, 3)
        where = [name for name in PARTS if set(shared) & set(found.part(name).queries)]
        assert len(where) == 1
        sides |= set(where)
    assert "3 of 40 queries are kept together" in str(found.notes[0])
    apart = relyon.ltr.split(rows, duplicates="ignore")
    assert (apart.joined, apart.notes) == (0, ())


def test_rows_of_equal_values_are_no_duplicates() -> None:
    frame = simulated(30).with_columns(a=pl.lit(0.0), b=pl.lit(0.0))
    assert relyon.ltr.split(rows_of(frame)).joined == 0
    one = simulated(30).drop("b").with_columns(a=pl.lit(3.0))
    assert relyon.ltr.split(rows_of(one)).joined == 0


def test_keys_of_rows_are_equal_for_equal_values_only() -> None:
    from scipy.sparse import csr_array

    values = np.array([[0, 1.5, 2], [-0.0, 1.5, 2], [1.5, 0, 2], [0, np.nan, 2], [0, 0, 0]])
    keys = row_keys(Features(("a", "b", "c"), values))
    assert keys[0] == keys[1]
    assert len(set(keys.tolist())) == 4
    short = row_keys(Features(("a", "b", "c"), values.astype(np.float32)))
    np.testing.assert_array_equal(keys, short)
    sparse = Features(("a", "b", "c"), csr_array(values))
    np.testing.assert_array_equal(keys, row_keys(sparse))
    wide = Features(("a", "b", "c", "d"), np.hstack([values, np.zeros((5, 1))]))
    np.testing.assert_array_equal(keys, row_keys(wide))
    assert telling_rows(Features(("a", "b", "c"), values)).tolist() == [1, 1, 1, 1, 0]
    assert telling_rows(sparse).tolist() == [1, 1, 1, 1, 0]


@settings(max_examples=40, deadline=None)
@given(data=st.lists(st.tuples(st.integers(0, 6), st.integers(0, 9)), min_size=1, max_size=30))
def test_groups_are_those_of_a_slow_search(data: list[tuple[int, int]]) -> None:
    qid = np.array(sorted(query for query, _ in data))
    values = np.array([[value, -1] for _, value in data], dtype=float)
    groups, rows = joined_queries(Features(("a", "b"), values), qid, 7)
    parent = list(range(7))
    several = 0
    for one in range(len(data)):
        for other in range(len(data)):
            if values[one, 0] == values[other, 0] and qid[one] != qid[other]:
                low, high = sorted((parent[qid[one]], parent[qid[other]]))
                parent = [low if at == high else at for at in parent]
        several += any(
            values[one, 0] == values[other, 0] and qid[one] != qid[other]
            for other in range(len(data))
        )
    assert rows == several
    for one in range(7):
        for other in range(7):
            assert (groups[one] == groups[other]) == (parent[one] == parent[other])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"test": 0.8, "valid": 0.2}, "leave nothing to train on"),
        ({"test": 0.0}, "shares must be between 0 and 1"),
        ({"test": 0.2, "folds": 5}, "`folds` sets the size"),
        ({"folds": 2}, "`folds`"),
        ({"duplicates": "maybe"}, "`duplicates` must be one of"),
        ({"seed": -1}, "`seed`"),
    ],
)
def test_contradictions_are_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        relyon.ltr.split(rows_of(simulated(20)), **options)


def test_too_few_queries_are_refused() -> None:
    with pytest.raises(InputError, match="2 queries are too few for 3 parts"):
        relyon.ltr.split(rows_of(simulated(2)))
    with pytest.raises(InputError, match="1 query is too few for 3 parts") as caught:
        relyon.ltr.split(rows_of(simulated(1)))
    assert "all rows belong to the query `query 0`" in str(caught.value.hint)
    joined = simulated(20).with_columns(a=pl.lit(1.0), b=pl.lit(2.0))
    with pytest.raises(InputError, match="20 queries share so many rows that only 1 ") as caught:
        relyon.ltr.split(rows_of(joined))
    assert "--duplicates ignore" in str(caught.value.hint)


def test_parts_of_folds_must_be_named() -> None:
    found = relyon.ltr.split(rows_of(simulated(20)), folds=4)
    with pytest.raises(ParameterError, match="there are 4 folds"):
        _ = found.train
    with pytest.raises(ParameterError, match="there is no fold 5 of 4"):
        found.part("train", 5)
    plain = relyon.ltr.split(rows_of(simulated(20)), valid=0)
    with pytest.raises(InputError, match="there is no part `valid`"):
        _ = plain.valid


def letor(folder: Path, name: str = "rows.letor", queries: int = 20) -> Path:
    lines = ["# made by hand\n"]
    for query in range(queries):
        lines += [
            f"{row % 3}  qid:{query}\t1:{query}.{row} 2:1e-1  # docid = d{query}-{row} 查询\r\n"
            for row in range(4)
        ]
    path = folder / name
    data = "".join(lines)[:-2].encode()
    path.write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    return path


def unpacked(path: Path) -> bytes:
    data = path.read_bytes()
    return gzip.decompress(data) if path.suffix == ".gz" else data


@pytest.mark.parametrize("name", ["rows.letor", "rows.txt.gz", "rank.train"])
def test_lines_of_text_are_copied_byte_for_byte(
    tmp_path: Path, command: Command, name: str
) -> None:
    path = letor(tmp_path, name)
    outcome = command("split", str(path), "-o", str(tmp_path / "parts"))
    assert (outcome.code, outcome.err) == (0, "")
    files = sorted((tmp_path / "parts").iterdir())
    ending = {"rows.letor": ".letor", "rows.txt.gz": ".txt.gz", "rank.train": ".letor"}[name]
    assert [file.name for file in files] == [
        f"{part}{ending}" for part in ("test", "train", "valid")
    ]
    whole = unpacked(path)
    lines: list[bytes] = []
    for file in files:
        first, *rest = unpacked(file).splitlines(keepends=True)
        assert first == b"# made by hand\n"
        lines += rest
    wanted = (whole + b"\n").splitlines(keepends=True)[1:]
    assert sorted(line.rstrip() for line in lines) == sorted(line.rstrip() for line in wanted)
    assert set(lines) <= set(wanted) | {wanted[-1]}
    expected = relyon.ltr.split(relyon.read_features(path))
    for part in ("train", "valid", "test"):
        read = relyon.read_features(tmp_path / "parts" / f"{part}{ending}")
        ours = expected.part(part)
        assert read.queries == ours.queries
        np.testing.assert_array_equal(read.known_features().values, ours.known_features().values)


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet"])
def test_tables_keep_all_their_columns(tmp_path: Path, command: Command, ending: str) -> None:
    frame = simulated(15).with_columns(
        title=pl.concat_str(pl.lit('a "b",\n\tc '), pl.col("q")), w=pl.lit("kept")
    )
    path = tmp_path / f"rows.{ending}"
    if ending == "jsonl":
        frame.write_ndjson(path)
    elif ending == "parquet":
        frame.write_parquet(path)
    else:
        frame.write_csv(path, separator="\t" if ending == "tsv" else ",")
    outcome = command(
        "split", str(path), "--features", "a,b", "--query", "q", "-o", str(tmp_path / "p")
    )
    assert (outcome.code, outcome.err) == (0, "")
    read = {
        "csv": pl.read_csv,
        "tsv": lambda file: pl.read_csv(file, separator="\t"),
        "jsonl": pl.read_ndjson,
        "parquet": pl.read_parquet,
    }[ending]
    parts = [read(tmp_path / "p" / f"{part}.{ending}") for part in ("train", "valid", "test")]
    assert pl.concat(parts).sort("a").equals(frame.sort("a"))
    assert [set(part["q"]) & set(parts[0]["q"]) for part in parts[1:]] == [set(), set()]


def test_files_beside_the_text_are_split_with_it(tmp_path: Path, command: Command) -> None:
    path = tmp_path / "rank.txt"
    path.write_text("".join(f"{row % 2} 1:{row}.5 2:1\n" for row in range(60)))
    (tmp_path / "rank.txt.query").write_text("3\n" * 20)
    (tmp_path / "rank.txt.weight").write_text("".join(f"{row}.25\n" for row in range(60)))
    outcome = command("split", str(path), "--folds", "4", "-o", str(tmp_path / "folds"))
    assert outcome.code == 0
    assert "rank.txt.query and rank.txt.weight" in outcome.err
    test = relyon.read_features(tmp_path / "folds" / "fold-2" / "test.txt")
    assert test.groups.tolist() == [0, 3, 6, 9, 12, 15]
    assert test.weights is not None
    np.testing.assert_array_equal(test.weights + 0.25, test.known_features().values[:, 0])


def test_what_is_there_is_not_replaced_unasked(tmp_path: Path, command: Command) -> None:
    path = letor(tmp_path)
    folder = tmp_path / "parts"
    folder.mkdir()
    (folder / "valid.letor").write_text("mine")
    outcome = command("split", str(path), "-o", str(folder))
    assert (outcome.code, "already exists" in outcome.err) == (3, True)
    assert [file.name for file in folder.iterdir()] == ["valid.letor"]
    outcome = command("split", str(path), "-o", str(folder), "--force", "--format", "json")
    assert outcome.code == 0
    parts = json.loads(outcome.out)["parts"]
    assert [(part["part"], part["queries"]) for part in parts] == [
        ("train", 14),
        ("valid", 2),
        ("test", 4),
    ]
