"""What programs do under options of their own, beside their presets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from relyon.data.convention import Convention, load_convention, presets

__all__ = ["PROGRAMS", "Program"]


@dataclass(frozen=True)
class Program:
    """A program as it counts without options, or under one of them.

    Attributes:
        preset: Its preset.
        option: The option, as one writes it there; empty without one.
        convention: Its rules.
    """

    preset: str
    option: str
    convention: Convention

    def __str__(self) -> str:
        return f"{self.preset} ({self.option})" if self.option else self.preset


#: By preset: options that change how a program counts. docs/peers.md has the tests.
_OPTIONS: dict[str, dict[str, dict[str, Any]]] = {
    "trec_eval": {"-c": {"missing": "zero"}, "-l2": {"rel": 2}},
    "trec_eval10": {"-c": {"missing": "zero"}},
    "ir_measures": {
        "dcg='exp-log2'": {"gain": "exp", "scores": "float64", "negative": "nonrelevant"},
        "rel=2": {"rel": 2},
    },
    "ranx": {
        "make_comparable=True": {"missing": "zero"},
        "ndcg_burges": {"gain": "exp"},
        "-l2": {"rel": 2},
    },
    "sklearn": {"ignore_ties=True": {"ties": "input-desc"}},
    "lightgbm": {"label_gain=0,1,2,…": {"gain": "linear"}},
    "xgboost": {
        "ndcg_exp_gain=False": {"gain": "linear"},
        "ndcg@k-": {"undefined": "zero"},
    },
    "catboost": {"type=Exp": {"gain": "exp"}},
    "torchmetrics": {
        "retrieval_normalized_dcg": {"ties": "expected"},
        "empty_target_action=skip": {"undefined": "skip"},
        "empty_target_action=pos": {"undefined": "one"},
    },
    "quepid": {"ndcg_cut": {"ideal": "judged"}},
    "elasticsearch": {"ignore_unlabeled": {"unjudged": "ignored"}},
}


#: The order in which programs are named that count alike here: those that most people use first.
_FIRST = (
    *("relyon", "trec_eval", "pytrec_eval", "ir_measures", "ranx", "sklearn", "torchmetrics"),
    *("lightgbm", "xgboost", "catboost", "elasticsearch", "opensearch", "quepid"),
)


def _programs() -> tuple[Program, ...]:
    names = [*_FIRST, *(name for name in presets if name not in _FIRST)]
    found = [Program(name, "", load_convention(name)) for name in names]
    for name, options in _OPTIONS.items():
        for option, changes in options.items():
            found.append(Program(name, option, load_convention(name).replace(**changes)))
    return tuple(found)


#: relyon's default rules, every preset, then programs under their options.
PROGRAMS = _programs()
