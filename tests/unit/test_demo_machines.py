"""The demonstration's machines: what the agents do, how pages are cut, and what is said of it."""

from __future__ import annotations

import csv
import json
import math
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Literal, cast

import pytest
from hypothesis import given, strategies as st

import relyon
from relyon.core.document.terminal import width
from relyon.core.texts import Language, catalogue
from relyon.demo.agents import (
    AGENTS,
    COMPARED,
    COST,
    RECALL,
    AgentStory,
    measure_agents,
    trace_file,
)
from relyon.demo.chunks import (
    CHUNKS,
    OVERLAP,
    SIZE,
    WAYS,
    ChunkStory,
    Page,
    cut_pages,
    measure_chunks,
    sections,
    windows,
)
from relyon.demo.corpus import Document
from relyon.demo.engine import read_documents, write_engine
from relyon.demo.files import load_judgments, load_questions, load_unanswerable
from relyon.demo.machines import write_machines
from relyon.demo.rankers import content, tokenize
from relyon.demo.unanswerable import FOLDER, AnswerStory, measure_answers

pytest.importorskip("bm25s")
pytest.importorskip("sklearn")

GRADES: dict[str, dict[str, int]] = {}
for one in load_judgments():
    GRADES.setdefault(one.query, {})[one.document] = one.grade
NAMES = sorted({name for group in GRADES.values() for name in group})
#: The judged documents, whose texts are the words of their names.
DOCUMENTS = [Document(name, name, " ".join(tokenize(name.replace(".", " ")))) for name in NAMES]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("demo")
    write_engine(path, DOCUMENTS)
    write_machines(path)
    return path


@pytest.fixture(scope="module")
def judgments() -> relyon.Judgments:
    return relyon.read_judgments(GRADES, scale="search")


@pytest.fixture(scope="module")
def agents(folder: Path, judgments: relyon.Judgments) -> AgentStory:
    traces = [relyon.read_traces(folder / trace_file(name)) for name in AGENTS]
    return measure_agents(traces, judgments)


@pytest.fixture(scope="module")
def chunks(folder: Path) -> ChunkStory:
    return measure_chunks(folder)


@pytest.fixture(scope="module")
def answers(folder: Path, judgments: relyon.Judgments) -> AnswerStory:
    return measure_answers(folder, judgments)


def test_each_agent_follows_its_rule(folder: Path) -> None:
    once, rewrites, repeats = (relyon.read_traces(folder / trace_file(name)) for name in AGENTS)
    questions = {one.id: one.text for one in load_questions()}
    words = {one.id: len(content(one).split()) for one in DOCUMENTS}
    assert once.tasks == rewrites.tasks == repeats.tasks == [*questions]
    lengths = set()
    for task, text in questions.items():
        (first,) = once.calls(task)
        asked, again = rewrites.calls(task), repeats.calls(task)
        assert first.query == text
        assert first.read == first.documents[:3]
        assert asked[0].documents == first.documents
        assert all(one.documents == first.documents for one in again)
        assert [one.query for one in again] == [text] * len(again)
        assert len(again) in ((1,) if len(asked) == 1 else (3,))
        assert all(one.tokens == sum(words[name] for name in one.read or ()) for one in asked)
        read = [name for one in asked for name in one.read or ()]
        assert len(read) == len(set(read))
        enough = 0.8 * len(set(tokenize(text)))
        found = [
            len(set(tokenize(text)) & set(tokenize(content(DOCUMENTS[NAMES.index(name)]))))
            for name in first.read or ()
        ]
        assert (len(asked) == 1) == any(count >= enough for count in found)
        if len(asked) > 1 and first.read:
            assert str(asked[1].query).startswith(f"{text} ")
        if len(asked) > 2:
            assert asked[2].query == text
        lengths.add(len(asked))
    assert {1, 3} <= lengths <= {1, 2, 3}


def test_the_agents_numbers_are_those_of_sets(
    folder: Path, judgments: relyon.Judgments, agents: AgentStory
) -> None:
    relevant = {
        task: {name for name, grade in group.items() if grade >= 2}
        for task, group in GRADES.items()
    }
    for name in AGENTS:
        traces = relyon.read_traces(folder / trace_file(name))
        shares = []
        for task, wanted in relevant.items():
            if wanted:
                found = {one for call in traces.calls(task) for one in call.documents}
                shares.append(len(found & wanted) / len(wanted))
        assert agents.values[name][RECALL] == pytest.approx(sum(shares) / len(shares))
        assert agents.calls[name] == sum(len(traces.calls(task)) for task in traces.tasks)
    first = relyon.read_traces(folder / trace_file("once"))
    failed = [
        task
        for task, wanted in relevant.items()
        if wanted and not wanted & set(first.calls(task)[0].documents)
    ]
    assert agents.failed == len(failed) > 0
    # To ask again what was asked finds nothing else, and costs more.
    assert agents.values["repeats"][RECALL] == agents.values["once"][RECALL]
    assert agents.contrast("repeats", COST).difference < 0
    assert agents.contrast("rewrites", RECALL).difference >= 0


