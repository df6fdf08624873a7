"""`--queries` and `--documents`: texts beside ids in explain, diagnose, compare and report."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from tests.unit.conftest import Command

TITLES = {
    "d1": "Running shoes",
    "d2": "<script>alert(1)</script>",
    "d3": "男士跑步鞋",
    "d4": "Evil \x1b[2Jtitle",
}
QUERIES = {"q1": "shoes men", "q2": "跑步鞋 <b>男</b>"}
TEXTS = ("--queries", "queries.tsv", "--documents", "products.csv")
RUNS = ("judgments.qrels", "old.run", "new.run")


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    with open("queries.tsv", "w", encoding="utf-8") as file:
        file.write("qid\ttext\n" + "".join(f"{one}\t{text}\n" for one, text in QUERIES.items()))
    with open("products.csv", "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("product_id", "product_title"), *TITLES.items()])
    queries = ("q1", "q2", "q3")
    judged = [f"{query} 0 d{n} {n - 1}" for query in queries for n in (1, 2, 3)]
    orders = {"old": (1, 2, 4, 5, 3), "new": (3, 4, 2, 1, 6)}
    Path("judgments.qrels").write_text("\n".join(judged) + "\n", "utf-8")
    for name, order in orders.items():
        turned = {query: order[::-1] if query == "q3" else order for query in queries}
        lines = [
            f"{query} Q0 d{n} {rank} {9 - rank} {name}"
            for query, documents in turned.items()
            for rank, n in enumerate(documents, 1)
        ]
        Path(f"{name}.run").write_text("\n".join(lines) + "\n", "utf-8")
    return tmp_path


def test_a_derivation_names_the_query_and_its_documents(command: Command) -> None:
    done = command("explain", *RUNS[:2], "--query-id", "q2", *TEXTS)
    assert done.code == 0, done.err
    assert "ndcg of query q2 “跑步鞋 <b>男</b>” = " in done.out
    assert "d1  Running shoes" in done.out
    assert r"d4  Evil \x1b[2Jtitle" in done.out
    assert done.err == "note: products.csv: no title for 1 of 5 documents (d5)\n"
    html = command("explain", *RUNS[:2], "--query-id", "q2", *TEXTS, "--format", "markdown").out
    assert "| 2 | d2 · &lt;script&gt;alert(1)&lt;/script&gt; |" in html


def test_a_derivation_as_json_has_whole_texts(command: Command) -> None:
    done = command("explain", *RUNS[:2], "--query-id", "q1", *TEXTS, "--format", "json")
    found = json.loads(done.out)
    assert found["query_text"] == "shoes men"
    titles = {step["document"]: step["title"] for step in found["steps"]}
    assert titles == {**TITLES, "d5": None}
    assert {step["title"] for step in found["ideal"]} == {TITLES["d2"], TITLES["d3"]}
    plain = json.loads(command("explain", *RUNS[:2], "--query-id", "q1", "--format", "json").out)
    assert "query_text" not in plain
    assert not [step for step in plain["steps"] if "title" in step]


def test_a_change_names_the_query_and_its_documents(command: Command) -> None:
    done = command("explain", *RUNS, "--query-id", "q1", *TEXTS, "--lang", "zh")
    assert done.out.startswith("查询 q1 “shoes men” 的 ndcg@10：")
    assert "提示：products.csv：6 篇文档中有 2 篇没有标题（d5、d6）" in done.err
    done = command("explain", *RUNS, "--query-id", "q1", *TEXTS)
    assert done.out.startswith("ndcg@10 of query q1 “shoes men”: ")
    assert "d3  男士跑步鞋" in done.out
    found = json.loads(
        command("explain", *RUNS, "--query-id", "q1", *TEXTS, "--format", "json").out
    )
    assert found["query_text"] == found["before"]["query_text"] == "shoes men"
    assert {one["document"]: one["title"] for one in found["moves"]}["d3"] == "男士跑步鞋"


def test_queries_worth_a_look_are_named(command: Command) -> None:
    done = command("explain", *RUNS, *TEXTS)
    assert done.code == 2
    assert "`q1` “shoes men” (+0." in done.err


def test_pairs_in_the_wrong_order_are_named(command: Command) -> None:
    done = command("explain", *RUNS[:2], "--query-id", "q1", "-m", "pnr", *TEXTS)
    (line,) = [
        one for one in done.out.splitlines() if one.lstrip().startswith("1  d1") and "d3" in one
    ]
    assert "d1  Running shoes" in line
    assert "d3  男士跑步鞋" in line


def test_a_comparison_names_what_was_asked(command: Command) -> None:
    done = command("compare", *RUNS, "-m", "ndcg@10", "--queries", "queries.tsv")
    assert done.code == 0, done.err
    gained = done.out.partition("Gained most on ndcg@10")[2]
    assert "q1     shoes men" in gained or "q1  shoes men" in gained
    assert "queries.tsv: no text for 1 of 3 queries (q3)" in done.err
    plain = command("compare", *RUNS, "-m", "ndcg@10").out
    assert "gained most on ndcg@10: q1 " in plain


def test_differences_per_query_name_what_was_asked(command: Command) -> None:
    asked = ("compare", *RUNS, "-m", "ndcg@10", "-q", "--queries", "queries.tsv")
    assert "q2  跑步鞋 <b>男</b>" in command(*asked).out
    rows = [*csv.DictReader(command(*asked, "--format", "csv").out.splitlines())]
    assert [row["query_text"] for row in rows] == [QUERIES["q1"], QUERIES["q2"], ""]
    assert list(rows[0]) == ["candidate", "query", "query_text", "measure", "difference"]
    found = json.loads(command(*asked, "--format", "json").out)
    assert found["query_texts"] == QUERIES


def test_diagnoses_name_their_examples(command: Command) -> None:
    done = command("diagnose", *RUNS, *TEXTS, "--rule", "unjudged")
    assert done.code == 0, done.err
    assert "For example:\n" in done.out
    assert "- q1 “shoes men”: d5\n" in done.out
    assert r"- q3: d4 “Evil \x1b[2Jtitle”" in done.out
    assert "products.csv: no title for 2 of 3 documents (d5, d6)" in done.err
    (found,) = json.loads(
        command("diagnose", *RUNS, *TEXTS, "--rule", "unjudged", "--format", "json").out
    )
    assert found["examples"][0].startswith("q")
    assert found["query_texts"] == QUERIES
    assert found["document_titles"] == {"d4": TITLES["d4"]}
    markdown = command("diagnose", *RUNS, *TEXTS, "--rule", "unjudged", "--format", "markdown").out
    assert r"- `q3: d4 “Evil \x1b[2Jtitle”`" in markdown
    plain = command("diagnose", *RUNS, "--rule", "unjudged").out
    assert "For example: q" in plain


@pytest.mark.parametrize("ending", ["md", "html"])
def test_a_report_names_queries_and_documents(ending: str, command: Command, files: Path) -> None:
    path = files / f"report.{ending}"
    done = command("report", *RUNS, "-m", "ndcg@10", "-o", path.name, *TEXTS)
    assert done.code == 0, done.err
    text = path.read_text("utf-8")
    assert "<script>alert" not in text
    assert "q2 · 跑步鞋 &lt;b&gt;男&lt;/b&gt;" in text
    shown = "d3 · 男士跑步鞋" if ending == "md" else '<span class="title" title="男士跑步鞋">'
    assert shown in text
    assert "products.csv: no title for 2 of 6 documents (d5, d6)" in done.err
    assert "queries.tsv: no text for 1 of 3 queries (q3)" in done.err


@pytest.mark.parametrize("name", ["explain", "compare", "diagnose", "report"])
def test_where_nothing_matches_ids_stand_alone(name: str, command: Command, files: Path) -> None:
    (files / "other.csv").write_text("id,text\nx1,red shoes\n", "utf-8")
    more = {"explain": ("--query-id", "q1"), "report": ("-o", "report.md")}.get(name, ())
    runs = RUNS[:2] if name == "explain" else RUNS
    done = command(name, *runs, *more, "--queries", "other.csv")
    assert done.code == 0, done.err
    assert "warning: other.csv: no text for any of " in done.err
    assert "ids were looked for in id" in done.err
    assert "red shoes" not in done.out


@pytest.mark.parametrize("name", ["explain", "compare", "diagnose", "report"])
def test_a_file_of_texts_is_never_written_over(name: str, command: Command, files: Path) -> None:
    more = {
        "explain": ("--query-id", "q1", "--format", "markdown"),
        "compare": ("--format", "csv"),
        "diagnose": ("--format", "markdown"),
        "report": ("--format", "markdown"),
    }.get(name, ())
    runs = RUNS[:2] if name == "explain" else RUNS
    done = command(name, *runs, *more, "--queries", "queries.tsv", "-o", "queries.tsv")
    assert done.code == 2
    assert "is one of the inputs" in done.err
    assert (files / "queries.tsv").read_text("utf-8").startswith("qid\ttext")
    done = command(name, *runs, *more, "--queries", "gone.tsv", "-o", "new.md")
    assert done.code == 3
    assert "gone.tsv" in done.err
