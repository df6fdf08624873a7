"""What drawings of lessons show, against definitions written here and other programs."""

from __future__ import annotations

import json
import math
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import relyon
from relyon.core.errors import InputError, RelyonError
from relyon.core.texts import LANGUAGES
from relyon.core.texts.languages import Language
from relyon.evaluation import evaluate
from relyon.learn import course
from relyon.learn.blocks import Picture, Play
from relyon.learn.blocks.play import PlayDocument
from relyon.learn.course import read_course
from relyon.learn.figures import figure_of
from relyon.learn.figures.clicks import PAIRS
from relyon.learn.lesson_checks import check_lesson
from relyon.learn.pages.drawn import MOST_LAMBDAS, picture_data, play_drawing, shares
from relyon.learn.pages.recorded import record
from relyon.learn.pages.render import block_data

GRADES = st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0, 3.0]), min_size=1, max_size=7)


def picture(
    drawing: str, *lists: str, measures: tuple[str, ...] = (), names: dict[str, str] | None = None
) -> Picture:
    return Picture("p", drawing, "text", lists, measures, names or {})


def play(
    drawing: str,
    grades: list[float],
    *,
    measures: tuple[str, ...] = ("ndcg",),
    rules: str = "",
    retrieved: int | None = None,
    line: bool = False,
) -> Play:
    documents = tuple(PlayDocument(f"d{place}", grade) for place, grade in enumerate(grades))
    count = len(grades) if retrieved is None else retrieved
    return Play("p", "ask", documents, count, line, measures, rules, (), "", drawing)


def drawn(block: Play) -> Any:
    return play_drawing(block, record(block))


def written(grades: list[float]) -> str:
    return ",".join(f"{grade:g}" for grade in grades)


def test_candies_shrink_by_the_discount_of_dcg() -> None:
    assert shares(12) == pytest.approx([1 / math.log2(rank + 1) for rank in range(1, 13)], abs=1e-6)
    assert shares(0) == []


@given(GRADES)
def test_candies_that_are_left_add_up_to_dcg(grades: list[float]) -> None:
    found: Any = picture_data(picture("candies", written(grades), measures=("dcg",)))
    left = sum(grade * share for grade, share in zip(grades, found["shares"], strict=True))
    assert left == pytest.approx(found["values"][0][0][1], abs=1e-4)


def test_places_that_differ_are_those_of_the_list_above() -> None:
    found: Any = picture_data(picture("compare", "3,2,1,0", "0,3,1,0", "0,3", "0,3,1"))
    assert found["changed"][1:] == [
        [True, True, False, False],
        [False, False],
        [False, False, True],
    ]


def test_the_ideal_list_is_drawn_where_the_picture_is_about_it() -> None:
    one: Any = picture_data(picture("compare", "3,2,3,0,1,2/3,0", measures=("ndcg@6",)))
    assert one["ideal"]["grades"] == [3, 3, 3, 2, 2, 1]
    assert one["ideal"]["missing"] == [0, 0]
    assert one["ideal"]["values"] == [["ndcg@6", 1.0]]
    assert one["ideal"]["changed"] == [False, True, False, True, True, True]
    two: Any = picture_data(picture("compare", "0,3", "3,0", measures=("ndcg",)))
    assert two["ideal"]["is"] == 1
    assert two["ideal"]["changed"] is None
    plain: Any = picture_data(picture("compare", "0,3", measures=("dcg",)))
    assert plain["ideal"] is None
    named: Any = picture_data(picture("compare", "0,3", measures=("dcg",), names={"ideal": "Best"}))
    assert named["ideal"]["grades"] == [3, 0]
    # Lists of other documents have no ideal in common.
    other: Any = picture_data(picture("compare", "0,3", "0,2", measures=("ndcg",)))
    assert other["ideal"] is None


def test_lists_of_thirteen_to_two_have_another_dcg() -> None:
    found: Any = picture_data(
        picture("compare", "3,3,3,1,2,2", "3,3,2,3,1,2", measures=("pnr", "dcg"))
    )
    (pnr, dcg), (other, less) = [[value for _, value in row] for row in found["values"]]
    assert pnr == other == 6.5
    assert dcg != less


