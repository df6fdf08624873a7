"""Requests to an endpoint that answers well, badly, late or not at all."""

from __future__ import annotations

import json
import threading
import time
from email.utils import formatdate

import pytest

pytest.importorskip("sqlalchemy")

from tests.unit.completions import Completions, Reply, serve_completions

from relyon.core.errors import ParameterError
from relyon.engines.pace import Pace, StoppedError
from relyon.judging.llm.endpoint import Endpoint, EndpointError, RefusedError, read_key, tidy_url

BODY = {"model": "m", "messages": [{"role": "user", "content": "BEGIN x\n{}\nEND x"}]}
KEY = "sk-very-secret-0123456789"


class Waits:
    """A clock that waiting turns on, and nothing else."""

    def __init__(self) -> None:
        self.now = 0.0
        self.waited: list[float] = []
        self.lock = threading.Lock()

    def __call__(self) -> float:
        return self.now

    def wait(self, seconds: float) -> None:
        with self.lock:
            self.waited.append(seconds)
            self.now += seconds


def endpoint(server: Completions, **settings: object) -> tuple[Endpoint, Waits]:
    waits = Waits()
    pace = Pace(clock=waits, wait=waits.wait)
    return Endpoint(server.url, pace=pace, **settings), waits  # type: ignore[arg-type]


def test_an_answer_and_its_tokens(server: Completions) -> None:
    found = endpoint(server, key=KEY)[0].complete(BODY)
    assert (found.content, found.prompt_tokens, found.completion_tokens) == (
        '{"grade": 2, "reason": "fits"}', 100, 10,
    )  # fmt: skip
    (request,) = server.received
    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.body == BODY


def test_without_a_key_none_is_sent(server: Completions) -> None:
    endpoint(server)[0].complete(BODY)
    assert "authorization" not in server.received[0].headers


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
def test_errors_that_pass_are_waited_for_longer_each_time(server: Completions, status: int) -> None:
    server.replies(*[Reply(status=status, body=b"busy")] * 4)
    one, waits = endpoint(server)
    assert one.complete(BODY).content
    assert len(server.received) == 5
    assert one.retried == 4
    assert len(waits.waited) == 4
    for attempt, seconds in enumerate(waits.waited):
        assert 2**attempt / 2 <= seconds <= 2**attempt


def test_an_error_that_does_not_pass_ends(server: Completions) -> None:
    server.script = lambda _: Reply(status=503, body=b'{"error": {"message": "overloaded"}}')
    one, _ = endpoint(server, retries=3)
    with pytest.raises(EndpointError, match=r"HTTP 503: overloaded \(4 attempts\)"):
        one.complete(BODY)
    assert len(server.received) == 4


def test_retry_after_is_kept_by_everybody(server: Completions) -> None:
    server.replies(Reply(status=429, headers={"Retry-After": "17"}, body=b"{}"))
    one, waits = endpoint(server)
    one.complete(BODY)
    assert sum(waits.waited) == 17.0
    # Another thread would have waited too.
    pace, clock = one.pace, waits.now
    pace.pause(5)
    pace.take_turn()
    assert waits.now == clock + 5


def test_retry_after_may_be_a_date(server: Completions) -> None:
    server.replies(Reply(status=503, headers={"Retry-After": formatdate(time.time() + 30)}))
    one, waits = endpoint(server)
    one.complete(BODY)
    assert 25 <= sum(waits.waited) <= 30


def test_a_retry_after_that_is_none_does_not_matter(server: Completions) -> None:
    server.replies(Reply(status=503, headers={"Retry-After": "soon"}))
    one, waits = endpoint(server)
    one.complete(BODY)
    assert 0.5 <= sum(waits.waited) <= 1


def test_a_pause_of_an_hour_ends_the_run(server: Completions) -> None:
    server.replies(Reply(status=429, headers={"Retry-After": "3600"}))
    with pytest.raises(EndpointError, match=r"retry in 3,600 seconds"):
        endpoint(server)[0].complete(BODY)


