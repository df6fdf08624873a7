"""Tables of counts: labels and bias equal those of the log that was summed up."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from tests.unit.conftest import Command
from tests.unit.test_log_checks import searches

from relyon.core.errors import InputError, ParseError
from relyon.labels import estimate_bias, make_labels
from relyon.labels.log import Fold, read_clicks, read_folds


def counted(log: pl.DataFrame) -> pl.DataFrame:
    keys = ["query", "doc", "position"]
    return log.group_by(keys).agg(impressions=pl.len(), clicks=pl.col("clicked").sum()).sort(keys)


@pytest.mark.parametrize("model", ["dctr", "coec", "pbm"])
def test_labels_are_those_of_the_log(model: str) -> None:
    log = searches(300)
    keys = ["query", "document"]
    single = make_labels(log, model).labels.sort(keys)
    table = make_labels(counted(log), model).labels.sort(keys)
    assert single.select(keys).equals(table.select(keys))
    for name in ("grade", "low", "high", "weight"):
        assert table[name].to_list() == pytest.approx(single[name].to_list(), abs=1e-9)


def test_rows_of_several_days_add_up() -> None:
    table = counted(searches(300))
    twice = pl.concat([table, table]).with_columns(date=pl.lit("2026-03-01"))
    assert read_clicks(twice).results == 2 * read_clicks(table).results
    rate = make_labels(table, "dctr", prior=(0, 0)).judgments.to_dict()
    assert make_labels(twice, "dctr", prior=(0, 0)).judgments.to_dict() == rate


def test_bias_is_that_of_the_log() -> None:
    log = searches(300)
    found, single = estimate_bias(counted(log)), estimate_bias(log)
    assert found.examination == pytest.approx(single.examination)


@pytest.mark.parametrize("model", ["ubm", "dbn", "cascade", "sdbn", "dcm", "ccm"])
def test_models_of_lists_refuse(model: str) -> None:
    with pytest.raises(InputError, match=f"`{model}` needs whole lists"):
        make_labels(counted(searches()), model)


def test_parts_users_and_sessions_are_not_in_counts() -> None:
    table = counted(searches())
    with pytest.raises(InputError, match="there are no sessions"):
        read_folds(table, [Fold(0, 2)])
    with pytest.raises(InputError, match="has no users"):
        make_labels(table, "dctr", drop_bots=True)


@pytest.mark.parametrize(
    "arguments", [("sample",), ("abtest", "check"), ("labels", "compare"), ("logs", "doctor")]
)
def test_commands_that_need_sessions(
    arguments: tuple[str, ...], tmp_path: Path, command: Command
) -> None:
    path = tmp_path / "counts.csv"
    counted(searches()).write_csv(path)
    outcome = command(*arguments, str(path))
    assert outcome.code == 3
    assert "the table counts impressions and clicks" in outcome.err
    assert "`relyon labels make` and `relyon labels bias` read counts" in outcome.err


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("q,1,a,5,6", "6 clicks of 5 impressions"),
        ("q,1,a,5,-1", "`-1` is not a whole number"),
        ("q,1,a,5.5,1", "`5.5` is not a whole number"),
    ],
)
def test_impossible_counts_are_named_by_line(tmp_path: Path, row: str, message: str) -> None:
    path = tmp_path / "counts.csv"
    path.write_text(f"query,position,doc,impressions,clicks\nq,1,b,9,1\n{row}\n", "utf-8")
    with pytest.raises(ParseError, match=message) as caught:
        make_labels(path, "dctr")
    assert caught.value.line == 3


def test_impossible_counts_in_a_frame() -> None:
    table = counted(searches())
    with pytest.raises(InputError, match=r"row 1: .* clicks of .* impressions"):
        make_labels(table.with_columns(clicks=pl.col("impressions") + 1), "dctr")
    with pytest.raises(InputError, match="positions count from 1"):
        make_labels(table.with_columns(position=pl.col("position") - 1), "dctr")


def test_chinese_names_of_counts(tmp_path: Path) -> None:
    path = tmp_path / "counts.csv"
    path.write_text("查询词,位置,商品,曝光次数,点击次数\n电视,1,a,100,7\n", "utf-8")
    log = read_clicks(path)
    assert (log.counted, log.results) == (True, 100)
