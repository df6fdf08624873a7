"""Questions without an answer: rates, thresholds, curves, contrasts and corners."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np
import pytest

import relyon
from relyon import InputError, ParameterError, RelyonWarning
from relyon.analysis.abstention import Answers, Choice, fold_of, ranking_notes
from relyon.analysis.abstention.curves import answer_curve, perfect_area, risk_area
from relyon.analysis.abstention.rates import rate_of, weighted_sum
from relyon.analysis.abstention.thresholds import folds_of
from relyon.core.notes import Note

JUDGED = {"a": {"d": 1}, "b": {"d": 1}, "c": {"d": 2}}
ANSWERABLE = {"a": True, "b": True, "c": True, "x": False, "y": False}
RUN = {
    "a": {"d": 0.9, "e": 0.2},
    "b": {"e": 0.7, "d": 0.6},
    "c": {"e": 0.3, "f": 0.1},
    "x": {"d": 0.7, "e": 0.1},
    "y": {"d": 0.1},
}
pytestmark = pytest.mark.filterwarnings("ignore::relyon.RelyonWarning")


def answers(yes: list[float], no: list[float], right: list[float] | None = None) -> Answers:
    """Returns answers with these scores; all answerable ones are right by default."""
    scores = np.array([*yes, *no], dtype=float)
    truth = np.array([*(right or [1.0] * len(yes)), *([0.0] * len(no))])
    queries = tuple(f"q{place}" for place in range(len(scores)))
    return Answers("s", queries, np.arange(len(scores)) < len(yes), scores, truth)


def drawn(seed: int, yes: int, no: int, digits: int = 1) -> Answers:
    """Returns answers with many ties."""
    draw = random.Random(seed)
    return answers(
        [round(draw.gauss(1, 1), digits) for _ in range(yes)],
        [round(draw.gauss(0, 1), digits) for _ in range(no)],
        [float(draw.random() < 0.7) for _ in range(yes)],
    )


# -- by hand --------------------------------------------------------------------------------------


def test_rates_by_hand() -> None:
    found = relyon.abstention(JUDGED, RUN, answerable=ANSWERABLE, threshold=0.7, base_rate=0.25)
    one = found.systems[0]
    assert one.false_answer_rate.value == 1 / 2  # x, not y: a score equal to t answers
    assert one.coverage.value == 2 / 3  # a and b
    assert one.right.value == 1 / 2  # a, not b
    assert one.error.value == pytest.approx(0.25 / 2 + 0.75 / 3)
    # Wrong at the base rate: false answers, and b.
    assert one.risk == pytest.approx((0.25 / 2 + 0.75 / 3) / (0.25 / 2 + 0.75 * 2 / 3))
    assert one.auroc.value == pytest.approx((2 + 1.5 + 1) / 6)  # b and x are tied
    assert (found.answerable, found.unanswerable) == (3, 2)
    within = relyon.abstention(JUDGED, RUN, answerable=ANSWERABLE, threshold=0.7, k=2)
    assert within.systems[0].right.value == 1.0


def test_right_answers_are_those_of_success() -> None:
    found = relyon.abstention(JUDGED, RUN, answerable=ANSWERABLE, threshold=-9.0)
    values = relyon.evaluate(JUDGED, RUN, "success@1").values_by_query("success@1")
    outcomes = found.systems[0].outcomes
    assert outcomes.right.tolist() == [values[query] for query in "abc"]


def test_ties_in_expectation_are_shares_of_a_right_answer() -> None:
    run = {**RUN, "a": {"d": 0.9, "e": 0.9}}
    found = relyon.abstention(
        JUDGED, run, answerable=ANSWERABLE, threshold=0.5, convention={"ties": "expected"}
    )
    assert found.systems[0].outcomes.right.tolist() == [0.5, 0.0, 0.0]


def test_a_stated_confidence_replaces_the_top_score() -> None:
    stated: dict[str, dict[str, Any]] = {"run": {"a": 5, "b": "4", "c": 3, "x": 1}}
    one = relyon.abstention(
        JUDGED, RUN, answerable=ANSWERABLE, threshold=2.0, answer_scores=stated
    ).systems[0]
    assert (one.auroc.value, one.unanswered) == (1.0, 1)
    assert (one.false_answer_rate.value, one.coverage.value) == (0.0, 1.0)
    wrong: dict[str, dict[str, Any]] = {"run": {"a": "high"}}
    with pytest.raises(InputError, match="not a finite number"):
        relyon.abstention(JUDGED, RUN, answerable=ANSWERABLE, threshold=2.0, answer_scores=wrong)
    with pytest.raises(ParameterError, match="there is no run `other`"):
        relyon.abstention(
            JUDGED, RUN, answerable=ANSWERABLE, threshold=2.0, answer_scores={"other": {"a": 1.0}}
        )


# -- curves ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_points_of_curves_count_answers(seed: int) -> None:
    one, base = drawn(seed, 15, 8), 0.2
    curve = answer_curve(one, base)
    assert curve.thresholds[0] == math.inf
    assert (curve.coverage[0], curve.false_answers[0]) == (0.0, 0.0)
    assert math.isnan(curve.risk[0])
    for place, t in enumerate(curve.thresholds[1:].tolist(), 1):
        given = one.scores >= t
        false, covered = given[15:].mean(), given[:15].mean()
        assert (curve.false_answers[place], curve.coverage[place]) == pytest.approx(
            (false, covered)
        )
        answered = base * false + (1 - base) * covered
        wrong = base * false + (1 - base) * (given[:15] * (1 - one.right[:15])).mean()
        assert curve.answered[place] == pytest.approx(answered)
        assert curve.risk[place] == pytest.approx(wrong / answered)


def test_the_area_of_risk_is_the_limit_of_sums() -> None:
    """Every query as many copies, which the sum of Geifman et al. takes in a random order."""
    one, copies = drawn(5, 12, 12), 400
    draw = np.random.default_rng(0)
    order = np.lexsort((draw.random(24 * copies), -np.repeat(one.scores, copies)))
    errors = np.repeat(1 - one.right, copies)[order]
    risks = np.cumsum(errors) / np.arange(1, 24 * copies + 1)
    assert risk_area(one, 0.5) == pytest.approx(risks.mean(), abs=0.004)


def test_risk_of_equal_scores_is_the_whole_risk() -> None:
    one = answers([1.0] * 6, [1.0] * 4, [1.0, 1.0, 1.0, 0.0, 0.0, 0.0])
    assert risk_area(one, 0.4) == pytest.approx(0.4 + 0.6 / 2)
    assert one.area.value == 0.5


def test_the_best_order_has_the_least_area() -> None:
    one = answers([3.0, 2.0, 0.5], [1.0, 0.2], [1.0, 1.0, 0.0])
    assert risk_area(one, 0.4) == pytest.approx(perfect_area(0.6))
    for seed in range(5):
        other = drawn(seed, 9, 7)
        assert risk_area(other, 0.3) >= answer_curve(other, 0.3).perfect_area - 1e-12


def test_unanswered_queries_come_last_and_are_wrong() -> None:
    one = answers([1.0, -math.inf], [0.5, -math.inf], [1.0, 0.0])
    curve = answer_curve(one, 0.5)
    assert (curve.coverage[-1], curve.false_answers[-1], curve.answered[-1]) == (0.5, 0.5, 0.5)
    # 0 up to 1/4, then (φ - 1/4) / φ to the end.
    assert curve.risk_area == pytest.approx(0.75 + 0.25 * math.log(0.25))


# -- thresholds -----------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("target", [0.0, 0.1, 0.25])
def test_the_target_is_the_lowest_that_keeps_it(seed: int, target: float) -> None:
    one = drawn(seed, 11, 14)
    found = Choice("target", target, 0.5).threshold(one)
    kept = [
        t for t in [*sorted(set(one.scores)), math.inf] if (one.scores[11:] >= t).mean() <= target
    ]
    assert found == kept[0]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("cost", [0.5, 1.0, 5.0])
def test_the_cost_is_the_least(seed: int, cost: float) -> None:
    one = drawn(seed, 11, 14)

    def of(t: float) -> float:
        false, covered = (one.scores[11:] >= t).mean(), (one.scores[:11] >= t).mean()
        return cost * 0.2 * float(false) + 0.8 * (1 - float(covered))

    steps = [*sorted(set(one.scores)), math.inf]
    least = min(map(of, steps))
    best = max(t for t in steps if of(t) <= least + 1e-12)
    assert Choice("cost", cost, 0.2).threshold(one) == best


def test_each_part_is_reported_at_the_threshold_of_the_others() -> None:
    draw = random.Random(0)
    queries = {f"q{n}": n < 30 for n in range(50)}
    judged = {query: {"d": 1} for query, yes in queries.items() if yes}
    run = {query: {"d": draw.gauss(float(yes), 1)} for query, yes in queries.items()}
    found = relyon.abstention(judged, run, answerable=queries, target=0.2, folds=4)
    one = found.systems[0]
    ordered = sorted(queries)
    places = folds_of(ordered, 4)
    scores = np.array([run[query]["d"] for query in ordered])
    yes = np.array([queries[query] for query in ordered])
    expected = []
    for query, place in zip(ordered, places, strict=True):
        others = scores[(places != place) & ~yes]
        steps = sorted(scores[places != place])
        t = next(t for t in [*steps, math.inf] if (others >= t).mean() <= 0.2)
        expected.append(run[query]["d"] >= t)
    assert one.outcomes.answered.tolist() == expected
    assert one.false_answer_rate.value == np.mean(np.array(expected)[~yes])
    assert len(one.thresholds) == 4


def test_parts_depend_on_the_id_alone() -> None:
    queries = [f"q{n}" for n in range(1000)]
    counts = np.bincount(folds_of(queries, 5), minlength=5)
    assert counts.min() > 150
    assert [fold_of(query, 5) for query in ("q1", "q2", "q3", "退货")] == [1, 4, 0, 1]
    with pytest.raises(ParameterError):
        folds_of(queries, 1)


def test_thresholds_from_other_queries() -> None:
    judged = {f"q{n}": {"d": 1} for n in range(40)}
    run = {f"q{n}": {"d": 1.0 - n / 80} for n in range(80)}
    chosen = {f"q{n}": n < 40 for n in range(80) if n % 2}
    reported = {f"q{n}": n < 40 for n in range(80) if not n % 2}
    found = relyon.abstention(judged, run, answerable=reported, tune=chosen, target=0.05)
    one = found.systems[0]
    assert (found.answerable, found.unanswerable, found.tuned) == (20, 20, True)
    assert one.thresholds == (one.threshold,)
    assert one.threshold == run["q41"]["d"]  # one of twenty is allowed
    assert (one.coverage.value, one.false_answer_rate.value) == (1.0, 1 / 20)
    assert one.coverage.bounds == rate_of(np.ones(20), 0.95).bounds
    with pytest.raises(InputError, match="in both tables"):
        relyon.abstention(judged, run, answerable=reported, tune={**chosen, "q0": True})
    with pytest.raises(InputError, match="is marked as unanswerable"):
        relyon.abstention(judged, run, answerable=reported, tune={"q1": True, "q3": True})
    with pytest.raises(ParameterError, match="one of the two"):
        relyon.abstention(judged, run, answerable=reported, tune=chosen, threshold=0.5)


def test_the_interval_of_a_weighted_sum_by_hand() -> None:
    first, second = rate_of(np.array([1.0] + [0.0] * 9), 0.95), rate_of(np.ones(5), 0.95)
    found = weighted_sum(first, second, 0.3)
    assert found.value == pytest.approx(0.3 * 0.1 + 0.7)
    down = math.hypot(0.3 * (0.1 - first.low), 0.7 * (1 - second.low))
    assert found.low == pytest.approx(found.value - down)
    assert found.high == pytest.approx(found.value + 0.3 * (first.high - 0.1))


# -- contrasts ------------------------------------------------------------------------------------


def test_contrasts_pair_queries() -> None:
    queries = {f"q{n:02}": n < 40 for n in range(80)}
    judged = {query: {"d": 1} for query, yes in queries.items() if yes}
    old = {query: {"e": 2.0 + yes, "d": 1.0} for query, yes in queries.items()}
    new = {query: {"d": 2.0 + yes} for query, yes in queries.items()}
    found = relyon.abstention(
        judged, old, [new], answerable=queries, threshold=2.5, names=["old", "new"]
    )
    by = {one.measure: one for one in found.contrasts}
    assert (by["right_answers"].difference, by["right_answers"].verdict) == (1.0, "better")
    assert by["right_answers"].p == pytest.approx(2.0**-39)
    assert by["right_answers"].p_adjusted == pytest.approx(3 * 2.0**-39)
    assert (by["false_answer_rate"].difference, by["false_answer_rate"].p) == (0.0, 1.0)
    # Nothing differs, but no certainty follows from 40 queries.
    assert by["false_answer_rate"].low < -0.02
    assert by["false_answer_rate"].high > 0.02
    assert (by["auroc"].difference, by["auroc"].verdict) == (0.0, "undecided")


def test_fewer_false_answers_are_better() -> None:
    queries = {f"q{n:02}": n < 20 for n in range(40)}
    judged = {query: {"d": 1} for query, yes in queries.items() if yes}
    old = {query: {"d": 5.0} for query in queries}
    new = {query: {"d": 5.0 if yes else 1.0} for query, yes in queries.items()}
    found = relyon.abstention(judged, old, new, answerable=queries, threshold=3.0)
    by = {one.measure: one for one in found.contrasts}
    assert (by["false_answer_rate"].difference, by["false_answer_rate"].verdict) == (-1.0, "better")
    assert by["auroc"].verdict == "better"
    swapped = relyon.abstention(judged, new, old, answerable=queries, threshold=3.0)
    assert {one.verdict for one in swapped.contrasts if one.measure != "right_answers"} == {"worse"}


# -- corners --------------------------------------------------------------------------------------


def test_no_unanswerable_or_no_answerable_query_is_refused() -> None:
    with pytest.raises(InputError, match="none of the 3 queries is marked as unanswerable"):
        relyon.abstention(JUDGED, RUN, answerable={"a": True})
    with pytest.raises(InputError, match="none of the 2 queries is answerable"):
        relyon.abstention({"x": {"d": 0}}, RUN, answerable={"x": False, "y": False})


def test_one_unanswerable_query_has_no_threshold() -> None:
    found = relyon.abstention(JUDGED, RUN, answerable={"x": False})
    one = found.systems[0]
    assert math.isnan(one.threshold)
    assert math.isnan(one.false_answer_rate.value)
    assert not math.isnan(one.auroc.value)
    assert math.isnan(one.auroc.low)
    assert "no-threshold" in {note.kind for note in found.notes}
    assert found.to_dict()["systems"]
    assert "-" in found.to_text()
    both = relyon.abstention(JUDGED, RUN, RUN, answerable={"x": False}, names=["a", "b"])
    assert all(one.verdict == "undecided" for one in both.contrasts)


def test_an_unanswerable_query_with_a_relevant_document_is_refused() -> None:
    with pytest.raises(InputError, match="have a relevant document: a, b"):
        relyon.abstention(JUDGED, RUN, answerable={**ANSWERABLE, "a": False, "b": "no"})
    # Grades below the first relevant one, and negative ones, are none.
    judged = {**JUDGED, "x": {"d": 0, "e": -2}}
    assert relyon.abstention(judged, RUN, answerable=ANSWERABLE, threshold=0.5).unanswerable == 2


def test_nothing_is_inferred_from_missing_judgments() -> None:
    run = {**RUN, "z": {"d": 1.0}}
    judged = {**JUDGED, "w": {"d": 0}}
    given = {"x": False, "y": False, "v": True}
    found = relyon.abstention(judged, run, answerable=given, threshold=0.5)
    notes = {note.kind: note for note in found.notes}
    assert set(notes["answerable-unknown"].examples) == {"w", "z"}
    assert set(notes["answerable-by-judgments"].examples) == {"a", "b", "c"}
    assert notes["answerable-without-relevant"].examples == ("v",)
    assert (found.answerable, found.unanswerable) == (4, 2)
    one = found.systems[0]
    assert one.outcomes.right.tolist()[:3] == [1.0, 0.0, 0.0]
    assert math.isnan(one.outcomes.right[3])
    assert notes["unanswered-queries"].examples == ("v",)


def test_a_run_that_was_not_asked_unanswerable_queries_is_warned_about() -> None:
    """Without their rows it would look perfect."""
    run = {query: RUN[query] for query, yes in ANSWERABLE.items() if yes}
    with pytest.warns(relyon.RelyonWarning, match="no results for any of the 2 unanswerable"):
        found = relyon.abstention(JUDGED, run, answerable=ANSWERABLE, threshold=0.1)
    assert found.systems[0].false_answer_rate.value == 0
    asked = relyon.abstention(JUDGED, RUN, answerable=ANSWERABLE, threshold=0.1)
    assert "no-unanswerable-asked" not in {note.kind for note in asked.notes}


def test_equal_scores_and_normalised_ones_are_warned_about() -> None:
    run = {query: {"d": 1.0} for query in ANSWERABLE}
    found = relyon.abstention(JUDGED, run, answerable=ANSWERABLE)
    kinds = {note.kind for note in found.notes}
    assert {"top-scores-equal", "few-unanswerable"} <= kinds
    assert found.systems[0].auroc.value == 0.5


def test_ranks_are_refused_as_confidence(tmp_path: object) -> None:
    import polars as pl

    frame = pl.DataFrame({"query": [*"abcxy"], "document": ["d"] * 5, "rank": [1] * 5})
    with pytest.raises(InputError, match="has no scores"):
        relyon.abstention(JUDGED, frame, answerable=ANSWERABLE)


def test_a_threshold_on_another_scale_is_noted() -> None:
    found = relyon.abstention(JUDGED, RUN, answerable=ANSWERABLE, threshold=70.0)
    assert "threshold-outside-scores" in {note.kind for note in found.notes}
    assert found.systems[0].coverage.value == 0.0
    assert math.isnan(found.systems[0].risk)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": 0.1, "cost": 2.0}, "one rule chooses the threshold"),
        ({"cost": 0.0}, "above 0"),
        ({"cost": math.inf}, "above 0"),
        ({"target": 1.0}, "below 1"),
        ({"threshold": math.nan}, "finite"),
        ({"base_rate": 0.0}, "base_rate"),
        ({"base_rate": 1.0}, "base_rate"),
        ({"k": 0}, "k"),
        ({"folds": 1}, "folds"),
        ({"correction": "bonferroni"}, "correction"),
    ],
    ids=lambda value: value if isinstance(value, str) else " ".join(value),
)
def test_bad_parameters(options: dict[str, float], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        relyon.abstention(JUDGED, RUN, RUN, answerable=ANSWERABLE, names=["a", "b"], **options)  # type: ignore[arg-type]


def test_python_warns() -> None:
    with pytest.warns(RelyonWarning, match="have the same score"):
        relyon.abstention(
            JUDGED, {query: {"d": 1.0} for query in ANSWERABLE}, answerable=ANSWERABLE
        )


def test_results_in_every_form() -> None:
    found = relyon.abstention(
        JUDGED, RUN, RUN, answerable=ANSWERABLE, threshold=0.65, names=["a", "b"], base_rate=0.1
    )
    values = found.to_dict(points=True)
    assert values["base_rate"] == 0.1
    assert values["chosen_on"] == "given"
    frame = found.to_frame()
    assert frame.columns == ["run", "measure", "value", "low", "high", "queries"]
    assert frame.filter(measure="threshold")["value"].to_list() == [0.65, 0.65]
    assert "NaN" not in found.to_csv()
    assert "False answers" in found.to_text()
    assert "误答率" in found.to_markdown(language="zh")
    assert found.system("b").curve.to_frame().height == len(found.system("b").curve.risk)
    with pytest.raises(ParameterError):
        found.system("c")


def test_notes_name_queries_without_an_answer_once() -> None:
    notes = (
        Note("unjudged-queries", 3, "warning", ("x", "z")),
        Note("undefined-queries", 2, values={"measures": ["ap"]}, key="undefined-queries.skip"),
        Note("regrouped"),
    )
    found = ranking_notes(notes, ["y"], {"run": ["x"]})
    assert [(note.kind, note.count) for note in found] == [
        ("unjudged-queries", 2),
        ("undefined-queries", 1),
        ("regrouped", 1),
        ("unanswerable-left-out", 2),
    ]
    assert found[0].examples == ("z",)
    zero = Note("undefined-queries", 1, values={"measures": ["ap"]}, key="undefined-queries.zero")
    assert ranking_notes([zero], ["y"], {"run": []}) == (zero,)
