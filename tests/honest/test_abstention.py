"""Questions without an answer: what intervals cover and how often tests alarm without a change.

Scores are normal: answerable queries are 1.5 higher. `ties` rounds them to whole numbers, and
`parts` raises all scores of one part of the queries by 1, so that thresholds chosen on the others
do not fit it.
"""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import pytest
from tests.honest.rows import row

from relyon.analysis.abstention import AbstentionRules, Answers, Choice
from relyon.analysis.abstention.contrast import contrasts
from relyon.analysis.abstention.rates import rate_of
from relyon.analysis.abstention.system import SystemAbstention, system_abstention
from relyon.analysis.abstention.thresholds import folds_of
from relyon.analysis.statistics import paired_test
from relyon.analysis.statistics.auroc import area, area_difference

REPEATS, PAIRS, FOLDS, GAP = 500, 300, 5, 1.5
SIZES, SHARES, KINDS = (20, 50, 200), (0.05, 0.1, 0.25, 0.5), ("plain", "ties", "parts")


def above(t: float, mean: float, kind: str, raised: bool) -> float:
    """Returns the probability that a score reaches a threshold."""
    if math.isinf(t):
        return 0.0
    cut = t - 0.5 if kind == "ties" else t
    return 1 - NormalDist(mean + raised).cdf(cut)


