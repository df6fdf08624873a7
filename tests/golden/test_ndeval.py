"""Measures of diversity against what NIST's ndeval said about the same inputs."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import relyon

Golden = Callable[[str], Any]

NAMES = {
    **{f"{name}@{k}": f"{name}@{k}" for name in ("P-IA", "strec") for k in (5, 10, 20)},
    **{
        f"{name}@{k}": f"{name}(alpha=ALPHA)@{k}"
        for name in ("ERR-IA", "nERR-IA", "alpha-DCG", "alpha-nDCG")
        for k in (5, 10, 20)
    },
    "NRBP": "NRBP(alpha=ALPHA,beta=BETA)",
    "nNRBP": "nNRBP(alpha=ALPHA,beta=BETA)",
    "MAP-IA": "MAP-IA",
}
CASES = ["plain", "many", "ties", "edges"]


def option(arguments: list[str], name: str) -> str:
    return arguments[arguments.index(name) + 1] if name in arguments else "0.5"


@pytest.mark.parametrize("case", CASES)
def test_ndeval(case: str, golden: Golden, tmp_path: Path) -> None:
    data = golden("ndeval")
    qrels, run = tmp_path / "q.qrels", tmp_path / "r.run"
    qrels.write_text("".join("{} {} {} {}\n".format(*row) for row in data["cases"][case]["qrels"]))
    run.write_text(
        "".join("{} Q0 {} {} {} run\n".format(*row) for row in data["cases"][case]["run"])
    )
    judged = {str(row[0]) for row in data["cases"][case]["qrels"]}
    entries = [entry for entry in data["expected"] if entry["case"] == case]
    assert entries
    for entry in entries:
        arguments = entry["arguments"]
        rules = {
            "ties": "doc-desc" if "-traditional" in arguments else "rank",
            "undefined": "zero",
            "missing": "zero" if "-c" in arguments else "skip",
        }
        names = {
            theirs: name.replace("ALPHA", option(arguments, "-alpha")).replace(
                "BETA", option(arguments, "-beta")
            )
            for theirs, name in NAMES.items()
        }
        found = relyon.evaluate(qrels, run, list(names.values()), convention=rules)
        for topic, values in entry["values"].items():
            for theirs, name in names.items():
                wanted = values[theirs]
                where = f"{arguments}, {topic}, {theirs}"
                if wanted is None:
                    # Without a relevant document nNRBP is 0/0 there, and so is its mean.
                    assert (theirs, case) == ("nNRBP", "edges"), where
                elif topic == "amean":
                    assert found[name] == pytest.approx(wanted, rel=1e-12), where
                elif topic not in judged:
                    assert wanted == 0, where
                else:
                    own = found.values_by_query(name)[topic]
                    own = 0.0 if math.isnan(own) else own
                    assert own == pytest.approx(wanted, rel=1e-12, abs=1e-15), where
