"""Every command and every Python block of the READMEs prints what the README shows."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = Path(__file__).with_name("examples.py")
READMES = ("README.md", "README.zh-CN.md")


def check_examples(page: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", EXAMPLES, page],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.docs
@pytest.mark.parametrize("name", READMES)
def test_examples_print_what_is_shown(name: str) -> None:
    check_examples(ROOT / name)


def test_a_readme_is_read_in_one_sitting() -> None:
    for name in READMES:
        assert len((ROOT / name).read_text(encoding="utf-8").splitlines()) <= 200


def test_both_languages_have_the_same_structure() -> None:
    def outline(name: str) -> list[str]:
        text = (ROOT / name).read_text(encoding="utf-8")
        return [line.split()[0] for line in text.splitlines() if re.match(r"#+ |```\w", line)]

    assert outline(READMES[0]) == outline(READMES[1])


def test_both_languages_show_the_same_commands() -> None:
    def commands(name: str) -> list[str]:
        text = (ROOT / name).read_text(encoding="utf-8")
        shell = [
            line for block in re.findall(r"```(?:ba)?sh\n(.*?)```", text, re.S) for line in [block]
        ]
        return shell + [line for line in text.splitlines() if line.startswith(("$ ", "> "))]

    assert commands(READMES[0]) == commands(READMES[1])


@pytest.mark.parametrize("name", READMES)
def test_files_that_are_named_exist(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    named = re.findall(r"\]\(([^)#:]+)\)", text) + re.findall(r"`([A-Z]\w+\.md|\w+/)`", text)
    missing = [path for path in named if path != "site/" and not (ROOT / path).exists()]
    assert not missing


@pytest.mark.slow
def test_installation(tmp_path: Path) -> None:
    """The blocks marked sh, alike in both languages: installing from a clone, the demonstration.

    `make test` is started only to list what it does: this test is part of what it would run.
    """
    text = (ROOT / READMES[0]).read_text(encoding="utf-8")
    commands = re.findall(r"```sh\n(.*?)```", text, re.S)
    assert "make test\n" in commands[-1]
    commands[-1] = commands[-1].replace("make test\n", "make --dry-run test\n")
    clone, home = tmp_path / "relyon", tmp_path / "home"
    subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
    subprocess.run([sys.executable, "-m", "venv", home], check=True)
    for command in commands:
        subprocess.run(
            ["bash", "-c", f'. "{home}/bin/activate" && {command}'], cwd=clone, check=True
        )
    shown = subprocess.run(
        [home / "bin" / "relyon", "--version"], capture_output=True, text=True, check=True
    )
    assert shown.stdout.startswith("relyon ")
