"""The texts of a report on traces: tasks take the place of queries."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, cached_property

from relyon.core.language import Language
from relyon.core.texts import PAGE, Catalogue, catalogue as texts_of
from relyon.report.catalogue import catalogue

__all__ = ["task_catalogue"]


class _TaskCatalogue(Catalogue):
    """The texts of reports, with those of the area `tasks` in their place."""

    @cached_property
    def texts(self) -> Mapping[str, str]:
        own = texts_of("tasks", self.language, PAGE)
        return {**catalogue(self.language).texts, **own.texts}


@cache
def task_catalogue(language: Language) -> Catalogue:
    """Returns the texts of a report on traces in a language.

    Examples:
        >>> task_catalogue("en").count("count.queries", 3), task_catalogue("en").say("table.p")
        ('3 tasks', 'p')
    """
    return _TaskCatalogue("report", language, PAGE)
