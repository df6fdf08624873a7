"""The engines that the operator allows: the files of a folder, read at the start."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

from relyon.core.errors import InputError, ParameterError, UnknownNameError
from relyon.core.texts import message
from relyon.engines.configuration import Configuration, read_configuration
from relyon.engines.reach import Reach

__all__ = ["AllowedEngines"]

#: Engines that a folder may have.
MOST = 100


@dataclass(frozen=True)
class AllowedEngines:
    """The engines that people in the app may ask.

    Attributes:
        engines: By name, in order of their files.

    Examples:
        >>> AllowedEngines().names()
        []
    """

    engines: Mapping[str, Configuration] = field(default_factory=dict)

    @classmethod
    def read(
        cls, folder: str | os.PathLike[str], *, environment: Mapping[str, str] | None = None
    ) -> AllowedEngines:
        """Reads the files `*.toml` of a folder.

        Args:
            folder: The folder.
            environment: The variables that the files may name; by default those of this process.

        Raises:
            InputError: If the folder or a file cannot be read, or has no engine.
            ParameterError: If a file cannot be used, or two engines have one name.
        """
        place = os.fspath(folder)
        try:
            files = sorted(
                one for one in os.listdir(place) if one.endswith(".toml") and one[0] != "."
            )
        except OSError as error:
            raise InputError(
                message("core.cannot-be-read-strerror", strerror=error.strerror or error),
                path=place,
            ) from None
        if not files:
            raise InputError(
                message("app.folder-has-no-engine"),
                path=place,
                hint=message("app.put-engine-files-there"),
            )
        if len(files) > MOST:
            raise InputError(message("app.folder-has-too-many-engines", most=MOST), path=place)
        found: dict[str, Configuration] = {}
        for name in files:
            path = os.path.join(place, name)
            one = read_configuration(path, environment=environment)
            if one.name in found:
                raise ParameterError(
                    message(
                        "app.two-engines-have-name",
                        name=one.name,
                        path=path,
                        other=found[one.name].path,
                    ),
                    hint=message("app.name-engine"),
                )
            found[one.name] = one
        return cls(found)

    def names(self, project: int | None = None) -> list[str]:
        """Returns the names of the engines.

        Args:
            project: Only those that the leads of this project may use; None for all.
        """
        return [
            name for name, one in self.engines.items() if project is None or one.app.covers(project)
        ]

    def get(self, name: str, project: int | None = None) -> Configuration:
        """Returns an engine.

        Args:
            name: Its name.
            project: A project whose leads must be allowed to use it; None for any.

        Raises:
            UnknownNameError: If there is none.
        """
        if name not in self.names(project):
            raise UnknownNameError(
                message("app.no-such-engine", name=name[:100]),
                hint=message("app.ask-operator-for-engine"),
            )
        return self.engines[name]

    def reach(self, name: str) -> Reach:
        """Returns which addresses an engine may be connected at.

        Raises:
            UnknownNameError: If there is none.
        """
        return Reach(private=self.get(name).app.private)
