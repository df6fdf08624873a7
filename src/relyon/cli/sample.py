"""`relyon sample`: draws the sessions of a log that people should grade."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import click

from relyon.cli.encoding import TextEncoding, encoding_options
from relyon.cli.inputs import ROLES, check_stdin
from relyon.cli.messages import Progress, messages
from relyon.cli.option_values import chosen_columns, format_named_by, parse_depths
from relyon.cli.options import (
    columns_option,
    format_option,
    language_option,
    no_color_option,
    own_columns_option,
    seed_option,
)
from relyon.cli.output import Answer, Output, emit, protect_inputs, refuse_existing
from relyon.cli.request import argument, fixed, flag, group, option, request, takes
from relyon.cli.sessions import Period, open_log
from relyon.cli.shares import SHARE, SHARE_BETWEEN
from relyon.cli.spark_engine import Engine
from relyon.core.errors import InputError, ParameterError
from relyon.core.texts import message

if TYPE_CHECKING:
    from datetime import datetime

    from relyon.core.language import Language
    from relyon.core.notes import Note
    from relyon.data.sessions import Sessions
    from relyon.online.monitoring import SamplePlan
    from relyon.online.sampling import Method, Pool, Sample

__all__ = ["command"]

HELP = """Sample sessions of a search log for judging.

\b
Examples:
  relyon sample log.csv --per-tier 100 --seed 7 -o sample.csv --pool pool.csv
  relyon sample log.parquet --month 2026-03 -o march.csv --pool march-pool.csv
  relyon sample log.csv --drop-bots -o people.csv
  relyon sample log.csv --plan --drop 5%
  relyon sample log.csv --tiers count:4,2 --allocation proportional
  relyon sample log.csv --allocation neyman --pilot pilot.csv
  relyon sample log.csv --design pptss --judgments judged.csv --max-age 180d \\
      --pool more.csv

