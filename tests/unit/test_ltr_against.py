"""A new ranker against an earlier one: one difference, or the reason why there is none."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.unit.conftest import Command
from tests.unit.trained import rows_of, training_of, write_features

import relyon
import relyon.ltr
from relyon import InputError, ParameterError
from relyon.core.language import Language

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
