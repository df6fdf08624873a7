"""Shared by several workloads: the rules for checking values, and relyon's calls."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import relyon
from bench import peers
from bench.timing import Contender

#: Rules as the two ends between which a peer's value must lie; equal where it has a fixed rule.
RULES: dict[str, tuple[Any, Any]] = {
    "relyon": ("relyon", "relyon"),
    "input order": ({"ties": "input"}, {"ties": "input"}),
    "any order of ties": (
        {"ties": "worst", "scores": "float32"},
        {"ties": "best", "scores": "float32"},
    ),
    "trec_eval": ("trec_eval", "trec_eval"),
    "pytrec_eval": ("pytrec_eval", "pytrec_eval"),
    "sklearn": ("sklearn", "sklearn"),
    "lightgbm, linear gain": ({"preset": "lightgbm", "gain": "linear"},) * 2,
    "ranx": ("ranx", "ranx"),
    "pyndeval": ({"ties": "doc-asc"}, {"ties": "doc-asc"}),
}
PRINTED = 6e-5  # trec_eval prints four decimals


def expected_values(
    evaluate: Callable[[Any], Mapping[str, float]],
) -> Callable[[str], Mapping[str, tuple[float, float]]]:
    @cache
    def bounds(rules: str) -> Mapping[str, tuple[float, float]]:
        low, high = (dict(evaluate(convention)) for convention in RULES[rules])
        return {name: (value, high[name]) for name, value in low.items()}

    return bounds


def five_measures(judgments: Any, run: Any, convention: Any = None) -> relyon.Results:
    return relyon.evaluate(judgments, run, peers.FIVE, convention=convention)


def with_rr(judgments: Any, run: Any, convention: Any) -> relyon.Results:
    return relyon.evaluate(judgments, run, (*peers.FIVE, "rr"), convention=convention)


def evaluate_command(judgments: Path, run: Path) -> list[str]:
    measures = [part for name in peers.FIVE for part in ("-m", name)]
    program = Path(sys.executable).with_name("relyon")
    start = [str(program)] if program.exists() else [sys.executable, "-m", "relyon"]
    return [*start, "evaluate", str(judgments), str(run), *measures, "--format", "json"]


def read_json(printed: str) -> peers.Values:
    import json

    measures = json.loads(printed)["measures"]
    return {name: entry["value"] for name, entry in measures.items()}


def trec_eval(judgments: Path, run: Path) -> Contender:
    return Contender(
        "trec_eval",
        peers.trec_eval_command(judgments, run),
        peers.read_trec_eval,
        "trec_eval",
        PRINTED,
        absent=None
        if peers.trec_eval_program()
        else "no trec_eval binary on the path or in TREC_EVAL",
    )
