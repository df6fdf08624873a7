"""The rule that sets a better list beside flat online numbers: what each of its checks says."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from tests.unit.diagnosing import (
    BETTER,
    FLAT,
    GRADED,
    QUERIES,
    WORSE,
    both_languages,
    look,
)

import relyon
from relyon.analysis.diagnosis import OnlineData, Rate, load_online
from relyon.analysis.diagnosis.flat_online import FlatOnline

CLICKS = {query: {"a": 1.0, "b": 5.0, "c": 9.0} for query in QUERIES}


def test_ndcg_up_online_flat_fires_and_reports_what_it_has() -> None:
    found = look(FlatOnline(), GRADED, WORSE, BETTER, online=FLAT)
    assert found.parts == ("text", "text.metric", "text.open")
    assert found.steps == ("step.open",)
    assert (found.severity, found.evidence["outcome"]) == ("low", "open")
    assert found.title() == "NDCG rose; whether the online metric rose too cannot be told"
    assert found.evidence["online_difference"] == pytest.approx(1e-4)
    assert found.evidence["online_p"] > 0.9
    both_languages(found)


def rates(baseline: float, candidate: float, trials: int, p: float | None = None) -> Any:
    """Two buckets and, perhaps, the p-value of a test by user."""
    sides = {"baseline": baseline, "candidate": candidate}
    found: dict[str, Any] = {
        side: {"events": round(rate * trials), "trials": trials} for side, rate in sides.items()
    }
    return found if p is None else {**found, "p": p}


@pytest.mark.parametrize(
    ("online", "outcome", "severity"),
    [
        (rates(0.03, 0.03, 10_000_000), "flat", "high"),
        (rates(0.03, 0.0299, 10_000), "open", "low"),
        (rates(0.03, 0.02, 10_000), "fell", "high"),
        (rates(0.03, 0.029, 10_000, 0.01), "fell", "high"),
        (rates(0.3, 0.3003, 10_000, 0.9), "open", "low"),
        (rates(0.3, 0.3003, 10_000, 0.5), "flat", "high"),
        (rates(0.3, 0.3, 10_000, 1.0), "open", "low"),
    ],
)
def test_flat_is_equivalence_and_not_a_large_p(online: Any, outcome: str, severity: str) -> None:
    found = look(FlatOnline(), GRADED, WORSE, BETTER, online=online)
    assert (found.evidence["outcome"], found.severity) == (outcome, severity)
    both_languages(found)


@pytest.mark.parametrize(
    ("part", "check", "evidence"),
    [
        ({"labels": {"click": CLICKS}}, "agreement", {"label": "click"}),
        ({"buckets": {"a": 10_000, "b": 9_000, "c": 10_000}}, "ratio", {"bucket": "b"}),
        ({"cold_start": {"baseline": 0.1, "candidate": 0.3}}, "cold", {"cold_candidate": 0.3}),
        (
            {
                "tiers": {
                    "head": {"baseline": 5000, "candidate": 4000},
                    "tail": {"baseline": 5000, "candidate": 6000},
                }
            },
            "mix",
            {"tier_candidate": 0.4, "mix_distance": pytest.approx(0.1)},
        ),
        ({"shown": {"q00": ["b", "a", "c"]}}, "shown", {"changed": 2, "positions": 3}),
    ],
)
def test_each_online_check_fires_alone(part: Any, check: str, evidence: dict[str, Any]) -> None:
    found = look(FlatOnline(), GRADED, WORSE, BETTER, online=part)
    assert found.parts == ("text", f"text.{check}")
    assert found.steps == (f"step.{check}",)
    assert found.title() == "NDCG rose, and the online data have problems"
    for name, value in evidence.items():
        assert found.evidence[name] == value
    both_languages(found)


def test_online_checks_that_hold_are_said_to_hold() -> None:
    fine = {
        "labels": {"click": {q: {"a": 9, "b": 5, "c": 5} for q in QUERIES}, "cart": CLICKS},
        "buckets": {"old": 5010, "new": 9990},
        "planned": {"old": 1, "new": 2},
        "cold_start": {"baseline": 0.1, "candidate": 0.1},
        "tiers": {
            "head": {"baseline": 50, "candidate": 50},
            "tail": {"baseline": 9, "candidate": 9},
        },
        "shown": {query: list(run) for query, run in BETTER.items()},
    }
    found = look(FlatOnline(), GRADED, WORSE, BETTER, online={**FLAT, **fine})
    assert [part.removeprefix("text.") for part in found.parts[3:]] == [
        "agreement", "ratio.fine", "cold.fine", "mix.fine", "shown.fine",
    ]  # fmt: skip
    # The label that agrees least speaks for all; the chart has each.
    assert found.evidence["label"] == "cart"
    assert found.evidence["tau"] < 0
    assert [row["what"] for row in found.chart_data if row["check"] == "agreement"] == [
        "cart", "click",
    ]  # fmt: skip
    assert found.evidence["changed_share"] == 0
    both_languages(found)
    fine["labels"] = {"click": fine["labels"]["click"]}  # type: ignore[index]
    assert look(FlatOnline(), GRADED, WORSE, BETTER, online=fine) is None
    with_metric = look(FlatOnline(), GRADED, WORSE, BETTER, online={**FLAT, **fine})
    assert with_metric.steps == ("step.open",)
    both_languages(with_metric)


def test_labels_count_only_where_there_are_some() -> None:
    clicks = {query: CLICKS[query] for query in QUERIES[:3]}
    few = {**FLAT, "labels": {"click": clicks}}
    found = look(FlatOnline(), GRADED, WORSE, BETTER, online=few)
    tau = relyon.evaluate(GRADED, clicks, "tau", convention={"missing": "skip"})
    assert found.evidence["tau"] == tau["tau"]
    assert found.evidence["label_queries"] == 3
    assert "text.agreement.open" in found.parts
    both_languages(found)


def test_labels_of_other_queries_are_refused() -> None:
    labels = {"labels": {"click": {"other": {"a": 1}}}}
    with pytest.raises(relyon.InputError, match="the label `click`: no query"):
        look(FlatOnline(), GRADED, WORSE, BETTER, online=labels)


def test_ndcg_up_online_flat_is_silent() -> None:
    risen = {**FLAT, "candidate": {"events": 600, "trials": 10_000}}
    assert look(FlatOnline(), GRADED, WORSE, BETTER, online=risen) is None
    assert look(FlatOnline(), GRADED, BETTER, BETTER, online=FLAT) is None  # NDCG did not rise
    chance = {**WORSE, "q00": BETTER["q00"]}
    assert look(FlatOnline(), GRADED, WORSE, chance, online=FLAT) is None  # one query of twenty
    assert look(FlatOnline(), GRADED, WORSE, chance, online=FLAT, alpha=0.5) is not None
    assert look(FlatOnline(rise=0.5), GRADED, WORSE, BETTER, online=FLAT) is None
    assert look(FlatOnline(), GRADED, WORSE, BETTER) is None  # nothing is known
    assert look(FlatOnline(), GRADED, WORSE, BETTER, online={}) is None


def test_online_lift_is_the_two_proportion_z_test() -> None:
    data = OnlineData(baseline=Rate(200, 10_000), candidate=Rate(250, 10_000))
    pooled = 450 / 20_000
    z = 0.005 / math.sqrt(pooled * (1 - pooled) * 2 / 10_000)
    assert data.lift == pytest.approx(0.005)
    assert data.lift_p == pytest.approx(math.erfc(z / math.sqrt(2)))
    assert OnlineData(baseline=Rate(0, 5), candidate=Rate(0, 5)).lift_p == 1.0
    assert math.isnan(OnlineData().lift)
    assert math.isnan(OnlineData().lift_p)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"click": {}}, "no part `click`"),
        ({"baseline": {"events": 1, "trials": 2}}, "needs both"),
        ({**FLAT, "baseline": {"events": 3, "trials": 2}}, "0 <= events <= trials"),
        ({**FLAT, "baseline": 0.3}, "must be {events, trials}"),
        ({**FLAT, "baseline": {"events": "many", "trials": 2}}, "must be a number"),
        ({"buckets": {"a": 1}}, "at least two buckets"),
        ({"buckets": {"a": 10**400, "b": 1}}, "must be a number"),
        ({"buckets": {"a": 1, "b": -1}}, "must be 0 or more"),
        ({"buckets": {"a": 0, "b": 0}}, "all empty"),
        ({"buckets": [1, 2]}, "`buckets` must be a mapping"),
        ({"buckets": {"a": 1, "b": 1}, "planned": {"a": 1}}, "same buckets"),
        ({"buckets": {"a": 1, "b": 1}, "planned": {"a": 1, "b": 0}}, "above 0"),
        ({"cold_start": {"baseline": 0.1}}, "must have `baseline` and `candidate`"),
        ({"cold_start": {"baseline": 0.1, "candidate": 2}}, "must be 0 to 1"),
        ({"tiers": {"head": 3}}, "must have `baseline` and `candidate`"),
        ({"tiers": {"head": {"baseline": 0, "candidate": 3}}}, "no traffic of the baseline"),
        ({"labels": {"click": {"q": 3}}}, "must be {query: {document: count}}"),
        ({"shown": {"q": "abc"}}, "must be a list of documents"),
    ],
)
def test_bad_online_data(values: dict[str, Any], message: str) -> None:
    with pytest.raises(relyon.InputError, match=message):
        OnlineData.from_dict(values)


def test_online_data_from_files(tmp_path: Any) -> None:
    path = tmp_path / "online.json"
    path.write_text(json.dumps(FLAT), "utf-8")
    assert load_online(path) == OnlineData.from_dict(FLAT)
    toml = tmp_path / "online.toml"
    toml.write_text("[buckets]\nold = 1\nnew = 1\n", "utf-8")
    assert load_online(toml).buckets == {"old": 1, "new": 1}
    path.write_text(json.dumps({"clicks": 1}), "utf-8")
    with pytest.raises(relyon.InputError, match=r"online\.json: online data has no part `clicks`"):
        load_online(path)


def test_a_p_value_that_was_tested_by_user_stands() -> None:
    rates = {side: {"events": 300, "trials": 1000} for side in ("baseline", "candidate")}
    assert OnlineData.from_dict(rates | {"p": 0.04}).lift_p == 0.04
    assert OnlineData.from_dict(rates).lift_p == 1
    for wrong in (-0.1, 1.5, "small"):
        with pytest.raises(relyon.InputError, match="`p` must be"):
            OnlineData.from_dict(rates | {"p": wrong})
