"""An OpenAI-compatible endpoint: one request for a chat completion, sent until it is answered."""

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
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

from relkit.core.errors import InputError, ParameterError
from relkit.core.texts import message as say
from relkit.judging.llm.pace import Pace

__all__ = ["Completion", "Endpoint", "EndpointError", "RefusedError", "read_key", "tidy_url"]

#: The longest answer that is read.
MOST_BYTES = 4 << 20
#: The longest pause that the endpoint may ask for: after that it is better to come back later.
LONGEST_PAUSE = 600.0
LONGEST_BACKOFF = 60.0
#: Requests that were not understood: another one may be.
REFUSALS = {400, 413, 422}
TEMPORARY = {408, 409, 425, 429}

_HINTS = {
    401: "put a valid key into the environment variable that --api-key-env names",
    403: "the key may not use this model",
    404: "look at --endpoint, which ends before /chat/completions, and at --model",
}


class EndpointError(InputError):
    """The endpoint cannot be used: no request would be answered."""


class RefusedError(EndpointError):
    """The endpoint does not take this request; it may take others."""


@dataclass(frozen=True)
class Completion:
    """An answer.

    Attributes:
        content: What the model wrote.
        prompt_tokens: Of the request, as the endpoint counts; 0 where it does not.
        completion_tokens: Of the answer.
        seconds: From the request to the answer.
    """

    content: str
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0


def tidy_url(url: str) -> str:
    """Returns the address of an endpoint as it is stored and compared.

    Raises:
        ParameterError: If it is no http(s) URL, or has a part in which a key could stand.

    Examples:
        >>> tidy_url("http://localhost:8000/v1/chat/completions/")
        'http://localhost:8000/v1'
    """
    hint = "give it as in https://api.example.com/v1"
    try:
        parts = urlsplit(url.strip())
        good = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        good = False
    if not (good and url.isascii() and url.isprintable()) or " " in url.strip():
        raise ParameterError("the endpoint is not an http or https URL", hint=hint)
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise ParameterError(
            "the endpoint must not have a user, a query or a fragment, where a key could stand",
            hint=say("{hint}, and put the key into an environment variable", hint=hint),
        )
    path = parts.path.rstrip("/").removesuffix("/chat/completions").rstrip("/")
    return f"{parts.scheme}://{parts.netloc.lower()}{path}"


def read_key(variable: str) -> str:
    """Returns the key in an environment variable; empty where there is none.

    Raises:
        ParameterError: If it has a character that no header can have.
    """
    key = os.environ.get(variable, "").strip()
    if not (key.isascii() and key.isprintable()):
        raise ParameterError(
            say("the key in {variable} has characters that no key has", variable=variable)
        )
    return key


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirected request would carry the key to another place."""

    def redirect_request(self, *arguments: Any) -> None:
        return None


@dataclass
class Endpoint:
    """Where requests go, and how often they are sent again.

    Attributes:
        url: As `tidy_url` returns it.
        key: Sent as a bearer token; shown nowhere.
        timeout: Seconds until an unanswered request counts as lost.
        retries: Number of retries after a temporary error.
        pace: Whom every request waits for.
        retried: How often that was so far.
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

    def complete(self, body: Mapping[str, Any]) -> Completion:
        """Sends a request until it is answered.

        Errors that may pass (429, 5xx, no connection, no answer in time) lead to another attempt,
        after 1, 2, 4 … seconds with some chance in it, or when the endpoint says (`Retry-After`).

        Args:
            body: The request as JSON: `model`, `messages` and so on.

        Raises:
            RefusedError: If the endpoint does not take this request (400, 413, 422).
            EndpointError: If the error will not pass, or did not pass.
            StoppedError: If the work is to stop.
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
                            "{url}: {error} ({attempt} attempts)",
                            url=self.url,
                            error=error,
                            attempt=attempt + 1,
                        ),
                        hint="run the command again later: it goes on where it stopped",
                    ) from None
                self._rest(error, attempt)
                attempt += 1
                self.retried += 1

    def _rest(self, error: _PassingError, attempt: int) -> None:
        wanted = error.wait
        if wanted is not None and wanted > LONGEST_PAUSE:
            raise EndpointError(
                say(
                    "{url}: {error}; it asks to come back in {wanted:,.0f} seconds",
                    url=self.url,
                    error=error,
                    wanted=wanted,
                ),
                hint="run the command again then: it goes on where it stopped",
            )
        if wanted is not None:
            self.pace.pause(wanted)
        backoff = min(2.0**attempt, LONGEST_BACKOFF)
        self.pace.sleep(backoff * random.uniform(0.5, 1.0) if wanted is None else wanted)

    def _send(self, data: bytes) -> bytes:
        headers = {"Content-Type": "application/json", "User-Agent": "relkit"}
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
                say("no connection: {reason}", reason=self._clean(str(reason)))
            ) from None
        except TimeoutError:
            raise _PassingError(
                say("no answer within {timeout:g} seconds", timeout=self.timeout)
            ) from None
        except (OSError, http.client.HTTPException) as error:
            raise _PassingError(
                say("the connection broke: {error}", error=self._clean(str(error)))
            ) from None

    def _receive(self, response: http.client.HTTPResponse) -> bytes:
        # The timeout of a socket begins anew with every byte: an answer may not drip for ever.
        end = time.monotonic() + self.timeout
        parts = []
        size = 0
        while part := response.read1(1 << 16):
            parts.append(part)
            size += len(part)
            if time.monotonic() > end:
                raise TimeoutError
            if size > MOST_BYTES:
                raise _PassingError("the answer is too long")
        if response.length:
            raise _PassingError("the answer broke off")
        return b"".join(parts)

    def _problem(self, error: urllib.error.HTTPError) -> Exception:
        try:
            told = _message(error.read(10_000))
        except (OSError, http.client.HTTPException):
            told = ""
        text = f"HTTP {error.code}" + (f": {self._clean(told)}" if told else "")
        if error.code in TEMPORARY or error.code >= 500:
            return _PassingError(text, _seconds(error.headers.get("Retry-After")))
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
            raise _PassingError("the answer is not a chat completion") from None
        text = _text(content)
        # Half of a surrogate pair can be sent as JSON but be stored nowhere.
        storable = text.encode("utf-8", "replace").decode().replace("\0", "")
        return Completion(storable[:100_000], prompt, completion, seconds)


class _PassingError(Exception):
    """An error that may have passed when the request is sent again."""

    def __init__(self, message: str, wait: float | None = None) -> None:
        super().__init__(message)
        self.wait = wait


def _seconds(header: str | None) -> float | None:
    """Returns how long `Retry-After` says to wait."""
    if header is None:
        return None
    try:
        return max(0.0, float(int(header)))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(header).timestamp() - time.time())
    except (ValueError, OverflowError):
        return None


def _message(raw: bytes) -> str:
    """Returns what an answer says about an error."""
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
