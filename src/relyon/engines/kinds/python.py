"""Functions in Python as engines: vector stores, and code of one's own."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable, Iterable, Mapping

from relyon.core.errors import ParameterError
from relyon.core.texts import message
from relyon.engines.asked import Answer, Request
from relyon.engines.engine import Engine, engines
from relyon.engines.hits import Hits
from relyon.engines.options import Options
from relyon.engines.problems import FatalError, RefusedError
from relyon.engines.reach import Reach
from relyon.engines.secrets import Secrets
from relyon.engines.template import Json

__all__ = ["Function", "Python"]

#: `function(query, k, **parameters)` returns ids, pairs of id and score, or mappings with `id`,
#: `score` and fields, best first.
Function = Callable[..., Iterable[object]]


@engines.register
class Python(Engine):
    """A function in Python.

    Args:
        function: Takes the text of a query, k, and the parameters by name; returns the results,
            best first: ids, pairs of id and score, or mappings with `id`, `score` and fields.
        name: What decides its answers besides parameters, such as `search:by_vector`: part of the
            keys on tapes.

    Examples:
        >>> engine = Python(lambda query, k: ["d1", "d2"])
        >>> from relyon.engines.asked import Query, Variant
        >>> engine.ask(Request(Query("q1", "red"), Variant("base"), 10)).ids
        ['d1', 'd2']
    """

    name = "python"
    in_calling_thread = True  # where a function's own connections are usually of use

    def __init__(self, function: Function, name: str = "", secrets: Secrets | None = None) -> None:
        self._function = function
        self._name = name or getattr(function, "__qualname__", type(function).__name__)
        self.secrets = secrets or Secrets()

    @classmethod
    def from_options(cls, options: Options, secrets: Secrets) -> Python:
        """Takes `python = "module:function"`; the module may lie beside the file."""
        place = options.required("python", '"my_search:search"')
        return cls(_load(place, options.path), place, secrets)

    @property
    def address(self) -> str:
        """The function."""
        return self._name

    @property
    def recipe(self) -> Json:
        """The function's name: its code may change, which a tape cannot see."""
        return {"kind": self.name, "python": self._name}

    def placeholders(self) -> None:
        """Every parameter is passed to the function."""

    def open(self, timeout: float, connections: int, reach: Reach | None = None) -> None:
        """Does nothing: the function is already there."""

    def ask(self, request: Request) -> Answer:
        """Calls the function."""
        parameters = {**request.query.values, **request.variant.parameters}
        if not request.variant.parameters:
            parameters = {}
        try:
            found = list(self._function(request.query.text, request.k, **parameters))
        except TypeError as error:
            if _is_call(error):
                raise FatalError(
                    message("engines.function-takes-other", name=self._name, problem=error),
                    hint=message("engines.function-form"),
                ) from None
            raise RefusedError("refused", f"TypeError: {error}") from error
        except Exception as error:
            raise RefusedError("refused", f"{type(error).__name__}: {error}") from error
        hits = Hits(request.k)
        for one in found:
            _add(hits, one)
        return hits.answer()

    def close(self) -> None:
        """Does nothing."""


def _is_call(error: TypeError) -> bool:
    """Returns whether the call itself failed, not something within the function."""
    trace = error.__traceback__
    return trace is not None and trace.tb_next is None


def _add(hits: Hits, one: object) -> None:
    if isinstance(one, Mapping):
        rest = {key: value for key, value in one.items() if key not in ("id", "score")}
        hits.add(one.get("id"), one.get("score"), rest)
    elif isinstance(one, tuple | list) and len(one) == 2:
        hits.add(one[0], one[1])
    else:
        hits.add(one, None)


def _load(place: str, path: str) -> Function:
    """Returns the function `module:function`; modules beside the engine's file are found."""
    module, colon, name = place.partition(":")
    if not colon or not module or not name:
        raise ParameterError(
            message("engines.python-place", place=place, path=path),
            hint=message("engines.write-key", line='python = "my_search:search"'),
        )
    folder = os.path.dirname(os.path.abspath(path))
    sys.path.insert(0, folder)
    try:
        found = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise ParameterError(
            message("engines.python-cannot-be-imported", place=place, path=path, problem=error)
        ) from None
    finally:
        sys.path.remove(folder)
    if not callable(found):
        raise ParameterError(message("engines.python-is-no-function", place=place, path=path))
    function: Function = found
    return function
