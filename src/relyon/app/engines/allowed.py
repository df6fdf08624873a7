"""The engines that the operator allows: the files of a folder, checked at the start.

A file is read again whenever its engine is asked, so that each request has connections of its own.
"""

from __future__ import annotations

import json
import logging
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field

from relyon.core.errors import InputError, ParameterError, RelyonError, UnknownNameError
from relyon.core.texts import message
from relyon.engines.files.configuration import Configuration, read_configuration

__all__ = ["AllowedEngines"]

log = logging.getLogger("relyon.judging")

#: Engines that a folder may have.
MOST = 100


@dataclass(frozen=True)
class AllowedEngines:
    """The engines that people in the app may ask.

    Attributes:
        engines: As they were at the start, by name, in order of their files.
        environment: The variables that the files may name; None takes those of this process.

    Examples:
        >>> AllowedEngines().names()
        []
    """

    engines: Mapping[str, Configuration] = field(default_factory=dict)
    environment: Mapping[str, str] | None = field(default=None, repr=False)

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
        return cls(found, environment)

    def names(self, project: int | None = None) -> list[str]:
        """Returns the names of the engines.

        Args:
            project: Only those that the leads of this project may use; None for all.
        """
        return [
            name for name, one in self.engines.items() if project is None or one.app.covers(project)
        ]

    def get(
        self, name: str, project: int | None = None, *, body: str | None = None
    ) -> Configuration:
        """Returns an engine with connections of its own, by its file as it is now.

        Args:
            name: Its name.
            project: A project whose leads must be allowed to use it; None for any.
            body: Another template of the requests' body.

        Raises:
            UnknownNameError: If there is none.
            ParameterError: If its file was changed and cannot be used, or the body cannot be.
        """
        known = self._known(name, project)
        try:
            found = read_configuration(known.path, environment=self.environment)
        except RelyonError as error:
            # What is wrong is the operator's to know: it names files and variables.
            log.error("engine %s: %s", name, error)
            raise ParameterError(
                message("app.engine-cannot-be-used", name=name),
                hint=message("app.tell-operator-of-engine"),
            ) from None
        if found.name != name or not (project is None or found.app.covers(project)):
            raise self._unknown(name)
        if body is None:
            return found
        try:
            return read_configuration(known.path, environment=self.environment, body=body)
        except RelyonError as error:
            log.info("engine %s: %s", name, error)
            raise ParameterError(
                message("app.body-cannot-be-used", name=name),
                hint=message("app.write-body-as-json"),
            ) from None

    def body(self, name: str, project: int) -> str | None:
        """Returns the template of an engine's body if leads may change it.

        Raises:
            UnknownNameError: If there is no such engine.
        """
        known = self._known(name, project)
        if "body" not in known.app.editable:
            return None
        try:
            with open(known.path, "rb") as file:
                found = tomllib.load(file).get("body")
        except (OSError, ValueError) as error:
            log.error("engine %s: %s", name, error)
            return None
        if found is None or isinstance(found, str):
            return found
        return json.dumps(found, ensure_ascii=False, indent=2)

    def _known(self, name: str, project: int | None) -> Configuration:
        if name not in self.names(project):
            raise self._unknown(name)
        return self.engines[name]

    def _unknown(self, name: str) -> UnknownNameError:
        return UnknownNameError(
            message("app.no-such-engine", name=name[:100]),
            hint=message("app.ask-operator-for-engine"),
        )
