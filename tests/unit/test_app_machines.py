"""Language models in the app: compared with people in a tab, and nobody to sign in as."""

from __future__ import annotations

import html
import re
from dataclasses import replace

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("httpx2")

from fastapi.testclient import TestClient

from relyon.app import create_app
from relyon.app.protection import csrf_token
from relyon.core.errors import UnknownNameError
from relyon.judging.access import start_sign_in
from relyon.judging.llm.answers import Answer
from relyon.judging.llm.calibration import accept_judge
from relyon.judging.llm.descriptions import describe_machines
from relyon.judging.llm.endpoint import Completion
from relyon.judging.llm.models import Configuration, draft_configuration
from relyon.judging.records import Item, Rating
from relyon.judging.store import Store


@pytest.fixture
def store(store: Store) -> Store:
    store.accounts.create("lea", role="admin")
    project = store.projects.create("June", overlap=2)
    items = [Item(f"q{n // 4}", f"d{n}", title=f"T{n}") for n in range(24)]
    store.grades.add(
        project.id,
        [(item, [Rating("ana", n % 4), Rating("bo", min(n % 4 + (n % 5 == 0), 3))])
         for n, item in enumerate(items[:16])],
    )  # fmt: skip
    store.items.add(project.id, items)
    return store


def grade_all(store: Store, *, judge: str = "llm:small", samples: int = 1) -> Configuration:
    project = store.projects.get("June")
    chosen = store.models.add(
        draft_configuration(
            project.id, judge, endpoint="https://models.example/v1", model="small",
            samples=samples, parameters={}, language="en", prompt="Grade it.",
        )
    )  # fmt: skip
    items = store.items.all(project.id)
    store.replies.add_requests(chosen, {item.id: f"{judge} {samples} {item.id}" for item in items})
    for place, item in enumerate(items):
        for sample in range(1, samples + 1):
            answer = Answer(float(place % 4))
            store.replies.add(f"{judge} {samples} {item.id}", sample, 1, answer, Completion(""))
    return chosen


class Lead:
    """The lead, signed in."""

    def __init__(self, store: Store) -> None:
        self.client = TestClient(create_app(store), follow_redirects=False)
        self.secret = start_sign_in(store, store.accounts.get("lea"))
        self.client.cookies.set("relyon_session", self.secret)

    def read(self, path: str) -> str:
        answer = self.client.get(path)
        assert answer.status_code == 200
        return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", answer.text)).split())


@pytest.mark.long
def test_a_model_stands_apart_from_the_judges(store: Store) -> None:
    before = Lead(store).read("/projects/1/agreement")
    assert "Language models graded here" not in before
    chosen = grade_all(store)
    after = Lead(store).read("/projects/1/agreement")
    # What is said of people is what was said before.
    assert after.startswith(before)
    assert "llm:small" not in after
    assert "Language models graded here, too" in after
    _, _, model = (
        Lead(store).read("/projects/1/models").partition("Language model: llm:small (version 1)")
    )
    assert "Results graded: 24; answers for each: 1." in model
    assert "Not accepted: its grades are not used." in model
    assert "llm:small" not in Lead(store).read("/projects/1")
    assert "with single people is 0.96 and that of people with each other 0.92" in model
    assert "From fewer than six queries" in model
    assert "Cohen κ 1.00 [1.00, 1.00]" in model
    assert "none 4 0 0 0 low 0 4 0 0 middle 0 0 4 0 high 0 0 0 4" in model
    accept_judge(store, chosen, store.accounts.get("lea"), least=16)
    for page in ("/projects/1/models", "/projects/1"):
        text = Lead(store).read(page)
        assert re.search(
            r"llm:small .*Accepted by lea on .*: its grades count for 8 ungraded res", text
        )


def test_the_newest_version_and_the_accepted_one_are_shown(store: Store) -> None:
    first = grade_all(store)
    grade_all(store, samples=2)
    assert "(version 1)" not in Lead(store).read("/projects/1/models")
    accept_judge(store, first, store.accounts.get("lea"), least=16)
    text = Lead(store).read("/projects/1/models")
    assert "(version 1)" in text
    assert "(version 2)" in text


def test_a_model_that_graded_nothing_in_common(store: Store) -> None:
    project = store.projects.create("July")
    store.items.add(project.id, [Item("q", "d", title="T")])
    draft = draft_configuration(
        project.id, "llm:small", endpoint="https://models.example/v1", model="small",
        samples=1, parameters={}, language="en", prompt="",
    )  # fmt: skip
    chosen = store.models.add(draft)
    # Before its first answer it has graded nothing, and is in nobody's way.
    text = Lead(store).read(f"/projects/{project.id}/models")
    assert "llm:small" not in text
    (item,) = store.items.all(project.id)
    store.replies.add_requests(chosen, {item.id: "asked"})
    store.replies.add("asked", 1, 1, Answer(1.0), Completion(""))
    text = Lead(store).read(f"/projects/{project.id}/models")
    assert "No result has been graded by both the model and people." in text


def test_nobody_gets_a_password_for_a_model(store: Store) -> None:
    grade_all(store)
    lead = Lead(store)
    assert "llm:small Language model" in lead.read("/accounts")
    for action in ("password", "open"):
        values = {"csrf": csrf_token(lead.secret), "name": "llm:small", "action": action}
        answer = lead.client.post("/accounts/change", data=values)
        assert answer.status_code == 400
    assert not store.accounts.get("llm:small").active
    values = {"csrf": csrf_token(lead.secret), "name": "llm:evil", "role": "judge"}
    assert lead.client.post("/accounts", data=values).status_code == 400


def test_a_model_without_an_answer_does_not_count_as_having_graded(store: Store) -> None:
    project = store.projects.get("June")
    draft = draft_configuration(
        project.id, "llm:broken", endpoint="https://models.example/v1", model="broken",
        samples=1, parameters={}, language="en", prompt="",
    )  # fmt: skip
    broken = store.models.add(draft)
    assert store.models.get(project.id) == broken
    small = grade_all(store)
    assert store.models.get(project.id) == small
    # Settings that were tried and gave no grade are not the newest that count.
    store.models.add(replace(draft, judge="llm:small", prompt="another"))
    assert store.models.get(project.id) == small
    assert store.models.get(project.id, "llm:broken") == broken
    assert [one["judge"] for one in describe_machines(store, project.id)] == ["llm:small"]
    assert "llm:broken" not in Lead(store).read("/projects/1/models")
    with pytest.raises(UnknownNameError):
        store.models.get(project.id, "llm:nobody")
