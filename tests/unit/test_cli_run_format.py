"""`--run-format` names a format; it changes neither numbers nor how a run is read."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.conftest import Command

from relyon.cli.inputs import run_argument
from relyon.io import Source

FILES = ("judgments.qrels", "bm25.run")


@pytest.mark.parametrize("form", [None, "trec"])
def test_a_run_is_streamed_whether_or_not_its_format_is_named(
    form: str | None, files: Path
) -> None:
    opened = run_argument(str(files / FILES[1]), form, None, "run")
    assert isinstance(opened, Source)
    assert opened.format == "trec"


def test_a_named_format_changes_no_number(command: Command) -> None:
    recognised = command("evaluate", *FILES, "-q", "--format", "json")
    assert (
        recognised.out
        == command("evaluate", *FILES, "-q", "--format", "json", "--run-format", "trec").out
    )
