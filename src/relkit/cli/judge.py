"""`relkit judge`: a database of grades: made, filled, looked at and exported."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any, TypeVar

import click

from relkit.cli.inputs import check_stdin, stage_runs
from relkit.cli.judge_serve import serve
from relkit.cli.messages import messages
from relkit.cli.options import format_option, no_color_option, output_option, scale_option
from relkit.cli.output import emit, protect_inputs
from relkit.errors import ParameterError

if TYPE_CHECKING:
    from relkit.judging.formats import Sheet
    from relkit.judging.records import Comparison, Project

__all__ = ["command"]

F = TypeVar("F", bound=Callable[..., Any])

HELP = """Let people grade: make a project, fill it, see how far it is, export.

\b
Examples:
  relkit judge init judging.db --project June --overlap 2
  relkit judge import judging.db judgments.csv --project June --format csv
  relkit judge serve judging.db
  relkit judge status judging.db --project June
  relkit judge export judging.db --project June --format trec

DATABASE is a file of SQLite, or the URL of a PostgreSQL database such as
postgresql://user@host/name. Needs `pip install 'relkit[judge]'`.
"""

INIT = """Make a database, a project and accounts; bring an older database up to date.

\b
Examples:
  relkit judge init judging.db --project June --overlap 2 --gold-share 0.1
  relkit judge init judging.db --project SBS --kind side_by_side
  relkit judge init judging.db --account ann --role lead

Each time it is called it adds what is asked for; what is there stays. The
password of a new account is made, printed once and stored as an argon2 hash.
"""

IMPORT = """Add items to grade, and grades that were given elsewhere.

\b
Examples:
  relkit judge import judging.db items.csv --project June --format csv
  relkit judge import judging.db --project June --run bm25.run -k 10
  relkit judge import judging.db judgments.csv --project June --format csv \\
      --gold
  relkit judge import judging.db --project SBS --side old=bm25.run \\
      --side new=tfidf.run -k 5

Formats: csv, jsonl, trec, quepid-case, quepid-book, quepid-book-csv, rre,
elasticsearch, opensearch, ranklib, label-studio. Columns of CSV are found by
their usual names; other columns are shown to judges as further fields. What is
there already stays: the same file can be imported again.
"""

EXPORT = """Write a project's grades for relkit or another program.

\b
Examples:
  relkit judge export judging.db --project June --format trec -o june.qrels
  relkit judge export judging.db --project June --format quepid-book \\
      -o june.json

Formats as for `relkit judge import`. What a format cannot hold is said on
stderr. In CSV, values that a spreadsheet would take for a formula begin with an
apostrophe, which `relkit judge import` takes away again.
"""

STATUS = """Show how far a project is, and how far its judges agree.

\b
Examples:
  relkit judge status judging.db
  relkit judge status judging.db --project June --format json
"""


@click.group(
    "judge",
    help=HELP,
    short_help="Let people grade: make a project, fill it, see how far it is, export.",
    invoke_without_command=True,
    no_args_is_help=False,
)
@click.pass_context
def command(context: click.Context) -> None:
    """Runs `relkit judge`; without a command it shows the help."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


def _project_option(required: bool = True) -> Callable[[F], F]:
    return click.option(
        "--project",
        required=required,
        metavar="NAME",
        help="The project." if required else "The project.  [default: all]",
    )


RULE = click.Choice(["majority", "median", "mean_gain"])


