"""Faults in the middle of a thousand queries: nothing lost, asked twice or doubled."""

from __future__ import annotations

import json
import random
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.unit.scripted_engine import Asked, Script, serve_script
from tests.unit.searched import hits_of, reply_of, without_times, write_engine

import relyon
from relyon.engines import FatalError, Limits, asking, read_tape

pytestmark = pytest.mark.long
pytest.importorskip("httpcore2")

QUERIES = {f"q{number:04}": f"query {number} 电视" for number in range(1000)}
LIMITS = Limits(concurrency=8, retries=4, timeout=0.6)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Retries do not wait long."""
    monkeypatch.setattr(asking, "FIRST_REST", 0.002)


class Server:
    """Answers well, but for the faults of a test; counts what it answered well.

    Attributes:
        answered: How often each query was answered.
        came: How often each query was asked.
    """

    def __init__(
        self, fault: Callable[[str, int], Script | None] = lambda query, turn: None
    ) -> None:
        self.fault = fault
        self.answered: Counter[str] = Counter()
        self.came: Counter[str] = Counter()
        self._lock = threading.Lock()

    def __call__(self, asked: Asked) -> Script:
        body = asked.json
        assert isinstance(body, dict)
        with self._lock:
            self.came[body["q"]] += 1
            script = self.fault(body["q"], self.came[body["q"]])
            if script is None:
                self.answered[body["q"]] += 1
                return Script(reply_of(body))
        return script


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run of an engine without faults."""
    folder = tmp_path_factory.mktemp("good")
    with serve_script(Server()) as (address, _):
        relyon.search(
            write_engine(folder, address), QUERIES, 10, output=folder / "a.run", limits=LIMITS
        )
    return folder / "a.run"


def same(found: Path, expected: Path) -> None:
    """Checks that a run and its tape are those of a search without faults."""
    assert found.read_bytes() == expected.read_bytes()
    tapes = [Path(f"{one}.tape.jsonl") for one in (found, expected)]
    assert without_times(tapes[0]) == without_times(tapes[1])


