"""One evaluation for all cutoffs, and the paired test of each."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from relyon.analysis.comparison.contrast import verdict
from relyon.analysis.comparison.notes import few_notes
from relyon.analysis.comparison.pairing import Sample, common_values, pair
from relyon.analysis.comparison.runs import Progress, evaluate_runs, run_titles
from relyon.analysis.depth.clicks import LastClicks
from relyon.analysis.depth.cutoff_table import Depth, DepthRow
from relyon.analysis.depth.rules import advise
from relyon.analysis.depth.sensitivity import QueriesNeeded, Values, queries_needed
from relyon.analysis.statistics import (
    adjust,
    paired_test,
    smallest_detectable,
    standard_deviation,
)
from relyon.core.errors import ParameterError
from relyon.core.notes import Note, shared_notes, warn
from relyon.core.parameters import check_fraction, check_items, check_whole
from relyon.core.texts import message
from relyon.data.run import run_name
from relyon.evaluation import Evaluator
from relyon.measures import Measure
from relyon.measures.parser import measure as parse_measure

if TYPE_CHECKING:
    from relyon.data.convention import Convention
    from relyon.data.scale import Scale
    from relyon.evaluation.results import Results

__all__ = ["LADDER", "depth"]

#: The default cutoffs, up to the first one that contains the longest list.
LADDER = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)


def depth(
    judgments: object,
    *runs: object,
    at: Iterable[int] | None = None,
    measures: Iterable[str | Measure] = ("ndcg", "recall"),
    names: Sequence[str] | None = None,
    clicks: LastClicks | Mapping[int, int] | None = None,
    alpha: float = 0.05,
    convention: Convention | str | Mapping[str, object] | None = None,
    scale: Scale | str | None = None,
    threads: int = 0,
    progress: Progress | None = None,
) -> Depth:
    """Measures runs at many cutoffs K at once, to choose one.

    For each K: the mean of each measure for each run, and the share of the first K that is judged.
    With several runs, each candidate is compared with the first run: the p-value of the paired t
    test at this K, also corrected by Holm for all tests (measures x cutoffs x candidates), and the
    difference that this many queries detect with a power of 0.8, also as a share of the first
    run's mean. With the ranks of last clicks: the share of the sessions that a
    cutoff covers. See `advice` of the result for conclusions.

    Args:
        judgments: See `relyon.evaluate`.
        *runs: One or more runs; see `relyon.evaluate`. The first one is the baseline.
        at: The cutoffs; `None` takes 1, 2, 3, 5, 10, 20, 50, … 1000, up to the first one that
            contains the longest list.
        measures: Names without a cutoff, such as `ndcg` or `recall(rel=2)`.
        names: The names of the runs; by default those of their files.
        clicks: Where users stop: the result of `relyon.online.logs.last_clicks`, or
            {rank: sessions}.
        alpha: Significance level, for p-values corrected for multiple comparisons.
        convention: See `relyon.evaluate`.
        scale: See `relyon.evaluate`.
        threads: Threads to use; 0 uses all cores.
        progress: Called with the work done, the total, and the next step.

    Returns:
        A `Depth`: `.rows`, `.advice`, and the usual exports.

    Raises:
        InputError: If the data cannot be used.
        UnknownNameError: If a measure, preset or scale has no such name.
        ParameterError: If there is no run, a measure has no cutoff or already has one, or a
            parameter has an invalid value.

    Examples:
        >>> import relyon
        >>> judgments = {"q1": {"a": 1, "b": 0, "c": 1}, "q2": {"a": 1, "b": 1}}
        >>> run = {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}, "q2": {"b": 2.0, "x": 1.0}}
        >>> found = relyon.depth(judgments, run, at=[1, 2, 3], measures=["recall"])
        >>> [(row.k, row.value, round(row.judged, 3)) for row in found.rows]
        [(1, 0.5, 1.0), (2, 0.5, 0.75), (3, 0.75, 0.75)]

    References:
        Sakai (2016), Information Retrieval Journal 19, doi 10.1007/s10791-015-9273-z: the
        difference that a number of queries detects.
    """
    check_fraction("alpha", alpha)
    if not runs:
        raise ParameterError(
            message("core.no-run-is-given"), hint=message("analysis.relyon-depth-judgments")
        )
    titles = _titles(runs, names)
    families = _families(measures)
    cutoffs = _cutoffs(at)
    stops = clicks if clicks is None or isinstance(clicks, LastClicks) else LastClicks(clicks)
    evaluator = Evaluator(judgments, convention=convention, scale=scale, threads=threads)
    judged = parse_measure("judged@all")
    asked = [one.with_cutoff(k) for one in (*families, judged) for k in cutoffs]
    wanted = list(dict.fromkeys([*map(str, asked), "num_ret"]))
    results = evaluate_runs(evaluator, runs, titles, wanted, progress=progress)
    deepest = max((int(value) for one in results for value in one.column("num_ret")), default=0)
    if at is None:
        reach = next((k for k in cutoffs if k >= deepest), cutoffs[-1])
        cutoffs = [k for k in cutoffs if k <= reach]
    rows = _judge(
        [
            row
            for family in families
            for k in cutoffs
            for row in _rows(results, titles, family, k, alpha)
        ],
        alpha,
    )
    notes = shared_notes((one.run, _notes(one)) for one in results)
    few = few_notes(row.paired for row in rows if row.paired)
    warn(few)
    found = Depth(
        runs=tuple(titles),
        cutoffs=tuple(cutoffs),
        measures=tuple(_bare(one) for one in families),
        rows=tuple(rows),
        queries=len(results[0].queries),
        deepest=deepest,
        clicks=stops,
        alpha=alpha,
        convention=evaluator.convention,
        definitions=tuple(
            results[0].entries[str(family.with_cutoff(cutoffs[-1]))].definition
            for family in families
        ),
        needs=tuple(_needs(results, titles, families, cutoffs, alpha)),
        notes=(*notes, *few),
    )
    return replace(found, advice=advise(found))


def _titles(runs: Sequence[object], names: Sequence[str] | None) -> list[str]:
    """Returns the names of one or more runs."""
    if len(runs) > 1:
        return run_titles(runs, names)
    if names is None:
        return [run_name(runs[0])]
    given = [str(name) for name in check_items("names", names, "a list of names")]
    if len(given) != 1:
        raise ParameterError(
            message("core.there-are-runs", count=1, count_2=len(given)),
            hint=message("analysis.give-one-name-per"),
        )
    return given


def _families(measures: Iterable[str | Measure]) -> list[Measure]:
    """Returns the measures, without a cutoff."""
    given = [measures] if isinstance(measures, str | Measure) else measures
    found = [_family(one) for one in check_items("measures", given, "a list of names")]
    if not found:
        raise ParameterError(
            message("analysis.no-measure-is-given"), hint=message("analysis.name-one-such-as-ndcg")
        )
    return list(dict.fromkeys(found))


def _family(given: str | Measure) -> Measure:
    text = str(given).strip()
    bare = text.removesuffix("@all")
    if "@" in bare:
        raise ParameterError(
            message("analysis.has-cutoff", name=text),
            hint=message("analysis.write-name", name=bare.partition("@")[0]),
        )
    try:
        found = given if isinstance(given, Measure) else parse_measure(f"{bare}@all")
        found.with_cutoff(1)
    except ParameterError:
        known = parse_measure(bare)  # raises the error about the name itself
        raise ParameterError(
            message("analysis.measure-has-no-cutoff", name=str(known)),
            hint=message("analysis.choose-one-that-does"),
        ) from None
    return found


def _bare(family: Measure) -> str:
    return str(family).removesuffix("@all")


def _cutoffs(at: Iterable[int] | None) -> list[int]:
    """Returns the cutoffs, ascending."""
    if at is None:
        return list(LADDER)
    given = [at] if isinstance(at, int) else check_items("at", at, "a list of cutoffs")
    if not given:
        raise ParameterError(
            message("analysis.no-cutoff-is-given"), hint=message("analysis.write-some")
        )
    return sorted({check_whole("at", one) for one in given})


def _rows(
    results: Sequence[Results], titles: Sequence[str], family: Measure, k: int, alpha: float
) -> list[DepthRow]:
    """Returns one row per run, of one measure at one cutoff."""
    name = str(family.with_cutoff(k))
    found = []
    baseline = Sample.of(results[0], name)
    for title, one in zip(titles, results, strict=True):
        lengths = one.column("num_ret")
        reach = sum(length >= k for length in lengths) / len(lengths) if len(lengths) else math.nan
        difference = p = deviation = detectable = share = math.nan
        tested = 0
        if one is not results[0] and family.describes == "quality":
            paired = pair(name, baseline, Sample.of(one, name))
            tested, difference = len(paired.queries), paired.difference
            p = paired_test("t", paired.differences).p
            # Without any difference nothing is known of their spread.
            spread = standard_deviation(paired.differences) or math.nan
            detectable = smallest_detectable(tested, spread, alpha)
            base = abs(paired.baseline_value) or math.nan
            share, deviation = detectable / base, spread / base
        found.append(
            DepthRow(
                k=k,
                measure=name,
                run=title,
                value=one[name],
                judged=one[f"judged@{k}"],
                reach=reach,
                paired=tested,
                difference=difference,
                p=p,
                p_adjusted=p,
                verdict="undecided" if tested else "described",
                detectable=detectable,
                detectable_share=share,
                deviation_share=deviation,
            )
        )
    return found


def _judge(rows: Sequence[DepthRow], alpha: float) -> list[DepthRow]:
    """Returns rows with p-values corrected for the number of tests, and verdicts."""
    adjusted = adjust([row.p for row in rows], "holm")
    return [
        replace(
            row,
            p_adjusted=p,
            verdict=verdict(row.measure, row.difference, row.paired, p, alpha),
        )
        if row.paired
        else row
        for row, p in zip(rows, adjusted, strict=True)
    ]


def _needs(
    results: Sequence[Results],
    titles: Sequence[str],
    families: Sequence[Measure],
    cutoffs: Sequence[int],
    alpha: float,
) -> Iterator[QueriesNeeded]:
    """Yields which cutoff needs more queries than another, per measure and candidate."""
    tested = [one for one in families if one.describes == "quality"]
    candidates = list(zip(titles[1:], results[1:], strict=True))
    for family in tested:
        for title, one in candidates:
            values: dict[int, Values] = {}
            same: tuple[str, ...] | None = None
            for k in cutoffs:
                name = str(family.with_cutoff(k))
                samples = [Sample.of(results[0], name), Sample.of(one, name)]
                queries, (ours, theirs) = common_values(samples)
                same = queries if same is None else same
                if queries == same:
                    values[k] = ours, theirs - ours
            found = queries_needed(
                _bare(family), title, values, alpha, len(tested) * len(candidates)
            )
            if found is not None:
                yield found


def _notes(results: Results) -> list[Note]:
    """Returns the notes, without those about the judged share alone."""
    return [
        note
        for note in results.notes
        if not (isinstance(names := note.values.get("measures"), list | tuple) and names)
        or not all(str(name).startswith("judged@") for name in names)
    ]
