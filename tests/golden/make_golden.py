"""Writes tests/golden/data: what the reference programs say about inputs of our own.

Run it with the dependency group `peers` installed:

    TREC_EVAL_9=PATH TREC_EVAL_10=PATH python -m tests.golden.make_golden

Both binaries are built from usnistgov/trec_eval (tags v9.0.8 and v10.0) after one change, so that
they print all digits: `sed -i 's/%6\\.4f/%.17g/g' meas_print*.c`. Programs that are not there are
left as they are in the folder. The inputs come from a fixed seed: the same call writes the same
files, up to the versions of the programs.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import subprocess
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.golden.inputs import SEED, Grades, Scores, make_inputs, make_lists

DATA = Path(__file__).parent / "data"

TREC_MEASURES = (
    *("num_ret", "num_rel", "num_rel_ret", "map", "Rprec", "bpref", "recip_rank", "infAP", "ndcg"),
    *("P.3,50", "recall.3,10", "ndcg_cut.3,10", "map_cut.3,10", "success.1,5"),
    *("set_P", "set_recall", "set_F"),
)


def write(name: str, content: dict[str, Any]) -> None:
    """Writes one file with one line per query, so that changes can be read."""
    DATA.mkdir(exist_ok=True)
    text = json.dumps(content, indent=1, sort_keys=False)
    lines: list[str] = []
    depth_of_rows = 4
    for line in text.splitlines():
        depth = len(line) - len(line.lstrip(" "))
        if depth > depth_of_rows or (depth == depth_of_rows and line.strip() in {"}", "},"}):
            lines[-1] += line.strip().replace('": ', '":')
        else:
            lines.append(line)
    (DATA / f"{name}.json").write_text("\n".join(lines) + "\n", encoding="utf-8")


def version(package: str) -> str:
    """Returns what is installed, such as `ranx 0.3.21`."""
    return f"{package} {importlib.metadata.version(package)}"


def provenance(*programs: str) -> dict[str, Any]:
    """Returns where a file is from."""
    return {"made_by": "tests/golden/make_golden.py", "seed": SEED, "programs": list(programs)}


def run_trec_eval(
    binary: str, judgments: Grades, run: Scores, arguments: list[str]
) -> dict[str, dict[str, float]]:
    """Returns what trec_eval prints, by query; `all` holds the summary."""
    with tempfile.TemporaryDirectory() as folder:
        qrels, results = Path(folder, "qrels"), Path(folder, "results")
        qrels.write_text(
            "".join(
                f"{query} 0 {name} {grade}\n"
                for query, grades in judgments.items()
                for name, grade in grades.items()
            )
        )
        results.write_text(
            "".join(
                f"{query} Q0 {name} 0 {score!r} run\n"
                for query, scores in run.items()
                for name, score in scores.items()
            )
        )
        command = [binary, "-q", *arguments, str(qrels), str(results)]
        printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found: dict[str, dict[str, float]] = {}
    for line in printed.splitlines():
        measure, query, value = line.split()
        found.setdefault(query, {})[measure] = float(value)
    return found


def make_trec_eval(name: str, binary: str, inputs: dict[str, Any]) -> None:
    shown = subprocess.run([binary, "--version"], capture_output=True, text=True, check=False)
    number = shown.stderr.strip().split()[-1]
    expected = []
    measures = [word for measure in TREC_MEASURES for word in ("-m", measure)]
    choices: list[list[str]] = [[], ["-c"], ["-l2"], ["-J"]]
    if number.startswith("10"):
        choices = [["-c"]]  # without -c, 10.0 stops where a judged query is not in the run
        measures += ["-m", "unj.3,50"]
    for options in choices:
        for case, data in inputs.items():
            if options == ["-c"] and number.startswith("9") and case != "edges":
                continue  # no query is missing: as without -c
            # rbp of 10.0 reads two variables before it sets them, unless gains are 0 and 1
            more = ["-m", "rbp"] if number.startswith("10") and case == "binary" else []
            values = run_trec_eval(
                binary, data["judgments"], data["run"], [*options, *measures, *more]
            )
            expected.append({"case": case, "arguments": options, "values": values})
    write(name, {"provenance": provenance(f"trec_eval {number}"), "expected": expected})


FACTS: dict[str, tuple[dict[str, Any], Scores, list[str]]] = {
    "float32": (
        {"q": {"a": 1, "b": 0}},
        {"q": {"a": 1.00000001, "b": 1.0}},
        ["-m", "recip_rank"],
    ),
    "missing query": (
        {"q": {"a": 1}, "p": {"a": 1}},
        {"q": {"a": 1.0}},
        ["-m", "map", "-m", "num_rel"],
    ),
    "fractions of grades": (
        {"q": {"a": 1.9, "b": 0.5}},
        {"q": {"a": 1.0, "b": 2.0}},
        ["-m", "map", "-m", "num_rel"],
    ),
    "fractions of gains": (
        {"q": {"a": 1, "b": 2, "c": 0}},
        {"q": {"a": 3.0, "b": 2.0, "c": 1.0}},
        ["-m", "ndcg.1=0.2,2=0.9"],
    ),
}


def make_facts(binaries: dict[str, str]) -> None:
    """Small cases, among them one that a version refuses."""
    expected = []
    for program, binary in binaries.items():
        for name, (judgments, run, arguments) in FACTS.items():
            fact: dict[str, Any] = {"program": program, "name": name, "exit_code": 0, "values": {}}
            try:
                fact["values"] = run_trec_eval(binary, judgments, run, arguments)
            except subprocess.CalledProcessError as error:
                fact["exit_code"] = error.returncode
            expected.append(fact | {"judgments": judgments, "run": run})
    programs = provenance("trec_eval 9.0.8", "trec_eval 10.0")
    write("trec_eval_facts", {"provenance": programs, "expected": expected})


def make_pytrec_eval(inputs: dict[str, Any]) -> None:
    import pytrec_eval

    expected = []
    for level in (1, 2):
        for case, data in inputs.items():
            evaluator = pytrec_eval.RelevanceEvaluator(
                data["judgments"], set(TREC_MEASURES), relevance_level=level
            )
            values = evaluator.evaluate(data["run"])
            expected.append({"case": case, "relevance_level": level, "values": values})
    write(
        "pytrec_eval",
        {"provenance": provenance(version("pytrec-eval-terrier")), "expected": expected},
    )


def make_ir_measures(inputs: dict[str, Any]) -> None:
    import ir_measures

    names = ["nDCG@3", "nDCG", "AP", "AP(rel=2)", "AP@5", "RR", "RR@3", "P@5", "P(rel=2)@3", "R@5"]
    names += ["Rprec", "Bpref", "infAP", "Judged@3", "Judged@50", "Success@3", "SetP", "SetR"]
    names += ["SetF", "nDCG(gains={1:1,2:3,3:7})@5"]
    measures = [ir_measures.parse_measure(name) for name in names]
    expected = []
    for case, data in inputs.items():
        values: dict[str, dict[str, float]] = {}
        values["all"] = {}
        # one at a time: together, nDCG may be computed with the gains of another measure
        for measure in measures:
            for one in ir_measures.iter_calc([measure], data["judgments"], data["run"]):
                values.setdefault(one.query_id, {})[str(one.measure)] = one.value
            means = ir_measures.calc_aggregate([measure], data["judgments"], data["run"])
            values["all"][str(measure)] = means[measure]
        values = {query: values[query] for query in sorted(values)}
        expected.append({"case": case, "values": values})
    programs = provenance(version("ir-measures"), version("pytrec-eval-terrier"))
    write("ir_measures", {"provenance": programs, "expected": expected})


def make_ir_measures_providers(inputs: dict[str, Any]) -> None:
    """The measures of cwl_eval, of `compat`, and of `accuracy`."""
    import cwl.cwl_eval  # noqa: F401  without it, its measures are not supported
    import ir_measures

    names = ["SDCG(max_rel=3)@10", "SDCG(min_rel=1,max_rel=2)@3", "INSQ(max_rel=3)"]
    names += ["INSQ(T=2.5,max_rel=3)", "INST(max_rel=3)", "INST(T=2.5,max_rel=2)"]
    names += ["BPM(max_rel=3)@10", "BPM(T=2.0,max_rel=3)@5", "NERR8(max_rel=3)@5"]
    names += ["NERR9(max_rel=3)@5", "NERR10(max_rel=3)", "NERR10(p=0.5,max_rel=2)"]
    names += ["NERR11(max_rel=3)", "NERR11(T=2.0,max_rel=4)", "Compat", "Compat(p=0.8)"]
    names += ["Compat(normalize=False)", "Accuracy(rel=2)@20", "RBP(p=0.99,rel=2)"]
    names += ["nDCG(gains={1:2})@5", "nDCG(judged_only=True)@5", "AP(judged_only=True)"]
    names += ["SetAP", "SetF(beta=0.5)", "NumRet(rel=2)", "NumQ"]
    expected = []
    for case in ("plain", "negative_grades", "binary", "edges"):
        data = inputs[case]
        values: dict[str, dict[str, float]] = {}
        for name in names:
            measure = ir_measures.parse_measure(name)
            try:
                rows = list(ir_measures.iter_calc([measure], data["judgments"], data["run"]))
            except ZeroDivisionError:  # Accuracy, where only relevant documents were retrieved
                continue
            for one in rows:
                values.setdefault(one.query_id, {})[name] = float(one.value)
        values = {query: values[query] for query in sorted(values)}
        expected.append({"case": case, "values": values})
    programs = provenance(version("ir-measures"), version("cwl-eval"))
    write("ir_measures_providers", {"provenance": programs, "expected": expected})


def make_gdeval(inputs: dict[str, Any]) -> None:
    """ERR and exponential NDCG by gdeval.pl, which ir_measures carries; needs perl."""
    import ir_measures

    names = ["nDCG(dcg='exp-log2')@3", "nDCG(dcg='exp-log2')@20", "ERR@3", "ERR@20"]
    measures = [ir_measures.parse_measure(name) for name in names]
    expected = []
    for case, data in inputs.items():
        # gdeval reads whole numbers as topics
        judgments = {query[1:]: grades for query, grades in data["judgments"].items()}
        run = {query[1:]: scores for query, scores in data["run"].items()}
        values: dict[str, dict[str, float]] = {}
        for one in ir_measures.iter_calc(measures, judgments, run):
            values.setdefault(f"q{one.query_id}", {})[str(one.measure)] = one.value
        values = {query: dict(sorted(values[query].items())) for query in sorted(values)}
        expected.append({"case": case, "values": values})
    programs = provenance("gdeval.pl 1.3", version("ir-measures"))
    write("gdeval", {"provenance": programs, "digits": 5, "expected": expected})


def make_ranx(inputs: dict[str, Any]) -> None:
    import ranx

    names = ["hits", "hits@3", "hit_rate@3", "precision", "precision@5", "precision@100"]
    names += ["recall@5", "f1", "f1@5", "r-precision", "mrr", "mrr@2", "map", "map@5", "dcg@5"]
    names += ["dcg", "dcg_burges@5", "ndcg", "ndcg@5", "ndcg_burges@5", "bpref", "rbp.95", "rbp.8"]
    names += ["ndcg@5-l2", "map-l2", "precision@5-l2", "rbp.8-l2", "bpref-l2"]
    expected = []
    for case in ("plain", "negative_grades", "binary", "edges"):
        data = inputs[case]
        qrels = ranx.Qrels(data["judgments"])
        run = ranx.Run({q: v for q, v in data["run"].items() if q in data["judgments"]})
        found = ranx.evaluate(qrels, run, names, return_mean=False, make_comparable=True)
        queries = sorted(data["judgments"])
        values = {
            query: {
                name: None if column[place] != column[place] else float(column[place])
                for name, column in found.items()
            }
            for place, query in enumerate(queries)
        }
        expected.append({"case": case, "values": values})
    write("ranx", {"provenance": provenance(version("ranx")), "expected": expected})


def make_sklearn(lists: dict[str, Any]) -> None:
    from sklearn.metrics import dcg_score, ndcg_score, roc_auc_score

    expected = []
    for case, rows in lists.items():
        values = []
        for row in rows:
            labels, scores = [row["labels"]], [row["scores"]]
            if sum(row["labels"]) in (0, len(row["labels"])) or max(row["labels"]) > 1:
                auc = None
            else:
                auc = float(roc_auc_score(labels[0], scores[0]))
            values.append(
                {
                    "ndcg": float(ndcg_score(labels, scores)),
                    "ndcg@3": float(ndcg_score(labels, scores, k=3)),
                    "ndcg@10": float(ndcg_score(labels, scores, k=10)),
                    "dcg@3": float(dcg_score(labels, scores, k=3)),
                    "dcg": float(dcg_score(labels, scores)),
                    "auc": auc,
                }
            )
        expected.append({"case": case, "values": values})
    write("sklearn", {"provenance": provenance(version("scikit-learn")), "expected": expected})


def lightgbm_values(row: dict[str, Any], at: list[int], **parameters: Any) -> dict[str, float]:
    """Returns LightGBM's NDCG and MAP of one query, given its scores as initial scores."""
    import lightgbm
    import numpy as np

    labels = np.asarray(row["labels"], dtype=float)
    settings = {"objective": "lambdarank", "metric": ["ndcg", "map"], "eval_at": at}
    settings |= {"verbose": -1, "min_data_in_leaf": 1, "feature_pre_filter": False} | parameters
    data = lightgbm.Dataset(
        np.zeros((len(labels), 1)),
        label=labels,
        group=[len(labels)],
        init_score=np.asarray(row["scores"], dtype=float),
        params=settings,
    )
    found = lightgbm.Booster(settings, data).eval_train()
    return {entry[1]: float(entry[2]) for entry in found}


