"""`relyon engine`: writes and checks what a live search engine needs, from other programs too."""

from __future__ import annotations

import click

from relyon.cli.engine_check import check
from relyon.cli.engine_diff import diff
from relyon.cli.engine_import import import_
from relyon.cli.engine_new import new
from relyon.cli.engine_rank_eval import rank_eval
from relyon.cli.group import CommandGroup

__all__ = ["command"]

HELP = """Set up a live search engine: write its file, check it, compare tapes.

\b
Examples:
  relyon engine new sqlite -o shop.toml
  relyon engine check engine.toml "red shoes"
  relyon engine import case.json -o shop

An engine's file says where a search engine is, what is sent to it, and where
ids, scores and fields are in its answer. `relyon search` sends queries to it.
"""


@click.group(
    "engine",
    help=HELP,
    short_help="Set up a live search engine: write its file, check it, compare tapes.",
    cls=CommandGroup,
)
def command() -> None:
    """Does what the subcommand says."""


for _one in (new, check, diff, import_, rank_eval):
    command.add_command(_one)
