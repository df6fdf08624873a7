"""A language model's run as a job: stopped, killed, continued; nothing is asked twice."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy")

from tests.unit.asking import configure, project_to_ask, title_number
from tests.unit.completions import Completions, Received, Reply

from relyon.core.errors import InputError, ParameterError
from relyon.core.texts import message
from relyon.engines.pace import Pace
from relyon.judging.job_reasons import read_reason, write_reason
from relyon.judging.jobs import stop_job
from relyon.judging.llm.endpoint import Endpoint
from relyon.judging.llm.estimate import ANSWER, count_tokens, estimate_tokens
from relyon.judging.llm.judge import build_plan, choose_items
from relyon.judging.llm.model_jobs import (
    ModelRun,
    continue_model,
    last_model_job,
    running_model_job,
    start_model,
)
from relyon.judging.llm.prompt import build_prompt, restore_prompt
from relyon.judging.records import Item, Project
from relyon.judging.removal import remove_project, tidy_up
from relyon.judging.store import Store, open_store


@pytest.fixture
def project(store: Store) -> Project:
    return project_to_ask(store)


def begin(store: Store, project: Project, url: str, **changes: object) -> ModelRun:
    configuration = configure(store, project, url, **changes)
    prompt = build_prompt(project)
    plan = build_plan(store, configuration, prompt, choose_items(store, project.id))
    return start_model(store, project, configuration, prompt, plan)


def endpoint(url: str, retries: int = 1) -> Endpoint:
    return Endpoint(url, pace=Pace(wait=lambda _: None), retries=retries)


def wait_for(condition: Callable[[], bool], seconds: float = 20.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_a_run_is_a_job(store: Store, project: Project, server: Completions) -> None:
    run = begin(store, project, server.url)
    job = running_model_job(store, project.id)
    assert job is not None
    assert (job.kind, job.total, job.alive) == ("model", 36, True)
    # One model at a time.
    with pytest.raises(ParameterError, match="grading this project already"):
        begin(store, project, server.url, samples=4)
    outcome = run.run(endpoint(server.url))
    assert outcome.graded == 36
    job = last_model_job(store, project.id)
    assert job is not None
    assert (job.state, job.done, job.items, job.grades, job.message) == ("done", 36, 36, 36, "")
    assert running_model_job(store, project.id) is None
    tally = store.replies.tally(run.configuration)
    assert (tally.items, tally.answers, tally.graded) == (12, 36, 36)
    assert (tally.prompt_tokens, tally.completion_tokens) == (3600, 360)
    with pytest.raises(InputError, match="nothing to ask"):
        continue_model(store, project, run.configuration)


def test_a_run_is_stopped_and_continued(
    store: Store, project: Project, server: Completions
) -> None:
    server.script = lambda _: Reply(seconds=0.15)
    run = begin(store, project, server.url)
    thread = threading.Thread(
        target=run.run, args=(endpoint(server.url),), kwargs={"concurrency": 2}
    )
    thread.start()
    wait_for(lambda: len(server.received) > 3)
    job = running_model_job(store, project.id)
    assert job is not None
    assert stop_job(store, job.id)
    thread.join(20)
    job = last_model_job(store, project.id)
    assert job is not None
    assert job.state == "stopped"
    asked = len(server.received)
    assert 3 < asked < 36
    assert store.replies.tally(run.configuration).answers == asked
    server.script = lambda _: Reply()
    continued = continue_model(store, project, run.configuration)
    assert len(continued.plan.open) == 36 - asked
    continued.run(endpoint(server.url))
    assert len(server.received) == 36
    assert len(store.replies.samples(run.configuration)) == 12


def test_a_run_that_fails_says_why_in_both_languages(
    store: Store, project: Project, server: Completions
) -> None:
    server.script = lambda _: Reply(status=401, body=b'{"error": {"message": "bad key"}}')
    run = begin(store, project, server.url)
    run.run(endpoint(server.url))
    job = last_model_job(store, project.id)
    assert job is not None
    assert job.state == "failed"
    assert "HTTP 401: bad key" in read_reason(job.message, "en")
    server.script = lambda _: Reply(status=503)
    continue_model(store, project, run.configuration).run(endpoint(server.url))
    job = last_model_job(store, project.id)
    assert job is not None
    assert read_reason(job.message, "en") != read_reason(job.message, "zh")
    # It goes on when the endpoint is well again.
    server.script = lambda _: Reply()
    continue_model(store, project, run.configuration).run(endpoint(server.url))
    assert len(store.replies.samples(run.configuration)) == 12


def test_it_goes_on_with_the_prompt_it_had(
    store: Store, project: Project, server: Completions
) -> None:
    answered = threading.Event()

    def script(request: Received) -> Reply:
        if title_number(request) >= 4:
            answered.set()
            return Reply(status=404)
        return Reply()

    server.script = script
    run = begin(store, project, server.url)
    run.run(endpoint(server.url), concurrency=1)
    server.script = lambda _: Reply()
    store.projects.set_guideline(project.id, {"en": "Another guideline."})
    # A text that was changed since would be another question.
    store.items.add(project.id, [Item("q9", "d9", title="New")])
    continued = continue_model(store, store.projects.get("June"), run.configuration)
    before = len(server.received)
    continued.run(endpoint(server.url))
    prompts = {one.body["messages"][0]["content"] for one in server.received[before:]}
    assert all("Another guideline." not in one for one in prompts)
    assert len(store.models.all(project.id)) == 1
    assert len(store.replies.samples(run.configuration)) == 12
    with pytest.raises(InputError, match="cannot be repeated"):
        restore_prompt("Other rules.", language="en", scale=project.scale)


def test_a_closed_project_and_one_that_is_removed(
    store: Store, project: Project, server: Completions
) -> None:
    server.script = lambda _: Reply(seconds=0.2)
    run = begin(store, project, server.url)
    thread = threading.Thread(target=run.run, args=(endpoint(server.url),))
    thread.start()
    wait_for(lambda: len(server.received) > 2)
    remove_project(store, project)
    thread.join(20)
    assert len(server.received) < 36
    other = store.projects.create("July", guideline={"en": "Grade it."})
    store.items.add(other.id, [Item("q", "d", title="Title 1")])
    store.projects.close(other.id)
    with pytest.raises(ParameterError, match="closed"):
        begin(store, other, server.url)


WORKER = """
import sys
from relyon.judging import open_store
from relyon.judging.llm.endpoint import Endpoint
from relyon.judging.llm.model_jobs import continue_model