Queries are divided into head, middle and tail by frequency. The sample depends
only on the seed and the ids, not on the order of rows. Every row stores its
inclusion probability: relyon.online.sampling.estimate turns the values of the
sampled sessions into means over all sessions, with intervals.
"""

COLUMNS = (
    "session", "query", "timestamp", "position", "doc", "clicked", "dwell_seconds", "add_to_cart",
    "purchase", "bucket", "user", "shown",
)  # fmt: skip
DEVIATIONS = ("standard_deviation", "deviation", "sd", "std")


@request
class Request:
    """The request of `relyon sample`."""

    logs: tuple[str, ...] = argument(metavar="LOG…", nargs=-1, required=True)
    per_tier: int = option(
        "--per-tier",
        type=click.IntRange(min=1),
        default=100,
        show_default=True,
        help="Sessions per tier, averaged over tiers.",
    )
    design: Literal["stratified", "pptss"] = option(
        "--design",
        type=click.Choice(["stratified", "pptss"]),
        default="stratified",
        show_default=True,
        help="A simple random sample per tier, or queries drawn by traffic with replacement.",
    )
    allocation: Literal["equal", "proportional", "neyman"] = option(
        "--allocation",
        type=click.Choice(["equal", "proportional", "neyman"]),
        default="equal",
        show_default=True,
        help="How a stratified sample is allocated to tiers; neyman needs --pilot.",
    )
    pilot: str | None = option(
        "--pilot",
        metavar="FILE",
        help="For neyman: a table of tier and standard_deviation, or of tier and value, one row per"
        " session.",
    )
    tiers: str = option(
        "--tiers",
        metavar="METHOD[:CUTS]",
        default="share",
        show_default=True,
        help="Tier boundaries by share of all sessions, quantile of distinct queries, or number of"
        " sessions, such as share:0.5,0.8, quantile:0.01,0.1 or count:1000,10.",
    )
    k: str = option(
        "-k",
        "--depth",
        metavar="K|TIER=K,…",
        default="head=40,middle=20,tail=20",
        show_default=True,
        help="Depth by tier, or one number for all.",
    )
    common_k: int | None = option(
        "--common-depth",
        type=click.IntRange(min=1),
        metavar="N",
        help="The depth at which tiers are compared.  [default: the smallest depth]",
    )
    seed: int = seed_option("The same seed gives the same sample on any machine.")
    output: str | None = option(
        "-o",
        "--output",
        metavar="FILE",
        help="Write the sample to a file, one row per session and result: .parquet, .csv, .tsv or"
        " .jsonl.",
    )
    force: bool = flag("--force", help="Replace the files of -o and --pool if they exist.")
    pool_file: str | None = option(
        "--pool",
        metavar="FILE",
        help="Write the distinct pairs of query and document to be graded to a file.",
    )
    judged: str | None = option(
        "--judgments", metavar="FILE", help="Earlier judgments, whose pairs are not graded again."
    )
    judgments_columns: tuple[str, ...] = own_columns_option("judgments", "the judgments")
    max_age: str | None = option(
        "--max-age",
        metavar="AGE",
        help="Regrade pairs whose grade is older, by the column judged_at of the earlier judgments,"
        " such as 180d, 26w, 6m or 1y.",
    )
    as_of: str | None = option(
        "--as-of",
        metavar="DATE",
        help="Date for the age of judgments, such as 2025-06-30.  [default: now]",
    )
    plan: bool = flag(
        "--plan",
        help="Draw no sample; print how many sessions to grade per month to detect a drop.",
    )
    drops: tuple[float, ...] = option(
        "--drop",
        type=SHARE_BETWEEN,
        multiple=True,
        help="With --plan: a drop in the monthly number, such as 5%; repeat it for several. Without"
        " it: 2, 5, 10 and 20%.",
    )
    history: str | None = option(
        "--history",
        metavar="FOLDER",
        help="With --plan: the rounds of `relyon monitor`; the last one gives the spread.",
    )
    spread: float | None = option(
        "--spread",
        type=click.FloatRange(min=0, min_open=True),
        metavar="NUMBER",
        help="With --plan and without --history: the standard deviation of session values, relative"
        " to the mean.  [default: 0.8]",
    )
    within: float | None = option(
        "--within",
        type=SHARE,
        metavar="SHARE",
        help="With --plan: the share of variance within queries, unless a graded month gives it."
        "  [default: 0.5]",
    )
    summary: Output = group(
        Output,
        forms=fixed(("table", "json", "markdown")),
        asked=format_option("table", "json", "markdown", help="Output format of the summary."),
        language=language_option("Language of the summary."),
    )
    columns: tuple[str, ...] = columns_option()
    encoding: TextEncoding = encoding_options()
    log_format: str | None = option(
        "--input-format", metavar="FORMAT", help="Format of the log.  [default: recognised]"
    )
    period: Period = group(Period)
    drop_bots: bool = flag(
        "--drop-bots",
        help="Leave out the users, or sessions, that the check bots of `relyon logs doctor` finds.",
    )
    engine: Engine = group(Engine)


@click.command("sample", help=HELP, short_help="Sample sessions of a search log for judging.")
@takes(Request)
@no_color_option
def command(request: Request) -> None:
    """Runs `relyon sample`."""
    from relyon.online.logs.bots import noted_bots
    from relyon.online.sampling import build_pool, draw_sample
    from relyon.online.sampling.tiers import NAMES

    inputs = [*request.logs, request.pilot, request.judged]
    graded = chosen_columns(
        request.judgments_columns, ROLES["judgments"], option="--judgments-columns"
    )
    check_stdin([name for name in inputs if name])
    _check_outputs(request.output, request.pool_file, inputs, request.force)
    if request.allocation == "neyman" and request.pilot is None:
        raise ParameterError(message("cli.allocation-neyman-needs-pilot"))
    if request.plan and (
        request.output or request.pool_file or request.judged or request.design == "pptss"
    ):
        raise ParameterError(message("cli.plan-draws-nothing"), hint=message("cli.leave-out-o"))
    if not request.plan and (
        request.drops or request.history or request.spread is not None or request.within is not None
    ):
        raise ParameterError(message("cli.drop-history-spread"), hint=message("cli.add-plan"))
    method, cuts = _tiers(request.tiers)
    depths = parse_depths(request.k, NAMES)
    now = None if request.as_of is None else _moment(request.as_of)
    with format_named_by("--input-format "):
        roles = chosen_columns(request.columns, COLUMNS, "session=sid,doc=asin")
        opened = open_log(request.logs, roles, request.log_format, engine=request.engine)
        log = request.period.of(opened)
    if request.drop_bots:
        from relyon.online.logs import without_bots

        log = without_bots(log)
    deviations = None if request.pilot is None else _deviations(request.pilot)
    if request.plan:
        found = _planned(request, log, method, cuts, deviations)
        emit(found, replace(request.summary, wide=True))
        messages.notes((*log.notes, *noted_bots(log)))
        return
    with Progress("cli.sampling", after=0) as progress:
        sample = draw_sample(
            log,
            per_tier=request.per_tier,
            design=request.design,
            allocation=request.allocation,
            deviations=deviations,
            tiers=method,
            cuts=cuts,
            k=depths,
            common_k=request.common_k,
            seed=request.seed,
            progress=progress,
        )
    with format_named_by("format=", "--judgments-columns"):
        pool = build_pool(sample, request.judged, max_age=request.max_age, now=now, columns=graded)
    if request.output is not None:
        sample.write(request.output)
    if request.pool_file is not None:
        from relyon.io.table_files import write_table

        write_table(pool.pairs, request.pool_file)
    notes = (*log.notes, *sample.notes, *pool.notes)
    emit(_answer(sample, pool, notes), request.summary)
    if request.summary.form != "json":
        messages.notes(notes)


def _planned(
    request: Request,
    log: Sessions,
    method: Method,
    cuts: Sequence[float] | None,
    deviations: Mapping[str, float] | None,
) -> SamplePlan:
    """Returns the plan of a month's sample.

    Raises:
        ParameterError: If a drop is not a fraction, or the spread is both assumed and taken from
            rounds.
        InputError: If the folder contains no rounds.
    """
    from relyon.online.monitoring import plan_sample, read_rounds
    from relyon.online.monitoring.sample_plan import DROPS, SPREAD, WITHIN

    if request.history is not None and request.spread is not None:
        raise ParameterError(
            message("cli.spread-and-history-exclude"), hint=message("cli.leave-one-of-them")
        )
    with Progress("cli.planning", after=1) as progress:
        progress(0, 1, "drawing months")
        return plan_sample(
            log,
            month=None if request.history is None else read_rounds(request.history)[-1],
            spread=SPREAD if request.spread is None else request.spread,
            within=WITHIN if request.within is None else request.within,
            drops=request.drops or DROPS,
            allocation=request.allocation,
            deviations=deviations,
            tiers=method,
            cuts=cuts,
            seed=request.seed,
        )


def _check_outputs(
    output: str | None, pool: str | None, inputs: Sequence[str | None], force: bool
) -> None:
    """Reports before the work rather than after it that a file cannot be written."""
    from relyon.io.table_files import check_name

    for name in (output, pool):
        if name is not None:
            check_name(name)
            protect_inputs(name, inputs)
            refuse_existing(name, force)
    if output is not None and pool is not None and os.path.abspath(output) == os.path.abspath(pool):
        raise ParameterError(message("cli.o-and-pool-name"))


def _tiers(text: str) -> tuple[Method, list[float] | None]:
    from relyon.core.errors import UnknownNameError
    from relyon.core.registry import suggestion
    from relyon.online.sampling import METHODS

    name, colon, cuts = text.partition(":")
    if name not in METHODS:
        raise UnknownNameError(
            message("cli.tiers-by-do", name=name),
            hint=suggestion(name, list(METHODS)),
        )
    try:
        return name, [float(cut) for cut in cuts.split(",")] if colon else None
    except ValueError:
        raise ParameterError(
            message("cli.tiers-has-boundaries", text=text),
            hint=message("cli.write-tiers-share-0"),
        ) from None


def _moment(text: str) -> datetime:
    from datetime import UTC, datetime

    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise ParameterError(
            message("cli.as-of-is-not-date", text=text), hint=message("cli.write-as-of-2025-06-30")
        ) from None
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found


def _deviations(path: str) -> Mapping[str, float]:
    """Returns standard deviations by tier, as given or computed from a pilot's values."""
    import polars as pl

    from relyon.io.table_files import read_table

    table = read_table(path)
    named = next((name for name in DEVIATIONS if name in table.columns), None)
    if "tier" not in table.columns or (named is None and "value" not in table.columns):
        raise InputError(message("cli.pilot-has-columns-tier"), path=path)
    number = pl.col(named or "value").cast(pl.Float64, strict=False)
    numbers = table.select(pl.col("tier").cast(pl.String), number.alias("value"))
    if numbers["value"].null_count():
        raise InputError(
            message("cli.column-contains-values", named=named or "value"),
            path=path,
        )
    if named is None:
        numbers = numbers.group_by("tier", maintain_order=True).agg(pl.col("value").std())
        numbers = numbers.filter(pl.col("value").is_not_null())
    if numbers["tier"].n_unique() != len(numbers):
        raise InputError(message("cli.contains-tier-twice"), path=path)
    return dict(numbers.iter_rows())


def _answer(sample: Sample, pool: Pool, notes: Sequence[Note]) -> Answer:
    """Returns a sample, how much of it is to be graded, and notes on the log and on both."""
    from relyon.core.document.json import note_dict

    counts = pool.to_dict()

    def below(table: str, language: Language) -> str:
        from relyon.core.texts import catalogue

        return f"{table}\n\n{catalogue('sampling', language).say('pool', **counts)}"

    return Answer(
        lambda: {
            **sample.to_dict(),
            "notes": [note_dict(note) for note in notes],
            "pool": counts,
        },
        lambda language: below(sample.to_text(language), language),
        lambda language: below(sample.to_markdown(language), language),
    )
