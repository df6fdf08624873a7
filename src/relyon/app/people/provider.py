"""An identity provider: its discovery, its keys, and who somebody is by its word.

Authorization code with PKCE. The ID token is believed if the provider signed it with a key that it
publishes, for this app, for this attempt, and not long ago (OpenID Connect Core 1.0, 3.1.3.7). Only
the addresses that the configured issuer publishes are called.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

import httpx2

from relyon.app.people.provider_calls import open_session
from relyon.app.people.provider_settings import ProviderSettings
from relyon.judging.identities import Identity

if TYPE_CHECKING:
    from joserfc.jwk import KeySet

__all__ = ["Attempt", "IdentityProvider", "Person", "ProviderError"]

log = logging.getLogger("relyon.judging")

#: Signatures with a published key; never with a shared secret, and never none.
ALGORITHMS = (
    "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA",
    "Ed25519",
)  # fmt: skip
KEY_TYPES = ("RSA", "EC", "OKP")
#: Seconds for which discovery is kept; after which it is tried again if it failed; and between two
#: looks for keys that are not known yet.
KEPT, AGAIN, KEYS_AGAIN = 3600.0, 10.0, 30.0
#: Seconds by which the clocks of the provider and of this machine may differ.
LEEWAY = 60
#: Calls of the provider at once.
AT_ONCE = 6
#: Keys that a provider may publish.
MOST_KEYS = 50

Problem = Literal["down", "busy", "denied", "invalid"]


class ProviderError(Exception):
    """The provider did not say who somebody is.

    Attributes:
        problem: Whether it was `down` or `busy`, `denied` it, or said something `invalid`.
    """

    def __init__(self, problem: Problem, detail: str) -> None:
        super().__init__(detail)
        self.problem = problem


@dataclass(frozen=True)
class Attempt:
    """The secrets of one attempt to sign in, of which the provider must prove that it has them.

    Attributes:
        state: Comes back with the answer.
        nonce: Comes back in the ID token.
        verifier: The secret of PKCE, which only this app sends.
    """

    state: str
    nonce: str
    verifier: str


@dataclass(frozen=True)
class Person:
    """Somebody, by the word of the provider.

    Attributes:
        identity: The provider and its id for them.
        names: Names for an account, the preferred one first.
        email: Their address, if the provider has verified it; else empty.
    """

    identity: Identity
    names: tuple[str, ...]
    email: str


class IdentityProvider:
    """The provider that an operator configured. Threads may share it.

    Args:
        settings: The provider.
        clock: Returns the time in seconds since 1970.
    """

    def __init__(
        self, settings: ProviderSettings, *, clock: Callable[[], float] = time.time
    ) -> None:
        self.settings = settings
        self._clock = clock
        self._turns = threading.BoundedSemaphore(AT_ONCE)
        self._turn = threading.Lock()
        self._metadata: dict[str, object] = {}
        self._known_until = 0.0
        self._failed_until = 0.0
        self._keys: KeySet | None = None
        self._looked = float("-inf")

    def authorize(self, attempt: Attempt, redirect_uri: str) -> str:
        """Returns the address of the provider at which somebody signs in.

        Raises:
            ProviderError: If the provider cannot be discovered.
        """
        with self._turn_taken():
            endpoint = self._endpoint(self._discover(), "authorization_endpoint")
        with open_session(self.settings, "none", redirect_uri) as session:
            url, _ = session.create_authorization_url(
                endpoint, state=attempt.state, code_verifier=attempt.verifier, nonce=attempt.nonce
            )
        return str(url)

    def find_person(self, code: str, attempt: Attempt, *, sender: str, redirect_uri: str) -> Person:
        """Returns who somebody is, by the code that the provider sent.

        Args:
            code: The code.
            attempt: The attempt to sign in.
            sender: Whom the answer with the code says it is from (RFC 9207); empty if it does not.
            redirect_uri: Where the answer was sent to.

        Raises:
            ProviderError: If the provider does not say so, or says it of somebody else.
        """
        from authlib.common.errors import AuthlibBaseError
        from joserfc.errors import JoseError

        with self._turn_taken():
            metadata = self._discover()
            has_to = metadata.get("authorization_response_iss_parameter_supported") is True
            if sender != self.settings.issuer and (sender or has_to):
                raise ProviderError("invalid", f"the answer came from {sender[:200]!r}")
            endpoint = self._endpoint(metadata, "token_endpoint")
            try:
                with open_session(self.settings, self._method(metadata), redirect_uri) as session:
                    token = session.fetch_token(endpoint, code=code, code_verifier=attempt.verifier)
                    claims = self._check_token(token, attempt.nonce)
                    if self.settings.creates and not _read_names(claims):
                        claims = {**self._ask_more(metadata, session, claims), **claims}
            except AuthlibBaseError as error:
                raise ProviderError("denied", f"{error}") from None
            except (httpx2.HTTPError, httpx2.InvalidURL) as error:
                told = f"{endpoint}: {type(error).__name__}: {error}"
                raise ProviderError("down", told) from None
            except (JoseError, ValueError, TypeError, KeyError, AttributeError) as error:
                raise ProviderError("invalid", f"{type(error).__name__}: {error}") from None
        identity = Identity(self.settings.issuer, str(claims["sub"]))
        return Person(identity, _read_names(claims), _read_email(claims))

    @contextmanager
    def _turn_taken(self) -> Iterator[None]:
        """Lets a few threads wait for the provider at once, and no more."""
        if not self._turns.acquire(blocking=False):
            raise ProviderError("busy", "too many people are signing in")
        try:
            yield
        finally:
            self._turns.release()

    def _check_token(self, token: Mapping[str, object], nonce: str) -> dict[str, object]:
        """Returns the claims of an ID token that this provider made for this attempt."""
        from authlib.oidc.core import CodeIDToken
        from joserfc import jwt
        from joserfc.errors import BadSignatureError, InvalidKeyIdError

        text = str(token["id_token"])
        try:
            found = jwt.decode(text, self._find_keys(), algorithms=list(ALGORITHMS))
        except (InvalidKeyIdError, BadSignatureError):
            # The provider may have new keys.
            found = jwt.decode(text, self._find_keys(again=True), algorithms=list(ALGORITHMS))
        claims = CodeIDToken(
            found.claims,
            found.header,
            options={
                "iss": {"essential": True, "value": self.settings.issuer},
                "aud": {"essential": True, "value": self.settings.client_id},
                "sub": {"essential": True},
                "exp": {"essential": True},
                "iat": {"essential": True},
                "nonce": {"essential": True, "value": nonce},
            },
            params={
                "nonce": nonce,
                "client_id": self.settings.client_id,
                "access_token": token.get("access_token"),
            },
        )
        claims.validate(now=int(self._clock()), leeway=LEEWAY)
        if not isinstance(claims["sub"], str) or not claims["sub"]:
            raise ValueError("the subject is not a text")
        return dict(claims)

    def _ask_more(
        self, metadata: Mapping[str, object], session: httpx2.Client, claims: Mapping[str, object]
    ) -> dict[str, object]:
        """Returns further claims about a person; none if the provider has none."""
        if not metadata.get("userinfo_endpoint"):
            return {}
        answer = session.get(self._endpoint(metadata, "userinfo_endpoint"))
        if answer.status_code != 200:
            return {}
        found = answer.json()
        # The answer may have been made for another person (OpenID Connect Core 1.0, 5.3.2).
        if not isinstance(found, dict) or found.get("sub") != claims["sub"]:
            raise ValueError("the provider told of somebody else")
        return found

    def _method(self, metadata: Mapping[str, object]) -> str:
        if not self.settings.secret:
            return "none"
        methods = metadata.get("token_endpoint_auth_methods_supported")
        listed = methods if isinstance(methods, list) else ["client_secret_basic"]
        wanted = ("client_secret_basic", "client_secret_post")
        return next((one for one in wanted if one in listed), wanted[0])

    def _discover(self) -> dict[str, object]:
        """Returns the metadata of the provider.

        Raises:
            ProviderError: If it does not answer, or calls itself something else.
        """
        with self._turn:
            now = self._clock()
            if self._metadata and now < self._known_until:
                return self._metadata
            if now < self._failed_until:
                raise ProviderError("down", "it did not answer a moment ago")
            try:
                found = self._get(
                    f"{self.settings.issuer.rstrip('/')}/.well-known/openid-configuration"
                )
                if found.get("issuer") != self.settings.issuer:
                    raise ProviderError("invalid", f"it calls itself {found.get('issuer')!r:.200}")
            except ProviderError as error:
                self._failed_until = self._clock() + AGAIN
                if self._metadata and error.problem == "down":
                    # What it published before counts while it cannot be asked.
                    self._known_until = self._failed_until
                    return self._metadata
                raise
            self._metadata, self._known_until = found, now + KEPT
            return found

    def _find_keys(self, *, again: bool = False) -> KeySet:
        """Returns the provider's keys, looked up again at most every thirty seconds."""
        with self._turn:
            known, now = self._keys, self._clock()
        if known is not None and (not again or now - self._looked < KEYS_AGAIN):
            return known
        found = self._read_keys(self._get(self._endpoint(self._discover(), "jwks_uri")))
        with self._turn:
            if again:
                self._looked = now
            self._keys = found
        return found

    @staticmethod
    def _read_keys(found: Mapping[str, object]) -> KeySet:
        from joserfc.errors import JoseError
        from joserfc.jwk import JWKRegistry, Key, KeySet

        listed, keys = found.get("keys"), list[Key]()
        for one in (listed if isinstance(listed, list) else [])[:MOST_KEYS]:
            if not isinstance(one, dict) or one.get("kty") not in KEY_TYPES:
                continue
            if one.get("use", "sig") != "sig":
                continue
            try:
                keys.append(JWKRegistry.import_key(one))
            except (JoseError, ValueError, TypeError, KeyError):
                continue  # a kind of key that this app does not know
        return KeySet(keys)

    def _get(self, address: str) -> dict[str, object]:
        """Returns a JSON document of the provider.

        Raises:
            ProviderError: If there is none.
        """
        try:
            with open_session(self.settings, "none", "") as session:
                answer = session.request("GET", address, withhold_token=True)
                answer.raise_for_status()
                found = answer.json()
        except (httpx2.HTTPError, httpx2.InvalidURL, ValueError) as error:
            raise ProviderError("down", f"{address}: {type(error).__name__}: {error}") from None
        if not isinstance(found, dict):
            raise ProviderError("invalid", f"{address} is not a JSON object")
        return found

    def _endpoint(self, metadata: Mapping[str, object], name: str) -> str:
        """Returns an address that the provider publishes; over HTTPS, unless the issuer is not.

        Raises:
            ProviderError: If there is none, or it is not over HTTPS.
        """
        found = metadata.get(name)
        allowed = {"https", urlsplit(self.settings.issuer).scheme}
        if not isinstance(found, str) or urlsplit(found).scheme not in allowed:
            raise ProviderError("invalid", f"its {name} is {found!r:.200}")
        return found


def _read_names(claims: Mapping[str, object]) -> tuple[str, ...]:
    """Returns the names that a provider has for somebody."""
    found = [claims.get("preferred_username"), claims.get("name"), claims.get("email")]
    texts = [one.strip() for one in found if isinstance(one, str)]
    # An account is not called by an address, which can change hands.
    return tuple(filter(None, (one.partition("@")[0].strip() for one in texts)))


def _read_email(claims: Mapping[str, object]) -> str:
    email = claims.get("email")
    verified = claims.get("email_verified") is True
    return email if isinstance(email, str) and verified else ""
