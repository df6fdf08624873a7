"""The example for Dask on a cluster of two processes gives the digits of one machine."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from tests.cluster.conftest import COLLECTION, printed

import relyon

MEASURES = ["ndcg@10", "recall@100", "ap", "rr", "p@10"]


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    distributed = pytest.importorskip("distributed")
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as found:
        yield found


@pytest.fixture(scope="module")
def example() -> Any:
    pytest.importorskip("dask.dataframe")
    return pytest.importorskip("dask_evaluate")


def alone(judgments: relyon.Judgments) -> str:
    return repr(relyon.evaluate(judgments, COLLECTION / "bm25.run", MEASURES).entries)


def test_the_script_prints_what_relyon_prints() -> None:
    pytest.importorskip("distributed")
    measures = [word for name in MEASURES for word in ("-m", name)]
    files = [str(COLLECTION / "judgments.qrels"), str(COLLECTION / "bm25.run")]
    wanted = printed("-m", "relyon", "evaluate", *files, *measures)
    assert len(wanted) == 2 + len(MEASURES)
    assert printed("examples/dask_evaluate.py") == wanted


@pytest.mark.parametrize("partitions", [1, 3, 20])
def test_partitions_change_nothing(
    client: Any, example: Any, judgments: relyon.Judgments, split_run: Path, partitions: int
) -> None:
    run = example.read(str(split_run), 8).shuffle(on="query", npartitions=partitions)
    found = example.evaluate(client, judgments, run, MEASURES)
    assert repr(found.entries) == alone(judgments)


def test_files_of_whole_queries_need_no_shuffle_and_others_are_refused(
    client: Any, example: Any, judgments: relyon.Judgments, whole_run: Path, split_run: Path
) -> None:
    found = example.evaluate(client, judgments, example.read(str(whole_run), 8), MEASURES)
    assert repr(found.entries) == alone(judgments)
    with pytest.raises(relyon.InputError, match="in more than one part: `"):
        example.evaluate(client, judgments, example.read(str(split_run), 8), MEASURES)


def test_a_worker_that_dies_changes_nothing(
    client: Any,
    example: Any,
    judgments: relyon.Judgments,
    whole_run: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls, deaths = tmp_path / "calls", tmp_path / "deaths"
    before = example.evaluated

    def mortal(rows: Any, *others: Any) -> Any:
        with calls.open("a") as file:
            file.write(".")
        if len(calls.read_text()) > 4:
            with suppress(FileExistsError):
                # Of several workers one dies: the last one has the judgments of all.
                deaths.touch(exist_ok=False)
                os.kill(os.getpid(), signal.SIGKILL)
        return before(rows, *others)

    monkeypatch.setattr(example, "evaluated", mortal)
    run = example.read(str(whole_run), 8)
    found = example.evaluate(client, judgments, run, MEASURES)
    assert repr(found.entries) == alone(judgments)
    assert deaths.exists()
    assert len(calls.read_text()) > run.npartitions


def test_labelled_rows(client: Any, example: Any, whole_run: Path) -> None:
    pandas = pytest.importorskip("pandas")
    rows = example.read(str(whole_run), 8)

    def evaluated(part: Any) -> Any:
        found = relyon.Accumulator(["auc", "gauc"], queries="once", threads=1)
        found.update_scores(part["document"].str.len() % 2, part["score"], part["query"])
        return pandas.Series([found])

    parts = rows.map_partitions(evaluated, meta=("part", object))
    found = parts.reduction(example.added, example.added, meta=("part", object)).compute()
    frame = rows.compute()
    labels = frame["document"].str.len() % 2
    wanted = relyon.evaluate_scores(labels, frame["score"], frame["query"], ["auc", "gauc"])
    assert repr(found.compute().entries) == repr(wanted.entries)
