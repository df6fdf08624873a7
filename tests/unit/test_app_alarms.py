"""Alarms in the app: who is notified of which month, and who may change that."""

from __future__ import annotations

import html
import json
import logging
import os
import re
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pytest

pytest.importorskip("fastapi")
pytest.importorskip("httpx2")

from fastapi.testclient import TestClient
from tests.databases import create_file
from tests.unit.receivers import Answer, Chat, serve_chat
from tests.web.server import Server

import relyon
from relyon.app import Settings, create_app
from relyon.app.alarms.notifier import Notifier
from relyon.app.alarms.settings import AlarmSettings
from relyon.app.months.rounds import RoundsFolder
from relyon.app.protection import csrf_token
from relyon.judging.access import start_sign_in
from relyon.judging.alarm_messages import LOST, claim_message, list_messages
from relyon.judging.events import list_events
from relyon.judging.receivers import Receiver, add_receiver, list_receivers
from relyon.judging.store import Store, open_store

MONTHS = {"2026-01": "ab", "2026-02": "ab", "2026-03": "b"}
SECRET = "/hooks/verysecret"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three months, in the last of which good documents are missing."""
    folder = tmp_path_factory.mktemp("rounds")
    for month, docs in MONTHS.items():
        rows = [
            {"session": f"{month}-{n}", "query": f"q{n % 12}", "position": k, "doc": doc}
            for n in range(240)
            for k, doc in enumerate(docs, 1)
        ]
        sample = relyon.draw_sample(pl.DataFrame(rows), per_tier=60, cuts=[], names=["head"])
        grades = {f"q{n}": {"a": 3, "b": n % 2} for n in range(12)}
        relyon.write_round(relyon.create_round(month, sample, grades), folder)
    return folder


def add_month(made: Path, folder: Path, month: str, *, at: float | None = None) -> None:
    """Adds a month as if it was stored now, or at another time."""
    shutil.copytree(made / month, folder / month)
    if at is not None:
        manifest = folder / month / "round.json"
        values = json.loads(manifest.read_text("utf-8"))
        values["made"] = datetime.fromtimestamp(at, UTC).isoformat()
        manifest.write_text(json.dumps(values), "utf-8")


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    """The first two months."""
    for month in ("2026-01", "2026-02"):
        add_month(made, tmp_path / "rounds", month)
    return tmp_path / "rounds"


@pytest.fixture
def chat() -> Iterator[Chat]:
    with serve_chat() as found:
        yield found


@pytest.fixture
def receiver(store: Store, chat: Chat) -> Receiver:
    """A chat that was added before all months were made."""
    lea = store.accounts.create("lea", role="admin")
    store.clock = lambda: 1.0
    return add_receiver(store, "webhook", chat.origin + SECRET, by=lea, name="Search team")


def notifier(store: Store, folder: Path, chat: Chat, **more: object) -> Notifier:
    settings = AlarmSettings(webhook_hosts=(chat.origin,), public_url="https://judging.example")
    return Notifier(store, RoundsFolder(folder), settings, **more)  # type: ignore[arg-type]


@pytest.mark.long
def test_an_alarm_is_sent_once(
    store: Store, folder: Path, made: Path, chat: Chat, receiver: Receiver
) -> None:
    first = notifier(store, folder, chat)
    # Two months without an alarm: nothing to send.
    first.step()
    assert list_messages(store) == []
    add_month(made, folder, "2026-03")
    others = [first, *(notifier(store, folder, chat) for _ in range(3))]
    threads = [threading.Thread(target=one.step) for one in others]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    for one in others:
        one.step()
    ((path, body),) = chat.received
    assert path == SECRET
    text = body["text"]
    assert text.startswith("relyon: 2026-03: DCG fell (all tiers and head)")
    assert "look at recall first" in text
    assert "95% interval" in text
    assert text.endswith("https://judging.example/monitor")
    (message,) = list_messages(store)
    assert (message.month, message.state, message.attempts) == ("2026-03", "sent", 1)
    # A month that is removed and stored again is not sent again.
    shutil.rmtree(folder / "2026-03")
    first.step()
    add_month(made, folder, "2026-03")
    first.step()
    assert len(chat.received) == 1


def test_months_from_before_a_receiver_are_not_sent(
    store: Store, made: Path, chat: Chat, tmp_path: Path
) -> None:
    folder = tmp_path / "rounds"
    shutil.copytree(made, folder)
    lea = store.accounts.create("lea", role="admin")
    add_receiver(store, "webhook", chat.origin, by=lea, every_month=True)
    notifier(store, folder, chat).step()
    assert not chat.received
    assert not list_messages(store)


@pytest.mark.long
def test_months_without_an_alarm_are_sent_where_that_is_wished(
    store: Store, folder: Path, chat: Chat, receiver: Receiver
) -> None:
    lea = store.accounts.get("lea")
    address = f"{chat.origin}/every"
    add_receiver(store, "feishu", address, by=lea, language="zh", every_month=True)
    notifier(store, folder, chat).step()
    ((path, body),) = chat.received
    assert path == "/every"
    text = body["content"]["text"]
    assert text.startswith("relyon: 2026-02：没有告警\n\n全部流量：DCG@40")


@pytest.mark.long
def test_it_is_tried_again_and_its_secret_is_not_logged(
    store: Store, folder: Path, made: Path, chat: Chat, receiver: Receiver,
    caplog: pytest.LogCaptureFixture,
) -> None:  # fmt: skip
    add_month(made, folder, "2026-03")
    chat.replies(Answer(503, SECRET.encode()), Answer(404, b"no_service"))
    told = notifier(store, folder, chat, delays=(0.0, 0.0))
    with caplog.at_level(logging.WARNING):
        told.step()
    (message,) = list_messages(store)
    assert (message.state, message.attempts) == ("failed", 2)
    assert message.problem == "status:404 no_service"
    assert "verysecret" not in caplog.text
    assert "alarm of 2026-03 to" in caplog.text


@pytest.mark.long
def test_a_process_that_died_while_sending_sends_nothing_twice(
    store: Store, folder: Path, made: Path, chat: Chat, receiver: Receiver
) -> None:
    add_month(made, folder, "2026-03")
    first = notifier(store, folder, chat)
    first.queue_news()
    assert claim_message(store) is not None  # and then it was killed
    store.clock = lambda: 10_000.0
    notifier(store, folder, chat).step()
    assert not chat.received
    lead = Visitor(store, folder, chat)
    page = lead.read("/monitor/alarms")
    assert "May not have arrived" in page
    (message,) = list_messages(store)
    assert lead.send(f"/monitor/alarms/messages/{message.id}/again").status_code == 303
    assert lead.send(f"/monitor/alarms/messages/{message.id}/again").status_code == 303
    notifier(store, folder, chat).step()
    assert len(chat.received) == 1


@pytest.mark.long
@pytest.mark.skipif(os.name == "nt", reason="there is no kill -9")
def test_kill_9_while_a_message_is_sent_sends_it_once(
    made: Path, chat: Chat, tmp_path: Path
) -> None:
    database = create_file(tmp_path / "judging.db")
    with open_store(database) as store:
        lea = store.accounts.create("lea", role="admin")
        store.clock = lambda: 1.0
        for name in ("first", "second"):
            add_receiver(store, "webhook", f"{chat.origin}/{name}", by=lea)
    chat.script = lambda _: Answer(seconds=60)
    options = ("--rounds", str(made), "--webhook-host", chat.origin)
    server = Server(database, *options)
    server.start()
    wait_for(lambda: len(chat.received) == 1)
    server.kill()
    chat.script = lambda _: Answer()
    with server:
        # The other message, which no process had claimed, goes out; the first one never again.
        wait_for(lambda: len(chat.received) == 2)
        time.sleep(1)
    assert [path for path, _ in chat.received] == ["/first", "/second"]
    with open_store(database) as store:
        assert {one.receiver.address[-6:]: one.state for one in list_messages(store)} == {
            "/first": "sending",
            "second": "sent",
        }
        store.clock = lambda: time.time() + LOST + 1
        assert "unclear" in {one.state for one in list_messages(store)}


def wait_for(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 90
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


class Visitor:
    """Somebody who is signed in."""

    def __init__(
        self, store: Store, folder: Path | None, chat: Chat | None, name: str = "lea"
    ) -> None:
        hosts = () if chat is None else (chat.origin, "hooks.example")
        alarms = AlarmSettings(webhook_hosts=hosts)
        app = create_app(store, Settings(rounds=folder, alarms=alarms))
        self.client = TestClient(app, follow_redirects=False)
        self.secret = start_sign_in(store, store.accounts.get(name))
        self.client.cookies.set("relyon_session", self.secret)

    def read(self, path: str) -> str:
        answer = self.client.get(path)
        assert answer.status_code == 200
        return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", answer.text)).split())

    def send(self, path: str, **values: str):
        data = {"csrf": csrf_token(self.secret), **values}
        return self.client.post(path, data=data)


@pytest.mark.long
def test_the_thread_sends_by_itself_whoever_stored_the_month(
    store: Store, folder: Path, made: Path, chat: Chat, receiver: Receiver
) -> None:
    arrived = threading.Event()

    def script(_: str) -> Answer:
        arrived.set()
        return Answer()

    chat.script = script
    told = notifier(store, folder, chat, every=0.1)
    with told.running():
        add_month(made, folder, "2026-03")
        assert arrived.wait(30)
    assert [one.state for one in list_messages(store)] == ["sent"]


def test_admins_add_receivers(store: Store, chat: Chat) -> None:
    store.accounts.create("lea", role="admin")
    admin = Visitor(store, None, chat)
    form = admin.client.get("/monitor/alarms").text
    assert "hooks.example" in form
    assert 'value="email"' not in form  # without a mail server
    values = {
        "kind": "webhook",
        "address": chat.origin + SECRET,
        "name": "<b>Team",
        "language": "zh",
    }
    assert admin.send("/monitor/alarms", **values).status_code == 303
    (made,) = list_receivers(store)
    assert (made.kind, made.language, made.every_month) == ("webhook", "zh", False)
    page = admin.client.get("/monitor/alarms").text
    assert "verysecret" not in page
    assert "&lt;b&gt;Team" in page
    assert admin.send(f"/monitor/alarms/{made.id}/test").status_code == 200
    assert chat.received[0][1]["text"].startswith("relyon: 测试消息")
    chat.replies(Answer(404, b"no_service"))
    answer = admin.send(f"/monitor/alarms/{made.id}/test")
    assert "did not reach" in answer.text
    assert "404 no_service" in answer.text
    admin.send(f"/monitor/alarms/{made.id}/switch", active="")
    assert list_receivers(store, which="active") == []
    admin.send(f"/monitor/alarms/{made.id}/remove")
    assert list_receivers(store) == []
    assert admin.send(f"/monitor/alarms/{made.id}/test").status_code == 404
    told = [one.detail for one in list_events(store, kind="receiver_changed")]
    assert len(told) == 5
    assert "verysecret" not in str(told)


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("https://evil.example/x", "are not allowed in this app"),
        ("http://169.254.169.254/latest/meta-data", "are not allowed in this app"),
        ("file:///etc/passwd", "not the address of a webhook"),
    ],
)
def test_what_is_typed_wrong_is_explained_in_the_form(
    store: Store, chat: Chat, address: str, said: str
) -> None:
    store.accounts.create("lea", role="admin")
    admin = Visitor(store, None, chat)
    answer = admin.send("/monitor/alarms", kind="dingtalk", address=address, name="Mine")
    assert answer.status_code == 400
    assert said in html.unescape(answer.text)
    assert 'value="Mine"' in answer.text
    assert "relyon judge" not in answer.text
    assert not list_receivers(store)
    # E-mail is not offered without a server.
    assert admin.send("/monitor/alarms", kind="email", address="a@b.c").status_code == 400
    assert not list_receivers(store)


def test_leads_look_and_judges_do_not(store: Store, chat: Chat, receiver: Receiver) -> None:
    store.accounts.create("bo", role="lead")
    store.accounts.create("ana")
    store.clock = lambda: 1000.0
    lead = Visitor(store, None, chat, "bo")
    page = lead.client.get("/monitor/alarms").text
    assert "Search team" in page
    assert "verysecret" not in page
    assert "<select" not in page
    judge = Visitor(store, None, chat, "ana")
    assert judge.client.get("/monitor/alarms").status_code == 403
    values = {"kind": "webhook", "address": chat.origin}
    for who in (lead, judge):
        assert who.send("/monitor/alarms", **values).status_code == 403
        for action in ("test", "switch", "remove"):
            assert who.send(f"/monitor/alarms/{receiver.id}/{action}").status_code == 403
    assert judge.send("/monitor/alarms/messages/1/again").status_code == 403
    assert lead.client.post("/monitor/alarms/messages/1/again").status_code == 403  # no token
    anybody = TestClient(create_app(store), follow_redirects=False)
    assert anybody.get("/monitor/alarms").headers["location"].startswith("/sign-in")
    assert not chat.received
    assert len(list_receivers(store)) == 1


def test_errors_of_pages_are_in_the_reader_s_language(store: Store, chat: Chat) -> None:
    store.accounts.create("lea", role="admin")
    admin = Visitor(store, None, None)
    answer = admin.client.get("/monitor/report?lang=zh")
    assert answer.status_code == 400
    assert "started without" not in answer.text
    assert "没有" in answer.text
