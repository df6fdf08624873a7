"""One attempt to sign in with the identity provider, between leaving the app and coming back.

It is kept in a cookie of the browser, not in the app: its secret binds what the provider sends back
to the browser that left, to what it wanted, and to its sign-in.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from relyon.app.people.provider import Attempt
from relyon.judging.access import new_secret

__all__ = ["FLOW_COOKIE", "LIFETIME", "Flow", "Purpose", "read_flow", "start_flow"]

FLOW_COOKIE = "relyon_provider"
#: Seconds that somebody has to sign in at the provider.
LIFETIME = 600.0
#: The longest cookie that browsers keep, with its name.
LONGEST = 3800

Purpose = Literal["sign_in", "link", "invitation"]


@dataclass(frozen=True)
class Flow:
    """An attempt.

    Attributes:
        purpose: To sign in; to link the provider's account to the one that is signed in; or to
            accept an invitation.
        details: The page to continue with (`next`); or the `secret` of an invitation and the `name`
            of the new account.
        cookie: The value of its cookie.
        attempt: What the provider must send back.
    """

    purpose: Purpose
    details: Mapping[str, str]
    cookie: str
    attempt: Attempt


def start_flow(purpose: Purpose, details: Mapping[str, str], *, session: str, now: float) -> Flow:
    """Returns a new attempt.

    Args:
        purpose: Its purpose.
        details: What it continues with.
        session: The secret of the browser's sign-in, to which it is bound.
        now: The time.
    """
    text = json.dumps({"purpose": purpose, "details": dict(details), "at": now})
    packed = urlsafe_b64encode(text.encode("utf-8", "replace")).decode()
    secret = new_secret()
    cookie = f"{secret}.{packed}"
    if len(cookie) > LONGEST:
        return start_flow(purpose, {}, session=session, now=now)
    return Flow(purpose, details, cookie, _attempt(secret, packed, session))


def read_flow(cookie: str, *, state: str, session: str, now: float) -> Flow | None:
    """Returns the attempt of a cookie: None if it is not the one that a state belongs to.

    Args:
        cookie: The value of the cookie.
        state: What the provider sent back.
        session: The secret of the browser's sign-in.
        now: The time.
    """
    secret, _, packed = cookie.partition(".")
    attempt = _attempt(secret, packed, session)
    if not secret or not hmac.compare_digest(
        attempt.state.encode(), state.encode("utf-8", "replace")
    ):
        return None
    # Whoever has the state of this text has made the text.
    told = json.loads(urlsafe_b64decode(packed))
    if not 0 <= now - told["at"] <= LIFETIME or told["purpose"] not in get_args(Purpose):
        return None
    return Flow(told["purpose"], told["details"], cookie, attempt)


def _attempt(secret: str, packed: str, session: str) -> Attempt:
    key = secret.encode("utf-8", "replace")

    def derive(what: str) -> str:
        text = f"{what}\n{packed}\n{session}".encode("utf-8", "replace")
        return urlsafe_b64encode(hmac.digest(key, text, hashlib.sha256)).decode().rstrip("=")

    return Attempt(derive("state"), derive("nonce"), derive("verifier"))
