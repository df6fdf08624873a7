"""The search for the rules behind a number."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from relyon.analysis.matching.chance import accident_of_any, distinct_rows, steps
from relyon.analysis.matching.copies import read_copies
from relyon.analysis.matching.differences import own_way, rule_differences
from relyon.analysis.matching.effects import Effects, effects_of
from relyon.analysis.matching.facts import MatchedClass, NearMiss, Tier
from relyon.analysis.matching.faults import Fault, FoundFault, broken
from relyon.analysis.matching.measured import Measurements
from relyon.analysis.matching.next_look import next_look
from relyon.analysis.matching.partial import partial_matches
from relyon.analysis.matching.printed import PrintedNumber, parse_number
from relyon.analysis.matching.result import ConventionMatch
from relyon.analysis.matching.ways import Way, ways
from relyon.core.errors import InputError, ParameterError
from relyon.core.texts import message
from relyon.data.convention import Convention
from relyon.data.judgments import Judgments
from relyon.evaluation.data_errors import no_common_query
from relyon.evaluation.program import Program
from relyon.io import read_judgments

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from relyon.data.run import Run
    from relyon.data.scale import Scale
    from relyon.measures.definition import Measure

__all__ = ["match_convention"]

NEAREST = 3
MOST_CHANGES = 2
#: Programs are named for a broken input, at most so many.
MOST_PROGRAMS = 5


def match_convention(
    judgments: object,
    run: object,
    numbers: Mapping[str, object],
    *,
    other_judgments: Mapping[str, object] | Sequence[object] = (),
    scale: Scale | str | None = None,
    threads: int = 0,
) -> ConventionMatch:
    """Finds the rules under which another program printed its numbers.

    Known programs come first (every preset, and programs under options of their own), then each of
    them with one rule changed, then with two. A number matches within half a unit of its last
    decimal. If no program matches with at most one change, the files are also tried as broken
    inputs: cut, rounded, reversed, with judgments changed or queries lost. Of a document that a run
    lists twice the first copy counts, and the last one is tried. If no rules give all of several
    numbers, `partial` has those that give some: a script may count each measure by other rules.

    With many rules tried, a number of four decimals can match by accident: `tiers` says how likely
    that is. Two or more numbers make it much less likely.

    Args:
        judgments: `Judgments`, a file, a dict {query: {document: grade}}, or a data frame.
        run: `Run`, a file, a dict {query: {document: score}}, or a data frame.
        numbers: The printed numbers by measure: text such as `"0.5034"` or `"50.34%"`, which keeps
            its zeros, or a float, which has the decimals of its `repr`. Parameters in a measure's
            name are not varied.
        other_judgments: Further judgments that the other program may have used, by name or as a
            list of files.
        scale: The grade scale: a name, a file or a `Scale`; None takes the judgments' own.
        threads: Threads to use; 0 uses all cores.

    Returns:
        A `ConventionMatch`: `.verdict`, `.classes` of rules that give the numbers, `.nearest`.

    Raises:
        InputError: If the files cannot be used, or have no query in common.
        ParameterError: If a number cannot be read, or no number is given.
        UnknownNameError: If a measure has no such name.

    Examples:
        >>> import relyon
        >>> judgments = {"q1": {"a": 3, "b": 1, "c": 0}, "q2": {"d": 0, "e": 2}}
        >>> run = {"q1": {"b": 3.0, "a": 2.0, "c": 1.0}, "q2": {"d": 2.0, "e": 1.0}}
        >>> found = relyon.match_convention(judgments, run, {"ndcg@10": "0.6704"})
        >>> found.classes[0].name, found.classes[0].options
        ('lightgbm', '--convention lightgbm -m ndcg@10')
    """
    printed = _printed(numbers)
    levels = None
    if scale is not None:
        from relyon.data.scale import load_scale

        levels = load_scale(scale)
    judged = read_judgments(judgments, scale=levels)
    read = read_copies(run)
    kept = read.run
    levels = levels or judged.scale
    if not len(judged.table):
        raise InputError(message("core.there-are-no-judgments"), path=judged.path)
    effects = effects_of(judged, kept, levels, threads)
    if effects.missing == effects.queries:
        raise no_common_query(judged.queries, kept.queries)
    if not effects.judged:
        raise _no_judged_document(judged, kept)
    measures = [one.measure for one in printed]
    highest = judged.table.highest
    Program.compile(measures, Convention(), levels, None, highest).check_inputs(reference=False)
    tried, idle = ways(measures, effects)
    found = Measurements(judged, kept, levels, threads)
    table = found.numbers(tried, measures)
    matching = [
        place
        for place in _matching(table, printed)
        if not tried[place].tier or _from_data(found, tried[place], measures)
    ]
    needed = _needed(found, tried, matching, printed)
    classes = _classes(found, tried, table, printed, needed)
    simple = any(one.way.tier < MOST_CHANGES for one in classes)
    faults: tuple[FoundFault, ...] = ()
    count, risk = 0, 0.0
    grid = _grid(found, tried, table, printed, effects)
    if not simple or read.last is not None:
        others = _others(other_judgments, levels)
        tries: Iterable[tuple[Fault, Judgments, Run]] = ()
        if read.last is not None:
            tries = [(Fault("last_copy"), judged, read.last)]
        if not simple:
            tries = chain(tries, broken(judged, kept, measures, others))
        faults, count, risk = _faults(found, printed, tries, grid)
    own = found.numbers([own_way()], measures)[0]
    return ConventionMatch(
        numbers=printed,
        classes=classes,
        needless=len(matching) - len(needed),
        nearest=_nearest(tried, table, printed),
        tiers=_tiers(tried, table, printed, classes, grid),
        next_look=next_look(found, [one.way for one in classes], printed),
        faults=faults,
        faults_tried=count,
        faults_accident=risk,
        without_effect=tuple(idle),
        queries=effects.queries,
        run=kept.name,
        copies=read.copies,
        own=_named(printed, own),
        differences=rule_differences(found, classes[0].way, printed) if classes else None,
        partial=() if classes or faults else partial_matches(tried, table, printed, grid),
    )


def _no_judged_document(judgments: Judgments, run: Run) -> InputError:
    query = next(one for one in judgments.queries if len(run.table.documents(one)[0]))
    values = {
        "query": query,
        "retrieved": run.table.documents(query)[0][0],
        "judged": next(iter(judgments.to_dict()[query])),
    }
    return InputError(
        message("analysis.match-no-judged-document", **values),
        hint=message("analysis.match-same-documents"),
    )


def _printed(numbers: Mapping[str, object]) -> tuple[PrintedNumber, ...]:
    if not isinstance(numbers, Mapping) or not numbers:
        raise ParameterError(
            message("analysis.match-no-number"), hint=message("analysis.match-give-numbers")
        )
    return tuple(parse_number(name, given) for name, given in numbers.items())


def _others(
    given: Mapping[str, object] | Sequence[object], scale: Scale | None
) -> list[tuple[str, Judgments]]:
    """Returns further judgments by name."""
    pairs: list[tuple[str, object]]
    if isinstance(given, Mapping):
        pairs = list(given.items())
    else:
        listed = [given] if isinstance(given, str) else given
        pairs = [(str(one), one) for one in listed]
    return [(name, read_judgments(one, scale=scale)) for name, one in pairs]


def _matching(table: NDArray[np.float64], printed: Sequence[PrintedNumber]) -> list[int]:
    return [
        place
        for place, row in enumerate(table)
        if all(one.matches(float(value)) for one, value in zip(printed, row, strict=True))
    ]


def _from_data(found: Measurements, way: Way, measures: Sequence[Measure]) -> bool:
    """Whether the numbers come from the files: some query has a value.

    Otherwise any files have the same numbers, such as 1 if a query without a value counts as 1.
    """
    return all(found.has_values(way, one) for one in measures)


def _needed(
    found: Measurements,
    tried: Sequence[Way],
    matching: Sequence[int],
    printed: Sequence[PrintedNumber],
) -> list[int]:
    """Returns the places of ways that match and need all of their changes to."""
    measures = [one.measure for one in printed]
    shorter = [
        (place, tried[place].without(name))
        for place in matching
        for name, _ in tried[place].changes
    ]
    table = found.numbers([way for _, way in shorter], measures)
    enough = set(_matching(table, printed))
    needless = {place for row, (place, _) in enumerate(shorter) if row in enough}
    return [place for place in matching if place not in needless]


def _named(printed: Sequence[PrintedNumber], row: NDArray[np.float64]) -> dict[str, float]:
    return {one.name: float(value) for one, value in zip(printed, row, strict=True)}


def _classes(
    found: Measurements,
    tried: Sequence[Way],
    table: NDArray[np.float64],
    printed: Sequence[PrintedNumber],
    needed: Sequence[int],
) -> tuple[MatchedClass, ...]:
    """Returns the ways that match, those together that give every query the same value."""
    groups: dict[object, list[int]] = {}
    for place in needed:
        mark: list[object] = []
        for one, number in zip(printed, table[place], strict=True):
            values = found.values(tried[place], one.measure)
            mark.append(round(float(number), 9))
            mark.append(tuple((query, round(value, 9)) for query, value in values.items()))
        groups.setdefault(tuple(mark), []).append(place)
    measures: list[Measure] = [one.measure for one in printed]
    return tuple(
        MatchedClass(
            way=tried[first],
            others=tuple(tried[place] for place in rest),
            values=_named(printed, table[first]),
            options=tried[first].options(measures),
        )
        for first, *rest in sorted(groups.values())
    )


def _nearest(
    tried: Sequence[Way], table: NDArray[np.float64], printed: Sequence[PrintedNumber]
) -> tuple[NearMiss, ...]:
    """Returns the nearest numbers that do not match, each with its simplest way."""
    misses: dict[object, NearMiss] = {}
    values, halves = [one.value for one in printed], [one.half for one in printed]
    away = (np.abs(table - values) / halves).max(axis=1)
    for place in np.argsort(away, kind="stable"):
        way, row = tried[place], table[place]
        pairs = [(one, float(value)) for one, value in zip(printed, row, strict=True)]
        distance = max(one.distance(value) for one, value in pairs)
        if not math.isfinite(distance) or all(one.matches(value) for one, value in pairs):
            continue
        cut_off = all(one.matches(value) or one.cut_off(value) for one, value in pairs)
        mark = tuple(one.shown(value) for one, value in pairs)
        misses.setdefault(mark, NearMiss(way, _named(printed, row), distance, cut_off))
        if len(misses) == NEAREST:
            break
    return tuple(misses.values())


def _grid(
    found: Measurements,
    tried: Sequence[Way],
    table: NDArray[np.float64],
    printed: Sequence[PrintedNumber],
    effects: Effects,
) -> list[float]:
    """Returns the step between possible numbers of each measure; 0 if any is possible."""
    first = next((way for way, row in zip(tried, table, strict=True) if not np.isnan(row).any()), 0)
    grid = [0.0] * len(printed)
    if isinstance(first, Way):
        grid = [
            steps(list(found.values(first, one.measure).values()), effects.queries)
            for one in printed
        ]
    return grid


def _tiers(
    tried: Sequence[Way],
    table: NDArray[np.float64],
    printed: Sequence[PrintedNumber],
    classes: Sequence[MatchedClass],
    grid: Sequence[float],
) -> tuple[Tier, ...]:
    tiers = np.array([way.tier for way in tried], dtype=int)
    rows = []
    for changes in range(MOST_CHANGES + 1):
        numbers = distinct_rows(table[tiers <= changes])
        rows.append(
            Tier(
                changes=changes,
                tried=int((tiers <= changes).sum()),
                distinct=len(numbers),
                classes=sum(one.way.tier == changes for one in classes),
                accident=accident_of_any(
                    table[tiers <= changes],
                    [one.value for one in printed],
                    [one.half for one in printed],
                    grid,
                ),
            )
        )
    return tuple(rows)


def _faults(
    found: Measurements,
    printed: Sequence[PrintedNumber],
    tries: Iterable[tuple[Fault, Judgments, Run]],
    grid: Sequence[float],
) -> tuple[tuple[FoundFault, ...], int, float]:
    """Returns broken inputs under which a known program gives the numbers.

    Also returns how many were tried, and how likely one of so many numbers matches by accident.
    """
    measures = [one.measure for one in printed]
    matched = []
    tables = []
    count = 0
    for fault, judgments, run in tries:
        count += 1
        scale = found.scale
        effects = effects_of(judgments, run, scale, found.threads)
        programs = ways(measures, effects, most=0)[0]
        changed = Measurements(judgments, run, scale, found.threads)
        table = changed.numbers(programs, measures)
        tables.append(table)
        places = _matching(table, printed)
        if places:
            matched.append(
                FoundFault(
                    fault,
                    tuple(programs[place] for place in places[:MOST_PROGRAMS]),
                    _named(printed, table[places[0]]),
                )
            )
    if not tables:
        return (), 0, 0.0
    values, halves = [one.value for one in printed], [one.half for one in printed]
    risk = accident_of_any(np.concatenate(tables), values, halves, grid)
    return tuple(matched), count, risk
