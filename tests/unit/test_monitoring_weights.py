"""Sessions left out of a month move the weights of its tiers, and the monitor says so."""

from __future__ import annotations

import pytest
from tests.unit.test_monitoring import GOOD, kinds, made

import relyon
from relyon.report import render_monitor_report

#: The tail finds nothing good, so that the weights of the tiers matter.
GRADES = {q: g if int(q[1:]) < 4 else dict.fromkeys(g, 0) for q, g in GOOD.items()}
LISTS = ["a", "b", "c", "d"]


def shown(*without: str) -> relyon.Monitor:
    grades = {query: one for query, one in GRADES.items() if query not in without}
    return relyon.monitor([made("2026-01", LISTS, GRADES), made("2026-02", LISTS, grades)])


@pytest.mark.long
def test_the_mean_of_all_tiers_is_that_of_the_traffic_if_nothing_is_left_out() -> None:
    found = shown()
    assert not {"weights-moved", "tier-without-weight"} & {*kinds(found)}


@pytest.mark.long
def test_a_tier_that_loses_weight_is_named_with_the_mean_by_traffic() -> None:
    found = shown("q0", "q1")
    (note,) = [one for one in found.notes if one.kind == "weights-moved"]
    values = note.values
    assert values["tier"] in {"head", "tail"}
    last = [one for one in found.points if one.month == "2026-02" and one.depth == "common"]
    tiers = {one.tier: one for one in last if one.tier != "all"}
    (whole,) = [one for one in last if one.tier == "all"]
    by_traffic = sum(one.share * one.dcg.value for one in tiers.values())
    assert values["by_traffic"] == pytest.approx(by_traffic)
    assert values["value"] == whole.dcg.value < by_traffic - 0.1
    kept = {
        name: one.share * (one.sampled - one.left_out) / one.sampled for name, one in tiers.items()
    }
    mean = sum(kept[name] * one.dcg.value for name, one in tiers.items()) / sum(kept.values())
    assert whole.dcg.value == pytest.approx(mean)
    assert f"{by_traffic:.3f}, not {whole.dcg.value:.3f}" in note.text()


@pytest.mark.long
def test_a_tier_without_any_judged_result_does_not_count() -> None:
    found = shown("q0", "q1", "q2", "q3")
    assert "weights-moved" not in kinds(found)
    (note,) = [one for one in found.notes if one.kind == "tier-without-weight"]
    assert note.values["tier"] == "head"


@pytest.mark.long
def test_a_change_that_no_fall_could_show_is_not_promised_to_show() -> None:
    lists = {f"q{number}": ["a", "b"] if number % 2 else ["d", "d2"] for number in range(12)}
    other = {f"q{number}": ["b", "a"] if number % 2 else ["d2", "d"] for number in range(12)}
    found = relyon.monitor([made("2026-01", lists, per_tier=3), made("2026-02", other, per_tier=3)])
    page = found.to_text()
    change = found.change("all", "common", "2026-02")
    assert change is not None
    assert change.beyond_reach
    report = render_monitor_report(found, format="markdown")
    assert "not even a fall to 0 would show reliably" in report
    assert "not even a fall to 0 would show reliably" in " ".join(page.split())
    assert f"changes from {change.dcg.detectable:.3f}" not in " ".join(page.split())
