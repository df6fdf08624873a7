"""Hints on the command line name its options, not parameters of Python."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.conftest import Command

from relyon.cli.hints import HINTS, said
from relyon.core.texts import message, translate


@pytest.mark.parametrize("hint", HINTS)
def test_what_is_said_in_python_is_still_said_so(hint: str) -> None:
    assert translate(message(hint), "zh") != hint, "nothing says this any more"


def test_other_hints_stay() -> None:
    assert said("keep one of the two lines") == "keep one of the two lines"


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
