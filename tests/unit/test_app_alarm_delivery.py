"""What leaves the app: one bounded request to a webhook, and one e-mail."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from email.message import Message as Email

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("aiosmtpd")

from aiosmtpd.controller import Controller
from aiosmtpd.handlers import Message as Handler
from tests.unit.receivers import Answer, Chat, serve_chat

from relyon.app.alarms import webhooks
from relyon.app.alarms.mail import send_mail
from relyon.app.alarms.settings import MailServer, tidy_origin
from relyon.app.alarms.webhooks import check_webhook, clean, post, write_body
from relyon.core.errors import ParameterError
from relyon.judging.alarm_messages import Delivery
from relyon.judging.receivers import check_mailbox

SECRET = "/services/T0/B0/verysecret"
TEXT = {"text": "DCG fell"}


@pytest.fixture
def chat() -> Iterator[Chat]:
    with serve_chat() as found:
        yield found


def test_a_webhook_gets_the_message(chat: Chat) -> None:
    assert post(chat.origin + SECRET + "?k=v", TEXT, [chat.origin]) == Delivery("sent")
    assert chat.received == [(SECRET + "?k=v", TEXT)]


@pytest.mark.parametrize(
    ("answer", "fate", "problem"),
    [
        (Answer(404, b"no_service"), "failed", "status:404 no_service"),
        (Answer(404, b"<html>"), "failed", "status:404"),
        (Answer(403, SECRET.encode()), "failed", "status:403 ***"),
        (Answer(429), "later", "status:429 ok"),
        (Answer(503, b""), "later", "status:503"),
        (Answer(502, b""), "unclear", "status:502"),
        (Answer(302, headers={"Location": "/elsewhere"}), "failed", "redirect:302"),
        (Answer(200, b'{"errcode":310000,"errmsg":"key"}'), "failed", "refused:310000 key"),
        (Answer(200, b'{"code":19024,"msg":"Key Words"}'), "failed", "refused:19024 Key Words"),
        (Answer(200, b'{"errcode":0,"errmsg":"ok"}'), "sent", ""),
        (Answer(200, b'{"StatusCode":0,"code":0}'), "sent", ""),
        (Answer(200, b"[" * 9000), "sent", ""),
        (Answer(drop=True), "unclear", "no_answer"),
    ],
)  # fmt: skip
def test_what_an_answer_means(chat: Chat, answer: Answer, fate: str, problem: str) -> None:
    chat.replies(answer)
    found = post(chat.origin + SECRET, TEXT, [chat.origin])
    assert (found.fate, found.problem) == (fate, problem)
    # A redirect is not followed.
    assert len(chat.received) == 1


def test_a_receiver_that_hangs_or_never_ends_is_cut(chat: Chat) -> None:
    chat.replies(Answer(seconds=30), Answer(endless=True))
    start = time.monotonic()
    assert post(chat.origin, TEXT, [chat.origin], patience=0.4) == Delivery("unclear", "late")
    # The status is enough; of the answer no more than a little is read.
    assert post(chat.origin, TEXT, [chat.origin], patience=0.4).fate == "sent"
    assert time.monotonic() - start < 5


def test_an_answer_that_trickles_is_cut() -> None:
    # Each byte comes before the socket's own timeout.
    with socket.create_server(("127.0.0.1", 0)) as listening:
        ended = threading.Event()

        def trickle() -> None:
            connection, _ = listening.accept()
            with connection:
                try:
                    while not ended.is_set():
                        connection.sendall(b"H")
                        time.sleep(0.05)
                except OSError:
                    ended.set()

        thread = threading.Thread(target=trickle, daemon=True)
        thread.start()
        origin = f"http://127.0.0.1:{listening.getsockname()[1]}"
        start = time.monotonic()
        found = post(origin, TEXT, [origin], patience=0.5)
        assert found.fate == "unclear"
        assert time.monotonic() - start < 3
        ended.set()
        thread.join(5)


def test_nothing_that_refuses_the_connection_was_told(chat: Chat) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        origin = f"http://127.0.0.1:{free.getsockname()[1]}"
    found = post(origin, TEXT, [origin])
    assert found.fate == "later"
    assert found.problem.startswith("connection:")


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "10.1.2.3", "192.168.0.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "::1",
        "fd00::1", "fe80::1%eth0", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1",
        "2002:7f00:1::", "224.0.0.1", "ff02::1",
    ],
)  # fmt: skip
def test_a_public_name_that_leads_into_the_network_is_refused(
    chat: Chat, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    connected: list[object] = []
    monkeypatch.setattr(socket, "create_connection", lambda *where, **_: connected.append(where))
    for addresses in ([address], ["93.184.215.14", address]):
        monkeypatch.setattr(
            socket, "getaddrinfo",
            lambda *_, found=addresses, **__: [(0, 0, 0, "", (one, 443)) for one in found],
        )  # fmt: skip
        found = post("https://hooks.example/x", TEXT, ["hooks.example"])
        assert found == Delivery("failed", "private")
    assert not connected


def test_the_address_that_was_checked_is_the_one_that_is_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # A second look-up would lead elsewhere.
    answers = [["93.184.215.14"], ["127.0.0.1"]]
    monkeypatch.setattr(
        socket, "getaddrinfo", lambda *_, **__: [(0, 0, 0, "", (answers.pop(0)[0], 443))]
    )
    used: list[object] = []

    def connect(where: tuple[str, int], **_: object) -> socket.socket:
        used.append(where)
        raise ConnectionRefusedError(111, "refused")

    monkeypatch.setattr(socket, "create_connection", connect)
    found = post("https://hooks.example/x", TEXT, ["hooks.example"])
    assert found.fate == "later"
    assert used == [("93.184.215.14", 443)]


def test_only_what_the_operator_allowed_is_reached(chat: Chat) -> None:
    assert post(chat.origin, TEXT, ["hooks.example"]) == Delivery("failed", "not_allowed")
    # A host that is allowed by its name is allowed over HTTPS alone, at its usual port.
    assert post(chat.origin, TEXT, ["127.0.0.1"]) == Delivery("failed", "not_allowed")
    assert not chat.received


@pytest.mark.parametrize(
    "address",
    [
        "", "hooks.slack.com/x", "ftp://hooks.slack.com/x", "file:///etc/passwd",
        "http://hooks.slack.com/x", "https://hooks.slack.com:8443/x", "https://evil.example/x",
        "https://hooks.slack.com.evil.example/x", "https://user@hooks.slack.com/x",
        "https://hooks.slack.com@evil.example/x", "https://evil.example\\@hooks.slack.com/x",
        "https://hooks.slack.com/x\r\nHost: evil", "https://hooks.slack.com/x y",
        "https://hooks.slack.com/x#y", "https://[::1]/x", "https://hooks.slack.com:99999/x",
        "https://hooks。slack.com/x", "https://HOOKS.SLACK.COM.:443/x",
    ],
)  # fmt: skip
def test_addresses_that_are_refused(address: str) -> None:
    with pytest.raises(ParameterError):
        check_webhook(address, ["hooks.slack.com", "http://chat.intranet:8065"])


def test_addresses_that_are_accepted() -> None:
    allowed = ["hooks.slack.com", "http://chat.intranet:8065"]
    for address in ("https://Hooks.Slack.com/x?y=z", "http://chat.intranet:8065/hooks/a"):
        assert check_webhook(f" {address} ", allowed) == address
    with pytest.raises(ParameterError):
        check_webhook("https://hooks.slack.com/x", [])


@pytest.mark.parametrize(
    "text", ["", "a b", "ftp://x", "http://", "a:80", "http://a/b", "u@a", "ä"]
)
def test_hosts_that_an_operator_cannot_name(text: str) -> None:
    with pytest.raises(ParameterError):
        tidy_origin(text)


def test_nothing_in_a_text_calls_people() -> None:
    hostile = '<!channel> @all <at user_id="all"></at> & <https://evil.example|here>'
    slack = str(write_body("webhook", hostile)["text"])
    assert "<" not in slack
    assert "@all" not in slack
    assert "<at" not in str(write_body("feishu", hostile))
    assert "@all" not in str(write_body("dingtalk", hostile))


def test_a_secret_is_in_no_message() -> None:
    url = "https://qyapi.example/cgi-bin/webhook/send?key=693a91f6-7xxx"
    told = clean(f"bad key 693a91f6-7xxx for {url}\x00\n", url)
    assert "693a91f6" not in told
    assert told.isprintable()
    assert len(clean("a" * 999)) == 200


class Inbox(Handler):
    """Keeps what arrives; a script may refuse it."""

    def __init__(self) -> None:
        super().__init__()
        self.mails: list[Email] = []
        self.script: dict[str, str] = {}

    def handle_message(self, message: Email) -> None:
        self.mails.append(message)

    async def handle_MAIL(self, server, session, envelope, address, options) -> str:  # noqa: N802
        if "MAIL" in self.script:
            return self.script["MAIL"]
        envelope.mail_from = address
        return "250 OK"

    async def handle_RCPT(self, server, session, envelope, address, options) -> str:  # noqa: N802
        if "RCPT" in self.script:
            return self.script["RCPT"]
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope) -> str:  # noqa: N802
        if self.script.get("DATA") == "break":
            server.transport.abort()
            return "250 OK"
        if "DATA" in self.script:
            return self.script["DATA"]
        return await super().handle_DATA(server, session, envelope)


@pytest.fixture
def inbox() -> Iterator[tuple[Inbox, MailServer]]:
    handler = Inbox()
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    controller = Controller(handler, hostname="127.0.0.1", port=port)
    controller.start()
    yield handler, MailServer("127.0.0.1", port, "relyon@example.org", encryption="none")
    controller.stop()


def test_an_e_mail_arrives(inbox: tuple[Inbox, MailServer]) -> None:
    handler, server = inbox
    subject = "relyon: 2026-03 召回\r\nBcc: victim@example.org"
    assert send_mail(server, "search@example.org", subject, "DCG 下降") == Delivery("sent")
    (mail,) = handler.mails
    assert mail["X-RcptTo"] == "search@example.org"
    assert mail["From"] == "relyon@example.org"
    assert mail["Bcc"] is None
    assert mail.get_unixfrom() is None
    from email.header import decode_header, make_header

    assert str(make_header(decode_header(mail["Subject"]))).startswith("relyon: 2026-03 召回 Bcc")
    payload = mail.get_payload(decode=True)
    assert isinstance(payload, bytes)
    assert payload.decode().strip() == "DCG 下降"


@pytest.mark.parametrize(
    ("script", "fate", "problem"),
    [
        ({"MAIL": "451 later"}, "later", "mail:451 later"),
        ({"RCPT": "550 no such mailbox"}, "failed", "mail:550 no such mailbox"),
        ({"DATA": "452 full"}, "later", "mail:452 full"),
        ({"DATA": "554 spam"}, "failed", "mail:554 spam"),
        ({"DATA": "break"}, "unclear", "no_answer"),
    ],
)
def test_what_a_mail_server_answers(
    inbox: tuple[Inbox, MailServer], script: dict[str, str], fate: str, problem: str
) -> None:
    handler, server = inbox
    handler.script = script
    found = send_mail(server, "search@example.org", "s", "t")
    assert (found.fate, found.problem) == (fate, problem)


def test_a_server_without_encryption_gets_nothing(inbox: tuple[Inbox, MailServer]) -> None:
    handler, server = inbox
    strict = MailServer(server.host, server.port, server.sender, user="u", password="secret")
    found = send_mail(strict, "search@example.org", "s", "t")
    assert found.fate == "failed"
    assert "secret" not in found.problem
    assert not handler.mails


def test_a_mail_server_that_is_not_there_or_says_nothing() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        server = MailServer("127.0.0.1", silent.getsockname()[1], "a@b.c", encryption="none")
        assert send_mail(server, "x@y.z", "s", "t", patience=0.3).fate == "later"
    assert send_mail(server, "x@y.z", "s", "t").fate == "later"


@pytest.mark.parametrize(
    "address",
    [
        "", "a", "a@", "@b", "a@b@c", "a b@c.d", "a@b.c, x@y.z", "A <a@b.c>", "a@b.c\nBcc: x@y.z",
        "a@b.c\r\n", '"a b"@c.d', "a@[127.0.0.1]", "a@-b.c", "ä@b.c", "a" * 65 + "@b.c",
    ],
)  # fmt: skip
def test_addresses_that_are_not_mailboxes(address: str) -> None:
    if address.strip() == "a@b.c":
        assert check_mailbox(address) == "a@b.c"
        return
    with pytest.raises(ParameterError):
        check_mailbox(address)


def test_https_is_verified(chat: Chat, monkeypatch: pytest.MonkeyPatch) -> None:
    # A plain server cannot speak TLS.
    origin = chat.origin.replace("http:", "https:")
    found = post(origin + SECRET, TEXT, [origin], patience=2)
    assert found.fate == "later"
    assert webhooks.PATIENCE < 30
    assert not chat.received
