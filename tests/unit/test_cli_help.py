"""Help: complete, 80 columns wide, with examples that work, and the same in the documentation."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from types import ModuleType

import click
import pytest
from tests.unit.conftest import Command

from relyon.cli.application import COMMANDS, main
from relyon.cli.group import speaking
from relyon.core.document.terminal import width

ROOT = Path(__file__).resolve().parent.parent.parent


def examples(help_text: str) -> list[str]:
    """Returns the commands of a help text, continued lines joined."""
    return re.findall(r"^    (relyon .*)$", help_text.replace("\\\n", " "), re.MULTILINE)


def write_rows() -> None:
    """Writes the feature rows that the examples name."""
    from tests.unit.trained import rows_of, write_features

    for seed, name in enumerate(("features.csv", "heldout.csv")):
        write_features(rows_of(seed=seed), Path(name))


def write_passages() -> None:
    """Writes the passages and texts that the examples name."""
    Path("texts").mkdir(exist_ok=True)
    Path("texts", "d1.txt").write_text("Free returns within 30 days.", "utf-8")
    Path("passages.jsonl").write_text(
        '{"query": "q1", "document": "d1", "quote": "within 30 days"}\n', "utf-8"
    )


def test_every_module_of_a_command_is_listed() -> None:
    helpers = {
        "__init__",
        "application",
        "cluster",
        "comparing",
        "completion",
        "described",
        "encoding",
        "spark_engine",
        "group",
        "groups",
        "gate",
        "value_gate",
        "help",
        "help_lists",
        "file_columns",
        "find_slices",
        "joined_tables",
        "hints",
        "inputs",
        "margin_gate",
        "matching",
        "margins",
        "monitor_looks",
        "monitor_stale",
        "ranked_costs",
        "task_files",
        "messages",
        "judged",
        "judging_project",
        "model_judgments",
        "model_server",
        "named_tables",
        "no_answer",
        "option_values",
        "options",
        "passage_options",
        "other_names",
        "request",
        "output",
        "row_options",
        "scored",
        "serve_reach",
        "serve_sign_in",
        "sections",
        "sessions",
        "shares",
        "shells",
        "start",
        "stored",
        "summary",
        "systems",
        "tapes",
        "text",
        "usage_errors",
    }
    helpers |= {
        "engine_check",
        "engine_diff",
        "engine_import",
        "engine_new",
        "engine_rank_eval",
        "judge_accounts",
        "judge_archive",
        "judge_backup",
        "judge_audit",
        "judge_calibrate",
        "judge_export",
        "judge_import",
        "judge_llm",
        "judge_next",
        "judge_project",
        "judge_serve",
        "judge_sheets",
        "judge_stale",
        "labels_bias",
        "labels_simulate",
    }  # commands of a group
    folder = ROOT / "src" / "relyon" / "cli"
    assert {path.stem for path in folder.glob("*.py")} - helpers == set(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_help_starts_with_its_summary_and_an_example(name: str, command: Command) -> None:
    outcome = command(name, "--help")
    lines = outcome.out.splitlines()
    assert outcome.code == 0
    assert outcome.err == ""
    assert lines[0].startswith(f"Usage: relyon {name}")
    assert lines[2].strip() == COMMANDS[name]
    assert lines[4].strip() in {"Example:", "Examples:"}
    assert lines[5].strip().startswith(f"relyon {name}")


@pytest.mark.parametrize("path", [(), ("logs",), ("judge",), ("monitor",), ("engine",)])
def test_a_group_without_a_command_shows_its_help(path: tuple[str, ...], command: Command) -> None:
    outcome = command(*path)
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out == command(*path, "--help").out


def test_the_first_help_names_commands_and_exit_codes(command: Command) -> None:
    outcome = command()
    assert [name for name in COMMANDS if name not in outcome.out] == []
    assert "Exit codes:" in outcome.out


@pytest.mark.parametrize("name", [None, *COMMANDS])
def test_help_fits_80_columns(name: str | None, command: Command) -> None:
    outcome = command(*filter(None, [name]), "--help")
    assert max(map(width, outcome.out.splitlines())) <= 80


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_has_a_help_text(name: str) -> None:
    context = main.make_context("relyon", ["--"], resilient_parsing=True)
    command = main.get_command(context, name)
    assert command is not None
    options = [one for one in command.params if one.param_type_name == "option"]
    assert [one.name for one in options if not getattr(one, "help", None)] == []


@pytest.mark.long
@pytest.mark.parametrize("name", [one for one in COMMANDS if one != "demo"])
def test_the_examples_of_the_help_work(name: str, command: Command) -> None:
    found = examples(command(name, "--help").out)
    assert found
    if name in {"train", "rank", "export", "convert"}:
        write_rows()
    if name in {"rank", "export"}:
        command(*shlex.split("train features.csv -o ranker.model -p trees=2 --folds 3"))
    if name == "leaderboard":
        Path("costs.csv").write_text("name,p50\nbm25,12\nnew,30\n")
        rows = "".join(f"x,judgments.qrels,{run}.run\n" for run in ("bm25", "new"))
        Path("tasks.csv").write_text(f"task,judgments,run\n{rows}")
        Path("values.csv").write_text("query,old,new\nq1,0.5,0.6\nq2,0.1,0.2\n")
    if name in {"compare", "leaderboard"}:
        for run, path in (("bm25.run", "results-old.json"), ("new.run", "results-new.json")):
            command(*shlex.split(f"evaluate judgments.qrels {run} -q --format json -o {path}"))
    if name == "passages":
        write_passages()
    if name == "sample":
        command(*shlex.split("logs read arms.csv -o log.parquet"))
        for made in ("sample.csv", "pool.csv"):  # as it is before the first of the examples
            Path(made).unlink(missing_ok=True)
    for line in found:
        arguments = [word.replace("en01", "q1") for word in shlex.split(line)[1:]]
        if arguments[:2] == ["judge", "serve"] or (
            arguments[0] == "learn" and not {"-o", "--check-only"} & set(arguments)
        ):
            continue  # it serves until it is ended: the tests in `web` start it as a process
        if arguments[0] == "mcp":
            Path("experiments").mkdir(exist_ok=True)
            if "--print-config" not in arguments:
                continue  # it serves until stdin ends: tests with a client start it
        outcome = command(*arguments)
        assert outcome.code == 0, f"{line}: {outcome.err}"


def test_a_command_has_the_help_option_of_relyon_wherever_it_is_called_first() -> None:
    @click.command()
    def alone() -> None: ...

    first = speaking(alone).make_context("alone", [])
    assert "-h, --help" in alone.get_help(first)


def test_version(command: Command) -> None:
    outcome = command("--version")
    assert outcome.code == 0
    assert re.fullmatch(r"relyon \d+\.\d+\.\d+\S*\n", outcome.out)


def test_an_unknown_command_names_the_nearest(command: Command) -> None:
    outcome = command("evalaute")
    assert outcome.code == 2
    assert outcome.err == "error: unknown command: `evalaute`\nhint: did you mean `evaluate`?\n"


def test_an_unknown_option_names_the_nearest(command: Command) -> None:
    outcome = command("evaluate", "--convetion", "relyon", "judgments.qrels", "bm25.run")
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith(
        "error: no such option: `--convetion`\nhint: did you mean `--conv"
    )


def test_the_reference_page_holds_the_help(make_cli: ModuleType) -> None:
    page = (ROOT / "docs" / "cli.md").read_text("utf-8")
    assert page == make_cli.page(), "run python docs/make_cli.py"
