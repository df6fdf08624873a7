"""What a lead uploaded, as a whole: checked, and imported."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relyon.core.errors import InputError
from relyon.core.texts import message
from relyon.judging.exchange import Mode
from relyon.judging.intake.columns import IntakeKind
from relyon.judging.intake.descriptions import DescriptionsFile
from relyon.judging.intake.files import Part, Seen, open_part
from relyon.judging.intake.outcome import Outcome
from relyon.judging.intake.rankings import RankingsFile
from relyon.judging.intake.results import ResultsFile
from relyon.judging.pooling import DEPTH

if TYPE_CHECKING:
    from relyon.judging.jobs import Work
    from relyon.judging.records import Project, User
    from relyon.judging.store import Store

__all__ = ["Upload", "bring_upload", "check_upload", "fitting_kinds", "see_upload"]


@dataclass(frozen=True)
class Upload:
    """What a lead uploaded.

    Attributes:
        kind: What it is.
        parts: The files: one, or one per system of a comparison.
        k: Of runs: how many ranks are judged; None for the project's.
        mode: Of results: what happens to grades.
    """

    kind: IntakeKind
    parts: tuple[Part, ...]
    k: int | None = None
    mode: Mode = "add"

    def depth(self, project: Project) -> int:
        """Returns how many ranks are judged."""
        return self.k or project.k or DEPTH


def fitting_kinds(project: Project) -> tuple[IntakeKind, ...]:
    """Returns what can be brought into a project."""
    if project.kind == "side_by_side":
        return ("sides", "documents", "queries")
    return ("results", "run", "documents", "queries")


def see_upload(project: Project, upload: Upload, limit: int) -> tuple[Seen, ...]:
    """Opens the files of an upload, and looks at their beginnings.

    Args:
        project: The project that it is for.
        upload: The upload.
        limit: Approximate bytes of memory that reading a file may take.

    Raises:
        InputError: If a file cannot be read, or such files do not fit the project.
    """
    if upload.kind not in fitting_kinds(project):
        raise InputError(
            message("judging.kind-does-not-fit", project=project.name),
            hint=message("judging.choose-other-kind"),
        )
    return tuple(open_part(part, upload.kind, project.scale, limit) for part in upload.parts)


def check_upload(store: Store, project: Project, upload: Upload, limit: int) -> Outcome:
    """Returns what importing an upload would do, row by row, without storing anything.

    Args:
        store: The database.
        project: The project.
        upload: The upload.
        limit: Approximate bytes of memory that reading a file may take.

    Raises:
        InputError: If a file cannot be read, two columns have one role, or a role has none.
        ParameterError: If a column is not there.

    Examples:
        >>> import os
        >>> from tempfile import TemporaryDirectory
        >>> from relyon.judging import open_store
        >>> folder = TemporaryDirectory()
        >>> path = os.path.join(folder.name, "june.csv")
        >>> with open(path, "w") as file:
        ...     _ = file.write("Search term,sku,grade\\nshoes,7,3\\nshoes,,2\\nshoes,8,12\\n")
        >>> with open_store(f"{folder.name}/judging.db", create=True) as store:
        ...     project = store.projects.create("June", scale="search")
        ...     upload = Upload("results", (Part("june.csv", path),))
        ...     found = check_upload(store, project, upload, 2**20)
        >>> found.rows, found.new, [one.place for one in found.refused]
        (3, 1, [3, 4])
        >>> folder.cleanup()
    """
    seen = see_upload(project, upload, limit)
    if upload.kind == "results":
        return ResultsFile.of(seen[0], project).check(store, upload.mode)
    if upload.kind in {"documents", "queries"}:
        return DescriptionsFile.of(seen[0], project, upload.kind).check(store)
    return _rankings(seen, project, upload).check(store)


def bring_upload(
    store: Store,
    project: Project,
    upload: Upload,
    limit: int,
    *,
    leave_out: Collection[int] = (),
    by: User | None = None,
    work: Work | None = None,
) -> Outcome:
    """Imports an upload.

    Args:
        store: The database.
        project: The project.
        upload: The upload.
        limit: Approximate bytes of memory that reading a file may take.
        leave_out: The places of rows of results that are left out.
        by: The account that requested it.
        work: The job, if one was announced.

    Raises:
        InputError: If a row cannot be imported and is not left out; then nothing is.
        ParameterError: If the project is closed, or another import is not finished.
        StoppedError: If it was stopped.
    """
    try:
        seen = see_upload(project, upload, limit)
        if upload.kind in {"documents", "queries"}:
            filled = DescriptionsFile.of(seen[0], project, upload.kind).bring(store)
            if work is not None:
                work.end("done")
            return filled
        if upload.kind == "results":
            found = ResultsFile.of(seen[0], project)
        else:
            ranked = _rankings(seen, project, upload)
    except BaseException as error:
        if work is not None:
            work.fail(error)
        raise
    if upload.kind == "results":
        told = found.bring(store, mode=upload.mode, leave_out=leave_out, by=by, work=work)
    else:
        told = ranked.bring(store, by=by, work=work)
    return Outcome(new=told.items, grades=told.grades)


def _rankings(seen: tuple[Seen, ...], project: Project, upload: Upload) -> RankingsFile:
    systems = [part.system for part in upload.parts]
    return RankingsFile.of(seen, systems, project, upload.depth(project))
