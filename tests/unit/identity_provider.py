"""A small OpenID Connect provider, which a test starts and can let misbehave.

Discovery, authorization code with PKCE, tokens signed with real RSA keys, and its keys.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import threading
import time
from base64 import b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

CLIENT, SECRET = "relyon-judging", "the secret of the app"


@cache
def key_number(number: int) -> RSAKey:
    """Returns one of some keys, which take a while to make."""
    return RSAKey.generate_key(2048, {"kid": f"key {number}", "use": "sig", "alg": "RS256"})


def segment(value: object) -> str:
    """Returns a part of a token."""
    return urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


@dataclass
class Provider:
    """The provider.

    Attributes:
        issuer: Its address.
        person: The claims of the person who is signed in there.
        changes: Changes of the claims of the next tokens.
        sign: Makes a token of claims instead of the provider's own key.
        key: The number of the key that signs, and that is published.
        metadata: Changes of its discovery.
        answer: Changes of the parameters with which people are sent back.
        told: What `userinfo` says besides.
        down: Whether every answer is an error.
        calls: The paths that were asked for.
    """

    issuer: str
    person: dict[str, Any] = field(
        default_factory=lambda: {"sub": "248289761001", "preferred_username": "jana"}
    )
    changes: dict[str, Any] = field(default_factory=dict)
    sign: Callable[[dict[str, Any]], str] | None = None
    key: int = 0
    metadata: dict[str, Any] = field(default_factory=dict)
    answer: dict[str, str] = field(default_factory=dict)
    told: dict[str, Any] = field(default_factory=dict)
    down: bool = False
    calls: list[str] = field(default_factory=list)
    codes: dict[str, dict[str, str]] = field(default_factory=dict)

    def discovery(self) -> dict[str, Any]:
        """Returns what it publishes of itself."""
        return {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "userinfo_endpoint": f"{self.issuer}/userinfo",
            "jwks_uri": f"{self.issuer}/keys",
            "response_types_supported": ["code"],
            "id_token_signing_alg_values_supported": ["RS256"],
            "code_challenge_methods_supported": ["S256"],
            **self.metadata,
        }

    def authorize(self, query: dict[str, str]) -> str:
        """Returns where somebody who is signed in there is sent back to."""
        assert query["client_id"] == CLIENT
        assert query["response_type"] == "code"
        assert query["code_challenge_method"] == "S256"
        assert "openid" in query["scope"].split()
        code = secrets.token_urlsafe()
        self.codes[code] = query
        back = {"code": code, "state": query["state"], **self.answer}
        return f"{query['redirect_uri']}?{urlencode(back)}"

    def token(self, form: dict[str, str], authorization: str) -> tuple[int, dict[str, Any]]:
        """Returns the tokens of a code, once."""
        name, _, secret = b64decode(authorization.removeprefix("Basic ")).decode().partition(":")
        if (unquote(name), unquote(secret)) != (CLIENT, SECRET):
            return 401, {"error": "invalid_client"}
        asked = self.codes.pop(form.get("code", ""), None)
        verifier = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = urlsafe_b64encode(verifier).decode().rstrip("=")
        if asked is None or asked["redirect_uri"] != form.get("redirect_uri"):
            return 400, {"error": "invalid_grant"}
        if asked["code_challenge"] != challenge:
            return 400, {"error": "invalid_grant", "error_description": "PKCE"}
        now = int(time.time())
        claims = {
            "iss": self.issuer, "aud": CLIENT, "iat": now, "exp": now + 300,
            "nonce": asked["nonce"], **self.person, **self.changes,
        }  # fmt: skip
        claims = {name: value for name, value in claims.items() if value is not None}
        own = key_number(self.key)
        made = self.sign or (
            lambda these: jwt.encode({"alg": "RS256", "kid": str(own.kid)}, these, own)
        )
        return 200, {
            "access_token": "an access token",
            "token_type": "Bearer",
            "expires_in": 300,
            "id_token": made(claims),
        }

    def keys(self) -> dict[str, Any]:
        """Returns the keys that it publishes."""
        return {"keys": [key_number(self.key).as_dict(private=False)]}


def handler_of(provider: Provider) -> type[BaseHTTPRequestHandler]:
    """Returns what answers for a provider."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            provider.calls.append(parts.path)
            if provider.down:
                self._send(503, {"error": "down"})
            elif parts.path == "/.well-known/openid-configuration":
                self._send(200, provider.discovery())
            elif parts.path == "/keys":
                self._send(200, provider.keys())
            elif parts.path == "/userinfo":
                self._send(200, {**provider.person, **provider.told})
            elif parts.path == "/authorize":
                query = {name: values[0] for name, values in parse_qs(parts.query).items()}
                self.send_response(302)
                self.send_header("Location", provider.authorize(query))
                self.send_header("Content-Length", "0")
                self.end_headers()
            elif parts.path == "/endless":
                self._send_endless()
            else:
                self._send(404, {})

        def do_POST(self) -> None:
            provider.calls.append(self.path)
            sent = self.rfile.read(int(self.headers["Content-Length"])).decode()
            form = {name: values[0] for name, values in parse_qs(sent).items()}
            if provider.down:
                self._send(503, {"error": "down"})
                return
            self._send(*provider.token(form, self.headers.get("Authorization", "")))

        def _send(self, status: int, values: object) -> None:
            body = json.dumps(values).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def _send_endless(self) -> None:
            self.send_response(200)
            self.end_headers()
            try:
                while True:
                    self.wfile.write(b" " * 65536)
            except OSError:
                return

        def log_message(self, format: str, *args: object) -> None:
            """Says nothing."""

    return Handler


@contextmanager
def serve_provider() -> Iterator[Provider]:
    """Serves a provider on this machine."""
    provider = Provider("")
    key_number(provider.key)  # before threads ask for it at once
    with ThreadingHTTPServer(("127.0.0.1", 0), handler_of(provider)) as server:
        server.daemon_threads = True
        provider.issuer = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield provider
        finally:
            server.shutdown()
            thread.join()
