"""Labelled rows without a query column: a warning if they look like those of several queries."""

from __future__ import annotations

import warnings
from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner

import relyon
from relyon.cli import main
from relyon.data.columns import query_candidates

#: Two queries whose rows a model orders well in each, but not together.
ROWS = pl.DataFrame(
    {
        "kw": ["a", "a", "b", "b"],
        "doc": ["1", "2", "3", "4"],
        "label": [1, 0, 1, 0],
        "bm25": [9.0, 8.0, 2.0, 1.0],
    }
)


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        ("kw", ["a", "b"], True),
        ("kw", [1, 2], False),
        ("kw_id", [1, 2], True),
        ("kwId", ["1", "2"], True),
        ("词编号", ["1", "2"], True),
        ("bid", [1, 2], False),
        ("kw_id", [1.5, 2], False),
        ("title", ["a", "b"], False),
        ("kw", [None, ""], False),
    ],
)
def test_texts_and_ids_can_be_queries(name: str, values: list[object], expected: bool) -> None:
    assert query_candidates({name: values}) == ((name,) if expected else ())


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "parquet", "xlsx", "frame", "pandas"])
def test_an_unknown_query_column_is_a_warning_that_names_it(tmp_path: Path, suffix: str) -> None:
    source: object = tmp_path / f"rows.{suffix}"
    if suffix == "xlsx":
        pytest.importorskip("python_calamine")
    if suffix == "frame":
        source = ROWS
    elif suffix == "pandas":
        source = pytest.importorskip("pandas").DataFrame(ROWS.to_dict(as_series=False))
    else:
        from relyon.io.table_files import write_table

        write_table(ROWS, tmp_path / f"rows.{suffix}")
    with pytest.warns(relyon.RelyonWarning, match="if the query is `kw`.*--columns query=kw"):
        results = relyon.evaluate_scores(source, "bm25", measures="ndcg@2")  # type: ignore[arg-type]
    assert [note.key for note in results.notes if note.kind == "one-group"] == ["one-group.named"]
    with pytest.raises(relyon.StrictError, match="`kw`"):
        relyon.evaluate_scores(source, "bm25", measures="ndcg@2", strict=True)  # type: ignore[arg-type]
    named = relyon.evaluate_scores(
        source,  # type: ignore[arg-type]
        "bm25",
        measures="ndcg@2",
        columns={"query": "kw"},
        strict=True,
    )
    assert named["ndcg@2"] == 1.0


def test_measures_that_pool_all_rows_only_note_it() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        results = relyon.evaluate_scores(ROWS, "bm25", measures="auc", strict=True)
    assert [(note.kind, note.level) for note in results.notes] == [("one-group", "info")]


def test_documents_without_a_query_are_a_warning_and_one_list_is_not() -> None:
    with pytest.warns(relyon.RelyonWarning, match="columns query=NAME"):
        relyon.evaluate_scores(ROWS.drop("kw"), "bm25", measures="ndcg@2")
    one = relyon.evaluate_scores(
        ROWS.select("label", "bm25"), "bm25", measures="ndcg@2", strict=True
    )
    assert [(note.kind, note.level) for note in one.notes] == [("one-group", "info")]
    plain = relyon.evaluate_scores([1, 0], [0.2, 0.1], measures="ndcg@2", strict=True)
    assert plain.notes == ()


def test_a_comparison_warns_too() -> None:
    frame = ROWS.with_columns(new=pl.col("bm25") * -1)
    with pytest.warns(relyon.RelyonWarning, match="if the query is `kw`"):
        comparison = relyon.compare_scores(frame, "ndcg@2", scores=["bm25", "new"])
    assert [note.key for note in comparison.notes if note.kind == "one-group"] == [
        "one-group.named"
    ]


def test_the_command_fails_when_strict_and_reads_usual_names(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    arguments = ["evaluate", "--scored", str(path), "--score", "bm25", "-m", "ndcg@2", "--strict"]
    ROWS.write_csv(path)
    found = CliRunner().invoke(main, arguments)
    assert found.exit_code == 1
    assert "--columns query=kw" in found.stderr
    for name in ("keyword_id", "关键字", "query词", "搜索query", "用户查询"):
        ROWS.rename({"kw": name}).write_csv(path)
        found = CliRunner().invoke(main, arguments)
        assert found.exit_code == 0, found.stderr
        assert "1.0000" in found.stdout
