"""Audits invent no bias of a fair judge, find planted ones, and their intervals cover."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.honest.rows import row

from relyon.analysis.statistics import Resampling
from relyon.data.scale import SEARCH
from relyon.judging.llm.audit.audit import measure_audit
from relyon.judging.llm.audit.families import FamilyGrade, measure_preference
from relyon.judging.llm.audit.measurement import ProbePair
from relyon.judging.llm.audit.probes import PROBES, REPEAT
from relyon.judging.llm.audit.shifts import measure_shift
from relyon.judging.llm.audit.system_bias import measure_system_bias

pytestmark = pytest.mark.slow

CLAIM = "judge-audit"
INTERVALS = "judge-audit-intervals"
RUNS = 400
SIZES = (10, 20, 50, 200)
DRAWS = Resampling(1000)
Values = NDArray[np.float64]
#: The grades of one item: sampled anew for each copy.
Noise = Callable[[np.random.Generator, Values], Values]


def even(chance: np.random.Generator, truth: Values) -> Values:
    return chance.normal(0, 0.5, truth.shape)


def by_grade(chance: np.random.Generator, truth: Values) -> Values:
    """High grades are uncertain, low ones are not."""
    return chance.normal(0, 1, truth.shape) * (0.1 + 0.4 * truth)


def rarely(chance: np.random.Generator, truth: Values) -> Values:
    """A judge of temperature 0 who is wrong by far in one of fifty items."""
    return np.where(chance.random(truth.shape) < 0.02, 3 - 2 * truth, 0.0)


def grades(chance: np.random.Generator, truth: Values, noise: Noise, samples: int = 3) -> Values:
    """Returns the grade of each item: the median of its samples."""
    several = np.repeat(truth[:, None], samples, axis=1)
    given = np.clip(np.rint(several + noise(chance, several)), 0, 3)
    return np.sort(given, axis=1)[:, (samples - 1) // 2]


def truths(chance: np.random.Generator, items: int, each: int) -> tuple[Values, list[str]]:
    level = np.repeat(chance.normal(1.2, 0.6, -(-items // each)), each)[:items]
    return np.clip(level + chance.normal(0, 0.9, items), 0, 3), [
        f"q{n // each}" for n in range(items)
    ]


def audited(
    chance: np.random.Generator,
    items: int,
    each: int,
    noise: Noise,
    biases: dict[str, float],
    drift: float = 0.0,
) -> list[str]:
    """Returns what an audit finds of a judge with some biases, all probes on the same items.

    As in `plan_audit`, attacks are on items that are not relevant, by people's grades. With a
    drift, another judge, whose grades are higher by it, graded the changed copies.
    """
    truth, queries = truths(chance, items * 3, each)
    people = np.clip(np.rint(truth + chance.normal(0, 0.5, len(truth))), 0, 3)
    irrelevant = np.flatnonzero(people < SEARCH.relevant_from)[:items]
    before = grades(chance, truth, noise)
    earlier = grades(chance, truth, noise)
    pairs = {}
    for name, kind in ((REPEAT, ""), *((one.name, one.kind) for one in PROBES)):
        chosen = irrelevant if kind == "attack" else np.arange(items)
        if name == REPEAT:
            first, after = earlier, before
        else:
            first, after = before, grades(chance, truth + biases.get(name, drift), noise)
        pairs[name] = [
            ProbePair(int(n), queries[n], float(first[n]), float(after[n])) for n in chosen
        ]
    found = measure_audit("llm:small", pairs, SEARCH, resampling=DRAWS)
    return [one.probe for one in found.findings]


@pytest.mark.parametrize("items", SIZES)
@pytest.mark.parametrize("noise", [even, by_grade, rarely], ids=["even", "by-grade", "rarely"])
def test_nothing_is_found_of_a_fair_judge(items: int, noise: Noise) -> None:
    told = {"even": "a fair, noisy judge", "by_grade": "its noise grows with the grade",
            "rarely": "rarely wrong by far"}[noise.__name__]  # fmt: skip
    for each in (1, 3):
        chance = np.random.default_rng([items, each, len(noise.__name__)])
        alarms = sum(bool(audited(chance, items, each, noise, {})) for _ in range(RUNS))
        row(
            CLAIM, f"{told}; {items} items, {each} per query", alarms / RUNS, RUNS,
            promise="≤ 5%", most=0.05 + 2.5 * (0.05 * 0.95 / RUNS) ** 0.5,
        )  # fmt: skip


@pytest.mark.parametrize("items", SIZES)
@pytest.mark.parametrize("size", [0.3, 1.0], ids=["small", "large"])
def test_planted_biases_are_found(items: int, size: float) -> None:
    chance = np.random.default_rng([items, round(10 * size)])
    runs = RUNS // 2
    found = [audited(chance, items, 1, even, {"order-en": size}) for _ in range(runs)]
    power = sum("order-en" in one for one in found) / runs
    others = sum(bool(set(one) - {"order-en"}) for one in found) / runs
    name = f"order-en shifts by {size:g}; {items} items"
    least = {1.0: {50: 0.9, 200: 0.99}, 0.3: {200: 0.5}}[size].get(items, 0.0)
    row(CLAIM, f"{name}: found", power, runs, promise="power", least=least)
    most = 0.05 + 2.5 * (0.05 * 0.95 / runs) ** 0.5
    row(CLAIM, f"{name}: another one found", others, runs, promise="≤ 5%", most=most)


@pytest.mark.parametrize("items", [50, 200])
def test_a_judge_replaced_during_the_audit_seems_biased(items: int) -> None:
    chance = np.random.default_rng([items, 77])
    runs = RUNS // 4
    alarms = sum(bool(audited(chance, items, 1, even, {}, drift=0.3)) for _ in range(runs))
    row(
        CLAIM, f"the model is replaced before the changed copies, by one that grades 0.3 higher;"
        f" {items} items", alarms / runs, runs, promise="none", assumption=False, least=0.2,
        says="the page: ask for all copies of one version",
    )  # fmt: skip


def covered(items: int, each: int, noise: Noise, share: float, size: float) -> tuple[float, float]:
    """Returns the coverage of the shift's interval, and the share of cases with one.

    A share of the items is shifted by `size`, which differs between queries.
    """
    chance = np.random.default_rng([items, each, round(100 * share), round(10 * size)])

    def pair(count: int) -> tuple[Values, Values, list[str]]:
        truth, queries = truths(chance, count, each)
        pull = np.repeat(chance.normal(0, 0.3 * bool(share), -(-count // each)), each)[:count]
        moved = np.where(chance.random(count) < share, size, 0.0) + pull
        return grades(chance, truth, noise), grades(chance, truth + moved, noise), queries

    first, second, _ = pair(200_000)
    mean = float((second - first).mean())
    hits = known = 0
    for _ in range(RUNS):
        first, second, queries = pair(items)
        found = measure_shift(first.tolist(), second.tolist(), queries, (0, 3), resampling=DRAWS)
        if np.isfinite(found.mean.low):
            known += 1
            hits += found.mean.low <= mean <= found.mean.high
    return hits / known if known else float("nan"), known / RUNS


@pytest.mark.parametrize("items", SIZES)
def test_intervals_of_shifts_cover(items: int) -> None:
    for told, noise, share, size in (
        ("a fair, noisy judge", even, 0.0, 0.0),
        ("a fair judge, noise by grade", by_grade, 0.0, 0.0),
        ("half of the items rise by 1", even, 0.5, 1.0),
        ("one of twenty items rises by 3", rarely, 0.05, 3.0),
    ):
        for each in (1, 3):
            share_covered, known = covered(items, each, noise, share, size)
            name = f"shift: {told}; {items} items, {each} per query"
            if not known:
                row(INTERVALS, name, 0.0, RUNS, promise="none", most=0.0, says="no interval")
                continue
            row(INTERVALS, name, share_covered, RUNS, promise="95%", least=0.92)


def preferred(
    items: int,
    *,
    favour: float,
    better: float,
    width: float,
    error: float,
    own: float,
    ends: float = 0.0,
) -> float:
    """Returns how often a preference is found.

    Args:
        items: Items, four per query.
        favour: What the judge adds to its own family.
        better: How much better the own family's texts are.
        width: How widely the judge uses the scale, compared with people.
        error: The standard deviation of people's errors.
        own: The share of items of the own family.
        ends: 1.0 if the judge gives the lowest and the highest grade only.
    """
    chance = np.random.default_rng(
        [items, round(10 * favour), round(10 * better), round(10 * width)]
    )
    found = 0
    runs = RUNS
    for _ in range(runs):
        mine = chance.random(items) < own
        truth = chance.normal(1.4, 0.8, items) + better * mine
        pull = np.repeat(chance.normal(0, 0.3, -(-items // 4)), 4)[:items]
        people = np.clip(np.rint(truth + chance.normal(0, error, items)), 0, 3)
        model = 1.4 + width * (truth - 1.4) + favour * mine + pull + chance.normal(0, 0.5, items)
        model = np.where(model > 1.5, 3.0, 0.0) if ends else np.clip(np.rint(model), 0, 3)
        units = [
            FamilyGrade(f"q{n // 4}", bool(mine[n]), float(model[n]), float(people[n]))
            for n in range(items)
        ]
        verdict = measure_preference(units, SEARCH).favours
        found += verdict != ""
    return found / runs


@pytest.mark.parametrize("items", [40, 200, 600])
def test_a_preference_is_found_only_where_there_is_one(items: int) -> None:
    most = 0.05 + 2.5 * (0.05 * 0.95 / RUNS) ** 0.5
    fair = {"favour": 0.0, "better": 0.0, "width": 1.0, "error": 0.5, "own": 0.5}
    for told, change in (
        ("family: a fair judge", {}),
        ("family: its own texts are better", {"better": 0.4}),
        ("family: better texts, and a judge who avoids the ends", {"better": 0.8, "width": 0.5}),
        ("family: a tenth of the items is its own", {"own": 0.1}),
        ("family: better texts, and a judge who prefers the ends", {"better": 0.8, "width": 1.5}),
        ("family: better texts, and a judge who gives only the ends", {"better": 0.4, "ends": 1.0}),
        ("family: much better texts, graded by people who err by a grade",
         {"better": 0.8, "error": 1.0}),
        ("family: the same, and a judge who prefers the ends",
         {"better": 0.8, "error": 1.0, "width": 1.5}),
    ):  # fmt: skip
        share = preferred(items, **{**fair, **change})
        row(CLAIM, f"{told}; {items} items", share, RUNS, promise="≤ 5%", most=most)
    for told, better, least in (
        ("family: favoured by 0.5", 0.0, {200: 0.55, 600: 0.95}.get(items, 0.0)),
        ("family: favoured by 0.5, and better texts", 0.4, 0.0),
    ):
        share = preferred(items, **{**fair, "favour": 0.5, "better": better})
        row(CLAIM, f"{told}; {items} items: found", share, RUNS, promise="power", least=least)


@pytest.mark.parametrize("queries", SIZES)
@pytest.mark.parametrize("favour", [0.0, 0.7], ids=["fair", "biased"])
def test_intervals_of_the_bias_between_systems_cover(queries: int, favour: float) -> None:
    """The candidate puts documents first that the judge favours; five times as many unlabelled."""
    chance = np.random.default_rng([queries, round(10 * favour)])
    runs = RUNS // 4

    def draw(
        count: int,
    ) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, float]], dict[str, object]]:
        people: dict[str, dict[str, float]] = {}
        model: dict[str, dict[str, float]] = {}
        old: dict[str, dict[str, float]] = {}
        new: dict[str, dict[str, float]] = {}
        for n in range(count):
            truth = chance.normal(1.3, 1, 8)
            fond = chance.random(8) < 0.4
            names = [f"d{place}" for place in range(8)]
            given = np.clip(np.rint(truth), 0, 3)
            own = np.clip(np.rint(truth + favour * fond + chance.normal(0, 0.5, 8)), 0, 3)
            query = f"q{n}"
            people[query] = dict(zip(names, given.tolist(), strict=True))
            model[query] = dict(zip(names, own.tolist(), strict=True))
            old[query] = dict(zip(names, (truth + chance.normal(0, 1, 8)).tolist(), strict=True))
            score = truth + 0.7 * fond + chance.normal(0, 1, 8)
            new[query] = dict(zip(names, score.tolist(), strict=True))
        return people, model, {"old": old, "new": new}

    people, model, runs_of = draw(6000)
    truth = measure_system_bias(people, model, runs_of, SEARCH, measure="dcg@5").pairs[0]
    bias = corrected = alone = 0
    for _ in range(runs):
        people, model, runs_of = draw(6 * queries)
        labelled = {query: people[query] for query in list(people)[:queries]}
        found = measure_system_bias(labelled, model, runs_of, SEARCH, measure="dcg@5").pairs[0]
        bias += found.bias.low <= truth.bias.value <= found.bias.high
        corrected += found.corrected.low <= truth.people.value <= found.corrected.high
        alone += found.machine.low <= truth.people.value <= found.machine.high
    judge = "biased" if favour else "fair"
    told = f"Δ DCG@5, judge {judge}; {queries} of {6 * queries} queries labelled"
    least = 0.95 - 3 * (0.05 * 0.95 / runs) ** 0.5
    row(INTERVALS, f"{told}: bias", bias / runs, runs, promise="95%", least=least)
    row(INTERVALS, f"{told}: corrected", corrected / runs, runs, promise="95%", least=least)
    row(
        INTERVALS, f"{told}: the model alone", alone / runs, runs, promise="none",
        assumption=not favour, most=0.97 if favour else 1.0,
    )  # fmt: skip
