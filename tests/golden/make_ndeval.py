"""Writes tests/golden/data/ndeval.json: what NIST's ndeval says about inputs of our own.

    NDEVAL=PATH python tests/golden/make_ndeval.py

The program is src/eval/ndeval.c of trec-web/trec-web-2014, "version 4.5 (Mon 29 Apr 2013)", after
one change, so that it prints all digits: `sed -i 's/%\\.6f/%.17g/g' ndeval.c`.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import tempfile
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent / "data"
SEED = 20130429
ARGUMENTS: dict[str, list[list[str]]] = {
    "plain": [[], ["-alpha", "0.3", "-beta", "0.8"], ["-traditional"], ["-c"]],
    "many": [["-traditional"], ["-traditional", "-alpha", "0.9", "-beta", "0.1"]],
    "ties": [["-traditional"], ["-traditional", "-alpha", "0.2"]],
    "edges": [["-traditional"], ["-traditional", "-c"]],
}


def make_case(
    generator: random.Random, subtopics: int, tied: bool
) -> tuple[list[list[Any]], list[list[Any]]]:
    """Returns eight topics: qrels lines and run lines, ranks apart from the order of scores."""
    qrels: list[list[Any]] = []
    run: list[list[Any]] = []
    for topic in range(1, 9):
        pool = [f"doc{code:03d}" for code in generator.sample(range(200), 40)]
        own = generator.randint(1, subtopics)
        for document in generator.sample(pool, generator.randint(3, 25)):
            named = sorted(generator.sample(range(1, own + 1), generator.randint(1, own)))
            qrels += [[topic, name, document, generator.choice((0, 0, 1, 1, 2))] for name in named]
        qrels.append([topic, own, pool[0], 1])
        listed = generator.sample(pool, generator.randint(1, 30))
        ranks = list(range(1, len(listed) + 1))
        generator.shuffle(ranks)
        for document, rank in zip(listed, ranks, strict=True):
            score = generator.randint(0, 4) if tied else round(generator.uniform(-9, 9), 6)
            run.append([topic, document, rank, score])
    seen: dict[tuple[Any, ...], list[Any]] = {(row[0], row[1], row[2]): row for row in qrels}
    return list(seen.values()), run


def make_inputs() -> dict[str, dict[str, Any]]:
    """Returns the named inputs."""
    generator = random.Random(SEED)
    cases = {
        "plain": make_case(generator, 5, False),
        "many": make_case(generator, 30, False),
        "ties": make_case(generator, 6, True),
    }
    qrels, run = make_case(generator, 4, False)
    # A topic without relevant documents, one that the run lacks, one without judgments, a run of
    # which nothing is judged.
    qrels = [[*row[:3], 0] if row[0] == 1 else row for row in qrels if row[0] != 3]
    run = [row for row in run if row[0] not in (2, 4)] + [[4, "unknown", 1, 1.0]]
    cases["edges"] = qrels, run
    return {name: {"qrels": case[0], "run": case[1]} for name, case in cases.items()}


def evaluate(program: str, case: dict[str, Any], arguments: list[str]) -> dict[str, Any]:
    """Runs ndeval; values by topic and measure, `amean` for the mean."""
    with tempfile.TemporaryDirectory() as folder:
        qrels, run = Path(folder, "qrels"), Path(folder, "run")
        qrels.write_text("".join(" ".join(map(str, row)) + "\n" for row in case["qrels"]))
        run.write_text("".join("{} Q0 {} {} {} run\n".format(*row) for row in case["run"]))
        printed = subprocess.run(
            [program, *arguments, str(qrels), str(run)], capture_output=True, text=True, check=True
        ).stdout
    head, *rows = (line.split(",") for line in printed.splitlines())
    return {
        row[1]: {
            name: None if "nan" in value else float(value)
            for name, value in zip(head[2:], row[2:], strict=True)
        }
        for row in rows
    }


def main() -> None:
    """Writes the file."""
    inputs = make_inputs()
    expected = [
        {
            "case": name,
            "arguments": given,
            "values": evaluate(os.environ["NDEVAL"], inputs[name], given),
        }
        for name, every in ARGUMENTS.items()
        for given in every
    ]
    provenance = {
        "made_by": "tests/golden/make_ndeval.py",
        "seed": SEED,
        "programs": ["ndeval 4.5 (29 Apr 2013), trec-web/trec-web-2014"],
    }
    content = {"provenance": provenance, "cases": inputs, "expected": expected}
    text = json.dumps(content, indent=None, separators=(",", ":"))
    (DATA / "ndeval.json").write_text(text.replace('},{"case"', '},\n{"case"') + "\n")


if __name__ == "__main__":
    main()
