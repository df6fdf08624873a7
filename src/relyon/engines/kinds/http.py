"""Any engine that answers over HTTP with JSON: templates of requests, and paths into answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar
from urllib.parse import quote, urlencode, urlsplit

import msgspec

from relyon.core.errors import ParameterError
from relyon.core.packages import optional_package
from relyon.core.texts import message
from relyon.engines.asked import Answer, Request
from relyon.engines.engine import Engine, engines
from relyon.engines.files.options import Options
from relyon.engines.files.secrets import VARIABLE, Secrets
from relyon.engines.files.template import Json, Scalar, fill, fill_text, names_in, write_scalar
from relyon.engines.http.connection import SECRET, Connection
from relyon.engines.http.paths import Paths
from relyon.engines.http.replies import read_reply
from relyon.engines.problems import PassingError, RefusedError
from relyon.engines.reach import Reach

if TYPE_CHECKING:
    from relyon.engines.http.client import Client

__all__ = ["Call", "Http"]

METHODS = ("GET", "POST", "PUT", "QUERY")


@dataclass(frozen=True)
class Call:
    """The templates of a request.

    Attributes:
        method: The method.
        path: The path after the address.
        parameters: The parameters of the address; a list is sent as several.
        body: The body as JSON; None sends none.
    """

    method: str
    path: str
    parameters: Mapping[str, Json] = field(default_factory=dict)
    body: Json = None

    @property
    def names(self) -> list[str]:
        """The names of the placeholders."""
        found = [self.path, dict(self.parameters), self.body]
        return list(dict.fromkeys(name for one in found for name in names_in(one)))

    @property
    def recipe(self) -> Json:
        """The templates, as a part of an engine's recipe."""
        return {
            "method": self.method,
            "path": self.path,
            "parameters": dict(self.parameters),
            "body": self.body,
        }

    def target(self, values: Mapping[str, Scalar], keys: Mapping[str, str]) -> str:
        """Returns the path and the parameters of a request: values cannot add a part to them.

        Args:
            values: The values of placeholders.
            keys: Further parameters, which are secrets.
        """
        path = fill_text(self.path, values, _in_path)
        pairs: list[tuple[str, str]] = []
        for name, template in self.parameters.items():
            filled = fill(template, values)
            for one in filled if isinstance(filled, list) else [filled]:
                text = write_scalar(one) if isinstance(one, str | int | float | bool) else ""
                pairs.append((name, text))
        pairs += keys.items()
        return f"{path}?{urlencode(pairs, quote_via=quote)}" if pairs else path

    def content(self, values: Mapping[str, Scalar]) -> bytes | None:
        """Returns the body of a request; None if it has none."""
        return None if self.body is None else msgspec.json.encode(fill(self.body, values))


def _in_path(value: Scalar) -> str:
    found = quote(write_scalar(value), safe="")
    return found.replace(".", "%2E") if found in (".", "..") else found


