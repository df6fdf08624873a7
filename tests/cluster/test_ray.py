"""The example for Ray on a cluster on this machine gives the digits of one machine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.cluster.conftest import COLLECTION, printed

import relyon

MEASURES = ["ndcg@10", "recall@100", "ap", "rr", "p@10"]


@pytest.fixture(scope="module")
def example() -> Iterator[Any]:
    """The example, with a cluster."""
    ray = pytest.importorskip("ray")
    pytest.importorskip("ray.data")
    found = pytest.importorskip("ray_evaluate")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield found
    ray.shutdown()


def alone(judgments: relyon.Judgments) -> str:
    return repr(relyon.evaluate(judgments, COLLECTION / "bm25.run", MEASURES).entries)


def test_the_script_prints_what_relyon_prints() -> None:
    pytest.importorskip("ray")
    measures = [word for name in MEASURES for word in ("-m", name)]
    files = [str(COLLECTION / "judgments.qrels"), str(COLLECTION / "bm25.run")]
    wanted = printed("-m", "relyon", "evaluate", *files, *measures)
    assert len(wanted) == 2 + len(MEASURES)
    assert printed("examples/ray_evaluate.py", "--partitions", "3") == wanted


@pytest.mark.parametrize("partitions", [1, 7])
def test_partitions_change_nothing(
    example: Any, judgments: relyon.Judgments, split_run: Path, partitions: int
) -> None:
    run = example.read(str(split_run), 8).repartition(partitions, keys=["query"])
    assert repr(example.evaluate(judgments, run, MEASURES).entries) == alone(judgments)
