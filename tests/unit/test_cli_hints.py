"""Hints on the command line name its options, not parameters of Python."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.conftest import Command

from relyon.cli.hints import said
from relyon.core.texts import message, translate


def test_a_hint_is_said_as_the_field_of_its_kind() -> None:
    hint = message("io.overwrite-true-replaces")
    assert hint == "overwrite=True replaces it"
    assert said(hint) == "--force replaces it"
    assert translate(said(hint), "zh") == "--force 会覆盖它"


def test_a_field_may_name_the_option_of_columns() -> None:
    hint = message("io.leave-columns-out")
    assert said(hint) == "leave --columns out"
    assert said(hint, "--log-columns") == "leave --log-columns out"


def test_other_hints_stay() -> None:
    for hint in ("keep one of the two lines", message("native.keep-one-of-two")):
        assert said(hint) == hint


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (("--scored", "names.csv"), "name a scale for grades such as 高/中/低/无: --scale search"),
        (("j.qrels", "x.run", "--set", "gain=scale"), "--scale search, or give the map itself:"),
        (("--scored", "rows.csv", "--set", "ties=rank"), "such as --set ties=input"),
        (("j.qrels", "x.run", "--strict"), "drop --strict"),
        (("--scored", "rows.svm", "--scores", "scores.txt"), "--groups FILE"),
    ],
)
def test_hints_name_options(
    arguments: tuple[str, ...], hint: str, files: Path, command: Command
) -> None:
    (files / "names.csv").write_text("query,document,label,score\nq,a,高,2\nq,b,无,1\n")
    (files / "rows.csv").write_text("query,document,label,score\nq,a,1,2\nq,b,0,1\n")
    (files / "rows.svm").write_text("1 1:2\n0 1:3\n")
    (files / "scores.txt").write_text("1\n2\n")
    (files / "j.qrels").write_text("q 0 a 1\nr 0 a 1\n")
    (files / "x.run").write_text("q Q0 a 1 2 x\n")
    outcome = command("evaluate", *arguments)
    assert outcome.code in (1, 2, 3)
    assert hint in outcome.err.partition("hint: ")[2]
