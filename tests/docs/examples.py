"""Runs the examples of a Markdown page, and compares what they print with what the page shows.

    python tests/docs/examples.py README.md            says where page and program differ
    python tests/docs/examples.py --write README.md    writes into the page what they print

Blocks fenced as `console` hold commands after `$ ` (continued after `> `) and their output;
blocks fenced as `python` hold a doctest, or code that prints nothing. The blocks of a page run in
order, in one directory that holds a copy of `examples/`. On Chinese pages relyon speaks Chinese.
"""

from __future__ import annotations

import argparse
import contextlib
import difflib
import doctest
import io
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import traceback
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from relyon.core.notes import RelyonWarning

ROOT = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^(?P<indent> *)```(?P<language>console|python)\b[^\n]*$")


@dataclass(frozen=True)
class Block:
    """A fenced block: its first line inside, counted from 0, and its lines without indent."""

    language: str
    start: int
    indent: str
    lines: tuple[str, ...]


def blocks(text: str) -> Iterator[Block]:
    """Yields the blocks of a page that can be run.

    Raises:
        ValueError: If a block does not end.
    """
    lines = text.split("\n")
    number = 0
    while number < len(lines):
        fence = FENCE.match(lines[number])
        number += 1
        if fence is None:
            continue
        start, indent = number, fence["indent"]
        while number < len(lines) and lines[number].strip() != "```":
            number += 1
        if number == len(lines):
            raise ValueError(f"the block that starts at line {start} does not end")
        inside = tuple(line.removeprefix(indent) for line in lines[start:number])
        yield Block(fence["language"], start, indent, inside)
        number += 1


class Session:
    """Where the blocks of one page run: a directory, a shell's exit status, Python's names."""

    def __init__(self, directory: Path, language: str) -> None:
        self.directory = directory
        self.status = 0
        self.names: dict[str, Any] = {"__name__": "__main__"}
        scripts = sysconfig.get_path("scripts")
        # pytest prints its summary at full length where it runs in CI; a page shows a terminal.
        outside_ci = {
            name: value for name, value in os.environ.items() if name not in {"CI", "BUILD_NUMBER"}
        }
        self.environment = {
            **outside_ci,
            "PATH": scripts + os.pathsep + os.environ.get("PATH", ""),
            "COLUMNS": "100",
            "LC_ALL": "C.UTF-8",
            "NO_COLOR": "1",
            "PYTHONPATH": "",
            "RELYON_LANG": language,
        }

    def run(self, block: Block) -> list[str]:
        """Returns a block as it should stand in the page."""
        return self.console(block) if block.language == "console" else self.python(block)

    def console(self, block: Block) -> list[str]:
        """Runs the commands of a block."""
        shown: list[str] = []
        number = 0
        while number < len(block.lines):
            line = block.lines[number]
            number += 1
            if not line.startswith("$ "):
                continue
            command = [line]
            while number < len(block.lines) and block.lines[number].startswith(">"):
                command.append(block.lines[number])
                number += 1
            text = "\n".join(part[2:] for part in command)
            done = subprocess.run(
                ["bash", "-c", f"(exit {self.status})\n{text}"],
                cwd=self.directory,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=600,
                check=False,
            )
            self.status = done.returncode
            shown += [*command, *done.stdout.decode().rstrip("\n").split("\n")]
            if not done.stdout:
                shown.pop()
        return [line.rstrip() for line in shown]

    def python(self, block: Block) -> list[str]:
        """Runs a doctest statement by statement, or plain code as a whole."""
        text = "\n".join(block.lines) + "\n"
        if ">>>" not in text:
            printed = self._execute(text, "exec")
            return [*block.lines, *printed]
        shown: list[str] = []
        for part in doctest.DocTestParser().parse(text):
            if isinstance(part, str):
                shown += [line for line in part.split("\n")[:-1] if not line.strip()]
                continue
            source = part.source.rstrip("\n").split("\n")
            shown += [f">>> {source[0]}", *(f"... {line}".rstrip() for line in source[1:])]
            shown += self._execute(part.source, "single")
        return shown

    def _execute(self, source: str, mode: str) -> list[str]:
        out = io.StringIO()
        here = Path.cwd()
        os.chdir(self.directory)
        try:
            with contextlib.redirect_stdout(out):
                exec(compile(source, "<example>", mode), self.names)
        except Exception as error:  # an example may show an error
            lines = traceback.format_exception_only(error)
            out.write("Traceback (most recent call last):\n    ...\n" + "".join(lines))
        finally:
            os.chdir(here)
        text = out.getvalue().rstrip("\n")
        lines = [line.rstrip() or "<BLANKLINE>" for line in text.split("\n")]
        return lines if text else []


def language_of(page: Path) -> str:
    """Returns the language of a page: `zh` of those in a folder `zh` or named `.zh-CN.md`."""
    return "zh" if page.parent.name == "zh" or page.name.endswith(".zh-CN.md") else "en"


def run_page(page: Path) -> str:
    """Returns the text of a page with the output that its examples have now."""
    text = page.read_text(encoding="utf-8")
    lines = text.split("\n")
    with tempfile.TemporaryDirectory() as folder:
        directory = Path(folder)
        shutil.copytree(ROOT / "examples", directory / "examples")
        session = Session(directory, language_of(page))
        results = [(block, session.run(block)) for block in blocks(text)]
    for block, shown in reversed(results):
        inside = [(block.indent + line).rstrip() for line in shown]
        lines[block.start : block.start + len(block.lines)] = inside
    return "\n".join(lines)


def main() -> int:
    """Checks or rewrites pages; returns the number of pages that differ."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--write", action="store_true", help="write the output into the page")
    parser.add_argument("pages", nargs="+", type=Path)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", RelyonWarning)  # about the examples' data, not about the code
    differing = 0
    for page in arguments.pages:
        before, after = page.read_text(encoding="utf-8"), run_page(page)
        if arguments.write:
            page.write_text(after, encoding="utf-8", newline="\n")
        elif before != after:
            differing += 1
            names = (f"{page} as written", f"{page} as executed")
            sys.stdout.write(
                "\n".join(
                    difflib.unified_diff(before.split("\n"), after.split("\n"), *names, lineterm="")
                )
                + "\n"
            )
    return differing


if __name__ == "__main__":
    sys.exit(main())
