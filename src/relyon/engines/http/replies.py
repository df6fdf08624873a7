"""What an engine's reply over HTTP means: results, asking again, or an end."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import cast

import msgspec

from relyon.core.texts import message
from relyon.engines.files.secrets import Secrets
from relyon.engines.files.template import Json
from relyon.engines.problems import FatalError, PassingError, RefusedError

__all__ = ["Reply", "read_reply", "reason_of", "retry_after", "told"]

#: The engine cannot do this one request.
REFUSED = {400, 413, 414, 422, 431}
#: The engine cannot do it now. All other faults of a server are such, too.
PASSING = {408, 425, 429}
#: Nor will it ever.
NEVER = {501, 505}
#: Where engines write what is wrong, the most telling first.
REASONS = (
    "root_cause",
    "reason",
    "msg",
    "message",
    "error",
    "errors",
    "detail",
    "details",
    "summary",
    "failures",
    "_shards",
    "root",
    "status",
)
LONGEST = 300


@dataclass(frozen=True)
class Reply:
    """A reply, received as a whole.

    Attributes:
        status: The status.
        headers: The headers, whose names are in lower case.
        content: The body.
    """

    status: int
    headers: Mapping[str, str]
    content: bytes


def read_reply(reply: Reply, address: str, secrets: Secrets) -> Json:
    """Returns the JSON of a reply.

    Args:
        reply: The reply.
        address: Where it comes from, for messages.
        secrets: Must not be in messages.

    Raises:
        PassingError: If the engine is busy, or the reply was cut off.
        RefusedError: If the engine refuses the request, or replies with something else than JSON.
        FatalError: If no request will be answered.
    """
    if 200 <= reply.status < 300:
        return _decoded(reply)
    said = secrets.hide(reason_of(reply.content))
    detail = f"HTTP {reply.status}" + (f": {said}" if said else "")
    if reply.status in REFUSED:
        raise RefusedError("refused", detail)
    if reply.status in PASSING or (reply.status >= 500 and reply.status not in NEVER):
        wait = retry_after(reply.headers.get("retry-after"), reply.headers.get("date"))
        raise PassingError("status", detail, wait=wait)
    if 300 <= reply.status < 400:
        place = secrets.hide(reply.headers.get("location", ""))[:LONGEST]
        raise FatalError(
            message("engines.redirects", address=address, status=reply.status, place=place),
            hint=message("engines.no-redirect-is-followed"),
        )
    raise FatalError(
        message("engines.answers-with-status", address=address, problem=detail),
        hint=_advice(reply.status),
    )


def _advice(status: int) -> str:
    if status == 401:
        return message("engines.status-401")
    if status == 403:
        return message("engines.status-403")
    if status == 405:
        return message("engines.status-405")
    return message("engines.status-404")


def _decoded(reply: Reply) -> Json:
    try:
        return cast("Json", msgspec.json.decode(reply.content))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        start = reply.content.lstrip()[:1]
        if start in (b"{", b"[") and "truncated" in str(error):
            said = message("engines.answer-is-cut-off", problem=error)
            raise PassingError("truncated", said) from None
        text = reply.content[:80].decode("utf-8", "replace")
        start_of = " ".join(text.split())
        said = message("engines.answer-is-not-json", problem=error, start=start_of)
        raise RefusedError("not-json", said) from None


def retry_after(header: str | None, date: str | None = None) -> float | None:
    """Returns the seconds that a `Retry-After` header asks to wait; None if it says nothing.

    Args:
        header: Seconds, or a date.
        date: The `Date` header: the clocks of server and client may differ.

    Examples:
        >>> retry_after("7")
        7.0
        >>> at, now = "Fri, 27 Nov 2026 10:00:30 GMT", "Fri, 27 Nov 2026 10:00:00 GMT"
        >>> retry_after(at, now)
        30.0
    """
    if header is None:
        return None
    try:
        return max(0.0, float(int(header)))
    except ValueError:
        pass
    until = _seconds(header)
    now = _seconds(date or "")
    return None if until is None else max(0.0, until - (time.time() if now is None else now))


def _seconds(date: str) -> float | None:
    try:
        return parsedate_to_datetime(date).timestamp()
    except (ValueError, OverflowError):
        return None


def reason_of(content: bytes) -> str:
    """Returns what an engine says is wrong, in one line; empty if it says nothing.

    Examples:
        >>> reason_of(b'{"error": {"root_cause": [{"reason": "no such index"}], "type": "x"}}')
        'no such index'
    """
    if content.lstrip()[:1] == b"<":
        return ""
    try:
        found = told(cast("Json", msgspec.json.decode(content)))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        found = content[: 4 * LONGEST].decode("utf-8", "replace")
    return "".join(one if one.isprintable() else " " for one in " ".join(found.split()))[:LONGEST]


def told(value: Json, depth: int = 0) -> str:
    """Returns what JSON says is wrong, the most telling first; empty if it says nothing.

    Args:
        value: The JSON.
        depth: How deep it is within a whole.
    """
    if isinstance(value, str):
        return value
    if depth > 8:
        return ""
    if isinstance(value, list):
        texts = (told(one, depth + 1) for one in value[:8])
        return next((one for one in texts if one), "")
    if isinstance(value, dict):
        texts = (told(value[name], depth + 1) for name in REASONS if name in value)
        return next((one for one in texts if one), "")
    return ""
