"""What a command evaluates: judgments and runs, or scored rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Literal

from relyon.cli.encoding import TextEncoding, encoding_options
from relyon.cli.file_columns import check_columns_for, columns_for
from relyon.cli.groups import Rules
from relyon.cli.named_tables import is_table, open_named
from relyon.cli.option_values import chosen_scale, format_named_by, run_names
from relyon.cli.options import (
    columns_option,
    judgments_format_option,
    own_columns_option,
    run_format_option,
    scale_option,
)
from relyon.cli.passage_options import PASSAGE_ROLES, PassageFiles
from relyon.cli.request import Declared, group, request
from relyon.cli.scored import ScoredFiles
from relyon.core.errors import ParameterError
from relyon.core.texts import message

if TYPE_CHECKING:
    from relyon.data.convention import Convention
    from relyon.data.judgments import Judgments
    from relyon.data.run import Run
    from relyon.data.scale import Scale
    from relyon.data.traces import Traces
    from relyon.io import Source
    from relyon.io.format import Kind

__all__ = [
    "ROLES",
    "Given",
    "Lists",
    "check_files",
    "check_stdin",
    "input_options",
    "judgments_argument",
    "run_argument",
    "run_columns",
    "run_names",
    "stage_runs",
    "task_columns",
]

#: The names that `--columns` accepts, by kind of file.
ROLES = {
    "judgments": ("query", "document", "grade"),
    "run": ("query", "document", "score", "rank"),
}


@dataclass(frozen=True)
class Lists:
    """Judgments, and runs against them.

    Attributes:
        judgments: The judgments, or a run in their place.
        runs: The runs, read or to be streamed.
        names: Their names.
        convention: The rules; documents of scored rows have no ids to order ties by.
    """

    judgments: Judgments | Run | Traces | Source
    runs: Sequence[Run | Traces | Source]
    names: list[str]
    convention: Convention


@request
class Given:
    """The files of the command line, and the rules for reading them."""

    rules: Rules = group(Rules)
    scale_name: str | None = scale_option("scale")
    columns: tuple[str, ...] = columns_option(per_file=True)
    encoding: TextEncoding = encoding_options()
    judgments_columns: tuple[str, ...] = own_columns_option("judgments", "the judgments")
    run_columns: tuple[str, ...] = own_columns_option("run", "the runs", per_file=True)
    judgments_format: str | None = judgments_format_option()
    run_format: str | None = run_format_option()
    scored_files: ScoredFiles = group(ScoredFiles)
    passages: PassageFiles = group(PassageFiles)

    def __post_init__(self) -> None:
        # Bad rules are an error before anything is read.
        _ = self.convention, self.scale
        self.passages.check(self.judgments_format, scored=bool(self.scored_files))

    @cached_property
    def convention(self) -> Convention:
        """The requested rules."""
        return self.rules.chosen()

    @cached_property
    def scale(self) -> Scale | None:
        """The grade scale."""
        return chosen_scale(self.scale_name)

    @cached_property
    def scored(self) -> ScoredFiles:
        """The files of ``--scored`` and their options."""
        form = self.run_format or self.judgments_format
        return replace(self.scored_files, columns=self.columns, format=form)

    @property
    def formats(self) -> tuple[str | None, str | None]:
        """The formats of judgments and of runs; None recognises them."""
        return self.judgments_format, self.run_format

    def paths(self, files: Sequence[str]) -> list[str]:
        """Returns every input file, none of which may be written to."""
        return [*files, *self.scored.paths, *self.passages.paths]

    def lists(
        self,
        files: Sequence[str],
        names: Sequence[str] = (),
        *,
        whole: bool = False,
        traces: bool = False,
        reference: bool = False,
    ) -> Lists:
        """Reads judgments and runs, or the scored rows in their place.

        Args:
            files: The arguments: judgments and runs, or further scored files.
            names: Names of the runs; by default those of files or columns.
            whole: Whether to read runs now rather than stream them later.
            traces: With `whole`: whether traces may be read in place of runs.
            reference: The first file is a run to compare with, in place of judgments.

        Raises:
            ParameterError: If the numbers of names and runs differ.
        """
        if self.scored:
            return self._scored_lists(files, names)
        check_stdin(files)
        titles = run_names(files[1:], names)
        self.check_columns(files)
        first = files[0]
        judged = self.run(first, None, whole=True) if reference else self.judgments(first)
        read = self.traces if whole and traces else partial(self.run, whole=whole)
        runs = [
            read(path, name, per_file=len(files) > 2)
            for path, name in zip(files[1:], titles, strict=True)
        ]
        return Lists(judged, runs, titles, self.convention)

    def judgments(self, path: str) -> Judgments:
        """Reads judgments: of passages, if the chunks of the runs are given."""
        if self.passages:
            named = {**columns_for(path, self.columns), **self._own_columns("judgments", path)}
            wanted = {role: name for role, name in named.items() if role in PASSAGE_ROLES}
            return self.passages.judgments(path, wanted or None, self.scale)
        columns = self.columns_of("judgments", path)
        return judgments_argument(path, self.formats[0], columns, self.scale, "--judgments-columns")

    def run(
        self, path: str, name: str | None, *, whole: bool = False, per_file: bool = False
    ) -> Source | Run | Traces:
        """Returns an opened run to stream, or one read with the caller's options."""
        columns = self.columns_of("run", path)
        form, option = self.formats[1], "--run-columns"
        return run_argument(
            path, form, columns, name, whole=whole, option=option, per_file=per_file
        )

    def traces(self, path: str, name: str | None, *, per_file: bool = False) -> Run | Traces:
        """Reads traces, or a run, with the caller's options."""
        from relyon.io import read_run
        from relyon.io.irds import is_dataset
        from relyon.io.traces import read_lists

        columns = self.columns_of("run", path)
        if is_dataset(path):
            return read_run(path, format=self.formats[1], columns=run_columns(columns), name=name)
        with format_named_by("--run-format", "--run-columns", per_file=per_file):
            source, wanted = open_named(path, self.formats[1], "run", run_columns(columns))
            return read_lists(source, columns=wanted, name=name)

    @contextmanager
    def naming(self, files: Sequence[str] = ()) -> Iterator[None]:
        """Makes hints about runs name options, and the file of several, not Python parameters."""
        with format_named_by("--run-format", "--run-columns", per_file=len(files) > 2):
            yield

    def check_columns(self, files: Sequence[str]) -> None:
        """Rejects `--columns` if no file is a table.

        Raises:
            ParameterError: If so.
        """
        check_columns_for(files, self.columns)
        roles = self._roles("judgments")
        check_columns_for(files, self.judgments_columns, roles, "--judgments-columns")
        check_columns_for(files, self.run_columns, ROLES["run"], "--run-columns")
        if not self.columns:
            return
        kinds: list[Kind] = ["judgments", *("run" for _ in files[1:])]  # type: ignore[list-item]
        forms = [self.formats[kind == "run"] for kind in kinds]
        if not any(map(is_table, files, forms, kinds)):
            raise ParameterError(
                message("cli.columns-names-columns", path=files[0]),
                hint=message("cli.leave-out-no-file"),
            )

    def columns_of(self, kind: str, path: str) -> dict[str, str] | None:
        """Returns the columns of a file: its own option takes precedence over `--columns`.

        Raises:
            ParameterError: If the file's own option is given, but the file has no columns.
        """
        option = f"--{kind}-columns"
        own = self._own_columns(kind, path)
        if own and not is_table(path, self.formats[kind == "run"], kind):  # type: ignore[arg-type]
            raise ParameterError(
                message("cli.has-no-named-columns", option=option, path=path),
                hint=message("cli.leave-option", option=option),
            )
        return {**columns_for(path, self.columns), **own} or None

    def _own_columns(self, kind: str, path: str) -> dict[str, str]:
        """Returns the columns given by the option for one kind of file."""
        texts = {"judgments": self.judgments_columns, "run": self.run_columns}[kind]
        return columns_for(path, texts, self._roles(kind), f"--{kind}-columns")

    def _roles(self, kind: str) -> tuple[str, ...]:
        """Returns the names that the option for one kind of file accepts."""
        return PASSAGE_ROLES if kind == "judgments" and self.passages else ROLES[kind]

    def _scored_lists(self, files: Sequence[str], names: Sequence[str]) -> Lists:
        from relyon.analysis.comparison import matched_scores
        from relyon.data.scored_lists import scored_judgments, scored_run
        from relyon.evaluation.scores import array_rules

        rows = matched_scores(self.scored.rows(files, names, self.scale), self.scale)
        judged = scored_judgments(next(iter(rows.values())), self.scale)
        runs = [scored_run(one, name) for name, one in rows.items()]
        return Lists(judged, runs, list(rows), array_rules(self.convention))


