"""The rules: each where it fires, and where it must not."""

from __future__ import annotations

import dataclasses
import math
import random
import re
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import given, strategies as st
from tests.unit.diagnosing import (
    BETTER,
    FLAT,
    GRADED,
    QUERIES,
    WORSE,
    Lists,
    both_languages,
    comparison,
    every,
    look,
    run_of,
)

import relyon
from relyon.analysis.diagnosis import Finding, Subject, rules
from relyon.analysis.diagnosis.averages import Averages
from relyon.analysis.diagnosis.findings import Findings
from relyon.analysis.diagnosis.flat_ndcg import FlatNDCG
from relyon.analysis.diagnosis.poor_candidates import PoorCandidates
from relyon.analysis.diagnosis.single_relevant import SingleRelevant
from relyon.analysis.diagnosis.tail_gain import TailGain
from relyon.analysis.diagnosis.ties import TiesDecide

# -- 1: recall up, NDCG flat -------------------------------------------------------------------

FILLER = [f"x{place:03d}" for place in range(30)]


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
    assert (found.baseline, found.candidate) == ("old", "new")
    # NDCG changed on none of 20 queries: up to 3 of 20 others may change.
    assert found.evidence["ndcg_interval"] == pytest.approx((-0.15, 0.15))
    assert (found.severity, found.evidence["outcome"]) == ("low", "open")
    assert found.title() == "Recall rose; whether NDCG rose too cannot be told"
    assert "cannot tell whether it is flat" in found.text()
    assert "看不出来" in found.title("zh")
    both_languages(found)


def test_ndcg_is_flat_only_within_a_margin() -> None:
    many = [f"q{number:03d}" for number in range(400)]
    grades = {query: {"a": 2, "b": 1, "c": 1} for query in many}
    before = {query: run_of("a", *FILLER) for query in many}
    after = {query: run_of("a", *FILLER[:19], "b", *FILLER[19:], "c") for query in many}
    found = look(FlatNDCG(), grades, before, after)
    assert (found.severity, found.evidence["outcome"]) == ("high", "flat")
    assert found.evidence["confidence"] == pytest.approx(0.9)
    assert "is flat within ±0.01" in found.text()
    assert found.title().startswith("Recall rose but NDCG did not")
    both_languages(found)
    assert look(FlatNDCG(flat=0.005), grades, before, after).evidence["outcome"] == "open"


def test_ndcg_fell_only_where_that_is_significant() -> None:
    before = every(run_of("a", *FILLER))
    lower = run_of(FILLER[0], "a", *FILLER[1:], "b", "c")
    found = look(FlatNDCG(), GRADED, before, every(lower))
    assert (found.severity, found.evidence["outcome"]) == ("high", "fell")
    both_languages(found)
    one = {**every(run_of("a", *FILLER, "b", "c")), "q00": lower}
    found = look(FlatNDCG(), GRADED, before, one)
    assert found.evidence["ndcg_difference"] < -0.01
    assert (found.severity, found.evidence["outcome"]) == ("low", "open")


