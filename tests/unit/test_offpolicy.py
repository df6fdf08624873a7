"""Off-policy evaluation: worked values, corners, and what is refused."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, strategies as st

from relyon import RelyonWarning
from relyon.core.errors import InputError, ParameterError, UnknownNameError
from relyon.labels.off_policy import (
    OffPolicy,
    estimators,
    evaluate_policy,
    policy_of,
    read_candidate,
)

COLUMNS = ["session", "query", "doc", "position", "clicked"]


def lists(*sessions: tuple[str, str, str], **more: list[Any]) -> pl.DataFrame:
    """A log of sessions: a query, the documents as letters (- shows nothing), clicks as digits."""
    rows = [
        (f"s{number}", query, doc, position, int(clicked))
        for number, (query, docs, clicks) in enumerate(sessions)
        for position, (doc, clicked) in enumerate(zip(docs, clicks, strict=True), 1)
        if doc != "-"
    ]
    frame = pl.DataFrame(rows, schema=COLUMNS, orient="row")
    return frame.with_columns(pl.Series(name, values) for name, values in more.items())


def decisions(*rows: tuple[str, float, float]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=["doc", "clicked", "propensity"], orient="row")


def policy(**probabilities: float) -> pl.DataFrame:
    table = {"document": list(probabilities), "probability": list(probabilities.values())}
    return pl.DataFrame(table)


# Of one query: ab three times, ba once, ac twice.
LOG = lists(
    ("tv", "ab", "10"),
    ("tv", "ab", "00"),
    ("tv", "ab", "01"),
    ("tv", "ba", "11"),
    ("tv", "ac", "01"),
    ("tv", "ac", "11"),
)
AC = {"tv": {"a": 2, "c": 1}}


def test_worked_values() -> None:
    found = evaluate_policy(LOG, AC)
    # ac was shown in 2 of 6 sessions with 1 and 2 clicks: each counts 6 / 2 times.
    assert found["ips"].value == pytest.approx((3 * 1 + 3 * 2) / 6)
    assert found["snips"].value == pytest.approx((3 * 1 + 3 * 2) / (3 + 3))
    # a at 1 in 5 of 6 with 2 clicks, c at 2 in 2 of 6 with 2.
    assert found["item-position"].value == pytest.approx(2 / 5 + 2 / 2)
    assert found.logged == pytest.approx(7 / 6)
    # Each cell begins with ten sessions at its position's mean: 3 / 6 and 4 / 6.
    first, second = (2 + 10 * 3 / 6) / (5 + 10), (2 + 10 * 4 / 6) / (2 + 10)
    assert found["dm"].value == pytest.approx(first + second)


def test_overlap() -> None:
    found = evaluate_policy(LOG, AC)
    whole, prefix, place = found.overlaps
    assert (whole.matches, prefix.matches, place.matches) == (2, 5, 5)
    assert whole.effective == pytest.approx(2)
    assert whole.largest == pytest.approx(3)
    assert whole.mean == pytest.approx(1)
    assert (whole.seen, whole.queries, whole.estimated) == (1, 1, True)
    assert place.effective == pytest.approx((5 + 2) / 2)


def test_the_candidate_is_what_was_logged() -> None:
    """IPS is the log's mean, exactly: every weight is 1."""
    log = lists(("tv", "ab", "10"), ("tv", "ab", "01"), ("pen", "cd", "11"))
    same = {"tv": {"a": 2, "b": 1}, "pen": {"c": 2, "d": 1}}
    found = evaluate_policy(log, same)
    for name in ("ips", "snips", "item-position"):
        assert found[name].value == found.logged
    for given_ in ("list", "position", "conditional"):
        sure = log.with_columns(propensity=pl.lit(1.0))
        assert evaluate_policy(sure, same, propensities=given_)["ips"].value == found.logged


@pytest.mark.long
@given(st.lists(st.tuples(st.sampled_from("abc"), st.booleans()), min_size=2, max_size=40))
def test_a_policy_on_its_own_log(rows: list[tuple[str, bool]]) -> None:
    """Of the policy that made a log, as the log has it, IPS and SNIPS are the log's mean."""
    log = pl.DataFrame(rows, schema=["doc", "clicked"], orient="row")
    found = evaluate_policy(log, policy_of(log), estimators=["ips", "snips", "dm"])
    mean = sum(clicked for _, clicked in rows) / len(rows)
    assert found["ips"].value == pytest.approx(mean)
    assert found["snips"].value == pytest.approx(mean)
    assert found.overlaps[0].effective == pytest.approx(len(rows))
    low, high = found["ips"].interval
    assert 0 <= low <= mean + 1e-12
    assert mean - 1e-12 <= high <= 1


