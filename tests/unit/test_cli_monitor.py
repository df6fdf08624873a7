"""`relyon monitor`: rounds, the trend and the alarm on the command line."""

from __future__ import annotations

import csv
import json
import shlex
import shutil
from io import StringIO
from pathlib import Path

import click
import polars as pl
import pytest
from tests.unit.conftest import Command

import relyon
from relyon.cli.monitor import command as monitor
from relyon.core.document.terminal import width

GRADES = "query,doc,grade\n" + "".join(
    f"q{number},{doc},{grade}\n" for number in range(4) for doc, grade in (("a", 3), ("b", 1))
)


def sample(path: Path, month: str, docs: list[str], per_tier: int = 30) -> None:
    """Writes a sample of 400 sessions of four queries; every tenth is shown the other order."""
    rows = [
        {
            "session": f"{month}-{number}",
            "query": f"q{number % 4}",
            "position": position,
            "doc": doc,
        }
        for number in range(400)
        for position, doc in enumerate(docs if number % 10 else docs[::-1], 1)
    ]
    relyon.draw_sample(
        pl.DataFrame(rows), per_tier=per_tier, cuts=[0.5], names=["head", "tail"], k=5
    ).write(path)


@pytest.fixture
def rounds(command: Command, files: Path) -> str:
    """Two months: in the second the best document is missing."""
    (files / "grades.csv").write_text(GRADES, "utf-8")
    for month, docs in (("2026-03", ["a", "b"]), ("2026-04", ["b"])):
        sample(files / f"{month}.csv", month, docs)
        outcome = command(
            "monitor", "add", "rounds", "--month", month, "--sample", f"{month}.csv",
            "--judgments", "grades.csv",
        )  # fmt: skip
        assert outcome.code == 0, outcome.err
        assert outcome.out.startswith(str(Path("rounds") / month))
        assert "60 sessions, 8 grades" in outcome.out
    return "rounds"


@pytest.fixture
def live(files: Path) -> str:
    """A judging database whose project Live holds grades of two judges, one of them decided."""
    pytest.importorskip("sqlalchemy")
    from relyon.judging.records import Item, Rating
    from relyon.judging.store import open_store

    with open_store(files / "judging.db", create=True) as store:
        project = store.projects.create("Live", overlap=2)
        store.grades.add(
            project.id,
            [
                (Item("tv", "tv-1"), [Rating("Ann", 3), Rating("Bo", 3)]),
                (Item("tv", "tv-2"), [Rating("Ann", 3), Rating("Bo", 0)]),
                (Item("cup", "cup-1"), [Rating("Ann", 1)]),
                (Item("pen", "pen-1"), [Rating("Ann", 2)]),
            ],
        )
        lead = store.accounts.create("Lee", role="lead")
        store.decisions.decide(store.decisions.queue(project.id)[0].item.id, lead, 2, key="first")
        store.projects.create("Empty")
    return "judging.db"


def test_grades_come_straight_from_a_judging_database(command: Command, live: str) -> None:
    add = ("monitor", "add", "rounds", "--sample", "sample.csv", "--judgments", live)
    outcome = command(*add, "--month", "2026-03", "--project", "Live")
    assert outcome.code == 0, outcome.err
    assert "4 sessions, 4 grades" in outcome.out
    assert "median: the middle grade, the lower one of two" in outcome.err
    (made,) = relyon.read_rounds("rounds")
    assert {one: made.judgments[one] for one in made.judgments.queries} == {
        "cup": {"cup-1": 1.0},
        "pen": {"pen-1": 2.0},
        "tv": {"tv-1": 3.0, "tv-2": 2.0},
    }
    assert made.judgments.scale is not None
    assert made.judgments.scale.name == "search"
    assert made.grading == "median"


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--judgments", "judging.db"], 2, "`judging.db#NAME`: `Live`, `Empty`"),
        (["--judgments", "judging.db#Life"], 2, "did you mean `Live`?"),
        (["--judgments", "judging.db#Live", "--columns", "grade=x"], 2, "not for"),
        (["--judgments", "judging.db#Live", "--project", "Empty"], 2, "two projects are named"),
        (["--judgments", "judged.csv", "--project", "Live"], 3, "not a SQLite database"),
        (["--judgments", "judging.db", "--project", "Life"], 2, "did you mean `Live`?"),
        (
            ["--judgments", "judging.db", "--project", "Empty"],
            3,
            "nothing has been graded in `Empty`",
        ),
        (["--judgments", "none.db", "--project", "Live"], 3, "this database does not exist"),
        (["--judgments", "judging.db", "--project", "Live", "--scale", "search"], 2, "not for"),
    ],
)
def test_databases_that_cannot_be_used(
    command: Command, live: str, arguments: list[str], code: int, message: str
) -> None:
    add = ("monitor", "add", "rounds", "--month", "2026-03", "--sample", "sample.csv")
    outcome = command(*add, *arguments)
    assert outcome.code == code
    assert message in outcome.err
    assert not Path("rounds").exists()


