"""An OpenAI-compatible endpoint: chat completion requests with retries."""

from __future__ import annotations

import http.client
import json
import os
import random
import re
import time
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from relyon.core.errors import InputError, ParameterError
from relyon.core.texts import message as say
from relyon.engines.http.replies import retry_after
from relyon.engines.pace import Pace

__all__ = ["Completion", "Endpoint", "EndpointError", "RefusedError", "read_key", "tidy_url"]

#: Maximum size of an answer.
MOST_BYTES = 4 << 20
#: The longest pause that is honoured; beyond that the run ends.
LONGEST_PAUSE = 600.0
LONGEST_BACKOFF = 60.0
#: Statuses of rejected requests: others may be accepted.
REFUSALS = {400, 413, 422}
TEMPORARY = {408, 409, 425, 429}

_HINTS = {
    401: "put a valid key into the environment variable named by --api-key-env",
    403: "the key may not use this model",
    404: "check --endpoint, without /chat/completions at its end, and --model",
}


class EndpointError(InputError):
    """The endpoint is unusable: no request would be answered."""


class RefusedError(EndpointError):
    """The endpoint rejects this request, but may accept others."""


@dataclass(frozen=True)
class Completion:
    """An answer.

    Attributes:
        content: The text of the answer.
        prompt_tokens: Tokens of the request, as counted by the endpoint; 0 if it does not.
        completion_tokens: Of the answer.
        seconds: Seconds from request to answer.
    """

    content: str
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0


def tidy_url(url: str) -> str:
    """Returns the normalised address of an endpoint.

    Raises:
        ParameterError: If it is not an http(s) URL, or has a part that could contain a key.

    Examples:
        >>> tidy_url("http://localhost:8000/v1/chat/completions/")
        'http://localhost:8000/v1'
    """
    hint = say("judging.give-as-in-https")
    try:
        parts = urlsplit(url.strip())
        good = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        good = False
    if not (good and url.isascii() and url.isprintable()) or " " in url.strip():
        raise ParameterError(say("judging.endpoint-is-not-http"), hint=hint)
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise ParameterError(
            say("judging.endpoint-must-not-have-user"),
            hint=say("judging.and-put-key", hint=hint),
        )
    path = parts.path.rstrip("/").removesuffix("/chat/completions").rstrip("/")
    return f"{parts.scheme}://{parts.netloc.lower()}{path}"


