"""Tables in Chinese: no heading stays English, and no column loses its place."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.unit.conftest import Command

from relyon.core.document.terminal import width
from relyon.core.texts import catalogue
from relyon.data.convention import load_convention

FILES = Path(__file__).parents[2] / "examples" / "docs-search"
JUDGED, FIRST, SECOND = (str(FILES / name) for name in ("judgments.qrels", "bm25.run", "tfidf.run"))

#: What is the same in every language: names of files, measures, rules, methods and queries.
SAME = re.compile(
    r"[\w./-]+\.(run|trec|qrels)|\b(en|zh)\d\d\b|relyon|[\w.-]+=[\w-]+|\b(ndcg|p|pnr|rr|ap|recall|auc"
    r"|judged|dcg|DCG)\b(@\d+)?(\([^()]*\))?|--\w+|csv|json|markdown|kendall|Kendall|Tukey|HSD|Holm"
    r"|BCa|d_z|inf|micro|Fisher|</?sup>|rrf|wsum|weights"
)
ENGLISH = re.compile(r"[A-Za-z]{2,}")

COMMANDS = [
    ("evaluate", JUDGED, FIRST, "-m", "ndcg@10", "-m", "pnr", "-m", "rr"),
    ("evaluate", JUDGED, FIRST, SECOND, "-m", "ndcg@10", "-m", "pnr", "--per-query"),
    ("evaluate", JUDGED, FIRST, "-m", "ndcg@10", "--format", "markdown"),
    ("compare", JUDGED, FIRST, SECOND, "-m", "ndcg@10", "-m", "pnr", "-m", "judged@10"),
    ("compare", JUDGED, FIRST, SECOND, "-m", "rr", "--per-query", "--interval", "bca"),
    ("compare", JUDGED, FIRST, SECOND, "-m", "ndcg@10", "--format", "markdown"),
    ("funnel", JUDGED, FIRST, SECOND),
    ("agree", JUDGED, FIRST, SECOND, "-m", "ndcg@10", "-m", "ap"),
    ("agree", JUDGED, FIRST, SECOND, "-m", "ndcg@10", "-m", "ap", "--discriminative"),
]

EXPLAINED = [
    (FIRST, "--query-id", "en01", "-m", "ndcg@10"),
    (FIRST, "--query-id", "en01", "-m", "recall@5", "--against", "lightgbm"),
    (FIRST, "--query-id", "en01", "-m", "dcg@5", "--against", "sklearn", "--set", "gain=exp"),
    (FIRST, "--query-id", "en01", "-m", "pnr", "--format", "markdown"),
    (FIRST, "--query-id", "zh10", "-m", "judged@10", "--against", "trec_eval"),
    (FIRST, SECOND, "--query-id", "en01", "-m", "ndcg@10"),
    (FIRST, SECOND, "--query-id", "en01", "-m", "pnr"),
    (FIRST, SECOND, "--query-id", "zh10", "-m", "judged@10"),
]


@pytest.mark.parametrize("arguments", COMMANDS, ids=lambda one: " ".join(one[:1] + one[3:]))
def test_a_chinese_table_has_no_english_heading(arguments: Sequence[str], command: Command) -> None:
    outcome = command(*arguments, "--lang", "zh")
    assert outcome.code == 0
    assert re.search("指标|阶段", outcome.out)
    assert ENGLISH.findall(SAME.sub("", outcome.out)) == []
    assert command(*arguments).out == command(*arguments, "--lang", "en").out


@pytest.mark.parametrize("form", ["json", "csv"])
@pytest.mark.parametrize("arguments", COMMANDS[3:7:3], ids=lambda one: one[0])
def test_data_is_the_same_in_every_language(
    arguments: Sequence[str], form: str, command: Command
) -> None:
    outcome = command(*arguments, "--format", form, "--lang", "zh")
    assert outcome.out == command(*arguments, "--format", form).out


@pytest.mark.parametrize(("arguments", "place"), [(COMMANDS[0], 0), (COMMANDS[6], 1)])
def test_columns_stay_aligned(arguments: Sequence[str], place: int, command: Command) -> None:
    heading, rule, *rows = command(*arguments, "--lang", "zh").out.split("\n\n")[place].splitlines()
    assert width(heading) == width(rule)
    assert all(width(row) <= width(rule) for row in rows if "█" not in row)


def test_what_fusion_says_is_chinese(tmp_path: Path, command: Command) -> None:
    fused = str(tmp_path / "fused.trec")
    settings = ("--method", "wsum", "--judgments", JUDGED, "--optimize", "rr", "--folds", "2")
    outcome = command("fuse", FIRST, SECOND, *settings, "-o", fused, "--lang", "zh")
    assert ENGLISH.findall(SAME.sub("", outcome.err.replace(fused, ""))) == []
    lines = outcome.err.splitlines()[1:5]
    assert len({width(line.partition(" rr ")[0]) for line in lines}) == 1


@pytest.mark.parametrize("arguments", EXPLAINED, ids=lambda one: " ".join(one[-6:]))
def test_a_chinese_derivation_has_no_english_heading(
    arguments: Sequence[str], command: Command
) -> None:
    outcome = command("explain", JUDGED, *arguments, "--lang", "zh")
    assert outcome.code == 0
    # Formulas, ids of documents and the names of rules are the same in every language.
    text = re.sub(r"\b\w+ = .*|\S+  =  .*|ndcg@\d+ = .*|[\w.]*\w\.\w+", "", outcome.out)
    presets = ("relyon", "lightgbm", "sklearn", "trec_eval")
    rules = {"custom", *presets}
    for shown in (load_convention(name).shown() for name in presets):
        rules |= {*shown, *map(str.lower, shown.values())}
    text = re.sub("|".join(map(re.escape, sorted(rules, key=len, reverse=True))), "", text)
    assert ENGLISH.findall(SAME.sub("", text)) == []
    told = command("explain", JUDGED, *arguments)
    assert told.out == command("explain", JUDGED, *arguments, "--lang", "en").out


def test_json_of_a_derivation_is_the_same_in_every_language(command: Command) -> None:
    asked = ("explain", JUDGED, FIRST, "--query-id", "en01", "--format", "json")
    assert command(*asked, "--lang", "zh").out == command(*asked).out


@pytest.mark.parametrize("ending", ["csv", "jsonl", "qrels"])
@pytest.mark.parametrize(
    ("grade", "english", "chinese"),
    [("高", "高 (3)", "高 (3)"), ("high", "high (3)", "high (3)"), ("3", "high (3)", "高 (3)")],
)
def test_grades_are_named_as_the_file_names_them(
    tmp_path: Path, ending: str, grade: str, english: str, chinese: str, command: Command
) -> None:
    judged, run = tmp_path / f"judged.{ending}", tmp_path / "a.run"
    text = {
        "csv": f"query,document,grade\nq1,a,{grade}\n",
        "jsonl": f'{{"query": "q1", "document": "a", "grade": "{grade}"}}\n',
        "qrels": f"q1 0 a {grade}\n",
    }[ending]
    judged.write_text(text, "utf-8")
    run.write_text("q1 Q0 a 1 2.0 t\n")
    asked = ("explain", str(judged), str(run), "--query-id", "q1", "--scale", "search")
    assert english in command(*asked).out
    assert chinese in command(*asked, "--lang", "zh").out


def test_an_overview_of_a_log_is_in_chinese(command: Command, files: Path) -> None:
    (files / "log.csv").write_text(
        "session,query,position,doc,clicked,user,timestamp\n"
        "s1,tv,1,a,1,u1,2026-01-31T08:00:00Z\ns1,tv,2,b,0,u1,2026-01-31T08:00:00Z\n"
    )
    outcome = command("logs", "inspect", "log.csv", "--lang", "zh")
    assert outcome.code == 0, outcome.err
    lines = [re.split(r" {2,}", line) for line in outcome.out.splitlines()]
    assert ["位置", "1 到 2"] in lines
    assert ["平均每个会话的结果数", "2.0"] in lines
    assert ["高频", "1", "1", "100.0%"] in lines
    names = {"clicked", "dwell_seconds", "add_to_cart", "purchase", "bucket"}
    kept = re.sub(r"2026\S+", "", outcome.out)
    assert set(re.findall(r"[A-Za-z_]{2,}", kept)) == names
    english = command("logs", "inspect", "log.csv").out
    assert "results per session  2.0\n" in english
    assert "positions            1 to 2\n" in english


def test_every_heading_of_a_derivation_is_translated() -> None:
    import relyon.measures

    found = {one for name in dir(relyon.measures) for one in
             getattr(getattr(relyon.measures, name), "headings", ())}  # fmt: skip
    assert {"gain", "relevant characters", "passages found"} <= found
    words = catalogue("words", "zh")
    assert {one for one in found if re.search("[a-z]{2}", one) and one not in words
            and f"word.{one}" not in words} == set()  # fmt: skip
