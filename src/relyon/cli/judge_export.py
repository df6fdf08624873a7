"""`relyon judge export`: a project's grades for relyon or another program."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from relyon.cli.judge_archive import pack
from relyon.cli.judge_sheets import refuse_other_name, sheet_bytes, write_grading_sheets
from relyon.cli.messages import messages
from relyon.cli.options import no_color_option, output_option, project_option, rule_option
from relyon.cli.output import protect_inputs, write
from relyon.cli.request import argument, flag, option, request, takes
from relyon.core.errors import ParameterError
from relyon.core.texts import message

if TYPE_CHECKING:
    from relyon.data.aggregation import Rule
    from relyon.data.sheets import Sheet
    from relyon.io.sheets import SheetFormat

__all__ = ["export"]

EXPORT = """Export a project's grades for relyon or another program.

\b
Examples:
  relyon judge export judging.db --project June --format trec -o june.qrels
  relyon judge export judging.db --project June --format quepid-book \\
      -o june.json
  relyon judge export judging.db --project June --format archive \\
      -o june.relyon-project
  relyon judge export judging.db --project June --format xlsx \\
      --judge ann --judge bo -o sheets/

`archive` is the whole project in one file: every grade with its history,
decisions, gold items, guidelines and settings; `relyon judge import` restores
the project in any database. The other formats contain grades, as for `relyon
judge import`. A note on stderr lists what a format cannot represent. In TREC
and LETOR, queries such as `red running shoes` get ids, and a table of ids and
texts is written next to the file: june.queries.tsv for june.qrels. In CSV,
values that a spreadsheet would take for a formula begin with an apostrophe,
which all relyon commands remove again.

`xlsx` with --judge writes a plain grading sheet for each judge: query, title,
address, a list of grades to choose from, and a note, with the guideline on a
second sheet. Items are divided so that each gets the grades that it lacks;
`relyon judge import` takes a graded sheet and knows its judge and project; a row
with a note and no grade counts as one that cannot be graded. Without --judge,
`xlsx` contains every grade, as CSV does. Needs `pip install 'relyon[excel]'`.
"""


@request
class Export:
    """The request of `relyon judge export`."""

    database: str = argument()
    project: str = project_option()
    form: str = option(
        "--format", required=True, metavar="FORMAT", help="As for `relyon judge import`."
    )
    rule: Rule = rule_option()
    labelling_config: str | None = option(
        "--labelling-config",
        metavar="FILE",
        help="Also write the labelling interface for Label Studio to a file.",
    )
    queries: str | None = option(
        "--queries",
        metavar="FILE",
        help="trec, letor: TSV file for the table of query ids and texts.  [default: next to"
        " --output, if queries get ids]",
    )
    documents: str | None = option(
        "--documents",
        metavar="FILE",
        help="trec, letor: file for the table of document ids.  [default: as --queries]",
    )
    judges: tuple[str, ...] = option(
        "--judge",
        metavar="NAME",
        multiple=True,
        help="xlsx: write a grading sheet for this judge; repeat it for several, with a folder as"
        " --output, which ends with a slash.",
    )
    force: bool = flag("--force", help="Replace grading sheets that exist.")
    bom: bool = flag(
        "--bom",
        help="Begin the file with a byte order mark, which Excel on Windows needs to read Chinese.",
    )
    output: str | None = output_option()


@click.command("export", help=EXPORT, short_help="Write a project's grades.")
@takes(Export)
@no_color_option
def export(request: Export) -> None:
    """Runs `relyon judge export`."""
    from relyon.data.aggregation import describe_rule
    from relyon.io.formats.label_studio import labelling_config as interface
    from relyon.io.sheets import BYTE_ORDER_MARK, left_out, sheet_format
    from relyon.judging.events import record_event
    from relyon.judging.exchange import export_sheet
    from relyon.judging.llm.descriptions import note_machines
    from relyon.judging.store import open_store

    for path in (request.output, request.queries, request.documents):
        protect_inputs(path, [request.database])
    if request.form == "archive":
        if (
            request.labelling_config is not None
            or request.bom
            or request.queries
            or request.documents
        ):
            raise ParameterError(message("cli.archive-cannot-be-combined"))
        pack(request.database, request.project, request.output)
        return
    excel = request.form.lower() in ("xlsx", "excel")
    if request.judges and not excel:
        raise ParameterError(message("cli.judge-needs-xlsx"))
    if excel:
        _export_workbook(request)
        return
    chosen = sheet_format(request.form)
    with open_store(request.database) as store:
        found = store.projects.get(request.project)
        sheet = export_sheet(store, found.id, rule=request.rule)
        finals = [row.final_source for row in sheet.rows if row.final is not None]
        machines = note_machines(store, found.id, finals)
        record_event(store, "exported", detail=f"{found.name}: {request.form}")
    asked = {"queries": request.queries, "documents": request.documents}
    tables = _tables(chosen, sheet, asked, request.output)
    text = chosen.write(sheet)
    for path, table in tables.values():
        write(table.removesuffix("\n"), path)
    write((BYTE_ORDER_MARK if request.bom else "") + text.removesuffix("\n"), request.output)
    if request.labelling_config is not None:
        write(interface(found.scale).removesuffix("\n"), request.labelling_config)
    messages.notes(left_out(chosen, sheet, tables))
    for name, (path, _) in tables.items():
        messages.note(
            message(
                "cli.maps-ids-of-to-texts",
                path=path,
                name=name,
            )
        )
    if "final" in chosen.keeps:
        messages.note(describe_rule(request.rule))
        if machines is not None:
            messages.note(str(machines))


def _export_workbook(request: Export) -> None:
    """Writes a grading sheet per judge, or every grade in one sheet."""
    from relyon.judging.events import record_event
    from relyon.judging.exchange import export_sheet
    from relyon.judging.store import open_store

    refuse_other_name(request.output)
    with open_store(request.database) as store:
        found = store.projects.get(request.project)
        if request.judges:
            write_grading_sheets(store, found, request.judges, request.output, force=request.force)
        else:
            sheet = export_sheet(store, found.id, rule=request.rule)
            write(sheet_bytes(sheet, request.output or ""), request.output)
        record_event(store, "exported", detail=f"{found.name}: {request.form}")


def _tables(
    chosen: SheetFormat, sheet: Sheet, asked: Mapping[str, str | None], output: str | None
) -> dict[str, tuple[str, str]]:
    """Returns the file and the text of each table that goes with an export."""
    wanted = [name for name, path in asked.items() if path is not None]
    if wanted and not chosen.names_ids:
        raise ParameterError(
            message("cli.is-for-formats", wanted=wanted[0]),
            hint=message("cli.format-trec-or-letor"),
        )
    found = {}
    for name, text in chosen.tables(sheet, made=wanted).items():
        path = asked[name]
        if path is None:
            if output in (None, "-"):
                raise ParameterError(
                    message(
                        "cli.cannot-store-all",
                        chosen_title=chosen.title,
                        name=name,
                    ),
                    hint=message(
                        "cli.name-file-for-table",
                        name=name,
                    ),
                )
            path = f"{os.path.splitext(str(output))[0]}.{name}.tsv"
        found[name] = (path, text)
    return found