with open_store(sys.argv[1]) as store:
    project = store.projects.get("June")
    (configuration,) = store.models.all(project.id)
    continue_model(store, project, configuration).run(Endpoint(sys.argv[2]), concurrency=2)
"""


@pytest.mark.long
@pytest.mark.skipif(os.name == "nt", reason="there is no kill -9")
def test_a_run_that_is_killed_goes_on(
    judging_database: str, server: Completions, tmp_path: Path
) -> None:
    server.script = lambda _: Reply(seconds=0.1)
    with open_store(judging_database) as store:
        project = project_to_ask(store)
        configuration = configure(store, project, server.url)
        plan = build_plan(
            store, configuration, build_prompt(project), choose_items(store, project.id)
        )
        store.replies.add_requests(configuration, plan.requests)
        (tmp_path / "worker.py").write_text(WORKER)
        command = [sys.executable, str(tmp_path / "worker.py"), judging_database, server.url]
        process = subprocess.Popen(command)
        wait_for(lambda: len(server.received) > 6, 60)
        process.send_signal(signal.SIGKILL)
        process.wait()
        stored = store.replies.tally(configuration).answers
        asked = len(server.received)
        assert asked - 2 <= stored <= asked
        job = running_model_job(store, project.id)
        assert job is not None
        assert not job.alive
        assert tidy_up(store) == 1
        job = last_model_job(store, project.id)
        assert job is not None
        assert job.state == "failed"
        assert "answers so far are kept" in read_reason(job.message, "en")
        server.script = lambda _: Reply()
        continue_model(store, project, configuration).run(endpoint(server.url))
        assert store.replies.tally(configuration).answers == 36
        # Only what was on its way when it was killed was asked twice.
        assert len(server.received) <= 36 + asked - stored


def test_what_a_run_would_take(store: Store, project: Project, server: Completions) -> None:
    configuration = configure(store, project, server.url)
    prompt = build_prompt(project)
    plan = build_plan(store, configuration, prompt, choose_items(store, project.id))
    found = estimate_tokens(configuration, prompt, plan)
    (item, *_) = plan.items
    size = count_tokens(str(prompt.messages(item)))
    assert found.requests == 36
    assert not found.measured
    assert found.answer_tokens == 36 * ANSWER
    assert found.prompt_tokens == pytest.approx(36 * size, rel=0.05)
    start_model(store, project, configuration, prompt, plan).run(endpoint(server.url))
    # What is known is not asked for again; what it took is known.
    larger = replace(configuration, samples=5)
    plan = build_plan(store, larger, prompt, choose_items(store, project.id))
    tally = store.replies.tally(configuration)
    measured = estimate_tokens(larger, prompt, plan, tally)
    assert (measured.requests, measured.measured) == (24, True)
    assert (measured.prompt_tokens, measured.answer_tokens) == (2400, 240)
    nothing = build_plan(store, configuration, prompt, choose_items(store, project.id))
    assert estimate_tokens(configuration, prompt, nothing).prompt_tokens == 0


def test_reasons_in_both_languages() -> None:
    kept = write_reason(message("judging.model-was-ended"))
    assert read_reason(kept, "zh") != read_reason(kept, "en")
    assert read_reason("as it was", "zh") == "as it was"
    assert read_reason("[1]", "zh") == "[1]"
