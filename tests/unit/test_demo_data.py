"""The demonstration: documents of the standard library, questions, grades, two rankers."""

from __future__ import annotations

import csv
import os
import sys
from collections import Counter, defaultdict
from dataclasses import fields
from pathlib import Path

import pytest

from relyon.demo import (
    Document,
    Ranking,
    bm25,
    build_corpus,
    load_guideline,
    load_judgments,
    load_questions,
    tfidf,
    write_demo,
)
from relyon.demo.corpus import Question
from relyon.demo.rankers import tokenize

pytestmark = pytest.mark.long

GRADED_ON = {(3, 11), (3, 12), (3, 13)}
"""Versions of Python whose pools were graded."""


@pytest.fixture(scope="module")
def corpus() -> list[Document]:
    return build_corpus()


@pytest.fixture(scope="module")
def ids(corpus: list[Document]) -> set[str]:
    return {document.id for document in corpus}


@pytest.fixture(scope="module")
def rankings(corpus: list[Document]) -> dict[str, Ranking]:
    questions = load_questions()
    return {"bm25": bm25(corpus, questions), "tfidf": tfidf(corpus, questions)}


def test_the_corpus_has_thousands_of_documents_in_the_order_of_their_ids(
    corpus: list[Document],
) -> None:
    names = [document.id for document in corpus]
    assert len(names) > 5000
    assert names == sorted(set(names))
    assert all(document.text.strip() for document in corpus)
    assert all(document.title.startswith(document.id) for document in corpus)
    assert all(not part.startswith("_") for name in names for part in name.split("."))
    assert all(len(name.split()) == 1 for name in names)


@pytest.mark.parametrize(
    "name",
    [
        "asyncio.TaskGroup",
        "builtins.open",
        "builtins.str.split",
        "collections.Counter",
        "concurrent.futures.ThreadPoolExecutor",
        "csv.DictReader",
        "datetime.datetime.strptime",
        "functools.lru_cache",
        "itertools.groupby",
        "json.loads",
        "math.isclose",
        "multiprocessing.Process",
        "os.getcwd",
        "os.path.join",
        "pathlib.Path.glob",
        "random.randint",
        "re.Pattern.match",
        "typing.Optional",
        "zoneinfo.ZoneInfo",
    ],
)
def test_objects_go_by_the_name_that_users_know(name: str, ids: set[str]) -> None:
    assert name in ids


@pytest.mark.parametrize(
    "start",
    ["antigravity", "this", "idlelib", "test.", "tkinter", "posixpath", "ntpath", "_", "pip"],
)
def test_modules_that_act_or_repeat_are_left_out(start: str, ids: set[str]) -> None:
    assert not [name for name in ids if name.startswith(start)]


def test_a_title_holds_parameters_without_defaults(corpus: list[Document]) -> None:
    titles = {document.id: document.title for document in corpus}
    assert titles["os.path.join"] == "os.path.join(a, *p)"
    assert not [title for title in titles.values() if " at 0x" in title]


def test_building_again_gives_the_same_tells_how_far_it_is_and_has_no_side_effects(
    corpus: list[Document],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    opened = tmp_path / "opened"
    browser = tmp_path / "browser"
    browser.write_text(f"#!/bin/sh\ntouch '{opened}'\n", encoding="utf-8")
    browser.chmod(0o755)
    workplace = tmp_path / "workplace"
    workplace.mkdir()
    monkeypatch.setenv("BROWSER", str(browser))
    monkeypatch.chdir(workplace)
    (workplace / "json.py").write_text("raise RuntimeError('shadowed')\n", encoding="utf-8")
    before = set(sys.modules)
    steps: list[tuple[int, int]] = []
    capfd.readouterr()
    again = build_corpus(lambda done, total: steps.append((done, total)))
    assert again == corpus
    assert "json.loads" in {document.id for document in again}
    assert steps == [(done, len(steps)) for done in range(1, len(steps) + 1)]
    assert {"antigravity", "this", "curses", "turtle"}.isdisjoint(set(sys.modules) - before)
    assert os.listdir(workplace) == ["json.py"]
    assert not opened.exists()
    assert capfd.readouterr() == ("", "")


def test_a_failing_child_process_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "")
    with pytest.raises(RuntimeError, match="path of Python is unknown"):
        build_corpus()
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    with pytest.raises(RuntimeError, match="cannot start /no/such/python"):
        build_corpus()


def test_there_are_enough_questions_in_both_languages() -> None:
    questions = load_questions()
    languages = Counter(question.language for question in questions)
    assert languages["en"] + languages["zh"] == len(questions) >= 64
    assert languages["zh"] >= 14
    assert len({question.id for question in questions}) == len(questions)
    assert len({question.text for question in questions}) == len(questions)
    assert all(question.id.startswith(question.language) for question in questions)


def test_every_question_has_graded_answers() -> None:
    judgments = load_judgments()
    pairs = [(judgment.query, judgment.document) for judgment in judgments]
    assert len(set(pairs)) == len(pairs)
    assert {judgment.query for judgment in judgments} == {item.id for item in load_questions()}
    assert {judgment.grade for judgment in judgments} == {0, 1, 2, 3}
    best: dict[str, int] = defaultdict(int)
    for judgment in judgments:
        best[judgment.query] = max(best[judgment.query], judgment.grade)
    assert set(best.values()) == {3}


