"""Writes tests/peers/peers.json: every number that the other programs print, about our own inputs.

Run it with the dependency group `peers` installed:

    TREC_EVAL_9=PATH TREC_EVAL_10=PATH python -m tests.peers.make_peers

The binaries are built as `tests/golden/make_golden.py` says, so that they print all digits. The
inputs are those of `tests/golden`. A program that is not there keeps what the file holds.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.golden.inputs import make_inputs, make_lists
from tests.golden.make_golden import (
    lightgbm_values,
    run_trec_eval,
    version,
    xgboost_values,
)
from tests.peers.inputs import subtopics

FILE = Path(__file__).with_name("peers.json")

#: Values of one measure: by case, then by query; `all` is the summary.
Values = dict[str, dict[str, dict[str, float | None]]]


def kept(value: float) -> float | None:
    """Returns a number with 12 digits; JSON has no NaN."""
    return None if math.isnan(value) else float(f"{value:.12g}")


def trec_eval(binary: str) -> Values:
    """Everything of `-m all_trec`, with `-c`; of 10.0's rbp what reads no uninitialised memory."""
    found: Values = {}
    for case, data in make_inputs().items():
        shown = run_trec_eval(
            binary, data["judgments"], data["run"], ["-c", "-m", "all_trec", "-m", "infAP"]
        )
        for query, row in shown.items():
            for name, value in row.items():
                if name == "rbp" and case != "binary":
                    continue
                found.setdefault(name, {}).setdefault(case, {})[query] = kept(value)
    return found


def pytrec_eval() -> Values:
    import pytrec_eval as program

    found: Values = {}
    for case, data in make_inputs().items():
        names = sorted(program.supported_measures - {"runid", "relstring"})
        shown = program.RelevanceEvaluator(data["judgments"], set(names)).evaluate(data["run"])
        for query, row in shown.items():
            for name, value in row.items():
                found.setdefault(name, {}).setdefault(case, {})[query] = kept(float(value))
    return found


IR_MEASURES = ["AP", "AP(rel=2)@5", "P@5", "P(rel=2)@3", "R@5", "RR", "RR@3", "nDCG", "nDCG@3"]
IR_MEASURES += ["nDCG(gains={1:1,2:3,3:7})@5", "nDCG(gains={1:2})@5", "Rprec", "Bpref", "infAP"]
IR_MEASURES += ["Judged@3", "Success@3", "SetP", "SetP(relative=True)", "SetR", "SetF"]
IR_MEASURES += ["SetF(beta=2.0)", "SetAP", "NumQ", "NumRel", "NumRet", "NumRet(rel=1)", "IPrec@0.1"]
IR_MEASURES += ["RBP", "RBP(rel=1)", "RBP(p=0.5,rel=1)@5", "Accuracy", "Accuracy@5", "Compat"]
IR_MEASURES += [
    "Compat(p=0.8)",
    "BPM(max_rel=3)@5",
    "BPM(T=2.0,max_rel=3)@10",
    "SDCG(max_rel=3)@5",
    "INST(max_rel=3)",
]
IR_MEASURES += ["INSQ(max_rel=3)", "NERR8(max_rel=3)@5", "NERR9(max_rel=3)@5"]
IR_MEASURES += ["NERR10(max_rel=3)", "NERR11(max_rel=3)", "nDCG(judged_only=True)@5"]
IR_MEASURES += ["P(judged_only=True)@3", "RR(judged_only=True)", "AP(judged_only=True)"]
IR_MEASURES += ["ERR@5", "nDCG(dcg='exp-log2')@3"]
DIVERSITY = ["alpha_nDCG@5", "alpha_nDCG(alpha=0.2)@10", "alpha_DCG@5", "ERR_IA@5", "nERR_IA@5"]
DIVERSITY += ["NRBP", "nNRBP", "AP_IA", "P_IA@5", "StRecall@3", "StRecall@10"]


def ir_measures() -> Values:
    import ir_measures as program

    found: Values = {}

    def add(names: list[str], case: str, judgments: Any, run: Any) -> None:
        for name in names:
            # One at a time: together, nDCG may be computed with the gains of another measure.
            measure = program.parse_measure(name)
            try:
                shown = list(program.iter_calc([measure], judgments, run))
            except ValueError as error:
                print(f"ir_measures has no value: {error}")
                continue
            rows = found.setdefault(name, {}).setdefault(case, {})
            for one in shown:
                rows[one.query_id] = kept(float(one.value))
            mean = program.calc_aggregate([measure], judgments, run)[measure]
            rows["all"] = kept(float(mean))

    for case, data in make_inputs().items():
        # gdeval reads whole numbers as topics.
        judgments = {query[1:]: grades for query, grades in data["judgments"].items()}
        run = {query[1:]: scores for query, scores in data["run"].items()}
        add(IR_MEASURES, case, judgments, run)
    for case, (judged, run) in subtopics().items():
        rows = [
            program.Qrel(query, document, grade, subtopic)
            for query, documents in judged.items()
            for document, grades in documents.items()
            for subtopic, grade in grades.items()
        ]
        add(DIVERSITY, case, rows, run)
    return found