def make_lightgbm(lists: dict[str, Any]) -> None:
    expected = [
        {"case": case, "values": [lightgbm_values(row, [1, 3, 5, 10]) for row in rows]}
        for case, rows in lists.items()
    ]
    write("lightgbm", {"provenance": provenance(version("lightgbm")), "expected": expected})


def xgboost_values(
    labels: list[int], scores: list[float], groups: list[int], metrics: list[str], **parameters: Any
) -> dict[str, float]:
    """Returns XGBoost's measures of scores given as base margin to a model without trees."""
    import numpy as np
    import xgboost

    data = xgboost.DMatrix(np.zeros((len(labels), 1)), label=labels)
    data.set_group(groups)
    data.set_base_margin(np.asarray(scores, dtype=float))
    settings = {"objective": "rank:pairwise", "eval_metric": metrics, "base_score": 0.0}
    booster = xgboost.train(settings | parameters, data, 0)
    printed = booster.eval_set([(data, "d")]).split("\t")[1:]
    return {name[2:]: float(value) for name, value in (item.rsplit(":", 1) for item in printed)}


def make_xgboost(lists: dict[str, Any]) -> None:
    expected = []
    for case, rows in lists.items():
        names = [f"ndcg@{k}{suffix}" for k in (1, 3, 10) for suffix in ("", "-")] + ["ndcg"]
        if case.startswith("binary"):
            names += [f"map@{k}{suffix}" for k in (1, 3, 10) for suffix in ("", "-")]
            names += ["map", "pre@1", "pre@3", "pre@50"]
        values = []
        for row in rows:
            group = [len(row["labels"])]
            one = xgboost_values(row["labels"], row["scores"], group, names)
            linear = xgboost_values(
                row["labels"], row["scores"], group, ["ndcg@3"], ndcg_exp_gain=False
            )
            values.append(one | {"ndcg(gain=linear)@3": linear["ndcg@3"]})
        expected.append({"case": case, "values": values})
    write("xgboost", {"provenance": provenance(version("xgboost")), "expected": expected})


