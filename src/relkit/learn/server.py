"""The course's pages over HTTP, on this machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from relkit.app.protection import AllowedHosts, SecurityHeaders

__all__ = ["course_app"]

TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}
OTHER = "application/octet-stream"


def course_app(pages: Mapping[str, bytes], first: str, *, names: Sequence[str] = ()) -> ASGIApp:
    """Returns the app that serves the course.

    Args:
        pages: Every file by its path.
        first: The path of the page that the address alone leads to.
        names: Under which names it is reached besides `localhost` and addresses in numbers.
    """

    def begin(request: Request) -> Response:
        return RedirectResponse(f"/{first}")

    def page(request: Request) -> Response:
        name = request.path_params["name"]
        if name not in pages:
            return PlainTextResponse("404", status_code=404)
        return Response(pages[name], media_type=TYPES.get(name[name.rindex(".") :], OTHER))

    def refuse(request: Request, name: str) -> Response:
        return PlainTextResponse(f"421 {name}", status_code=421)

    return Starlette(
        routes=[Route("/", begin), Route("/{name:path}", page)],
        middleware=[
            Middleware(SecurityHeaders),
            Middleware(AllowedHosts, names=names, refuse=refuse),
        ],
    )
