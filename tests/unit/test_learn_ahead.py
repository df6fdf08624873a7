"""What the course computes while a page is being read."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

pytest.importorskip("markdown_it")

from relyon.core.texts import LANGUAGES
from relyon.learn import course
from relyon.learn.blocks import Dial
from relyon.learn.pages.server import Ahead, course_app
from relyon.learn.pages.site import Pages, steps_ahead

SECONDS = 20.0


def test_nothing_is_computed_before_the_first_page_and_none_while_one_is_asked_for() -> None:
    done: list[int] = []
    first, second, last = threading.Event(), threading.Event(), threading.Event()

    def step(number: int, event: threading.Event) -> None:
        done.append(number)
        event.set()

    held = threading.Event()

    def wait_and_step() -> None:
        step(1, first)
        assert held.wait(SECONDS)

    ahead = Ahead([wait_and_step, lambda: step(2, second), lambda: step(3, last)])
    with ahead.giving_way():
        assert not first.wait(0.05)
    assert first.wait(SECONDS)
    with ahead.giving_way():
        held.set()  # the step that had begun ends, and no other begins
        assert not second.wait(0.05)
    assert last.wait(SECONDS)
    assert done == [1, 2, 3]
    ahead.close()


def test_closing_waits_for_the_step_that_has_begun_and_begins_no_other() -> None:
    begun = threading.Event()
    done: list[int] = []

    def steps() -> Iterator[object]:
        def step() -> None:
            begun.set()
            done.append(len(done))

        while True:
            yield step

    ahead = Ahead(steps())  # type: ignore[arg-type]
    with ahead.giving_way():
        pass
    assert begun.wait(SECONDS)
    ahead.close()
    count = len(done)
    with ahead.giving_way():
        pass
    assert len(done) == count
    assert "ahead" not in {one.name for one in threading.enumerate()}


def test_a_server_that_ends_before_the_first_page_computes_nothing() -> None:
    ahead = Ahead([lambda: pytest.fail("a step began")])
    ahead.close()
    with ahead.giving_way():
        pass
    assert "ahead" not in {one.name for one in threading.enumerate()}


def test_a_page_that_is_served_starts_the_rest() -> None:
    started = threading.Event()
    ahead = Ahead([started.set])
    app = course_app({"en/index.html": b"page"}, "en/index.html", ahead=ahead)
    sent: list[dict[str, object]] = []

    async def receive() -> dict[str, object]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: dict[str, object]) -> None:
        sent.append(message)

    def ask(path: str) -> int:
        sent.clear()
        scope = {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "GET",
            "scheme": "http", "path": path, "raw_path": path.encode(), "query_string": b"",
            "root_path": "", "headers": [(b"host", b"localhost")], "client": None,
            "server": ("localhost", 80),
        }  # fmt: skip
        # A browser of another test may have a loop in this thread.
        with ThreadPoolExecutor(1) as pool:
            pool.submit(lambda: asyncio.run(app(scope, receive, send))).result()  # type: ignore[arg-type]
        status = sent[0]["status"]
        assert isinstance(status, int)
        return status

    assert ask("/nothing.html") == 404
    assert not started.wait(0.05)
    assert ask("/en/index.html") == 200
    assert started.wait(SECONDS)
    ahead.close()


def test_looking_for_a_page_does_not_make_it() -> None:
    made: list[str] = []

    def maker() -> str:
        made.append("a.html")
        return "page"

    found = Pages({"a.html": maker})
    assert "a.html" in found
    assert "b.html" not in found
    assert made == []
    assert found["a.html"] == found["a.html"] == b"page"
    assert made == ["a.html"]


def test_the_steps_are_every_setting_of_every_dial_once() -> None:
    found = [step.args for step in steps_ahead()]  # type: ignore[attr-defined]
    assert len(set(found)) == len(found)
    assert set(found) == {
        (block.figure, setting)
        for language in LANGUAGES
        for lesson in course(language)
        for block in lesson.blocks
        if isinstance(block, Dial)
        for setting in block.settings
    }