@pytest.mark.parametrize(
    "reply",
    [
        Reply(drop=True),
        Reply(body=b"not json"),
        Reply(body=b'{"choices": []}'),
        Reply(body=b'{"error": {"message": "no capacity"}}'),
        Reply(body=b"[]"),
        Reply(body=b'{"choices": [{"message": null}]}'),
        Reply(body=b"\xff\xfe"),
        Reply(body=b"[" * 100_000),
    ],
)
def test_broken_answers_are_asked_again(server: Completions, reply: Reply) -> None:
    server.replies(reply)
    one, _ = endpoint(server)
    assert one.complete(BODY).content
    assert one.retried == 1


def test_an_answer_that_breaks_off_is_asked_again(server: Completions) -> None:
    server.replies(Reply(body=b'{"choices"', headers={"Content-Length": "500"}))
    one, _ = endpoint(server)
    assert one.complete(BODY).content
    assert one.retried == 1


@pytest.mark.parametrize("reply", [Reply(seconds=20), Reply(drip=0.05)])
def test_a_request_that_hangs_is_lost_and_sent_again(server: Completions, reply: Reply) -> None:
    server.replies(reply)
    one, _ = endpoint(server, timeout=0.5)
    start = time.monotonic()
    assert one.complete(BODY).content
    assert one.retried == 1
    assert time.monotonic() - start < 10


def test_nobody_there() -> None:
    with serve_completions() as found:
        url = found.url
    waits = Waits()
    one = Endpoint(url, pace=Pace(clock=waits, wait=waits.wait), retries=2)
    with pytest.raises(EndpointError, match=r"no connection: .*\(3 attempts\)"):
        one.complete(BODY)


@pytest.mark.parametrize(
    ("status", "hint"), [(401, "--api-key-env"), (403, "may not"), (404, "--model"), (402, "")]
)
def test_errors_that_do_not_pass_end_at_once(server: Completions, status: int, hint: str) -> None:
    server.replies(Reply(status=status, body=b'{"error": {"message": "it is so"}}'))
    with pytest.raises(EndpointError, match=f"HTTP {status}: it is so") as caught:
        endpoint(server)[0].complete(BODY)
    assert hint in caught.value.hint
    assert not isinstance(caught.value, RefusedError)
    assert len(server.received) == 1


@pytest.mark.parametrize("status", [400, 413, 422])
def test_a_request_that_is_not_taken(server: Completions, status: int) -> None:
    server.replies(Reply(status=status, body=b'{"detail": "too long"}'))
    with pytest.raises(RefusedError, match=f"HTTP {status}: too long"):
        endpoint(server)[0].complete(BODY)


def test_the_key_is_in_no_error_and_in_no_representation(server: Completions) -> None:
    told = json.dumps({"error": {"message": f"Incorrect API key provided: {KEY}.\n\x1b[31m"}})
    server.replies(Reply(status=401, body=told.encode()))
    one, _ = endpoint(server, key=KEY)
    with pytest.raises(EndpointError, match=r"Incorrect API key provided: \*\*\*\.") as caught:
        one.complete(BODY)
    assert "\x1b" not in str(caught.value)
    assert KEY not in repr(one)


def test_a_redirect_is_not_followed(server: Completions) -> None:
    """The key would go to where it points."""
    with serve_completions() as other:
        server.replies(Reply(status=307, headers={"Location": f"{other.url}/chat/completions"}))
        with pytest.raises(EndpointError, match="HTTP 307"):
            endpoint(server, key=KEY)[0].complete(BODY)
        server.replies(Reply(status=302, headers={"Location": f"{other.url}/chat/completions"}))
        with pytest.raises(EndpointError, match="HTTP 302"):
            endpoint(server, key=KEY)[0].complete(BODY)
        assert other.received == []


