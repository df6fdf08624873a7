"""Pairs to grade next: weights, draws, and the estimate, against full enumeration."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import relyon
from relyon.analysis.next_pairs import read_drawn
from relyon.analysis.next_pairs.draw import draw, draw_weights, fitted_curve
from relyon.analysis.next_pairs.martingale import Graded, Pairs, estimate_sums
from relyon.analysis.next_pairs.prior import Prior

QUERIES = [f"q{number}" for number in range(12)]
TRUTH = {
    query: {f"d{one}": float((place * 7 + one * one) % 4) for one in range(9)}
    for place, query in enumerate(QUERIES)
}
OLD = {query: {one: float(-int(one[1:])) for one in TRUTH[query]} for query in QUERIES}
NEW = {query: {one: float(int(one[1:]) * 5 % 9) for one in TRUTH[query]} for query in QUERIES}


def graded(found: relyon.NextPairs, truth=TRUTH) -> pl.DataFrame:
    frame = found.to_frame()
    rows = frame.select("query", "document").rows()
    return frame.with_columns(grade=pl.Series([f"{truth[query][one]:g}" for query, one in rows]))


def batches(count: int, budget: int, judged=None, **options) -> list[pl.DataFrame]:
    found: list[pl.DataFrame] = []
    for _ in range(count):
        drawn = relyon.next_pairs(
            judged or {}, OLD, NEW, None if found else "dcg@5", budget=budget,
            drawn=found or None, **options,
        )  # fmt: skip
        found.append(graded(drawn))
    return found


@pytest.mark.parametrize("measure", ["dcg@5", "cg@4", "p@5", "rbp(p=0.7)", "dcg(gain=exp)"])
@pytest.mark.parametrize("both", [True, False])
def test_all_pairs_graded_give_the_value_of_a_complete_evaluation(measure: str, both: bool) -> None:
    candidate = NEW if both else None
    drawn = relyon.next_pairs({}, OLD, candidate, measure, budget=1000)
    found = relyon.estimate_pairs({}, OLD, candidate, drawn=graded(drawn))
    values = [relyon.evaluate(TRUTH, run, [measure])[measure] for run in (OLD, NEW)]
    assert found.complete
    assert found.value == pytest.approx(values[1] - values[0] if both else values[0], abs=1e-12)
    if both:
        contrast = relyon.compare(TRUTH, OLD, NEW, [measure]).contrasts[0]
        assert contrast.interval == pytest.approx((found.low, found.high), abs=1e-12)
    assert math.isnan(found.next_half)


def test_grades_that_are_known_count_without_a_draw() -> None:
    judged = {query: {"d0": grades["d0"], "d8": grades["d8"]} for query, grades in TRUTH.items()}
    drawn = relyon.next_pairs(judged, OLD, NEW, "dcg@5", budget=1000)
    assert not {one.document for one in drawn.drawn} & {"d0", "d8"}
    found = relyon.estimate_pairs(judged, OLD, NEW, drawn=graded(drawn))
    assert found.value == pytest.approx(
        relyon.compare(TRUTH, OLD, NEW, ["dcg@5"]).contrasts[0].difference
    )


@pytest.mark.parametrize("curve", [1.0, 2.5])
def test_the_mean_over_all_possible_draws_is_the_truth(curve: float) -> None:
    """Every ordered draw of 3 of 5 pairs, in two batches, with a prior that is far off."""
    query = np.array([0, 0, 1, 1, 1])
    weight = np.array([0.5, -1.0, 0.25, 2.0, -0.3])
    gains = np.array([3.0, 0.0, 1.0, 2.0, 7.0])
    sizes = np.array([1.0, 3.0, 0.2, 2.0, 1.0])
    pairs = Pairs(query, weight, np.full(5, np.nan), 2)
    first = Prior(np.array([9.0, -4.0, 2.0, 0.0, 1.0]), np.ones(5))
    mean = np.zeros(2)
    whole = 0.0
    for order in itertools.permutations(range(5), 3):
        # The second batch draws by what the first one found: sizes and prior depend on it.
        later = sizes * (1 + gains[order[0]]) if order[0] % 2 else np.ones(5)
        second = Prior(np.full(5, gains[order[0]] * 2), np.ones(5))
        left, chance, steps = set(range(5)), 1.0, []
        for number, place in enumerate(order):
            own = sizes if number == 0 else later
            steps.append(own[place] / sum(own[one] for one in left))
            chance *= steps[-1]
            left.remove(place)
        found = estimate_sums(
            pairs,
            [
                Graded(np.array(order[:1]), np.array(steps[:1]), gains[[*order[:1]]], first),
                Graded(np.array(order[1:]), np.array(steps[1:]), gains[[*order[1:]]], second),
            ],
            curve,
            first,
        )
        assert found.values.sum() == pytest.approx(float(found.weights @ found.totals))
        mean += chance * found.values
        whole += chance
    assert whole == pytest.approx(1)
    assert mean == pytest.approx(
        [float((weight * gains)[:2].sum()), float((weight * gains)[2:].sum())]
    )


def test_draws_have_the_probabilities_that_are_written() -> None:
    sizes = np.array([1.0, 2.0, 0.0, 5.0])
    counts: dict[tuple[int, ...], int] = {}
    expected: dict[tuple[int, ...], float] = {}
    for seed in range(4000):
        found = draw(sizes, 2, (seed, 1))
        order = tuple(found.places.tolist())
        counts[order] = counts.get(order, 0) + 1
        expected[order] = float(np.prod(found.probabilities))
    assert sum(expected.values()) == pytest.approx(1)
    for order, chance in expected.items():
        assert counts[order] / 4000 == pytest.approx(chance, abs=4 * math.sqrt(chance / 4000))


def test_weights_of_draws() -> None:
    assert draw_weights(5, 5, 1.0).tolist() == [0, 0, 0, 0, 1]
    assert draw_weights(0, 5, 1.0).tolist() == []
    flat = draw_weights(4, 9, 1.0)
    assert flat == pytest.approx([9 * 5 / (4 * (9 - m) * (10 - m)) for m in range(1, 5)])
    assert fitted_curve(np.ones(50), 10) == pytest.approx(1, abs=0.02)
    assert fitted_curve(np.arange(1.0, 51), 10) > 1.2


def test_batches_go_on_and_end_with_everything() -> None:
    found = batches(3, 10)
    assert [frame["draw_order"].to_list()[0] for frame in found] == [1, 11, 21]
    rows = pl.concat(found)
    assert rows.select("query", "document").n_unique() == len(rows)
    estimate = relyon.estimate_pairs({}, OLD, NEW, drawn=found)
    assert (estimate.drawn, estimate.batches) == (30, 3)
    assert estimate.low < estimate.value < estimate.high
    assert 0 < estimate.next_half < estimate.half
    last = relyon.next_pairs({}, OLD, NEW, drawn=found, budget=1000)
    assert [note.kind for note in last.notes] == ["fewer-pairs-left"]
    nothing = relyon.next_pairs({}, OLD, NEW, drawn=[*found, graded(last)])
    assert [note.kind for note in nothing.notes] == ["nothing-to-draw"]
    assert len(nothing) == 0
    assert nothing.estimate.complete


def test_the_same_seed_draws_the_same_pairs_from_rows_in_any_order() -> None:
    def reverse(run):
        return {query: dict(reversed(run[query].items())) for query in run}

    one = relyon.next_pairs({}, OLD, NEW, "dcg@5", seed=3)
    other = relyon.next_pairs({}, reverse(OLD), reverse(NEW), "dcg@5", seed=3)
    assert one.drawn == other.drawn
    assert one.drawn != relyon.next_pairs({}, OLD, NEW, "dcg@5", seed=4).drawn


def test_who_stops_in_the_middle_has_graded_a_smaller_sample() -> None:
    (whole,) = batches(1, 30)
    stopped = whole.with_columns(
        grade=pl.when(pl.col("draw_order") <= 17).then("grade").otherwise(pl.lit(""))
    )
    found = relyon.estimate_pairs({}, OLD, NEW, drawn=stopped)
    assert found.drawn == 17
    own = relyon.estimate_pairs({}, OLD, NEW, drawn=whole.head(17))
    assert found.value == own.value
    later = relyon.next_pairs({}, OLD, NEW, drawn=stopped, budget=5)
    assert [one.order for one in later.drawn] == [18, 19, 20, 21, 22]
    both = relyon.estimate_pairs({}, OLD, NEW, drawn=[stopped, graded(later)])
    assert both.drawn == 22


def test_grades_after_a_gap_do_not_count() -> None:
    (whole,) = batches(1, 30)
    gap = whole.with_columns(
        grade=pl.when(pl.col("draw_order") == 13).then(pl.lit("")).otherwise("grade")
    )
    with pytest.warns(relyon.RelyonWarning, match="17 graded pairs do not count"):
        found = relyon.estimate_pairs({}, OLD, NEW, drawn=gap)
    assert found.drawn == 12


def test_what_cannot_be_judged_widens_the_interval() -> None:
    (whole,) = batches(1, 30)
    skipped = whole.with_columns(
        grade=pl.when(pl.col("draw_order").is_in([3, 13])).then(pl.lit("skip")).otherwise("grade")
    )
    plain = relyon.estimate_pairs({}, OLD, NEW, drawn=whole)
    with pytest.warns(relyon.RelyonWarning, match="2 of 30 drawn pairs were not judged"):
        found = relyon.estimate_pairs({}, OLD, NEW, drawn=skipped)
    assert (found.drawn, found.skipped, found.complete) == (30, 2, False)
    assert found.half > plain.half
    assert found.low < plain.value < found.high


def test_few_draws_and_equal_runs_have_no_interval() -> None:
    (few,) = batches(1, 9)
    assert math.isnan(relyon.estimate_pairs({}, OLD, NEW, drawn=few).low)
    same = relyon.next_pairs({}, OLD, OLD, "dcg@5")
    assert (len(same), same.left, same.estimate.value) == (0, 0, 0.0)
    assert math.isnan(same.estimate.low)
    one = {"q0": OLD["q0"]}, {"q0": NEW["q0"]}
    drawn = relyon.next_pairs({}, *one, "dcg@5")
    found = relyon.estimate_pairs({}, *one, drawn=graded(drawn))
    assert found.complete
    assert math.isnan(found.low)


@pytest.mark.filterwarnings("ignore::relyon.RelyonWarning")
@pytest.mark.parametrize(("rich", "noted"), [(3, True), (8, False)])
def test_few_queries_that_decide_are_named(rich: int, noted: bool) -> None:
    """With all pairs graded and three of twelve queries of any value, the others say nothing."""
    truth = {
        query: grades if place < rich else dict.fromkeys(grades, 0.0)
        for place, (query, grades) in enumerate(TRUTH.items())
    }
    drawn = relyon.next_pairs({}, OLD, NEW, "cg@5", budget=1000)
    found = relyon.estimate_pairs({}, OLD, NEW, drawn=graded(drawn, truth))
    assert found.complete
    assert found.low < found.high
    notes = [one for one in found.notes if one.kind == "drawn-few-queries"]
    assert bool(notes) == noted
    if noted:
        assert notes[0].level == "warning"
        assert "only 3 of 12 queries have a value other than 0" in notes[0].message
        assert "12 条查询中只有 3 条的值不为 0" in notes[0].text("zh")
    # Where draws decide, what is expected of the others decides: no note.
    early = relyon.next_pairs({}, OLD, NEW, "cg@5", budget=12)
    first = relyon.estimate_pairs({}, OLD, NEW, drawn=graded(early, truth))
    assert "drawn-few-queries" not in {one.kind for one in first.notes}


def test_all_grades_zero_so_far_leave_room_for_others() -> None:
    zero = {query: dict.fromkeys(grades, 0.0) for query, grades in TRUTH.items()}
    drawn = relyon.next_pairs({}, OLD, NEW, "dcg@5", budget=20)
    found = relyon.estimate_pairs({}, OLD, NEW, drawn=graded(drawn, zero))
    assert found.low < 0 < found.high
    assert found.draw_error > 0


def test_grades_in_the_file_and_among_the_judgments_count_alike() -> None:
    """What is expected does not depend on the grades that follow, wherever they are."""
    found = batches(2, 15)
    nested: dict[str, dict[str, float]] = {}
    for query, one in pl.concat(found).select("query", "document").rows():
        nested.setdefault(query, {})[one] = TRUTH[query][one]
    empty = [frame.with_columns(grade=pl.lit("")) for frame in found]
    one = relyon.estimate_pairs({}, OLD, NEW, drawn=found)
    other = relyon.estimate_pairs(nested, OLD, NEW, drawn=empty)
    assert one.to_dict() == other.to_dict()
    assert one.values == other.values


def test_a_models_grades_say_what_to_expect() -> None:
    plain = relyon.next_pairs({}, OLD, NEW, "dcg@5", budget=40)
    model = relyon.next_pairs({}, OLD, NEW, "dcg@5", budget=40, model_judgments=TRUTH)
    found = relyon.estimate_pairs({}, OLD, NEW, drawn=graded(model), model_judgments=TRUTH)
    assert (
        found.draw_error < relyon.estimate_pairs({}, OLD, NEW, drawn=graded(plain)).draw_error / 2
    )
    # A model that grades only what was drawn would bias the estimate.
    only = {one.query: {one.document: 1.0} for one in plain.drawn}
    for theirs, drawn in ((None, model), (OLD, model), (only, plain)):
        with pytest.raises(relyon.InputError, match="the model's grades are not those of the draw"):
            relyon.estimate_pairs({}, OLD, NEW, drawn=graded(drawn), model_judgments=theirs)


@pytest.mark.parametrize(
    "measure",
    ["ndcg@10", "ap", "rr", "p(denominator=retrieved)@5", "rbp(gain=linear,normalise=true)"],
)
def test_measures_that_are_no_sum_are_refused(measure: str) -> None:
    with pytest.raises(relyon.ParameterError, match="is not a sum") as error:
        relyon.next_pairs({}, OLD, NEW, measure)
    assert "dcg@" in error.value.hint


@pytest.mark.parametrize(
    "rules", [{"ties": "expected"}, {"unjudged": "removed"}, {"ties": "worst"}]
)
def test_rules_without_fixed_ranks_are_refused(rules: dict[str, str]) -> None:
    with pytest.raises(relyon.ParameterError, match="no fixed weights"):
        relyon.next_pairs({}, OLD, NEW, "dcg@5", convention=rules)


def test_negative_grades_and_queries_that_a_run_lacks() -> None:
    truth = {
        query: {one: grade - 1 for one, grade in grades.items()} for query, grades in TRUTH.items()
    }
    new = {query: NEW[query] for query in QUERIES[:-1]} | {"无": {"甲": 1.0, "乙": 0.5}}
    truth["无"] = {"甲": 2.0, "乙": -1.0}
    drawn = relyon.next_pairs({}, OLD, new, "dcg@5", budget=1000)
    found = relyon.estimate_pairs({}, OLD, new, drawn=graded(drawn, truth))
    assert found.queries == 13
    assert found.value == pytest.approx(
        relyon.compare(truth, OLD, new, ["dcg@5"]).contrasts[0].difference
    )
    both = relyon.next_pairs({}, OLD, new, "dcg@5", convention={"missing": "skip"})
    assert both.estimate.queries == 11
    with pytest.raises(relyon.InputError, match="missing from a run"):
        relyon.next_pairs({}, OLD, new, "dcg@5", convention={"missing": "error"})
    # Grades below 0 of a pool that was not judged are drawn under the rules of trec_eval.
    unjudged = relyon.next_pairs(
        {"q0": {"d0": -1}}, OLD, NEW, "dcg@5", convention={"negative": "unjudged"}
    )
    assert unjudged.left == relyon.next_pairs({}, OLD, NEW, "dcg@5").left
    assert relyon.next_pairs({"q0": {"d0": -1}}, OLD, NEW, "dcg@5").left == unjudged.left - 1


def test_a_file_of_its_own_is_read_back(tmp_path: Path) -> None:
    drawn = relyon.next_pairs({}, OLD, NEW, "dcg@5", scale="integers")
    path = tmp_path / "next.csv"
    path.write_text(drawn.to_csv() + "\n")
    assert read_drawn(path) == read_drawn(drawn) == [*drawn.drawn]
    texts = {query: f"text, of {query}" for query in QUERIES}
    path.write_text(drawn.to_csv(query_texts=texts, document_titles={"d1": "One"}) + "\n")
    assert path.read_text().startswith("query,document,query_text,title,grade,draw_batch")
    assert read_drawn(path) == [*drawn.drawn]
    path.write_text(drawn.to_csv() + "\n")
    lines = path.read_text().splitlines()
    path.write_text("\n".join([lines[0], lines[1].replace(",1,1,", ",one,1,"), *lines[2:]]))
    with pytest.raises(relyon.InputError, match=r"next.csv:2: .*draw_batch.* must be a number"):
        read_drawn(path)
    path.write_text("\n".join([lines[0], *lines[2:]]))
    with pytest.raises(relyon.InputError, match="rows of batch 1 are missing"):
        read_drawn(path)
    path.write_text("query,document\nq,d\n")
    with pytest.raises(relyon.InputError, match="missing from the drawn pairs"):
        read_drawn(path)


def test_other_inputs_than_those_of_the_draw_are_refused() -> None:
    (one,) = batches(1, 20)
    with pytest.raises(relyon.InputError, match="were unjudged before the first draw"):
        relyon.estimate_pairs(TRUTH, OLD, NEW, drawn=one)
    with pytest.raises(relyon.InputError, match="is in the top k of neither run"):
        relyon.estimate_pairs({}, {"q0": {"x": 1.0}}, {"q0": {"y": 1.0}}, drawn=one)
    swapped = {**NEW, "q1": dict(zip(NEW["q1"], reversed(NEW["q1"].values()), strict=True))}
    with pytest.raises(relyon.InputError, match=r"not those of the draw|unjudged before"):
        relyon.estimate_pairs({}, OLD, swapped, drawn=one)
    with pytest.raises(relyon.ParameterError, match="drawn for `dcg@5`, not for `dcg@10`"):
        relyon.next_pairs({}, OLD, NEW, "dcg@10", drawn=one)
    two = relyon.next_pairs({}, OLD, NEW, "cg@5")
    with pytest.raises(relyon.InputError, match="of different series"):
        relyon.estimate_pairs({}, OLD, NEW, drawn=[one, two])
    query, document = one.select("query", "document").row(0)
    other = {query: {document: TRUTH[query][document] + 1}}
    with pytest.raises(relyon.InputError, match="the drawn pairs have the grade"):
        relyon.estimate_pairs(other, OLD, NEW, drawn=one)
    with pytest.raises(relyon.InputError, match=f"document `{one['document'][0]}`"):
        relyon.estimate_pairs({}, OLD, NEW, drawn=one.with_columns(grade=pl.lit("good")))
    later = relyon.next_pairs({}, OLD, NEW, drawn=one)
    with pytest.raises(relyon.InputError, match="has no grade, but later batches build on it"):
        relyon.estimate_pairs(
            {}, OLD, NEW, drawn=[one.with_columns(grade=pl.lit("")), graded(later)]
        )


def test_changed_probabilities_and_orders_are_refused() -> None:
    drawn = batches(2, 12)
    columns = ("draw_probability", "draw_order")
    for column in columns:
        values = drawn[0][column].to_list()
        values[2], values[5] = (0.9, values[5]) if column == columns[0] else (values[5], values[2])
        changed = drawn[0].with_columns(pl.Series(column, values))
        with pytest.raises(relyon.InputError, match="not that of its draw"):
            relyon.estimate_pairs({}, OLD, NEW, drawn=[changed, drawn[1]])
    # A grade that was known at the draw and corrected since changes all probabilities but those
    # in the file, which are right.
    judged = {"q0": {"d0": 1.0}}
    known = batches(1, 12, judged)
    found = relyon.estimate_pairs({"q0": {"d0": 3.0}}, OLD, NEW, drawn=known)
    assert found.drawn == 12


@pytest.mark.parametrize(
    ("column", "value"),
    [("draw_seed", "-1"), ("draw_seed", "1e300"), ("draw_left", "0"), ("draw_batch", "0.5")],
)
def test_numbers_that_no_draw_has_are_refused(tmp_path: Path, column: str, value: str) -> None:
    path = tmp_path / "next.csv"
    frame = batches(1, 12)[0].with_columns(pl.lit(value).alias(column))
    frame.write_csv(path)
    with pytest.raises(relyon.InputError, match=f"next.csv:2: `{column}` must be"):
        relyon.next_pairs({}, OLD, NEW, drawn=path)


def test_repeated_rows_name_their_file(tmp_path: Path) -> None:
    path = tmp_path / "next.csv"
    rows = batches(1, 12)[0]
    first = pl.col("draw_order") == 3
    rows = rows.with_columns(
        pl.when(first).then(pl.lit(rows[name][0])).otherwise(pl.col(name)).alias(name)
        for name in ("query", "document")
    )
    rows.write_csv(path)
    with pytest.raises(relyon.InputError, match=r"next.csv: rows of batch 1"):
        relyon.estimate_pairs({}, OLD, NEW, drawn=path)


@pytest.mark.parametrize("grade", [1e308, 1e120])
def test_grades_too_large_to_be_summed_are_refused(grade: float) -> None:
    with pytest.raises(relyon.InputError, match="too large"):
        relyon.next_pairs({"q0": {"d0": grade, "d1": 1.0}}, OLD, NEW)


def test_many_queries_that_are_only_judged_take_no_time() -> None:
    judged = {f"other{number}": {"d0": 1.0} for number in range(20_000)}
    run = {f"q{number}": {"d0": 1.0} for number in range(20_000)}
    assert len(relyon.next_pairs(judged, run, budget=5)) == 5


def test_numbers_that_do_not_exist_are_null() -> None:
    runs = {"q1": {"a": 2.0}}, {"q1": {"b": 2.0}}
    estimate = relyon.next_pairs({}, *runs, budget=1).estimate
    assert estimate.to_dict()["low"] is None
    assert estimate.to_frame()["low"].to_list() == [None]
    assert str(estimate.to_frame()["low"].dtype) == "Float64"