def test_graded_answers_exist_in_the_corpus(ids: set[str]) -> None:
    wanted = [judgment.document for judgment in load_judgments() if judgment.grade >= 2]
    missing = sorted({name for name in wanted if name not in ids})
    assert sum(name in ids for name in wanted) >= 0.95 * len(wanted), missing
    if sys.version_info[:2] == (3, 13):
        assert missing == []


def test_the_guideline_names_the_four_grades_in_both_languages() -> None:
    english, chinese = load_guideline().split("\n---\n")
    for part in (english, chinese):
        assert all(f"| {grade} | {name}" in part for grade, name in enumerate("无低中高"))


def test_identifiers_and_chinese_fall_into_terms() -> None:
    assert tokenize("os.path.join(a_path, *p)") == ["os", "path", "join", "path", "p"]
    assert tokenize("OrderedDict") == ["ordereddict", "ordered", "dict"]
    assert tokenize("parse HTTPResponse") == ["parse", "httpresponse", "http", "response"]
    assert tokenize("如何用 json 解析") == ["如何", "何用", "json", "解析"]
    assert tokenize("用 re") == ["用", "re"]
    assert tokenize("How do I use it?") == []


@pytest.mark.parametrize("name", ["bm25", "tfidf"])
def test_rankings_are_ordered_with_ties_by_id(name: str, rankings: dict[str, Ranking]) -> None:
    for ranked in rankings[name].values():
        keys = [(-score, document) for document, score in ranked]
        assert keys == sorted(keys)
        assert len(keys) <= 100
        assert all(score > 0 for _, score in ranked)


def test_rankings_are_deterministic(corpus: list[Document]) -> None:
    questions = load_questions()[:5]
    assert bm25(corpus, questions) == bm25(corpus, questions)
    assert tfidf(corpus, questions) == tfidf(corpus, questions)


def test_an_easy_question_finds_its_answer(rankings: dict[str, Ranking]) -> None:
    for ranking in rankings.values():
        assert "functools.cache" in [document for document, _ in ranking["en06"][:10]]


def test_a_question_without_a_shared_term_has_an_empty_ranking(corpus: list[Document]) -> None:
    questions = [Question("q", "zh", "怎么生成随机数")]
    assert bm25(corpus, questions) == {"q": []}
    assert tfidf(corpus, questions) == {"q": []}


def test_few_documents_and_wrong_depths() -> None:
    documents = [
        Document("b", "b", "alpha beta"),
        Document("a", "a", "alpha beta"),
        Document("c", "c", "gamma"),
    ]
    questions = [Question("q", "en", "alpha")]
    for ranker in (bm25, tfidf):
        assert [name for name, _ in ranker(documents, questions)["q"]] == ["a", "b"]
        assert [name for name, _ in ranker(documents, questions, depth=1)["q"]] == ["a"]
        assert ranker([], questions) == {"q": []}
        assert ranker(documents, []) == {}
        with pytest.raises(ValueError, match="at least 1"):
            ranker(documents, questions, depth=0)


def test_missing_engines_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "bm25s", None)
    monkeypatch.setitem(sys.modules, "sklearn.feature_extraction.text", None)
    for ranker in (bm25, tfidf):
        with pytest.raises(ImportError, match=r"pip install 'relyon\[demo\]'"):
            ranker([Document("a", "a", "a")], [Question("q", "en", "a")])


def test_the_pool_is_judged(rankings: dict[str, Ranking]) -> None:
    judged = {(judgment.query, judgment.document) for judgment in load_judgments()}
    pairs = [
        (query, document)
        for ranking in rankings.values()
        for query, ranked in ranking.items()
        for document, _ in ranked[:20]
    ]
    share = sum(pair in judged for pair in pairs) / len(pairs)
    assert share >= 0.8
    if sys.version_info[:2] == (3, 11):
        assert share == 1.0, sorted({pair for pair in pairs if pair not in judged})
    elif sys.version_info[:2] in GRADED_ON:
        assert share >= 0.95


def test_the_files_are_in_trec_form(corpus: list[Document], tmp_path: Path) -> None:
    files = write_demo(tmp_path / "demo", documents=corpus, depth=10)
    assert [path.name for field in fields(files) if (path := getattr(files, field.name))] == [
        "judgments.qrels",
        "bm25.run",
        "tfidf.run",
        "questions.tsv",
        "features.parquet",
        "docs.toml",
    ]
    with open(
        tmp_path / "demo" / "engines" / "documents.csv", encoding="utf-8", newline=""
    ) as file:
        rows = list(csv.reader(file))
    assert rows == [["id", "title", "text"], *([one.id, one.title, one.text] for one in corpus)]
    lines = files.judgments.read_text(encoding="utf-8").splitlines()
    assert len(lines) == len(load_judgments())
    assert all(len(line.split()) == 4 for line in lines)
    for path in (files.bm25, files.tfidf):
        rows = [line.split(" ") for line in path.read_text(encoding="utf-8").splitlines()]
        assert all(len(row) == 6 and row[1] == "Q0" and row[5] == path.stem for row in rows)
        assert {int(row[3]) for row in rows} == set(range(1, 11))
        assert all(len(row[4].split(".")[1]) == 6 for row in rows)
    first = files.bm25.read_bytes()
    assert write_demo(tmp_path / "again", documents=corpus, depth=10).bm25.read_bytes() == first