def read_key(variable: str) -> str:
    """Returns the key in an environment variable; empty if unset.

    Raises:
        ParameterError: If it has a character that is invalid in a header.
    """
    key = os.environ.get(variable, "").strip()
    if not (key.isascii() and key.isprintable()):
        raise ParameterError(say("judging.key-in-has-invalid", variable=variable))
    return key


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirected request would send the key elsewhere."""

    def redirect_request(self, *arguments: object) -> None:
        return None


@dataclass
class Endpoint:
    """The target of requests, with retries.

    Attributes:
        url: As `tidy_url` returns it.
        key: Sent as a bearer token; never shown.
        timeout: Seconds until an unanswered request counts as lost.
        retries: Number of retries after a temporary error.
        pace: The rate limiter of all requests.
        retried: Number of retries so far.
    """

    url: str
    key: str = field(default="", repr=False)
    timeout: float = 120.0
    retries: int = 6
    pace: Pace = field(default_factory=Pace)
    retried: int = 0

    def __post_init__(self) -> None:
        self.url = tidy_url(self.url)
        self._opener = urllib.request.build_opener(_NoRedirects)

    def complete(self, body: Mapping[str, object]) -> Completion:
        """Sends a request, with retries, until it is answered.

        Temporary errors (429, 5xx, no connection, timeout) are retried after 1, 2, 4 … seconds with
        jitter, or after the endpoint's `Retry-After`.

        Args:
            body: The request as JSON: `model`, `messages` and so on.

        Raises:
            RefusedError: If the endpoint rejects this request (400, 413, 422).
            EndpointError: If the error is permanent, or retries did not help.
            StoppedError: If the work is stopped.
        """
        data = json.dumps(body, ensure_ascii=False).encode()
        attempt = 0
        while True:
            self.pace.take_turn()
            start = time.monotonic()
            try:
                return self._read(self._send(data), time.monotonic() - start)
            except _PassingError as error:
                if attempt >= self.retries:
                    raise EndpointError(
                        say(
                            "judging.url-error-attempt-attempts",
                            url=self.url,
                            error=error,
                            attempt=attempt + 1,
                        ),
                        hint=say("judging.run-command-again-later"),
                    ) from None
                self._rest(error, attempt)
                attempt += 1
                self.retried += 1

    def _rest(self, error: _PassingError, attempt: int) -> None:
        wanted = error.wait
        if wanted is not None and wanted > LONGEST_PAUSE:
            raise EndpointError(
                say(
                    "judging.asks-to-retry",
                    url=self.url,
                    error=error,
                    wanted=wanted,
                ),
                hint=say("judging.run-command-again-then"),
            )
        if wanted is not None:
            self.pace.pause(wanted)
        backoff = min(2.0**attempt, LONGEST_BACKOFF)
        self.pace.sleep(backoff * random.uniform(0.5, 1.0) if wanted is None else wanted)

    def _send(self, data: bytes) -> bytes:
        headers = {"Content-Type": "application/json", "User-Agent": "relyon"}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        request = urllib.request.Request(
            f"{self.url}/chat/completions", data=data, headers=headers, method="POST"
        )
        try:
            with self._opener.open(request, timeout=self.timeout) as response:
                return self._receive(response)
        except urllib.error.HTTPError as error:
            with error:
                raise self._problem(error) from None
        except urllib.error.URLError as error:
            reason = error.reason
            raise _PassingError(
                say("judging.no-connection", reason=self._clean(str(reason)))
            ) from None
        except TimeoutError:
            raise _PassingError(
                say("judging.no-answer-within-seconds", timeout=self.timeout)
            ) from None
        except (OSError, http.client.HTTPException) as error:
            raise _PassingError(
                say("judging.connection-broke", error=self._clean(str(error)))
            ) from None

    def _receive(self, response: http.client.HTTPResponse) -> bytes:
        # A socket's timeout restarts with every byte: an answer must not trickle in forever.
        end = time.monotonic() + self.timeout
        parts = []
        size = 0
        while part := response.read1(1 << 16):
            parts.append(part)
            size += len(part)
            if time.monotonic() > end:
                raise TimeoutError
            if size > MOST_BYTES:
                raise _PassingError(say("judging.answer-is-too-long"))
        if response.length:
            raise _PassingError(say("judging.answer-was-cut-off"))
        return b"".join(parts)

    def _problem(self, error: urllib.error.HTTPError) -> Exception:
        try:
            told = _message(error.read(10_000))
        except (OSError, http.client.HTTPException):
            told = ""
        text = f"HTTP {error.code}" + (f": {self._clean(told)}" if told else "")
        if error.code in TEMPORARY or error.code >= 500:
            return _PassingError(
                text, retry_after(error.headers.get("Retry-After"), error.headers.get("Date"))
            )
        if error.code in REFUSALS:
            return RefusedError(f"{self.url}: {text}")
        return EndpointError(f"{self.url}: {text}", hint=_HINTS.get(error.code, ""))

    def _clean(self, text: str) -> str:
        """Returns a message of the endpoint without the key, on one line."""
        if self.key:
            text = text.replace(self.key, "***")
        return re.sub(r"[\s\x00-\x1f\x7f-\x9f]+", " ", text).strip()[:300]

    def _read(self, raw: bytes, seconds: float) -> Completion:
        try:
            answer = json.loads(raw)
            content = answer["choices"][0]["message"].get("content")
            usage = answer.get("usage") or {}
            prompt, completion = (
                _whole(usage.get(f"{name}_tokens")) for name in ("prompt", "completion")
            )
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
            raise _PassingError(say("judging.answer-is-not-chat")) from None
        text = _text(content)
        # Half of a surrogate pair can be sent as JSON but not stored.
        storable = text.encode("utf-8", "replace").decode().replace("\0", "")
        return Completion(storable[:100_000], prompt, completion, seconds)


class _PassingError(Exception):
    """A temporary error: the request can be retried."""

    def __init__(self, message: str, wait: float | None = None) -> None:
        super().__init__(message)
        self.wait = wait


def _message(raw: bytes) -> str:
    """Returns the error message of a response."""
    text = raw.decode("utf-8", "replace")
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return "" if text.lstrip().startswith("<") else text
    for name in ("error", "message", "detail"):
        if isinstance(found, dict) and name in found:
            found = found[name]
    return found if isinstance(found, str) else json.dumps(found, ensure_ascii=False)


def _text(content: object) -> str:
    if isinstance(content, Sequence) and not isinstance(content, str):
        # Some endpoints answer in parts.
        return "".join(
            one["text"]
            for one in content
            if isinstance(one, dict) and isinstance(one.get("text"), str)
        )
    return content if isinstance(content, str) else ""


def _whole(value: object) -> int:
    good = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**31
    return value if good and isinstance(value, int) else 0