@given(st.lists(st.integers(1, 2_500), min_size=1, max_size=12))
def test_both_ways_cut_whole_pages(lengths: list[int]) -> None:
    documents = [Document(f"m.{place:02}", "t", "x" * size) for place, size in enumerate(lengths)]
    (page,) = cut_pages(documents)
    for one in documents:
        start, end = page.sections[one.id]
        assert page.text[start:end] == content(one)
    cut = list(windows(page))
    assert cut[0][0] == 0
    assert cut[-1][1] == len(page.text)
    for (start, end), (after, _) in pairwise(cut):
        assert (end - start, end - after) == (SIZE, OVERLAP)
    whole = list(sections(page))
    bounds = list(page.sections.values())
    assert [one for start, end in whole for one in bounds if start <= one[0] < end] == bounds
    for start, end in whole:
        assert start in {one[0] for one in bounds}
        assert end in {one[1] for one in bounds}
        assert end - start <= SIZE or (start, end) in bounds


def test_passages_are_the_judged_documents(folder: Path, chunks: ChunkStory) -> None:
    pages = {
        row["document"]: row["text"]
        for row in map(json.loads, (folder / CHUNKS / "pages.jsonl").read_text().splitlines())
    }
    texts = {one.id: content(one) for one in DOCUMENTS}
    passages = relyon.read_passages(folder / CHUNKS / "passages.jsonl", scale="search")
    judged = [(one.query, one.document, one.grade) for one in load_judgments()]
    assert len(passages) == len(judged)
    for one, (query, document, grade) in zip(passages, judged, strict=True):
        assert (one.query, one.grade) == (query, grade)
        part = one.part
        assert pages[part.document][part.start : part.end] == texts[document]
    assert chunks.passages == sum(grade >= 2 for _, _, grade in judged)


def test_both_ways_are_measured_as_evaluate_does(folder: Path, chunks: ChunkStory) -> None:
    passages = relyon.read_passages(folder / CHUNKS / "passages.jsonl", scale="search")
    for way, column in zip(WAYS, ("baseline_mean", "candidate_mean"), strict=True):
        table = relyon.read_chunks(folder / CHUNKS / f"{way}.csv")
        with pytest.warns(relyon.RelyonWarning):
            results = relyon.evaluate(
                passages.judgments(table), folder / CHUNKS / f"{way}.run", "char_recall@10"
            )
        contrast = chunks.comparison.contrasts[0]
        assert contrast.measure == "char_recall@10"
        assert getattr(contrast, column) == pytest.approx(results["char_recall@10"])
        assert chunks.chunks[way] == len(table)


def test_questions_without_an_answer_are_marked(folder: Path, answers: AnswerStory) -> None:
    with open(folder / FOLDER / "queries.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    marked = {row["query"]: row["answerable"] for row in rows}
    assert marked == {
        **dict.fromkeys(GRADES, "yes"),
        **dict.fromkeys((one.id for one in load_unanswerable()), "no"),
    }
    assert not {one.text for one in load_unanswerable()} & {one.text for one in load_questions()}
    found = answers.found
    assert (found.answerable, found.unanswerable) == (91, 30)
    run = relyon.read_run(folder / FOLDER / "bm25.run")
    tops = {query: max(run[query].values()) if query in run else -math.inf for query in marked}
    pairs = [
        (tops[yes] > tops[no]) + (tops[yes] == tops[no]) / 2
        for yes in marked
        if marked[yes] == "yes"
        for no in marked
        if marked[no] == "no"
    ]
    assert found.system("bm25").auroc.value == pytest.approx(sum(pairs) / len(pairs))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_is_said_fits_a_terminal(
    language: Language,
    agents: AgentStory,
    chunks: ChunkStory,
    answers: AnswerStory,
) -> None:
    for story in (agents, chunks, answers):
        text = story.to_text(language=language)
        assert all(width(line) <= 80 for line in text.splitlines()), text
        json.dumps(story.to_dict())
    assert agents.to_frame()["agent"].to_list() == [*AGENTS]
    assert chunks.to_frame().height == 3


@pytest.mark.parametrize("verdict", ["better", "worse", "undecided"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_verdict_has_its_sentence(
    verdict: Literal["better", "worse", "undecided"],
    language: Language,
    agents: AgentStory,
    chunks: ChunkStory,
    answers: AnswerStory,
) -> None:
    words = catalogue("demo", language)
    said, cut = (
        replace(story, comparison=cast(relyon.Comparison, SimpleNamespace(contrasts=contrasts)))
        for story in (agents, chunks)
        for contrasts in [[replace(one, verdict=verdict) for one in story.comparison.contrasts]]
    )
    found = replace(
        answers.found,
        contrasts=tuple(replace(one, verdict=verdict) for one in answers.found.contrasts),
    )
    told = replace(answers, found=found)
    texts = [one.to_text(language=language).replace("\n", "") for one in (said, cut, told)]
    for text, key in zip(
        texts,
        (f"agents.found_{verdict}", f"chunks.all_{verdict}", f"answers.auroc_{verdict}"),
        strict=True,
    ):
        piece = words[key].split("{")[0].replace(" ", "")
        assert piece in text.replace(" ", "")


def test_files_that_are_there_are_kept(folder: Path) -> None:
    path = folder / trace_file("once")
    before = path.stat().st_mtime_ns
    write_machines(folder)
    assert path.stat().st_mtime_ns == before
    assert read_documents(folder) == DOCUMENTS


def test_documents_are_read_where_there_are_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("relyon.demo.engine.build_corpus", lambda: DOCUMENTS[:3])
    assert read_documents(tmp_path) == DOCUMENTS[:3]
    assert cut_pages(DOCUMENTS[:1])[0] == Page(
        NAMES[0].partition(".")[0],
        content(DOCUMENTS[0]),
        {NAMES[0]: (0, len(content(DOCUMENTS[0])))},
    )
    assert len(COMPARED) == 3