@pytest.mark.long
@given(
    st.lists(
        st.tuples(st.permutations("abc"), st.tuples(*[st.integers(0, 1)] * 3)),
        min_size=1,
        max_size=30,
    ),
    st.permutations("abc"),
)
def test_bounds_that_always_hold(
    sessions: list[tuple[list[str], tuple[int, ...]]], candidate: list[str]
) -> None:
    log = lists(
        *[("q", "".join(docs), "".join(map(str, clicks))) for docs, clicks in sessions],
        ("q", "".join(candidate), "000"),
    )
    order = {doc: 3.0 - place for place, doc in enumerate(candidate)}
    found = evaluate_policy(log, {"q": order})
    for value in found.values:
        assert value.refused is None
        if value.estimator in ("ips", "snips", "item-position", "dm", "click-model"):
            assert -1e-12 <= value.value <= 3 + 1e-12
        if not math.isnan(value.interval[0]):
            assert 0 <= value.interval[0] <= value.interval[1] <= 3
    for overlap in found.overlaps:
        assert overlap.effective <= len(log) / 3 + 1e-9
        assert overlap.mean == pytest.approx(1)  # counted propensities, all of it seen


@pytest.mark.parametrize(("clicks", "wanted"), [("00", 0.0), ("11", 2.0)])
def test_no_clicks_and_all_clicks(clicks: str, wanted: float) -> None:
    log = lists(*[("q", docs, clicks) for docs in ("ab", "ba", "ab", "ba")])
    found = evaluate_policy(log, {"q": {"b": 2, "a": 1}})
    for value in found.values:
        if value.estimator != "click-model":  # its prior is in it
            assert value.value == pytest.approx(wanted)
    # Four sessions without a difference prove next to nothing.
    low, high = found["ips"].interval
    assert (low < 0.2) if clicks == "11" else (high > 1.8)
    assert evaluate_policy(log, {"q": {"b": 2, "a": 1}}, interval="bernstein")["ips"].interval == (
        0,
        2,
    )


def test_one_session() -> None:
    found = evaluate_policy(lists(("q", "ab", "10")), {"q": {"a": 2, "b": 1}})
    assert found["ips"].value == 1
    assert found["ips"].interval == pytest.approx((0, 2), abs=0.01)
    other = evaluate_policy(lists(("q", "ab", "10")), {"q": {"a": 2, "b": 1}}, interval="bootstrap")
    assert all(map(math.isnan, other["ips"].interval))


def test_holes_are_decisions_to_show_nothing() -> None:
    log = lists(("q", "a-b", "101"), ("q", "acb", "111"))
    short = evaluate_policy(log, {"q": {"a": 3, "c": 2, "b": 1}})
    assert short["ips"].value == pytest.approx(3)  # not the session with the hole
    assert short["item-position"].value == pytest.approx(1 + 1 + 1)


def test_a_shorter_list_shows_nothing_further_down() -> None:
    log = lists(("q", "ab", "11"), ("q", "a", "1"), ("q", "a", "0"))
    found = evaluate_policy(log, {"q": {"a": 1}})
    assert found["ips"].value == pytest.approx(1 / 2)
    assert found["item-position"].value == pytest.approx(2 / 3)


def test_a_query_that_the_candidate_lacks() -> None:
    log = lists(("tv", "ab", "11"), ("pen", "ab", "00"))
    found = evaluate_policy(log, {"tv": {"a": 2, "b": 1}, "else": {"a": 1}})
    assert (found.sessions, found.logged, found["ips"].value) == (1, 2, 2)
    (note,) = [note for note in found.notes if note.kind == "offpolicy-absent"]
    assert (note.count, note.examples) == (1, ("pen",))


def test_none_of_the_queries() -> None:
    with pytest.raises(InputError, match="none of the log's queries"):
        evaluate_policy(LOG, {"other": {"a": 1}})


def test_nothing_seen_is_refused() -> None:
    with pytest.raises(InputError, match="cannot say what the candidate earns") as caught:
        evaluate_policy(LOG, {"tv": {"x": 2, "y": 1}})
    assert "`x` at position 1 for `tv`" in caught.value.hint
    assert "more than 200 at the log's rate" in caught.value.hint  # 100 * 6 / 3


def test_what_is_seen_in_part() -> None:
    """Lists that were never shown as a whole are refused; single places are not."""
    found = evaluate_policy(LOG, {"tv": {"b": 2, "c": 1}})
    for name in ("ips", "snips", "dr"):
        assert found[name].refused is not None
        assert math.isnan(found[name].value)
    assert found["item-position"].value == pytest.approx(1 + 1)
    assert found["cascade-dr"].refused is None
    assert "never shows the candidate's list" in found.to_text()
    assert json.loads(found.to_json())["values"][0]["value"] is None
    assert found.missing.is_empty()
    assert found.needed == 200


