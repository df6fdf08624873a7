"""The nine rules: each where it fires, and where it must not."""

from __future__ import annotations

import dataclasses
import json
import math
import random
import re
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import assume, given, strategies as st

import relkit
from relkit.analysis.diagnosis import Finding, OnlineData, Rate, Subject, load_online, rules
from relkit.analysis.diagnosis.averages import Averages
from relkit.analysis.diagnosis.coverage import Coverage
from relkit.analysis.diagnosis.flat_ndcg import FlatNDCG
from relkit.analysis.diagnosis.flat_online import FlatOnline
from relkit.analysis.diagnosis.listing import Findings
from relkit.analysis.diagnosis.poor_candidates import PoorCandidates
from relkit.analysis.diagnosis.single_relevant import SingleRelevant
from relkit.analysis.diagnosis.tail_gain import TailGain
from relkit.analysis.diagnosis.ties import TiesDecide
from relkit.analysis.diagnosis.unjudged import Unjudged
from relkit.data.ranking import Ranking

QUERIES = [f"q{number:02d}" for number in range(20)]
Lists = dict[str, dict[str, float]]


def run_of(*documents: str) -> dict[str, float]:
    """Documents in order, with falling scores."""
    return {document: float(-place) for place, document in enumerate(documents)}


def every(run: dict[str, float]) -> Lists:
    return {query: dict(run) for query in QUERIES}


def comparison(judgments: Any, baseline: Any, candidate: Any, **options: Any) -> relkit.Comparison:
    options.setdefault("names", ["old", "new"])
    return relkit.compare(judgments, baseline, candidate, "ndcg@10", **options)


def look(rule: Any, judgments: Any, baseline: Any, candidate: Any, **options: Any) -> Any:
    """What one rule finds, or None."""
    given_to_rules = {key: options.pop(key) for key in ("online", "stages") if key in options}
    found = relkit.diagnose(
        comparison(judgments, baseline, candidate, **options), rules=[rule], **given_to_rules
    )
    assert len(found) <= 1
    return found[0] if found else None


def both_languages(finding: Finding) -> None:
    """Both texts are whole sentences with every number in its place."""
    for language, stop in (("en", "."), ("zh", "。")):
        for text in (finding.text(language), finding.next_step(language)):  # type: ignore[arg-type]
            assert text.endswith(stop), text
            assert "{" not in text
            assert "nan" not in text
    json.dumps(finding.to_dict("zh"), allow_nan=False)


# -- 1: recall up, NDCG flat -------------------------------------------------------------------

FILLER = [f"x{place:03d}" for place in range(30)]
GRADED = {query: {"a": 2, "b": 1, "c": 1} for query in QUERIES}


def test_recall_up_ndcg_flat_fires() -> None:
    before = every(run_of("a", *FILLER))
    after = every(run_of("a", *FILLER[:19], "b", *FILLER[19:], "c"))
    found = look(FlatNDCG(), GRADED, before, after)
    assert found.evidence["new"] == 40
    assert found.evidence["lost"] == 0
    assert found.evidence["below"] == 40
    assert found.evidence["median_rank"] == (21 + 33) // 2
    assert found.evidence["recall_difference"] == pytest.approx(2 / 3)
    histogram = {row["ranks"]: row["new"] for row in found.chart_data}
    assert histogram == {"1-3": 0, "4-10": 0, "11-20": 0, "21-50": 40, "51-100": 0}
    assert found.examples[0] == "q19: c #33"
    assert "40 relevant documents are newly found (0 lost)" in found.text()
    assert (found.baseline, found.candidate, found.severity) == ("old", "new", "high")
    both_languages(found)


def test_recall_up_ndcg_flat_is_silent() -> None:
    before = every(run_of("a", *FILLER))
    assert look(FlatNDCG(), GRADED, before, every(run_of("a", "b", "c"))) is None  # NDCG rose too
    assert look(FlatNDCG(), GRADED, before, before) is None
    # One query of twenty gains: the rise may be chance.
    chance = {**before, "q00": run_of("a", *FILLER[:19], "b", "c")}
    assert look(FlatNDCG(rise=0.01), GRADED, before, chance) is None


# -- 2: NDCG up, online flat -------------------------------------------------------------------

