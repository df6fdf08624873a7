"""The demonstration's rankers by clicks: whatever the numbers are, what is said follows."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest

import relyon
from relyon.demo.clicks import MODELS, ClickStory, Verdict, judge_by_clicks, write_clicks
from relyon.demo.files import load_judgments
from relyon.demo.traffic import GROUPS, query_weights

#: Two rankers over judged documents: by the ids, and by the grades with a few of them exchanged.
JUDGMENTS: dict[str, dict[str, int]] = {}
for one in load_judgments():
    JUDGMENTS.setdefault(one.query, {})[one.document] = one.grade


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> ClickStory:
    judgments = relyon.read_judgments(JUDGMENTS, scale="search")
    runs = [
        relyon.Run.from_dict(
            {
                query: {
                    doc: grade * weight - place / 100
                    for place, (doc, grade) in enumerate(sorted(docs.items())[:12])
                }
                for query, docs in JUDGMENTS.items()
            },
            name=name,
        )
        for name, weight in (("good", 1.0), ("poor", 0.002))
    ]
    path = tmp_path_factory.mktemp("demo") / "clicks.parquet"
    write_clicks(path, judgments, runs, sessions=20_000)
    return judge_by_clicks(path, judgments, runs)


def test_people_and_clicks_compare_the_same_rankers(story: ClickStory) -> None:
    assert [one.labels for one in story.verdicts] == ["people", "shown", *MODELS]
    assert story.sessions == 20_000
    for one in story.verdicts:
        assert (one.contrast.baseline, one.contrast.candidate) == ("good", "poor")
    # The difference is large: whoever does not see it is broken.
    assert story.verdicts[0].decision == story.verdicts[1].decision == -1
    assert {one.labels: one.decision for one in story.by_clicks}["ubm"] == -1


@pytest.mark.long
def test_the_model_of_the_users_foresees_best(story: ClickStory) -> None:
    assert max(story.by_clicks, key=lambda one: one.log_likelihood).labels == "ubm"
    assert all(-1 <= one.tau <= 1 for one in story.by_clicks)
    auc = {one.labels: one.auc for one in story.by_clicks}
    assert min(auc["dctr"], auc["pbm"], auc["ubm"]) > 0.9


def test_forms(story: ClickStory) -> None:
    assert story.to_frame().height == len(story.verdicts)
    found = json.loads(story.to_json())
    assert found["verdicts"][0]["auc"] is None
    assert "ubm" in story.to_markdown(language="zh")


def verdict(model: Verdict, low: float, high: float, tau: float, likelihood: float) -> Verdict:
    contrast = replace(model.contrast, interval=(low, high))
    return replace(model, contrast=contrast, tau=tau, log_likelihood=likelihood)


@pytest.mark.parametrize(
    ("intervals", "said"),
    [
        ([(0.1, 0.2)] * 5, "B is better. Every kind of label says the same."),
        ([(-0.2, -0.1)] * 5, "B is worse. Every kind of label says the same."),
        ([(-0.1, 0.1)] * 5, "the difference may be chance. Every kind of label says the same."),
        ([(0.1, 0.2)] + [(-0.1, 0.1)] * 4, "B is better. No kind of label says so."),
        (
            [(0.1, 0.2), (-0.1, 0.1), (0.1, 0.2), (-0.2, -0.1), (0.1, 0.2)],
            "So say the labels of pbm and ubm, but not those of dctr and dbn.",
        ),
    ],
)
def test_what_comes_out_is_said(
    story: ClickStory, intervals: list[tuple[float, float]], said: str
) -> None:
    shown = verdict(story.verdicts[1], *intervals[0], math.nan, math.nan)
    made = [
        verdict(one, *bounds, 0.5, -2.0)
        for one, bounds in zip(story.by_clicks, intervals[1:], strict=True)
    ]
    text = replace(story, verdicts=(story.verdicts[0], shown, *made)).to_text()
    text = " ".join(text.split())
    assert said in text
    assert "Foreseeing clicks is not grading" not in text


def test_a_model_that_foresees_better_and_orders_worse_is_named(story: ClickStory) -> None:
    taus, likelihoods = (0.4, 0.6, 0.1, 0.5), (-3.0, -2.5, -2.0, -2.8)
    made = [
        replace(one, tau=tau, log_likelihood=likelihood)
        for one, tau, likelihood in zip(story.by_clicks, taus, likelihoods, strict=True)
    ]
    text = replace(story, verdicts=(*story.verdicts[:2], *made)).to_text()
    text = " ".join(text.split())
    assert "dbn foresees them better than pbm, and orders documents worse (tau 0.100" in text
    assert "0.400 where labels are naive click-through rates (dctr), and of 0.100" in text


def test_questions_are_asked_as_in_the_months() -> None:
    weights = query_weights(JUDGMENTS)
    assert sorted(weights.values(), reverse=True) == [
        1 / size for size in GROUPS for _ in range(size)
    ]
    assert weights == query_weights(reversed(list(JUDGMENTS)))
