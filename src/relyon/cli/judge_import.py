"""`relyon judge import`: items to grade, and grades from elsewhere."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from relyon.cli.encoding import TextEncoding, encoding_options
from relyon.cli.inputs import check_stdin, stage_runs
from relyon.cli.judge_archive import ended_in_order, unpack
from relyon.cli.judge_sheets import accept_sheet
from relyon.cli.messages import Progress, messages
from relyon.cli.option_values import chosen_columns, format_named_by
from relyon.cli.options import no_color_option
from relyon.cli.request import argument, flag, option, request, takes
from relyon.cli.tapes import recorded_beside
from relyon.core.errors import InputError, ParameterError
from relyon.core.texts import message

if TYPE_CHECKING:
    from relyon.data.sheets import Row, Sheet
    from relyon.engines import Recorded
    from relyon.judging import Store
    from relyon.judging.records import Project

__all__ = ["import_"]

HELP = """Import items to grade, and grades from elsewhere.

\b
Examples:
  relyon judge import judging.db pool.csv --project June \\
      --documents catalogue.csv
  relyon judge import judging.db --project June --run bm25.run -k 10 \\
      --queries queries.tsv --documents catalogue.csv
  relyon judge import judging.db judgments.csv --project June --gold
  relyon judge import judging.db --project SBS --side old=bm25.run \\
      --side new=tfidf.run -k 5

A pool of `relyon sample`, a run or a list of queries and documents contains
only ids: --documents names a table with one row per document, whose columns
title, snippet (or description), url and image judges see as such, and all
others as further fields. The tape beside a run of `relyon search` has the texts
of queries and documents already.

Formats: {formats-items}. Columns of CSV are found by their usual names; other
columns are shown to judges as further fields, except clicks and other behaviour;
columns that look like grades are refused. Existing values are kept: you can
import the same file again, and --documents then fills in empty values.

Large files are imported in batches, so judges can keep working; they get the
new items only when the import is complete. Ctrl-C undoes the import; the next
import undoes one that was killed.