def sample(draw: np.random.Generator, n: int, share: float, kind: str, copies: int = 1) -> Answers:
    """Returns the answers to n queries, of which a share, and at least two, are unanswerable.

    Args:
        draw: The generator.
        n: The number of queries.
        share: The share of unanswerable ones.
        kind: What their scores are like.
        copies: How many of them are paraphrases of one, with the same score.
    """
    unanswerable = max(2, round(n * share))
    yes = np.arange(n) < n - unanswerable
    queries = tuple(map(str, draw.integers(1 << 60, size=n)))
    raised = (folds_of(queries, FOLDS) == 0) & (kind == "parts")
    noise = draw.normal(size=n)
    if copies > 1:
        noise = noise[np.arange(n) // copies * copies]
    scores = np.where(yes, GAP, 0.0) + raised + noise
    if kind == "ties":
        scores = np.round(scores)
    right = np.where(yes, draw.random(n) < 0.8, 0.0).astype(float)
    return Answers("s", queries, yes, scores, right)


def truths(found: SystemAbstention, kind: str, base: float) -> list[tuple[float, float, float]]:
    """Returns false answers, coverage and error at the threshold to be used, and of the parts."""
    rates = []
    for mean in (0.0, GAP):
        whole = [above(found.threshold, mean, kind, raised) for raised in (False, True)]
        weight = 1 / FOLDS if kind == "parts" else 0.0
        shipped = (1 - weight) * whole[0] + weight * whole[1]
        # Parts are equally large but for chance; the first is the raised one.
        parts = [
            above(t, mean, kind, kind == "parts" and place == 0)
            for place, t in enumerate(found.thresholds)
        ]
        rates.append((shipped, float(np.mean(parts))))
    (false, parted_false), (covered, parted) = rates
    return [
        (false, covered, base * false + (1 - base) * (1 - covered)),
        (parted_false, parted, base * parted_false + (1 - base) * (1 - parted)),
    ]


def coverage(n: int, share: float, kind: str, rule: Choice, copies: int = 1) -> tuple[float, int]:
    """Returns the lowest coverage of the three intervals and both truths, and the repetitions."""
    draw = np.random.default_rng(31)
    hits, repeats = np.zeros((2, 3)), 0
    for _ in range(REPEATS):
        found = system_abstention(sample(draw, n, share, kind, copies), None, rule, FOLDS, 0.95)
        if math.isnan(found.threshold) or len(found.thresholds) < FOLDS:
            continue  # one part has all unanswerable queries: no threshold, no interval
        repeats += 1
        rates = (found.false_answer_rate, found.coverage, found.error)
        hits += [
            [one.low <= truth <= one.high for one, truth in zip(rates, true, strict=True)]
            for true in truths(found, kind, rule.base_rate)
        ]
    return float(hits.min()) / repeats, repeats


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("share", SHARES)
def test_intervals_at_a_target(n: int, share: float, kind: str) -> None:
    found, repeats = coverage(n, share, kind, Choice("target", 0.1, share))
    case = f"target .1, {n} queries, {share:g} unanswerable, {kind}"
    least = 0.95 - 3 * math.sqrt(0.95 * 0.05 / repeats)
    row("no-answer-intervals", case, found, repeats, promise="at least 95%", least=least)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", SIZES)
def test_intervals_at_the_least_cost(n: int, kind: str) -> None:
    found, repeats = coverage(n, 0.25, kind, Choice("cost", 1.0, 0.25))
    case = f"cost 1, {n} queries, 0.25 unanswerable, {kind}"
    least = 0.95 - 3 * math.sqrt(0.95 * 0.05 / repeats)
    row("no-answer-intervals", case, found, repeats, promise="at least 95%", least=least)


def test_paraphrases_are_not_independent() -> None:
    found, repeats = coverage(200, 0.5, "plain", Choice("target", 0.1, 0.5), copies=5)
    row(
        "no-answer-intervals",
        "target .1, 200 queries, 0.5 unanswerable, five paraphrases of each",
        found,
        repeats,
        promise="none",
        most=0.9,
        assumption=False,
        says="queries must be independent",
    )


def test_the_share_over_parts_alone_misses_the_threshold_to_be_used() -> None:
    """Why an interval contains two: with few unanswerable queries thresholds vary much."""
    draw = np.random.default_rng(31)
    hits = 0
    for _ in range(REPEATS):
        answers = sample(draw, 200, 0.05, "plain")
        found = system_abstention(answers, None, Choice("target", 0.1, 0.05), FOLDS, 0.95)
        low, high = rate_of(found.outcomes.covered, 0.95).bounds
        hits += low <= above(found.threshold, GAP, "plain", False) <= high
    assert hits / REPEATS < 0.6


@pytest.mark.parametrize("kind", ["normal", "ties", "unequal spreads", "nearly perfect"])
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("share", [0.1, 0.25, 0.5])
def test_intervals_of_the_area(n: int, share: float, kind: str) -> None:
    draw = np.random.default_rng(7)
    unanswerable = max(2, round(n * share))
    mean = 3.0 if kind == "nearly perfect" else GAP
    spread = 3.0 if kind == "unequal spreads" else 1.0

    def scores(count: int, mean: float, spread: float) -> np.ndarray:
        found = draw.normal(mean, spread, count)
        return np.round(found) if kind == "ties" else found

    many = area(scores(100_000, mean, 1.0), scores(100_000, 0.0, spread)).value
    hits = 0
    for _ in range(REPEATS):
        one = area(scores(n - unanswerable, mean, 1.0), scores(unanswerable, 0.0, spread))
        low, high = one.interval()
        hits += low <= many <= high
    least = 0.93 - 3 * math.sqrt(0.93 * 0.07 / REPEATS)
    case = f"{n} queries, {share:g} unanswerable, {kind}"
    row("auroc-intervals", case, hits / REPEATS, REPEATS, promise="93% or more", least=least)


CASES = [
    *(("target", 0.1, n, share) for n in SIZES for share in (0.1, 0.25, 0.5)),
    *(("cost", 1.0, n, 0.25) for n in SIZES),
    # Eight of many: no false answer is allowed, and thresholds are the highest of eight scores.
    ("target", 0.1, 320, 0.025),
]


@pytest.mark.parametrize("kind", ["plain", "ties"])
@pytest.mark.parametrize(("rule", "value", "n", "share"), CASES)
def test_false_alarms(rule: str, value: float, n: int, share: float, kind: str) -> None:
    """Two systems with the same distribution, whose scores of a query correlate."""
    draw = np.random.default_rng(3)
    alarms, exact = np.zeros(3), 0
    choice = Choice("cost" if rule == "cost" else "target", value, share)
    rules = AbstentionRules(correction="none")
    for _ in range(PAIRS):
        first = sample(draw, n, share, "plain")
        mean = np.where(first.answerable, GAP, 0.0)
        shared, noise = first.scores - mean, draw.normal(size=(2, n))
        systems = []
        for name, own in zip("ab", noise, strict=True):
            scores = mean + math.sqrt(0.5) * (shared + own)
            scores = np.round(scores) if kind == "ties" else scores
            right = np.where(first.answerable, draw.random(n) < 0.8, 0.0).astype(float)
            answers = Answers(name, first.queries, first.answerable, scores, right)
            systems.append(system_abstention(answers, None, choice, FOLDS, 0.95))
        found = contrasts(systems, choice, [None, None], rules)
        alarms += [one.verdict != "undecided" for one in found]
        differences = systems[1].outcomes.right - systems[0].outcomes.right
        exact += paired_test("sign", differences).p <= 0.05
    most = 0.05 + 3 * math.sqrt(0.05 * 0.95 / PAIRS)
    for name, count in zip(("AUROC", "false answers", "right answers"), alarms, strict=True):
        case = f"{name}, {rule} {value:g}, {n} queries, {share:g} unanswerable, {kind}"
        row("no-answer-false-alarms", case, count / PAIRS, PAIRS, promise="at most 5%", most=most)
    if (rule, n, share) == ("target", 200, 0.1):
        # Why the exact test alone is not enough.
        assert exact / PAIRS > 0.3


def test_paraphrases_in_the_interval_of_the_area() -> None:
    draw = np.random.default_rng(7)
    truth, hits = NormalDist(0, math.sqrt(2)).cdf(GAP), 0
    for _ in range(REPEATS):
        low, high = sample(draw, 200, 0.5, "plain", copies=5).area.interval()
        hits += low <= truth <= high
    row(
        "auroc-intervals",
        "200 queries, 0.5 unanswerable, five paraphrases of each",
        hits / REPEATS,
        REPEATS,
        promise="none",
        most=0.9,
        assumption=False,
        says="queries must be independent",
    )


def test_paraphrases_in_the_test_of_areas() -> None:
    draw = np.random.default_rng(3)
    alarms = 0
    for _ in range(REPEATS):
        first = sample(draw, 200, 0.5, "plain", copies=5)
        second = sample(draw, 200, 0.5, "plain", copies=5)
        alarms += area_difference(first.area, second.area).p <= 0.05
    row(
        "no-answer-false-alarms",
        "AUROC, 200 queries, 0.5 unanswerable, five paraphrases of each",
        alarms / REPEATS,
        REPEATS,
        promise="none",
        least=0.1,
        assumption=False,
        says="queries must be independent",
    )


def test_scores_of_two_values_with_thresholds_of_other_queries() -> None:
    """A threshold jumps from one value to the other, which a bootstrap of one sample cannot see."""
    draw = np.random.default_rng(3)
    choice, rules, alarms = Choice("target", 0.1, 0.15), AbstentionRules(correction="none"), 0

    def two() -> list[Answers]:
        first = sample(draw, 120, 1 / 6, "plain")
        mean = np.where(first.answerable, GAP, 0.0)
        return [
            Answers(
                name,
                first.queries,
                first.answerable,
                (mean + math.sqrt(0.5) * (first.scores - mean + own) > 1).astype(float),
                np.where(first.answerable, draw.random(120) < 0.8, 0.0).astype(float),
            )
            for name, own in zip("ab", draw.normal(size=(2, 120)), strict=True)
        ]

    for _ in range(PAIRS):
        shown, other = two(), two()
        systems = [
            system_abstention(one, tuned, choice, FOLDS, 0.95)
            for one, tuned in zip(shown, other, strict=True)
        ]
        alarms += contrasts(systems, choice, other, rules)[2].verdict != "undecided"
    row(
        "no-answer-false-alarms",
        "right answers, scores of two values, thresholds of other queries",
        alarms / PAIRS,
        PAIRS,
        promise="none",
        least=0.05,
        most=0.2,
        assumption=False,
        says="the page: up to 12%",
    )
