"""Recall loss and ranking loss, stage by stage."""

from __future__ import annotations

import csv
import gzip
import json
import math
from io import StringIO
from pathlib import Path
from typing import Any

import polars
import pytest
from hypothesis import given, strategies as st

import relyon
from relyon.core.document.terminal import width

JUDGMENTS = {"q1": {"a": 3, "b": 2, "c": 1, "d": 0}, "q2": {"e": 2, "f": 1}}
RETRIEVAL = {"q1": {"b": 3.0, "c": 2.0, "d": 1.0, "x": 0.5}, "q2": {"e": 1.0, "f": 2.0}}
FINE = {"q1": {"d": 2.0, "b": 1.0}, "q2": {"f": 1.0}}
SECOND = 1 / math.log2(3)


def worked() -> relyon.Funnel:
    return relyon.funnel(JUDGMENTS, {"retrieval": RETRIEVAL, "fine": FINE}, k=2)


def test_worked_example() -> None:
    found = worked()
    ideal = ((3 + 2 * SECOND) + (2 + 1 * SECOND)) / 2
    first = ((2 + 1 * SECOND) + (2 + 1 * SECOND)) / 2
    second = (2 + 1) / 2
    actual = (2 * SECOND + 1) / 2
    assert found.queries == 2
    assert found.ideal == pytest.approx(ideal, rel=1e-15)
    assert [stage.ideal for stage in found.stages] == pytest.approx([first, second], rel=1e-15)
    assert [stage.loss for stage in found.stages] == pytest.approx(
        [ideal - first, first - second], rel=1e-12
    )
    assert found.actual == pytest.approx(actual, rel=1e-15)
    assert found.recall_loss == pytest.approx(ideal - second, rel=1e-12)
    assert found.ranking_loss == pytest.approx(second - actual, rel=1e-12)
    assert found.recall_share + found.ranking_share == pytest.approx(1, rel=1e-12)


def test_candidates_recall_retention_and_judged() -> None:
    retrieval, fine = worked().stages
    assert (retrieval.candidates, fine.candidates) == (3.0, 1.5)
    assert retrieval.recall == pytest.approx((2 / 3 + 1) / 2)
    assert fine.recall == pytest.approx((1 / 3 + 1 / 2) / 2)
    assert (retrieval.retention, fine.retention) == pytest.approx((4 / 5, 2 / 4))
    assert (retrieval.retention_macro, fine.retention_macro) == pytest.approx((5 / 6, 1 / 2))
    assert (retrieval.judged, fine.judged) == pytest.approx((5 / 6, 1.0))


def test_cutoffs_end_with_the_longest_list() -> None:
    found = relyon.funnel(JUDGMENTS, RETRIEVAL, cutoffs=(1, 4, 5))
    wanted = relyon.evaluate(JUDGMENTS, RETRIEVAL, ["recall@1", "recall@4"])
    assert found.stages[0].recall_at == {1: wanted["recall@1"], 4: wanted["recall@4"]}


def test_candidates_cut_each_list() -> None:
    found = relyon.funnel(JUDGMENTS, RETRIEVAL, k=2, candidates=1)
    assert found.stages[0].candidates == 1
    assert found.stages[0].ideal == pytest.approx((2 + 1) / 2)
    ties = {"q1": {"a": 1.0, "b": 1.0}}
    for rule, document in (("doc-desc", 2.0), ("doc-asc", 3.0), ("input", 3.0)):
        cut = relyon.funnel({"q1": {"a": 3, "b": 2}}, ties, candidates=1, convention={"ties": rule})
        assert cut.actual == document, rule
    ranked = relyon.Run.from_arrays(["q1", "q1"], ["a", "b"], [2.0, 1.0], [2, 1])
    by_rank = relyon.funnel(
        {"q1": {"a": 3, "b": 2}}, ranked, candidates=1, convention={"ties": "rank"}
    )
    assert by_rank.actual == 2.0


