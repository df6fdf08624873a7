"""Command lines that are nearly right: the error says what to write."""

from __future__ import annotations

from pathlib import Path

import click
import pytest
from tests.unit.conftest import Command
from tests.unit.test_cli_help_language import PATHS, found

from relyon.cli.other_names import NAMES, meant
from relyon.cli.usage_errors import said_of_usage


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("train f.csv --test x", "did you mean `--valid`?"),
        ("train f.csv --data x", "did you mean `--valid`?"),
        ("export m --data x", "did you mean `--valid`?"),
        ("split f.csv --test x", "did you mean `--test-share`?"),
        ("labels make log.csv --grades threshold=.3", "did you mean `--grading`?"),
        ("evaluate j r --metric ndcg", "did you mean `--measure`?"),
        ("evaluate j r --k 10", "write `-m ndcg@10`"),
        ("depth j r --top_k 10", "did you mean `--at`?"),
        ("train f.csv --trees 10", "write `-p trees=200`"),
        ("sample log.csv --drop-bot", "did you mean `--drop-bots`?"),
        ("sample log.csv --exclude-bots", "did you mean `--drop-bots`?"),
        ("labels make log.csv --min-dwell-time 3", "did you mean `--min-dwell`?"),
        (
            "compare j a b --max-drop 5%",
            "--fail-if-worse MEASURE fails on a significant loss, whatever its size; for a limit on"
            " the drop of a monthly number, use relyon monitor check --max-drop 5%",
        ),
        ("monitor check rounds --threshold 5%", "did you mean `--max-drop`?"),
        (
            "evaluate r --qrels j",
            "JUDGMENTS is given without an option: `relyon evaluate [JUDGMENTS] RUN…`",
        ),
        ("rank m --data x", "DATA is given without an option: `relyon rank MODEL DATA`"),
        ("judge status judging.db --xyz", "`relyon judge status --help` lists the options"),
    ],
)
def test_an_option_by_another_name(line: str, hint: str, command: Command) -> None:
    outcome = command(*line.split())
    assert (outcome.code, outcome.out) == (2, "")
    option = next(word for word in line.split() if word.startswith("--"))
    assert outcome.err == f"error: no such option: `{option}`\nhint: {hint}\n"


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (
            "offpolicy log.csv",
            "missing argument: `relyon offpolicy` takes LOG… CANDIDATE\n"
            "hint: such as `relyon offpolicy clicks.csv search.run -k 3`",
        ),
        (
            "rank gr.csv",
            "missing argument: `relyon rank` takes MODEL DATA\n"
            "hint: such as `relyon rank ranker.model heldout.csv -o ranked.run`",
        ),
        (
            "split rows.csv",
            "missing option '-o' / '--output'\nhint: such as `relyon split rows.letor -o parts`",
        ),
    ],
)
def test_what_is_missing_is_shown_by_an_example(line: str, told: str, command: Command) -> None:
    outcome = command(*line.split())
    assert (outcome.code, outcome.err) == (2, f"error: {told}\n")


def test_a_missing_argument_in_chinese(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RELYON_LANG", "zh")
    outcome = command("rank", "gr.csv")
    assert outcome.err == (
        "错误：缺少参数：`relyon rank` 需要 MODEL DATA\n"
        "建议：例如 `relyon rank ranker.model heldout.csv -o ranked.run`\n"
    )


@pytest.mark.parametrize("line", ["rank rows.csv rows.csv", "export rows.csv -o a.onnx"])
def test_rows_in_the_place_of_the_ranker(line: str, files: Path, command: Command) -> None:
    (files / "rows.csv").write_text("query,label,a\nq,1,0.5\n", "utf-8")
    outcome = command(*line.split())
    assert outcome.code == 3
    assert "hint: MODEL comes first: what `relyon train DATA -o MODEL` wrote\n" in outcome.err


def test_parts_need_a_folder(files: Path, command: Command) -> None:
    text = "query,label,a\n" + "".join(f"q{n},{n % 2},0.{n}\nq{n},1,0.5\n" for n in range(20))
    (files / "rows.csv").write_text(text, "utf-8")
    for force in ((), ("--force",)):
        outcome = command("split", "rows.csv", "-o", "rows.csv", *force)
        assert (outcome.code, outcome.err) == (
            3,
            "error: rows.csv: is a file, and the parts are written to a folder\n"
            "hint: -o names a folder for train, valid and test, such as -o parts\n",
        )
    assert (files / "rows.csv").read_text("utf-8") == text


def test_what_is_meant_exists() -> None:
    known = set()
    for path in PATHS:
        one = found(path)
        context = click.Context(one, info_name=" ".join(path))
        for parameter in one.params:
            shown = parameter.make_metavar(context).split(" ")
            own = isinstance(parameter, click.Argument)
            known |= {name.strip("[]") for name in shown} if own else set(parameter.opts)
    targets = [target for targets, _ in NAMES for target in targets.split(" | ")]
    assert [one for one in targets if one.split(" ")[0] not in known] == []


@pytest.mark.parametrize(
    ("option", "instead"),
    [
        ("-l", "--set rel=2"),
        ("-c", "--set missing=zero"),
        ("-J", '-m "ap(judged_only=true)"'),
        ("-M", "-m ap@100"),
    ],
)
def test_options_of_trec_eval_are_translated(option: str, instead: str, command: Command) -> None:
    outcome = command("evaluate", "judgments.qrels", "bm25.run", option, "2")
    assert outcome.code == 2
    assert f"hint: write `{instead}`" in outcome.err


def test_nothing_is_meant_that_the_command_lacks() -> None:
    assert meant("--test", {"--folds"}) == ""
    assert meant("--valid", {"--valid"}) == ""


def test_an_error_without_a_command_has_no_hint() -> None:
    assert said_of_usage(click.UsageError("Odd.")) == ("odd", "")
    assert said_of_usage(click.NoSuchOption("--odd"))[1] == ""
