"""The job that takes a snapshot: stopped, killed, failed, continued; nothing is asked twice."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy")
pytest.importorskip("msgspec")

from tests.unit.searched import QUICK, Scripted
from tests.unit.snapshotted import QUERIES, answer, engine_of, project_of, settle, snapshot

from relyon.core.errors import ParameterError
from relyon.core.texts import message
from relyon.engines import Answer, Configuration, FatalError, PassingError, RefusedError, Request
from relyon.engines.files.secrets import Secrets
from relyon.engines.files.template import Json
from relyon.judging.job_reasons import read_reason
from relyon.judging.jobs import stop_job
from relyon.judging.records import Project
from relyon.judging.removal import remove_project, tidy_up
from relyon.judging.snapshots.kept import (
    Snapshot,
    delete_snapshot,
    find_snapshot,
    list_snapshots,
    read_answers,
)
from relyon.judging.snapshots.queries import project_queries
from relyon.judging.snapshots.taking import (
    SnapshotRun,
    continue_snapshot,
    last_snapshot_job,
    running_snapshot,
    start_snapshot,
)
from relyon.judging.store import Store, open_store

ONE = replace(QUICK, concurrency=1)


def begin(store: Store, project: Project, engine: Configuration) -> SnapshotRun:
    queries = project_queries(store, project.id)
    return start_snapshot(store, project, engine, engine.variants[0], queries, k=5, name="A")


def reason(store: Store, project: Project) -> str:
    job = last_snapshot_job(store, project.id)
    assert job is not None
    return read_reason(job.message, "en")


def wait_for(condition: Callable[[], bool], seconds: float = 20.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def read(store: Store, project: Project) -> Snapshot:
    (found,) = list_snapshots(store, project.id)
    return found


def test_a_stopped_snapshot_goes_on_where_it_ended(store: Store) -> None:
    project = project_of(store)
    asked: Counter[str] = Counter()
    hold = threading.Event()

    def reply(request: Request) -> Answer:
        if len(asked) == 5:
            hold.wait(20)
        asked[request.query.id] += 1
        return answer(request)

    run = begin(store, project, engine_of(reply, ONE))
    thread = threading.Thread(target=run.run)
    thread.start()
    wait_for(lambda: read(store, project).answered == 5)
    assert running_snapshot(store, project.id) == run.snapshot.id
    with pytest.raises(ParameterError, match="being taken already"):
        begin(store, project, engine_of())
    with pytest.raises(ParameterError, match="is being taken"):
        delete_snapshot(store, run.snapshot)
    # Although the engine does not answer, the job ends.
    assert stop_job(store, run.work.job_id)
    thread.join(10)
    assert not thread.is_alive()
    job = last_snapshot_job(store, project.id)
    assert job is not None
    assert (job.state, job.done, job.total) == ("stopped", 5, 12)
    found = read(store, project)
    assert (found.state, found.answered, found.p50) == ("open", 5, None)
    hold.set()
    settle()
    asked.clear()
    kept = {one.query.id for one in read_answers(store, found)}
    continue_snapshot(store, project, found, engine_of(reply)).run()
    found = read(store, project)
    assert (found.state, found.answered) == ("whole", QUERIES)
    # q5 was on its way when the job was stopped: its answer is kept, too.
    assert kept == {f"q{n}" for n in range(6)}
    assert asked == Counter(f"q{n}" for n in range(6, QUERIES))


def test_the_engine_fails_in_the_middle(store: Store) -> None:
    project = project_of(store)
    asked: Counter[str] = Counter()

    def reply(request: Request) -> Answer:
        if len(asked) == 4:
            raise FatalError(message("engines.is-no-tape"))
        asked[request.query.id] += 1
        return answer(request)

    begin(store, project, engine_of(reply, ONE)).run()
    assert "tape" in reason(store, project)
    found = read(store, project)
    assert (found.state, found.answered) == ("open", 4)
    engine = engine_of()
    continue_snapshot(store, project, found, engine).run()
    assert read(store, project).whole
    assert isinstance(engine.engine, Scripted)
    assert len(engine.engine.asked) == QUERIES - 4


def test_queries_without_an_answer_are_asked_again(store: Store) -> None:
    project = project_of(store)
    away = {"q3", "q7"}

    def reply(request: Request) -> Answer:
        if request.query.id in away:
            raise PassingError("timeout", "no answer within 5 s")
        return answer(request)

    begin(store, project, engine_of(reply, replace(QUICK, retries=0))).run()
    assert "2 of 12 requests have no answer (q3, q7)" in reason(store, project)
    assert read(store, project).answered == 10
    away.clear()
    engine = engine_of(reply)
    continue_snapshot(store, project, read(store, project), engine).run()
    assert read(store, project).whole
    assert isinstance(engine.engine, Scripted)
    assert sorted(query for _, query in engine.engine.asked) == ["q3", "q7"]


def test_an_engine_that_refuses_everything_makes_no_snapshot(store: Store) -> None:
    project = project_of(store)
    secrets = Secrets({})
    secrets.add("s3cr3t-key")

    def refuse(request: Request) -> Answer:
        raise RefusedError("refused", "no such column at here with s3cr3t-key")

    engine = Configuration("shop", Scripted(refuse, secrets=secrets), engine_of().variants, QUICK)
    begin(store, project, engine).run()
    told = reason(store, project)
    assert "refused every query" in told
    # Neither the address nor a secret is shown to leads.
    assert "here" not in told
    assert "s3cr3t" not in told
    found = read(store, project)
    assert (found.state, found.answered) == ("open", 0)


def test_another_recipe_does_not_go_on(store: Store) -> None:
    project = project_of(store)

    def refuse(request: Request) -> Answer:
        raise RefusedError("refused", "no")

    begin(store, project, engine_of(refuse)).run()

    class Changed(Scripted):
        @property
        def recipe(self) -> Json:
            return {"kind": self.name, "body": "another"}

    engine = Configuration("shop", Changed(answer), engine_of().variants, QUICK)
    with pytest.raises(ParameterError, match="was changed since"):
        continue_snapshot(store, project, read(store, project), engine)
    continue_snapshot(store, project, read(store, project), engine_of()).run()
    with pytest.raises(ParameterError, match="has all its answers"):
        continue_snapshot(store, project, read(store, project), engine_of())


def test_a_secret_that_comes_back_is_not_kept(store: Store) -> None:
    project = project_of(store)
    secrets = Secrets({})
    secrets.add("s3cr3t-key")

    def reply(request: Request) -> Answer:
        found = answer(request)
        fields = [
            {"title": f"{one} s3cr3t-key", "url": "https://a/?k=s3cr3t-key"} for one in found.ids
        ]
        return Answer([*found.ids[:-1], "s3cr3t-key"], found.scores, fields)

    engine = Configuration("shop", Scripted(reply, secrets=secrets), engine_of().variants, QUICK)
    found = snapshot(store, project, engine)
    assert "s3cr3t" not in repr(read_answers(store, found, documents=True))


def test_strange_answers_are_kept(store: Store) -> None:
    project = project_of(store, queries=3)

    def reply(request: Request) -> Answer:
        ids = ["商品-1", "a b\tc", "x" * 3000]
        long = {f"f{n}": "y" * 100_000 for n in range(9)}
        fields = [{"标题": "红鞋"}, {"title": "nul \0 byte"}, long]
        return Answer(ids, [None, None, None], fields)

    found = snapshot(store, project, engine_of(reply))
    answers = read_answers(store, found, documents=True)
    assert answers[0].entry.ids == ["商品-1", "a b\tc", "x" * 3000]
    assert answers[0].documents["商品-1"] == {"标题": "红鞋"}
    kept = answers[0].documents["x" * 3000]
    assert {name: len(text) for name, text in kept.items()} == {"f0": 1000, "f1": 1000}


def test_a_project_that_is_removed_meanwhile_stops_it(store: Store) -> None:
    project = project_of(store)
    hold = threading.Event()

    def reply(request: Request) -> Answer:
        hold.wait(20)
        return answer(request)

    run = begin(store, project, engine_of(reply))
    thread = threading.Thread(target=run.run)
    thread.start()
    try:
        remove_project(store, project)
    finally:
        hold.set()
        thread.join(20)
        settle()
    assert list_snapshots(store, project.id) == []


CHILD = """
import sys, time
from tests.unit.snapshotted import answer, engine_of
from tests.unit.test_judging_snapshots_jobs import ONE, begin
from relyon.judging.store import open_store