def input_options(
    *own: Literal["query", "label", "document", "weight"], scored: Declared = None
) -> Declared:
    """Declares the options for reading files.

    These are the options for the convention, the scale, columns and formats, and ``--scored`` with
    its own options.

    Args:
        *own: Columns of scored rows with an option of their own.
        scored: A declaration of ``--scored`` in place of the usual one.
    """
    names = ("files", *own, "scores", "predictions", "groups")
    replaced = {} if scored is None else {"files": scored}
    return group(Given, scored_files=group(ScoredFiles, *names, **replaced))


def check_files(files: Sequence[str], command: str) -> None:
    """Refuses fewer arguments than judgments and a run, and stdin given twice.

    Args:
        files: The arguments.
        command: The command, for the hint.

    Raises:
        ParameterError: If judgments or runs are missing.
    """
    if len(files) < 2:
        judgments = files[0] if files else "judgments.qrels"
        raise ParameterError(
            message("cli.run-is-missing") if files else message("cli.judgments-and-run"),
            hint=message("cli.relyon-bm25-run", command=command, judgments=judgments),
        )
    check_stdin(files)


def check_stdin(paths: Sequence[str]) -> None:
    """Rejects a second `-`.

    Raises:
        ParameterError: If two paths are stdin.
    """
    if paths.count("-") > 1:
        raise ParameterError(message("cli.stdin-can-be-read"))