@engines.register
class Http(Engine):
    """An engine that answers over HTTP with JSON.

    Args:
        connection: Where it is.
        call: The templates of a request.
        paths: Where results are in an answer.
        secrets: What must not be shown.
    """

    name = "http"
    #: Paths that a file need not name.
    usual: ClassVar[Mapping[str, str]] = {}
    #: An address, for a hint.
    example: ClassVar[str] = "http://localhost:8080"

    def __init__(
        self, connection: Connection, call: Call, paths: Paths, secrets: Secrets | None = None
    ) -> None:
        self._connection = connection
        self._call = call
        self._paths = paths
        self._client: Client | None = None
        self.secrets = secrets or Secrets()

    @classmethod
    def from_options(cls, options: Options, secrets: Secrets) -> Http:
        """Takes the address, the templates of requests, and the paths into answers."""
        connection = Connection.from_options(options, secrets, cls.example)
        parameters = options.table("url_parameters").scalars_and_lists()
        connection = replace(connection, keys=_take_keys(parameters, options.path, secrets))
        call = cls._read_call(options, parameters)
        return cls(connection, call, Paths.from_options(options, cls.usual), secrets)

    @classmethod
    def _read_call(cls, options: Options, parameters: Mapping[str, Json]) -> Call:
        """Returns the templates of requests, those of the address's parameters given."""
        body = options.json("body")
        method = options.choice("method", METHODS, "GET" if body is None else "POST")
        path = options.text("path")
        return Call(method, f"/{path.lstrip('/')}" if path else "", parameters, body)

    @property
    def address(self) -> str:
        """The address, without user and password."""
        return self.secrets.hide(self._connection.url)

    @property
    def places(self) -> tuple[str, ...]:
        """The address, its host, and the file of certificates."""
        return (*super().places, self._connection.ca)

    @property
    def recipe(self) -> Json:
        """The templates and the paths."""
        return {"kind": self.name, **_parts(self._call.recipe), "paths": self._paths.recipe}

    def placeholders(self) -> Iterable[str]:
        """The names in the path, the parameters and the body."""
        return self._call.names

    def open(self, timeout: float, connections: int, reach: Reach | None = None) -> None:
        """Prepares the connections."""
        optional_package(
            "httpcore2", purpose=message("engines.searching"), install="relyon[search]"
        )
        from relyon.engines.http.client import environment_proxy, open_client

        parts = urlsplit(self._connection.url)
        proxy = environment_proxy(parts.scheme, parts.netloc) if self._connection.proxy else ""
        self._client = open_client(timeout, connections, reach, ca=self._connection.ca, proxy=proxy)

    def ask(self, request: Request) -> Answer:
        """Sends the request, and reads the answer."""
        if self._client is None:
            self.open(10.0, 1)
            return self.ask(request)
        call = self._call_for(request)
        try:
            url = self._connection.url + call.target(request.values, self._connection.keys)
            content = call.content(request.values)
        except UnicodeEncodeError as error:
            raise RefusedError("refused", str(error)) from None
        headers = self._connection.headers
        if content is not None:
            headers = (*headers, ("Content-Type", "application/json"))
        reply = self._client.send(call.method, url, headers, content)
        answer = read_reply(reply, self.address, self.secrets)
        try:
            return self._paths.answer(answer, request.k, self._explanations())
        except (PassingError, RefusedError) as error:
            error.detail = self.secrets.hide(error.detail)
            raise
        except RecursionError:
            said = message("engines.answer-is-nested-deeply")
            raise RefusedError("not-json", said) from None

    def _call_for(self, request: Request) -> Call:
        """Returns the templates of one request, which may ask for explanations."""
        return self._call

    def _explanations(self) -> Callable[[Json, Json], Json] | None:
        """Returns what finds an explanation by answer and id, if explanations are kept apart."""
        return None

    def close(self) -> None:
        """Ends all connections."""
        if self._client is not None:
            self._client.close()
            self._client = None

    def show(self, request: Request) -> str:
        """Returns the method, the address and the body."""
        call = self._call_for(request)
        target = call.target(request.values, self._connection.keys)
        lines = [f"{call.method} {self._connection.url}{target}"]
        content = call.content(request.values)
        if content is not None:
            lines.append(msgspec.json.format(content, indent=2).decode())
        return self.secrets.hide("\n".join(lines))


def _parts(recipe: Json) -> dict[str, Json]:
    return recipe if isinstance(recipe, dict) else {}


def _take_keys(parameters: dict[str, Json], path: str, secrets: Secrets) -> dict[str, str]:
    """Takes the parameters out that come from the environment, and returns their values.

    Raises:
        ParameterError: If a secret is written in the file, or a variable is not set.
    """
    found: dict[str, str] = {}
    for name, template in list(parameters.items()):
        if isinstance(template, str) and VARIABLE.fullmatch(template):
            found[name] = secrets.fill(template, path=path)
            del parameters[name]
        elif SECRET.search(name):
            raise ParameterError(
                message("engines.secret-in-the-file", path=path, key=f"url_parameters.{name}"),
                hint=message("engines.secret-from-environment", line=f'{name} = "${{SEARCH_KEY}}"'),
            )
    return found
