"""Templates, static files, and untrusted Markdown."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import MutableMapping, Sequence
from functools import cache, partial
from importlib import resources
from typing import TYPE_CHECKING
from urllib.parse import urlencode, urlsplit

import jinja2
from fastapi import Request
from fastapi.responses import HTMLResponse
from markupsafe import Markup

from relyon.app.authentication import Visitor
from relyon.app.catalogue import name_reason, say, sentence_case, write_date, write_time
from relyon.app.protection import csrf_token
from relyon.core.texts.languages import LANGUAGES, Language, language_name, language_tag
from relyon.core.texts.numbers import PAGE
from relyon.online.monitoring.sentences import tier_name
from relyon.report.environment import environment

if TYPE_CHECKING:
    from markdown_it.renderer import RendererHTML
    from markdown_it.token import Token
    from markdown_it.utils import OptionsDict

__all__ = ["ASSETS", "asset", "render", "render_markdown"]

SCRIPTS = (
    "drawing.js", "import.js", "job.js", "judge.js", "keys.js", "list.js", "offline.js",
    "outbox.js", "queue.js", "results.js", "tabs.js", "try.js", "wait.js", "worker.js",
)  # fmt: skip
ASSETS = {"style.css": "text/css", **dict.fromkeys(SCRIPTS, "text/javascript")}


#: A picture within an address; drawings may contain scripts and are left out.
PICTURE = re.compile(r"data:image/(?:avif|bmp|gif|jpeg|png|webp)[;,]", re.IGNORECASE)


@cache
def asset(name: str) -> bytes:
    """Returns a static file. The style sheet begins with that of the reports."""
    folder = resources.files("relyon.app").joinpath("static")
    text = folder.joinpath(name).read_text("utf-8")
    if name == "style.css":
        report = resources.files("relyon.report").joinpath("templates", "page.css")
        text = report.read_text("utf-8") + text
    return text.encode()


def _address(name: str) -> str:
    return f"/static/{name}?v={hashlib.sha256(asset(name)).hexdigest()[:12]}"


def _number(value: float | None, digits: int = 2) -> str:
    return PAGE.number(math.nan if value is None else value, digits)


def _signed(value: float | None, digits: int = 2) -> str:
    return PAGE.signed(math.nan if value is None else value, digits)


def _percent(value: float | None) -> str:
    return "–" if value is None or math.isnan(value) else f"{100 * value:.0f}%"


def _width(value: float | None) -> str:
    """Returns half an interval as a share."""
    return "–" if value is None or math.isnan(value) else f"±{100 * value:.1f}%"


def _is_web(address: str) -> bool:
    """Returns whether an address leads to a page and runs nothing."""
    return address.lower().startswith(("http://", "https://"))


def _is_picture(address: str) -> bool:
    """Returns whether judges see an address as a picture: of a page, or one that it contains."""
    return _is_web(address) or PICTURE.match(address) is not None


def render_markdown(text: str) -> Markup:
    """Returns Markdown as HTML; embedded HTML is shown as text, and no link runs a script.

    Pictures of other hosts become links: loading them would show those hosts who reads the page.
    """
    from markdown_it import MarkdownIt

    found = MarkdownIt("commonmark", {"html": False}).enable("table")
    found.add_render_rule("image", _render_picture)
    return Markup(found.render(text))


def _render_picture(
    renderer: RendererHTML,
    tokens: Sequence[Token],
    at: int,
    options: OptionsDict,
    env: MutableMapping[str, object],
) -> str:
    address = str(tokens[at].attrs["src"])
    if address.startswith("data:") or not urlsplit(address).netloc:
        return renderer.image(tokens, at, options, env)
    words = renderer.renderInlineAsText(tokens[at].children, options, env) or address
    link = Markup('<a href="{}" target="_blank" rel="noopener noreferrer">{}</a>')
    return link.format(address, words)


@cache
def _environment() -> jinja2.Environment:
    found = environment(jinja2.PackageLoader("relyon.app"))
    found.filters.update(
        is_picture=_is_picture,
        is_web=_is_web,
        number=_number,
        signed=_signed,
        tier=tier_name,
        percent=_percent,
        width=_width,
        markdown=render_markdown,
        sentence_case=sentence_case,
    )
    found.globals.update(
        asset=_address,
        all_languages=LANGUAGES,
        language_name=language_name,
        language_tag=language_tag,
    )
    return found


def _in_language(request: Request, language: Language) -> str:
    """Returns the address of a page in another language: the same filters, the same place.

    The answer to a form is read again with the fields that say what it is about, which a page
    keeps in `request.state.about`.
    """
    about = list(getattr(request.state, "about", {}).items())
    given = request.query_params.multi_items() or about
    kept = [pair for pair in given if pair[0] != "lang"]
    return f"{request.url.path}?{urlencode([*kept, ('lang', language)])}"


def render(
    request: Request, visitor: Visitor, template: str, /, *, status: int = 200, **values: object
) -> HTMLResponse:
    """Returns a page."""
    text = (
        _environment()
        .get_template(template)
        .render(
            user=visitor.user,
            leads=visitor.leads,
            account_leads=visitor.account_leads,
            csrf=csrf_token(visitor.secret),
            language=visitor.language,
            say=partial(say, visitor.language),
            name_reason=partial(name_reason, visitor.language),
            write_date=partial(write_date, visitor.language),
            write_time=partial(write_time, visitor.language),
            path=request.url.path,
            in_language=partial(_in_language, request),
            **values,
        )
    )
    answer = HTMLResponse(text, status)
    if "lang" in request.query_params:
        answer.set_cookie(
            "relyon_language", visitor.language, max_age=365 * 86400, samesite="lax", httponly=True
        )
    return answer
