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
CONSOLE = re.compile(r"^```console\n.*?^```$", re.S | re.M)


def check_examples(page: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", EXAMPLES, page],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_examples_print_what_is_shown() -> None:
    check_examples(ROOT / READMES[0])


def test_examples_in_chinese_print_what_is_shown(tmp_path: Path) -> None:
    """Commands that both languages show alike, with their output, are run once."""
    english, chinese = ((ROOT / name).read_text(encoding="utf-8") for name in READMES)
    run = set(CONSOLE.findall(english))
    page = tmp_path / READMES[1]
    page.write_text(
        CONSOLE.sub(lambda one: one[0].replace("console", "text", one[0] in run), chinese),
        encoding="utf-8",
    )
    assert "--lang zh" in "".join(CONSOLE.findall(page.read_text(encoding="utf-8")))
    check_examples(page)


def test_both_languages_have_the_same_structure() -> None:
    def outline(name: str) -> list[str]:
        text = (ROOT / name).read_text(encoding="utf-8")
        return [line.split()[0] for line in text.splitlines() if re.match(r"#+ |```\w", line)]

    assert outline(READMES[0]) == outline(READMES[1])


def test_both_languages_show_the_same_commands() -> None:
    def commands(name: str) -> list[str]:
        # What speaks Chinese does so on the Chinese page.
        text = (ROOT / name).read_text(encoding="utf-8").replace(" --lang zh", "")
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
@pytest.mark.parametrize("name", READMES)
def test_installation(name: str, tmp_path: Path) -> None:
    """The blocks marked sh: installing from a clone, and the demonstration."""
    text = (ROOT / name).read_text(encoding="utf-8")
    commands = re.findall(r"```sh\n(.*?)```", text, re.S)
    assert commands
    clone, home = tmp_path / "relkit", tmp_path / "home"
    subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
    subprocess.run([sys.executable, "-m", "venv", home], check=True)
    for command in commands:
        subprocess.run(
            ["bash", "-c", f'. "{home}/bin/activate" && {command}'], cwd=clone, check=True
        )
    shown = subprocess.run(
        [home / "bin" / "relkit", "--version"], capture_output=True, text=True, check=True
    )
    assert shown.stdout.startswith("relkit ")
