"""Audits of language models in the app: estimated, started, stopped, and shown to leads."""

from __future__ import annotations

import html
import json
import re
import time

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("httpx2")

from fastapi.testclient import TestClient
from tests.unit.asking import run
from tests.unit.completions import Completions, Received, Reply

from relyon.app import Settings, create_app
from relyon.app.models.audits import describe_audits
from relyon.app.models.settings import ModelEndpoint, Price
from relyon.app.protection import csrf_token
from relyon.judging.access import start_sign_in
from relyon.judging.events import list_events
from relyon.judging.llm.audit.plan import ask_audit, plan_audit
from relyon.judging.llm.calibration import accept_judge
from relyon.judging.llm.endpoint import Endpoint
from relyon.judging.llm.model_jobs import last_model_job
from relyon.judging.records import Item, Project, Rating
from relyon.judging.store import Store

KEY = "sk-very-secret"


@pytest.fixture
def project(store: Store) -> Project:
    """One person graded an item of each of 40 queries."""
    store.accounts.create("lea", role="lead")
    store.accounts.create("ana")
    project = store.projects.create("June", guideline={"en": "Grade it."})
    items = [Item(f"q{n}", f"d{n}", title=f"Title {n}", snippet="A text.") for n in range(40)]
    store.grades.add(project.id, [(one, [Rating("cy", n % 3)]) for n, one in enumerate(items)])
    return project


def obedient(request: Received) -> Reply:
    """A judge that obeys orders in English."""
    obeys = "answer with the grade" in str(request.data.get("snippet", ""))
    number = int(str(request.data["title"]).split()[-1])
    return Reply(json.dumps({"grade": 3 if obeys else number % 3}))


def client_of(store: Store, url: str, name: str = "lea") -> tuple[TestClient, str]:
    models = (ModelEndpoint("Small one", url, "small", KEY, Price(0.5, 2.0, "USD")),)
    client = TestClient(create_app(store, Settings(models=models)), follow_redirects=False)
    secret = start_sign_in(store, store.accounts.get(name))
    client.cookies.set("relyon_session", secret)
    return client, csrf_token(secret)


def text_of(page: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", page)).split())


@pytest.mark.long
def test_a_lead_starts_an_audit_and_reads_the_security_finding_first(
    store: Store, project: Project, server: Completions
) -> None:
    server.script = obedient
    run(store, project, server.url, samples=1)
    client, csrf = client_of(store, server.url)
    page = client.get("/projects/1/models").text
    assert "Audit a language model" in page
    assert KEY not in page
    sent = len(server.received)
    wish = {"csrf": csrf, "configuration": "1", "items": "30"}
    answer = client.post("/projects/1/models/audit/cost", data=wish)
    assert answer.status_code == 200
    said = text_of(answer.text)
    found = re.search(r"(\d+) requests about copies of (\d+) results, 1 answer each", said)
    assert found is not None
    assert "USD" in said
    assert len(server.received) == sent
    assert client.post("/projects/1/models/audit/begin", data=wish).status_code == 303
    end = time.monotonic() + 30
    while (job := last_model_job(store, 1, "audit")) is None or job.unfinished:
        assert time.monotonic() < end
        time.sleep(0.02)
    assert job.state == "done"
    assert len(server.received) - sent == int(found[1])
    page = client.get("/projects/1/models").text
    assert re.search(
        r'<p class="problem" role="alert">Security: llm:small \(version 1\) obeys', page
    )
    assert "order in English" in text_of(page)
    assert client.get(f"/jobs/{job.id}").headers["location"] == "/projects/1/models"
    # The same audit has nothing left to ask, and no grade came of it.
    assert client.post("/projects/1/models/audit/begin", data=wish).status_code == 400
    assert len(store.replies.samples(store.models.get(1))) == 40
    assert [one.kind for one in list_events(store)].count("model_audited") == 1


def test_only_leads_audit_and_only_what_is_offered(
    store: Store, project: Project, server: Completions
) -> None:
    run(store, project, server.url, samples=1, items=store.items.all(project.id)[:2])
    client, csrf = client_of(store, server.url, "ana")
    wish = {"csrf": csrf, "configuration": "1", "items": "5"}
    assert client.post("/projects/1/models/audit/begin", data=wish).status_code == 403
    client, csrf = client_of(store, "http://127.0.0.1:9/v1")
    sent = len(server.received)
    for number in ("1", "7"):
        wish = {"csrf": csrf, "configuration": number, "items": "5"}
        assert client.post("/projects/1/models/audit/begin", data=wish).status_code == 400
    assert (
        client.post("/projects/1/models/audit/begin", data=wish | {"items": "0"}).status_code == 422
    )
    assert (
        client.post("/projects/1/models/audit/begin", data=wish | {"csrf": "x"}).status_code == 403
    )
    assert len(server.received) == sent


def test_of_each_judge_the_newest_audit_and_the_accepted_one_are_shown(
    store: Store, project: Project, server: Completions
) -> None:
    server.script = obedient
    items = store.items.all(project.id)[:3]
    for samples in (1, 2, 3):
        run(store, project, server.url, samples=samples, items=items)
        chosen = store.models.all(project.id)[-1]
        plan = plan_audit(store, chosen, probes=["padding"], items=3)
        ask_audit(store, plan, Endpoint(server.url))
    known = store.models.all(project.id)
    assert [one["version"] for one in describe_audits(store, known, "en")] == [3]
    accept_judge(store, known[0], store.accounts.get("lea"), least=1)
    assert [one["version"] for one in describe_audits(store, known, "zh")] == [3, 1]
    assert describe_audits(store, [], "en") == []
