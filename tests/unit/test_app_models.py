"""Language models in the app: estimated, started, stopped, continued, accepted by leads."""

from __future__ import annotations

import html
import re
import time
from collections.abc import Callable

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("httpx2")

from fastapi.testclient import TestClient
from tests.unit.completions import Completions, Reply

from relyon.app import Settings, create_app
from relyon.app.models.settings import ModelEndpoint, Price
from relyon.app.protection import csrf_token
from relyon.judging.access import start_sign_in
from relyon.judging.events import list_events
from relyon.judging.llm.model_jobs import last_model_job
from relyon.judging.records import Item, Project, Rating
from relyon.judging.store import Store

KEY = "sk-very-secret"


@pytest.fixture
def project(store: Store) -> Project:
    """Sixty results that two people graded alike, and ten that nobody graded."""
    store.accounts.create("lea", role="lead")
    store.accounts.create("ana")
    project = store.projects.create("June", overlap=2, guideline={"en": "Grade it."})
    items = [Item(f"q{n // 7}", f"d{n}", title=f"Title {n}") for n in range(70)]
    store.grades.add(
        project.id,
        [(item, [Rating("cy", n % 4), Rating("bo", n % 4)]) for n, item in enumerate(items[:60])],
    )
    store.items.add(project.id, items)
    return project


class Visitor:
    """Somebody who is signed in."""

    def __init__(self, store: Store, url: str = "", name: str = "lea", price: bool = True) -> None:
        cost = Price(0.5, 2.0, "USD") if price else None
        models = (ModelEndpoint("Small one", url, "small", KEY, cost),) if url else ()
        self.client = TestClient(create_app(store, Settings(models=models)), follow_redirects=False)
        self.secret = start_sign_in(store, store.accounts.get(name))
        self.client.cookies.set("relyon_session", self.secret)

    def read(self, path: str = "/projects/1/models") -> str:
        answer = self.client.get(path)
        assert answer.status_code == 200
        return text_of(answer.text)

    def send(self, path: str, **values: str):
        data = {"csrf": csrf_token(self.secret), **values}
        return self.client.post(f"/projects/1/models/{path}", data=data)


