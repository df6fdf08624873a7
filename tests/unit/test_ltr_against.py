"""A new ranker against an earlier one: one difference, or the reason why there is none."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from tests.unit.conftest import Command
from tests.unit.trained import rows_of, training_of, write_features

import relyon
import relyon.ltr
from relyon import InputError, ParameterError
from relyon.core.language import Language
from relyon.core.notes import Note
from relyon.data.convention import load_convention
from relyon.ltr.rankers.fingerprints import input_fingerprints

SMALL: dict[str, Any] = {"trees": 5, "min_rows": 3, "threads": 1, "folds": 3, "baseline": None}
TRAIN = ("train", "features.csv", "-o", "new.model", "--threads", "1", "--baseline", "none")
FEW = ("-p", "trees=5", "-p", "min_rows=3", "--folds", "3", "--force")


@pytest.fixture
def held(files: Path) -> Path:
    """Rows to train on, and 12 other queries of other names."""
    write_features(rows_of(queries=12, size=6, seed=0), files / "features.csv")
    rows = rows_of(queries=12, size=6, seed=1)
    other = replace(rows, queries=[f"h{place}" for place in range(12)])
    write_features(other, files / "heldout.csv")
    return files


def trained(**changes: Any) -> relyon.ltr.Training:
    """Returns a small training of the rows of `held`."""
    return relyon.ltr.train("features.csv", **SMALL | changes)


def test_a_ranker_is_measured_on_the_held_out_rows(held: Path) -> None:
    old = trained(measure="ndcg@5").ranker
    old.save("old.model")
    found = trained(valid="heldout.csv", against="old.model", learning_rate=0.3)
    beside = found.against
    assert beside is not None
    assert beside.tested is not None
    rows = relyon.read_features("heldout.csv")
    expected = relyon.evaluate_scores(rows, old.predict(rows), measures="ndcg@10")
    assert beside.number.value == pytest.approx(expected["ndcg@10"], abs=1e-12)
    differences = np.array(found.values) - np.array(expected.column("ndcg@10"))
    assert beside.difference == pytest.approx(np.nanmean(differences), abs=1e-12)
    assert beside.tested.paired == np.count_nonzero(~np.isnan(differences))
    (note,) = beside.notes
    assert (note.kind, note.values["rules"]) == ("earlier-goal", "ndcg@5 ≠ ndcg@10")
    assert note in found.notes
    assert trained(valid="heldout.csv", against=old).against is not None


def test_a_ranker_that_knows_the_held_out_queries_is_refused(held: Path) -> None:
    trained().ranker.save("old.model")
    with pytest.raises(ParameterError, match="was trained on these queries"):
        trained(against="old.model")
    with pytest.raises(ParameterError, match="may have been trained on these queries"):
        relyon.ltr.train("heldout.csv", against="old.model", **SMALL)
    with pytest.raises(InputError, match="was trained on the held-out rows"):
        relyon.ltr.train("heldout.csv", valid="features.csv", against="old.model", **SMALL)
    other = relyon.ltr.train("heldout.csv", valid="heldout.csv", against="old.model", **SMALL)
    assert other.against is not None
    assert "earlier-data" in {note.kind for note in other.against.notes}


def test_the_number_of_a_card_is_compared_over_the_same_folds(held: Path) -> None:
    old = trained(baseline="regression")
    Path("old.json").write_text(old.card.to_json(), "utf-8")
    Path("whole.json").write_text(old.to_json(), "utf-8")
    found = trained(against="whole.json", learning_rate=0.3)
    by_card = trained(against="old.json", learning_rate=0.3).against
    assert found.against is not None
    assert by_card is not None
    assert found.against.tested is not None
    assert found.against.tested.baseline == pytest.approx(old.found.value, abs=1e-12)
    assert by_card.tested is None
    assert by_card.difference == pytest.approx(found.against.difference, abs=1e-12)
    assert by_card.difference == pytest.approx(found.found.value - old.found.value, abs=1e-12)


@pytest.mark.parametrize(
    ("changes", "kind", "said"),
    [
        ({"measure": "ndcg@5"}, "other-measure", "ndcg@5 ≠ ndcg@10"),
        ({"convention": {"gain": "exp"}}, "other-measure", "gain: exp ≠ linear"),
        ({"folds": 4}, "other-queries", "other held-out queries"),
        ({"valid": "heldout.csv"}, "other-queries", "other held-out queries"),
    ],
)
def test_numbers_that_are_not_the_same_have_no_difference(
    held: Path, changes: dict[str, Any], kind: str, said: str
) -> None:
    Path("old.json").write_text(trained().to_json(), "utf-8")
    found = trained(against="old.json", **changes)
    assert found.against is not None
    (note,) = found.against.notes
    assert (note.kind, note.level) == (kind, "warning")
    assert said in note.text()
    assert math.isnan(found.against.difference)
    told = json.loads(found.to_json())["against"]
    assert told["difference"] is None
    assert told["tested"] is None
    assert "no difference is given" in found.to_text(columns=200)
    assert "不给出差值" in found.to_text(columns=200, language="zh")


def test_more_features_of_the_same_queries_are_compared(held: Path) -> None:
    old = trained(valid="heldout.csv").card
    for name in ("features.csv", "heldout.csv"):
        lines = Path(name).read_text("utf-8").splitlines()
        more = [
            lines[0] + ",clicks",
            *(f"{line},{place % 7}" for place, line in enumerate(lines[1:])),
        ]
        Path(name).write_text("\n".join(more) + "\n", "utf-8")
    found = trained(valid="heldout.csv", against=old)
    assert found.card.data.fingerprint != old.data.fingerprint
    assert found.against is not None
    assert found.against.notes == ()
    assert not math.isnan(found.against.difference)


def test_models_and_cards_carry_the_fingerprints_of_their_judgments(held: Path) -> None:
    found = trained(valid="heldout.csv")
    inputs = found.card.inputs
    for name, file in (("trained", "features.csv"), ("held_out", "heldout.csv")):
        rows = relyon.read_features(file)
        judgments = relyon.Judgments.from_arrays(
            np.repeat(rows.queries, np.diff(rows.groups)), rows.documents or [], rows.labels
        )
        expected = relyon.evaluate(judgments, judgments.to_dict()).inputs
        assert expected is not None
        assert inputs[name].judgments == expected.judgments
        assert (inputs[name].scale, inputs[name].counts) == (None, expected.counts)
    found.ranker.save("old.model")
    told = relyon.ltr.describe("old.model")["data"]
    assert told.get("inputs") == inputs["trained"].to_dict()
    assert told["fingerprint"] == found.card.data.fingerprint
    folds = trained().card.inputs
    assert folds["held_out"] == folds["trained"] == inputs["trained"]
    frame = pl.read_csv("features.csv").drop("document")
    assert relyon.ltr.train(frame, **SMALL).card.inputs == {}
    frame = pl.read_csv("features.csv")
    for label in (0, 1):  # one document twice: with the same label, and with another
        again = frame[:1].with_columns(label=pl.lit(label, frame["label"].dtype))
        rows = relyon.read_features(pl.concat([frame, again]))
        assert input_fingerprints(rows, load_convention("relyon")) is None


def test_rows_in_another_order_are_the_same_held_out_rows(held: Path) -> None:
    Path("old.json").write_text(trained(valid="heldout.csv").card.to_json(), "utf-8")
    pl.read_csv("heldout.csv")[::-1].write_csv("turned.csv")
    found = trained(valid="turned.csv", against="old.json").against
    assert found is not None
    assert found.notes == ()
    assert found.difference == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("kept", ["whole", "card"])
def test_other_labels_are_told_as_between_stored_results(held: Path, kept: str) -> None:
    old = trained(valid="heldout.csv")
    text = (old if kept == "whole" else old.card).to_json()
    Path("old.json").write_text(text, "utf-8")
    frame = pl.read_csv("heldout.csv")
    frame = frame.with_columns(
        label=pl.when(query="h3").then(3 - pl.col("label")).otherwise("label")
    )
    frame.write_csv("heldout.csv")
    found = trained(valid="heldout.csv", against="old.json").against
    assert found is not None
    assert math.isnan(found.difference)
    (note,) = found.notes
    said = "`lambdamart` and `old.json` were measured with different judgments (72 judgments of 12"
    assert said in note.text()
    assert ("1 of 12 shared queries differ: `h3`" in note.text()) == (kept == "whole")
    assert "the judged documents are the same, with other grades" in note.text()
    assert "`lambdamart` 与 `old.json` 所用的标注不同" in note.text("zh")
    before = json.loads(text)
    (before["card"] if kept == "whole" else before).pop("inputs")  # as earlier versions wrote it
    Path("old.json").write_text(json.dumps(before), "utf-8")
    earlier = trained(valid="heldout.csv", against="old.json").against
    assert earlier is not None
    assert [one.text() for one in earlier.notes] == [Note("other-queries").text()]


def test_the_same_judgments_with_other_features_are_held_out_from_no_one(held: Path) -> None:
    trained().ranker.save("old.model")
    more = pl.read_csv("features.csv").with_columns(clicks=pl.col("bm25") * 2)
    more.write_csv("more.csv")
    with pytest.raises(InputError, match="was trained on the held-out rows"):
        relyon.ltr.train("heldout.csv", valid="more.csv", against="old.model", **SMALL)


def test_a_card_comes_back_from_json(held: Path) -> None:
    card = trained(baseline="regression").card
    Path("card.json").write_text(card.to_json(), "utf-8")
    again = relyon.ltr.read_card("card.json")
    assert json.loads(again.to_json()) | {"notes": []} == json.loads(card.to_json()) | {"notes": []}
    assert relyon.ltr.different_numbers(card, again) == ()
    for text in ("{}", "[]", "{", "[" * 100_000, '{"card": 3}', "null"):
        Path("card.json").write_text(text, "utf-8")
        with pytest.raises(InputError, match="neither a saved ranker nor a model card"):
            relyon.ltr.read_card("card.json")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_command_says_it_in_every_form(
    held: Path, command: Command, language: Language
) -> None:
    pytest.importorskip("altair")
    lang = ("--lang", language)
    outcome = command("train", "features.csv", "-o", "old.model", *TRAIN[4:], *FEW)
    assert outcome.code == 0, outcome.err
    given = (*FEW, "--valid", "heldout.csv", "--against", "old.model", *lang)
    outcome = command(*TRAIN, *given, "--report", "page.md")
    assert outcome.code == 0, outcome.err
    wanted = {"en": "Against old.model", "zh": "与 old.model 比较"}[language]
    assert wanted in outcome.out
    reached = {"en": "reaches", "zh": "在同样的留出查询上"}[language]
    assert f"old.model {reached}" in Path("page.md").read_text("utf-8")
    outcome = command(*TRAIN, *FEW, "--against", "old.model", *lang)
    assert outcome.code == 2
    assert "--valid" in outcome.err
    outcome = command(*TRAIN, *FEW, "--against", "features.csv", *lang)
    assert outcome.code == 3
    assert "features.csv" in outcome.err


def test_stored_numbers_carry_their_fingerprint() -> None:
    judgments, run = {"q": {"a": 2, "b": 1}}, {"q": {"b": 2.0, "a": 1.0}}
    rules = {"ties": "expected"}
    found = relyon.evaluate(judgments, run, ["ndcg@10", "recall@5"], convention=rules)
    told = json.loads(found.to_json())["measures"]
    assert told["ndcg@10"]["fingerprint"] == relyon.ltr.fingerprint("ndcg@10", rules)
    micro = relyon.evaluate(judgments, run, "recall@5", convention=rules, average="micro")
    (other,) = json.loads(micro.to_json())["measures"].values()
    assert other["fingerprint"] != told["recall@5"]["fingerprint"]
    compared = relyon.compare(judgments, run, run, "ndcg@10", names=["a", "b"], convention=rules)
    (contrast,) = json.loads(compared.to_json())["contrasts"]
    assert contrast["fingerprint"] == told["ndcg@10"]["fingerprint"]
    card = training_of().card
    assert card.held_out_queries == (card.data.fingerprint, "folds=5")
