"""Questions without an answer, for any scores."""

from __future__ import annotations

import math
from random import Random

import numpy as np
from hypothesis import example, given, strategies as st

from relyon.analysis.abstention import Answers, Choice
from relyon.analysis.abstention.curves import answer_curve, risk_area
from relyon.analysis.abstention.system import system_abstention
from relyon.analysis.statistics.auroc import area_difference

SCORE = st.one_of(st.integers(-3, 3).map(float), st.floats(-1e6, 1e6), st.just(-math.inf))
CLASS = st.lists(st.tuples(SCORE, st.sampled_from([0.0, 0.5, 1.0])), min_size=1, max_size=14)


@st.composite
def some_answers(draw: st.DrawFn) -> Answers:
    """Returns answers to some queries of each kind."""
    yes, no = draw(CLASS), draw(CLASS)
    scores = np.array([score for score, _ in [*yes, *no]])
    known = np.array([len(yes) > place for place in range(len(scores))])
    right = np.array([0.0 if math.isinf(score) else one for score, one in yes] + [0.0] * len(no))
    return Answers("s", tuple(f"q{n}" for n in range(len(scores))), known, scores, right)


@given(some_answers())
def test_the_area_by_brute_force_and_of_the_other_side(one: Answers) -> None:
    yes, no = one.scores[one.answerable], one.scores[~one.answerable]
    pairs = [float(x > y) + float(x == y) / 2 for x in yes for y in no]
    assert abs(one.area.value - np.mean(pairs)) < 1e-12
    other = Answers("s", one.queries, ~one.answerable, one.scores, one.right)
    assert abs(other.area.value - (1 - one.area.value)) < 1e-12
    low, high = one.area.interval()
    assert math.isnan(low) or 0 <= low <= one.area.value <= high <= 1
    assert area_difference(one.area, one.area).value == 0


@given(some_answers(), st.floats(0.01, 0.99))
def test_curves_only_rise_and_risk_is_between_its_bounds(one: Answers, base: float) -> None:
    curve = answer_curve(one, base)
    for values in (curve.coverage, curve.false_answers, curve.answered):
        assert (np.diff(values) >= -1e-12).all()
        assert values[0] == 0
        assert values[-1] <= 1 + 1e-12
    assert ((curve.risk[1:] >= -1e-12) & (curve.risk[1:] <= 1 + 1e-12)).all()
    assert curve.perfect_area - 1e-9 <= curve.risk_area <= 1 + 1e-9


@example(
    Answers(
        "s",
        ("q0", "q1", "q2", "q3", "q4"),
        np.array([True, True, True, False, False]),
        np.array([0.0, 1.0, 1.0, -math.inf, -math.inf]),
        np.array([0.0, 0.0, 0.5, 0.0, 0.0]),
    ),
    0.5,
    Random(1),
)
@given(some_answers(), st.floats(0.01, 0.99), st.randoms(use_true_random=False))
def test_the_order_of_queries_does_not_matter(one: Answers, base: float, random: object) -> None:
    order = np.array(sorted(range(len(one.scores)), key=lambda _: random.random()))  # type: ignore[attr-defined]
    mixed = Answers(
        "s",
        tuple(one.queries[place] for place in order),
        one.answerable[order],
        one.scores[order],
        one.right[order],
    )
    assert abs(risk_area(mixed, base) - risk_area(one, base)) < 1e-9
    assert abs(mixed.area.value - one.area.value) < 1e-12
    choice = Choice("target", 0.2, base)
    first, second = (system_abstention(each, None, choice, 3, 0.9) for each in (one, mixed))
    for name, rate in first.rates.items():
        assert np.allclose(
            [rate.value, *rate.bounds],
            [second.rates[name].value, *second.rates[name].bounds],
            equal_nan=True,
        )


@given(some_answers(), st.floats(0, 0.99))
def test_the_target_is_kept_where_it_is_chosen(one: Answers, target: float) -> None:
    t = Choice("target", target, 0.5).threshold(one)
    assert (one.scores[~one.answerable] >= t).mean() <= target + 1e-9


@given(some_answers(), st.floats(0.01, 20), st.floats(0.01, 0.99))
def test_no_threshold_costs_less(one: Answers, cost: float, base: float) -> None:
    def of(t: float) -> float:
        false = float((one.scores[~one.answerable] >= t).mean())
        covered = float((one.scores[one.answerable] >= t).mean())
        return cost * base * false + (1 - base) * (1 - covered)

    found = of(Choice("cost", cost, base).threshold(one))
    assert all(found <= of(t) + 1e-9 for t in [*one.scores[np.isfinite(one.scores)], math.inf])