def test_partial_support_is_said() -> None:
    with pytest.warns(RelyonWarning, match="as if it earned nothing"):
        found = evaluate_policy(LOG, {"tv": {"a": 2, "x": 1}})
    assert found["item-position"].value == pytest.approx(2 / 5)
    assert found["item-position"].seen == pytest.approx(1 / 2)
    assert found.missing.rows() == [("tv", 2, "x", 1.0, 6)]
    kinds = {note.kind for note in found.notes}
    assert {"offpolicy-unseen-zero", "offpolicy-unseen-model", "offpolicy-counted"} <= kinds
    assert all("{" not in note.text(one) for note in found.notes for one in ("en", "zh"))


# -- single decisions ------------------------------------------------------------------------------


def test_single_decisions() -> None:
    log = decisions(("a", 1, 0.5), ("b", 0, 0.25), ("a", 0, 0.5), ("b", 1, 0.25))
    found = evaluate_policy(log, policy(a=0.25, b=0.75))
    assert found.single
    # Weights 0.25 / 0.5 and 0.75 / 0.25.
    assert found["ips"].value == pytest.approx((0.5 * 1 + 3 * 1) / 4)
    assert found["snips"].value == pytest.approx((0.5 + 3) / (0.5 + 3 + 0.5 + 3))
    assert [value.estimator for value in found.values] == [
        "ips", "snips", "dr", "dm", "click-model",
    ]  # fmt: skip


def test_a_ranking_on_single_decisions() -> None:
    log = pl.DataFrame(
        {
            "query": ["q"] * 4,
            "doc": ["a", "b", "b", "a"],
            "position": [1, 1, 2, 2],
            "clicked": [1, 0, 1, 0],
            "propensity": [0.5] * 4,
        }
    )
    found = evaluate_policy(log, {"q": {"a": 2, "b": 1}})
    assert found["ips"].value == pytest.approx((2 * 1 + 2 * 1) / 4)


def test_rewards() -> None:
    log = decisions(("a", 4.0, 0.5), ("b", -1.0, 0.5)).rename({"clicked": "reward"})
    found = evaluate_policy(log, policy(a=0.5, b=0.5))
    assert found["ips"].value == pytest.approx(1.5)
    assert found["ips"].interval == pytest.approx((-1, 4), abs=0.05)
    assert found["click-model"].refused is not None
    assert not found.clicks
    assert any(note.kind == "offpolicy-range" for note in found.notes)


@pytest.mark.parametrize("value", ["0", "-0.1", "1.5", ""])
def test_a_propensity_that_is_none_is_named_with_its_line(tmp_path: Path, value: str) -> None:
    path = tmp_path / "log.csv"
    path.write_text(f"doc,clicked,propensity\na,1,0.5\nb,0,{value}\n")
    with pytest.raises(InputError, match=r"log\.csv:3: the propensity"):
        evaluate_policy(path, policy(a=1.0))
    # It can be left out.
    assert evaluate_policy(path, policy(a=1.0), propensities="none")["ips"].value == 1


