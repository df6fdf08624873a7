"""Writes `data/trec_eval_commands.json`: what trec_eval prints, and how it ends, for small inputs.

python tests/golden/make_trec_eval.py PATH/TO/trec_eval
"""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

TARGET = Path(__file__).with_name("data") / "trec_eval_commands.json"

#: Arguments; {qrels}, {run}, {short} (which lacks a query) and {scores} are files.
COMMANDS = [
    "{qrels} {run}",
    "-q {qrels} {run}",
    "-q -m all_trec {qrels} {run}",
    "-q -c -m all_trec {qrels} {short}",
    "-qcm all_trec -l2 {qrels} {short}",
    "-c {qrels} {short}",
    "-q {qrels} {short}",
    "-J -m map -m ndcg -m P.5 -m num_ret {qrels} {run}",
    "-M3 -q -m all_trec {qrels} {run}",
    "-M 4 -J -m official {qrels} {run}",
    "-n -q -m map {qrels} {run}",
    "-m set {qrels} {run}",
    "-m P.10,5 -m P.7 {qrels} {run}",
    "-m P -m recall.3 {qrels} {run}",
    "-q -m ndcg.1=3,2=9 -m G.1=2 -m Rndcg.2=5 -m ndcg_rel.1=4,3=8 {qrels} {run}",
    "-q -m dcg {qrels} {run}",
    "-m ideal_dcg.2=5 {qrels} {run}",
    "-m ndcg.0=1,1=2 {qrels} {run}",
    "-q -m rbp_resid.p=0.5 -m yaap {qrels} {run}",
    "-q -m utility.2,-1,-0.5,0.001 -N 1000 -c {qrels} {short}",
    "-q -m relstring -m relstring.3 {qrels} {run}",
    "-q -m relstring.3 -c {qrels} {short}",
    "-m set_F.0.5 -m set_F.2 {qrels} {run}",
    "-m 11pt_avg.0.2,0.5,0.8 -m iprec_at_recall..33,.5 -m Rprec_mult.0.5,3 {qrels} {run}",
    "-D 0.q2 -q -m map -m num_q {qrels} {run}",
    "-Z {scores} -q -m map -m num_ret -m P.5 {qrels} {run}",
    "--query_eval_wanted --measure map --level_for_rel 2 {qrels} {run}",
    "--query --meas=map {qrels} {run}",
    "{qrels} -m map {run} -q",
    "-m nothing {qrels} {run}",
    "-m P. {qrels} {run}",
    "-m P.5,5 {qrels} {run}",
    "-m P.0 {qrels} {run}",
    "-m utility.1,2 {qrels} {run}",
    "-m ndcg.1 {qrels} {run}",
    "-x {qrels} {run}",
    "-m",
    "{qrels}",
    "{qrels} nothing.run",
    "nothing.qrels {run}",
    "-R nothing {qrels} {run}",
    "-T nothing {qrels} {run}",
    "{qrels} {other}",
    "-c {qrels} {other}",
]


def inputs() -> dict[str, str]:
    """Makes judgments and runs: graded, unjudged, tied, unsorted; a query without relevant ones."""
    choose = random.Random(20)
    qrels, run = ["# judgments", "q9 0 only-judged 1"], ["# a run"]
    for query in ("q2", "q10", "q1", "q3"):
        documents = [f"d{number:02d}" for number in range(18)]
        for document in choose.sample(documents, 12):
            grade = choose.choice([-1, 0, 0, 1, 1, 2, 3]) if query != "q3" else 0
            qrels.append(f"{query}\t0\t{document}\t{grade}")
        listed = choose.sample(documents, 14)
        for place, document in enumerate(listed):
            score = choose.choice([0.5, 0.25, 1.5, round(choose.random(), 3)])
            run.append(f"{query} Q0 {document} {place} {score} mine")
    qrels.remove("q9 0 only-judged 1")
    run += ["unknown Q0 d01 1 2.5 mine", "", "q2 Q0 late 99 0.75 last-name more"]
    short = [line for line in run if not line.startswith("q10 ")]
    other = ["elsewhere Q0 d01 1 2.5 mine"]
    scores = [
        f"{query} {name} {mean} {deviation}"
        for query, mean, deviation in (("q1", 0.25, 0.125), ("q10", 0.4, 2), ("q2", 0.5, 0))
        for name in ("map", "num_ret", "P_5")
    ] + ["q3 P_5 0.5 0.25", "q3 map 0 0", "q3 num_ret 13 4"]
    texts = {"qrels": qrels, "run": run, "short": short, "other": other, "scores": scores}
    return {name: "\n".join(lines) + "\n" for name, lines in texts.items()}


def main() -> None:
    """Runs the program."""
    program = str(Path(sys.argv[1]).resolve())
    version = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    found = inputs()
    jobs = []
    with tempfile.TemporaryDirectory() as folder:
        for name, text in found.items():
            Path(folder, name).write_text(text, "utf-8")
        for command in COMMANDS:
            outcome = subprocess.run(
                [program, *re.sub(r"{(\w+)}", r"\1", command).split()],
                cwd=folder,
                capture_output=True,
                text=True,
                check=False,
            )
            jobs.append({"command": command, "out": outcome.stdout, "code": outcome.returncode})
    values = {"program": version.stderr.strip(), "files": found, "jobs": jobs}
    TARGET.write_text(json.dumps(values, indent=1) + "\n", "utf-8", newline="\n")


if __name__ == "__main__":
    main()
