"""Projects of judging databases as judgments, and as items with ratings, read in place."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from relyon.core.errors import InputError, ParameterError
from relyon.core.texts import message
from relyon.io import databases
from relyon.judging.exchange import export_sheet, final_judgments, refuse_preferences
from relyon.judging.schema import sa
from relyon.judging.store import Store, open_store
from relyon.judging.texts import unknown_name

if TYPE_CHECKING:
    from relyon.data.aggregation import Rule
    from relyon.data.judgments import Judgments
    from relyon.data.scale import Scale
    from relyon.data.sheets import Sheet
    from relyon.judging.records import Project

__all__ = ["ProjectReader", "read_project"]

#: So many projects are named in a hint.
NAMED = 20


def read_project(
    source: databases.Database, *, rule: Rule = "median", scale: Scale | None = None
) -> tuple[Judgments, str]:
    """Returns the final grades of a project, and their provenance; see `final_judgments`.

    The database is opened read-only.

    Args:
        source: The database and its project.
        rule: How several grades are combined without a lead's decision.
        scale: The grade scale of the judgments; None takes the project's.

    Raises:
        InputError: If the database or the project cannot be used, or nothing is graded.
        ParameterError: If there are several projects and none is named.
        UnknownNameError: If the project does not exist.
        DependencyError: If a package is missing: ``pip install 'relyon[judge]'``.
    """
    with _opened(source) as (store, project):
        where = f"{databases.hide_password(source.address)}#{project.name}"
        return final_judgments(store, project.id, rule=rule, scale=scale, source=where)


class ProjectReader:
    """The reader of judging databases."""

    name = databases.NAME

    def read_judgments(
        self, source: databases.Database, *, scale: Scale | None = None
    ) -> Judgments:
        """Returns the final grades of a project; several judges' are combined by the median."""
        return read_project(source, scale=scale)[0]

    def read_sheet(self, source: databases.Database) -> Sheet:
        """Returns the items of a project, with every rating and their final grades."""
        with _opened(source) as (store, project):
            refuse_preferences(project)
            return export_sheet(store, project.id)


@contextmanager
def _opened(source: databases.Database) -> Iterator[tuple[Store, Project]]:
    """Opens a database for reading, and finds the project; errors name both."""
    try:
        with open_store(source.address, access="read") as store:
            yield store, _project(store, source)
    except InputError as error:
        if error.path:
            raise
        raise InputError(error.message, path=source.path, hint=error.hint) from error
    except sa.exc.SQLAlchemyError as error:
        reason = str(getattr(error, "orig", None) or error).strip().split("\n")[0]
        raise InputError(
            message("judging.database-cannot-be-used-reason", reason=reason), path=source.path
        ) from None


def _project(store: Store, source: databases.Database) -> Project:
    projects = {one.name: one for one in store.projects.all()}
    if not projects:
        raise InputError(
            message("judging.database-has-no-projects"),
            hint=message("judging.init-project-creates-one"),
        )
    shown = [f"`{name}`" for name in projects][:NAMED] + ["…"] * (len(projects) > NAMED)
    if source.project in projects:
        return projects[source.project]
    if source.project:
        error = unknown_name("project", source.project, [*projects])
        error.hint = error.hint or message("judging.projects-are", projects=shown)
        raise error
    if len(projects) > 1:
        address = databases.hide_password(source.address)
        raise ParameterError(
            message("judging.database-has-projects", path=source.path, count=len(projects)),
            hint=message("judging.name-project-after-sign", address=address, projects=shown),
        )
    return next(iter(projects.values()))


databases.readers.register(ProjectReader())
