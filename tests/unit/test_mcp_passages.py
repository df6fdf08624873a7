"""Passages and traces in the tools of the MCP server, if nothing is sealed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import relyon
from relyon.compat.mcp.settings import Settings
from relyon.compat.mcp.toolbox import tools
from relyon.compat.mcp.work import Work

GIVEN = {"judgments": "passages.csv", "chunks": ["chunks.csv"], "texts": "texts"}


@pytest.fixture
def work(tmp_path: Path) -> Work:
    root = tmp_path / "folder"
    (root / "texts" / "deep").mkdir(parents=True)
    (root / "texts" / "d.txt").write_text("One. Two. Three.", "utf-8")
    (root / "texts" / "deep" / "e.md").write_text("Four.", "utf-8")
    (root / "texts.csv").write_text("document,text\nd,One. Two. Three.\ndeep/e,Four.\n", "utf-8")
    (root / "passages.csv").write_text("query,document,quote\nq,d,Two.\nq,deep/e,Four.\n", "utf-8")
    (root / "chunks.csv").write_text(
        "chunk,document,start,end\na,d,0,5\nb,d,5,16\nc,deep/e,0,5\n", "utf-8"
    )
    (root / "old.run").write_text("q Q0 a 1 2 x\nq Q0 b 2 1 x\n", "utf-8")
    (root / "new.run").write_text("q Q0 b 1 2 x\nq Q0 c 2 1 x\n", "utf-8")
    calls = [{"task": "q", "results": ["a"]}, {"task": "q", "results": ["b", "c"]}]
    (root / "agent.jsonl").write_text("".join(json.dumps(one) + "\n" for one in calls), "utf-8")
    (tmp_path / "secret.csv").write_text("chunk,document,start,end\na,d,0,5\n", "utf-8")
    return Work(Settings(folder=str(root)))


def value(found: dict[str, object], measure: str) -> float:
    return found["measures"][measure]["value"]  # type: ignore[index, no-any-return]


@pytest.mark.parametrize("texts", ["texts", "texts.csv"])
def test_runs_of_chunks_are_measured_with_passages(work: Work, texts: str) -> None:
    given = {**GIVEN, "texts": texts, "measures": ["span_recall", "char_recall"]}
    old = work.call("evaluate", {**given, "run": "old.run"})
    assert (value(old, "span_recall"), value(old, "char_recall")) == (0.5, 4 / 9)
    assert value(work.call("evaluate", {**given, "run": "new.run"}), "char_recall") == 1
    compared = work.call("compare", {**given, "baseline": "old.run", "candidates": ["new.run"]})
    assert "char_recall" in str(compared["contrasts"])


def test_a_trace_is_measured_and_explained(work: Work) -> None:
    asked = {**GIVEN, "run": "agent.jsonl"}
    found = work.call("evaluate", {**asked, "measures": ["task_recall", "first(span_recall)"]})
    assert (value(found, "task_recall"), value(found, "first(span_recall)")) == (1, 0)
    explained = work.call("explain", {**asked, "query": "q", "measure": "task_recall"})
    assert explained["value"] == 1
    moved = work.call(
        "explain", {**asked, "query": "q", "other": "new.run", "measure": "task_recall"}
    )
    assert moved["difference"] == 0
    findings = work.call("diagnose", {**GIVEN, "baseline": "old.run", "candidate": "agent.jsonl"})
    assert "findings" in findings


@pytest.mark.parametrize("name", ["../secret.csv", "/etc/passwd", "absent.csv", "texts"])
@pytest.mark.parametrize("role", ["chunks", "texts", "judgments"])
def test_nothing_outside_the_folder_is_read(work: Work, name: str, role: str) -> None:
    if (name, role) == ("texts", "texts"):
        name = "../folder/texts"
    given = {**GIVEN, "run": "old.run", role: [name] if role == "chunks" else name}
    with pytest.raises(relyon.RelyonError):
        work.call("evaluate", given)


def test_texts_need_chunks(work: Work) -> None:
    with pytest.raises(relyon.ParameterError, match="give `chunks`"):
        work.call("evaluate", {"judgments": "passages.csv", "run": "old.run", "texts": "texts"})


def test_a_server_with_a_sealed_set_has_no_such_arguments(work: Work) -> None:
    from relyon.compat.mcp.settings import Sealing

    sealing = Sealing("judged.qrels", "old.run", 0.5, "", "ndcg@10", 20, 0.05, "state")
    sealed = Settings(folder=work.settings.folder, sealing=sealing)
    for settings, fits in ((sealed, False), (work.settings, True)):
        for one in tools(settings):
            names = {field.name for field in one.fields}
            if one.name in {"evaluate", "compare", "explain", "diagnose"}:
                assert ({"chunks", "texts"} <= names) is fits
            else:
                assert "chunks" not in names
    work._chunks = ["chunks.csv"]
    work.sealed = object()  # type: ignore[assignment]
    with pytest.raises(relyon.ParameterError, match="while queries are sealed"):
        work._judgments("passages.csv", "")
