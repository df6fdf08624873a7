"""The course's pages over HTTP, on this machine."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from relyon.app.protection import AllowedHosts, SecurityHeaders

__all__ = ["Ahead", "course_app"]

TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}
OTHER = "application/octet-stream"


class Ahead:
    """Computes ahead what pages will need: one step after the other, in a thread of its own.

    The thread starts after the first page, and waits while a page is asked for. Its priority stays
    as it is: a slow thread that keeps the interpreter's lock would slow down the pages, too.

    Args:
        steps: What there is to do; the shorter a step, the sooner it gives way.
    """

    def __init__(self, steps: Iterable[Callable[[], object]] = ()) -> None:
        self._steps = steps
        self._asked = 0
        self._ended = False
        self._thread: threading.Thread | None = None
        self._changed = threading.Condition()

    @contextmanager
    def giving_way(self) -> Iterator[None]:
        """A context in which no further step begins."""
        with self._changed:
            self._asked += 1
        try:
            yield
        finally:
            with self._changed:
                self._asked -= 1
                if self._thread is None and not self._ended:
                    self._thread = threading.Thread(target=self._run, name="ahead", daemon=True)
                    self._thread.start()
                self._changed.notify()

    def close(self) -> None:
        """Ends the thread after the step that it is at."""
        with self._changed:
            self._ended = True
            self._changed.notify()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        for step in self._steps:
            with self._changed:
                self._changed.wait_for(lambda: self._ended or not self._asked)
                if self._ended:
                    return
            step()


def course_app(
    pages: Mapping[str, bytes],
    first: str,
    *,
    names: Sequence[str] = (),
    ahead: Ahead | None = None,
) -> ASGIApp:
    """Returns the app that serves the course.

    Args:
        pages: Every file by its path.
        first: The path of the page that the address alone leads to.
        names: Under which names it is reached besides `localhost` and addresses in numbers.
        ahead: What is computed ahead between pages.
    """
    between = ahead or Ahead()

    def begin(request: Request) -> Response:
        return RedirectResponse(f"/{first}")

    def page(request: Request) -> Response:
        name = request.path_params["name"]
        if name not in pages:
            return PlainTextResponse("404", status_code=404)
        with between.giving_way():
            content = pages[name]
        return Response(content, media_type=TYPES.get(name[name.rindex(".") :], OTHER))

    def refuse(request: Request, name: str) -> Response:
        return PlainTextResponse(f"421 {name}", status_code=421)

    return Starlette(
        routes=[Route("/", begin), Route("/{name:path}", page)],
        middleware=[
            Middleware(SecurityHeaders),
            Middleware(AllowedHosts, names=names, refuse=refuse),
        ],
    )