@pytest.mark.parametrize("measures", [("ndcg",), ("auc(rel=2)",), ("gauc",)], ids=str)
def test_the_area_below_each_curve_is_the_auc(measures: tuple[str, ...]) -> None:
    block = play("roc", [3, 0, 2, 1, 0], measures=measures)
    found, chosen = drawn(block), relyon.measure(measures[0] if "auc" in measures[0] else "auc")
    assert found["rel"] == (2 if "rel" in measures[0] else 1)
    for state in record(block).values:
        grades = [float(name) for name in state.split()]
        curve = found["curves"]["".join(str(int(grade >= found["rel"])) for grade in grades)]
        assert curve["area"] == pytest.approx(chosen.score(grades), abs=1e-6)
        assert curve["cut"] == list(range(len(grades) + 1))
        assert sorted(curve["x"]) == curve["x"]
        assert sorted(curve["y"]) == curve["y"]


def test_curves_are_those_of_scikit_learn() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    found: Any = picture_data(picture("roc", "1,0=2,0,0=1=0,3"))
    ((key, curve),) = found["curves"].items()
    assert key == "1(10)0(100)1"
    labels, scores = [1, 0, 1, 0, 0, 1, 0, 1], [5, 4, 4, 3, 2, 2, 2, 1]
    x, y, _ = metrics.roc_curve(labels, scores, drop_intermediate=False)
    assert curve["x"] == pytest.approx(x.tolist(), abs=1e-6)
    assert curve["y"] == pytest.approx(y.tolist(), abs=1e-6)
    assert curve["cut"] == [0, 1, 3, 4, 7, 8]


def test_a_list_of_one_class_has_no_curve() -> None:
    for text in ("1,2,3", "0,0", "1", "", "-,-"):
        found: Any = picture_data(picture("roc", text))
        assert found["curves"] == {}


def test_unjudged_documents_are_as_auc_takes_them() -> None:
    removed: Any = picture_data(picture("roc", "-,1,0"))
    assert list(removed["curves"]) == ["10"]
    counted: Any = picture_data(picture("roc", "-,1,0", measures=("auc(unjudged=nonrelevant)",)))
    assert list(counted["curves"]) == ["010"]
    assert counted["unjudged"] == "0"


@pytest.mark.parametrize("measure", ["pnr", "pnr(label_ties=ignore)", "concordance"])
@given(grades=GRADES)
def test_pairs_that_are_drawn_are_those_that_pnr_counts(measure: str, grades: list[float]) -> None:
    found: Any = picture_data(picture("pairs", written(grades), measures=(measure,)))
    names = [f"{grade:g}" for grade in grades]
    kinds = [found["kinds"][f"{upper} {lower}"] for upper, lower in combinations(names, 2)]
    right = kinds.count("right") + (kinds.count("equal") if found["equal"] else 0)
    pnr = relyon.measure(measure.replace("concordance", "pnr")).score(grades)
    wrong = kinds.count("wrong")
    if right + wrong == 0:
        assert math.isnan(pnr)
    else:
        assert pnr == (right / wrong if wrong else math.inf)
    assert found["equal"] is ("ignore" not in measure)


def test_pairs_follow_the_rules_of_the_play() -> None:
    found = drawn(play("pairs", [2, 0, math.nan], measures=("pnr(unjudged=nonrelevant)",)))
    assert found["unjudged"] == "0"
    assert found["kinds"]["0 2"] == "wrong"


@given(GRADES)
def test_parts_of_pairs_add_up_to_the_pushes(grades: list[float]) -> None:
    found: Any = picture_data(picture("lambdas", written(grades)))
    ((_, one),) = found["lambdas"].items()
    sums = [0.0] * len(grades)
    for upper, lower, push in one["pairs"]:
        assert (push > 0) == (grades[upper] > grades[lower])
        sums[upper] += push
        sums[lower] -= push
    assert one["pushes"] == pytest.approx(sums, abs=1e-4)


def test_pushes_are_those_of_the_formula() -> None:
    grades = [0.0, 3.0, 2.0, 1.0]
    found: Any = picture_data(picture("lambdas", written(grades)))
    ideal = sum(grade / math.log2(rank + 1) for rank, grade in enumerate([3, 2, 1, 0], 1))
    expected = [0.0] * 4
    for i, j in combinations(range(4), 2):
        delta = abs((grades[i] - grades[j]) * (1 / math.log2(i + 2) - 1 / math.log2(j + 2))) / ideal
        better, worse = (i, j) if grades[i] > grades[j] else (j, i)
        push = delta / (1 + math.exp(worse - better))  # the score of rank r is n - r + 1
        expected[better] += push
        expected[worse] -= push
    assert found["lambdas"]["0 3 2 1"]["pushes"] == pytest.approx(expected, abs=1e-5)


def test_every_order_of_a_play_has_its_pushes() -> None:
    block = play("lambdas", [3, 0, 2, 0])
    assert set(drawn(block)["lambdas"]) == set(record(block).values)


