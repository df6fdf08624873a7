"""The check of `relyon compare --fail-if-worse`."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from functools import reduce
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from relyon.cli.messages import messages
from relyon.cli.options import PLUGINS
from relyon.core.errors import CheckError, ParameterError, UnknownNameError
from relyon.core.texts import message

if TYPE_CHECKING:
    from relyon.analysis.comparison import Comparison, Contrast

__all__ = ["check_gate_names", "check_gates", "explain_command"]

#: Returns the command that explains a query of a candidate, by its place among the runs, and a
#: measure; empty if nothing can be explained.
Explain = Callable[[int, str, str], str]
#: Options that `relyon explain` has too, but not for the data.
OWN = frozenset(
    {"--measure", "--name", "--output", "--format", "--queries", "--no-color", "--lang"}
)


def check_gate_names(gates: Sequence[str]) -> None:
    """Rejects a check that could never fail.

    Raises:
        ParameterError: If a measure is not tested, as it describes the data.
    """
    from relyon.analysis.comparison.contrast import UNTESTED, describes_data

    for name in filter(describes_data, gates):
        raise ParameterError(
            message(
                "cli.fail-if-worse-name",
                name=name,
                untested=message(UNTESTED),
            ),
            hint=message("cli.name-measure-of-quality"),
        )


def check_gates(comparison: Comparison, gates: Sequence[str], explain: Explain) -> None:
    """Fails if a candidate is significantly worse on a measure, or lacks queries.

    Args:
        comparison: The comparison.
        gates: The measures of the check.
        explain: Makes the commands of the hint.

    Raises:
        CheckError: If it is.
        UnknownNameError: If a measure was not computed.
    """
    if not gates:
        return
    from relyon.analysis.statistics import ENOUGH_QUERIES
    from relyon.measures import measure

    worse: list[Contrast] = []
    for name in gates:
        try:
            worse += comparison.regressions(name)
        except UnknownNameError as error:
            error.hint = error.hint or "name it with -m too"
            raise
        named = [one for one in comparison.contrasts if one.measure in (name, str(measure(name)))]
        queries = max((one.queries for one in named), default=ENOUGH_QUERIES)
        if queries < ENOUGH_QUERIES:
            messages.warning(
                message("cli.gate-cannot-fail", name=name, queries=queries, least=ENOUGH_QUERIES)
            )
    lost = _lost_queries(comparison)
    lines = [*map(_worse, worse), *lost]
    if not lines:
        return
    hints = [_look(one, comparison, explain) for one in worse]
    hints += [message("cli.run-lost-queries")] if lost else []
    raise CheckError(_together(lines), hint=_together(list(dict.fromkeys(hints))))


def _together(lines: Sequence[str]) -> str:
    return reduce(lambda above, line: message("cli.lines", above=above, line=line), lines)


def _worse(one: Contrast) -> str:
    from relyon.core.texts.numbers import TERMINAL

    return message(
        "cli.candidate-is-worse",
        candidate=one.candidate,
        baseline=one.baseline,
        measure=one.measure,
        before=one.baseline_mean,
        after=one.candidate_mean,
        difference=TERMINAL.signed(one.difference),
        p=TERMINAL.p_equation(one.p_adjusted),
        losses=one.losses,
        queries=one.queries,
    )


def _lost_queries(comparison: Comparison) -> list[str]:
    """Returns what candidates lack of the baseline's queries, if the convention leaves them out.

    The other queries cannot show that a candidate is not worse.
    """
    if comparison.convention is None or comparison.convention.missing != "skip":
        return []
    baseline, *candidates = comparison.results
    found: list[str] = []
    for one in candidates:
        kept = set(one.queries)
        lost = [query for query in baseline.queries if query not in kept]
        if lost:
            found.append(
                message(
                    "cli.candidate-lost-queries",
                    candidate=one.run,
                    baseline=baseline.run,
                    count=len(lost),
                    queries=len(baseline.queries),
                    names=lost[:5],
                )
            )
    return found


def _look(one: Contrast, comparison: Comparison, explain: Explain) -> str:
    from relyon.analysis.comparison.contrast import gain_sign

    deltas = comparison.deltas(one.candidate, one.measure)
    sign = gain_sign(one.measure)
    query = min(deltas, key=lambda name: sign * deltas[name])
    place = comparison.runs.index(one.candidate)
    command = explain(place, query, one.measure)
    key = "cli.look-at-query" if command else "cli.look-at-lost-query"
    return message(key, query=query, measure=one.measure, command=command)


def explain_command(files: Sequence[str]) -> Explain:
    """Returns what makes the command that explains a query, with the options of this command.

    Args:
        files: Judgments, the baseline's run and the candidates'; without them, the options name
            the data.
    """
    context = click.get_current_context()

    def made(place: int, query: str, measure: str) -> str:
        from relyon.cli.explain import command

        if context.params.get("values") or (len(files) < place + 2 and files):
            return ""
        known = {name for one in command.params for name in one.opts}
        given = [*files[:2], files[place + 1]] if files else []
        words = ["relyon", "explain", *given, "--query-id", query, "-m", measure]
        for one in context.command.params:
            name = max(one.opts, key=len)
            asked = context.get_parameter_source(one.name or "") == ParameterSource.COMMANDLINE
            if not asked or name not in known - OWN or not isinstance(one, click.Option):
                continue
            value = context.params.get(one.name or "", context.meta.get(PLUGINS, ()))
            for text in value if one.multiple else [value]:
                words += [name] if one.is_flag else [name, str(text)]
        return " ".join(map(shlex.quote, words))

    return made