def test_missing_queries_follow_the_convention() -> None:
    stages = {"retrieval": RETRIEVAL, "fine": {"q1": FINE["q1"]}}
    counted = relyon.funnel(JUDGMENTS, stages, k=2)
    assert counted.queries == 2
    assert counted.stages[1].ideal == pytest.approx(2 / 2)
    assert [note.kind for note in counted.notes] == ["missing-queries"]
    one = {"q1": RETRIEVAL["q1"]}
    skipped = relyon.funnel(JUDGMENTS, one, k=2, convention={"missing": "skip"})
    assert (skipped.queries, skipped.notes) == (1, ())
    # A query that an earlier stage held and a later one lost is lost, not missing.
    both = relyon.funnel(JUDGMENTS, stages, k=2, convention={"missing": "skip"})
    assert both.queries == 2
    with pytest.raises(relyon.InputError):
        relyon.funnel(JUDGMENTS, one, convention={"missing": "error"})


def test_queries_without_a_relevant_document() -> None:
    judgments = {**JUDGMENTS, "q3": {"z": 0}}
    run = {**RETRIEVAL, "q3": {"z": 1.0}}
    skipped, zero = (
        relyon.funnel(judgments, run, convention={"undefined": rule}) for rule in ("skip", "zero")
    )
    assert skipped.queries == 3
    assert [note.kind for note in skipped.notes] == ["undefined-queries"]
    assert zero.stages[0].recall == pytest.approx(skipped.stages[0].recall * 2 / 3)
    assert zero.ideal == skipped.ideal


def test_a_document_from_nowhere_is_noticed() -> None:
    found = relyon.funnel(JUDGMENTS, {"fine": FINE, "late": RETRIEVAL}, k=2)
    (note,) = [note for note in found.notes if note.kind == "stages-do-not-nest"]
    assert (note.count, note.level) == (3, "warning")
    assert note.examples == ("q1: c", "q1: x", "q2: e")
    assert found.stages[1].loss < 0
    assert found.stages[1].retention == pytest.approx(4 / 2)
    assert not [note for note in worked().notes if note.kind == "stages-do-not-nest"]


def test_ties_are_noticed_where_they_matter() -> None:
    tied = {"q1": {"a": 1.0, "b": 1.0, "c": 1.0}, "q2": {"e": 2.0, "f": 1.0}}
    found = relyon.funnel(JUDGMENTS, {"first": tied, "last": tied}, k=1)
    (note,) = found.notes
    assert (note.kind, note.count) == ("tie-sensitive", 1)
    assert note.message.endswith("across the cutoff of dcg@1: ties=doc-desc decides")
    # The order of an earlier stage plays no part, nor do ties below k.
    clear = {"q1": {"b": 2.0, "a": 1.0}, "q2": {"f": 1.0}}
    assert relyon.funnel(JUDGMENTS, {"first": tied, "last": clear}, k=1).notes == ()
    assert relyon.funnel(JUDGMENTS, tied, k=3, cutoffs=(1,)).notes == ()


def test_gain_discount_and_scale_are_the_convention_s() -> None:
    judgments = {"q": {"a": "高", "b": "低"}}
    found = relyon.funnel(
        judgments, {"q": {"b": 1.0}}, convention={"gain": "scale"}, scale="search"
    )
    assert (found.ideal, found.actual) == pytest.approx((1 + 0.3 * SECOND, 0.3))
    linear = relyon.funnel(
        judgments, {"q": {"b": 1.0}}, convention={"discount": "none"}, scale="search"
    )
    assert (linear.ideal, linear.actual) == (4.0, 1.0)