def test_a_round_and_its_trend_are_in_chinese(command: Command, live: str) -> None:
    add = ("monitor", "add", "rounds", "--sample", "sample.csv", "--judgments", live)
    outcome = command(*add, "--month", "2026-03", "--project", "Live", "--lang", "zh")
    assert outcome.code == 0, outcome.err
    assert outcome.out == f"{Path('rounds') / '2026-03'}：4 个会话，4 条标注\n"
    shown = command("monitor", "show", "rounds", "--lang", "zh")
    assert shown.code == 0, shown.err
    assert "评测口径 relyon：ties=doc-desc" in shown.out


@pytest.mark.long
def test_show_prints_what_the_library_says(command: Command, rounds: str) -> None:
    found = relyon.monitor(rounds)
    outcome = command("monitor", "show", rounds)
    assert (outcome.code, outcome.out) == (0, f"{found.to_text()}\n")
    assert max(map(width, outcome.out.splitlines())) <= 80
    outcome = command("monitor", "show", rounds, "--lang", "zh", "--limit", "0")
    assert outcome.out == found.to_text("zh", queries=0) + "\n"
    outcome = command("monitor", "show", rounds, "--format", "json")
    assert json.loads(outcome.out) == json.loads(json.dumps(found.to_dict(queries=5)))
    outcome = command("monitor", "show", rounds, "--format", "csv")
    assert len(list(csv.DictReader(StringIO(outcome.out)))) == len(found.points)
    outcome = command("monitor", "show", rounds, "--format", "markdown", "-o", "monitor.md")
    assert (outcome.code, outcome.out) == (0, "")
    assert Path("monitor.md").read_text("utf-8") == found.to_markdown(queries=5) + "\n"


@pytest.mark.long
def test_show_under_other_rules(command: Command, rounds: str) -> None:
    outcome = command(
        "monitor", "show", rounds, "--set", "gain=exp", "-k", "1", "--common-depth", "1",
        "--alpha", "0.01", "--confidence", "0.9", "--format", "json",
    )  # fmt: skip
    values = json.loads(outcome.out)
    assert values["convention"]["gain"] == "exp"
    assert (values["k"], values["common_k"]) == ({"head": 1, "tail": 1}, 1)
    assert (values["alpha"], values["confidence"]) == (0.01, 0.9)


@pytest.mark.long
def test_check_fails_where_dcg_fell(command: Command, rounds: str) -> None:
    outcome = command("monitor", "check", rounds)
    assert outcome.code == 1
    assert "all tiers: DCG@5 fell from" in outcome.out
    assert "does not show the fall" in outcome.out
    assert "recall loss rose" in outcome.out
    assert outcome.err.endswith("error: 2026-04: 6 alarms\n")
    outcome = command("monitor", "check", rounds, "--tier", "tail", "--lang", "zh")
    assert outcome.code == 1
    assert outcome.out.startswith("低频：DCG@5 从 ")
    assert "高频" not in outcome.out


@pytest.mark.long
def test_check_is_quiet_where_nothing_fell(command: Command, rounds: str, files: Path) -> None:
    sample(files / "again.csv", "2026-05", ["b"])
    command(
        "monitor", "add", rounds, "--month", "2026-05", "--sample", "again.csv", "--judgments",
        "grades.csv",
    )  # fmt: skip
    outcome = command("monitor", "check", rounds)
    assert (outcome.code, outcome.out) == (0, "2026-05: no alarm\n")
    outcome = command("monitor", "check", rounds, "--lang", "zh", "--max-drop", "5%")
    assert (outcome.code, outcome.out) == (0, "允许的最大降幅：5%\n2026-05：没有告警\n")


@pytest.mark.long
def test_a_fall_beyond_the_limit_is_an_alarm_though_it_may_be_chance(
    command: Command, files: Path
) -> None:
    (files / "grades.csv").write_text(GRADES, "utf-8")
    for month, docs, per_tier in (("2026-03", ["a", "b"], 2), ("2026-04", ["b", "a"], 2)):
        sample(files / f"{month}.csv", month, docs, per_tier)
        command(
            "monitor", "add", "rounds", "--month", month, "--sample", f"{month}.csv",
            "--judgments", "grades.csv", "-k", "1",
        )  # fmt: skip
    found = relyon.monitor("rounds").change("all", "common", "2026-04")
    assert found is not None
    limit = -found.relative - 0.01
    outcome = command("monitor", "check", "rounds", "--tier", "all", "--max-drop", f"{limit:.4f}")
    assert outcome.code == 1
    assert "allowed" in outcome.out
    outcome = command("monitor", "check", "rounds", "--tier", "all", "--max-drop", "0.99")
    assert "limit: a drop of 99%" in outcome.out
    refused = command("monitor", "check", "rounds", "--max-drop", "1")
    assert refused.code == 2
    assert "write --max-drop 1%, or the fraction: --max-drop 0.01" in refused.err
    outcome = command("monitor", "check", "rounds", "--tier", "everything")
    assert outcome.code == 2
    assert "no tier is called `everything`" in outcome.err


