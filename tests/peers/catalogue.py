"""The other programs: how their measures are called here, and which rules set them apart."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Rule:
    """Why a number differs.

    Attributes:
        measures: Pattern of the measures' names.
        cases: The cases; empty for all.
        text: The rule.
    """

    measures: str
    cases: tuple[str, ...]
    text: str


@dataclass(frozen=True)
class Program:
    """A program, and how it is asked.

    Attributes:
        key: In `peers.json`.
        title: What people call it.
        preset: The convention.
        names: Names that are written differently here.
        changes: By pattern of names: fields of the convention that the preset does not have.
        rules: Why numbers differ.
        lists: Whether it takes labelled lists, and not judgments and runs.
        digits: Numbers closer than this are the same.
    """

    key: str
    title: str
    preset: str
    names: Mapping[str, str] = field(default_factory=dict)
    changes: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    rules: tuple[Rule, ...] = ()
    lists: bool = False
    digits: float = 1e-9

    def name_of(self, theirs: str) -> str:
        """Returns relyon's name of a measure."""
        return self.names.get(theirs, theirs)

    def rules_of(self, theirs: str) -> dict[str, Any]:
        """Returns the convention under which a measure is compared."""
        found: dict[str, Any] = {"preset": self.preset}
        for pattern, changes in self.changes.items():
            if re.fullmatch(pattern, theirs):
                found |= changes
        return found


CWL = r"(BPM|SDCG|INST|INSQ|NERR\d+)\(.*|RBP\(.*"
DIVERSITY = r"alpha_.*|n?ERR_IA.*|n?NRBP|AP_IA|P_IA.*|StRecall.*"

TREC_EVAL = {".*": {"missing": "zero"}}
IR_MEASURES = Program(
    "ir_measures",
    "ir_measures",
    "ir_measures",
    names={
        "Compat": "compat(unretrieved=zero)",
        "Compat(p=0.8)": "compat(p=0.8,unretrieved=zero)",
        "nDCG(dcg='exp-log2')@3": "ndcg(gain=exp)@3",
        "RBP(rel=1)": "rbp(rel=1)@1000",
    },
    changes={
        r"RR@3|Judged@3|Compat.*": {
            "ties": "doc-asc",
            "scores": "float64",
            "negative": "nonrelevant",
        },
        DIVERSITY: {"ties": "doc-asc", "scores": "float64"},
        CWL: {"ties": "input", "scores": "float64", "negative": "nonrelevant"},
        "Accuracy.*": {
            "ties": "input",
            "scores": "float64",
            "negative": "nonrelevant",
            "undefined": "skip",
            "missing": "skip",
        },
        r"ERR@5|nDCG\(dcg.*": {"scores": "float64", "negative": "nonrelevant"},
    },
    rules=(
        Rule("NumQ|NumRel", ("edges",), "A judged query that the run lacks counts 0."),
        Rule(r"ERR@5|nDCG\(dcg.*", (), "gdeval prints five decimals."),
    ),
)

PROGRAMS: dict[str, Program] = {
    one.key: one
    for one in (
        Program("trec_eval_10", "trec_eval 10", "trec_eval10", changes=TREC_EVAL),
        Program("trec_eval_9", "trec_eval 9", "trec_eval", changes=TREC_EVAL),
        Program(
            "pytrec_eval",
            "pytrec_eval",
            "pytrec_eval",
            rules=(Rule("gm_.*", (), "A query's value is printed as its logarithm."),),
        ),
        IR_MEASURES,
        Program(
            "ranx",
            "ranx",
            "ranx",
            changes=TREC_EVAL,
            rules=(
                Rule("rbp.*", (), "The grade itself is the gain: the value may exceed 1."),
                Rule(
                    "bpref",
                    (),
                    "0/0 where every judged document is relevant, and 0 in every query after one"
                    " without relevant documents.",
                ),
                Rule(".*", ("ties",), "Equal scores are ordered by an unstable sort."),
            ),
        ),
        Program(
            "sklearn",
            "scikit-learn",
            "sklearn",
            names={
                "ndcg_score": "ndcg",
                "ndcg_score(k=3)": "ndcg@3",
                "ndcg_score(k=3, ignore_ties=True)": "ndcg@3",
                "dcg_score": "dcg",
                "dcg_score(k=3)": "dcg@3",
                "roc_auc_score": "auc",
                "roc_auc_score(max_fpr=0.3)": "auc(max_fpr=0.3)",
                "average_precision_score": "average_precision",
            },
            changes={r".*ignore_ties.*": {"ties": "input-desc"}},
            rules=(
                Rule(
                    ".*ignore_ties.*",
                    ("graded_ties", "binary_ties"),
                    "NumPy's default sort keeps the order of ties in short lists only.",
                ),
            ),
            lists=True,
        ),
        Program("lightgbm", "LightGBM", "lightgbm", lists=True),
        Program(
            "xgboost",
            "XGBoost",
            "xgboost",
            names={
                "ndcg@3-": "ndcg@3",
                "map": "ap",
                "map@3": "ap@3",
                "map@3-": "ap@3",
                "pre@3": "p@3",
                "pre@50": "p@50",
            },
            changes={".*-": {"undefined": "zero"}},
            lists=True,
            digits=1e-6,
        ),
        Program(
            "catboost",
            "CatBoost",
            "catboost",
            names={
                "NDCG:top=3": "ndcg@3",
                "NDCG:type=Exp": "ndcg(gain=exp)",
                "NDCG:denominator=Position": "ndcg(discount=inverse)",
                "MAP:top=3": "ap@3",
                "MRR:top=3": "rr@3",
                "PrecisionAt:top=3": "p@3",
                "RecallAt:top=3": "recall@3",
            },
            lists=True,
            digits=1e-7,
        ),
    )
}