def test_recall_up_ndcg_flat_is_silent() -> None:
    before = every(run_of("a", *FILLER))
    assert look(FlatNDCG(), GRADED, before, every(run_of("a", "b", "c"))) is None  # NDCG rose too
    assert look(FlatNDCG(), GRADED, before, before) is None
    # One query of twenty gains: the rise may be chance.
    chance = {**before, "q00": run_of("a", *FILLER[:19], "b", "c")}
    assert look(FlatNDCG(rise=0.01), GRADED, before, chance) is None


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
        relyon.evaluate(TAILED, after, "dcg")["dcg"] - relyon.evaluate(TAILED, before, "dcg")["dcg"]
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
    # DCG falls everywhere, AUC rises by more than `rise` on one query only.
    shuffled = every(run_of("bad", "top", *FILLER[:8], *tail(False)))
    few = {**shuffled, "q00": after["q00"]}
    assert look(TailGain(), TAILED, before, few) is None
    rose = (
        relyon.evaluate(TAILED, few, "auc")["auc"] - relyon.evaluate(TAILED, before, "auc")["auc"]
    )
    assert rose > TailGain().rise
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
    # The shares exceed their thresholds, on average; they vary too much to say so.
    mixed = {query: {"a": 3, "b": 3, "c": 1, "d": 0} for query in QUERIES}
    lists = {query: run_of("c", "d") if number % 2 else run_of("a", "b", "c", "d")
             for number, query in enumerate(QUERIES)}  # fmt: skip
    loose = PoorCandidates(reach=0.65)
    few = QUERIES[:10]
    assert look(loose, {q: mixed[q] for q in few}, lists, lists) is None
    assert look(loose, mixed, every(run_of("c", "d")), every(run_of("c", "d"))) is not None
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
    several = relyon.compare(
        judgments, every(run_of("a")), [every(run_of("b")), every(run_of("c"))], "rr",
        names=["old", "one", "two"],
    )  # fmt: skip
    found = relyon.diagnose(several, rules=["recall-like-hit"])
    assert [finding.candidate for finding in found] == [""]


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
    assert (found.severity, found.parts[-1]) == ("high", "text.tested")
    assert [row["run"] for row in found.chart_data] == ["old", "new"]
    assert found.examples[0] == f"q00 ({1 - worst:.4f})"
    both_languages(found)


def test_ties_of_few_queries_are_said_of_these_alone() -> None:
    clear, tied = every({"a": 2.0, "b": 1.0, "c": 0.0}), {"a": 1.0, "b": 1.0, "c": 1.0}
    found = look(TiesDecide(), GRADED, clear, clear | {"q00": tied}, convention={"ties": "best"})
    assert (found.severity, found.parts[-1]) == ("medium", "text.open")
    assert "Whether this is so beyond these 20 queries cannot be told" in found.text()
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
    ranked = relyon.Run.from_arrays(
        [query for query in QUERIES for _ in range(2)],
        ["a", "b"] * 20, [1.0] * 40, [1, 2] * 20, name="old",
    )  # fmt: skip
    other = relyon.Run.from_arrays(
        [query for query in QUERIES for _ in range(2)],
        ["a", "b"] * 20, [1.0] * 40, [1, 2] * 20, name="new",
    )  # fmt: skip
    assert look(TiesDecide(), GRADED, ranked, other, convention={"ties": "rank"}) is None


# -- 8: micro and macro ------------------------------------------------------------------------


def large_and_small(gained: int = 8, lost: int = 8) -> tuple[Any, Any, Any]:
    """Twelve queries with 90 relevant documents and twelve with one; some gain, some lose."""
    many = [f"m{place:03d}" for place in range(90)]
    large, small = ([f"{name}{number:02d}" for number in range(12)] for name in "ls")
    judgments: dict[str, Any] = {query: {"a": 1} for query in small}
    judgments |= {query: dict.fromkeys(many, 1) for query in large}
    before = {query: run_of("a") for query in small}
    before |= {query: run_of(*many[:40]) for query in large}
    after = before | {query: run_of("x") for query in small[:lost]}
    after |= {query: run_of(*many[:58]) for query in large[:gained]}
    return judgments, before, after


def test_micro_and_macro_fire() -> None:
    judgments, before, after = large_and_small()
    found = look(Averages(), judgments, before, after)
    assert found.evidence["measure"] == "recall@100"
    assert found.evidence["micro_difference"] == pytest.approx((8 * 18 - 8) / (12 * 91))
    assert found.evidence["macro_difference"] == pytest.approx((8 * 0.2 - 8) / 24)
    assert found.evidence["gap"] == pytest.approx((8 * 0.2 - 8) / 24 - (8 * 18 - 8) / (12 * 91))
    assert found.evidence["gap_interval"][1] < 0
    assert max(found.evidence["macro_p"], found.evidence["micro_p"]) <= 0.05
    assert found.parts == ("text", "text.opposite", "text.large")
    assert found.evidence["large"] == 3
    assert found.evidence["large_share"] == pytest.approx(3 * 90 / (12 * 91))
    assert found.examples[0] == "l00 (90)"
    assert found.chart_data[0] == {
        "query": "l00", "size": 90, "difference": pytest.approx(0.2),
    }  # fmt: skip
    both_languages(found)