An archive written by `relyon judge export --format archive` becomes a new
project; --project gives it another name.
"""


@request
class Import:
    """The request of `relyon judge import`."""

    database: str = argument()
    files: tuple[str, ...] = argument(metavar="[FILE…]", nargs=-1)
    project: str | None = option(
        "--project", metavar="NAME", help="The project; for an archive, its new name."
    )
    form: str | None = option(
        "--input-format", metavar="FORMAT", help="Format of the files.  [default: recognised]"
    )
    encoding: TextEncoding = encoding_options()
    columns: tuple[str, ...] = option(
        "--columns",
        metavar="NAME=COLUMN,…",
        multiple=True,
        help="Columns of FILE, such as query=words,document=sku,title=label; also grade, judge,"
        " rank, query_text, snippet, url and image.",
    )
    judge_columns: tuple[str, ...] = option(
        "--judge-column",
        metavar="COLUMN",
        multiple=True,
        help="CSV with one column per judge: a judge's column; repeat it for each judge.",
    )
    judge: str | None = option(
        "--judge",
        metavar="NAME",
        help="The judge to whom final grades without a judge are attributed.  [default: import]",
    )
    update: bool = flag(
        "--update",
        help="Grades replace those that the same judges gave the same items before: for corrected"
        " files. The history keeps both.",
    )
    show: tuple[str, ...] = option(
        "--show",
        metavar="COLUMN",
        multiple=True,
        help="Show judges a column although it looks like grades or clicks; repeat it for several.",
    )
    gold: bool = flag("--gold", help="Import the final grades as known grades of gold items.")
    documents: str | None = option(
        "--documents",
        metavar="FILE",
        help="Titles, snippets and other fields: CSV, TSV, JSONL or Parquet, one row per document.",
    )
    queries: str | None = option(
        "--queries",
        metavar="FILE",
        help="A table of query ids and texts, if runs name queries by id.",
    )
    runs: tuple[str, ...] = option(
        "--run",
        metavar="FILE",
        multiple=True,
        help="A run whose first K results are to be graded; repeat it to pool several.",
    )
    sides: tuple[str, ...] = option(
        "--side",
        metavar="NAME=RUN",
        multiple=True,
        help="A system and its run, for a side-by-side project; with more than two, all pairs are"
        " compared. Titles come from FILE.",
    )
    k: int | None = option(
        "-k",
        "--depth",
        type=click.IntRange(min=1),
        help="With --run and --side: how many ranks are judged.  [default: the project's, else 10]",
    )


@click.command("import", help=HELP, short_help="Import items to grade, and grades.")
@takes(Import)
@no_color_option
def import_(request: Import) -> None:
    """Runs `relyon judge import`."""
    from relyon.data.sheets import Sheet
    from relyon.judging.events import record_event
    from relyon.judging.exchange import import_sheet
    from relyon.judging.item_texts import fill_items
    from relyon.judging.pooling import DEPTH, compare_tops, pool_sheet
    from relyon.judging.store import open_store

    if not request.files and not request.runs and not request.sides:
        raise ParameterError(
            message("cli.nothing-to-import"), hint=message("cli.name-file-or-runs")
        )
    check_stdin([*request.files, *request.runs])
    archives = [
        path
        for path in request.files
        if request.form == "archive" or (request.form is None and _is_archive(path))
    ]
    if archives:
        if (
            len(request.files) > 1
            or request.runs
            or request.sides
            or request.documents
            or request.queries
            or request.gold
            or request.judge_columns
        ):
            raise ParameterError(
                message("cli.is-whole-project", archives=archives[0]),
                hint=message("cli.import-alone"),
            )
        unpack(request.database, archives[0], request.project)
        return
    if request.gold and request.update:
        raise ParameterError(
            message("cli.gold-and-update-exclude"), hint=message("cli.leave-one-of-them")
        )
    with ended_in_order(), open_store(request.database) as store:
        found = _project(store, request.project)
        sheets = [_sheet(path, request, found) for path in request.files]
        ranks = request.k or found.k or DEPTH
        if request.sides:
            tops = _tops(request.sides, ranks)
            # A file's own values take precedence over the table of documents.
            known = [
                _guarded(_described(one, request.documents, request.queries), found, request.show)
                for one in [pool_sheet(top) for _, top in tops] + sheets
            ]
            with Progress("cli.importing") as report:
                added = store.items.add_comparisons(
                    found.id, compare_tops(tops, known), report=report
                )
            record_event(store, "imported", detail=f"{found.name}: {added} + 0")
            messages.note(
                message(
                    "cli.project-count",
                    project=found.name,
                    count=added,
                )
            )
            return
        if found.kind == "side_by_side":
            raise ParameterError(
                message("cli.is-side-by-side-project", found_name=found.name),
                hint=message("cli.give-side-name-run"),
            )
        for path, one in zip(request.files, sheets, strict=True):
            accept_sheet(store, found, one, request.judge, path)
        sheets += [pool_sheet(_top(path, ranks)) for path in request.runs]
        recorded = [None] * len(request.files) + [recorded_beside(path) for path in request.runs]
        told: list[Row] = []
        for one, tape in zip(sheets, recorded, strict=True):
            told += _recorded(_described(one, request.documents, request.queries), tape).rows
        whole = _guarded(Sheet(tuple(told), scale=found.scale), found, request.show)
        rows = whole.rows
        with Progress("cli.importing") as report:
            new = import_sheet(
                store,
                found.id,
                whole,
                judge=request.judge or "import",
                mode="gold" if request.gold else "update" if request.update else "add",
                source=", ".join([*request.files, *request.runs]),
                report=report,
            )
        filled = 0
        if request.documents or request.queries or any(recorded):
            filled = fill_items(store, found.id, (row.item for row in rows))
        graded = sum(_grades(row) for row in rows)
        if graded and not (new.items or new.grades or filled):
            raise InputError(
                message("cli.all-grades-are-stored", project=found.name, count=graded),
                hint=message(_other_judge(rows)),
            )
        record_event(store, "imported", detail=f"{found.name}: {new.items} + {new.grades}")
    foreign = sum(bool(row.final_source) and not row.ratings for row in rows)
    if foreign:
        messages.warning(
            message(
                "cli.grades-of-language-model",
                count=foreign,
            )
        )
    said = [message("cli.new-items", count=new.items)]
    if request.gold:
        said.append(message("cli.new-known-grades", count=new.grades))
    else:
        said.append(message("cli.new-grades", count=new.grades))
    if filled:
        said.append(message("cli.texts-for-count", count=filled))
    messages.note(message("cli.project-told", project=found.name, told=said))


def _project(store: Store, name: str | None) -> Project:
    """Returns the project to import into.

    Raises:
        ParameterError: If none is named; the hint lists the projects.
        UnknownNameError: If it does not exist.
    """
    if name is not None:
        return store.projects.get(name)
    known = [f"`{one.name}`" for one in store.projects.all()]
    raise ParameterError(
        message("cli.project-is-missing"),
        hint=message("cli.name-project-to-import", projects=known)
        if known
        else message("judging.init-project-creates-one"),
    )


def _guarded(sheet: Sheet, project: Project, show: Sequence[str]) -> Sheet:
    """Returns a sheet without columns that would show judges what users did, and says so."""
    from dataclasses import replace

    from relyon.judging.leaks import hide_behaviour

    found, notes = hide_behaviour(sheet, project.scale, show)
    messages.notes(notes)
    return replace(found, shown=frozenset(show))


def _grades(row: Row) -> int:
    """Returns how many grades an import takes from a row: judges', or the final one."""
    return len(row.ratings) or (row.final is not None and not row.final_source)


