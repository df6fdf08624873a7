"""How a search goes on: threads, limits, journals, and what is asked again."""

from __future__ import annotations

import itertools
import sqlite3
import time
from collections.abc import Mapping
from pathlib import Path

import msgspec
import pytest
from tests.unit.searched import Scripted, answer, without_times

import relyon
from relyon.core.notes import Note
from relyon.engines import (
    Answer,
    FatalError,
    Limits,
    PassingError,
    Request,
    Variant,
    asking,
    read_tape,
)
from relyon.engines.tapes.tape import Head

QUERIES = {"q1": "red shoes", "q2": "电视", "q3": "lamp"}


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Retries do not wait long."""
    monkeypatch.setattr(asking, "FIRST_REST", 0.001)


def kinds(notes: tuple[Note, ...]) -> list[str]:
    return [one.kind for one in notes]


@pytest.mark.parametrize("concurrency", [1, 3])
def test_no_more_requests_at_once_than_said(concurrency: int) -> None:
    def reply(request: Request) -> Answer:
        time.sleep(0.005)
        return answer(request)

    engine = Scripted(reply)
    queries = {f"q{number}": "word" + str(number) for number in range(30)}
    relyon.search(engine, queries, 2, limits=Limits(concurrency=concurrency))
    assert engine.most == concurrency


@pytest.mark.long
def test_the_rate_holds_for_all_threads_and_retries() -> None:
    fails = itertools.count()

    def reply(request: Request) -> Answer:
        if next(fails) % 7 == 3:
            raise PassingError("status", "503")
        return answer(request)

    engine = Scripted(reply)
    queries = {f"q{number}": f"word {number}" for number in range(60)}
    relyon.search(engine, queries, 2, limits=Limits(concurrency=8, rate=50, retries=3))
    steps = [after - before for before, after in itertools.pairwise(sorted(engine.times))]
    assert len(steps) >= 60
    assert sum(steps) >= len(steps) / 50 * 0.98
    # In no window of ten requests more than the rate: a thread may start a little late.
    times = sorted(engine.times)
    assert all(times[n + 10] - times[n] > 0.12 for n in range(len(times) - 10))


def test_variants_take_turns() -> None:
    engine = Scripted(answer)
    both = engine.configured([Variant("a", {"shift": 0}), Variant("b", {"shift": 5})])
    relyon.search(both, QUERIES, 2, limits=Limits(concurrency=1))
    assert list(engine.asked) == [
        ("a", "q1"),
        ("b", "q1"),
        ("b", "q2"),
        ("a", "q2"),
        ("a", "q3"),
        ("b", "q3"),
    ]


def test_a_function_is_called_in_the_thread_that_calls() -> None:
    """A connection of SQLite may be used in the thread that opened it only."""
    database = sqlite3.connect(":memory:")
    database.execute("CREATE TABLE docs (id, title)")
    database.execute("INSERT INTO docs VALUES ('d1', 'red shoes')")

    def find(query: str, k: int) -> list[str]:
        rows = database.execute("SELECT id FROM docs WHERE title = ? LIMIT ?", (query, k))
        return [row[0] for row in rows]

    assert relyon.search(find, ["red shoes"], 5).run.to_dict() == {"red shoes": {"d1": 5.0}}


def test_progress_counts_every_request_once(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    relyon.search(Scripted(answer), QUERIES, 2, progress=lambda done, all: seen.append((done, all)))
    assert seen == [(1, 3), (2, 3), (3, 3)]


def test_a_progress_that_stops_keeps_what_was_answered(tmp_path: Path) -> None:
    class StopError(Exception):
        pass

    def stop(done: int, all: int) -> None:
        if done == 50:
            raise StopError

    def reply(request: Request) -> Answer:
        time.sleep(0.002)
        return answer(request)

    queries = {f"q{number}": f"word {number}" for number in range(200)}
    engine = Scripted(reply)
    with pytest.raises(StopError):
        relyon.search(engine, queries, 2, output=tmp_path / "a.run", progress=stop)
    first = engine.asked.total()
    assert 50 <= first < 200
    found = relyon.search(engine, queries, 2, output=tmp_path / "a.run")
    assert set(engine.asked.values()) == {1}
    assert found.notes[0] == Note("search-resumed", first)


def interrupted(folder: Path, queries: Mapping[str, str] = QUERIES) -> Path:
    """Leaves the journal of a search that was cut off."""

    def reply(request: Request) -> Answer:
        if request.query.id == "q3":
            raise FatalError("gone")
        return answer(request)

    with pytest.raises(FatalError):
        relyon.search(
            Scripted(reply), queries, 2, output=folder / "a.run", limits=Limits(concurrency=1)
        )
    return folder / "a.run.partial"


def test_a_half_written_line_is_asked_again(tmp_path: Path) -> None:
    journal = interrupted(tmp_path)
    whole = journal.read_bytes()
    complete = Scripted(answer)
    relyon.search(complete, QUERIES, 2, output=tmp_path / "whole.run")
    for size in [*range(0, len(whole), 23), len(whole) - 1, len(whole)]:
        journal.write_bytes(whole[:size])
        engine = Scripted(answer)
        relyon.search(engine, QUERIES, 2, output=tmp_path / "a.run", overwrite=True)
        assert engine.asked.total() <= 3
        for name in ("a.run", "a.run.tape.jsonl"):
            (tmp_path / name).rename(tmp_path / f"cut-{name}")
        assert (tmp_path / "cut-a.run").read_bytes() == (tmp_path / "whole.run").read_bytes()
        assert without_times(tmp_path / "cut-a.run.tape.jsonl") == without_times(
            tmp_path / "whole.run.tape.jsonl"
        )
        read_tape(tmp_path / "cut-a.run.tape.jsonl")


def test_a_journal_of_another_search_is_not_used(tmp_path: Path) -> None:
    journal = interrupted(tmp_path)
    kept = journal.read_bytes()
    with pytest.raises(relyon.InputError, match="unfinished search of another"):
        relyon.search(Scripted(answer), QUERIES, 3, output=tmp_path / "a.run")
    assert journal.read_bytes() == kept
    relyon.search(Scripted(answer), QUERIES, 3, output=tmp_path / "a.run", restart=True)
    assert len(relyon.read_run(tmp_path / "a.run")) == 9


def test_another_search_is_named_and_left_alone(tmp_path: Path) -> None:
    def reply(request: Request) -> Answer:
        with pytest.raises(relyon.InputError, match="another search is writing"):
            relyon.search(Scripted(answer), QUERIES, 2, output=tmp_path / "a.run", restart=True)
        return answer(request)

    engine = Scripted(reply)
    relyon.search(engine, QUERIES, 2, output=tmp_path / "a.run", limits=Limits(concurrency=1))
    assert engine.asked.total() == 3
    assert sorted(one.name for one in tmp_path.iterdir()) == ["a.run", "a.run.tape.jsonl"]


def test_a_file_that_is_no_journal_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.run.partial"
    path.write_text("my notes\nof today\n")
    with pytest.raises(relyon.InputError, match="not a tape"):
        relyon.search(Scripted(answer), QUERIES, 2, output=tmp_path / "a.run")
    assert path.read_text() == "my notes\nof today\n"


def test_documents_that_change_meanwhile_are_noted() -> None:
    def reply(request: Request) -> Answer:
        return Answer(["d1"], [1.0], [{"title": "new" if request.query.id == "q3" else "old"}])

    found = relyon.search(Scripted(reply), QUERIES, 1)
    assert kinds(found.notes) == ["search-documents-changed"]
    assert found.notes[0].examples == ("d1",)


def test_heads_differ_in_everything_but_the_time() -> None:
    head = Head(
        engine="e",
        kind="k",
        address="a",
        recipe="r",
        k=1,
        explain=False,
        variants={},
        queries="q",
        started=1.0,
    )
    assert head.same(msgspec.structs.replace(head, started=2.0))
    for name, value in {"k": 2, "recipe": "s", "variants": {"a": {}}, "address": "b"}.items():
        assert not head.same(msgspec.structs.replace(head, **{name: value}))