@pytest.mark.parametrize(
    "block",
    [
        play("lambdas", [3.0, math.nan]),
        play("lambdas", [3.0, 1.0], retrieved=1, line=True),
        play("lambdas", [3.0, 1.0], retrieved=1),
        play("lambdas", [0.0, 1, 2, 3, 4, 5, 6]),
    ],
    ids=["unjudged", "line", "missing", "orders"],
)
def test_pushes_are_not_drawn_where_they_would_be_others(block: Play) -> None:
    with pytest.raises(InputError, match="cannot be drawn") as error:
        drawn(block)
    assert str(MOST_LAMBDAS) in str(error.value.hint)


@pytest.mark.parametrize("text", ["3,-,1", "3,1/2", "3=1"])
def test_pictures_of_pushes_need_a_plain_list(text: str) -> None:
    with pytest.raises(InputError, match="cannot be drawn"):
        picture_data(picture("lambdas", text))


@pytest.mark.long
def test_an_interval_is_narrower_with_more_sessions() -> None:
    found: Any = picture_data(picture("interval", "10", "40", "100", "400"))
    widths = [frame["values"]["width"] for frame in found["frames"]]
    assert sorted(widths, reverse=True) == widths
    for frame in found["frames"]:
        assert len(frame["series"]["sessions"]) == frame["setting"]
        values = frame["values"]
        assert values["low"] < values["estimate"] < values["high"]
        assert values["width"] == pytest.approx(values["high"] - values["low"])
        # Tiers are sampled by their share, nearly, so that the estimate is nearly the plain mean.
        plain = sum(value for _, value in frame["series"]["sessions"]) / frame["setting"]
        assert plain == pytest.approx(values["estimate"], abs=0.05)


def test_labels_are_scored_on_all_pairs() -> None:
    assert evaluate({"q": {"a": 1, "b": 0}}, {"q": {"a": 0.5, "b": 0.5}}, [PAIRS])[PAIRS] == 0.5
    # Of three pairs two are right, and one is left open.
    grades = {"q": {"a": 2, "b": 1, "c": 0}}
    labels = {"q": {"a": 0.5, "b": 0.5, "c": 0.1}}
    assert evaluate(grades, labels, [PAIRS])[PAIRS] == pytest.approx(2.5 / 3)


def test_a_difference_is_not_found_by_a_loss() -> None:
    draws = np.random.default_rng(25).normal(0.03, 0.2, (1000, 25))
    t = draws.mean(axis=1) / (draws.std(axis=1, ddof=1) / 5)
    limit = 2.0638986  # of Student's t with 24 degrees of freedom, 2.5% above
    assert (t < -limit).any()
    assert figure_of("power", 25.0).values["found"] == (t > limit).mean()


@pytest.mark.parametrize("sessions", [0.0, 5.0, 15.0, -10.0])
def test_sessions_are_graded_by_tens(sessions: float) -> None:
    with pytest.raises(InputError, match="multiple of ten"):
        figure_of("graded", sessions)


@pytest.mark.parametrize(
    ("block", "said"),
    [
        (picture("candies"), "nothing to show"),
        (picture("interval", "many"), "not a number of sessions"),
        (picture("compare", "3,x"), "is not a grade"),
        (picture("candies", "3", measures=("ndgc",)), "ndgc"),
    ],
    ids=["none", "words", "grade", "measure"],
)
def test_what_cannot_be_drawn_is_said(block: Picture, said: str) -> None:
    with pytest.raises(RelyonError, match=said):
        picture_data(block)


def test_a_fault_of_a_drawing_names_its_file_and_line(tmp_path: Path) -> None:
    folder = tmp_path / "en"
    folder.mkdir()
    folder.joinpath("01-drawn.md").write_text(
        '+++\ntitle = "Drawn"\nsummary = "Drawings"\nminutes = 1\n+++\n\nText\n\n'
        '```picture\nid = "p"\ndrawing = "interval"\ntext = "Text"\nlists = ["3,2"]\n```\n',
        encoding="utf-8",
    )
    (lesson,) = read_course(tmp_path, "en")
    faults = [fault for fault in check_lesson(lesson) if "not a number of sessions" in fault.text]
    assert [fault.line for fault in faults] == [9]


@pytest.mark.parametrize("language", LANGUAGES)
def test_drawings_of_lessons_are_small(language: Language) -> None:
    for lesson in course(language):
        for block in lesson.blocks:
            if isinstance(block, Picture | Play) and block.drawing:
                data = block_data(block, language)["drawing"]
                assert len(json.dumps(data, allow_nan=False)) < 60_000, (lesson.name, block.id)
