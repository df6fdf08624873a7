"""Webhooks: which addresses may be reached, and one bounded request to one of them.

The address of a webhook is typed in a form, so that it must not become a way into the network of
the app: its host must be one that the operator named, the address that its name resolves to is
checked and is the one that is connected to, redirects are not followed, and the answer is bounded
in size and time. The path of a webhook is a secret and occurs in no message.
"""

from __future__ import annotations

import http.client
import json
import re
import socket
import ssl
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit

from relyon.core.errors import ParameterError
from relyon.core.texts import message
from relyon.engines.reach import PrivateAddressError, Reach
from relyon.judging.alarm_messages import Delivery, Fate
from relyon.judging.receivers import ReceiverKind

__all__ = ["bounded", "check_webhook", "clean", "post", "write_body"]

#: Seconds of a whole attempt, and the largest answer that is read.
PATIENCE = 20.0
LARGEST = 1 << 16
#: Seconds to connect to one address of a host.
CONNECTING = 8.0
#: What begins the name of somebody, as in `@channel` and not in `DCG@10`.
MENTION = re.compile(r"@(?=[^\W\d])")
#: Statuses with which a receiver says that it did not take a message and may do so later.
LATER = {408, 425, 429, 500, 503}
#: Statuses of a server in between, which may have passed it on.
UNCLEAR = {502, 504}


def check_webhook(address: str, allowed: Sequence[str]) -> str:
    """Returns the address of a webhook that may be used.

    Args:
        address: As it was typed.
        allowed: The operator's hosts and origins, as `tidy_origin` returns them.

    Raises:
        ParameterError: If it is not an http(s) URL, or the operator has not allowed its host.

    Examples:
        >>> check_webhook("https://hooks.slack.com/services/T0/B0/x", ["hooks.slack.com"])
        'https://hooks.slack.com/services/T0/B0/x'
    """
    url = address.strip()
    try:
        parts = urlsplit(url)
        good = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        good = False
    if not good or not url.isascii() or not url.isprintable() or " " in url or "\\" in url:
        raise ParameterError(
            message("app.webhook-is-not-url"), hint=message("app.copy-webhook-from-chat")
        )
    if "@" in parts.netloc or parts.fragment:
        raise ParameterError(
            message("app.webhook-must-not-have-user"), hint=message("app.copy-webhook-from-chat")
        )
    if not _is_allowed(url, allowed):
        raise ParameterError(
            message("app.webhook-host-is-not-allowed", host=parts.hostname),
            hint=message("app.ask-operator-for-host", hosts=list(allowed))
            if allowed
            else message("app.ask-operator-for-webhooks"),
        )
    return url


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.lower()}"


def _is_allowed(url: str, allowed: Sequence[str]) -> bool:
    """Returns whether the host of a URL, or its origin, is allowed."""
    origin = _origin(url)
    return origin in allowed or origin.removeprefix("https://") in allowed


@contextmanager
def bounded(connected: socket.socket, seconds: float) -> Iterator[threading.Event]:
    """Cuts a connection after some seconds, however slowly the other side goes on.

    A socket's own timeout restarts with every byte.
    """
    late = threading.Event()
    # TLS takes over the socket itself, but not a copy of it.
    copy = connected.dup()

    def cut() -> None:
        late.set()
        with suppress(OSError):
            copy.shutdown(socket.SHUT_RDWR)

    timer = threading.Timer(seconds, cut)
    timer.daemon = True
    timer.start()
    try:
        yield late
    finally:
        timer.cancel()
        copy.close()


def write_body(kind: ReceiverKind, text: str) -> dict[str, object]:
    """Returns the JSON of a message, in the form that a kind of chat takes.

    Nothing in a text calls people or shows as a link that it is not: names of tiers and queries
    come from logs.

    Examples:
        >>> write_body("webhook", "p < 0.001")
        {'text': 'p &lt; 0.001'}
        >>> write_body("dingtalk", "DCG fell")
        {'msgtype': 'text', 'text': {'content': 'DCG fell'}}
        >>> write_body("feishu", "DCG fell")
        {'msg_type': 'text', 'content': {'text': 'DCG fell'}}
    """
    quiet = MENTION.sub("@\u200b", text)
    if kind == "dingtalk":
        return {"msgtype": "text", "text": {"content": quiet}}
    if kind == "feishu":
        return {"msg_type": "text", "content": {"text": quiet.replace("<at", "<\u200bat")}}
    escaped = quiet.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return {"text": escaped}


