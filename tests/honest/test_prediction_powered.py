"""Prediction-powered intervals contain the truth as often as they say, for models good and bad."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.honest.rows import row

from relyon.analysis.statistics import PredictionPowered, prediction_powered

Values = NDArray[np.float64]
Maker = Callable[[np.random.Generator, int], Values]
Judge = Callable[[np.random.Generator, Values], Values]

CLAIM, SAMPLE = "prediction-powered", "labelled-not-random"
PROMISE = "at least 92%, or as people's grades alone"
LABELLED = (10, 20, 50, 200)
ALL, RUNS = 1000, 500
FREE = (-np.inf, np.inf)


def ndcg(random: np.random.Generator, count: int) -> Values:
    return random.beta(2, 1.5, count)


def reciprocal_ranks(random: np.random.Generator, count: int) -> Values:
    return np.where(random.random(count) < 0.45, 0.0, 1 / random.integers(1, 11, count))


def successes(random: np.random.Generator, count: int) -> Values:
    return (random.random(count) < 0.6).astype(float)


def rare_successes(random: np.random.Generator, count: int) -> Values:
    return (random.random(count) < 0.15).astype(float)


def mostly_tied(random: np.random.Generator, count: int) -> Values:
    moved = np.clip(random.normal(0.05, 0.2, count), -1, 1)
    return np.where(random.random(count) < 0.6, 0.0, moved)


def heavy_tails(random: np.random.Generator, count: int) -> Values:
    return 0.5 + 0.2 * random.standard_t(3, count)


VALUES: dict[str, tuple[Maker, tuple[float, float]]] = {
    "NDCG": (ndcg, (0, 1)),
    "RR, 45% zeros": (reciprocal_ranks, (0, 1)),
    "success, mean 0.6": (successes, (0, 1)),
    "success, mean 0.15": (rare_successes, (0, 1)),
    "difference, 60% tied": (mostly_tied, (-1, 1)),
    "heavy tails": (heavy_tails, FREE),
}


def noise(random: np.random.Generator, values: Values) -> Values:
    return random.permutation(values)


def perfect(random: np.random.Generator, values: Values) -> Values:
    return values.copy()


def turned(random: np.random.Generator, values: Values) -> Values:
    return 1 - values


def good(random: np.random.Generator, values: Values) -> Values:
    return values + random.normal(0.1, 0.5, len(values)) * float(values.std())


def weak(random: np.random.Generator, values: Values) -> Values:
    return values + random.normal(0, 1.5, len(values)) * float(values.std())


def wrong_in_the_tail(random: np.random.Generator, values: Values) -> Values:
    """Too high by most of a standard deviation for half of the queries."""
    return values + np.where(random.random(len(values)) < 0.5, 0.8 * values.std(), 0.0)


def rarely_wrong(random: np.random.Generator, values: Values) -> Values:
    """Right but for 4% of the queries, whose value is the highest."""
    close = values + random.normal(0, 0.02, len(values)) * float(values.std())
    return np.where(random.random(len(values)) < 0.04, float(values.max()), close)


MODELS: dict[str, Judge] = {
    "noise": noise,
    "perfect": perfect,
    "reversed": turned,
    "good": good,
    "weak": weak,
    "biased by tier": wrong_in_the_tail,
    "4% wrong": rarely_wrong,
}


def covers(found: PredictionPowered, truth: float) -> bool:
    return bool(found.low - 1e-12 <= truth <= found.high + 1e-12)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("values", VALUES)
def test_of_similar_queries(values: str, model: str) -> None:
    make, bounds = VALUES[values]
    truth = float(make(np.random.default_rng(1), 2_000_000).mean())
    runs = 2 * RUNS if values.startswith("success") else RUNS
    for labelled in LABELLED:
        random = np.random.default_rng([2, labelled])
        inside = alone = count = 0
        for _ in range(runs):
            human = make(random, ALL)
            predicted = MODELS[model](random, human)
            found = prediction_powered(
                human[:labelled], predicted[:labelled], predicted, bounds=bounds
            )
            whole = found.classical[1] - found.classical[0]
            assert np.isnan(found.low) or found.high - found.low <= whole + 1e-12
            inside += covers(found, truth)
            alone += found.classical[0] - 1e-12 <= truth <= found.classical[1] + 1e-12
            # Without a range, values that hardly differ have no interval.
            count += not np.isnan(found.low)
        case = f"{values}, model: {model}, {labelled} labelled of {ALL:,}"
        # Student's interval itself misses more of skewed values, such as RR: 10% of 30 queries.
        least = min(0.92, alone / count - 0.015)
        row(CLAIM, case, inside / count, count, promise=PROMISE, least=least)


@pytest.mark.parametrize("total", [60, 1000])
def test_of_these_queries(total: int) -> None:
    for labelled in (10, 20, 50):
        random = np.random.default_rng([3, labelled])
        inside = 0
        for _ in range(RUNS):
            human = ndcg(random, total)
            predicted = good(random, human)
            found = prediction_powered(
                human[:labelled],
                predicted[:labelled],
                predicted,
                bounds=(0, 1),
                population="finite",
            )
            inside += covers(found, float(human.mean()))
        case = f"NDCG, finite population, {labelled} labelled of {total:,}"
        row(CLAIM, case, inside / RUNS, RUNS, promise=PROMISE, least=0.92)


@pytest.mark.parametrize("design", ["strata", "weights", "clusters"])
def test_of_other_designs(design: str) -> None:
    """Easy queries of the head, of which more were drawn; or five paraphrases of each intent."""
    for labelled in (20, 50, 200):
        random = np.random.default_rng([4, labelled])
        inside = 0
        for _ in range(RUNS):
            if design == "clusters":
                intents = random.permutation(np.repeat(np.arange(ALL // 5), 5))
                shift = random.normal(0, 0.15, ALL)[intents]
                human = 0.5 + shift + random.normal(0, 0.1, ALL)
                predicted = human + random.normal(0, 0.1, ALL) + 0.5 * shift
                chosen = np.flatnonzero(intents < labelled // 5)
                clusters = (intents[chosen].tolist(), intents.tolist())
                options: dict[str, object] = {"clusters": clusters}
                truth = 0.5
            else:
                tail = np.arange(ALL) >= 300
                human = np.where(tail, random.beta(2, 3, ALL), random.beta(4, 2, ALL))
                predicted = human + random.normal(0, 0.15, ALL) + np.where(tail, 0.2, 0.0)
                head = random.permutation(300)[: labelled // 2]
                rest = 300 + random.permutation(700)[: labelled // 2]
                chosen = np.concatenate([head, rest])
                if design == "strata":
                    options = {"strata": (tail[chosen].tolist(), tail.tolist())}
                else:
                    options = {"weights": np.where(tail[chosen], 7.0, 3.0)}
                truth = 0.3 * 4 / 6 + 0.7 * 2 / 5
            found = prediction_powered(
                human[chosen],
                predicted[chosen],
                predicted,
                **options,  # type: ignore[arg-type]
            )
            inside += covers(found, truth)
        case = f"{design}, {labelled} labelled of {ALL:,}"
        row(CLAIM, case, inside / RUNS, RUNS, promise=PROMISE, least=0.92)


def tiered(random: np.random.Generator, tail: NDArray[np.bool_], values: str) -> Values:
    """Returns values of two tiers: of the tail 85% succeed, or 80% are 0, or NDCG is lower."""
    count = len(tail)
    if values == "success":
        return (random.random(count) < np.where(tail, 0.85, 0.5)).astype(float)
    if values == "RR, 80% zeros in the tail":
        found = random.random(count) < np.where(tail, 0.2, 0.7)
        return np.where(found, 1 / random.integers(1, 4, count), 0.0)
    return np.where(tail, random.beta(2, 3, count), random.beta(4, 2, count))


@pytest.mark.parametrize("values", ["success", "RR, 80% zeros in the tail", "NDCG"])
@pytest.mark.parametrize("few", [2, 3, 5, 10])
def test_of_a_stratum_with_few_labelled(few: int, values: str) -> None:
    """The tail has 600 of 1,000 queries; of five successes of five nobody knows the spread."""
    random = np.random.default_rng([8, few])
    tail = np.arange(ALL) >= 400
    truth = float(np.mean([tiered(random, tail, values).mean() for _ in range(2000)]))
    inside = count = 0
    for _ in range(RUNS):
        human = tiered(random, tail, values)
        predicted = good(random, human)
        chosen = np.r_[0:40, 400 : 400 + few]
        found = prediction_powered(
            human[chosen],
            predicted[chosen],
            predicted,
            strata=(tail[chosen].tolist(), tail.tolist()),
            bounds=(0, 1),
        )
        if not np.isnan(found.low):
            inside += covers(found, truth)
            count += 1
    case = f"strata, 40 of 400 and {few} of 600 labelled, {values}"
    row(CLAIM, case, inside / count, count, promise=PROMISE, least=0.915)


def rare_losses(random: np.random.Generator, count: int) -> Values:
    """4% lose 0.67 on average, 20% gain up to 0.1, the others are tied."""
    share = random.random(count)
    gains = np.where(share < 0.24, 0.1 * random.random(count), 0.0)
    found: Values = np.where(share < 0.04, -random.beta(4, 2, count), gains)
    return found


@pytest.mark.parametrize("model", ["good", "4% wrong"])
def test_of_differences_that_consist_of_rare_large_losses(model: str) -> None:
    """No interval of few queries covers them, with the model or without."""
    truth = 0.2 * 0.05 - 0.04 * 2 / 3
    for labelled in (20, 50, 100):
        random = np.random.default_rng([9, labelled])
        inside = alone = 0
        for _ in range(RUNS):
            human = rare_losses(random, ALL)
            predicted = MODELS[model](random, human)
            found = prediction_powered(
                human[:labelled], predicted[:labelled], predicted, bounds=(-1, 1)
            )
            inside += covers(found, truth)
            alone += found.classical[0] - 1e-12 <= truth <= found.classical[1] + 1e-12
        case = f"difference, rare large losses, model: {model}, {labelled} labelled of {ALL:,}"
        least = alone / RUNS - 0.015
        row(CLAIM, case, inside / RUNS, RUNS, promise=PROMISE, least=least)


def test_of_a_month_of_sampled_sessions() -> None:
    """Half of the sessions from each tier; sessions of one query share its grades."""
    for share in (0.2, 0.5):
        random = np.random.default_rng([7, round(10 * share)])
        inside = alone = count = 0
        for _ in range(RUNS):
            queries = np.concatenate([random.integers(0, 30, 100), 30 + np.arange(100)])
            tiers = np.repeat(["head", "tail"], 100)
            own = np.concatenate([random.beta(3, 2, 30), random.beta(2, 3, 100)])
            human = own[queries]
            predicted = (own + random.normal(0.1, 0.15, 130))[queries]
            graded = random.random(130) < share
            chosen = np.flatnonzero(graded[queries])
            if set(tiers[chosen]) != {"head", "tail"}:
                continue
            found = prediction_powered(
                human[chosen],
                predicted[chosen],
                predicted,
                strata=(tiers[chosen].tolist(), tiers.tolist()),
                clusters=(queries[chosen].tolist(), queries.tolist()),
                shares={"head": 0.8, "tail": 0.2},
                bounds=(0, 1),
            )
            if not np.isnan(found.low):
                inside += covers(found, 0.56)
                alone += found.classical[0] <= 0.56 <= found.classical[1]
                count += 1
        case = f"a month, {share:.0%} of the queries of 200 sessions labelled"
        # Six queries of the head are few clusters, for people's grades alone, too.
        least = min(0.92, alone / count - 0.015)
        row(CLAIM, case, inside / count, count, promise=PROMISE, least=least)


def test_a_chosen_sample_breaks_it_and_is_noticed() -> None:
    for labelled in (10, 20, 50, 200):
        inside = noticed = alarms = 0
        for place in range(2 * RUNS):
            random = np.random.default_rng([5, labelled, place])
            human = ndcg(random, ALL)
            predicted = good(random, human)
            fair = prediction_powered(human[:labelled], predicted[:labelled], predicted)
            alarms += fair.shift_p <= 0.05
            easy = np.argsort(-(human + random.normal(0, 0.3, ALL)))[: ALL // 2]
            chosen = random.permutation(easy)[:labelled]
            found = prediction_powered(human[chosen], predicted[chosen], predicted)
            noticed += found.shift_p <= 0.05
            inside += covers(found, 2 / 3.5)
        says = "a warning that the labelled queries are not like a random sample"
        row(
            CLAIM,
            f"NDCG, only of the easier half, {labelled} labelled",
            inside / (2 * RUNS),
            2 * RUNS,
            promise="none",
            most=1.0,
            assumption=False,
            says=says,
        )
        case = f"random, {labelled} labelled"
        row(SAMPLE, case, alarms / (2 * RUNS), 2 * RUNS, promise="at most 7%", most=0.07)
        row(
            SAMPLE,
            f"only of the easier half, {labelled} labelled",
            noticed / (2 * RUNS),
            2 * RUNS,
            promise="most" if labelled > 20 else "none",
            least=0.5 if labelled > 20 else 0.0,
            assumption=False,
            says="" if labelled > 20 else "few queries do not show it: draw them at random",
        )


@pytest.mark.parametrize("labelled", [10, 20, 40, 100])
@pytest.mark.parametrize("values", ["RR, 45% zeros", "success, mean 0.9"])
def test_a_random_sample_of_few_values_is_seldom_called_chosen(values: str, labelled: int) -> None:
    alarms = 0
    for place in range(2 * RUNS):
        random = np.random.default_rng([10, labelled, place])
        if values.startswith("RR"):
            human = reciprocal_ranks(random, 400)
        else:
            human = (random.random(400) < 0.9).astype(float)
        turn = random.random(400) < 0.05
        model = np.where(turn, 1 - human, human)
        found = prediction_powered(human[:labelled], model[:labelled], model, bounds=(0, 1))
        alarms += found.shift_p <= 0.05
    case = f"random, {values}, {labelled} labelled of 400"
    row(SAMPLE, case, alarms / (2 * RUNS), 2 * RUNS, promise="at most 7%", most=0.07)


def test_without_an_upper_limit_rare_large_values_are_not_covered() -> None:
    truth = float(np.exp(0.5))
    for labelled in LABELLED:
        random = np.random.default_rng([6, labelled])
        inside = alone = 0
        for _ in range(RUNS):
            human = random.lognormal(0, 1, ALL)
            predicted = good(random, human)
            found = prediction_powered(human[:labelled], predicted[:labelled], predicted)
            inside += covers(found, truth)
            alone += found.classical[0] <= truth <= found.classical[1]
        case = f"no upper limit, lognormal, {labelled} labelled of {ALL:,}"
        # About as often as Student's interval of the human values alone.
        assert inside > alone - 0.03 * RUNS
        says = "the claim is about measures between two limits"
        row(
            CLAIM,
            case,
            inside / RUNS,
            RUNS,
            promise="none",
            least=0.78,
            assumption=False,
            says=says,
        )
