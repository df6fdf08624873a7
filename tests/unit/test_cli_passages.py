"""Judgments of passages on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.unit.conftest import Command

PASSAGES = """\
{"query": "q1", "document": "d", "quote": "free within 30 days", "grade": 2}
{"query": "q1", "document": "d", "quote": "Refunds  are paid"}
{"query": "q2", "document": "d", "start": 33, "end": 55}
"""
LOST = '{"query": "q2", "document": "d", "quote": "nothing like it at all"}\n'
TEXT = "Returns are free within 30 days. Shipping takes a week. Refunds are paid at once."


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("passages.jsonl").write_text(PASSAGES, "utf-8")
    Path("lost.jsonl").write_text(PASSAGES + LOST, "utf-8")
    Path("texts").mkdir()
    Path("texts", "d.txt").write_text(TEXT, "utf-8")
    Path("chunks.csv").write_text(
        "chunk,document,start,end\nd0,d,0,20\nd1,d,20,60\nd2,d,50,80\n", "utf-8"
    )
    Path("whole.csv").write_text(f"chunk,document,start,end\nw,d,0,{len(TEXT)}\n", "utf-8")
    Path("a.run").write_text("q1 Q0 d2 1 3 a\nq1 Q0 d1 2 2 a\nq2 Q0 d1 1 2 a\n", "utf-8")
    Path("b.run").write_text("q1 Q0 d1 1 3 b\nq2 Q0 d0 1 2 b\n", "utf-8")
    Path("w.run").write_text("q1 Q0 w 1 3 w\nq2 Q0 w 1 2 w\n", "utf-8")
    return tmp_path


INPUTS = ("passages.jsonl", "--chunks", "chunks.csv", "--texts", "texts")


def test_evaluate_takes_passages(files: Path, command: Command) -> None:
    measures = ("-m", "char_recall@2", "-m", "span_ndcg@5", "-m", "ndcg@5")
    found = command("evaluate", *INPUTS, "a.run", *measures, "--format", "json")
    assert (found.code, found.err) == (0, "")
    values = {name: one["value"] for name, one in json.loads(found.out)["measures"].items()}
    assert values["char_recall@2"] == pytest.approx((27 / 35 + 1) / 2)
    assert set(values) == {"char_recall@2", "span_ndcg@5", "ndcg@5"}


@pytest.mark.parametrize(
    "arguments",
    [
        ("compare", "a.run", "b.run", "-m", "char_recall@2"),
        ("explain", "a.run", "--query-id", "q1", "-m", "span_ndcg"),
        ("diagnose", "a.run", "b.run"),
        ("report", "a.run", "b.run", "-o", "report.html", "-m", "span_recall@5"),
        ("depth", "a.run"),
    ],
    ids=lambda one: one[0],
)
def test_other_commands_take_them_too(
    arguments: tuple[str, ...], files: Path, command: Command
) -> None:
    name, *rest = arguments
    found = command(name, *INPUTS, *rest)
    assert found.code == 0, found.err


def test_two_ways_of_cutting_are_compared_by_their_results(files: Path, command: Command) -> None:
    for run, chunks in (("a", "chunks.csv"), ("w", "whole.csv")):
        found = command(
            "evaluate", "passages.jsonl", f"{run}.run", "--chunks", chunks, "--texts", "texts",
            "-m", "char_recall@2", "-q", "--format", "json", "-o", f"{run}.json",
        )  # fmt: skip
        assert found.code == 0, found.err
    found = command("compare", "a.json", "w.json", "--format", "json")
    assert found.code == 0, found.err
    assert "judged" not in found.err
    both = command(
        "compare", *INPUTS, "--chunks", "whole.csv", "a.run", "w.run", "-m", "char_recall@2"
    )
    assert both.code == 0
    assert "the chunks of 2 tables are judged together" in both.err


def test_what_is_not_found_is_a_warning_and_fails_if_strict(files: Path, command: Command) -> None:
    arguments = ("evaluate", "lost.jsonl", *INPUTS[1:], "a.run", "-m", "char_recall@2")
    found = command(*arguments)
    assert found.code == 0
    assert "1 passage is not found in the texts, of 4" in found.err
    assert command(*arguments, "--strict").code == 1


def test_resolve_writes_places_and_lists_what_is_not_found(files: Path, command: Command) -> None:
    found = command("passages", "resolve", "lost.jsonl", "--texts", "texts", "-o", "out.jsonl")
    assert found.code == 0
    assert "not found: q2: d: nothing like it at all" in found.err
    assert "3 of 4 passages found" in found.err
    rows = [json.loads(line) for line in Path("out.jsonl").read_text("utf-8").splitlines()]
    assert [(row["start"], row["resolution"]) for row in rows] == [
        (12, "exact"), (56, "normalized"), (33, "given"), (None, "not found"),
    ]  # fmt: skip
    again = command(
        "passages", "resolve", "out.jsonl", "--texts", "texts", "--chunks", "chunks.csv"
    )
    assert again.code == 0
    strict = command(
        "passages", "resolve", "lost.jsonl", "--texts", "texts", "-o", "no.csv", "--strict"
    )
    assert strict.code == 1
    assert not Path("no.csv").exists()
    kept = command("passages", "resolve", "lost.jsonl", "--texts", "texts", "-o", "out.jsonl")
    assert kept.code != 0


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("evaluate", "passages.jsonl", "a.run", "--texts", "texts"), "`--texts` needs `--chunks`"),
        (
            ("evaluate", "passages.jsonl", "a.run", "--chunks", "chunks.csv"),
            "2 quotes have not been searched",
        ),
        (
            ("evaluate", *INPUTS, "a.run", "--judgments-format", "trec"),
            "`--chunks` and `--judgments-format` exclude each other",
        ),
        (
            ("evaluate", *INPUTS, "w.run", "-m", "char_recall@2"),
            "the table of chunks has no chunk `w`",
        ),
        (("evaluate", *INPUTS, "a.run", "--offsets", "bytes"), "--offsets"),
        (("evaluate", *INPUTS, "a.run", "--similarity", "0"), "--similarity"),
        (("passages", "resolve", "passages.jsonl"), "no texts to search"),
        (
            ("evaluate", *INPUTS, "a.run", "--judgments-columns", "grade=mark"),
            "`mark`",
        ),
    ],
)  # fmt: skip
def test_mistakes_are_explained(
    arguments: tuple[str, ...], problem: str, files: Path, command: Command
) -> None:
    found = command(*arguments)
    assert found.code in (2, 3)
    assert problem in found.err
    assert "Traceback" not in found.err


def test_chunks_in_a_trace_get_ids_and_a_table(files: Path, command: Command) -> None:
    results = [{"document": "d", "start": 0, "end": 31}, {"document": "d", "start": 20, "end": 60}]
    calls = [{"task": "q1", "call": 1, "results": results}]
    Path("agent.jsonl").write_text("\n".join(map(json.dumps, calls)) + "\n", "utf-8")
    made = command("passages", "chunks", "agent.jsonl", "-o", "chunked.jsonl", "--table", "t.csv")
    assert (made.code, made.err) == (0, "2 chunks of 1 document\n")
    found = command(
        "evaluate", "passages.jsonl", "chunked.jsonl", "--chunks", "t.csv", "--texts", "texts",
        "-m", "char_recall@1", "--format", "json",
    )  # fmt: skip
    assert found.code == 0, found.err
    value = json.loads(found.out)["measures"]["char_recall@1"]["value"]
    assert value == pytest.approx(19 / 35 / 2)
    Path("plain.jsonl").write_text('{"task": "q1", "results": ["d"]}\n', "utf-8")
    refused = command("passages", "chunks", "plain.jsonl", "-o", "no.jsonl", "--table", "no.csv")
    assert refused.code == 3
    assert "plain.jsonl:1: a result has no document, start and end" in refused.err


def test_columns_of_the_tables_of_chunks_are_named(files: Path, command: Command) -> None:
    Path("odd.csv").write_text(
        "名字,文档,起始位置,结束位置\nd0,d,0,20\nd1,d,20,60\nd2,d,50,80\n", "utf-8"
    )
    given = ("passages.jsonl", "a.run", "--texts", "texts", "-m", "char_recall@2")
    plain = command("evaluate", *given, "--chunks", "chunks.csv")
    odd = ("--chunks", "odd.csv")
    found = command("evaluate", *given, *odd)
    assert found.code == 3
    assert "--chunks-columns chunk=COLUMN" in found.err
    for value in ("chunk=名字", "odd.csv=chunk=名字"):
        found = command("evaluate", *given, *odd, "--chunks-columns", value)
        assert (found.code, found.out) == (0, plain.out)
    found = command("evaluate", *given, *odd, "--chunks-columns", "chunks.csv=chunk=名字")
    assert found.code == 2
    assert "chunks.csv" in found.err
    found = command("evaluate", "p.qrels", "a.run", "--chunks-columns", "chunk=名字")
    assert found.code == 2
    assert "`--chunks-columns` needs `--chunks`" in found.err
    resolved = command(
        "passages", "resolve", "passages.jsonl", "--texts", "texts", *odd,
        "--chunks-columns", "chunk=名字",
    )  # fmt: skip
    assert resolved.code == 0


def test_hints_about_judgments_name_their_own_option(files: Path, command: Command) -> None:
    Path("odd.csv").write_text("query,书名,quote\nq1,d,free within 30 days\n", "utf-8")
    for arguments in (
        ("passages", "resolve", "odd.csv", "--texts", "texts"),
        ("evaluate", "odd.csv", "a.run", "--chunks", "chunks.csv", "--texts", "texts"),
    ):
        found = command(*arguments)
        assert found.code == 3
        assert "--judgments-columns document=书名" in found.err


def test_offsets_of_texts_that_python_reads(files: Path, command: Command) -> None:
    Path("texts", "d.txt").write_bytes(b"One.\r\nTwo.\r\nThree.")
    Path("p.csv").write_text("query,document,quote\nq1,d,Three.\n", "utf-8")
    Path("c.csv").write_text("chunk,document,start,end\na,d,0,5\nb,d,5,10\nc,d,10,16\n", "utf-8")
    Path("b.run").write_text("q1 Q0 c 1 3 b\n", "utf-8")
    files_given = ("p.csv", "b.run", "--chunks", "c.csv", "--texts", "texts")
    asked = ("evaluate", *files_given, "-m", "char_recall", "--format", "json")
    wrong = command(*asked)
    assert "--offsets lf" in wrong.err
    right = command(*asked, "--offsets", "lf")
    assert (right.code, right.err) == (0, "")
    values = [json.loads(one.out)["measures"]["char_recall"]["value"] for one in (wrong, right)]
    assert values == [4 / 6, 1.0]


def test_a_folder_of_texts_has_an_encoding(files: Path, command: Command) -> None:
    Path("文本").mkdir()
    Path("文本", "退货.txt").write_bytes("七天内可以退货。\n定制商品除外。".encode("gbk"))
    Path("p.csv").write_bytes("查询,文档,引文\nq1,退货,定制商品除外\n".encode("gbk"))
    given = ("passages", "resolve", "p.csv", "--texts", "文本", "--encoding", "p.csv=gbk")
    found = command(*given)
    assert found.code == 3
    assert "hint: name the encoding of the folder: --encoding 文本=gbk" in found.err
    found = command(*given, "--encoding", "文本=gbk")
    assert found.code == 0
    assert "1 of 1 passage found" in found.err