def test_micro_and_macro_say_only_what_is_shown() -> None:
    """The gap alone is significant: no change is claimed."""
    judgments, before, after = large_and_small(gained=7, lost=5)
    found = look(Averages(), judgments, before, after)
    assert found.evidence["gap_p"] <= 0.025
    assert found.evidence["macro_p"] > 0.05
    assert found.parts == ("text", "text.apart", "text.large")
    assert "that they change in opposite directions is not shown" in found.text()
    both_languages(found)


def test_micro_and_macro_are_silent() -> None:
    judgments, before, after = large_and_small()
    assert look(Averages(), judgments, before, before) is None
    agreeing = {**after, **{f"s{number:02d}": run_of("a") for number in range(12)}}
    assert look(Averages(), judgments, before, agreeing) is None
    assert look(Averages(least=0.3), judgments, before, after) is None
    # The signs are opposite, as they are for chance.
    chance = large_and_small(gained=2, lost=2)
    assert look(Averages(), *chance) is None
    assert look(Averages(), *large_and_small(gained=12, lost=0)) is None


# -- all of them -------------------------------------------------------------------------------


@pytest.mark.long
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
    found = relyon.diagnose(comparison(judgments, run, run), online=online)
    assert [str(finding) for finding in found] == []


def test_findings_come_most_severe_first_and_rules_can_be_chosen() -> None:
    judgments = {query: {"a": 1} for query in QUERIES}
    tied = every({"a": 1.0, "b": 1.0})
    everything = relyon.diagnose(comparison(judgments, tied, tied))
    assert [finding.rule for finding in everything][-1] == "recall-like-hit"
    assert {"ties", "unjudged"} < {finding.rule for finding in everything}
    severities = [("high", "medium", "low").index(finding.severity) for finding in everything]
    assert severities == sorted(severities)
    only = relyon.diagnose(comparison(judgments, tied, tied), rules="ties")
    assert [finding.rule for finding in only] == ["ties"]
    assert relyon.diagnose(comparison(judgments, tied, tied), rules=[TiesDecide(least=0.9)]) == []
    with pytest.raises(relyon.UnknownNameError, match="unknown rule"):
        relyon.diagnose(comparison(judgments, tied, tied), rules=["tie"])


def test_values_alone_and_stages_of_two_candidates_are_refused() -> None:
    values = relyon.compare_values(
        {"old": {"ndcg@10": {"q1": 0.1, "q2": 0.2}}, "new": {"ndcg@10": {"q1": 0.2, "q2": 0.2}}}
    )
    with pytest.raises(relyon.ParameterError, match="rules need judgments and runs"):
        relyon.diagnose(values)
    several = relyon.compare(GRADED, BETTER, [WORSE, BETTER], "rr", names=["old", "one", "two"])
    with pytest.raises(relyon.ParameterError, match="belong to one candidate"):
        relyon.diagnose(several, stages={"a": BETTER})


def test_a_language_without_texts_is_refused() -> None:
    for say in (Finding("ties", "high", {}).title, Findings().document):
        with pytest.raises(relyon.ParameterError, match="`en`, `zh`"):
            say("de")


def test_each_rule_has_a_title_and_is_registered() -> None:
    assert len(rules) == 14
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
    rules = relyon.Convention(ties=ties, scores=kept)
    run = relyon.Run.from_arrays(["q"] * count, documents, scores, ranks)
    compared = comparison({"q": {"a": 1}}, run, run, convention=rules)
    ranking = relyon.Ranking.build({}, documents, scores, rules, ranks=ranks)
    wanted = [entry.document for entry in ranking.top(3)]
    assert Subject(compared, "new").top("old", "q", 3) == wanted
