"""The project of a judging database that a command names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from relyon.core.errors import ParameterError
from relyon.core.texts import message

if TYPE_CHECKING:
    from relyon.io.databases import Database

__all__ = ["project_of"]


def project_of(judgments: str, project: str, named: Database | None) -> Database:
    """Returns the judging database with the project of ``--project``.

    Raises:
        ParameterError: If the judgments name another project.
    """
    from relyon.io.databases import Database

    if named is None:
        return Database(judgments, project)
    if named.project not in ("", project):
        raise ParameterError(
            message("cli.project-is-named-twice", named=named.project, project=project),
            hint=message("cli.leave-project-out"),
        )
    return Database(named.address, project)