def test_verdicts_and_sentences() -> None:
    lost = relyon.funnel({"q": {"a": 3, "b": 1}}, {"q": {"b": 1.0}}, k=1)
    assert (lost.verdict, lost.recall_share) == ("recall", 1.0)
    assert lost.sentence() == (
        "100% of the loss is recall: start with the retrieval. DCG@1 is 1.0000 of 3.0000."
    )
    low = relyon.funnel({"q": {"a": 3, "b": 1}}, {"q": {"b": 2.0, "a": 1.0}}, k=1)
    assert (low.verdict, low.ranking_loss) == ("ranking", 2.0)
    assert low.sentence("zh").startswith("损失的 100% 来自排序")
    best = relyon.funnel({"q": {"a": 3}}, {"q": {"a": 2.0}}, k=1)
    assert best.verdict == "none"
    assert math.isnan(best.recall_share)
    assert best.sentence() == (
        "Nothing is lost: DCG@1 is 3.0000, the best that the judgments allow."
    )
    even = relyon.funnel({"q": {"a": 1000, "b": 404, "c": 0}}, {"q": {"c": 2.0, "b": 1.0}}, k=1)
    assert (even.verdict, even.recall_share) == ("recall", 0.596)  # 60%, as shown
    both = relyon.funnel({"q": {"a": 4, "b": 2, "c": 0}}, {"q": {"c": 2.0, "b": 1.0}}, k=1)
    assert both.verdict == "both"
    assert "(fine 49%, retrieval 35%): start with fine." in worked().sentence()
    assert "（fine 49%、retrieval 35%）：先看 fine。" in worked().sentence("zh")
    with pytest.raises(relyon.ParameterError, match="language"):
        best.sentence("de")


def test_texts_fit_and_agree() -> None:
    stages = {"a stage whose name is much too long for a table of eighty columns": RETRIEVAL}
    found = relyon.funnel(JUDGMENTS, {**stages, "精排": FINE}, k=2)
    assert max(map(width, str(found).splitlines())) <= 80
    assert "█" in str(found)
    rows = list(csv.DictReader(StringIO(found.to_csv())))
    assert [row["stage"] for row in rows] == [*stages, "精排", "ranking"]
    assert float(rows[1]["loss"]) == found.stages[1].loss
    assert math.fsum(float(row["loss"]) for row in rows) == pytest.approx(found.loss)
    content = json.loads(json.dumps(found.to_dict(per_query=True), allow_nan=False))
    assert content["stages"][1]["ideal"] == found.stages[1].ideal
    assert [row["query"] for row in content["per_query"]] == ["q1", "q2"]
    assert "| 精排 | 1.5 |" in found.to_markdown()
    assert "精排" in found._repr_html_()
    frame = found.to_frame()
    assert frame["loss"].to_list() == [stage.loss for stage in found.stages]