def judgments_argument(
    path: str,
    form: str | None,
    columns: Mapping[str, str] | None,
    scale: Scale | None,
    option: str = "--columns",
) -> Judgments:
    """Reads judgments with the caller's format, columns (of a table) and scale.

    Args:
        path: The file.
        form: Its format; None recognises it.
        columns: The columns of judgments and runs by role.
        scale: The grade scale.
        option: The option that names columns, for hints.
    """
    from relyon.io import read_judgments
    from relyon.io.irds import is_dataset

    roles = _only(columns, ROLES["judgments"])
    if is_dataset(path):
        return read_judgments(path, format=form, columns=roles, scale=scale)
    with format_named_by("--judgments-format", option):
        source, wanted = open_named(path, form, "judgments", roles)
        return read_judgments(source, columns=wanted, scale=scale)


def run_argument(
    path: str,
    form: str | None,
    columns: Mapping[str, str] | None,
    name: str | None,
    *,
    whole: bool = False,
    option: str = "--columns",
    per_file: bool = False,
) -> Source | Run | Traces:
    """Returns an opened run to stream, or one read with the caller's options.

    Args:
        path: The file.
        form: Its format; None recognises it.
        columns: The columns of judgments and runs by role, for a table.
        name: Its name.
        whole: Whether to read it in any case.
        option: The option that names columns, for hints.
        per_file: Whether the option can name the file, and hints do.
    """
    from relyon.io import read_run
    from relyon.io.format import formats
    from relyon.io.irds import is_dataset
    from relyon.io.traces import read_traces

    if is_dataset(path):
        return read_run(path, format=form, columns=run_columns(columns), name=name)
    with format_named_by("--run-format", option, per_file=per_file):
        source, wanted = open_named(path, form, "run", run_columns(columns))
        if not wanted and not whole:
            return source
        if wanted and "traces" in formats.get(source.format).kinds:
            return read_traces(source, columns=task_columns(wanted), name=name)
        return read_run(source, columns=wanted, name=name)


def task_columns(columns: Mapping[str, str]) -> dict[str, str]:
    """Returns the attribute that names the task, given as the column of queries.

    Raises:
        ParameterError: If other columns are named: traces have none.
    """
    others = [role for role in columns if role != "query"]
    if others:
        raise ParameterError(
            message("cli.traces-have-no-columns", role=others[0], name=columns[others[0]]),
            hint=message("cli.name-attribute-of-task"),
        )
    return {"task": columns["query"]}


def run_columns(columns: Mapping[str, str] | None) -> dict[str, str] | None:
    """Returns the part of a column map that applies to runs."""
    return _only(columns, ROLES["run"])


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
                message("cli.stage-is-not-name", text=text),
                hint=message("cli.write-stage-retrieval-bm25"),
            )
        found.append((name.strip(), path))
    return found


def _only(columns: Mapping[str, str] | None, roles: Sequence[str]) -> dict[str, str] | None:
    return {role: columns[role] for role in roles if role in columns} if columns else None