WHOLE = json.dumps({"hits": hits_of("red", 10)}).encode()
FAULTS = {
    "503 with Retry-After": Script({"error": "busy"}, 503, {"Retry-After": "0"}),
    "429 with a date": Script({}, 429, {"Retry-After": "Thu, 01 Jan 1970 00:00:00 GMT"}),
    "500": Script(b"<html>oops", 500),
    "truncated": Script(WHOLE[: len(WHOLE) // 2], length=len(WHOLE)),
    "cut": Script(cut=True),
}


@pytest.mark.parametrize("name", [*FAULTS, "mixed"])
def test_passing_faults_leave_no_trace_in_the_run(
    tmp_path: Path, expected: Path, name: str
) -> None:
    chance = random.Random(7)
    bad = set(chance.sample(list(QUERIES.values()), 150))
    chosen = list(FAULTS.values()) if name == "mixed" else [FAULTS[name]]

    def fault(query: str, turn: int) -> Script | None:
        return chance.choice(chosen) if query in bad and turn <= 2 else None

    server = Server(fault)
    with serve_script(server) as (address, _):
        found = relyon.search(
            write_engine(tmp_path, address), QUERIES, 10, output=tmp_path / "a.run", limits=LIMITS
        )
    same(tmp_path / "a.run", expected)
    assert set(server.answered.values()) == {1}
    assert {server.came[one] for one in bad} == {3}
    assert found.latencies["base"].retried == 300
    assert [(one.kind, one.count) for one in found.notes] == [("search-retried", 150)]


def test_late_answers_are_asked_again(tmp_path: Path, expected: Path) -> None:
    late = set(list(QUERIES.values())[100:1000:180])
    server = Server(
        lambda query, turn: Script({}, wait=1.2) if query in late and turn == 1 else None
    )
    with serve_script(server) as (address, _):
        relyon.search(
            write_engine(tmp_path, address), QUERIES, 10, output=tmp_path / "a.run", limits=LIMITS
        )
    same(tmp_path / "a.run", expected)
    tape = read_tape(tmp_path / "a.run.tape.jsonl")
    retried = {one.query for one in tape.entries.values() if one.problems}
    assert {QUERIES[one] for one in retried} >= late


def test_truncated_json_of_the_promised_length_is_no_answer(tmp_path: Path) -> None:
    server = Server(
        lambda query, turn: Script(WHOLE[:-7]) if query.startswith("query 5 ") else None
    )
    with serve_script(server) as (address, _):
        engine = write_engine(tmp_path, address)
        with pytest.raises(relyon.InputError, match=r"1 of 1000 .*q0005"):
            relyon.search(engine, QUERIES, 10, output=tmp_path / "a.run", limits=LIMITS)
        assert not (tmp_path / "a.run").exists()
        server.fault = lambda query, turn: None
        relyon.search(engine, QUERIES, 10, output=tmp_path / "a.run", limits=LIMITS)
    assert set(server.answered.values()) == {1}


def test_doubles_missing_scores_and_few_results_are_named(tmp_path: Path) -> None:
    def fault(query: str, turn: int) -> Script | None:
        hits = hits_of(query, 10)
        if query.startswith("query 11 "):
            return Script({"hits": [*hits[:5], *hits[:5]]})
        if query.startswith("query 12 "):
            return Script({"hits": [{**hits[0], "score": None}, *hits[1:]]})
        if query.startswith("query 13 "):
            return Script({"hits": hits[:3]})
        return Script({"hits": []}) if query.startswith("query 14 ") else None

    with serve_script(Server(fault)) as (address, _):
        engine = write_engine(tmp_path, address)
        found = relyon.search(engine, QUERIES, 10, output=tmp_path / "a.run", limits=LIMITS)
    assert {one.kind: one.examples for one in found.notes} == {
        "search-scores-missing": ("q0012",),
        "search-empty": ("q0014",),
        "search-short": ("q0011", "q0013"),
        "search-duplicates": ("q0011",),
    }
    assert found.run.documents("q0000")[0][1] == 10.0
    again = relyon.search(engine, QUERIES, 10, replay=tmp_path / "a.run.tape.jsonl")
    assert again.run.to_dict() == found.run.to_dict()


def test_a_server_that_goes_down_for_good_stops_the_search(tmp_path: Path, expected: Path) -> None:
    server = Server()
    with serve_script(server) as (address, _):

        def down(query: str, turn: int) -> Script | None:
            return Script(cut=True) if len(server.answered) >= 400 else None

        server.fault = down
        engine = write_engine(tmp_path, address)
        with pytest.raises(FatalError, match="no answer") as caught:
            relyon.search(engine, QUERIES, 10, output=tmp_path / "a.run", limits=LIMITS)
        assert "run the same again" in caught.value.hint
        assert sum(server.came.values()) < 400 + 2 * 8 * (LIMITS.retries + 1)
        assert sorted(one.name for one in tmp_path.iterdir()) == ["a.run.partial", "engine.toml"]
        server.fault = lambda query, turn: None
        relyon.search(engine, QUERIES, 10, output=tmp_path / "a.run", limits=LIMITS)
    assert set(server.answered.values()) == {1}
    same(tmp_path / "a.run", expected)


def test_a_server_that_is_not_there_is_named_after_one_request(tmp_path: Path) -> None:
    with serve_script(Server()) as (address, _):
        pass
    with pytest.raises(FatalError, match=r"requests? in a row"):
        relyon.search(write_engine(tmp_path, address), QUERIES, 10, limits=LIMITS)


def test_a_longer_wait_than_allowed_stops_the_search(tmp_path: Path) -> None:
    busy = Script({}, 429, {"Retry-After": "3600"})
    with (
        serve_script(Server(lambda query, turn: busy)) as (address, _),
        pytest.raises(FatalError, match="3600"),
    ):
        relyon.search(write_engine(tmp_path, address), QUERIES, 10, limits=LIMITS)


def test_a_key_that_expires_in_the_middle(tmp_path: Path, expected: Path) -> None:
    server = Server()
    with serve_script(server) as (address, _):
        expired = Script({"error": "expired"}, 401)
        server.fault = lambda query, turn: expired if len(server.answered) >= 500 else None
        engine = write_engine(tmp_path, address)
        with pytest.raises(FatalError, match="401"):
            relyon.search(engine, QUERIES, 10, output=tmp_path / "a.run", limits=LIMITS)
        assert sum(server.came.values()) <= 500 + 2 * LIMITS.concurrency
        server.fault = lambda query, turn: None
        relyon.search(engine, QUERIES, 10, output=tmp_path / "a.run", limits=LIMITS)
    assert set(server.answered.values()) == {1}
    same(tmp_path / "a.run", expected)
