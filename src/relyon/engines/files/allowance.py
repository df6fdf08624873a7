"""What the web app allows of an engine: the table `[app]` of its file."""

from __future__ import annotations

from dataclasses import dataclass

from relyon.core.errors import ParameterError
from relyon.core.texts import message
from relyon.engines.files.options import Options
from relyon.engines.reach import Reach

__all__ = ["EDITABLE", "Allowance"]

#: What people may change in the app. Addresses, paths, headers and code are never among it.
EDITABLE = ("parameters", "body")


@dataclass(frozen=True)
class Allowance:
    """What the web app allows of an engine.

    Attributes:
        editable: What leads may change before they try a query: `parameters`, and `body`, the
            template of a request's body.
        private: Whether the engine may be at an address of the server or its network.
        projects: The numbers of the projects whose leads may use it, as in the address of their
            pages; None for all.
    """

    editable: tuple[str, ...] = ("parameters",)
    private: bool = False
    projects: tuple[int, ...] | None = None

    @classmethod
    def from_options(cls, options: Options) -> Allowance:
        """Reads the table `[app]`.

        Raises:
            ParameterError: If a value cannot be used.

        Examples:
            >>> Allowance.from_options(Options({"private": True}, "engine.toml", "app")).private
            True
        """
        editable = tuple(map(str, options.some("editable", cls.editable, least=0)))
        for one in editable:
            if one not in EDITABLE:
                raise ParameterError(
                    message(
                        "engines.key-has-no-such-choice",
                        path=options.path,
                        key="app.editable",
                        value=one,
                    ),
                    hint=message("engines.editable-are", names=list(EDITABLE)),
                )
        projects = None
        if options.has("projects"):
            listed = options.some("projects", ())
            if not all(isinstance(one, int) and not isinstance(one, bool) for one in listed):
                raise ParameterError(
                    message("engines.projects-are-numbers", path=options.path),
                    hint=message("engines.number-of-project"),
                )
            projects = tuple(int(one) for one in listed)
        found = cls(editable, options.flag("private"), projects)
        options.finish()
        return found

    @property
    def reach(self) -> Reach:
        """Which addresses the engine may be connected at."""
        return Reach(private=self.private)

    def covers(self, project: int) -> bool:
        """Returns whether the leads of a project may use the engine."""
        return self.projects is None or project in self.projects