RANX = ["hits", "hits@3", "hit_rate@3", "precision", "precision@5", "recall@5", "f1", "f1@5"]
RANX += ["r-precision", "mrr", "mrr@2", "map", "map@5", "dcg", "dcg@5", "dcg_burges@5", "ndcg"]
RANX += ["ndcg@5", "ndcg_burges@5", "bpref", "rbp.95", "rbp.8"]


def ranx() -> Values:
    import ranx as program

    found: Values = {}
    for case, data in make_inputs().items():
        qrels = program.Qrels(data["judgments"])
        run = program.Run({q: v for q, v in data["run"].items() if q in data["judgments"]})
        queries = sorted(data["judgments"])
        for name in RANX:
            column = program.evaluate(qrels, run, [name], return_mean=False, make_comparable=True)
            rows = dict(zip(queries, map(float, column), strict=True))
            found.setdefault(name, {})[case] = {query: kept(one) for query, one in rows.items()}
    return found


def of_lists(measure: Callable[[dict[str, Any], str], dict[str, float | None]]) -> Values:
    """Asks a program about every list of the labelled cases."""
    found: Values = {}
    for case, rows in make_lists().items():
        for place, row in enumerate(rows):
            for name, value in measure(row, case).items():
                if value is not None:
                    column = found.setdefault(name, {}).setdefault(case, {})
                    column[f"q{place}"] = kept(float(value))
    return found


def sklearn() -> Values:
    from sklearn import metrics

    def measure(row: dict[str, Any], case: str) -> dict[str, float | None]:
        labels, scores = row["labels"], row["scores"]
        found: dict[str, float | None] = {
            "ndcg_score": metrics.ndcg_score([labels], [scores]),
            "ndcg_score(k=3)": metrics.ndcg_score([labels], [scores], k=3),
            "ndcg_score(k=3, ignore_ties=True)": metrics.ndcg_score(
                [labels], [scores], k=3, ignore_ties=True
            ),
            "dcg_score": metrics.dcg_score([labels], [scores]),
            "dcg_score(k=3)": metrics.dcg_score([labels], [scores], k=3),
        }
        if case.startswith("binary") and 0 < sum(labels) < len(labels):
            found["roc_auc_score"] = metrics.roc_auc_score(labels, scores)
            found["roc_auc_score(max_fpr=0.3)"] = metrics.roc_auc_score(labels, scores, max_fpr=0.3)
            found["average_precision_score"] = metrics.average_precision_score(labels, scores)
        return found

    return of_lists(measure)


def lightgbm() -> Values:
    return of_lists(lambda row, case: dict(lightgbm_values(row, [1, 3, 5, 10])))


def xgboost() -> Values:
    def measure(row: dict[str, Any], case: str) -> dict[str, float | None]:
        names = ["ndcg", "ndcg@3", "ndcg@3-"]
        if case.startswith("binary"):
            names += ["map", "map@3", "map@3-", "pre@3", "pre@50"]
        return dict(xgboost_values(row["labels"], row["scores"], [len(row["labels"])], names))

    return of_lists(measure)


def catboost() -> Values:
    from catboost.utils import eval_metric

    names = ["NDCG", "NDCG:top=3", "NDCG:type=Exp", "NDCG:denominator=Position", "DCG"]
    names += ["MAP:top=3", "MRR:top=3", "PrecisionAt:top=3", "RecallAt:top=3"]

    def measure(row: dict[str, Any], case: str) -> dict[str, float | None]:
        labels = [float(label) for label in row["labels"]]
        group = [0] * len(labels)
        return {name: eval_metric(labels, row["scores"], name, group_id=group)[0] for name in names}

    return of_lists(measure)


def main() -> None:
    """Asks every program that is there, and keeps what the others said before."""
    warnings.simplefilter("ignore")
    found: dict[str, Any] = json.loads(FILE.read_text("utf-8")) if FILE.exists() else {}
    for name in ("trec_eval_9", "trec_eval_10"):
        binary = os.environ.get(name.upper())
        if binary is not None:
            shown = subprocess.run(
                [binary, "--version"], capture_output=True, text=True, check=False
            )
            number = shown.stderr.strip().split()[-1]
            found[name] = {"version": f"trec_eval {number}", "values": trec_eval(binary)}
    packages = {
        "pytrec_eval": (pytrec_eval, "pytrec-eval-terrier"),
        "ir_measures": (ir_measures, "ir-measures"),
        "ranx": (ranx, "ranx"),
        "sklearn": (sklearn, "scikit-learn"),
        "lightgbm": (lightgbm, "lightgbm"),
        "xgboost": (xgboost, "xgboost"),
        "catboost": (catboost, "catboost"),
    }
    for name, (ask, package) in packages.items():
        try:
            found[name] = {"version": version(package), "values": ask()}
        except ImportError as error:
            print(f"{name}: skipped, {error}")
    lines = ["{"]
    for program, content in found.items():
        lines.append(f'"{program}": {{"version": {json.dumps(content["version"])}, "values": {{')
        rows = [
            f"{json.dumps(name)}: {json.dumps(values, separators=(',', ':'))}"
            for name, values in content["values"].items()
        ]
        lines += [f"{row}," for row in rows[:-1]] + [rows[-1], "}},"]
    lines[-1] = "}}"
    FILE.write_text("\n".join([*lines, "}"]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