@command.command("init", help=INIT, short_help="Make a database, a project and accounts.")
@click.argument("database")
@click.option("--project", metavar="NAME", help="A project to make.")
@click.option(
    "--kind",
    type=click.Choice(["grades", "side_by_side"]),
    default="grades",
    show_default=True,
    help="Single results get grades, or two rankings are seen side by side.",
)
@scale_option
@click.option("--guideline-en", metavar="FILE", help="The guideline in English, Markdown.")
@click.option("--guideline-zh", metavar="FILE", help="The guideline in Chinese, Markdown.")
@click.option(
    "--overlap",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="How many judges grade each item.",
)
@click.option(
    "--gold-share",
    type=click.FloatRange(0, 1, max_open=True),
    default=0.0,
    help="The share of items whose grade is known among those a judge is given.  [default: 0]",
)
@click.option(
    "-k", "--k", "k", type=click.IntRange(min=1), help="How many results of a query are judged."
)
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, help="Of the random orders.  [default: 0]"
)
@click.option("--account", metavar="NAME", help="An account to make.")
@click.option(
    "--role",
    type=click.Choice(["judge", "lead", "admin"]),
    default="judge",
    show_default=True,
    help="Of the account: a lead sees all grades and decides, an admin also makes accounts.",
)
@no_color_option
def init(
    database: str,
    project: str | None,
    kind: Any,
    scale: str | None,
    guideline_en: str | None,
    guideline_zh: str | None,
    overlap: int,
    gold_share: float,
    k: int | None,
    seed: int,
    account: str | None,
    role: Any,
) -> None:
    """Runs `relkit judge init`."""
    from relkit.judging.passwords import generate_password
    from relkit.judging.store import open_store

    guidelines: dict[str, Any] = {
        f"guideline_{language}": _text(path)
        for language, path in (("en", guideline_en), ("zh", guideline_zh))
        if path is not None
    }
    with open_store(database, create=True) as store:
        if project is not None:
            made = store.create_project(
                project,
                scale=scale or "search",
                kind=kind,
                overlap=overlap,
                gold_share=gold_share,
                k=k,
                seed=seed,
                **guidelines,
            )
            messages.note(f"made the project {made.name}: {_rules(made)}")
        if account is not None:
            password = generate_password()
            user = store.create_user(account, role=role, password=password)
            messages.note(f"made the account {user.name} ({user.role}); this is its password:")
            click.echo(password)
        if project is None and account is None:
            messages.note(f"{store.database.address} is ready")


def _text(path: str) -> str:
    with open(path, encoding="utf-8-sig") as file:
        return file.read()


def _rules(project: Project) -> str:
    judges = "1 judge" if project.overlap == 1 else f"{project.overlap} judges"
    what = "side by side" if project.kind == "side_by_side" else f"scale {project.scale.name}"
    gold = f", {project.gold_share:.0%} gold items" if project.gold_share else ""
    return f"{what}, {judges} an item{gold}"


@command.command("import", help=IMPORT, short_help="Add items to grade, and grades.")
@click.argument("database")
@click.argument("files", metavar="[FILE…]", nargs=-1)
@_project_option()
@click.option("--format", "form", metavar="FORMAT", help="Of the files.  [default: by the ending]")
@click.option(
    "--judge-column",
    "judge_columns",
    metavar="COLUMN",
    multiple=True,
    help="CSV with a column a judge: the name of such a column; give it once a judge.",
)
@click.option(
    "--judge",
    default="import",
    show_default=True,
    metavar="NAME",
    help="Whose grades final grades without a judge become.",
)
@click.option("--gold", is_flag=True, help="The items' final grades are the known ones.")
@click.option(
    "--run",
    "runs",
    metavar="FILE",
    multiple=True,
    help="A run whose first K results are to be graded; give it again for a pool of several.",
)
@click.option(
    "--side",
    "sides",
    metavar="NAME=RUN",
    multiple=True,
    help="A system and its run, for a side-by-side project; two or more, all pairs are compared."
    " Titles come from FILE.",
)
@click.option(
    "-k",
    "--k",
    "k",
    type=click.IntRange(min=1),
    help="With --run and --side: ranks that are judged.  [default: the project's, else 10]",
)
@no_color_option
def import_(
    database: str,
    files: tuple[str, ...],
    project: str,
    form: str | None,
    judge_columns: tuple[str, ...],
    judge: str,
    gold: bool,
    runs: tuple[str, ...],
    sides: tuple[str, ...],
    k: int | None,
) -> None:
    """Runs `relkit judge import`."""
    from relkit.judging.exchange import import_sheet
    from relkit.judging.store import open_store

    if not files and not runs and not sides:
        raise ParameterError(
            "there is nothing to import", hint="name a file, or runs with --run or --side"
        )
    check_stdin([*files, *runs])
    with open_store(database) as store:
        found = store.project(project)
        sheets = [_sheet(path, form, judge_columns, found) for path in files]
        ranks = k or found.k or 10
        if sides:
            added = store.add_comparisons(found.id, _comparisons(sides, ranks, sheets))
            messages.note(f"{found.name}: {_count(added, 'new comparison')}")
            return
        if found.kind == "side_by_side":
            raise ParameterError(
                f"`{found.name}` is a side-by-side project", hint="give --side NAME=RUN twice"
            )
        sheets += [_sheet_of_run(path, ranks) for path in runs]
        items = grades = 0
        for sheet in sheets:
            new = import_sheet(store, found.id, sheet, judge=judge, as_gold=gold)
            items, grades = items + new[0], grades + new[1]
    what = "new known grade" if gold else "new grade"
    messages.note(f"{found.name}: {_count(items, 'new item')}, {_count(grades, what)}")


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _sheet(path: str, form: str | None, judge_columns: Sequence[str], project: Project) -> Sheet:
    from relkit.judging.formats import read_sheet
    from relkit.judging.formats.csv_table import read_wide

    scale = project.scale if project.kind == "grades" else None
    if judge_columns:
        return read_wide(_text(path), judge_columns, path=path, scale=scale)
    return read_sheet(path, format=form, scale=scale)


