"""A language model grades a project: stored at once, resumed, kept apart from people."""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

pytest.importorskip("sqlalchemy")

from tests.unit.asking import configure, project_to_ask, run, title_number
from tests.unit.completions import Completions, Received, Reply

from relyon.core.errors import InputError, ParameterError, UnknownNameError
from relyon.judging.actions import Action
from relyon.judging.llm.endpoint import Endpoint, EndpointError
from relyon.judging.llm.judge import Outcome, ask_model, build_plan, choose_items
from relyon.judging.llm.prompt import build_prompt
from relyon.judging.records import Item, Project
from relyon.judging.schema import llm_answers, sa
from relyon.judging.store import Store


@pytest.fixture
def project(store: Store) -> Project:
    return project_to_ask(store)


def test_every_item_is_asked_as_often_as_wanted_and_the_median_counts(
    store: Store, project: Project, server: Completions
) -> None:
    seen: Counter[int] = Counter()
    lock = threading.Lock()

    def script(request: Received) -> Reply:
        with lock:
            seen[title_number(request)] += 1
            sample = seen[title_number(request)]
        return Reply(f'{{"grade": {[0, 3, 2][sample - 1]}}}')

    server.script = script
    outcome = run(store, project, server.url)
    assert len(server.received) == 36
    assert set(seen.values()) == {3}
    assert (outcome.asked, outcome.graded, outcome.given_up) == (36, 36, 0)
    assert (outcome.prompt_tokens, outcome.completion_tokens) == (3600, 360)
    found = store.replies.samples(store.models.get(project.id))
    assert {tuple(sorted(one)) for one in found.values()} == {(0.0, 2.0, 3.0)}
    request = server.received[0].body
    assert (request["model"], request["temperature"]) == ("small", 0.7)


@pytest.mark.long
def test_nothing_is_asked_twice(store: Store, project: Project, server: Completions) -> None:
    run(store, project, server.url)
    before = len(server.received)
    assert run(store, project, server.url).asked == 0
    assert len(server.received) == before
    # More samples: only those that are new. Another project with the same items: none.
    assert run(store, project, server.url, samples=5).asked == 24
    july = store.projects.create("July", guideline={"en": "Grade it."})
    store.items.add(july.id, [replace(item, id=0) for item in store.items.all(project.id)])
    assert run(store, july, server.url).asked == 0
    assert len(store.replies.samples(store.models.get(july.id))) == 12
    # Another temperature, model, guideline or endpoint is another question.
    assert run(store, project, server.url, parameters={"temperature": 0.0}).asked == 36
    assert run(store, project, server.url, model="large", judge="llm:large").asked == 36
    store.projects.set_guideline(project.id, {"en": "Grade it well."})
    assert run(store, store.projects.get("June"), server.url).asked == 36


def test_other_settings_are_another_version(
    store: Store, project: Project, server: Completions
) -> None:
    one = configure(store, project, server.url)
    other = configure(store, project, server.url, samples=5)
    assert configure(store, project, server.url) == one
    assert (one.version, other.version) == (1, 2)
    assert store.models.get(project.id).version == 2
    assert store.models.get(project.id, "llm:small", 1) == one
    with pytest.raises(UnknownNameError, match="no version 3"):
        store.models.get(project.id, version=3)
    with pytest.raises(UnknownNameError, match="unknown language model: `llm:smal`"):
        store.models.get(project.id, "llm:smal")
    configure(store, project, server.url, judge="llm:other")
    with pytest.raises(InputError, match="2 language models"):
        store.models.get(project.id)
    july = store.projects.create("July")
    with pytest.raises(InputError, match="no language model"):
        store.models.get(july.id)