def test_content_in_parts_and_none(server: Completions) -> None:
    parts = [{"type": "text", "text": '{"grade"'}, {"type": "image"}, {"text": ": 1}"}]
    for content, text in ((parts, '{"grade": 1}'), (None, ""), (3, "")):
        body = {"choices": [{"message": {"content": content}}], "usage": {"prompt_tokens": "x"}}
        server.replies(Reply(body=json.dumps(body).encode()))
        found = endpoint(server)[0].complete(BODY)
        assert (found.content, found.prompt_tokens) == (text, 0)


def test_what_no_database_can_hold_is_left_out(server: Completions) -> None:
    server.replies(Reply(body=b'{"choices": [{"message": {"content": "a\\u0000b\\ud800c"}}]}'))
    assert endpoint(server)[0].complete(BODY).content == "ab?c"


@pytest.mark.parametrize(
    "url",
    ["", "api.example.com", "ftp://x.test", "file:///etc/passwd", "http://", "http://u:p@x.test/v1",
     "https://x.test/v1?key=1", "https://x.test/#a", "http://x.test/a b", "http://[::1",
     "http://x.test:99999", "http://例子.test/v1"],
)  # fmt: skip
def test_what_is_no_endpoint(url: str) -> None:
    with pytest.raises(ParameterError, match="the endpoint"):
        tidy_url(url)


def test_one_endpoint_has_one_address() -> None:
    assert {
        tidy_url(url)
        for url in (
            "https://API.test/v1",
            "https://api.test/v1/",
            " https://api.test/v1/chat/completions",
        )
    } == {"https://api.test/v1"}


def test_the_key_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_KEY", f" {KEY}\n")
    assert read_key("A_KEY") == KEY
    assert read_key("NO_SUCH_KEY") == ""
    monkeypatch.setenv("A_KEY", "a\r\nHost: b")
    with pytest.raises(ParameterError, match="the key in A_KEY"):
        read_key("A_KEY")


def test_no_more_requests_in_a_minute_than_allowed() -> None:
    waits = Waits()
    pace = Pace(30, clock=waits, wait=waits.wait)
    sent = []
    for _ in range(100):
        pace.take_turn()
        sent.append(waits.now)
    for start in sent:
        assert sum(start <= one < start + 60 for one in sent) <= 30
    assert sent[-1] == 99 * 2  # and no fewer


def test_after_a_pause_nobody_hurries() -> None:
    """Whoever waited through it does not go at once with the others."""
    waits = Waits()
    pace = Pace(60, clock=waits, wait=waits.wait)
    pace.take_turn()

    def wait(seconds: float) -> None:
        if waits.now < 1:  # an answer to another thread asks for a pause
            pace.pause(30)
        waits.wait(seconds)

    pace._wait = wait
    sent = []
    for _ in range(3):
        pace.take_turn()
        sent.append(waits.now)
    assert sent[0] >= 30
    assert sent[1] - sent[0] >= 1
    assert sent[2] - sent[1] >= 1


def test_time_that_passed_cannot_be_caught_up_with() -> None:
    waits = Waits()
    pace = Pace(60, clock=waits, wait=waits.wait)
    pace.take_turn()
    waits.now += 300
    sent = []
    for _ in range(5):
        pace.take_turn()
        sent.append(waits.now)
    assert sent == [300, 301, 302, 303, 304]


def test_threads_share_the_pace(server: Completions) -> None:
    pace = Pace(1200)
    one = Endpoint(server.url, pace=pace)
    threads = [
        threading.Thread(target=lambda: [one.complete(BODY) for _ in range(3)]) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    times = sorted(request.at for request in server.received)
    assert len(times) == 12
    assert times[-1] - times[0] >= 11 * 0.05 * 0.9


def test_who_stops_waits_no_longer() -> None:
    pace = Pace()
    pace.pause(60)
    timer = threading.Timer(0.1, pace.stop)
    timer.start()
    start = time.monotonic()
    with pytest.raises(StoppedError):
        pace.take_turn()
    assert time.monotonic() - start < 5
    timer.join()


def test_a_pace_is_above_nothing() -> None:
    with pytest.raises(ParameterError, match="per_minute"):
        Pace(0)
