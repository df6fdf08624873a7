"""The same run in several formats: each is to take not much longer than TREC text."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from bench import limits, peers
from bench.contenders import (
    evaluate_command,
    expected_values,
    five_measures,
    read_json,
    with_rr,
)
from bench.timing import Contender, Workload

#: Suffixes of the run's files by what the table calls them.
FORMATS = {
    "TREC text": "run",
    "CSV": "csv",
    "CSV, all quoted": "quoted.csv",
    "TSV": "tsv",
    "JSON Lines": "jsonl",
}


def formats(home: Path) -> Workload:
    """File to five measures in process and as a process; Polars only reads the file's columns."""
    judgments = home / "tables.qrels"
    runs = {name: home / f"tables.{suffix}" for name, suffix in FORMATS.items()}
    contenders = [
        Contender(name, partial(five_measures, judgments, run), agrees="relyon", tolerance=0)
        for name, run in runs.items()
    ]
    contenders += [
        Contender(
            f"{name}, process", evaluate_command(judgments, run), read_json, "relyon", tolerance=0
        )
        for name, run in runs.items()
    ]
    contenders += [
        Contender("CSV, read by Polars", lambda: peers.polars_csv(runs["CSV"])),
        Contender(
            "JSON Lines, read by Polars", lambda: peers.polars_json_lines(runs["JSON Lines"])
        ),
    ]
    contenders += [limits.lines(run, f"wc -l, {name}") for name, run in runs.items()]
    contenders.append(limits.nothing())
    trec = runs["TREC text"]
    return Workload(
        contenders, expected_values(partial(with_rr, judgments, trec)), trec.stat().st_size
    )