@pytest.mark.parametrize(
    "changes",
    [{"judge": "small"}, {"judge": "llm"}, {"judge": "LLM:x"}, {"samples": 0}, {"model": " "},
     {"parameters": {"n": 3}}, {"parameters": {"messages": []}}],
)  # fmt: skip
def test_settings_that_cannot_be(store: Store, project: Project, changes: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        configure(store, project, "http://x.test", **changes)
    assert store.models.all(project.id) == []
    assert store.accounts.all() == []


def test_answers_that_cannot_be_read_are_asked_again_and_never_guessed(
    store: Store, project: Project, server: Completions
) -> None:
    bad = ["I cannot help.", '{"grade": 9}', "", '{"grade": 0} {"grade": 3}', "3"]

    def script(request: Received) -> Reply:
        number = title_number(request)
        return Reply(bad[number % 5] if number < 5 else '{"grade": 1}')

    server.script = script
    outcome = run(store, project, server.url, samples=1)
    assert len(server.received) == 7 + 5 * 3
    assert (outcome.graded, outcome.given_up) == (7, 5)
    assert outcome.problems == {"no_grade": 6, "wrong_grade": 3, "empty": 3, "several_grades": 3}
    assert len(store.replies.samples(store.models.get(project.id))) == 7
    # They were given up; with more attempts they are asked again.
    assert run(store, project, server.url, samples=1).asked == 0
    assert run(store, project, server.url, samples=1, attempts=4).asked == 5


def test_an_item_needs_most_of_its_samples(
    store: Store, project: Project, server: Completions
) -> None:
    seen: Counter[int] = Counter()

    def script(request: Received) -> Reply:
        seen[title_number(request)] += 1
        # The first item gets two grades of four, the others three.
        few = seen[title_number(request)] > (2 if title_number(request) == 0 else 3)
        return Reply("no" if few else '{"grade": 1}')

    server.script = script
    run(store, project, server.url, samples=4, attempts=1, concurrency=1)
    found = store.replies.samples(store.models.get(project.id))
    assert sorted(map(len, found.values())) == [3] * 11
    assert store.replies.graded_items(store.models.get(project.id)) == set(found)


def test_an_error_of_the_endpoint_ends_and_what_was_answered_stays(
    store: Store, project: Project, server: Completions
) -> None:
    server.replies(*[Reply()] * 10, *[Reply(status=401, body=b"{}")] * 20)
    with pytest.raises(EndpointError, match="HTTP 401"):
        run(store, project, server.url, concurrency=1)
    assert len(server.received) == 11
    server.replies()
    assert run(store, project, server.url).asked == 26


def test_a_first_request_that_is_refused_ends(
    store: Store, project: Project, server: Completions
) -> None:
    server.script = lambda _: Reply(status=400, body=b'{"error": "no such parameter"}')
    with pytest.raises(EndpointError, match="HTTP 400: no such parameter"):
        run(store, project, server.url, concurrency=1)
    assert len(server.received) == 1


def test_one_item_that_is_refused_does_not_end(
    store: Store, project: Project, server: Completions
) -> None:
    def script(request: Received) -> Reply:
        if title_number(request) == 5:
            return Reply(status=400, body=b'{"error": "content filter"}')
        return Reply()

    server.script = script
    outcome = run(store, project, server.url, concurrency=1)
    assert (outcome.problems["refused"], outcome.given_up, outcome.graded) == (1, 3, 33)
    assert len(server.received) == 34
    # It would be refused again.
    assert run(store, project, server.url).asked == 0
    assert len(server.received) == 34


def test_an_endpoint_that_refuses_everything_after_a_while_ends(
    store: Store, project: Project, server: Completions
) -> None:
    server.script = lambda request: (
        Reply() if title_number(request) == 0 else Reply(status=400, body=b"{}")
    )
    with pytest.raises(EndpointError, match="HTTP 400"):
        run(store, project, server.url, concurrency=1)
    assert len(server.received) == 3 + 10


@pytest.mark.long
def test_interruption_stores_what_is_on_its_way(
    store: Store, project: Project, server: Completions
) -> None:
    """Ctrl-C in the middle: what was asked is answered and kept; another run does the rest."""
    server.script = lambda _: Reply(seconds=0.2)
    configuration = configure(store, project, server.url)
    prompt = build_prompt(project)
    plan = build_plan(store, configuration, prompt, store.items.all(project.id))

    def interrupt(done: int, total: int) -> None:
        raise KeyboardInterrupt

    told = []
    outcome = Outcome()
    with pytest.raises(KeyboardInterrupt):
        ask_model(
            store, configuration, prompt, plan, Endpoint(server.url), outcome=outcome,
            progress=interrupt, on_interrupt=lambda: told.append("waiting"),
        )  # fmt: skip
    assert told == ["waiting"]
    asked = len(server.received)
    assert 4 <= asked <= 12
    assert outcome.asked == asked
    server.script = lambda _: Reply()
    assert run(store, project, server.url).asked == 36 - asked


def test_two_runs_at_once_store_each_answer_once(
    store: Store, project: Project, server: Completions
) -> None:
    errors = []

    def grade() -> None:
        try:
            run(store, project, server.url)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=grade) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    with store.database.read() as connection:
        rows = connection.execute(sa.select(llm_answers.c.request_hash, llm_answers.c.sample)).all()
    assert len(rows) == len(set(rows)) == 36


def test_items_that_show_the_same_are_asked_once(
    store: Store, project: Project, server: Completions
) -> None:
    store.items.add(project.id, [Item("q0", "copy", title="Title 0")])
    run(store, project, server.url)
    assert len(server.received) == 36
    assert len(store.replies.samples(store.models.get(project.id))) == 13


def test_items_without_anything_to_show_are_not_asked(
    store: Store, project: Project, server: Completions
) -> None:
    store.items.add(project.id, [Item("q0", "bare")])
    configuration = configure(store, project, server.url)
    plan = build_plan(store, configuration, build_prompt(project), store.items.all(project.id))
    assert (plan.hidden, len(plan.items), len(plan.open)) == (1, 12, 36)


def test_which_items(store: Store, project: Project) -> None:
    ann = store.accounts.create("Ann")
    for task in store.grading.take(ann, project.id, count=5):
        store.grading.record(
            ann, Action("grade", key=f"{task.item.id}", item_id=task.item.id, grade=1)
        )
    graded = choose_items(store, project.id, which="graded")
    ungraded = choose_items(store, project.id, which="ungraded")
    assert (len(graded), len(ungraded)) == (5, 7)
    assert {one.id for one in graded}.isdisjoint(one.id for one in ungraded)
    two = choose_items(store, project.id, queries=2)
    assert len({one.query for one in two}) == 2
    assert len(two) == 8
    assert choose_items(store, project.id, limit=3) == choose_items(store, project.id, limit=5)[:3]
    chosen = [choose_items(store, project.id, limit=4, seed=seed) for seed in range(20)]
    orders = {tuple(item.id for item in one) for one in chosen}
    assert len(orders) == 3
    with pytest.raises(ParameterError, match="`which` must be"):
        choose_items(store, project.id, which="some")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="`limit` must be"):
        choose_items(store, project.id, limit=0)
