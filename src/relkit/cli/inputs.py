"""Judgments and runs as a command line names them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from relkit.cli.values import format_named_by
from relkit.core.errors import ParameterError
from relkit.core.texts import message

if TYPE_CHECKING:
    from relkit.data.judgments import Judgments
    from relkit.data.run import Run
    from relkit.data.scale import Scale
    from relkit.io import Source

__all__ = [
    "check_stdin",
    "judgments_argument",
    "run_argument",
    "run_columns",
    "run_names",
    "stage_runs",
]


def check_stdin(paths: Sequence[str]) -> None:
    """Refuses `-` twice.

    Raises:
        ParameterError: If two of the paths are stdin.
    """
    if paths.count("-") > 1:
        raise ParameterError("stdin can be read only once: `-` is given twice")


def judgments_argument(
    path: str, form: str | None, columns: Mapping[str, str] | None, scale: Scale | None
) -> Judgments:
    """Reads judgments with the caller's wishes about format, columns and scale."""
    from relkit.io import read_judgments

    wanted = _only(columns, ("query", "document", "grade"))
    with format_named_by("--judgments-format"):
        return read_judgments(path, format=form, columns=wanted, scale=scale)


def run_argument(
    path: str, form: str | None, columns: Mapping[str, str] | None, name: str
) -> Source | Run:
    """Returns a run to stream, opened, or one read with the caller's wishes."""
    from relkit.io import open_source, read_run

    wanted = run_columns(columns)
    if form is None and not wanted:
        return open_source(path, kind="run")
    return read_run(path, format=form, columns=wanted, name=name)


def run_columns(columns: Mapping[str, str] | None) -> dict[str, str] | None:
    """Returns the part of a column map that concerns runs."""
    return _only(columns, ("query", "document", "score", "rank"))


def run_names(runs: Sequence[str], names: Sequence[str] = ()) -> list[str]:
    """Returns file names, or whole paths where two names are the same.

    Args:
        runs: Paths.
        names: What ``--name`` was given.

    Raises:
        ParameterError: If there are names, and not one of its own for each run.
    """
    from relkit.data.run import run_name

    if names and len(names) != len(runs):
        raise ParameterError(
            message(
                "there are {count} runs and {count_2} names", count=len(runs), count_2=len(names)
            ),
            hint="give --name once for each run, in their order",
        )
    twice = [name for place, name in enumerate(names) if name in names[:place]]
    if twice:
        raise ParameterError(
            message("two runs are called `{twice}`", twice=twice[0]), hint="give names that differ"
        )
    if names:
        return list(names)
    short = [run_name(path) for path in runs]
    return short if len(set(short)) == len(short) else list(runs)


def stage_runs(texts: Sequence[str]) -> list[tuple[str, str]]:
    """Returns the names and paths of ``--stage NAME=RUN``.

    Raises:
        ParameterError: If a text is not NAME=RUN.
    """
    found = []
    for text in texts:
        name, equals, path = text.partition("=")
        if not equals or not name.strip() or not path:
            raise ParameterError(
                message("`--stage {text}` is no name and run", text=text),
                hint="write --stage retrieval=bm25.run",
            )
        found.append((name.strip(), path))
    return found


def _only(columns: Mapping[str, str] | None, roles: Sequence[str]) -> dict[str, str] | None:
    return {role: columns[role] for role in roles if role in columns} if columns else None
