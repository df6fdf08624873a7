"""A project's archive on the command line: written by `judge export`, read by `judge import`."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from relyon.cli.messages import Progress, messages
from relyon.core.errors import ParameterError
from relyon.core.texts import message

__all__ = ["ended_in_order", "pack", "unpack"]

#: The exit code that shells use for a program ended by SIGTERM.
TERMINATED = 143


@contextmanager
def ended_in_order() -> Iterator[None]:
    """Makes SIGTERM end long work as Ctrl-C does: unfinished work is rolled back."""

    def end(number: int, frame: FrameType | None) -> None:
        raise SystemExit(TERMINATED)

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def pack(database: str, project: str, output: str | None) -> None:
    """Writes a project's archive."""
    from relyon.io.atomic_files import open_replaced
    from relyon.judging.archive import pack_project
    from relyon.judging.events import record_event
    from relyon.judging.store import open_store

    if output is None or output == "-":
        raise ParameterError(
            message("cli.archive-must-be-written"),
            hint=message("cli.add-o-relyon-project", project=project or "june"),
        )
    with open_store(database) as store:
        found = store.projects.get(project)
        with open_replaced(output) as file, Progress("cli.packing") as report:
            counts = pack_project(store, found.id, file, report=report)
        record_event(store, "project_archived", detail=found.name)
    messages.note(
        message(
            "cli.items-actions-of-judges",
            found_name=found.name,
            counts=counts["items"],
            counts_2=counts["actions"],
            counts_3=counts["adjudications"],
            counts_4=counts["gold"],
        )
    )


def unpack(database: str, path: str, name: str | None) -> None:
    """Creates a project from an archive."""
    from relyon.judging.archive_import import unpack_project
    from relyon.judging.archive_reader import Archive
    from relyon.judging.events import record_event
    from relyon.judging.store import open_store

    with (
        ended_in_order(),
        open_store(database) as store,
        open(path, "rb") as file,
        Progress("cli.unpacking") as report,
    ):
        made = unpack_project(store, Archive(file, path=path), name=name, report=report)
        record_event(store, "project_restored", detail=made.project.name)
    messages.note(message("cli.created-project-project-name", project_name=made.project.name))
    if made.matched:
        messages.note(message("cli.grades-assigned-to-existing", matched=list(made.matched)))
    if made.made:
        messages.note(
            message(
                "cli.created-closed-accounts-without",
                made=list(made.made),
            )
        )
    if made.kept:
        messages.warning(
            message(
                "cli.answers-of-language-models",
                kept=made.kept,
            )
        )
