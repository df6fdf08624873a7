"""Searching for the judged queries once per session, with what a user's function raises."""

from __future__ import annotations

import asyncio
import inspect
import os
from collections.abc import AsyncIterable, Awaitable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import wraps

from relyon.compat.pytest.words import fail, said
from relyon.core.errors import ParameterError, RelyonError
from relyon.data.run import Run
from relyon.engines.asked import Query
from relyon.engines.kinds.python import Function
from relyon.engines.problems import FatalError

__all__ = ["Searches", "search_queries"]

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
    watched = _Watched(engine)
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

    def __init__(self, function: Function) -> None:
        self._function = function
        self._takes_k, self._by_name = _form(function)
        self._runner: asyncio.Runner | None = None
        self.raised: tuple[str, Exception] | None = None

    def ask(self, k: int) -> Function:
        """Returns the function for `relyon.search`, which stops at the first error."""

        @wraps(self._function, updated=())
        def ask(query: str, k: int = k, **parameters: object) -> object:
            with self._keeping(query):
                found = self._ask(query, k, parameters)
                if isinstance(found, AsyncIterable):
                    found = _gathered(found, k)
                if inspect.isawaitable(found):
                    found = self._await(found)
            return self._rows(found, query) if isinstance(found, Iterator) else found

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

    def _ask(self, query: str, k: int, parameters: Mapping[str, object]) -> object:
        if self._by_name:
            return self._function(query, k=k, **parameters)
        return self._function(query, *([k] if self._takes_k else []), **parameters)


def _form(function: Function) -> tuple[bool, bool]:
    """Returns whether a function takes k as its second argument, and whether only by name."""
    try:
        parameters = [*inspect.signature(function).parameters.values()]
    except (TypeError, ValueError):
        return True, False
    kinds = inspect.Parameter
    places = [
        one
        for one in parameters
        if one.kind in (kinds.POSITIONAL_ONLY, kinds.POSITIONAL_OR_KEYWORD)
    ]
    if len(places) > 1 or any(one.kind is kinds.VAR_POSITIONAL for one in parameters):
        return True, False
    return False, any(one.name == "k" and one.kind is kinds.KEYWORD_ONLY for one in parameters)


async def _awaited(found: Awaitable[object]) -> object:
    return await found


async def _gathered(found: AsyncIterable[object], k: int) -> Sequence[object]:
    rows: list[object] = []
    async for one in found:
        rows.append(one)
        if len(rows) == k:
            break
    return rows
