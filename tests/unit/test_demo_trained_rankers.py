"""Rankers that learn from the demonstration: none sees what it is judged on, what comes is said."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import relyon
from relyon.demo import trained_rankers
from relyon.demo.trained_rankers import (
    FOLDS,
    GRADES,
    RANKERS,
    LearningStory,
    Reached,
    Shortfall,
    learn_to_rank,
)

pytest.importorskip("lightgbm")
pytest.importorskip("sklearn")

QUESTIONS, DOCUMENTS = 30, 12


@pytest.fixture(scope="module")
def frame() -> pl.DataFrame:
    """Grades that one feature knows and another does not."""
    chance = np.random.default_rng(3)
    count = QUESTIONS * DOCUMENTS
    grade = chance.integers(0, 4, count)
    return pl.DataFrame(
        {
            "query": [f"q{place // DOCUMENTS:02}" for place in range(count)],
            "document": [f"d{place % DOCUMENTS:02}" for place in range(count)],
            "label": grade,
            "knows": (grade + chance.normal(0, 0.5, count)).astype(np.float32),
            "noise": chance.normal(0, 1, count).astype(np.float32),
        }
    )


@pytest.fixture(scope="module")
def told(frame: pl.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> LearningStory:
    path = tmp_path_factory.mktemp("learning") / "features.parquet"
    frame.write_parquet(path)
    judgments = relyon.read_judgments(
        {q: dict(of.select("document", "label").rows()) for (q,), of in frame.group_by("query")},
        scale="search",
    )
    engines = [
        relyon.Run.from_arrays(
            frame["query"].to_list(), frame["document"].to_list(), frame["noise"] * sign, name=name
        )
        for name, sign in (("bm25", 1), ("tfidf", -1))
    ]
    # Clicks on the first ten documents only, and on the worse ones: labels that mislead.
    shown = frame.filter(pl.col("document") < "d10")
    clicks = relyon.read_judgments(
        {
            q: {d: (3 - grade) / 10 for d, grade in of.select("document", "label").rows()}
            for (q,), of in shown.group_by("query")
        }
    )
    story, run = learn_to_rank(path, judgments, engines, {"dctr": clicks})
    assert len(run.to_frame()) == frame.height
    return story


def of(story: LearningStory, ranker: str, labels: str = "") -> Reached:
    return next(one for one in story.reached if (one.ranker, one.labels) == (ranker, labels))


@pytest.mark.long
def test_what_can_be_learnt_is_learnt(told: LearningStory) -> None:
    assert (told.questions, told.rows) == (QUESTIONS, QUESTIONS * DOCUMENTS)
    kinds = [GRADES, "dctr"]
    assert [(one.ranker, one.labels) for one in told.reached] == [
        *((name, "") for name in ("bm25", "tfidf", "fused", "best")),
        *((name, kind) for kind in kinds for name in RANKERS),
    ]
    assert of(told, "best").value == pytest.approx(1.0)
    for name in RANKERS:
        taught, misled = of(told, name, GRADES), of(told, name, "dctr")
        assert taught.value > 0.85, name
        assert taught.difference_interval[0] > 0, name
        assert misled.value < of(told, "bm25").value, name
        assert taught.interval[0] < taught.value < taught.interval[1]
    (cost,) = told.shortfalls
    assert cost.labels == "dctr"
    assert cost.interval[1] < 0
    mean = np.mean([of(told, n, "dctr").value - of(told, n, GRADES).value for n in RANKERS])
    assert cost.difference == pytest.approx(mean)


@pytest.mark.long
def test_what_the_dense_ranker_is_worth(frame: pl.DataFrame, tmp_path: Path) -> None:
    path = tmp_path / "features.parquet"
    frame.rename({"knows": "dense"}).write_parquet(path)
    grades = {
        q: dict(of.select("document", "label").rows()) for (q,), of in frame.group_by("query")
    }
    judgments = relyon.read_judgments(grades, scale="search")
    engines = [
        relyon.Run.from_arrays(
            frame["query"].to_list(), frame["document"].to_list(), frame["noise"], name=name
        )
        for name in ("bm25", "tfidf")
    ]
    made, _ = learn_to_rank(path, judgments, engines, {})
    assert made.dense is not None
    assert made.dense.difference > made.dense.interval[0] > 0.1
    assert "the same candidates are ranked better: +0." in " ".join(made.to_text().split())
    assert json.loads(made.to_json())["dense"]["difference"] == made.dense.difference


@pytest.mark.long
@pytest.mark.parametrize("name", ["regression", "lambdamart"])
def test_no_question_teaches_its_own_ranking(frame: pl.DataFrame, name: str) -> None:
    rows = relyon.read_features(frame)
    scores = trained_rankers.cross_validate(name, rows, rows.labels)
    again = trained_rankers.cross_validate(name, rows, rows.labels)
    assert np.array_equal(scores, again)
    unlike = 0
    for query in range(FOLDS):
        mine = slice(rows.groups[query], rows.groups[query + 1])
        labels = rows.labels.astype(float)
        labels[mine] = 3 - labels[mine]
        changed = trained_rankers.cross_validate(name, rows, labels)
        assert np.array_equal(changed[mine], scores[mine])
        unlike += not np.array_equal(changed, scores)
    assert unlike == FOLDS


def test_clicks_are_stretched_to_the_grades(frame: pl.DataFrame) -> None:
    rows = relyon.read_features(frame)
    clicks = relyon.read_judgments({"q00": {"d00": 0.4, "d01": 0.1, "d02": 0.0}})
    found = trained_rankers.stretched(clicks, rows)
    assert found[:3].tolist() == pytest.approx([3.0, 0.75, 0.0])
    assert np.isnan(found[3:]).all()
    nothing = relyon.read_judgments({"q00": {"d00": 0.0}})
    assert trained_rankers.stretched(nothing, rows)[0] == 0


def story(
    unlike: tuple[tuple[str, str, float], ...] = (),
    interval: tuple[float, float] = (-0.1, 0.1),
) -> LearningStory:
    rows = [
        Reached("bm25", "", 0.3, (0.2, 0.4), 0.0, (0.0, 0.0)),
        Reached("best", "", 0.9, (0.8, 1.0), 0.6, (0.5, 0.7)),
        Reached("regression", GRADES, 0.5, (0.4, 0.6), 0.2, (0.1, 0.3)),
        Reached("softrank", "ubm", 0.4, (0.3, 0.5), 0.1, (-0.1, 0.3)),
    ]
    return LearningStory(
        tuple(rows), unlike, (Shortfall("ubm", sum(interval) / 2, interval),), 91, 2515
    )


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (story(), "1 of 2 trained rankers is better than BM25 with an interval above 0"),
        (story(), "the highest is regression, trained on grades, with 0.500"),
        (story(), "No loss differs from regression on the same labels"),
        (
            story((("softrank", "ubm", -0.1),)),
            "from regression on the same labels: SoftRank on ubm (-0.100).",
        ),
        (story(interval=(-0.2, -0.1)), "reach less than on grades: -0.150 [-0.200, -0.100]"),
        (story(interval=(0.1, 0.2)), "reach more than on grades"),
        (story(), "it may be chance"),
    ],
)
def test_what_comes_out_is_said(made: LearningStory, said: str) -> None:
    assert said in " ".join(made.to_text().split())


def test_forms() -> None:
    made = story()
    found = json.loads(made.to_json())
    assert found["reached"][0]["labels"] is None
    assert found["shortfalls"] == [{"labels": "ubm", "difference": 0.0, "interval": [-0.1, 0.1]}]
    assert made.to_frame().height == 4
    assert "逐点回归" in made.to_markdown(language="zh")
    assert "最佳排序" in made.to_text(language="zh")


def test_the_file_is_where_it_was_said(tmp_path: Path) -> None:
    with pytest.raises(relyon.InputError, match=r"features\.parquet"):
        learn_to_rank(tmp_path / "features.parquet", relyon.read_judgments({}), [], {})