def _other_judge(rows: Sequence[Row]) -> str:
    """Returns the hint on how to name another judge: an option names none where the file does."""
    named = all(row.ratings for row in rows if _grades(row))
    return "cli.correct-judge-column" if named else "cli.name-other-judge"


def _is_archive(path: str) -> bool:
    from relyon.io.byte_source import HEAD
    from relyon.judging.archive_reader import is_archive

    if not os.path.isfile(path):
        return False
    with open(path, "rb") as file:
        return is_archive(file.read(HEAD))


def _sheet(path: str, request: Import, project: Project) -> Sheet:
    from relyon.data.columns.roles import KINDS
    from relyon.io import Source, open_source, read_sheet
    from relyon.io.plain_text import read_text
    from relyon.io.sheet_tables import read_wide

    scale = project.scale if project.kind == "grades" else None
    known = [role for roles in KINDS["items"] for role in roles]
    columns = chosen_columns(request.columns, known, "query=词,document=sku")
    if request.judge_columns:
        text = read_text(Source(path))
        return read_wide(text, request.judge_columns, given=columns, path=path, scale=scale)
    with format_named_by("--input-format"):
        source = open_source(path, format=request.form, kind="sheet", named=bool(columns))
        found = read_sheet(source, columns=columns, scale=scale)
    messages.notes(source.notes)
    return found


def _described(sheet: Sheet, documents: str | None, queries: str | None) -> Sheet:
    """Returns a sheet with the texts of its queries and documents in tables."""
    from relyon.judging.descriptions import add_query_texts, describe_documents

    for path, add, what in (
        (documents, describe_documents, "document"),
        (queries, add_query_texts, "query"),
    ):
        if path is not None:
            sheet, unknown = add(sheet, path)
            if unknown:
                messages.warning(
                    message(
                        "cli.path-nothing-about-what",
                        path=path,
                        what=what,
                        count=unknown,
                        rows=len(sheet.rows),
                    )
                )
    return sheet


def _recorded(sheet: Sheet, recorded: Recorded | None) -> Sheet:
    """Returns a sheet with what the tape beside its run keeps."""
    if recorded is None:
        return sheet
    from relyon.judging.recorded_texts import describe_recorded

    return describe_recorded(sheet, recorded.tape)


def _top(path: str, k: int) -> dict[str, list[str]]:
    from relyon.io import read_run
    from relyon.judging.pooling import top_documents

    return top_documents(read_run(path), k)


def _tops(texts: Sequence[str], k: int) -> list[tuple[str, dict[str, list[str]]]]:
    """Returns the systems of a comparison with their top documents."""
    tops = [(name, _top(path, k)) for name, path in stage_runs(texts)]
    if len(tops) < 2:
        raise ParameterError(
            message("cli.comparison-needs-two-systems"), hint=message("cli.give-side-name-run")
        )
    return tops
