"""`relyon funnel`: stages on the command line."""

from __future__ import annotations

import csv
import json
from io import StringIO

from tests.unit.conftest import Command

import relyon
from relyon.core.document.terminal import width

STAGES = ("--stage", "retrieval=bm25.run", "--stage", "re-rank=tfidf.run")


def test_one_run(command: Command) -> None:
    outcome = command("funnel", "judgments.qrels", "bm25.run", "-k", "2")
    found = relyon.funnel("judgments.qrels", "bm25.run", 2)
    assert outcome.code == 0
    assert outcome.out == f"{found}\n"
    assert found.sentence().split(":")[0] in outcome.out
    assert max(map(width, outcome.out.splitlines())) <= 80
    assert "1 query is in the judgments but not in the run (q3)" in outcome.err


def test_stages_in_the_order_given(command: Command) -> None:
    outcome = command("funnel", "judgments.qrels", *STAGES, "--format", "json")
    content = json.loads(outcome.out)
    stages = {"retrieval": "bm25.run", "re-rank": "tfidf.run"}
    found = relyon.funnel("judgments.qrels", stages)
    assert [stage["name"] for stage in content["stages"]] == ["retrieval", "re-rank"]
    assert content == json.loads(json.dumps(found.to_dict(per_query=True)))
    # tfidf finds two documents that bm25 did not.
    assert "stages-do-not-nest" in {note["kind"] for note in content["notes"]}
    assert "re-rank returns 2 documents that retrieval did not" in outcome.err


def test_several_runs_are_stages_named_by_their_files(command: Command) -> None:
    outcome = command("funnel", "judgments.qrels", "bm25.run", "tfidf.run", "--format", "csv")
    rows = list(csv.DictReader(StringIO(outcome.out)))
    assert [row["stage"] for row in rows] == ["bm25.run", "tfidf.run", "ranking"]


def test_candidates_and_cutoffs(command: Command) -> None:
    options = ("--candidates", "1", "--cutoff", "1", "--cutoff", "5", "--format", "csv")
    outcome = command("funnel", "judgments.qrels", "bm25.run", *options)
    rows = list(csv.DictReader(StringIO(outcome.out)))
    assert float(rows[0]["candidates"]) == 2 / 3  # three judged queries, one of them missing
    assert rows[0]["recall@1"] == rows[0]["recall"]
    assert "recall@5" not in rows[0]


def test_convention_scale_and_output(command: Command, files) -> None:
    outcome = command(
        "funnel", "judgments.csv", "bm25.run", "--scale", "search", "--set", "gain=scale",
        "--format", "markdown", "-o", "out.md",
    )  # fmt: skip
    assert (outcome.code, outcome.out) == (0, "")
    found = relyon.funnel("judgments.csv", "bm25.run", convention={"gain": "scale"},
                           scale="search")  # fmt: skip
    assert (files / "out.md").read_text("utf-8") == found.to_markdown() + "\n"


def test_what_is_refused(command: Command) -> None:
    outcome = command("funnel", "judgments.qrels")
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith("error: no run is given")
    outcome = command("funnel", "judgments.qrels", "bm25.run", *STAGES)
    assert outcome.code == 2
    assert "both with and without --stage" in outcome.err
    outcome = command("funnel", "judgments.qrels", "--stage", "bm25.run")
    assert outcome.code == 2
    assert "`--stage bm25.run` is not NAME=RUN" in outcome.err
    outcome = command("funnel", "judgments.qrels", "--stage", "a=-", "--stage", "b=-")
    assert outcome.code == 2
    outcome = command("funnel", "judgments.qrels", "bm25.run", "-o", "bm25.run")
    assert outcome.code == 2
    outcome = command("funnel", "judgments.qrels", "nowhere.run")
    assert outcome.code == 3