def _top(path: str, k: int) -> dict[str, list[str]]:
    """Returns the first documents of each query of a run, in the order that measures see."""
    from relkit.convention import load_convention
    from relkit.io import read_run
    from relkit.ranking import Ranking

    run = read_run(path)
    rules = load_convention(None)
    found = {}
    for query in run.queries:
        documents, scores = zip(*run.documents(query), strict=True)
        ranking = Ranking.build({}, documents, scores, rules, query=query)
        found[query] = [entry.document for entry in ranking.top(k)]
    return found


def _sheet_of_run(path: str, k: int) -> Sheet:
    from relkit.judging.formats import Row, Sheet
    from relkit.judging.records import Item

    return Sheet(
        tuple(
            Row(Item(query, document, rank=rank))
            for query, documents in _top(path, k).items()
            for rank, document in enumerate(documents, 1)
        )
    )


def _comparisons(texts: Sequence[str], k: int, sheets: Sequence[Sheet]) -> list[Comparison]:
    from relkit.judging.records import Comparison, Item

    runs = {name: _top(path, k) for name, path in stage_runs(texts)}
    if len(runs) < 2:
        raise ParameterError("a comparison needs two systems", hint="give --side NAME=RUN twice")
    known = {(row.item.query, row.item.document): row.item for one in sheets for row in one.rows}
    of_query = {row.item.query: row.item for one in sheets for row in one.rows}
    pairs = []
    for (first, ours), (second, theirs) in combinations(runs.items(), 2):
        for query in [query for query in ours if query in theirs]:
            if ours[query] == theirs[query]:
                continue
            told = of_query.get(query, Item(query, "-"))
            left, right = (
                tuple(known.get((query, one), Item(query, one)) for one in documents[query])
                for documents in (ours, theirs)
            )
            pairs.append(Comparison(query, first, second, left, right, told.query_text, told.tier))
    return pairs


@command.command("export", help=EXPORT, short_help="Write a project's grades.")
@click.argument("database")
@_project_option()
@click.option(
    "--format", "form", required=True, metavar="FORMAT", help="As for `relkit judge import`."
)
@click.option(
    "--rule",
    type=RULE,
    default="median",
    show_default=True,
    help="How several grades become one, where no lead decided.",
)
@click.option(
    "--labelling-config",
    metavar="FILE",
    help="Also write the labelling interface for Label Studio to a file.",
)
@output_option
@no_color_option
def export(
    database: str,
    project: str,
    form: str,
    rule: Any,
    labelling_config: str | None,
    output: str | None,
) -> None:
    """Runs `relkit judge export`."""
    from relkit.judging.aggregation import describe_rule
    from relkit.judging.exchange import export_sheet
    from relkit.judging.formats import formats, write_sheet
    from relkit.judging.formats.label_studio import labelling_config as interface
    from relkit.judging.store import open_store

    chosen = formats.get(form)
    protect_inputs(output, [database])
    with open_store(database) as store:
        found = store.project(project)
        sheet = export_sheet(store, found.id, rule=rule)
    text, notes = write_sheet(sheet, format=form)
    emit(text.removesuffix("\n"), output)
    if labelling_config is not None:
        emit(interface(found.scale).removesuffix("\n"), labelling_config)
    messages.notes(("", note) for note in notes)
    if "final" in chosen.holds:
        messages.note(describe_rule(rule))


@command.command("status", help=STATUS, short_help="Show how far a project is.")
@click.argument("database")
@_project_option(required=False)
@format_option("table", "json")
@output_option
@no_color_option
def status(database: str, project: str | None, form: str, output: str | None) -> None:
    """Runs `relkit judge status`."""
    from relkit.judging.status import describe_project, render_status
    from relkit.judging.store import open_store

    with open_store(database) as store:
        chosen = store.projects() if project is None else [store.project(project)]
        found = [describe_project(store, one.id) for one in chosen]
    if form == "json":
        import json

        emit(json.dumps(found, ensure_ascii=False, indent=2), output)
        return
    emit("\n\n".join(render_status(one) for one in found) or "there is no project", output)


command.add_command(serve)