def post(
    url: str,
    body: Mapping[str, object],
    allowed: Sequence[str],
    *,
    patience: float = PATIENCE,
    context: ssl.SSLContext | None = None,
) -> Delivery:
    """Sends one request to a webhook, and returns what became of it.

    Args:
        url: The address of the webhook.
        body: The JSON to send.
        allowed: The operator's hosts and origins: what was allowed once may not be any more.
        patience: Seconds for the whole attempt, after the name was looked up.
        context: Whom to believe; None takes the system's certificates.
    """
    if not _is_allowed(url, allowed):
        return Delivery("failed", "not_allowed")
    parts = urlsplit(url)
    host = parts.hostname or ""
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        connected = Reach(private=_origin(url) in allowed).connect(host, port, CONNECTING)
    except PrivateAddressError:
        return Delivery("failed", "private")
    except OSError as error:
        return Delivery("later", f"connection:{clean(error.strerror or str(error), url)}")
    connected.settimeout(patience)
    with connected, bounded(connected, patience) as late:
        if parts.scheme == "https":
            trusted = context or ssl.create_default_context()
            try:
                connected = trusted.wrap_socket(connected, server_hostname=host)
            except ssl.SSLCertVerificationError as error:
                return Delivery("failed", f"certificate:{clean(error.verify_message, url)}")
            except OSError as error:
                return Delivery("later", f"connection:{clean(error.strerror or '', url)}")
        with connected:
            return _exchange(connected, url, body, late)


def _exchange(
    connected: socket.socket, url: str, body: Mapping[str, object], late: threading.Event
) -> Delivery:
    """Sends the request over a connection, and reads the answer."""
    parts = urlsplit(url)
    data = json.dumps(body, ensure_ascii=False).encode()
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    head = (
        f"POST {target} HTTP/1.1\r\nHost: {parts.netloc}\r\nUser-Agent: relyon\r\n"
        "Content-Type: application/json; charset=utf-8\r\nAccept: application/json\r\n"
        f"Content-Length: {len(data)}\r\nConnection: close\r\n\r\n"
    )
    try:
        connected.sendall(head.encode("ascii") + data)
        answer = http.client.HTTPResponse(connected, method="POST")
        answer.begin()
    except (OSError, http.client.HTTPException) as error:
        # It may have got the message and not have said so.
        slow = late.is_set() or isinstance(error, TimeoutError)
        return Delivery("unclear", "late" if slow else "no_answer")
    raw = b""
    with suppress(OSError, http.client.HTTPException):  # the status says enough
        raw = answer.read(LARGEST)
    return _judge(answer.status, raw, url)


def _judge(status: int, raw: bytes, url: str) -> Delivery:
    """Returns what an answer means."""
    told = clean(_message(raw), url)
    if 200 <= status < 300:
        problem = _refusal(raw)
        return Delivery("failed", f"refused:{clean(problem, url)}") if problem else Delivery("sent")
    if 300 <= status < 400:
        return Delivery("failed", f"redirect:{status}")
    fate: Fate = "later" if status in LATER else "unclear" if status in UNCLEAR else "failed"
    return Delivery(fate, f"status:{status} {told}".strip())


def _parse(raw: bytes) -> dict[str, object]:
    """Returns the JSON object of an answer; empty without one."""
    try:
        found = json.loads(raw)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _message(raw: bytes) -> str:
    """Returns what an answer says, without the page around it."""
    found = _parse(raw)
    for name in ("errmsg", "msg", "message", "error"):
        if isinstance(found.get(name), str):
            return str(found[name])
    text = raw[:2000].decode("utf-8", "replace")
    return "" if found or text.lstrip().startswith("<") else text


def _refusal(raw: bytes) -> str:
    """Returns why a chat refused a message although its status is good; empty if it did not.

    DingTalk and WeCom answer with `errcode`, Feishu with `code`: 0 is good.
    """
    found = _parse(raw)
    code = next((found[name] for name in ("errcode", "code") if name in found), 0)
    return "" if code in (0, "0") else f"{code} {_message(raw)}".strip()


def clean(text: str, url: str = "") -> str:
    """Returns what another program said in one short line, without the secret of a webhook.

    Examples:
        >>> clean("no /services/T0\\nhere", "https://hooks.example/services/T0")
        'no *** here'
    """
    parts = urlsplit(url)
    pieces = {parts.path, parts.query, *parts.path.split("/"), *parts.query.split("=")}
    for secret in sorted(pieces, key=len, reverse=True):
        if len(secret) > 5:
            text = text.replace(secret, "***")
    line = " ".join("".join(one if one.isprintable() else " " for one in text).split())
    return line[:200]
