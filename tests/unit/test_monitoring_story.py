"""The demonstration's story: recall breaks in the third month, and the monitor says so."""

from __future__ import annotations

import polars as pl
import pytest

import relyon
from relyon.demo.corpus import build_corpus
from relyon.demo.files import load_judgments
from relyon.demo.traffic import DEPTH, GROUPS, Traffic, simulate_month, simulate_rounds

pytest.importorskip("bm25s")
pytest.importorskip("sklearn")


@pytest.fixture(scope="module")
def traffic() -> Traffic:
    """Traffic over the judged documents, which is a tenth of the time of all of them."""
    from relyon.demo.traffic import simulate_traffic

    judged = {judgment.document for judgment in load_judgments()}
    return simulate_traffic(documents=[one for one in build_corpus() if one.id in judged])


@pytest.fixture(scope="module")
def story(traffic: Traffic) -> relyon.Monitor:
    return relyon.monitor(simulate_rounds(traffic))


def test_traffic_is_a_log_of_three_kinds_of_queries(traffic: Traffic) -> None:
    log = simulate_month(traffic, "2026-01", sessions=3000)
    assert log["position"].max() == DEPTH
    assert log["session"].n_unique() <= 3000
    often = log.filter(log["position"] == 1)["query"].value_counts(sort=True)["count"]
    assert often[: GROUPS[0]].sum() == pytest.approx(1000, rel=0.15)
    assert {"clicked", "dwell_seconds"} <= {*relyon.Sessions.from_frame(log).columns}
    rates = log.group_by("position").agg(pl.col("clicked").mean()).sort("position")
    assert rates["clicked"][0] > 3 * rates["clicked"][DEPTH - 1] > 0
    assert log.equals(simulate_month(traffic, "2026-01", sessions=3000))
    assert not log.equals(simulate_month(traffic, "2026-01", sessions=3000, seed=1))


def test_a_broken_recall_stage_only_loses_documents(traffic: Traffic) -> None:
    before = simulate_month(traffic, "2026-01", sessions=2000)
    after = simulate_month(traffic, "2026-01", sessions=2000, lost=0.5)
    by_query = [
        dict(
            log.unique(["query", "position"])
            .sort("query", "position")
            .group_by("query", maintain_order=True)
            .agg("doc")
            .iter_rows()
        )
        for log in (before, after)
    ]
    whole = {traffic.texts[query]: list(docs) for query, docs in traffic.candidates.items()}
    for query, docs in by_query[1].items():
        # What is left stands in the order in which it stood.
        assert docs == [doc for doc in whole[query] if doc in set(docs)]
    lost = sum(len(docs) for docs in by_query[1].values())
    assert lost < 0.8 * sum(len(docs) for docs in by_query[0].values())


@pytest.mark.long
def test_dcg_falls_and_ndcg_does_not(story: relyon.Monitor) -> None:
    assert story.months == ("2026-01", "2026-02", "2026-03")
    change = story.change("all", "common", "2026-03")
    assert change is not None
    assert change.verdict == "fell"
    assert change.p_adjusted < 0.01
    assert change.relative < -0.1
    assert change.hidden
    assert change.ndcg.value > -0.02


def test_the_alarm_names_recall(story: relyon.Monitor) -> None:
    alarms = story.alarms()
    assert [alarm.kind for alarm in alarms if alarm.tier == "all"] == ["fell", "recall"]
    (losses,) = (one for one in story.losses if one.tier == "all")
    assert losses.cause == "recall"
    assert losses.changes["recall_loss"].value > 0
    assert losses.changes["ranking_loss"].value < losses.changes["recall_loss"].value
    assert "Look at recall first." in story.to_text()
    assert "先查召回" in story.to_text("zh")


@pytest.mark.long
def test_the_month_before_was_quiet(traffic: Traffic, story: relyon.Monitor) -> None:
    february = [one for one in story.changes if one.after.month == "2026-02" and one.can_alarm]
    assert {one.verdict for one in february} == {"undecided"}
    quiet = relyon.monitor(simulate_rounds(traffic, broken=None))
    assert quiet.alarms() == []
    assert {one.cause for one in quiet.losses} == {"neither"}