def test_a_propensity_that_is_no_number(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("doc,clicked,propensity\na,1,0.5\nb,0,high\n")
    with pytest.raises(InputError, match=r"log\.csv:3: the propensity `high` is not a number"):
        evaluate_policy(path, policy(a=1.0))


def test_a_propensity_of_a_frame() -> None:
    with pytest.raises(InputError, match=r"row 2: the propensity `0\.0`"):
        evaluate_policy(decisions(("a", 1, 0.5), ("b", 1, 0.0)), policy(a=1.0))


def test_a_reward_that_is_missing() -> None:
    log = pl.DataFrame({"doc": ["a", "b"], "reward": [1.0, None]})
    with pytest.raises(InputError, match="row 2: the reward"):
        evaluate_policy(log, policy(a=1.0))


def test_propensities_of_lists_must_be_said() -> None:
    log = LOG.with_columns(propensity=pl.lit(0.5))
    with pytest.raises(ParameterError, match="to the list, to each document"):
        evaluate_policy(log, AC)
    assert evaluate_policy(log, AC, propensities="list")["ips"].value == pytest.approx(1)


def test_a_list_with_two_propensities() -> None:
    log = LOG.with_columns(propensity=pl.Series([0.5, 0.4] + [0.5] * 10))
    with pytest.raises(InputError, match="session `s0` has two propensities"):
        evaluate_policy(log, AC, propensities="list")


def test_two_results_at_one_position() -> None:
    log = lists(("q", "ab", "10")).with_columns(position=pl.lit(1))
    with pytest.raises(InputError, match="two results at position 1"):
        evaluate_policy(log, {"q": {"a": 1}})


def test_positions_that_count_from_0() -> None:
    with pytest.raises(InputError, match="positions count from 1"):
        evaluate_policy(LOG.with_columns(pl.col("position") - 1), AC)


def test_a_log_without_clicks() -> None:
    with pytest.raises(InputError, match="neither clicks nor rewards"):
        evaluate_policy(LOG.drop("clicked"), AC)


def test_an_empty_log() -> None:
    with pytest.raises(InputError, match="no session"):
        evaluate_policy(LOG.clear(), AC)


def test_depth_cuts_lists() -> None:
    found = evaluate_policy(LOG, AC, depth=1)
    assert found["ips"].value == pytest.approx(2 / 5)
    assert found.depth == 1


# -- candidates ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({"document": ["a", "b"], "probability": [0.5, 0.4]}, "add up to 0.9000"),
        ({"document": ["a", "b"], "probability": [1.5, -0.5]}, "a probability outside"),
        ({"document": ["a", None], "probability": [0.5, 0.5]}, "row 2 of the policy"),
        ({"document": ["a", "a"], "probability": [0.5, 0.5]}, "twice"),
        ({"document": ["a"], "position": [0], "probability": [1.0]}, "an invalid position"),
        ({"document": [], "probability": []}, "row 1"),
    ],
)
def test_policies_that_are_none(table: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        read_candidate(pl.DataFrame(table))


def test_ties_of_a_run_are_ordered_as_trec_eval_does() -> None:
    rows = read_candidate({"q": {"a": 1, "b": 1, "c": 2}}).table.rows()
    assert [row[2] for row in rows] == ["c", "b", "a"]


def test_a_policy_of_places_cannot_say_how_likely_lists_are() -> None:
    table = pl.DataFrame(
        {"document": ["a", "b"] * 2, "position": [1, 1, 2, 2], "probability": [0.5] * 4}
    )
    found = evaluate_policy(LOG, table)
    assert found["ips"].refused is not None
    # (1/5 of a's clicks at 1 and b's there, and b's and c's at 2), half each.
    assert found["item-position"].value == pytest.approx(0.5 * (2 / 5 + 1 / 1) + 0.5 * (1 / 3 + 1))
    assert [one.level for one in found.overlaps] == ["place"]


def test_a_policy_of_a_log_with_lists() -> None:
    with pytest.raises(InputError, match="several results"):
        policy_of(LOG)


# -- options ---------------------------------------------------------------------------------------


def test_estimators_are_known_by_name() -> None:
    assert sorted(estimators) == [
        "cascade-dr", "click-model", "dm", "dr", "ips", "item-position", "snips",
    ]  # fmt: skip
    with pytest.raises(UnknownNameError, match="snip"):
        evaluate_policy(LOG, AC, estimators=["snip"])
    with pytest.raises(ParameterError):
        evaluate_policy(LOG, AC, estimators=[])


@pytest.mark.parametrize("model", ["cascade", "dbn", "ubm", "rctr"])
def test_any_click_model(model: str) -> None:
    found = evaluate_policy(LOG, AC, estimators=["click-model"], click_model=model)
    assert 0 < found["click-model"].value < 2


def test_clusters_of_queries() -> None:
    log = lists(*[(f"q{number % 3}", "ab", f"{number % 2}0") for number in range(12)])
    same = {f"q{number}": {"a": 2, "b": 1} for number in range(3)}
    by_query = evaluate_policy(log, same, cluster="query", interval="t")["ips"].interval
    by_session = evaluate_policy(log, same, interval="t")["ips"].interval
    # Each query has the same mean: how far queries differ is unknown.
    assert all(math.isnan(bound) for bound in by_query)
    assert by_session[0] < 0.5 < by_session[1]
    low, high = evaluate_policy(log, same, cluster="query")["ips"].interval
    assert low < by_session[0] < by_session[1] < high
    with pytest.raises(InputError, match="has no users"):
        evaluate_policy(log, same, cluster="user")


def test_intervals_are_the_same_in_any_order() -> None:
    shuffled = LOG.sample(fraction=1, shuffle=True, seed=3)
    for name in ("betting", "bernstein", "t"):
        first, second = (evaluate_policy(log, AC, interval=name) for log in (LOG, shuffled))
        for one, other in zip(first.values, second.values, strict=True):
            assert one.interval == pytest.approx(other.interval, nan_ok=True)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_forms(language: Any) -> None:
    found = evaluate_policy(LOG, AC)
    assert isinstance(found, OffPolicy)
    for text in (found.to_text(language=language), found.to_markdown(language=language)):
        assert "item-position" in text
        assert "{" not in text
    assert found.to_frame().height == 7
    assert found.to_csv().startswith("estimator,value,low,high,seen")
    assert json.loads(found.to_json())["overlaps"][0]["level"] == "list"