def text_of(page: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", page)).split())


def wait_for(condition: Callable[[], bool], seconds: float = 30.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def ended(store: Store) -> bool:
    job = last_model_job(store, 1)
    return job is not None and not job.unfinished


WISH = {"endpoint": "Small one", "samples": "1", "which": "graded"}


@pytest.mark.long
def test_a_model_is_estimated_started_and_accepted(
    store: Store, project: Project, server: Completions
) -> None:
    server.script = lambda one: Reply(f'{{"grade": {int(str(one.data["title"])[6:]) % 4}}}')
    lead = Visitor(store, server.url)
    form = lead.client.get("/projects/1/models").text
    assert "Small one (small)" in form
    assert server.url not in form
    answer = lead.send("estimate", **WISH, limit="", per_minute="", task="")
    assert answer.status_code == 200
    page = text_of(answer.text)
    assert "60 requests for 60 results, 1 answer each" in page
    assert re.search(
        r"About [\d,]+ tokens in requests and 3,600 in answers\. About 0\.0\d USD", page
    )
    assert '"title": "Title' in page  # the first request
    assert not server.received
    assert not store.models.all(project.id)
    # What was looked at is what is started.
    hidden = re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', answer.text)
    values = {name: html.unescape(value) for name, value in hidden if name != "csrf"}
    assert lead.send("start", **values).status_code == 303
    wait_for(lambda: ended(store))
    assert len(server.received) == 60
    assert {one.headers["authorization"] for one in server.received} == {f"Bearer {KEY}"}
    page = lead.read()
    assert "Results graded: 60; answers for each: 1." in page
    assert "1.00 [1.00, 1.00]" in page
    # Not without a reason.
    answer = lead.send("1/accept", note=" ")
    assert answer.status_code == 400
    assert store.models.accepted(project.id) is None
    assert lead.send("1/accept", note="as good as we are").status_code == 303
    accepted = store.models.accepted(project.id)
    assert accepted is not None
    assert (accepted.by, accepted.note, accepted.items) == ("lea", "as good as we are", 60)
    assert "Withdraw" in lead.read()
    # It fills what people left open.
    lead.send("start", **{**WISH, "which": "ungraded"})
    wait_for(lambda: ended(store))
    assert "its grades count for 10 ungraded results" in lead.read()
    assert lead.send("1/withdraw", note="").status_code == 303
    assert store.models.accepted(project.id) is None
    kinds = [one.kind for one in list_events(store)]
    assert kinds.count("model_started") == 2
    assert {"model_accepted", "model_withdrawn"} <= set(kinds)
    assert KEY not in str([one.to_dict() for one in list_events(store)])
    assert KEY not in lead.client.get("/projects/1/models").text


@pytest.mark.long
def test_it_is_stopped_and_continued_in_the_browser(
    store: Store, project: Project, server: Completions
) -> None:
    server.script = lambda _: Reply(seconds=0.3)
    lead = Visitor(store, server.url)
    assert lead.send("start", **WISH).status_code == 303
    wait_for(lambda: len(server.received) > 4)
    page = lead.read()
    assert re.search(r"\d+ of 60 requests are answered", page)
    assert "A language model is grading this project" in page
    assert "A language model is grading." in lead.read("/projects/1")
    assert lead.client.get("/jobs/2").status_code in {303, 404}
    job = last_model_job(store, 1)
    assert job is not None
    assert lead.client.get(f"/jobs/{job.id}").headers["location"] == "/projects/1/models"
    again = lead.send("start", **WISH)
    assert again.status_code == 400
    assert "grading this project already" in again.text
    data = {"csrf": csrf_token(lead.secret)}
    assert lead.client.post(f"/jobs/{job.id}/stop", data=data).status_code == 303
    wait_for(lambda: ended(store))
    asked = len(server.received)
    assert asked < 60
    page = lead.read()
    assert "Stopped. What was answered is kept." in page
    assert f"Answers so far: {asked}, of which {asked} have a grade" in page
    run = lead.client.get("/api/projects/1/models/run").json()
    assert (run["state"], run["answers"], run["prompt_tokens"]) == ("stopped", asked, 100 * asked)
    server.script = lambda _: Reply()
    # A program that starts again asks only for what is left.
    later = Visitor(store, server.url)
    assert later.send("1/continue", per_minute="6000").status_code == 303
    wait_for(lambda: ended(store))
    assert len(server.received) == 60
    answer = later.send("1/continue")
    assert answer.status_code == 400
    assert "there is nothing to ask" in answer.text


@pytest.mark.long
@pytest.mark.parametrize(("language", "said"), [("en", "no answer"), ("zh", "原因：")])
def test_a_failure_is_explained(
    store: Store, project: Project, server: Completions, language: str, said: str
) -> None:
    server.script = lambda _: Reply(
        status=401, body=b'{"error": {"message": "bad key sk-very-secret"}}'
    )
    lead = Visitor(store, server.url)
    lead.client.cookies.set("relyon_language", language)
    lead.send("start", **WISH)
    wait_for(lambda: ended(store))
    page = lead.read()
    assert "HTTP 401: bad key ***" in page
    assert said in page or language == "en"
    assert KEY not in page
    job = last_model_job(store, 1)
    assert job is not None
    told = lead.client.get(f"/api/jobs/{job.id}").json()["message"]
    assert told.endswith("HTTP 401: bad key ***")
    # The operator no longer offers it.
    gone = Visitor(store)
    answer = gone.send("1/continue")
    assert answer.status_code == 400
    assert "is not available in this app" in answer.text


def test_what_cannot_be_asked(store: Store, project: Project, server: Completions) -> None:
    lead = Visitor(store, server.url)
    for values in (
        {**WISH, "endpoint": "http://evil.example/v1"},
        {**WISH, "limit": "50", "which": "all", "task": "{scale}", "endpoint": "small"},
    ):
        for step in ("estimate", "start"):
            answer = lead.send(step, **values)
            assert answer.status_code == 400
            assert "is not available in this app" in answer.text
    for wrong in (
        {"samples": "0"}, {"samples": "21"}, {"temperature": "nan"}, {"which": "gold"},
        {"per_minute": "0"}, {"limit": "0"}, {"language": "fr"}, {"task": "x" * 10_001},
    ):  # fmt: skip
        assert lead.send("start", **{**WISH, **wrong}).status_code in {400, 422}
    assert not server.received
    assert not store.models.all(project.id)
    empty = store.projects.create("Empty")
    answer = lead.client.post(
        f"/projects/{empty.id}/models/estimate",
        data={"csrf": csrf_token(lead.secret), **WISH, "which": "all"},
    )
    assert answer.status_code == 400
    assert "there is nothing to ask" in answer.text
    pairs = store.projects.create("Pairs", kind="side_by_side")
    assert "not pairs of rankings" in lead.read(f"/projects/{pairs.id}/models")
    answer = lead.client.post(
        f"/projects/{pairs.id}/models/estimate", data={"csrf": csrf_token(lead.secret), **WISH}
    )
    assert answer.status_code == 400


def test_the_task_in_own_words_without_a_price(
    store: Store, project: Project, server: Completions
) -> None:
    lead = Visitor(store, server.url, price=False)
    answer = lead.send("estimate", **WISH, task="Be strict.\r\n{scale}", temperature="0", limit="5")
    page = text_of(answer.text)
    assert "5 requests for 5 results" in page
    assert re.search(r"Be strict\. - 3 = high", page)
    assert "Its price is not known here." in page
    assert "Be strict." in re.findall(r"<textarea[^>]*>([^<]*)", answer.text)[0]


def test_judges_and_strangers_start_nothing(
    store: Store, project: Project, server: Completions
) -> None:
    judge = Visitor(store, server.url, "ana")
    other = store.projects.create("Other")
    for path in ("/projects/1/models", "/api/projects/1/models/run"):
        assert judge.client.get(path).status_code == 403
    for path in ("estimate", "start", "1/continue", "1/accept", "1/withdraw"):
        assert judge.send(path, **WISH, note="x").status_code == 403
    lead = Visitor(store, server.url)
    assert lead.client.get("/api/projects/1/models/run").status_code == 404
    # Without the token of the form; and a configuration of another project.
    assert lead.client.post("/projects/1/models/start", data=WISH).status_code == 403
    for path in ("7/continue", "7/accept", "7/withdraw"):
        assert lead.send(path, note="x").status_code == 404
    assert other.id == 2
    assert not server.received


def test_too_few_results_in_common(store: Store, project: Project, server: Completions) -> None:
    lead = Visitor(store, server.url)
    lead.send("start", **WISH, limit="10")
    wait_for(lambda: ended(store))
    page = lead.read()
    assert "It can be accepted once people and the model have both graded 50 results" in page
    assert "now they have 10 in common" in page
    answer = lead.send("1/accept", note="anyway")
    assert answer.status_code == 400
    assert "fewer than 50 results" in answer.text
    assert store.models.accepted(project.id) is None
