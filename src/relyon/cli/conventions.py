"""`relyon conventions`: the presets, the meaning of their fields, and which gave a number."""

from __future__ import annotations

import click

from relyon.cli.matching import MatchOptions
from relyon.cli.options import format_option, no_color_option, plugin_option
from relyon.cli.output import Answer, Output, emit
from relyon.cli.request import argument, fixed, group, request, takes
from relyon.cli.text import definitions, entries, sections
from relyon.core.document.terminal import align
from relyon.core.errors import ParameterError
from relyon.core.texts import message
from relyon.data.convention import Convention, load_convention, presets

__all__ = ["command"]

HELP = """List the presets, describe one, or find which rules gave a number.

\b
Examples:
  relyon conventions
  relyon conventions trec_eval
  relyon conventions --match ndcg@10=0.5034 judgments.qrels bm25.run

A convention is the set of rules on which programs disagree. A preset is the
convention of one program. Choose one with --convention, change a field with
--set.

With --match, known programs are tried first, then each with one rule changed,
then with two. A number matches within half a unit of its last decimal. The
answer lists the rules that give it, what would tell them apart, the nearest
misses, and how likely a match by accident is. If no program gives it with at
most one change, it tries files cut, rounded or reversed, and changed grades.
"""


@request
class Request:
    """The request of `relyon conventions`."""

    names: tuple[str, ...] = argument(metavar="[PRESET|FILE | JUDGMENTS RUN]", nargs=-1)
    match: MatchOptions = group(MatchOptions)
    output: Output = group(
        Output, forms=fixed(("table", "json")), asked=format_option("table", "json")
    )


@click.command(
    "conventions",
    help=HELP,
    short_help="List the presets, describe one, or find which rules gave a number.",
)
@takes(Request)
@plugin_option
@no_color_option
def command(request: Request) -> None:
    """Runs `relyon conventions`."""
    if request.match:
        found = request.match.found(request.names)
        emit(found, request.output, limit=request.match.limit)
        return
    if len(request.names) > 1:
        raise ParameterError(message("cli.conventions-describe-one"), hint=message("cli.add-match"))
    chosen = (
        [load_convention(request.names[0])]
        if request.names
        else [presets.get(key) for key in presets]
    )
    if request.names:
        answer = Answer(chosen[0].to_dict, lambda language: describe(chosen[0]))
    else:
        answer = Answer(
            lambda: [convention.to_dict() for convention in chosen],
            lambda language: listing(chosen),
        )
    emit(answer, request.output)


def listing(chosen: list[Convention]) -> str:
    """Returns the fields of the default preset, and those in which each other preset differs."""
    usual = load_convention(None)
    pairs = []
    for convention in chosen:
        shown = [
            f"{key}={value}"
            for key, value in convention.shown().items()
            if convention == usual or value != usual.shown().get(key)
        ]
        pairs.append((convention.name, ", ".join(shown)))
    lines = definitions(pairs, "")
    return "\n".join(
        [
            f"Presets, and where they differ from `{usual.name}`:",
            "",
            *lines,
            "",
            "relyon conventions PRESET describes one.",
        ]
    )


def describe(convention: Convention) -> str:
    """Returns a convention's fields: value, choices and meaning."""
    said = entries(sections(Convention.__doc__)["Attributes"])
    absent = {"rel": "from the scale", "decimals": "all"}
    rows = [
        (key, absent[key] if value == "None" else value)
        for key, value in convention.shown().items()
    ]
    lines = [f"convention {convention.name}", ""]
    lines += align(("field", "value"), rows, left=2)
    lines += ["", "What the fields mean:"]
    lines += definitions([(key, said[key]) for key in said if key != "name"])
    return "\n".join(lines)