def reply(request):
    time.sleep(0.02)
    print(request.query.id, flush=True)
    return answer(request)

with open_store(sys.argv[1]) as store:
    begin(store, store.projects.get(1), engine_of(reply, ONE)).run()
"""


@pytest.mark.long
@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signal")
def test_a_killed_process_loses_nothing_that_was_answered(tmp_path: Path) -> None:
    path = str(tmp_path / "judging.db")
    with open_store(path, create=True) as store:
        project_of(store, queries=60)
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, path], stdout=subprocess.PIPE, text=True, cwd=os.getcwd()
    )
    assert child.stdout is not None
    told = [child.stdout.readline().strip() for _ in range(9)]
    child.send_signal(signal.SIGKILL)
    child.wait()
    told += child.stdout.read().split()
    child.stdout.close()
    with open_store(path) as store:
        project = store.projects.get(1)
        assert tidy_up(store) == 1
        assert "the program was ended" in reason(store, project)
        found = read(store, project)
        assert found.state == "open"
        # All but the last ones, whose answers were on their way to the database.
        assert len(told) - 2 <= found.answered <= len(told)
        kept = {one.query.id for one in read_answers(store, found)}
        engine = engine_of()
        continue_snapshot(store, project, found, engine).run()
        assert isinstance(engine.engine, Scripted)
        again = {query for _, query in engine.engine.asked}
        assert not again & kept
        whole = find_snapshot(store, project.id, found.id)
        assert (whole.state, whole.answered) == ("whole", 60)
        other = snapshot(store, project, name="B")
        assert other.checksum == whole.checksum
