"""Writes the table of docs/peers.md from what the tests find about the other programs.

python docs/make_peers.py           writes it
python docs/make_peers.py --check   fails where the page is out of date
"""

from __future__ import annotations

import re
import sys
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.peers.catalogue import Program
    from tests.peers.findings import Finding

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "docs")]

from marks import replaced, write_or_check  # noqa: E402  found by the line above

PAGE = ROOT / "docs" / "peers.md"
START = "<!-- What follows is written by docs/make_peers.py. -->\n"
END = "<!-- The end of what docs/make_peers.py writes. -->\n"


def _stem(name: str) -> str:
    """Returns a name without its cutoff: measures that differ in nothing else share a row."""
    return re.sub(r"[._@]\d+(\.\d+)?$", "", name)


def _span(names: list[str]) -> str:
    return f"`{names[0]}`" if len(names) == 1 else f"`{names[0]}` … `{names[-1]}`"


def _outcome(program: Program, one: Finding) -> str:
    """Returns `same`, or in which cases a number differs and by which rule."""
    from tests.peers.findings import peers, rule_for

    changes = program.rules_of(one.theirs)
    del changes["preset"]
    listed = ", ".join(f"`{field}={value}`" for field, value in changes.items())
    with_rules = f" with {listed}" if changes else ""
    if not one.differing:
        return f"same{with_rules}"
    found = [rule_for(program, one, case) for case in one.differing]
    rules = dict.fromkeys(rule.text for rule in found if rule is not None)
    everywhere = len(one.differing) == len(peers()[program.key]["values"][one.theirs])
    cases = "" if everywhere else f" ({', '.join(sorted(one.differing))})"
    return f"differs{with_rules}{cases}: {' '.join(rules)}"


def table() -> str:
    """Returns one table a program: its names, relyon's, and whether the numbers are the same."""
    from tests.peers.catalogue import PROGRAMS
    from tests.peers.findings import findings, peers

    from relyon.measures import measures

    blocks = []
    for program in PROGRAMS.values():
        found = list(findings(program))
        equal = sum(not one.differing for one in found)
        values = sum(one.values for one in found)
        text = [
            f"### {peers()[program.key]['version']}\n",
            f"Preset `{program.preset}`: {len(found)} names, {values:,} values compared; {equal}"
            " of the names have the same number in every case.\n",
            f"| {program.title} | relyon | number |",
            "| --- | --- | --- |",
        ]

        def key(one: Finding, program: Program = program) -> tuple[str, str]:
            return _stem(one.theirs), _outcome(program, one)

        for (_, result), members in groupby(found, key):
            group = list(members)
            ours = [str(measures([one.ours])[0]) for one in group]
            text.append(f"| {_span([one.theirs for one in group])} | {_span(ours)} | {result} |")
        blocks.append("\n".join(text))
    return "\n\n".join(blocks) + "\n"


def page() -> str:
    """Returns the page with the table as it is today."""
    return replaced(PAGE, START, END, f"\n{table()}\n")


if __name__ == "__main__":
    write_or_check(PAGE, page())
