"""Measures by name: the registry, and building measures from names and parameters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeVar

from relyon.core.errors import ParameterError, UnknownNameError
from relyon.core.registry import Registry, suggestion
from relyon.core.texts import message
from relyon.measures.condensed import condensed
from relyon.measures.definition import Measure
from relyon.measures.index import MODULES
from relyon.measures.parameters import check_parameter, open_parameters, parameters, show

if TYPE_CHECKING:
    from relyon.data.convention import Convention

__all__ = ["build", "check_measure_rules", "register", "registry"]


def _load_entry_points() -> None:
    from relyon.measures.plugins import load_entry_points

    load_entry_points()


registry: Registry[type[Measure]] = Registry(
    "measure",
    modules={f"relyon.measures.{module}": names for module, names in MODULES.items()},
    advice="`relyon measures` lists all measures and their other names",
    extend=_load_entry_points,
)

M = TypeVar("M", bound=type[Measure])


def register(kind: M) -> M:
    """Class decorator that registers a measure by its name and aliases.

    Raises:
        ParameterError: If one of the names is already registered.

    Examples:
        >>> from dataclasses import dataclass
        >>> import relyon
        >>> @relyon.register
        ... @dataclass(frozen=True)
        ... class Length(relyon.Measure):
        ...     '''Number of documents in the list.'''
        ...     name = "length"
        ...     def steps(self, ranking):
        ...         for entry in ranking:
        ...             place = float(entry.rank)
        ...             name, grade = entry.document, entry.grade
        ...             yield relyon.Step(entry.rank, name, grade, 1.0, 1.0, 1.0, place)
        >>> relyon.measure("length").score([2, 0, 1])
        3.0
    """
    return registry.register(kind)


def check_measure_rules(convention: Convention) -> None:
    """Refuses invalid rules of single measures.

    Raises:
        UnknownNameError: If the measure or parameter is unknown; the hint names the nearest.
        ParameterError: If a value is invalid, or a parameter is never left open.
    """
    for name, entries in convention.measures:
        kind = registry.get(name)
        hints = parameters(kind)
        open_ones = open_parameters(kind)
        for key, value in entries:
            if key == "undefined":
                continue
            if key in hints and key not in open_ones:
                raise ParameterError(
                    message(
                        "measures.convention-cannot-set",
                        name=name,
                        key=key,
                    ),
                    hint=(
                        message("measures.write-in-measures-name", name=name)
                        if key == "k"
                        else message(
                            "measures.write-in-measures-name-key",
                            name=name,
                            key=key,
                            value=show(value),
                        )
                    ),
                )
            if key not in hints:
                raise UnknownNameError(
                    message(
                        "measures.convention-has-no-rule",
                        name=name,
                        key=key,
                    ),
                    hint=suggestion(key, ["undefined", *open_ones]),
                )
            check_parameter(name, key, value, hints[key])


def build(kind: type[Measure], arguments: Mapping[str, object], k: int | None = None) -> Measure:
    """Builds a measure from parameters as text.

    Raises:
        UnknownNameError: If it has no parameter of that name.
        ParameterError: If a value is invalid.
    """
    for name, other in kind.becomes.items():
        if name in arguments:
            kind = registry.get(other)
    if "judged_only" in arguments and "judged_only" not in parameters(kind):
        arguments = dict(arguments)
        if str(arguments.pop("judged_only")).lower() == "true":
            kind = condensed(kind)
            arguments["judged_only"] = True
    known = parameters(kind)
    for name in arguments:
        if name not in known:
            raise UnknownNameError(
                message(
                    "measures.measure-kind-name-has-no",
                    kind_name=kind.name,
                    name=name,
                ),
                hint=suggestion(name, list(known)) if known else message("core.has-no-parameters"),
            )
    measure = kind(**arguments)
    return measure if k is None else measure.with_cutoff(k)