WORSE, BETTER = every(run_of("c", "b", "a")), every(run_of("a", "b", "c"))
FLAT = {
    "baseline": {"events": 300, "trials": 10_000},
    "candidate": {"events": 301, "trials": 10_000},
}
CLICKS = {query: {"a": 1.0, "b": 5.0, "c": 9.0} for query in QUERIES}


def test_ndcg_up_online_flat_fires_and_reports_what_it_has() -> None:
    found = look(FlatOnline(), GRADED, WORSE, BETTER, online=FLAT)
    assert found.parts == ("text", "text.metric")
    assert found.steps == ("step",)
    assert found.evidence["online_difference"] == pytest.approx(1e-4)
    assert found.evidence["online_p"] > 0.9
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
    assert [part.removeprefix("text.") for part in found.parts[2:]] == [
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
    assert with_metric.steps == ("step",)
    both_languages(with_metric)


def test_labels_count_only_where_there_are_some() -> None:
    few = {"labels": {"click": {query: CLICKS[query] for query in QUERIES[:3]}}}
    found = look(FlatOnline(), GRADED, WORSE, BETTER, online=few)
    tau = relkit.evaluate(GRADED, few["labels"]["click"], "tau", convention={"missing": "skip"})
    assert found.evidence["tau"] == tau["tau"]
    assert found.evidence["label_queries"] == 3


def test_labels_of_other_queries_are_refused() -> None:
    labels = {"labels": {"click": {"other": {"a": 1}}}}
    with pytest.raises(relkit.InputError, match="the label `click`: no query"):
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
    with pytest.raises(relkit.InputError, match=message):
        OnlineData.from_dict(values)


def test_online_data_from_files(tmp_path: Any) -> None:
    path = tmp_path / "online.json"
    path.write_text(json.dumps(FLAT), "utf-8")
    assert load_online(path) == OnlineData.from_dict(FLAT)
    toml = tmp_path / "online.toml"
    toml.write_text("[buckets]\nold = 1\nnew = 1\n", "utf-8")
    assert load_online(toml).buckets == {"old": 1, "new": 1}
    path.write_text(json.dumps({"clicks": 1}), "utf-8")
    with pytest.raises(relkit.InputError, match=r"online\.json: online data has no part `clicks`"):
        load_online(path)


# -- 3: AUC up, DCG down -----------------------------------------------------------------------

DEEP = {f"t{place:02d}": place % 2 for place in range(40)}
TAILED = {query: {"top": 1, "bad": 0, **DEEP} for query in QUERIES}


def tail(swapped: bool) -> list[str]:
    """Forty documents, the relevant ones last, or first where the tail got better."""
    return sorted(DEEP, key=lambda document: (DEEP[document] == (not swapped), document))


def test_auc_up_dcg_down_fires() -> None:
    before = every(run_of("top", "bad", *FILLER[:8], *tail(False)))
    after = every(run_of("bad", "top", *FILLER[:8], *tail(True)))
    found = look(TailGain(), TAILED, before, after)
    assert found.evidence["dcg_difference"] == pytest.approx(1 / math.log2(3) - 1)
    assert found.evidence["auc_difference"] > 0.5
    assert found.evidence["worst_ranks"] == "1-3"
    assert found.evidence["best_ranks"] == "11-30"
    bands = {row["ranks"]: row for row in found.chart_data}
    assert list(bands) == ["1-3", "4-10", "11-30", "31-100", "101-"]
    assert bands["1-3"]["dcg"] == pytest.approx(1 / math.log2(3) - 1)
    assert bands["1-3"]["cg"] == 0
    assert (bands["11-30"]["cg"], bands["31-100"]["cg"]) == (20, -20)
    whole = (
        relkit.evaluate(TAILED, after, "dcg")["dcg"] - relkit.evaluate(TAILED, before, "dcg")["dcg"]
    )
    assert math.fsum(row["dcg"] for row in found.chart_data) == pytest.approx(whole)
    assert len(found.examples) == 5
    both_languages(found)


def test_auc_up_dcg_down_is_silent() -> None:
    before = every(run_of("top", "bad", *FILLER[:8], *tail(False)))
    both = every(run_of("top", "bad", *FILLER[:8], *tail(True)))
    assert look(TailGain(), TAILED, before, both) is None  # DCG@10 did not fall
    assert look(TailGain(), TAILED, both, before) is None  # AUC fell
    assert look(TailGain(), TAILED, before, before) is None
    after = every(run_of("bad", "top", *FILLER[:8], *tail(True)))
    one = {**both, "q00": after["q00"]}
    assert look(TailGain(), TAILED, before, one) is None  # one query of twenty may be chance
    assert look(TailGain(), TAILED, before, one, alpha=0.5).evidence["dcg_p"] > 0.3
    assert look(TailGain(fall=0.4), TAILED, before, after) is None
    assert look(TailGain(rise=0.99), TAILED, before, after) is None


# -- 4: NDCG high, DCG low ---------------------------------------------------------------------


def test_poor_candidates_fires() -> None:
    judgments = {query: {"a": 3, "b": 3, "c": 1, "d": 0} for query in QUERIES}
    run = every(run_of("c", "d"))
    found = look(PoorCandidates(), judgments, run, run, stages=None)
    assert found.parts == ("text",)
    ideal = 3 + 3 / math.log2(3) + 1 / 2
    assert found.evidence["ideal"] == pytest.approx(ideal)
    assert found.evidence["reach"] == pytest.approx(1 / ideal)
    assert found.evidence["recall_share"] == pytest.approx(1)
    assert found.chart_data[-1] == {"stage": "ranking", "loss": 0.0}
    assert found.examples[0] == f"q00 ({ideal - 1:.4f})"
    both_languages(found)
    stages = {"retrieval": every(run_of("c", "a")), "fine": run}
    staged = look(PoorCandidates(), judgments, run, run, stages=stages)
    assert [row["stage"] for row in staged.chart_data] == ["retrieval", "fine", "ranking"]


def test_poor_candidates_fires_where_only_retrieved_documents_are_judged() -> None:
    # Four retrieved documents of gain 0.1 each: NDCG 1, and nothing good is there.
    judgments = {query: dict.fromkeys("abcd", 1) for query in QUERIES}
    rules = {"gain": {0: 0, 1: 0.1, 2: 0.5, 3: 1}}
    judgments["q00"]["e"] = 3
    runs = every(run_of(*"abcd")) | {"q00": run_of("e", *"abcd")}
    found = look(PoorCandidates(), judgments, runs, runs, convention=rules)
    assert found.parts == ("text.pool",)
    assert found.evidence["ndcg_candidate"] == 1.0
    assert found.evidence["worth"] == pytest.approx((19 * 0.1 + 1) / 20)
    assert (
        found.examples[0] == f"q01 ({sum(0.1 / math.log2(rank + 1) for rank in range(1, 5)):.4f})"
    )
    both_languages(found)


def test_poor_candidates_is_silent() -> None:
    good = every(run_of("a", "b", "c"))
    assert look(PoorCandidates(), GRADED, good, good) is None
    # The candidates are poor, and the order is no better: not this rule's affair.
    judgments = {query: {"a": 3, "b": 3, "c": 1, "d": 0} for query in QUERIES}
    low = every(run_of(*FILLER[:20], "c"))
    assert look(PoorCandidates(), judgments, low, low) is None
    empty = every(run_of("x"))
    assert look(PoorCandidates(), judgments, empty, empty) is None
    # Few judgments in the top: what is shown may well be good.
    thin = {query: {"a": 1} for query in QUERIES}
    thin["q00"] = {"a": 3}
    sparse = every(run_of("a", *FILLER))
    assert look(PoorCandidates(), thin, sparse, sparse) is None


# -- 5: Recall@K behaves like Hit@K ------------------------------------------------------------


def test_recall_like_hit_fires() -> None:
    judgments = {query: {"a": 1} for query in QUERIES}
    judgments["q00"] = {"a": 1, "b": 1}
    found = look(SingleRelevant(), judgments, every(run_of("a")), every(run_of("a")))
    assert found.evidence["single"] == 19
    assert found.evidence["single_share"] == 0.95
    assert found.evidence["same_share"] == 0.95  # on q00 Recall is 1/2 and Success 1
    assert found.evidence["mean_relevant"] == 21 / 20
    assert found.chart_data == ({"relevant": 1, "queries": 19}, {"relevant": 2, "queries": 1})
    assert found.severity == "low"
    both_languages(found)


def test_recall_like_hit_is_silent() -> None:
    assert look(SingleRelevant(), GRADED, BETTER, BETTER) is None
    none = {query: {"a": 0} for query in QUERIES}
    assert look(SingleRelevant(), none, BETTER, BETTER) is None


def test_a_finding_about_the_data_is_said_once() -> None:
    judgments = {query: {"a": 1} for query in QUERIES}
    several = relkit.compare(
        judgments, every(run_of("a")), [every(run_of("b")), every(run_of("c"))], "rr",
        names=["old", "one", "two"],
    )  # fmt: skip
    found = relkit.diagnose(several, rules=["recall-like-hit"])
    assert [finding.candidate for finding in found] == [""]


# -- 6: unjudged -------------------------------------------------------------------------------


def test_unjudged_fires() -> None:
    judgments = {query: {"a": 2, "b": 1} for query in QUERIES}
    before, after = every(run_of("b", "a")), every(run_of("u", "a", "v"))
    found = look(Unjudged(), judgments, before, after)
    low = (0 + 2 / math.log2(3)) - (1 + 2 / math.log2(3))
    high = low + 2 + 2 / 2  # u at rank 1 and v at rank 3 with the highest grade, 2
    assert found.evidence["share_baseline"] == 0
    assert found.evidence["share_candidate"] == pytest.approx(2 / 3)
    assert found.evidence["difference"] == pytest.approx(low)
    assert found.evidence["lowest"] == pytest.approx(low)
    assert found.evidence["highest"] == pytest.approx(high)
    assert found.evidence["pairs"] == 40
    assert found.parts == ("text", "text.open")
    assert found.severity == "high"
    assert found.examples[0] == "q00: u"
    first = found.chart_data[0]
    assert (first["baseline_rank"], first["candidate_rank"]) == (None, 1)
    assert first["influence"] == pytest.approx(2 / 20)
    sizes = [abs(row["influence"]) for row in found.chart_data]
    assert sizes == sorted(sizes, reverse=True)
    both_languages(found)


def test_judging_the_needed_pairs_settles_the_sign() -> None:
    judgments: dict[str, dict[str, float]] = {query: {"a": 2, "b": 1} for query in QUERIES}
    before, after = every(run_of("b", "a")), every(run_of("u", "a", "v"))
    found = look(Unjudged(), judgments, before, after)
    needed = found.evidence["needed"]
    assert 0 < needed < 40
    for row in found.chart_data[:needed]:
        judgments[row["query"]][row["document"]] = 0
    again = look(Unjudged(most=0.01), judgments, before, after)
    assert again.parts == ("text", "text.settled")
    assert again.evidence["highest"] < 0
    # One pair fewer leaves it open.
    judgments = {query: {"a": 2, "b": 1} for query in QUERIES}
    for row in found.chart_data[: needed - 1]:
        judgments[row["query"]][row["document"]] = 0
    assert look(Unjudged(most=0.01), judgments, before, after).parts[1] == "text.open"
    both_languages(again)


@given(data=st.data())
def test_needed_pairs_are_enough_whatever_their_signs(data: st.DataObject) -> None:
    judgments = {"q": {"a": 2.0, "b": 1.0, "c": 0.0}, "r": {"a": 1.0}}
    lists = st.lists(st.sampled_from("abcuvwxyz"), min_size=3, max_size=9, unique=True)
    before, after = ({query: run_of(*data.draw(lists)) for query in judgments} for _ in range(2))
    found = look(Unjudged(most=0.0, gap=0.0), judgments, before, after)
    for row in found.chart_data[: found.evidence["needed"]]:
        judgments[row["query"]][row["document"]] = 0.0
    again = look(Unjudged(most=0.0, gap=0.0), judgments, before, after)
    assume(found.evidence["difference"] != 0)
    assert again.parts[1] == "text.settled"


@given(data=st.data())
def test_bounds_hold_whatever_the_judges_say(data: st.DataObject) -> None:
    """Every way to grade the unjudged documents gives a difference within the bounds."""
    judgments = {"q": {"a": 2.0, "b": 1.0, "c": 0.0}, "r": {"a": 1.0}}
    lists = st.lists(st.sampled_from("abcuvw"), min_size=1, max_size=6, unique=True)
    before, after = ({query: run_of(*data.draw(lists)) for query in judgments} for _ in range(2))
    found = look(Unjudged(most=0.0), judgments, before, after)
    for grades in judgments.values():
        for document in "uvw":
            grades[document] = data.draw(st.sampled_from([0.0, 1.0, 2.0]))
    values = [relkit.evaluate(judgments, run, "dcg@10")["dcg@10"] for run in (before, after)]
    difference = values[1] - values[0]
    assert found.evidence["lowest"] - 1e-12 <= difference <= found.evidence["highest"] + 1e-12


def test_unjudged_ndcg_with_the_best_grades() -> None:
    judgments = {query: {"a": 2} for query in QUERIES}
    before, after = every(run_of("a", "u")), every(run_of("u", "a"))
    found = look(Unjudged(), judgments, before, after)
    assert found.evidence["ndcg_baseline_none"] == 1
    assert found.evidence["ndcg_candidate_none"] == pytest.approx(1 / math.log2(3))
    assert found.evidence["ndcg_baseline_high"] == 1
    assert found.evidence["ndcg_candidate_high"] == 1


def test_negative_grades_are_unjudged_where_the_convention_says_so() -> None:
    judgments = {query: {"a": 1, "spam": -1} for query in QUERIES}
    before, after = every(run_of("a")), every(run_of("spam", "a"))
    rules = {"negative": "unjudged"}
    found = look(Unjudged(), judgments, before, after, convention=rules)
    assert found.examples[0] == "q00: spam"
    assert found.evidence["ndcg_candidate_high"] == 1
    assert look(Unjudged(), judgments, before, after) is None


def test_the_best_gain_of_a_map_counts() -> None:
    judgments = {query: {"a": 3} for query in QUERIES}
    before, after = every(run_of("a", "u")), every(run_of("a", "v"))
    odd = {"gain": {0: 0, 1: 9, 2: 1, 3: 2}}
    found = look(Unjudged(), judgments, before, after, convention=odd)
    assert found.evidence["highest"] == pytest.approx(9 / math.log2(3))
    assert found.evidence["lowest"] == pytest.approx(-9 / math.log2(3))


def test_unjudged_is_silent() -> None:
    empty = {query: {"a": 1} for query in QUERIES}, every({}), every({})
    assert look(Unjudged(), *empty) is None
    judgments = {query: dict.fromkeys("abcdefgh", 1) for query in QUERIES}
    run = every(run_of(*"abcdefgh", "u"))
    assert look(Unjudged(), judgments, run, run) is None  # one of nine
    condensed = {"unjudged": "removed"}
    assert look(Unjudged(), judgments, run, every(run_of("u")), convention=condensed) is None


# -- 7: ties -----------------------------------------------------------------------------------


def test_ties_fire() -> None:
    clear = every({"a": 2.0, "b": 1.0, "c": 0.0})
    tied = every({"a": 1.0, "b": 1.0, "c": 1.0})
    found = look(TiesDecide(), GRADED, clear, tied, convention={"ties": "best"})
    worst = (1 + 1 / math.log2(3) + 2 / 2) / (2 + 1 / math.log2(3) + 1 / 2)
    assert found.evidence["run"] == "new"
    assert found.evidence["worst"] == pytest.approx(worst)
    assert found.evidence["best"] == 1
    assert found.evidence["spread"] == pytest.approx(1 - worst)
    assert found.evidence["spread_baseline"] == 0
    assert found.evidence["queries"] == 20
    assert [row["run"] for row in found.chart_data] == ["old", "new"]
    assert found.examples[0] == f"q00 ({1 - worst:.4f})"
    both_languages(found)


def test_ties_are_silent() -> None:
    clear = every({"a": 2.0, "b": 1.0, "c": 0.0})
    assert look(TiesDecide(), GRADED, clear, clear) is None
    # Ties among documents of one grade change nothing.
    alike = every({"a": 2.0, "b": 1.0, "c": 1.0})
    assert look(TiesDecide(), GRADED, clear, alike) is None
    # The runs differ by more than their ties: `none` has no relevant document.
    tied = every({"a": 1.0, "b": 1.0, "c": 1.0})
    assert look(TiesDecide(), GRADED, every(run_of("x")), tied) is None
    # With a rank column that decides, no score does.
    ranked = relkit.Run.from_arrays(
        [query for query in QUERIES for _ in range(2)],
        ["a", "b"] * 20, [1.0] * 40, [1, 2] * 20, name="old",
    )  # fmt: skip
    other = relkit.Run.from_arrays(
        [query for query in QUERIES for _ in range(2)],
        ["a", "b"] * 20, [1.0] * 40, [1, 2] * 20, name="new",
    )  # fmt: skip
    assert look(TiesDecide(), GRADED, ranked, other, convention={"ties": "rank"}) is None


# -- 8: micro and macro ------------------------------------------------------------------------


def large_and_small() -> tuple[Any, Any, Any]:
    """One query with 200 relevant documents, nineteen with one."""
    many = [f"m{place:03d}" for place in range(200)]
    judgments: dict[str, Any] = {query: {"a": 1} for query in QUERIES}
    judgments["q00"] = dict.fromkeys(many, 1)
    before = {**every(run_of("a")), "q00": run_of(*many[:90])}
    after = {**before, "q01": run_of("x"), "q00": run_of(*many[:100])}
    return judgments, before, after


def test_micro_and_macro_fire() -> None:
    judgments, before, after = large_and_small()
    found = look(Averages(), judgments, before, after)
    assert found.evidence["measure"] == "recall@100"
    assert found.evidence["micro_difference"] == pytest.approx((10 - 1) / 219)
    assert found.evidence["macro_difference"] == pytest.approx((10 / 200 - 1) / 20)
    assert found.evidence["large"] == 2
    assert found.evidence["large_share"] == pytest.approx(201 / 219)
    assert found.examples[0] == "q00 (200)"
    assert found.chart_data[0] == {
        "query": "q00", "size": 200, "difference": pytest.approx(0.05),
    }  # fmt: skip
    both_languages(found)


def test_micro_and_macro_are_silent() -> None:
    judgments, before, after = large_and_small()
    assert look(Averages(), judgments, before, before) is None
    agreeing = {**after, "q01": run_of("a")}
    assert look(Averages(), judgments, before, agreeing) is None
    assert look(Averages(least=0.2), judgments, before, after) is None


# -- 9: coverage -------------------------------------------------------------------------------


def test_queries_that_one_run_lacks() -> None:
    part = {query: run for query, run in BETTER.items() if query > "q04"}
    found = look(Coverage(), GRADED, BETTER, part)
    assert found.parts == ("text.missing",)
    assert found.evidence == {"missing_baseline": 0, "missing_candidate": 5}
    assert found.examples == ("q00", "q01", "q02")
    assert found.severity == "high"
    both_languages(found)
    assert look(Coverage(), GRADED, part, part) is None  # both lack them
    large = {f"q{number:03d}": {"a": 1, "b": 0} for number in range(200)}
    lists = {query: run_of("a", "b") for query in large}
    one = look(Coverage(), large, lists, {q: run for q, run in lists.items() if q != "q007"})
    assert (one.parts, one.severity) == (("text.missing",), "medium")


def test_queries_without_a_value_in_one_run() -> None:
    judgments = {query: {"a": 1, "b": 0} for query in QUERIES}
    pairs, single = every(run_of("a", "b")), every(run_of("a"))
    found = look(Coverage(), judgments, pairs, {**pairs, "q07": single["q07"]})
    assert found.parts == ("text.undefined",)
    assert found.evidence["undefined_measure"] == "pnr"
    assert found.evidence["undefined_candidate"] == 1
    assert found.evidence["undefined_changed"] == 1
    assert found.examples == ("q07",)
    assert {row["measure"]: row["changed"] for row in found.chart_data} == {"ndcg@10": 0, "pnr": 1}
    both_languages(found)


def test_grades_above_the_scale() -> None:
    judgments = relkit.Judgments.from_dict({query: {"a": 5, "b": 2} for query in QUERIES})
    found = look(Coverage(), judgments, BETTER, BETTER, scale="search")
    assert found.parts == ("text.grades",)
    assert found.evidence["above"] == 20
    assert (found.evidence["grade_highest"], found.evidence["scale_highest"]) == (5, 3)
    both_languages(found)


def test_ids_that_do_not_match() -> None:
    padded = {query: {f"{document} ": score for document, score in run.items()}
              for query, run in BETTER.items()}  # fmt: skip
    found = look(Coverage(), GRADED, BETTER, padded)
    assert "text.document" in found.parts
    assert found.evidence["document_run"] == "new"
    assert "white space" in found.text()
    assert found.examples[-1] == "`a ` ↔ `a`"
    both_languages(found)
    numbered = {f"Q{number}": {"a": 1} for number in range(20)}
    mixed = {**{f"q{n}": {"a": 1.0} for n in range(1, 20)}, "Q0": {"a": 1.0}}
    whole = {query: {"a": 1.0} for query in numbered}
    found = look(Coverage(), numbered, whole, mixed)
    assert "text.query" in found.parts
    assert "letter case" in found.text()
    both_languages(found)


def test_some_ids_that_do_not_match() -> None:
    judgments = {query: {f"D{place}": place % 3 for place in range(10)} for query in QUERIES}
    fine = every(run_of(*judgments["q00"]))
    mixed = every(run_of("D0", "D1", *(f"d{place}" for place in range(2, 10))))
    found = look(Coverage(), judgments, fine, mixed)
    assert found.parts == ("text.document",)
    assert "only 2 document ids" in found.text()
    assert "letter case" in found.text()


def test_coverage_is_silent() -> None:
    # One query of two hundred comes and goes: sparse judgments, and no reason to look.
    judgments = {f"q{number:03d}": {"a": 1, "b": 0} for number in range(200)}
    both = {query: run_of("a", "b") for query in judgments}
    assert look(Coverage(), judgments, both, {**both, "q007": run_of("a")}) is None
    found = look(Coverage(changed=0.005), judgments, both, {**both, "q007": run_of("a")})
    assert found.parts == ("text.undefined",)
    assert look(Coverage(), GRADED, BETTER, WORSE) is None
    scaled = relkit.Judgments.from_dict(
        {q: {"a": "高", "b": "无"} for q in QUERIES}, scale="search"
    )
    assert look(Coverage(), scaled, BETTER, WORSE) is None


def test_real_runs(test_data: Path) -> None:
    """BM25 against re-ranking: half of the top is unjudged, by a second route too."""
    folder = test_data / "dl_hard_passage"
    judgments = relkit.read_judgments(folder / "qrels.passage.txt")
    runs = [relkit.read_run(folder / name) for name in ("bm25.run.gz", "bm25_t5.zs.run.gz")]
    compared = relkit.compare(judgments, runs[0], runs[1], "ndcg@10", names=["old", "new"])
    (found,) = relkit.diagnose(compared)
    assert (found.rule, found.severity) == ("unjudged", "high")
    # Grading what speaks for one run with the best grade, all else with 0, gives the bounds.
    tops = [
        {query: [one.document for one in Ranking.build(
            {}, *run.table.documents(query)[:2], relkit.Convention()).top(10)]
         for query in judgments.queries}
        for run in runs
    ]  # fmt: skip
    for side, name in ((0, "lowest"), (1, "highest")):
        grades = judgments.to_dict()
        for query, documents in tops[side].items():
            other = tops[1 - side][query]
            for rank, document in enumerate(documents):
                if document not in other or other.index(document) > rank:
                    grades[query].setdefault(document, 3)
        values = [relkit.evaluate(grades, run, "dcg@10")["dcg@10"] for run in runs]
        assert found.evidence[name] == pytest.approx(values[1] - values[0], abs=1e-9)
    listed = {(row["query"], row["document"]) for row in found.chart_data}
    assert len(listed) == found.evidence["pairs"] == len(found.chart_data)
    assert not [pair for pair in listed if pair[1] in judgments[pair[0]]]


# -- all of them -------------------------------------------------------------------------------


@given(seed=st.integers(0, 2**32))
def test_a_run_compared_with_itself_has_no_finding(seed: int) -> None:
    """On clean data: everything retrieved is judged, no ties, ids that match."""
    draw = random.Random(seed)
    judgments: Lists = {}
    run: Lists = {}
    for number in range(draw.randint(2, 12)):
        documents = [f"d{place}" for place in range(draw.randint(4, 15))]
        grades = [3, 2, 1, 0] + [draw.randint(0, 3) for _ in documents[4:]]
        judgments[f"q{number}"] = dict(zip(documents, grades, strict=True))
        scores = draw.sample(range(1000), len(documents))
        run[f"q{number}"] = dict(zip(documents, map(float, scores), strict=True))
    online = {"buckets": {"old": 500, "new": 500}, **FLAT}
    found = relkit.diagnose(comparison(judgments, run, run), online=online)
    assert [str(finding) for finding in found] == []


def test_findings_come_most_severe_first_and_rules_can_be_chosen() -> None:
    judgments = {query: {"a": 1} for query in QUERIES}
    tied = every({"a": 1.0, "b": 1.0})
    everything = relkit.diagnose(comparison(judgments, tied, tied))
    assert [finding.rule for finding in everything][-1] == "recall-like-hit"
    assert {"ties", "unjudged"} < {finding.rule for finding in everything}
    severities = [("high", "medium", "low").index(finding.severity) for finding in everything]
    assert severities == sorted(severities)
    only = relkit.diagnose(comparison(judgments, tied, tied), rules="ties")
    assert [finding.rule for finding in only] == ["ties"]
    assert relkit.diagnose(comparison(judgments, tied, tied), rules=[TiesDecide(least=0.9)]) == []
    with pytest.raises(relkit.UnknownNameError, match="unknown rule"):
        relkit.diagnose(comparison(judgments, tied, tied), rules=["tie"])


def test_values_alone_and_stages_of_two_candidates_are_refused() -> None:
    values = relkit.compare_values(
        {"old": {"ndcg@10": {"q1": 0.1, "q2": 0.2}}, "new": {"ndcg@10": {"q1": 0.2, "q2": 0.2}}}
    )
    with pytest.raises(relkit.ParameterError, match="rules look at judgments and runs"):
        relkit.diagnose(values)
    several = relkit.compare(GRADED, BETTER, [WORSE, BETTER], "rr", names=["old", "one", "two"])
    with pytest.raises(relkit.ParameterError, match="belong to one candidate"):
        relkit.diagnose(several, stages={"a": BETTER})


def test_a_language_without_texts_is_refused() -> None:
    for say in (Finding("ties", "high", {}).title, Findings().document):
        with pytest.raises(relkit.ParameterError, match="`en`, `zh`"):
            say("de")  # type: ignore[arg-type]


def test_each_rule_has_a_title_and_is_registered() -> None:
    assert len(rules) == 9
    for name in rules:
        assert rules.get(name).name == name
        found = Finding(name, "high", {"k": 10})
        assert found.title("en") != found.title("zh")


def test_numbers_in_sentences() -> None:
    values: dict[str, Any] = {"missing_baseline": 1, "missing_candidate": 1234}
    found = Finding("coverage", "high", values, parts=("text.missing",))
    assert found.text() == ("The baseline lacks 1 judged query, the candidate 1,234.")


@pytest.mark.parametrize("page", ["diagnoses.md", "zh/diagnoses.md"])
def test_the_page_holds_every_rule_and_threshold(page: str) -> None:
    text = (Path(__file__).parents[2] / "docs" / page).read_text("utf-8")
    sections = dict(re.findall(r"^### `([\w-]+)`.*?\n(.*?)(?=^##)", text, re.M | re.S))
    assert sorted(sections) == sorted(rules)
    for name, section in sections.items():
        written = re.findall(r"^\| `(\w+)` \| (.+?) \|", section, re.M)
        fields = [(one.name, str(one.default)) for one in dataclasses.fields(rules.get(name))]
        assert written == fields, name


@pytest.mark.parametrize("ties", ["doc-desc", "doc-asc", "input", "rank"])
@given(data=st.data())
def test_the_top_is_the_ranking_of_the_convention(ties: Any, data: st.DataObject) -> None:
    documents = data.draw(st.lists(st.sampled_from("abcdefgh"), min_size=1, unique=True))
    count = len(documents)
    scores = data.draw(
        st.lists(st.sampled_from([0.5, 1.0, 1.0 + 1e-12]), min_size=count, max_size=count)
    )
    ranks = data.draw(st.permutations(range(1, count + 1)))
    precisions: tuple[Literal["float64", "float32"], ...] = ("float64", "float32")
    kept = data.draw(st.sampled_from(precisions))
    rules = relkit.Convention(ties=ties, scores=kept)
    run = relkit.Run.from_arrays(["q"] * count, documents, scores, ranks)
    compared = comparison({"q": {"a": 1}}, run, run, convention=rules)
    ranking = relkit.Ranking.build({}, documents, scores, rules, ranks=ranks)
    wanted = [entry.document for entry in ranking.top(3)]
    assert Subject(compared, "new").top("old", "q", 3) == wanted
