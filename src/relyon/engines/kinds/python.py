"""Functions in Python as engines: vector stores, and code of one's own."""

from __future__ import annotations

import importlib.util
import inspect
import os
import sys
from collections.abc import AsyncIterable, Callable, Iterable, Iterator, Mapping
from types import ModuleType

from relyon.core.errors import ParameterError
from relyon.core.texts import message
from relyon.engines.asked import Answer, Request
from relyon.engines.engine import Engine, engines
from relyon.engines.files.options import Options
from relyon.engines.files.secrets import Secrets
from relyon.engines.files.template import Json
from relyon.engines.hits import Hits
from relyon.engines.problems import FatalError, PassingError, RefusedError
from relyon.engines.reach import Reach

__all__ = ["Function", "Python"]

#: `function(query, k, **parameters)` returns ids, pairs of id and score, or mappings with `id`,
#: `score` and fields, best first.
Function = Callable[..., Iterable[object]]
#: What can be iterated over, but is not a list of results.
FORMLESS = (str, bytes, Mapping)

#: Modules beside engines' files, by their files, and when these were changed.
_loaded: dict[str, tuple[int, ModuleType]] = {}


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
        self._takes = _further(function)
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
        columns = request.query.values
        names = columns if self._takes is None else self._takes & columns.keys()
        parameters = {name: columns[name] for name in names} | dict(request.variant.parameters)
        try:
            found = self._function(request.query.text, request.k, **parameters)
            if inspect.isawaitable(found) or isinstance(found, AsyncIterable):
                raise _asynchronous(found, self._name)
            if found is None or isinstance(found, FORMLESS) or hasattr(found, "columns"):
                name = type(found).__name__
                said = message("engines.function-returns", name=self._name, found=name)
                raise RefusedError("no-hits", said)
            hits = Hits(request.k)
            lazy = isinstance(found, Iterator)
            for one in found:
                _add(hits, one)
                if lazy and hits.full:  # it may never end
                    break
            return hits.answer()
        except (PassingError, RefusedError, FatalError):
            raise
        except (TimeoutError, ConnectionError) as error:
            kind = "timeout" if isinstance(error, TimeoutError) else "connection"
            raise PassingError(kind, str(error)) from error
        except TypeError as error:
            if _is_call(error):
                raise FatalError(
                    message("engines.function-takes-other", name=self._name, problem=error),
                    hint=message("engines.function-form"),
                ) from None
            raise RefusedError("refused", f"TypeError: {error}") from error
        except Exception as error:
            raise RefusedError("refused", f"{type(error).__name__}: {error}") from error

    def close(self) -> None:
        """Does nothing."""


def _further(function: Function) -> frozenset[str] | None:
    """Returns the names of the parameters of a function after query and k; None if it takes all."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return frozenset()
    if any(one.kind is inspect.Parameter.VAR_KEYWORD for one in parameters):
        return None
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return frozenset(one.name for one in parameters[2:] if one.kind in named)


def _is_call(error: TypeError) -> bool:
    """Returns whether the call itself failed, not something within the function."""
    trace = error.__traceback__
    return trace is not None and trace.tb_next is None


def _asynchronous(found: object, name: str) -> FatalError:
    if inspect.iscoroutine(found):
        found.close()
    return FatalError(
        message("engines.function-is-asynchronous", name=name),
        hint=message("engines.run-function"),
    )


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
    try:
        found = getattr(_module(module, os.path.dirname(os.path.abspath(path))), name)
    except Exception as error:
        problem = f"{type(error).__name__}: {error}"
        raise ParameterError(
            message("engines.python-cannot-be-imported", place=place, path=path, problem=problem)
        ) from error
    if not callable(found):
        raise ParameterError(message("engines.python-is-no-function", place=place, path=path))
    function: Function = found
    return function


def _module(name: str, folder: str) -> ModuleType:
    """Returns a module: the one beside the engine's file, or one that is installed.

    Two folders may have modules of the same name, and a module that was changed is read again.
    """
    file = os.path.join(folder, f"{name}.py")
    sys.path.insert(0, folder)
    try:
        if not os.path.isfile(file):
            return importlib.import_module(name)
        changed = os.stat(file).st_mtime_ns
        if file in _loaded and _loaded[file][0] == changed:
            return _loaded[file][1]
        spec = importlib.util.spec_from_file_location(f"{name}@{folder}", file)
        if spec is None or spec.loader is None:
            raise ImportError(file)
        module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        _loaded[file] = (changed, module)
        return module
    finally:
        sys.path.remove(folder)