def test_a_round_is_never_overwritten(command: Command, rounds: str) -> None:
    outcome = command(
        "monitor", "add", rounds, "--month", "2026-03", "--sample", "2026-03.csv",
        "--judgments", "grades.csv",
    )  # fmt: skip
    assert outcome.code == 3
    assert "exists already" in outcome.err


def test_a_changed_round_is_refused(command: Command, rounds: str, files: Path) -> None:
    path = files / "rounds" / "2026-03" / "judgments.csv"
    path.write_text(path.read_text("utf-8").replace("3", "2"), "utf-8")
    for name in ("show", "check"):
        outcome = command("monitor", name, rounds)
        assert (outcome.code, outcome.out) == (3, "")
        assert "the file has changed" in outcome.err
        assert "hint: rounds are never changed" in outcome.err


def test_sessions_without_a_grade_are_counted(command: Command) -> None:
    outcome = command(
        "monitor", "add", "rounds", "--month", "2026-03", "--sample", "sample.csv",
        "--judgments", "judged.csv", "-k", "head=2,middle=1", "--common-depth", "1",
    )  # fmt: skip
    assert outcome.code == 0
    # Of the first result of four sessions one is graded.
    assert "warning: 3 of 4 sessions are left out" in outcome.err
    (made,) = relyon.read_rounds("rounds")
    assert dict(made.depths) == {"head": 2, "middle": 1, "tail": 10}


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--month", "March", "--sample", "sample.csv"], 2, "`March` is not a month"),
        (["--month", "2026-03", "--sample", "log.csv"], 3, "is not a sample"),
        (["--month", "2026-03", "--sample", "sample.csv", "-k", "head"], 2, "nor TIER=K"),
        (["--month", "2026-03", "--sample", "sample.csv", "-k", "haed=1"], 2, "not one of head"),
        (["--month", "2026-03", "--sample", "sample.csv", "-k", "11"], 2, "between 1 and 10"),
        (["--month", "2026-03"], 2, "missing option"),
    ],
)
def test_what_cannot_be_added(
    command: Command, arguments: list[str], code: int, message: str
) -> None:
    outcome = command("monitor", "add", "rounds", "--judgments", "judged.csv", *arguments)
    assert (outcome.code, outcome.out) == (code, "")
    assert message in outcome.err
    assert not Path("rounds").exists()


def test_no_rounds(command: Command) -> None:
    outcome = command("monitor", "show", "nowhere")
    assert outcome.code == 3
    assert "relyon monitor add" in outcome.err


@pytest.mark.long
def test_report_writes_the_page_of_the_library(command: Command, rounds: str) -> None:
    outcome = command("monitor", "report", rounds, "-o", "monitor.md", "--title", "March")
    assert (outcome.code, outcome.out) == (0, "")
    relyon.write_monitor_report(relyon.monitor(rounds), "other.md", title="March")
    assert Path("monitor.md").read_text("utf-8") == Path("other.md").read_text("utf-8")
    outcome = command("monitor", "report", rounds, "-o", "monitor.txt")
    assert outcome.code == 2
    assert not Path("monitor.txt").exists()


def test_the_group_alone_shows_its_help(command: Command) -> None:
    outcome = command("monitor")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.startswith("Usage: relyon monitor")


@pytest.mark.parametrize("name", list(monitor.commands))
def test_help_of_the_parts(name: str, command: Command, live: str) -> None:
    outcome = command("monitor", name, "--help")
    assert outcome.code == 0
    assert max(map(width, outcome.out.splitlines())) <= 80
    options = [one for one in monitor.commands[name].params if isinstance(one, click.Option)]
    assert all(one.help for one in options)
    lines = outcome.out.replace("\\\n", " ").splitlines()
    first = [
        "monitor", "add", "rounds", "--month", "2026-03", "--sample", "sample.csv",
        "--judgments", "judged.csv",
    ]  # fmt: skip
    if name != "add":
        assert command(*first).code == 0
        shutil.copy("judged.csv", "today.csv")
    examples = [line.strip() for line in lines if line.startswith("    relyon ")]
    assert examples
    for example in examples:
        done = command(*shlex.split(example)[1:])
        assert done.code == 0, f"{example}: {done.err}"