def make_catboost(lists: dict[str, Any]) -> None:
    from catboost.utils import eval_metric

    names = ["NDCG", "NDCG:top=3", "NDCG:type=Exp", "NDCG:denominator=Position", "DCG"]
    names += ["MAP", "MAP:top=3", "MRR", "MRR:top=3", "PrecisionAt:top=3", "PrecisionAt:top=50"]
    names += ["RecallAt:top=3"]
    expected = []
    for case, rows in lists.items():
        values = []
        for row in rows:
            labels = [float(label) for label in row["labels"]]
            group = [0] * len(labels)
            values.append(
                {
                    name: eval_metric(labels, row["scores"], name, group_id=group)[0]
                    for name in names
                }
            )
        expected.append({"case": case, "values": values})
    write("catboost", {"provenance": provenance(version("catboost")), "expected": expected})


def main() -> None:
    """Writes every file whose program is there."""
    warnings.simplefilter("ignore")
    inputs, lists = make_inputs(), make_lists()
    write("inputs", {"provenance": provenance(), "cases": inputs})
    write("lists", {"provenance": provenance(), "cases": lists})
    binaries = {
        name: os.environ[name.upper()]
        for name in ("trec_eval_9", "trec_eval_10")
        if name.upper() in os.environ
    }
    for name, binary in binaries.items():
        make_trec_eval(name, binary, inputs)
    if len(binaries) == 2:
        make_facts(binaries)
    for make in (
        make_pytrec_eval,
        make_ir_measures,
        make_ir_measures_providers,
        make_gdeval,
        make_ranx,
    ):
        attempt(make, inputs)
    for make_lists_of in (make_sklearn, make_lightgbm, make_xgboost, make_catboost):
        attempt(make_lists_of, lists)


def attempt(make: Callable[[dict[str, Any]], None], data: dict[str, Any]) -> None:
    """Makes one file, or says which program is missing."""
    try:
        make(data)
    except ImportError as error:
        print(f"{make.__name__}: skipped, {error}")


if __name__ == "__main__":
    main()
