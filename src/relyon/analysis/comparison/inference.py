"""From paired samples to contrasts: tests, intervals, corrections and verdicts."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from relyon.analysis.comparison.anytime import look
from relyon.analysis.comparison.clusters.clustering import (
    cluster_facts,
    in_clusters,
    needed_queries,
)
from relyon.analysis.comparison.contrast import Contrast, NoInterval, PairContrast, verdict
from relyon.analysis.comparison.margins.margins import margin_amounts, margins
from relyon.analysis.comparison.outcomes import NO_POOLED, STATISTICS, Bootstraps, outcomes
from relyon.analysis.comparison.pairing import Pairing, Sample, common_values
from relyon.analysis.comparison.pooled.ratio import (
    decided_by_one,
    dominance,
    is_pooled_ratio,
    largest_query,
    on_scale_of,
    pooled_ratio_interval,
    share_contrast,
    spread,
)
from relyon.analysis.comparison.query_facts import QueryFacts
from relyon.analysis.comparison.repeats.repeats import Repeats, repeats_of
from relyon.analysis.comparison.runs import Progress
from relyon.analysis.comparison.settings import TESTS, Settings
from relyon.core.texts import message

__all__ = ["all_pairs", "contrasts"]


def contrasts(
    baseline: str,
    pairings: Mapping[tuple[str, str], Pairing],
    pairs: Sequence[PairContrast],
    settings: Settings,
    described: Collection[str] = (),
    progress: Progress | None = None,
    column: str = "",
) -> tuple[Contrast, ...]:
    """Contrasts every candidate with the baseline on every measure, and corrects for their number.

    Args:
        baseline: The name of the baseline run.
        pairings: By candidate and measure.
        pairs: The result of `all_pairs`; needed if Tukey's test decides.
        settings: The settings of the tests.
        described: Measures of the data, which are shown but not tested.
        progress: Called with the work done, the total, and the next step.
        column: The name of the clusters' column.
    """
    from relyon.analysis.statistics import adjust

    amounts = margin_amounts(
        settings.margins, [one.measure for one in pairings.values()], described=described
    )
    found = []
    units = {key: in_clusters(one) for key, one in pairings.items()}
    bootstraps = Bootstraps(
        (one for one in units.values() if one.measure not in described), settings.draws
    )
    for place, ((candidate, measure), pairing) in enumerate(pairings.items()):
        if progress is not None:
            detail = message("analysis.run-measure", run=candidate, measure=pairing.measure)
            progress(place, len(pairings), detail)
        one = _described(baseline, candidate, pairing, settings.test)
        if pairing.measure not in described:
            unit = units[candidate, measure]
            one = _tested(one, unit, pairs, settings, bootstraps)
            one = _with_clusters(one, pairing, unit, column)
        found.append(one)
    adjusted: list[float] = []
    for family in _families(found, settings.test):
        adjusted += adjust([one.p for one in family], settings.correction)
    found = [
        replace(one, p_adjusted=p) if one.tested else one
        for one, p in zip(found, adjusted, strict=True)
    ]
    shown = margins(found, [*units.values()], amounts, settings)
    return tuple(
        replace(
            one,
            margin=margin,
            verdict=verdict(
                one.measure, one.difference, one.units, one.p_adjusted, settings.alpha, margin
            ),
        )
        if one.tested
        else one
        for one, margin in zip(found, shown, strict=True)
    )


def _described(baseline: str, candidate: str, pairing: Pairing, test: str) -> Contrast:
    """Returns an untested contrast."""
    wins, ties, losses = pairing.wins_ties_losses
    nothing = math.nan
    return Contrast(
        measure=pairing.measure,
        baseline=baseline,
        candidate=candidate,
        average=pairing.average,
        queries=len(pairing.queries),
        left_out=pairing.left_out,
        baseline_mean=pairing.baseline_value,
        candidate_mean=pairing.candidate_value,
        difference=pairing.difference,
        interval=(nothing, nothing),
        test=test,
        p=nothing,
        p_adjusted=nothing,
        effect_size=nothing,
        wins=wins,
        ties=ties,
        losses=losses,
        detectable=nothing,
        queries_needed=0,
        verdict="described",
        p_values=dict.fromkeys(TESTS, nothing),
        statistics=dict.fromkeys(STATISTICS, nothing),
        baseline_details=pairing.details[0],
        candidate_details=pairing.details[1],
        changed=pairing.changed,
    )


def _tested(
    described: Contrast,
    pairing: Pairing,
    pairs: Sequence[PairContrast],
    settings: Settings,
    bootstraps: Bootstraps,
) -> Contrast:
    if settings.always_valid:
        return _looked(described, pairing, settings)
    p_values, statistics_found = outcomes(pairing, settings.draws, bootstraps)
    test = settings.test
    if test in NO_POOLED and (_pooled(pairing) or _flipped(pairing, test)):
        test = "permutation"
    p = _tukey_p(pairs, described) if settings.test == "tukey" else p_values[test]
    interval, quotient = _interval(pairing, settings)
    effect, detectable, needed = _size(pairing, settings)
    return replace(
        described,
        interval=interval,
        test=test,
        p=p,
        effect_size=effect,
        statistics=statistics_found,
        verdict="undecided",
        detectable=detectable,
        queries_needed=needed,
        p_values=p_values,
        no_interval=_why_none(pairing) if math.isnan(interval[0]) else "",
        quotient=quotient,
        share=share_contrast(pairing, settings, p_values),
        largest=largest_query(pairing) if is_pooled_ratio(pairing) and pairing.queries else None,
        dominant=dominance(pairing, settings),
        repeats=_repeats(pairing, test, settings),
    )


def _looked(described: Contrast, pairing: Pairing, settings: Settings) -> Contrast:
    """Returns a contrast with an always-valid interval and p-value.

    Other tests are for one look: their p-values are left out. The share of positive pairs has no
    always-valid test of its own.
    """
    found = look(pairing, settings)
    effect, detectable, needed = _size(pairing, settings)
    if found.size is not None:
        detectable, needed = found.size
    return replace(
        described,
        interval=found.interval,
        test=found.test,
        p=found.p,
        effect_size=effect,
        statistics={},
        verdict="undecided",
        detectable=detectable,
        queries_needed=needed,
        p_values={},
        no_interval=found.missing,
        quotient=found.quotient,
        largest=largest_query(pairing) if is_pooled_ratio(pairing) and pairing.queries else None,
    )


def _pooled(pairing: Pairing) -> bool:
    """Whether a number is not a mean over queries."""
    return pairing.pools is not None or is_pooled_ratio(pairing)


def _flipped(pairing: Pairing, test: str) -> bool:
    """Whether flips of clusters replace a test: ranks and signs always, t with few clusters.

    What runs share is not in flips, so that repeated runs that differ by more than noise keep t.
    """
    clustered = pairing.clustered
    if clustered is None:
        return False
    shared = pairing.repeats is not None and bool(pairing.repeats.excess)
    return test != "t" or (clustered.few and not shared)


def _repeats(pairing: Pairing, test: str, settings: Settings) -> Repeats | None:
    """Returns what repeated runs show, if there are any."""
    values = pairing.repeats
    if values is None:
        return None
    pooled = is_pooled_ratio(pairing)
    confidence = settings.confidence
    widths = (
        None if pooled else values.half_widths(pairing.differences, confidence, pairing.clustered)
    )
    return repeats_of(
        values,
        confidence,
        included=test == settings.interval == "t" and not pooled,
        half_widths=widths,
    )


def _with_clusters(one: Contrast, pairing: Pairing, unit: Pairing, column: str) -> Contrast:
    """Returns a contrast with its clusters.

    Args:
        one: The contrast, tested by cluster.
        pairing: The two runs by query.
        unit: The same by cluster.
        column: The name of the clusters' column.
    """
    facts = cluster_facts(pairing, unit, one.queries_needed, column)
    if facts is None or facts.alone:
        return one if facts is None else replace(one, clusters=facts)
    nothing = math.nan, math.nan
    if facts.decided:
        one = replace(
            one,
            interval=nothing,
            quotient=nothing,
            detectable=math.nan,
            queries_needed=0,
            share=None if one.share is None else replace(one.share, interval=nothing),
            no_interval=one.no_interval if one.no_interval == "unchanged" else "one-cluster",
        )
        return replace(one, clusters=replace(facts, needed=0))
    return replace(one, clusters=facts, queries_needed=needed_queries(pairing, one.queries_needed))


def _size(pairing: Pairing, settings: Settings) -> tuple[float, float, int]:
    """Returns the effect size d_z, the detectable difference and the queries needed.

    Without spread in the sample, that of other queries is unknown: so is what they can detect.
    Of queries in clusters, the clusters needed are returned, and the spread is that of the
    degrees of freedom.
    """
    from relyon.analysis import statistics

    count, alpha = len(pairing.queries), settings.alpha
    smallest_detectable, queries_needed = (
        (statistics.smallest_found, statistics.units_for)
        if settings.always_valid and count
        else (statistics.smallest_detectable, statistics.queries_needed)
    )
    clustered = pairing.clustered
    shared = pairing.repeats is not None and bool(pairing.repeats.excess)
    if clustered is not None and not shared:
        deviation, equal = clustered.deviation or math.nan, clustered.degrees + 1
        needed = queries_needed(pairing.difference, deviation, alpha)
        return (
            statistics.effect_size(pairing.differences),
            smallest_detectable(equal, deviation, alpha),
            max(math.ceil(needed * clustered.count / equal * (1 - 1e-9)), needed) if needed else 0,
        )
    if is_pooled_ratio(pairing):
        difference, deviation = spread(pairing)
        detectable = smallest_detectable(count, deviation, alpha)
        needed = queries_needed(difference, deviation, alpha)
        return difference / deviation, on_scale_of(pairing, detectable), needed
    deviation = statistics.standard_deviation(pairing.differences) or math.nan
    if pairing.repeats is not None and pairing.repeats.excess:
        detectable, needed = pairing.repeats.size(pairing.differences, alpha, clustered)
        needed = math.ceil(needed * pairing.units / count)
        return statistics.effect_size(pairing.differences), detectable, needed
    return (
        statistics.effect_size(pairing.differences),
        smallest_detectable(count, deviation, alpha),
        queries_needed(pairing.difference, deviation, alpha),
    )


def _why_none(pairing: Pairing) -> NoInterval:
    """Returns why a difference has no interval."""
    import numpy as np

    if len(pairing.queries) < 2:
        return "one-query"
    if not pairing.changed:
        return "unchanged"
    if is_pooled_ratio(pairing):
        if decided_by_one(pairing):
            return "one-decides"
        known = all(np.isfinite(one).all() for one in pairing.without)
        return "equal-changes" if known else "not-finite"
    return "equal-changes" if math.isfinite(pairing.difference) else "not-finite"


def _tukey_p(pairs: Sequence[PairContrast], wanted: Contrast) -> float:
    return next(
        one.p
        for one in pairs
        if (one.first, one.second, one.measure)
        == (wanted.baseline, wanted.candidate, wanted.measure)
    )


def _families(contrasts: Sequence[Contrast], test: str) -> list[list[Contrast]]:
    """Returns the contrasts that are corrected together.

    Tukey's p-values are already corrected for the runs: only a candidate's measures remain.
    """
    if test != "tukey":
        return [list(contrasts)]
    by_candidate: dict[str, list[Contrast]] = {}
    for one in contrasts:
        by_candidate.setdefault(one.candidate, []).append(one)
    return list(by_candidate.values())


def _interval(
    pairing: Pairing, settings: Settings
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Returns the intervals of the difference and of the quotient; NaN if there is none."""
    from relyon.analysis import statistics

    nothing = math.nan, math.nan
    if pairing.pools is not None:
        found = statistics.pooled_interval(
            settings.interval, *pairing.pools, settings.confidence, settings.draws
        )
    elif is_pooled_ratio(pairing):
        return pooled_ratio_interval(pairing, settings)
    elif settings.interval == "t" and pairing.repeats is not None and pairing.repeats.excess:
        found = pairing.repeats.t_interval(
            pairing.differences, settings.confidence, pairing.clustered
        )
    else:
        found = settings.interval_of(pairing.differences, pairing.clustered)
    # Without spread in the sample, that of other queries is unknown.
    return found if found[0] < found[1] else nothing, nothing


def all_pairs(
    names: Sequence[str],
    samples: Mapping[str, Sequence[Sample]],
    settings: Settings,
    facts: QueryFacts,
    progress: Progress | None,
) -> tuple[PairContrast, ...]:
    """Tests every pair of runs, one measure after the other."""
    from relyon.analysis import statistics

    found = []
    for place, (measure, columns) in enumerate(samples.items()):
        if progress is not None:
            progress(place, len(samples), message("analysis.all-pairs", measure=measure))
        queries, values = common_values(columns)
        groups = facts.groups(queries)
        outcome = statistics.tukey_hsd(
            values,
            clusters=groups[0] if groups else None,
            resamples=settings.resamples,
            seed=settings.seed,
            threads=settings.threads,
        )
        for (first, second), pair_outcome in outcome.items():
            found.append(
                PairContrast(
                    measure=measure,
                    first=names[first],
                    second=names[second],
                    difference=pair_outcome.difference,
                    p=pair_outcome.p,
                    effect_size=pair_outcome.effect_size,
                    queries=len(queries),
                    clusters=len(groups[1]) if groups else None,
                )
            )
    return tuple(found)
