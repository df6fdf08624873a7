"""The files and pages for operators name commands and options that there are."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

pytest.importorskip("sqlalchemy")

from relyon.cli.judge import command as judge

ROOT = Path(__file__).resolve().parent.parent.parent
SOURCES = [
    *sorted((ROOT / "examples" / "operating").iterdir()),
    ROOT / "docs" / "operating.md",
    ROOT / "docs" / "zh" / "operating.md",
]
COMMAND = re.compile(r"relyon(?:\s+judge)? (init|serve|backup|restore|status|export)\b([^'`]*)$")


def commands(text: str) -> list[tuple[str, list[str]]]:
    """The commands that stand on lines of their own, with their words."""
    joined = re.sub(r" \\\n\s*", " ", text)
    joined = re.sub(r"\$\(date [^)]+\)", "today", joined)
    blocks = joined.splitlines()
    found = [COMMAND.search(line.strip().removesuffix("'")) for line in blocks]
    return [(match[1], shlex.split(match[2])) for match in found if match]


def test_there_are_commands_to_check() -> None:
    counts = {path.name: len(commands(path.read_text("utf-8"))) for path in SOURCES}
    assert counts["relyon.service"] == counts["relyon-backup.service"] == 1
    assert counts["operating.md"] > 10


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_commands_and_options_are_there(path: Path) -> None:
    above = click.Context(judge, info_name="judge")
    for name, words in commands(path.read_text("utf-8")):
        # Raises for an option that is not there, and for arguments that are missing or too many.
        judge.commands[name].make_context(name, words, parent=above)


def test_the_proxy_shown_replaces_what_a_visitor_says() -> None:
    text = (ROOT / "examples" / "operating" / "nginx.conf").read_text("utf-8")
    assert "proxy_set_header X-Forwarded-For $remote_addr;" in text
    assert "proxy_set_header X-Forwarded-Proto $scheme;" in text
    assert "proxy_set_header Host $host;" in text


def test_both_languages_show_the_same_files_and_commands() -> None:
    ours, theirs = (
        re.findall(r"^```.*?^```", (ROOT / "docs" / name).read_text("utf-8"), re.M | re.S)
        for name in ("operating.md", "zh/operating.md")
    )
    assert ours == theirs
    shown = re.findall(r'--8<-- "examples/operating/(.+)"', "".join(ours))
    assert sorted(shown) == sorted(path.name for path in SOURCES[:-2])
