"""`relyon sample`: draws the sessions of a log that people should grade."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from relyon.cli.engine import Engine, engine_options
from relyon.cli.inputs import check_stdin
from relyon.cli.messages import Progress, messages
from relyon.cli.option_values import chosen_columns, format_named_by, parse_depths
from relyon.cli.options import (
    columns_option,
    depth_option,
    format_option,
    language_option,
    no_color_option,
)
from relyon.cli.output import emit, protect_inputs
from relyon.cli.plan_output import planned, written
from relyon.cli.sessions import open_log, period_options
from relyon.core.errors import InputError, ParameterError
from relyon.core.texts import message

if TYPE_CHECKING:
    from datetime import datetime

    from relyon.online.sampling import Method, Pool, Sample

__all__ = ["command"]

HELP = """Sample sessions of a search log for judging.

\b
Examples:
  relyon sample log.csv --per-tier 100 --seed 7 -o sample.csv --pool pool.csv
  relyon sample log.parquet --month 2026-03 -o sample.csv --pool pool.csv
  relyon sample log.csv --plan --drop 5%
  relyon sample log.csv --tiers count:4,2 --allocation proportional
  relyon sample log.csv --allocation neyman --pilot pilot.csv
  relyon sample log.csv --design pptss --judgments judged.csv --max-age 180d \\
      --pool pool.csv

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


