"""Whether evaluations rest on the same inputs, and which queries can be compared if not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal

from relyon.core.errors import InputError, ParameterError
from relyon.core.notes import Note
from relyon.core.texts import message

if TYPE_CHECKING:
    from relyon.core.texts import Message
    from relyon.data.convention import Convention
    from relyon.data.input_fingerprints import InputDifference, InputFingerprints
    from relyon.evaluation.results import Results

    Named = tuple[str, InputFingerprints]

__all__ = [
    "DifferentInputs",
    "check_conventions",
    "check_definitions",
    "queries_judged_alike",
    "said_difference",
]

DifferentInputs = Literal["refuse", "common"]
#: The number of queries that an error names.
NAMED = 5
ALIKE = "evaluation.no-query-judged-alike"


def check_conventions(results: Sequence[Results]) -> None:
    """Refuses results under different rules, and names the rules: the values are other numbers.

    Args:
        results: The baseline's first.

    Raises:
        ParameterError: If a rule differs.
    """
    base = results[0]
    for one in results[1:]:
        if one.convention == base.convention:
            continue
        rules = [
            message(
                "evaluation.rule-differs",
                rule=name,
                value=value,
                value_2=value_2,
                run=base.run,
                run_2=one.run,
            )
            for name, value, value_2 in _different_rules(base.convention, one.convention)
        ]
        raise ParameterError(
            message("evaluation.different-rules", run=base.run, run_2=one.run, rules=rules),
            hint=message("evaluation.evaluate-with-same-convention"),
        )


def _different_rules(
    one: Convention, other: Convention
) -> Iterator[tuple[str, str | Message, str | Message]]:
    """Yields the rules that differ, with both values; a rule that is not given has its default."""
    default = message("evaluation.rule-by-default")
    ours, theirs = (
        {name: default if value == "None" else value for name, value in rules.shown().items()}
        for rules in (one, other)
    )
    for name in dict.fromkeys([*ours, *theirs]):
        values = ours.get(name, default), theirs.get(name, default)
        if values[0] != values[1]:
            yield name, *values


def check_definitions(results: Sequence[Results]) -> None:
    """Refuses results whose measures are defined differently: the values are other numbers.

    Args:
        results: The baseline's first; all with the same measures.

    Raises:
        InputError: If a definition or the way to average differs.
    """
    base = results[0]
    for one in results[1:]:
        for name, entry in base.entries.items():
            ours = (entry.definition, entry.average)
            theirs = (one.entries[name].definition, one.entries[name].average)
            if ours != theirs:
                raise InputError(
                    message(
                        "evaluation.measure-is-defined-differently",
                        measure=name,
                        run=base.run,
                        run_2=one.run,
                        definition=" ".join(ours),
                        definition_2=" ".join(theirs),
                    ),
                    hint=message("evaluation.evaluate-with-same-scale"),
                )


def queries_judged_alike(
    results: Sequence[Results], different: DifferentInputs = "refuse"
) -> tuple[frozenset[str] | None, list[Note]]:
    """Returns the queries with the same judgments in all results, and a note on the others.

    Results without fingerprints are taken as they are.

    Args:
        results: The baseline's first.
        different: Whether to refuse different judgments, or to leave out the queries concerned.

    Returns:
        The queries to compare, None for all of them.

    Raises:
        InputError: If judgments or scales differ and are refused, or no query remains.
    """
    base, alike = results[0], None
    for one in results[1:]:
        if base.inputs is None or one.inputs is None:
            continue
        found = base.inputs.difference(one.inputs)
        if found is None:
            continue
        if different == "refuse" or (base.convention.gain == "scale" and "scale" in found.kinds):
            raise _refused((base.run, base.inputs), (one.run, one.inputs), found)
        if found.kinds == ("scale",):
            continue
        if not found.known or not found.same:
            key = ALIKE if found.known else "evaluation.unknown-queries-judged-alike"
            raise InputError(message(key, run=base.run, run_2=one.run))
        alike = found.same if alike is None else alike & found.same
    if alike is None:
        return None, []
    every = sorted({query for one in results for query in one.queries})
    left = [query for query in every if query not in alike]
    if len(left) == len(every):
        raise InputError(message(ALIKE, run=base.run, run_2=results[1].run))
    values = {"queries": len(every)}
    return alike, [Note("judged-differently", len(left), "warning", tuple(left[:3]), values)]


def _refused(ours: Named, theirs: Named, found: InputDifference) -> InputError:
    judgments = "judgments" in found.kinds
    hint = "evaluation.evaluate-with-same-scale"
    if judgments:
        hint = "evaluation.evaluate-with-same-judgments"
    return InputError(said_difference(ours, theirs, found), hint=message(hint))


def said_difference(ours: Named, theirs: Named, found: InputDifference) -> Message:
    """Returns in a sentence what differs between the inputs of two evaluations.

    Args:
        ours: The name of the first, and its fingerprints.
        theirs: Those of the second.
        found: The difference, as `InputFingerprints.difference` returned it.
    """
    (run, one), (run_2, other) = ours, theirs
    if "judgments" not in found.kinds:
        return message("evaluation.different-scales", run=run, run_2=run_2)
    return message(
        "evaluation.different-judgments",
        run=run,
        run_2=run_2,
        judgments=one.counts.get("judgments", 0),
        judgments_2=other.counts.get("judgments", 0),
        queries=one.counts.get("queries", 0),
        queries_2=other.counts.get("queries", 0),
        details=_details(run, run_2, found),
    )


def _details(ours: str, theirs: str, found: InputDifference) -> Message | str:
    """Returns what is known of the queries, clause by clause."""
    clauses = []
    if found.changed:
        clauses.append(
            message(
                "evaluation.judged-differently",
                count=len(found.changed),
                shared=len(found.changed) + len(found.same),
                names=_named(found.changed),
            )
        )
    for run, queries in ((ours, found.first), (theirs, found.second)):
        if queries and found.known:
            names = _named(queries)
            clauses.append(
                message("evaluation.judged-in-one-only", run=run, count=len(queries), names=names)
            )
    if "documents" not in found.kinds:
        clauses.append(message("evaluation.same-documents-other-grades"))
    said: Message | str = ""
    for clause in reversed(clauses):
        said = message("evaluation.clause", clause=clause, rest=said)
    return said


def _named(queries: Sequence[str]) -> list[str]:
    more = ["…"] if len(queries) > NAMED else []
    return [*(f"`{query}`" for query in queries[:NAMED]), *more]
