"""From paired samples to contrasts: tests, intervals, corrections and verdicts."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from relyon.analysis.comparison.contrast import Contrast, PairContrast, verdict
from relyon.analysis.comparison.outcomes import NO_POOLED, STATISTICS, Bootstraps, outcomes
from relyon.analysis.comparison.pairing import Pairing, Sample, common_values
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
) -> tuple[Contrast, ...]:
    """Contrasts every candidate with the baseline on every measure, and corrects for their number.

    Args:
        baseline: The name of the baseline run.
        pairings: By candidate and measure.
        pairs: The result of `all_pairs`; needed if Tukey's test decides.
        settings: The settings of the tests.
        described: Measures of the data, which are shown but not tested.
        progress: Called with the work done, the total, and the next step.
    """
    from relyon.analysis.statistics import adjust

    found = []
    bootstraps = Bootstraps(
        (one for one in pairings.values() if one.measure not in described), settings.draws
    )
    for place, ((candidate, _), pairing) in enumerate(pairings.items()):
        if progress is not None:
            detail = message("analysis.run-measure", run=candidate, measure=pairing.measure)
            progress(place, len(pairings), detail)
        one = _described(baseline, candidate, pairing, settings.test)
        if pairing.measure not in described:
            one = _tested(one, pairing, pairs, settings, bootstraps)
        found.append(one)
    adjusted: list[float] = []
    for family in _families(found, settings.test):
        adjusted += adjust([one.p for one in family], settings.correction)
    return tuple(
        replace(
            one,
            p_adjusted=p,
            verdict=verdict(one.measure, one.difference, one.queries, p, settings.alpha),
        )
        if one.tested
        else one
        for one, p in zip(found, adjusted, strict=True)
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
    )


def _tested(
    described: Contrast,
    pairing: Pairing,
    pairs: Sequence[PairContrast],
    settings: Settings,
    bootstraps: Bootstraps,
) -> Contrast:
    from relyon.analysis import statistics

    p_values, statistics_found = outcomes(pairing, settings.draws, bootstraps)
    test = settings.test
    if pairing.pools is not None and test in NO_POOLED:
        test = "permutation"
    p = _tukey_p(pairs, described) if settings.test == "tukey" else p_values[test]
    deviation = statistics.standard_deviation(pairing.differences)
    return replace(
        described,
        interval=_interval(pairing, settings),
        test=test,
        p=p,
        effect_size=statistics.effect_size(pairing.differences),
        statistics=statistics_found,
        verdict="undecided",
        detectable=statistics.smallest_detectable(len(pairing.queries), deviation, settings.alpha),
        queries_needed=statistics.queries_needed(pairing.difference, deviation, settings.alpha),
        p_values=p_values,
    )


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


def _interval(pairing: Pairing, settings: Settings) -> tuple[float, float]:
    from relyon.analysis import statistics

    if pairing.pools is not None:
        return statistics.pooled_interval(
            settings.interval, *pairing.pools, settings.confidence, settings.draws
        )
    return statistics.interval(
        settings.interval,
        pairing.differences,
        confidence=settings.confidence,
        resamples=settings.resamples,
        seed=settings.seed,
        threads=settings.threads,
    )


def all_pairs(
    names: Sequence[str],
    samples: Mapping[str, Sequence[Sample]],
    settings: Settings,
    progress: Progress | None,
) -> tuple[PairContrast, ...]:
    """Tests every pair of runs, one measure after the other."""
    from relyon.analysis import statistics

    found = []
    for place, (measure, columns) in enumerate(samples.items()):
        if progress is not None:
            progress(place, len(samples), message("analysis.all-pairs", measure=measure))
        queries, values = common_values(columns)
        outcome = statistics.tukey_hsd(
            values, resamples=settings.resamples, seed=settings.seed, threads=settings.threads
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
                )
            )
    return tuple(found)
