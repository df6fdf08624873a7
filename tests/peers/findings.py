"""What relyon says where the other programs said what `peers.json` holds."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from tests.golden.inputs import make_inputs, make_lists
from tests.peers.catalogue import PROGRAMS, Program, Rule
from tests.peers.inputs import subtopics
from tests.peers.make_peers import FILE

import relyon
from relyon.core.rules import COUNTED


@dataclass(frozen=True)
class Finding:
    """One measure of one program beside relyon's.

    Attributes:
        program: The program's key in `peers.json`.
        theirs: The measure's name there.
        ours: Its name in relyon.
        values: How many values were compared.
        differing: The cases in which a value differs.
        example: One value that differs: theirs, and relyon's.
    """

    program: str
    theirs: str
    ours: str
    values: int
    differing: tuple[str, ...]
    example: tuple[float | None, float] | None


@cache
def peers() -> Mapping[str, Any]:
    """What the programs said."""
    found: dict[str, Any] = json.loads(FILE.read_text("utf-8"))
    return found


@cache
def cases(program: str) -> Mapping[str, tuple[Any, Any]]:
    """Judgments and run of every case that a program was asked about."""
    if PROGRAMS[program].lists:
        return {
            case: (
                {
                    f"q{place}": {f"d{n:02}": grade for n, grade in enumerate(row["labels"])}
                    for place, row in enumerate(rows)
                },
                {
                    f"q{place}": {f"d{n:02}": float(one) for n, one in enumerate(row["scores"])}
                    for place, row in enumerate(rows)
                },
            )
            for case, rows in make_lists().items()
        }
    found = {name: (data["judgments"], data["run"]) for name, data in make_inputs().items()}
    if program == "ir_measures":
        # Topics are whole numbers there.
        found = {
            name: tuple({query[1:]: row for query, row in side.items()} for side in sides)  # type: ignore[misc]
            for name, sides in found.items()
        }
        found |= subtopics()
    return found


def own_values(program: str, name: str, case: str, rules: Any) -> dict[str, float]:
    """Returns relyon's values by query; `all` holds the number over all queries."""
    judgments, run = cases(program)[case]
    results = relyon.evaluate(judgments, run, [name], convention=rules)
    measure = relyon.measure(name)
    entry = next(iter(results.entries.values()))
    rule = relyon.measure(entry.definition).undefined_rule(results.convention)
    values = {
        query: COUNTED[rule] if math.isnan(value) else value
        for query, value in results.values_by_query(measure).items()
    }
    return values | {"all": entry.value}


def compare(program: Program, theirs: str, ours: str) -> Finding:
    """Holds one measure beside relyon's, query by query and case by case."""
    said = peers()[program.key]["values"][theirs]
    differing, example, values = [], None, 0
    for case, rows in said.items():
        own = own_values(program.key, ours, case, program.rules_of(theirs))
        same = True
        for query, value in rows.items():
            if query == "all" and program.lists:
                continue
            values += 1
            found = own.get(query, math.nan)
            if not _alike(value, found, program.digits):
                same = False
                example = example or (value, found)
        if not same:
            differing.append(case)
    return Finding(program.key, theirs, ours, values, tuple(differing), example)


def _alike(theirs: float | None, ours: float, digits: float) -> bool:
    if theirs is None:
        return math.isnan(ours)
    return math.isclose(theirs, ours, rel_tol=digits, abs_tol=digits)


def findings(program: Program) -> Iterator[Finding]:
    """Yields one finding a measure of a program, in the program's order."""
    for theirs in peers()[program.key]["values"]:
        yield compare(program, theirs, program.name_of(theirs))


def rule_for(program: Program, finding: Finding, case: str) -> Rule | None:
    """Returns the rule that explains why a measure differs in a case."""
    for rule in program.rules:
        if re.fullmatch(rule.measures, finding.theirs) and case in (rule.cases or (case,)):
            return rule
    return None
