"""The demonstration's last step: what other tools leave open, asked about its rankers."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import pytest

import relyon
from relyon.core.document.terminal import width
from relyon.core.texts import Language
from relyon.demo.open_questions import (
    BUDGET,
    FOLDER,
    GRADED,
    MODEL,
    NEXT,
    PEOPLE,
    WITHOUT_CHINESE,
    OpenStory,
    ask_open_questions,
)

#: What `relyon demo` writes, for one version of Python.
FILES = Path(__file__).resolve().parents[2] / "examples" / "docs-search"

pytestmark = pytest.mark.filterwarnings("ignore::relyon.RelyonWarning")


def asked(folder: Path, *, rebuild: bool = False) -> OpenStory:
    judgments = relyon.read_judgments(FILES / "judgments.qrels", scale="search")
    bm25, tfidf = (relyon.read_run(FILES / f"{name}.run") for name in ("bm25", "tfidf"))
    other = {
        query: {"an ungraded one": 99.0, **dict(bm25.documents(query))} for query in bm25.queries
    }
    return ask_open_questions(
        folder,
        FILES / "queries.csv",
        judgments,
        {"bm25": bm25, "tfidf": tfidf},
        {"base": bm25, "title-first": relyon.Run.from_dict(other)},
        rebuild=rebuild,
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("demo")


@pytest.fixture(scope="module")
def story(folder: Path) -> OpenStory:
    return asked(folder)


def test_the_planted_loss_is_found_and_none_else(story: OpenStory) -> None:
    found = story.planted.slices[0]
    assert found.where() == "language = zh"
    assert {query[:2] for query in found.queries} == {"zh"}
    assert abs(story.change) < 0.01
    assert story.own.slices == ()
    assert "it loses where language = zh (22 questions)" in " ".join(story.to_text().split())


def test_ranks_are_those_of_a_leaderboard(story: OpenStory) -> None:
    standings = story.board["ndcg@10"].standings
    assert {one.run for one in standings} == {"bm25", "tfidf", "base", "title-first"}
    assert story.board["ndcg@10"]["bm25"].value == pytest.approx(story.truth["bm25"])
    for one in standings:
        assert one.ranks[0] <= one.rank <= one.ranks[1]


def test_a_models_grades_save_some_of_peoples(story: OpenStory, folder: Path) -> None:
    people, model = (
        relyon.read_judgments(folder / FOLDER / name).to_dict() for name in (PEOPLE, MODEL)
    )
    graded = relyon.read_judgments(FILES / "judgments.qrels").to_dict()
    assert len(people) == GRADED
    assert all(people[query] == graded[query] for query in people)
    assert {query: set(group) for query, group in model.items()} == {
        query: set(group) for query, group in graded.items()
    }
    gaps = [abs(model[q][d] - grade) for q, group in graded.items() for d, grade in group.items()]
    assert set(gaps) == {0, 1}
    assert story.off == pytest.approx(sum(gaps) / len(gaps))
    for run in ("bm25", "tfidf"):
        one = story.fewer.mean("ndcg@10", run).powered
        assert one.labelled == GRADED < one.worth < one.total
        assert one.low < story.truth[run] < one.high


def test_pairs_are_drawn_and_grades_in_them_are_kept(story: OpenStory, folder: Path) -> None:
    path = folder / FOLDER / NEXT
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["query"] for row in rows] == [one.query for one in story.pairs.drawn]
    assert len(rows) == BUDGET
    text = path.read_text("utf-8").replace('""', "3", 1)
    path.write_text(text, "utf-8")
    assert asked(folder).to_json() == story.to_json()
    assert path.read_text("utf-8") == text
    asked(folder, rebuild=True)
    assert path.read_text("utf-8") != text


def test_the_colleagues_number_is_that_of_the_program(story: OpenStory) -> None:
    own, other = story.counted
    found = relyon.match_convention(
        relyon.read_judgments(FILES / "judgments.qrels", scale="search"),
        relyon.read_run(FILES / "bm25.run"),
        {"ndcg@10": f"{other:.4f}"},
    )
    assert own != pytest.approx(other, abs=1e-3)
    assert found.classes[0].name == "sklearn"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_lines_fit_a_terminal_and_other_answers_have_words(
    story: OpenStory, folder: Path, language: Language
) -> None:
    nothing = replace(
        story,
        planted=story.own,
        own=story.planted,
        pairs=replace(story.pairs, drawn=()),
        board=replace(
            story.board,
            boards=(
                replace(
                    story.board["ndcg@10"],
                    standings=tuple(
                        replace(one, may_be_best=one.rank == 1)
                        for one in story.board["ndcg@10"].standings
                    ),
                ),
            ),
        ),
    )
    less = replace(story.planted.slices[0], verdict="elsewhere")
    worse = replace(story, own=replace(story.planted, tested=(less,)))
    texts = [one.to_text(language=language) for one in (story, nothing, worse)]
    assert len(set(texts)) == 3
    for text in texts:
        assert all(width(line) <= 80 for line in text.splitlines())
        assert "{" not in text
    assert (folder / FOLDER / WITHOUT_CHINESE).exists()
