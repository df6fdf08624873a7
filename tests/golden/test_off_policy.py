"""Off-policy estimates against those of the Open Bandit Pipeline, with one model of rewards."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from relyon.labels.off_policy import evaluate_policy

OBP = json.loads((Path(__file__).parent / "data" / "obp.json").read_text("utf-8"))


@pytest.mark.parametrize("name", ["ips", "snips", "dr"])
def test_decisions(name: str) -> None:
    log, policy = pl.DataFrame(OBP["decisions"]), pl.DataFrame(OBP["policy"])
    found = evaluate_policy(log, policy, estimators=[name])
    assert found[name].value == pytest.approx(OBP["of_decisions"][name], abs=1e-12)


@pytest.mark.parametrize("name", ["ips", "snips", "item-position", "cascade-dr"])
def test_lists(name: str) -> None:
    log = pl.DataFrame(OBP["lists"])
    ranking = {"q": {doc: -place for place, doc in enumerate(OBP["ranking"])}}
    found = evaluate_policy(log, ranking, estimators=[name], propensities="conditional")
    assert found[name].value == pytest.approx(OBP["of_lists"][name], abs=1e-12)
