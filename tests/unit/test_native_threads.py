"""Native objects that several threads use at once: nothing crashes, nothing is lost.

What each object promises is in native/README.md, "Threads". Python switches threads as often as it
can here; `make sanitize-threads` runs this file under ThreadSanitizer.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event
from typing import TypeVar

import numpy as np
import polars as pl
import pytest

from relyon import _native

Part = TypeVar("Part")

WRITERS = 4
READERS = 2
AUC: tuple[str, dict[str, object]] = "auc", {}
NDCG: tuple[str, dict[str, object]] = "ndcg", {"k": 5}


@pytest.fixture(autouse=True)
def often() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def share(
    parts: Sequence[Part], write: Callable[[Part], object], read: Callable[[], object]
) -> None:
    """Gives the parts to some threads, while others read until all is written."""
    done = Event()
    start = Barrier(WRITERS)

    def reading() -> None:
        while not done.is_set():
            read()

    def writing(first: int) -> None:
        start.wait()
        for part in parts[first::WRITERS]:
            write(part)

    with ThreadPoolExecutor(WRITERS + READERS) as pool:
        readers = [pool.submit(reading) for _ in range(READERS)]
        try:
            list(pool.map(writing, range(WRITERS)))
        finally:
            done.set()
        for one in readers:
            one.result()


def pooled_total(seed: int) -> _native.Total:
    draw = np.random.default_rng(seed)
    labels, scores = np.array([0.0, 1.0]), draw.integers(0, 9, 2).astype(float)
    return _native.evaluate_arrays(_native.Plan([AUC]), labels, scores).total(0)


def test_threads_merge_totals_into_one() -> None:
    totals = [pooled_total(seed) for seed in range(50)] * 1000
    expected = _native.Total()
    for total in totals:
        expected.merge(total)
    found = _native.Total()

    def read() -> None:
        found.auc()
        found.auc(0.5)
        found.average_precision()
        found.to_bytes()

    share(totals, found.merge, read)
    assert (found.queries, found.mean(), found.numerator) == (
        expected.queries,
        expected.mean(),
        expected.numerator,
    )
    assert (found.auc(), found.auc(0.5), found.average_precision()) == (
        expected.auc(),
        expected.auc(0.5),
        expected.average_precision(),
    )


def test_scores_are_dropped_while_others_read_them() -> None:
    totals = [pooled_total(seed) for seed in range(50)] * 1000
    found = _native.Total()

    def write(total: _native.Total) -> None:
        found.merge(total)
        found.drop_scores()

    share(totals, write, found.auc)
    assert found.queries == len(totals)


def test_threads_merge_two_totals_into_each_other_and_themselves() -> None:
    one, other = pooled_total(1), pooled_total(2)
    pairs = [(one, other), (other, one)] * 6
    share(pairs, lambda pair: pair[0].merge(pair[1]), one.auc)
    expected = one.queries, one.numerator, one.mean()
    share([one], lambda total: total.merge(total), one.auc)
    assert (one.queries, one.numerator, one.mean()) == (
        2 * expected[0],
        2 * expected[1],
        expected[2],
    )


def sessions(number: int, size: int = 30) -> pl.DataFrame:
    """The rows of some sessions, which no other number has."""
    draw = np.random.default_rng(number)
    rows = 5 * size
    return pl.DataFrame(
        {
            "session": np.repeat(np.arange(number * size, (number + 1) * size), 5),
            "query": np.repeat(draw.integers(0, 20, size), 5).astype(str),
            "doc": draw.integers(0, 30, rows).astype(str),
            "position": np.tile(np.arange(1, 6), size),
            "clicked": draw.integers(0, 2, rows),
        }
    )


def contents(log: _native.ClickLog) -> list[object]:
    patterns = log.patterns()
    facts = [log.sessions, log.rows, log.pairs, log.deep, log.repeated, log.shared]
    texts = [pl.Series(one).to_list() for one in (log.queries(), log.documents())]
    return [facts, texts, {name: values.tolist() for name, values in patterns.items()}]


def look(log: _native.ClickLog) -> None:
    log.patterns()
    log.counts()
    log.cells()
    assert len(log.queries()) <= 20 * 30
    assert log.sessions <= log.rows
    log.examination("position", 2, 1e-3, 1.0, 2.0, 0.5)
    log.chain("dbn", 2, 1e-3, 1.0, 2.0, 0.5)


@pytest.mark.parametrize("threads", [1, 3])
def test_threads_add_sessions_to_one_log(threads: int) -> None:
    parts = [sessions(number) for number in range(24)]
    expected, found = (
        _native.ClickLog(5, remember=True, threads=number) for number in (1, threads)
    )

    def add(log: _native.ClickLog, part: pl.DataFrame) -> None:
        assert log.add(*part.get_columns())

    for part in parts:
        add(expected, part)
    share(parts, lambda part: add(found, part), lambda: look(found))
    assert expected.finish()
    assert found.finish()
    assert contents(found) == contents(expected)


@pytest.mark.long
def test_threads_merge_counted_sessions_into_one_log() -> None:
    query, count = pl.Series(["q1", "q2"]), pl.Series([3, 1])
    size, document = pl.Series([2, 1]), pl.Series(["a", "b", "c"])
    position, clicked = pl.Series([1, 2, 1]), pl.Series([0, 1, 1])
    found = _native.ClickLog(5, remember=True)

    def merge(number: int) -> None:
        ids = [f"{one}-{number % 7}" for one in document]
        columns = query, count, size, pl.Series(ids), position, clicked
        found.merge(*columns, (1, 2, 3))

    share(range(100), merge, lambda: look(found))
    found.finish()
    assert (found.sessions, found.rows, found.pairs) == (400, 700, 21)
    assert (found.deep, found.repeated, found.shared) == (100, 200, 300)


def test_a_log_is_finished_once_however_many_threads_try() -> None:
    log = _native.ClickLog(5)
    log.add(*sessions(0).get_columns())

    def finish(_: int) -> bool:
        try:
            return log.finish()
        except RuntimeError:
            return False

    with ThreadPoolExecutor(WRITERS) as pool:
        assert sum(pool.map(finish, range(WRITERS))) == 1
    with pytest.raises(RuntimeError, match=r"nothing can be added after finish\(\)"):
        log.add(*sessions(1).get_columns())


def judged(number: int) -> dict[str, dict[str, float]]:
    queries = [f"{number}-{one}" for one in range(12)]
    return {query: {f"d{one}": float(one % 3) for one in range(9)} for query in queries}


def test_threads_add_parts_to_one_run() -> None:
    numbers = range(60)
    judgments = {query: grades for number in numbers for query, grades in judged(number).items()}
    run = {query: {doc: -float(doc[1:]) for doc in grades} for query, grades in judgments.items()}
    table = _native.JudgmentTable.from_dict(judgments)
    kernels = _native.Plan([NDCG])
    found = _native.RunParts(table, kernels, 2)

    def add(number: int) -> None:
        rows = [(query, doc, run[query][doc]) for query in judged(number) for doc in run[query]]
        assert found.add(*(pl.Series(column) for column in zip(*rows, strict=True)))

    def evaluate() -> None:
        _native.evaluate_dict(table, kernels, run)

    share(numbers, add, evaluate)
    whole = found.finish()
    expected = _native.evaluate_dict(table, kernels, run)
    assert whole.rows == expected.rows
    assert dict(zip(whole.queries, whole.values(0), strict=True)) == dict(
        zip(expected.queries, expected.values(0), strict=True)
    )
    with pytest.raises(RuntimeError, match=r"nothing can be added after finish\(\)"):
        found.finish()


def test_threads_add_parts_to_labelled_rows() -> None:
    numbers = range(60)
    found = _native.LabelledParts(_native.Plan([AUC, NDCG]), 2)

    def add(number: int) -> None:
        grades = [(query, grade) for query, one in judged(number).items() for grade in one.values()]
        query, label = (pl.Series(column) for column in zip(*grades, strict=True))
        assert found.add(query, label, pl.Series(np.arange(len(label)) % 5 * 1.0))

    share(numbers, add, lambda: None)
    whole = found.finish()
    assert whole.label_facts == (2, 0, 0, 0)
    assert (len(whole.queries), len(set(whole.queries)), whole.rows) == (720, 720, 6480)
    assert len(set(whole.values(1))) > 1
    with pytest.raises(RuntimeError, match=r"nothing can be added after finish\(\)"):
        found.finish()


def counted(start: str = "", **environment: str) -> int:
    """The number of threads that a new process uses for 0."""
    code = f"import os, sys; {start}\nfrom relyon import _native\n"
    found = subprocess.run(
        [sys.executable, "-c", code + "print(_native.thread_count())"],
        env={name: one for name, one in os.environ.items() if name != "RELYON_THREADS"}
        | environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return int(found.stdout)


def test_no_number_of_threads_means_all_cores_of_the_process() -> None:
    if not hasattr(os, "sched_getaffinity"):
        assert counted() == os.cpu_count()
        return
    assert 1 <= counted() <= len(os.sched_getaffinity(0))
    assert counted(f"os.sched_setaffinity(0, {{{min(os.sched_getaffinity(0))}}})") == 1


def test_the_environment_sets_the_number_of_threads() -> None:
    assert counted(RELYON_THREADS="7") == 7
    assert counted(RELYON_THREADS="1000") == 256
    assert counted(RELYON_THREADS="many") == counted()


def test_a_number_of_threads_is_taken_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RELYON_THREADS", "7")
    assert [_native.thread_count(one) for one in (0, 1, 12, 1000)] == [7, 1, 12, 256]