@click.command("sample", help=HELP, short_help="Sample sessions of a search log for judging.")
@click.argument("logs", metavar="LOG…", nargs=-1, required=True)
@click.option(
    "--per-tier",
    type=click.IntRange(min=1),
    default=100,
    show_default=True,
    help="Sessions per tier, averaged over tiers.",
)
@click.option(
    "--design",
    type=click.Choice(["stratified", "pptss"]),
    default="stratified",
    show_default=True,
    help="A simple random sample per tier, or queries drawn by traffic with replacement.",
)
@click.option(
    "--allocation",
    type=click.Choice(["equal", "proportional", "neyman"]),
    default="equal",
    show_default=True,
    help="How a stratified sample is allocated to tiers; neyman needs --pilot.",
)
@click.option(
    "--pilot",
    metavar="FILE",
    help="For neyman: a table of tier and standard_deviation, or of tier and value, one row per"
    " session.",
)
@click.option(
    "--tiers",
    metavar="METHOD[:CUTS]",
    default="share",
    show_default=True,
    help="Tier boundaries by share of all sessions, quantile of distinct queries, or number of"
    " sessions, such as share:0.5,0.8, quantile:0.01,0.1 or count:1000,10.",
)
@depth_option(
    metavar="K|TIER=K,…",
    default="head=40,middle=20,tail=20",
    show_default=True,
    help="Depth by tier, or one number for all.",
)
@click.option(
    "--common-depth",
    "common_k",
    type=click.IntRange(min=1),
    metavar="N",
    help="The depth at which tiers are compared.  [default: the smallest depth]",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Random seed. The same seed gives the same sample on any machine.",
)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Write the sample to a file, one row per session and result: .parquet, .csv, .tsv or"
    " .jsonl.",
)
@click.option(
    "--pool",
    "pool_file",
    metavar="FILE",
    help="Write the distinct pairs of query and document to be graded to a file.",
)
@click.option(
    "--judgments",
    "judged",
    metavar="FILE",
    help="Earlier judgments, whose pairs are not graded again.",
)
@click.option(
    "--max-age",
    metavar="AGE",
    help="Regrade pairs whose grade is older, by the column judged_at of the earlier judgments,"
    " such as 180d, 26w, 6m or 1y.",
)
@click.option(
    "--as-of",
    metavar="DATE",
    help="Date for the age of judgments, such as 2025-06-30.  [default: now]",
)
@click.option(
    "--plan",
    is_flag=True,
    help="Draw no sample; print how many sessions to grade per month to detect a drop.",
)
@click.option(
    "--drop",
    "drops",
    metavar="PERCENT",
    multiple=True,
    help="With --plan: a drop in the monthly number, such as 5%; repeat it for several. Without"
    " it: 2, 5, 10 and 20%.",
)
@click.option(
    "--history",
    metavar="FOLDER",
    help="With --plan: the rounds of `relyon monitor`; the last one gives the spread.",
)
@click.option(
    "--spread",
    type=click.FloatRange(min=0, min_open=True),
    metavar="NUMBER",
    help="With --plan and without --history: the standard deviation of session values, relative"
    " to the mean.  [default: 0.8]",
)
@click.option(
    "--within",
    type=click.FloatRange(0, 1),
    metavar="SHARE",
    help="With --plan: the share of variance within queries, unless a graded month gives it."
    "  [default: 0.5]",
)
@format_option("table", "json", "markdown", help="Output format of the summary.")
@language_option("Language of the summary.")
@columns_option
@click.option(
    "--input-format",
    "log_format",
    metavar="FORMAT",
    help="Format of the log.  [default: recognised]",
)
@period_options
@engine_options
@no_color_option
def command(
    logs: tuple[str, ...],
    per_tier: int,
    design: Any,
    allocation: Any,
    pilot: str | None,
    tiers: str,
    k: str,
    common_k: int | None,
    seed: int,
    output: str | None,
    pool_file: str | None,
    judged: str | None,
    max_age: str | None,
    as_of: str | None,
    plan: bool,
    drops: tuple[str, ...],
    history: str | None,
    spread: float | None,
    within: float | None,
    form: str,
    language: Any,
    columns: tuple[str, ...],
    log_format: Any,
    engine: Engine,
) -> None:
    """Runs `relyon sample`."""
    from relyon.online.sampling import build_pool, draw_sample
    from relyon.online.sampling.tiers import NAMES

    inputs = [*logs, pilot, judged]
    check_stdin([name for name in inputs if name])
    _check_outputs(output, pool_file, inputs)
    if allocation == "neyman" and pilot is None:
        raise ParameterError(message("cli.allocation-neyman-needs-pilot"))
    if plan and (output or pool_file or judged or design == "pptss"):
        raise ParameterError(message("cli.plan-draws-nothing"), hint=message("cli.leave-out-o"))
    if not plan and (drops or history or spread is not None or within is not None):
        raise ParameterError(message("cli.drop-history-spread"), hint=message("cli.add-plan"))
    method, cuts = _tiers(tiers)
    depths = parse_depths(k, NAMES)
    now = None if as_of is None else _moment(as_of)
    with format_named_by("--input-format "):
        roles = chosen_columns(columns, COLUMNS, "session=sid,doc=asin")
        log = open_log(logs, roles, log_format, engine=engine)
    if plan:
        found = planned(
            log,
            drops,
            history,
            spread,
            within,
            allocation=allocation,
            deviations=None if pilot is None else _deviations(pilot),
            tiers=method,
            cuts=cuts,
            seed=seed,
        )
        emit(written(found, form, None, language))
        messages.notes(log.notes)
        return
    with Progress("cli.sampling", after=0) as progress:
        sample = draw_sample(
            log,
            per_tier=per_tier,
            design=design,
            allocation=allocation,
            deviations=None if pilot is None else _deviations(pilot),
            tiers=method,
            cuts=cuts,
            k=depths,
            common_k=common_k,
            seed=seed,
            progress=progress,
        )
    pool = build_pool(sample, judged, max_age=max_age, now=now)
    if output is not None:
        sample.write(output)
    if pool_file is not None:
        from relyon.io.table_files import write_table

        write_table(pool.pairs, pool_file)
    emit(_text(sample, pool, form, language))
    if form != "json":
        notes = (*log.notes, *sample.notes, *pool.notes)
        messages.notes(notes)


def _check_outputs(output: str | None, pool: str | None, inputs: Sequence[str | None]) -> None:
    """Reports before the work rather than after it that a file cannot be written."""
    from relyon.io.table_files import check_name

    for name in (output, pool):
        if name is not None:
            check_name(name)
            protect_inputs(name, inputs)
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


def _text(sample: Sample, pool: Pool, form: str, language: Any) -> str:
    counts = pool.to_dict()
    if form == "json":
        import json

        found = {**sample.to_dict(), "pool": counts}
        return json.dumps(found, ensure_ascii=False, indent=2)
    from relyon.core.texts import catalogue

    table = sample.to_markdown(language) if form == "markdown" else sample.to_text(language)
    line = catalogue("sampling", language).say("pool", **counts)
    return f"{table}\n\n{line}"
