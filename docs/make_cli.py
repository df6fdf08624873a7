"""Writes docs/cli.md from the help texts; `--check` fails where it is not what they say."""

from __future__ import annotations

from pathlib import Path

import click
from marks import write_or_check

from relyon.cli.application import COMMANDS, main

PAGE = Path(__file__).with_name("cli.md")

INTRODUCTION = """# Command line

Look up a command or an option here. This page shows the output of `relyon COMMAND --help`.
"""


def help_text(name: str | None = None) -> str:
    """Returns the help of a command, or of `relyon` itself, 80 columns wide."""
    parent = main.make_context("relyon", ["--"], resilient_parsing=True, terminal_width=80)
    if name is None:
        return main.get_help(parent)
    command = main.get_command(parent, name)
    if command is None:
        raise SystemExit(f"there is no command {name}")
    return command.get_help(command.make_context(name, [], parent, resilient_parsing=True))


def parts_of(name: str) -> list[tuple[str, str]]:
    """Returns the subcommands of a command, and their help texts."""
    parent = main.make_context("relyon", ["--"], resilient_parsing=True, terminal_width=80)
    group = main.get_command(parent, name)
    if not isinstance(group, click.Group):
        return []
    context = click.Context(group, parent=parent, info_name=name)
    return [
        (part, command.get_help(command.make_context(part, [], context, resilient_parsing=True)))
        for part, command in group.commands.items()
    ]


def page() -> str:
    """Returns the whole page."""
    parts = [INTRODUCTION, f"```text\n{help_text()}\n```\n"]
    for name in COMMANDS:
        parts.append(f"## relyon {name}\n\n```text\n{help_text(name)}\n```\n")
        for part, text in parts_of(name):
            parts.append(f"### relyon {name} {part}\n\n```text\n{text}\n```\n")
    return "\n".join(parts)


if __name__ == "__main__":
    write_or_check(PAGE, page())