def test_sources_of_stages(files: Any) -> None:
    by_path = relyon.funnel("judgments.qrels", ["bm25.run", "tfidf.run"])
    assert [stage.name for stage in by_path.stages] == ["bm25.run", "tfidf.run"]
    runs = [relyon.read_run(name) for name in ("bm25.run", "tfidf.run")]
    again = relyon.funnel("judgments.qrels", runs, names=["bm25.run", "tfidf.run"])
    assert again.stages == by_path.stages
    frame = runs[0].to_frame()
    one = relyon.funnel("judgments.qrels", frame)
    streamed = relyon.funnel("judgments.qrels", "bm25.run")
    assert one.to_dict()["loss"] == streamed.to_dict()["loss"]
    assert streamed.actual == relyon.evaluate("judgments.qrels", "bm25.run", "dcg@10")["dcg@10"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"k": 0}, "whole number of 1 or more"),
        ({"cutoffs": [0]}, "`cutoffs` must be a whole number"),
        ({"candidates": 2.5}, "`candidates` must be a whole number"),
        ({"names": ["a", "b"]}, "1 stages but 2 names"),
    ],
)
def test_impossible_parameters(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(relyon.ParameterError, match=message):
        relyon.funnel(JUDGMENTS, RETRIEVAL, **arguments)


def test_impossible_stages() -> None:
    with pytest.raises(relyon.ParameterError, match="no stage"):
        relyon.funnel(JUDGMENTS, [])
    with pytest.raises(relyon.ParameterError, match="same name"):
        relyon.funnel(JUDGMENTS, [RETRIEVAL, FINE])


LISTS = st.dictionaries(
    st.sampled_from("abcdefgh"), st.tuples(st.integers(0, 3), st.integers(0, 4)), max_size=8
)


@pytest.mark.long
@given(
    queries=st.lists(st.tuples(LISTS, st.integers(0, 255), st.integers(0, 255)), min_size=1),
    k=st.sampled_from([1, 3, None]),
    gain=st.sampled_from(["linear", "exp", {0: 0, 1: 5, 2: 1, 3: 2}]),
    ties=st.sampled_from(["doc-desc", "expected", "worst", "best"]),
)
def test_losses_add_up_and_are_no_gains(
    queries: list[Any], k: int | None, gain: Any, ties: str
) -> None:
    judgments: dict[str, Any] = {"held": {"a": 3}}
    first: dict[str, Any] = {"held": {"a": 1.0}}
    second: dict[str, Any] = {"held": {"a": 1.0}}
    for number, (documents, one, two) in enumerate(queries):
        name = f"q{number}"
        judgments[name] = {document: grade for document, (grade, _) in documents.items()}
        chosen = [key for place, key in enumerate(documents) if one >> place & 1]
        first[name] = {key: float(documents[key][1]) for key in chosen}
        kept = [key for place, key in enumerate(chosen) if two >> place & 1]
        second[name] = {key: float(documents[key][1]) for key in kept}
        if not judgments[name]:
            del judgments[name], first[name], second[name]
    rules = {"gain": gain, "ties": ties}
    found = relyon.funnel(judgments, {"one": first, "two": second}, k, convention=rules)
    frame = found.per_query
    zero = 1e-12
    assert sorted(frame["query"]) == sorted(judgments)
    whole = polars.col("ideal") - polars.col("actual")
    parts = polars.col("loss:one") + polars.col("loss:two") + polars.col("ranking_loss")
    assert frame.select((whole - parts).abs().max()).item() <= zero
    for name in ("loss:one", "loss:two", "recall_loss", "ranking_loss"):
        assert frame[name].min() >= -zero  # type: ignore[operator]
    losses = math.fsum(stage.loss for stage in found.stages)
    assert losses == pytest.approx(found.recall_loss, abs=zero)
    assert found.recall_loss + found.ranking_loss == pytest.approx(found.loss, abs=zero)
    dcg = relyon.evaluate(
        judgments, second, [relyon.measure("dcg") if k is None else f"dcg@{k}"], convention=rules
    )
    assert found.actual == pytest.approx(next(iter(dcg.values())), abs=zero)
    assert not [note for note in found.notes if note.kind == "stages-do-not-nest"]


def test_real_run_agrees_with_trec_eval(test_data: Path) -> None:
    folder = test_data / "dl_hard_passage"
    stages = {"bm25": folder / "bm25.run.gz", "re-rank": folder / "bm25_t5.zs.run.gz"}
    found = relyon.funnel(folder / "qrels.passage.txt", stages)
    for stage, path in zip(found.stages, stages.values(), strict=True):
        name = path.name.removesuffix(".run.gz") + ".te9.0.8.all_trec.q.txt.gz"
        with gzip.open(folder / name, "rt") as lines:
            values = {tuple(line.split()[:2]): line.split()[2] for line in lines}
        assert stage.recall == pytest.approx(float(values["set_recall", "all"]), rel=1e-12)
        assert stage.recall_at[100] == pytest.approx(float(values["recall_100", "all"]), rel=1e-12)
    # The second stage reorders what the first returned.
    assert found.stages[1].loss == pytest.approx(0, abs=1e-12)
    assert found.stages[1].retention == 1
    assert found.verdict == "ranking"
    assert not [note for note in found.notes if note.kind == "stages-do-not-nest"]
