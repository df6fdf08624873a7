"""The checks of `relyon compare`: --fail-if-worse and --fail-unless-not-worse."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection, Sequence
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

__all__ = ["Explain", "check_gate_names", "check_gates", "explain_command", "given_words"]

#: Returns the command that explains a query of a candidate, by its place among the runs, and a
#: measure; empty if nothing can be explained.
Explain = Callable[[int, str, str], str]
#: Options that `relyon explain` has too, but not for the data.
OWN = frozenset(
    {"--measure", "--name", "--output", "--format", "--queries", "--no-color", "--lang"}
)


def check_gate_names(
    gates: Sequence[str], unless: Sequence[str] = (), margins: Collection[str] = ()
) -> None:
    """Rejects a check that could never fail, or never pass.

    Args:
        gates: The measures of --fail-if-worse.
        unless: The measures of --fail-unless-not-worse.
        margins: The measures with a margin.

    Raises:
        ParameterError: If a measure is not tested, as it describes the data, or lacks a margin.
    """
    from relyon.analysis.comparison.contrast import UNTESTED, describes_data

    known = {_key(name) for name in margins}
    for name in unless:
        if not describes_data(name) and _key(name) not in known:
            raise ParameterError(
                message("cli.gate-needs-margin", name=name),
                hint=message("cli.choose-margin", name=name),
            )
    for name in filter(describes_data, unless):
        raise ParameterError(
            message("cli.fail-unless-name", name=name, untested=message(UNTESTED)),
            hint=message("cli.name-measure-of-quality"),
        )
    for name in filter(describes_data, gates):
        raise ParameterError(
            message(
                "cli.fail-if-worse-name",
                name=name,
                untested=message(UNTESTED),
            ),
            hint=message("cli.name-measure-of-quality"),
        )


def _key(name: str) -> str:
    """Returns the name of a measure; of another program's value, as it is."""
    from relyon.measures import measure

    try:
        return str(measure(name))
    except (LookupError, ValueError):
        return name


def check_gates(
    comparison: Comparison,
    gates: Sequence[str],
    explain: Explain,
    unless: Sequence[str] = (),
    columns: Sequence[str] = (),
) -> None:
    """Fails if a candidate is worse on a measure, is not shown to be not worse, or lacks queries.

    Args:
        comparison: The comparison.
        gates: The measures on which a candidate must not be worse.
        explain: Makes the commands of the hint.
        unless: The measures on which it must be shown to be better, not worse or equal, by the
            margin.
        columns: The columns on whose values a candidate must not be worse.

    Raises:
        CheckError: If it is.
        UnknownNameError: If a measure was not computed.
    """
    if not gates and not unless and not columns:
        return
    from relyon.analysis.statistics import ENOUGH_QUERIES
    from relyon.cli.margin_gate import not_shown
    from relyon.cli.value_gate import lost_values

    worse: list[Contrast] = []
    for name in gates:
        try:
            worse += comparison.regressions(name)
        except UnknownNameError as error:
            error.hint = error.hint or "name it with -m too"
            raise
        named = [comparison.contrast(candidate, name) for candidate in comparison.candidates]
        units = max((one.units for one in named), default=ENOUGH_QUERIES)
        if units < ENOUGH_QUERIES:
            messages.warning(_cannot_fail(name, units, named))
    lost = _lost_queries(comparison)
    open_gates = not_shown(comparison, unless)
    worse += [one for one in open_gates.worse if one not in worse]
    values = lost_values(comparison, columns)
    lines = [*map(_worse, worse), *values, *open_gates.lines, *lost]
    if not lines:
        return
    hints = [_look(one, comparison, explain) for one in worse]
    hints += open_gates.hints
    hints += [message("cli.look-at-values")] if values else []
    hints += [message("cli.run-lost-queries")] if lost else []
    raise CheckError(_together(lines), hint=_together(list(dict.fromkeys(hints))))


def _cannot_fail(name: str, units: int, named: Sequence[Contrast]) -> str:
    """Returns why a gate cannot fail: there are too few queries, or clusters of queries."""
    from relyon.analysis.statistics import ENOUGH_QUERIES

    values = {"name": name, "least": ENOUGH_QUERIES}
    if any(one.in_clusters for one in named):
        return message("cli.gate-cannot-fail-in-clusters", clusters=units, **values)
    return message("cli.gate-cannot-fail", queries=units, **values)


def _together(lines: Sequence[str]) -> str:
    return reduce(lambda above, line: message("cli.lines", above=above, line=line), lines)


def _worse(one: Contrast) -> str:
    from relyon.core.texts.numbers import TERMINAL

    facts = one.clusters
    held = None if facts is None or facts.alone else facts.count
    return message(
        "cli.candidate-is-worse" if held is None else "cli.candidate-is-worse-in-clusters",
        **({} if held is None else {"clusters": held}),
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
    from relyon.analysis.comparison.decision import lost_queries

    return [
        message(
            "cli.candidate-lost-queries",
            candidate=run,
            baseline=lost.baseline,
            count=len(lost.queries),
            queries=lost.of,
            names=list(lost.queries[:5]),
        )
        for candidate in comparison.candidates
        for run, lost in lost_queries(comparison, candidate).items()
    ]


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
        words += given_words(context, known - OWN)
        return " ".join(map(shlex.quote, words))

    return made


def given_words(context: click.Context, names: Collection[str]) -> list[str]:
    """Returns the options that a command was given, as words of a command.

    Args:
        context: The command.
        names: The longest names of the options that count.
    """
    words: list[str] = []
    for one in context.command.params:
        name = max(one.opts, key=len)
        asked = context.get_parameter_source(one.name or "") == ParameterSource.COMMANDLINE
        if not asked or name not in names or not isinstance(one, click.Option):
            continue
        value = context.params.get(one.name or "", context.meta.get(PLUGINS, ()))
        for text in value if one.multiple else [value]:
            words += [name] if one.is_flag else [name, str(text)]
    return words
