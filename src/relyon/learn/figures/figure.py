"""Figures of lessons: results of larger computations, made by relyon's public functions.

A figure is a function with a name; a lesson asks for one of its numbers (``=#power@40/detectable``)
or shows what it returns for each setting of a dial. Random parts have a fixed seed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache

from relyon.core.errors import InputError
from relyon.core.registry import Registry
from relyon.core.texts import message

__all__ = ["Figure", "figure", "figure_of", "figure_value", "figures"]


@dataclass(frozen=True)
class Figure:
    """The result of a computation.

    Attributes:
        values: Its numbers by name.
        series: Points of its chart by the name of the line: pairs of x and y.
    """

    values: Mapping[str, float]
    series: Mapping[str, list[tuple[float, float]]] = field(default_factory=dict)


#: From the setting of its dial to what it finds; figures without a dial are given 0.
Compute = Callable[[float], Figure]
#: Every figure by its name; the modules that register them are listed here.
figures: Registry[Compute] = Registry(
    "figure",
    modules=(
        "relyon.learn.figures.clicks",
        "relyon.learn.figures.depth",
        "relyon.learn.figures.significance",
        "relyon.learn.figures.training",
        "relyon.learn.figures.labels",
        "relyon.learn.figures.sampling",
        "relyon.learn.figures.exam",
    ),
)


def figure(name: str) -> Callable[[Compute], Compute]:
    """Registers a function as a figure of that name."""

    def registered(compute: Compute) -> Compute:
        return figures.add(name, cache(compute))

    return registered


def figure_of(name: str, setting: float = 0.0) -> Figure:
    """Returns a figure for a setting of its dial.

    Raises:
        UnknownNameError: If there is no figure of that name.
    """
    return figures.get(name)(setting)


def figure_value(text: str) -> float:
    """Returns one number of a figure.

    Args:
        text: Such as ``power@40/detectable``: the figure, its setting, the name of the number.

    Raises:
        InputError: If the figure has no such number.
        UnknownNameError: If there is no such figure.
    """
    asked, _, key = text.partition("/")
    name, _, setting = asked.partition("@")
    values = figure_of(name, float(setting or 0)).values
    if key not in values:
        raise InputError(
            message("learn.figure-has-no-number", name=name, key=key),
            hint=message("learn.has-names", names=[f"`{one}`" for one in values]),
        )
    return values[key]
