"""`relyon leaderboard` from files: every kind of input, every form, and what is refused."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from tests.unit.conftest import Command

from relyon import read_results
from relyon.core.document.terminal import width

QUERIES = [f"q{n}" for n in range(12)]
RUNS = ("good", "fair", "bad")


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{q} 0 a 1\n{q} 0 b 0\n{q} 0 c 2\n" for q in QUERIES)
    (tmp_path / "j.qrels").write_text(rows)
    for name, order in zip(RUNS, ("cab", "acb", "bac"), strict=True):
        lines = (
            f"{q} Q0 {d} {r + 1} {3 - r} {name}\n" for q in QUERIES for r, d in enumerate(order)
        )
        Path(f"{name}.run").write_text("".join(lines))
    return "j.qrels", *(f"{name}.run" for name in RUNS), "-m", "ndcg@3"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_table_fits_a_terminal(language: str, files: tuple[str, ...], command: Command) -> None:
    outcome = command("leaderboard", *files, "--lang", language)
    assert outcome.code == 0
    assert max(map(width, outcome.out.splitlines())) <= 80
    assert "good.run" in outcome.out.splitlines()[4]


def test_as_data_and_in_one_line(files: tuple[str, ...], command: Command) -> None:
    read = json.loads(command("leaderboard", *files, "--format", "json").out)
    (board,) = read["measures"]
    assert [(one["run"], one["ranks"]) for one in board["standings"]] == [
        ("good.run", [1, 1]),
        ("fair.run", [2, 2]),
        ("bad.run", [3, 3]),
    ]
    assert read["inputs"]["good.run"]["judgments"]
    rows = [*csv.DictReader(command("leaderboard", *files, "--format", "csv").out.splitlines())]
    assert [row["last_rank"] for row in rows] == ["1", "2", "3"]
    line = command("leaderboard", *files, "--line", "fair.run").out
    assert line == "fair.run: rank 2 of 3 on ndcg@3 (95% confidence, 12 queries)\n"
    assert "| run | rank |" in command("leaderboard", *files, "--format", "markdown").out
    assert command("leaderboard", *files, "--line", "fare").code == 2


def test_stored_results_values_and_tasks_give_the_same_ranks(
    files: tuple[str, ...], command: Command, tmp_path: Path
) -> None:
    expected = command("leaderboard", *files, "--format", "csv").out
    stored = [f"{name}.run.json" for name in RUNS]
    for name, path in zip(RUNS, stored, strict=True):
        given = ("j.qrels", f"{name}.run", "-m", "ndcg@3", "-q")
        assert command("evaluate", *given, "--format", "json", "-o", path).code == 0
    assert command("leaderboard", *stored, "--format", "csv").out == expected
    lines = [",".join(["query", *RUNS])]
    read = [read_results(path) for path in stored]
    columns = [one.values_by_query("ndcg@3") for one in read]
    lines += [",".join([q, *(str(column[q]) for column in columns)]) for q in QUERIES]
    Path("m.csv").write_text("\n".join(lines))
    found = command("leaderboard", "--values", "m.csv", "-m", "ndcg@3", "--format", "csv").out
    ranks = [row["first_rank"] for row in csv.DictReader(found.splitlines())]
    assert ranks == ["1", "2", "3"]
    text = "task,judgments,run,name\n" + "".join(
        f"{task},j.qrels,{name}.run,{name}\n" for task in "xy" for name in RUNS
    )
    folder = tmp_path / "deeper"
    folder.mkdir()
    (folder / "tasks.csv").write_text(
        text.replace("j.qrels", "../j.qrels")
        .replace(",good.run", ",../good.run")
        .replace(",fair.run", ",../fair.run")
        .replace(",bad.run", ",../bad.run")
    )
    of_tasks = ("--tasks", "deeper/tasks.csv", "-m", "ndcg@3", "--format", "json")
    tasks = json.loads(command("leaderboard", *of_tasks).out)
    assert tasks["tasks"] == {"x": 12, "y": 12}
    headed = (
        (folder / "tasks.csv")
        .read_text()
        .replace("task,judgments,run,name", "任务,标注,结果文件,名称")
    )
    (folder / "任务.csv").write_text(headed, encoding="utf-8")
    of_headed = ("--tasks", "deeper/任务.csv", *of_tasks[2:])
    assert json.loads(command("leaderboard", *of_headed).out)["measures"] == tasks["measures"]
    assert [one["run"] for one in tasks["measures"][0]["standings"]] == ["good", "fair", "bad"]


def test_predictions_of_mteb_are_runs(files: tuple[str, ...], command: Command) -> None:
    rows = ["task,judgments,run,name"]
    for model, scores in (("one", {"c": 2.0, "a": 1.0}), ("two", {"a": 2.0, "c": 1.0})):
        Path(model).mkdir()
        content = {
            "mteb_model_meta": {"model_name": model},
            "default": {"test": dict.fromkeys(QUERIES, scores)},
        }
        Path(model, "T_predictions.json").write_text(json.dumps(content))
        rows.append(f"T,j.qrels,{model}/T_predictions.json,{model}")
    Path("tasks.csv").write_text("\n".join(rows))
    given = ("leaderboard", "--tasks", "tasks.csv", "-m", "ndcg@3", "--format", "json")
    read = json.loads(command(*given).out)
    assert [one["run"] for one in read["measures"][0]["standings"]] == ["one", "two"]


def test_costs_are_named_as_files_or_without_their_ending(
    files: tuple[str, ...], command: Command
) -> None:
    Path("costs.csv").write_text("name,p50\ngood,9\nfair.run,12\nbad,1\n")
    outcome = command("leaderboard", *files, "--costs", "costs.csv")
    assert "● 9" in outcome.out
    assert "▼ 12" in outcome.out
    Path("costs.csv").write_text("name,p50\nother,9\n")
    outcome = command("leaderboard", *files, "--costs", "costs.csv")
    assert outcome.code == 3
    assert "costs.csv: the table of costs has none of the runs" in outcome.err


@pytest.mark.long
def test_a_page(files: tuple[str, ...], command: Command) -> None:
    pytest.importorskip("vl_convert")
    Path("costs.csv").write_text("name,p50\ngood,9\nfair,12\nbad,1\n")
    for language, word in (("en", "How to read this page"), ("zh", "如何阅读本页")):
        given = ("--costs", "costs.csv", "-o", "board.html", "--lang", language)
        assert command("leaderboard", *files, *given).code == 0
        page = Path("board.html").read_text()
        assert word in page
        assert page.count("<svg") >= 3
        assert "good.run" in page


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (("j.qrels", "good.run"), "two or more runs are needed"),
        (("--tasks", "t.csv", "j.qrels"), "--tasks names all files"),
        (("--tasks", "t.csv", "--values"), "--tasks and --values exclude each other"),
        (("--tasks", "none.csv"), "no column `task`"),
        (("--tasks", "empty.csv"), "row 2 of the table of tasks has no `run`"),
        (("--tasks", "twice.csv"), "has the run `good.run` twice"),
        (("--tasks", "two.csv"), "has two files of judgments"),
        (("--values", "v.csv", "-m", "a", "-m", "b"), "has one measure"),
    ],
    ids=["one-run", "files", "values", "column", "row", "twice", "judgments", "measures"],
)
def test_what_is_refused(
    given: tuple[str, ...], expected: str, files: tuple[str, ...], command: Command
) -> None:
    Path("other.qrels").write_text(Path("j.qrels").read_text())
    Path("none.csv").write_text("name,run\na,good.run\n")
    Path("empty.csv").write_text("task,judgments,run\nx,j.qrels,\n")
    row = "x,j.qrels,good.run\n"
    Path("twice.csv").write_text(f"task,judgments,run\n{row}{row}")
    Path("two.csv").write_text(f"task,judgments,run\n{row}x,other.qrels,bad.run\n")
    Path("v.csv").write_text("query,a,b\nq,1,2\n")
    outcome = command("leaderboard", *given)
    assert outcome.code in {2, 3}
    assert expected in outcome.err


def test_one_line_per_measure(files: tuple[str, ...], command: Command) -> None:
    lines = command("leaderboard", *files, "-m", "rr", "--line", "fair.run").out.splitlines()
    assert [line.split(" on ")[1].split()[0] for line in lines] == ["ndcg@3", "rr"]


def test_tables_given_as_judgments_name_their_option(
    files: tuple[str, ...], command: Command
) -> None:
    Path("tasks.csv").write_text("task,judgments,run\nt,j.qrels,good.run\n")
    assert "--tasks tasks.csv" in command("leaderboard", "tasks.csv").err
    Path("values.csv").write_text("query,a,b\nq1,0.5,0.6\n")
    assert "--values values.csv" in command("leaderboard", "values.csv").err
    assert "RUN is missing" in command("leaderboard", "j.qrels").err


def test_a_way_of_tasks_needs_tasks(files: tuple[str, ...], command: Command) -> None:
    outcome = command("leaderboard", *files, "--tasks-are", "sampled")
    assert outcome.code == 2
    assert "--tasks-are needs --tasks" in outcome.err


def test_notes_name_their_task(files: tuple[str, ...], command: Command) -> None:
    Path("tied.run").write_text("".join(f"{q} Q0 {d} 1 1 x\n" for q in QUERIES for d in "abc"))
    rows = "".join(f"t1,j.qrels,{run}\n" for run in ("good.run", "tied.run"))
    Path("tasks.csv").write_text(f"task,judgments,run\n{rows}")
    assert "tied.run (t1): ties matter" in command("leaderboard", "--tasks", "tasks.csv").err


def test_a_folder_of_results_of_mteb(tmp_path: Path, command: Command) -> None:
    for place, model in enumerate(("org__new", "org__old")):
        for number in range(8):
            path = tmp_path / model / "abc" / f"Task{number}.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            score = 0.5 + 0.01 * number - 0.1 * place
            row = {"hf_subset": "default", "main_score": score, "ndcg_at_10": score / 2}
            path.write_text(json.dumps({"task_name": f"Task{number}", "scores": {"test": [row]}}))
    outcome = command("leaderboard", "--values", str(tmp_path))
    assert outcome.code == 0
    assert outcome.out.startswith("Leaderboard: 2 runs, 8 tasks, main_score\n")
    assert "org/new" in outcome.out.splitlines()[4]
    assert "task by task" in " ".join(outcome.out.split())
    assert "query by query" not in " ".join(outcome.out.split())
    line = command(
        "leaderboard", "--values", str(tmp_path), "-m", "ndcg_at_10", "--line", "org/new"
    )
    assert line.out == "org/new: rank 1 of 2 on ndcg_at_10 (95% confidence, 8 tasks)\n"
