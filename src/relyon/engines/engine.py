"""The base of engines, and their registry: a kind of engine is one class in one file.

A class reads its own part of an engine's file, says what decides its answers, and answers one
request. Everything else (variants, concurrency, retries, tapes, runs) is the same for all.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import ClassVar
from urllib.parse import urlsplit

from relyon.core.registry import Registry
from relyon.engines.asked import Answer, Request
from relyon.engines.files.options import Options
from relyon.engines.files.secrets import Secrets
from relyon.engines.files.template import Json
from relyon.engines.reach import Reach

__all__ = ["KINDS", "Engine", "engines"]

#: The modules of the kinds, with the names that each registers.
KINDS = {
    "relyon.engines.kinds.sqlite": "sqlite fts5",
    "relyon.engines.kinds.postgresql": "postgresql postgres",
    "relyon.engines.kinds.elasticsearch": "elasticsearch opensearch",
    "relyon.engines.kinds.solr": "solr",
    "relyon.engines.kinds.http": "http",
    "relyon.engines.kinds.python": "python",
}


class Engine(ABC):
    """A search engine, as its file describes it; safe to use from several threads once opened.

    Attributes:
        name: The name of the kind.
        aliases: Other names.
        in_calling_thread: Whether requests are sent in the thread that called, if only one is sent
            at a time.
        secrets: What must not be shown or stored; every text from outside passes `hide`.
    """

    name: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]] = ()
    in_calling_thread: ClassVar[bool] = False
    secrets: Secrets

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """The name and the aliases."""
        return (cls.name, *cls.aliases)

    @classmethod
    @abstractmethod
    def from_options(cls, options: Options, secrets: Secrets) -> Engine:
        """Reads the keys of an engine's file that this kind has.

        Args:
            options: The keys; each that is taken counts as known, what is left is an error.
            secrets: Fills in variables of the environment.

        Raises:
            ParameterError: If a value cannot be used.
        """

    @property
    @abstractmethod
    def address(self) -> str:
        """Where it is, as messages and tapes show it: without user, password or key."""

    @property
    def places(self) -> tuple[str, ...]:
        """The address and its parts, as messages may name them."""
        parts = urlsplit(self.address)
        return (self.address, parts.netloc, parts.hostname or "")

    @property
    @abstractmethod
    def recipe(self) -> Json:
        """What decides its answers besides the request: templates and paths, no address, no secret.

        Two engines with the same recipe are asked the same; it is part of every key on a tape.
        """

    @abstractmethod
    def placeholders(self) -> Iterable[str] | None:
        """Returns the names that its templates use: each must be a value of every request.

        None if every parameter is used.
        """

    @abstractmethod
    def open(self, timeout: float, connections: int, reach: Reach | None = None) -> None:
        """Prepares for requests; nothing is sent.

        Args:
            timeout: Seconds until a request without an answer counts as lost.
            connections: How many requests are sent at the same time.
            reach: Which addresses may be connected to; None sets no limit.

        Raises:
            FatalError: If it cannot be used at all.
        """

    @abstractmethod
    def ask(self, request: Request) -> Answer:
        """Sends one request, and waits for its answer.

        Raises:
            PassingError: If it may work when tried again.
            RefusedError: If the engine refuses this query.
            FatalError: If no query will be answered.
        """

    @abstractmethod
    def close(self) -> None:
        """Ends all connections."""

    def show(self, request: Request) -> str:
        """Returns what would be sent, for people, without secrets."""
        return ""


engines: Registry[type[Engine]] = Registry(
    "kind of engine", modules=KINDS, advice="`http` and `python` reach all others"
)
