"""`relyon explain … --learn`: the lesson on a measure, with the reader's own derivation."""

from __future__ import annotations

import sys

import pytest
from tests.unit.conftest import Command

import relyon
from relyon.core.texts import LANGUAGES, Language
from relyon.learn import course
from relyon.learn.course import find_lesson


def test_explain_opens_no_lesson_on_two_runs_or_without_one(command: Command) -> None:
    run = ["explain", "judgments.qrels", "bm25.run"]
    two = command(*run, "bm25.run", "--learn")
    assert two.code == 2
    assert "--learn explains one run" in two.err


@pytest.mark.parametrize("language", LANGUAGES)
def test_explain_opens_the_lesson_on_the_measure_with_the_reader_s_query(
    language: Language, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("markdown_it")
    shown = []
    monkeypatch.setattr("relyon.cli.learn.serve", lambda *one, **options: shown.append(one))
    run = ("explain", "judgments.qrels", "bm25.run", "--query-id", "q1", "--lang", language)
    outcome = command(*run, "-m", "rr@10", "--learn")
    assert outcome.code == 0
    assert "rr@10" in outcome.out
    ((files, first),) = shown
    assert first == f"{language}/07-recall-map-mrr.html"
    own = {"en": "rr@10 of query q1", "zh": "查询 q1 的 rr@10"}[language]
    assert own in files[first].decode()
    assert own not in files[f"{language}/03-ndcg.html"].decode()
    none = command(*run, "-m", "num_q", "--learn")
    assert (none.code, none.out) == (2, "")
    assert "`num_q`" in none.err


@pytest.mark.parametrize(
    ("language", "said"),
    [("en", "error: the course needs the package"), ("zh", "错误：课程需要安装")],
)
def test_explain_says_what_the_course_needs(
    language: str, said: str, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "markdown_it", None)
    run = ("explain", "judgments.qrels", "bm25.run", "--query-id", "q1", "--lang", language)
    outcome = command(*run, "--learn")
    assert (outcome.code, outcome.out) == (4, "")
    assert outcome.err.startswith(said)
    assert "pip install 'relyon[learn]'" in outcome.err
    assert command(*run).code == 0


def test_a_page_of_the_course_is_made_when_it_is_asked_for() -> None:
    pytest.importorskip("markdown_it")
    from relyon.learn.pages.site import Pages

    made: list[str] = []

    def make(name: str) -> str:
        made.append(name)
        return name.upper()

    files = Pages({"a": lambda: make("a"), "b": lambda: b"B"})
    assert (list(files), made) == (["a", "b"], [])
    assert (files["a"], files["a"], made) == (b"A", b"A", ["a"])
    assert dict(files.replaced("a", "own")) == {"a": b"own", "b": b"B"}


def test_a_page_shows_the_reader_s_own_derivation() -> None:
    pytest.importorskip("markdown_it")
    from relyon.learn.pages.site import lesson_page

    found = relyon.explain(
        {"q": {"x<y": 3, "b": 1}}, {"q": {"b": 2.0, "x<y": 1.0}}, "q", "ndcg@2",
        document_titles={"b": "A & B"},
    )  # fmt: skip
    lessons = course("en")
    page = lesson_page(find_lesson("ndcg", lessons), lessons, found)
    assert "ndcg@2 of query q" in page
    assert "document b “A &amp; B”, grade 1" in page
    assert "x&lt;y" in page
    assert page.count("<li>Rank") > page.count("x<y")
