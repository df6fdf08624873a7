"""Searching for the judged queries once per session, with what a user's function raises."""

from __future__ import annotations

import asyncio
import inspect
import os
from collections.abc import (
    AsyncIterable,
    Awaitable,
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal

from relyon.compat.pytest.words import fail, said
from relyon.core.errors import ParameterError, RelyonError
from relyon.data.run import Run
from relyon.engines.asked import Query
from relyon.engines.kinds.python import Function
from relyon.engines.problems import FatalError

__all__ = ["Search", "Searches", "search_queries"]

#: As `relyon.engines.kinds.python.Function`, or asynchronous.
Search = Callable[
    ..., Iterable[object] | AsyncIterable[object] | Awaitable[Iterable[object] | None] | None
]

#: The hint that queries without an answer can count as empty.
COUNT_AS_EMPTY = "engines.count-as-empty"


@dataclass
class Searches:
    """What a session has searched, and which baselines it writes.

    Attributes:
        runs: Runs by engine, variant, queries and k; with the engine, so that it is not collected
            and another gets its identity.
        baselines: By path: the test that wrote it, and its run.
    """

    runs: dict[tuple[object, ...], tuple[object, Run]] = field(default_factory=dict)
    baselines: dict[str, tuple[str, Run]] = field(default_factory=dict)

    def search(
        self,
        engine: object,
        queries: Sequence[Query],
        k: int,
        variant: str,
        repeats: int,
        *,
        shared: bool,
    ) -> list[Run]:
        """Returns the runs of an engine; those that were made before if they may be shared.

        Args:
            engine: As for `search_queries`.
            queries: As for `search_queries`.
            k: As for `search_queries`.
            variant: As for `search_queries`.
            repeats: How many runs.
            shared: Whether tests of the session share them.
        """
        __tracebackhide__ = True
        found = []
        for number in range(repeats):
            key = (_identity(engine), variant, k, tuple(queries), number)
            if shared and key in self.runs:
                found.append(self.runs[key][1])
                continue
            found.append(search_queries(engine, queries, k, variant))
            if shared:
                self.runs[key] = engine, found[-1]
        return found


def _identity(engine: object) -> object:
    """Returns what tells engines apart: equal paths, one function, one method of one object."""
    if isinstance(engine, str | os.PathLike):
        return os.path.abspath(engine)
    if inspect.ismethod(engine):
        return id(engine.__self__), engine.__func__
    return id(engine)


def search_queries(engine: object, queries: Sequence[Query], k: int, variant: str = "") -> Run:
    """Returns what an engine finds for queries.

    Args:
        engine: A function of a query and k, or what else `relyon.search` takes.
        queries: The queries.
        k: How many results to ask for.
        variant: The variant of an engine's file; by default its only one.

    Raises:
        RelyonError: If the engine or its answers cannot be used.
        pytest.fail.Exception: If the function raised something.
    """
    __tracebackhide__ = True
    from relyon.engines.searching import search

    if isinstance(engine, str | os.PathLike) or not callable(engine):
        return search(_engine(engine, variant), queries, k, variants=_names(variant)).run
    watched = _Watched(engine, {name for one in queries for name in one.values})
    try:
        return search(watched.ask(k), queries, k).run
    except RelyonError as error:
        if watched.raised is None:
            # A search that a test checks must answer every query.
            error.hint = "" if getattr(error.hint, "kind", "") == COUNT_AS_EMPTY else error.hint
            raise
        query, raised = watched.raised
        id = next((one.id for one in queries if one.text == query), query)
        problem = f"{type(raised).__name__}: {raised}"
        fail(said("search-raised", id=id, text=query, problem=problem), _own_part(raised))
    finally:
        watched.close()


def _names(variant: str) -> list[str]:
    return [variant] if variant else []


def _engine(engine: object, variant: str) -> object:
    """Returns an engine that is read from its file, if it has one.

    Raises:
        ParameterError: If it has several variants, and none is named.
    """
    from relyon.engines.files.configuration import read_configuration

    if not isinstance(engine, str | os.PathLike):
        return engine
    found = read_configuration(engine)
    names = [one.name for one in found.chosen(_names(variant))]
    if len(names) > 1:
        raise ParameterError(
            said("several-variants", names=names), hint=said("name-variant", name=names[0])
        )
    return found


def _own_part(error: Exception) -> Exception:
    """Returns an error whose traceback begins in the user's code."""
    trace = error.__traceback__
    while trace is not None:
        room = str(trace.tb_frame.f_globals.get("__name__", "")).partition(".")[0]
        if room not in ("relyon", "contextlib", "asyncio"):
            break
        trace = trace.tb_next
    return error.with_traceback(trace)


class _Watched:
    """A function of a test: what it returns is awaited, what it raises is kept.

    Attributes:
        raised: The text of the query for which it raised something, and what.
    """

    def __init__(self, function: Search, columns: Collection[str]) -> None:
        self._function = function
        self._form = _Form.of(function, columns)
        self._runner: asyncio.Runner | None = None
        self.raised: tuple[str, Exception] | None = None

    def ask(self, k: int) -> Function:
        """Returns the function for `relyon.search`, which stops at the first error."""

        def ask(query: str, k: int = k, /, **columns: object) -> object:
            with self._keeping(query):
                found = self._ask(query, k, columns)
                if isinstance(found, AsyncIterable):
                    found = _gathered(found, k)
                if inspect.isawaitable(found):
                    found = self._await(found)
            return self._rows(found, query) if isinstance(found, Iterator) else found

        function = self._function
        ask.__qualname__ = getattr(function, "__qualname__", type(function).__name__)
        return ask  # type: ignore[return-value]

    def close(self) -> None:
        """Closes the event loop, if there was one."""
        if self._runner is not None:
            self._runner.close()

    @contextmanager
    def _keeping(self, query: str) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            self.raised = query, error
            raise FatalError(str(error)) from error

    def _rows(self, found: Iterator[object], query: str) -> Iterator[object]:
        with self._keeping(query):
            yield from found

    def _await(self, found: Awaitable[object]) -> object:
        """Waits for one answer, in an event loop that lasts for the search."""
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            self._runner = self._runner or asyncio.Runner()
            return self._runner.run(_awaited(found))
        if inspect.iscoroutine(found):
            found.close()
        raise RuntimeError(said("loop-is-running"))

    def _ask(self, query: str, k: int, columns: Mapping[str, object]) -> object:
        names = columns if self._form.columns is None else self._form.columns & columns.keys()
        further = {name: columns[name] for name in names}
        if self._form.k == "by-name":
            further["k"] = k
        return self._function(query, *([k] if self._form.k == "second" else []), **further)


@dataclass(frozen=True)
class _Form:
    """How a function is called.

    Attributes:
        k: Whether it takes k as its second argument, by name, or not at all.
        columns: The names of what else it takes, if queries have such columns; `None` for all.
    """

    k: Literal["second", "by-name", "not"]
    columns: frozenset[str] | None

    @classmethod
    def of(cls, function: Search, columns: Collection[str]) -> _Form:
        """Returns how a function is called.

        Args:
            function: The function.
            columns: The columns of queries: a second argument of such a name is not k.
        """
        try:
            parameters = [*inspect.signature(function).parameters.values()]
        except (TypeError, ValueError):
            return cls("second", frozenset())
        kinds = inspect.Parameter
        further = parameters[1:]
        named = {
            one.name
            for one in further
            if one.kind in (kinds.POSITIONAL_OR_KEYWORD, kinds.KEYWORD_ONLY)
        }
        second = next(
            (
                one
                for one in further
                if one.kind in (kinds.POSITIONAL_OR_KEYWORD, kinds.POSITIONAL_ONLY)
            ),
            None,
        )
        k: Literal["second", "by-name", "not"] = "not"
        if any(one.kind is kinds.VAR_POSITIONAL for one in parameters):
            k = "second"
        elif second is not None and (second.name == "k" or second.name not in columns):
            k, named = "second", named - {second.name}
        elif "k" in named:
            k, named = "by-name", named - {"k"}
        every = any(one.kind is kinds.VAR_KEYWORD for one in parameters)
        return cls(k, None if every else frozenset(named))


async def _awaited(found: Awaitable[object]) -> object:
    return await found


async def _gathered(found: AsyncIterable[object], k: int) -> Sequence[object]:
    rows: list[object] = []
    async for one in found:
        rows.append(one)
        if len(rows) == k:
            break
    return rows
