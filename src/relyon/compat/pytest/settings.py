"""Where the data of a test is: its marks, the closest first, then pytest's settings."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import pytest

from relyon.analysis.comparison.query_facts import Column, Columns
from relyon.compat.pytest.names import SETTINGS
from relyon.compat.pytest.words import said
from relyon.core.errors import ParameterError
from relyon.core.parameters import check_fraction
from relyon.core.registry import suggestion
from relyon.data.convention import Convention
from relyon.data.scale import Scale
from relyon.measures.parser import measure as parse_measure

__all__ = ["Settings"]

#: Settings that name files, and those that may: a preset has no file.
FILES, PERHAPS = ("judgments", "baseline", "queries"), ("scale", "convention")


@dataclass(frozen=True)
class Settings:
    """The data of a test, and how its runs are compared.

    Attributes:
        judgments: The judgments: a path, or what `relyon.evaluate` takes.
        baseline: The baseline's run: a path, or what `relyon.evaluate` takes; `None` without one.
        queries: The table of queries; `None` if the ids of judged queries are their texts.
        scale: The grade scale.
        convention: The rules.
        cluster: The column of clusters of queries, or the cluster of each.
        by: Columns to break comparisons down by.
        margins: The smallest loss that matters, by measure: a number, or a share such as "2%".
        alpha: The significance level.
    """

    judgments: object = None
    baseline: object = None
    queries: object = None
    scale: Scale | str | None = None
    convention: Convention | str | Mapping[str, object] | None = None
    cluster: Column | None = None
    by: Columns | None = None
    margins: Mapping[str, float | str] = field(default_factory=dict)
    alpha: float = 0.05

    @classmethod
    def of(cls, item: pytest.Item) -> Settings:
        """Returns the settings of a test.

        Raises:
            ParameterError: If a mark or a setting has an argument that cannot be used.
        """
        found: dict[str, object] = {}
        margins: dict[str, object] = {}
        layers = [_ini(item.config), *(_mark(one, item) for one in _marks(item))]
        for layer in layers:
            own = layer.get("margins", {})
            if not isinstance(own, Mapping):
                raise ParameterError(said("margins-form", where=_where(item), margins=repr(own)))
            margins |= {str(parse_measure(str(name))): one for name, one in own.items()}
            found |= {name: one for name, one in layer.items() if one is not None}
        for name in FILES:
            if isinstance(found.get(name), str | os.PathLike):
                found[name] = _path(cast("str", found[name]), item)
        for name in PERHAPS:
            if isinstance(found.get(name), str | os.PathLike):
                path = _path(cast("str", found[name]), item)
                found[name] = path if os.path.isfile(path) else found[name]
        found["margins"] = margins
        if not isinstance(found.get("alpha", 0.05), int | float):
            raise ParameterError(said("alpha-form", where=_where(item), alpha=repr(found["alpha"])))
        settings = cls(**found)  # type: ignore[arg-type]
        check_fraction("alpha", settings.alpha)
        if settings.judgments is None:
            raise ParameterError(said("no-judgments", where=_where(item)))
        return settings

    @property
    def level(self) -> float:
        """The confidence level of intervals."""
        return 1 - self.alpha


def _where(item: pytest.Item) -> str:
    path, line, _ = item.location
    return f"{path}:{(line or 0) + 1}"


def _marks(item: pytest.Item) -> list[pytest.Mark]:
    """Returns the marks of a test, the closest last."""
    return [*item.iter_markers("relevance")][::-1]


def _mark(mark: pytest.Mark, item: pytest.Item) -> Mapping[str, object]:
    if mark.args:
        raise ParameterError(said("by-position", where=_where(item), value=repr(mark.args[0])))
    for name in mark.kwargs:
        if name not in SETTINGS:
            raise ParameterError(
                said("unknown-argument", where=_where(item), name=name),
                hint=suggestion(name, list(SETTINGS)),
            )
    return mark.kwargs


def _ini(config: pytest.Config) -> Mapping[str, object]:
    """Returns the settings in pytest's file of settings."""
    found: dict[str, object] = {}
    for name in SETTINGS:
        value = str(config.getini(f"relevance_{name}") or "").strip()
        if value:
            found[name] = value
    if "by" in found:
        found["by"] = [one.strip() for one in str(found["by"]).split(",")]
    if "margins" in found:
        pairs = [one.rpartition("=") for one in str(found["margins"]).split()]
        found["margins"] = {name: one for name, _, one in pairs}
    if "alpha" in found:
        found["alpha"] = _number("relevance_alpha", str(found["alpha"]))
    return found


def _number(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ParameterError(said("not-a-number", name=name, text=text)) from None


def _path(given: str | os.PathLike[str], item: pytest.Item) -> str:
    """Returns a path relative to the test's file if it is there, else to the root directory."""
    folders: Iterable[Path] = (item.path.parent, item.config.rootpath)
    paths = [folder / given for folder in folders]
    return str(next((path for path in paths if path.exists()), paths[0]))
