"""`relyon labels simulate`: a log of simulated users whose behaviour is known."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click

from relyon.cli.encoding import TextEncoding, encoding_options
from relyon.cli.inputs import check_stdin, judgments_argument, run_columns, run_names
from relyon.cli.messages import Progress, messages
from relyon.cli.option_values import chosen_columns, chosen_scale, format_named_by, named_values
from relyon.cli.options import (
    columns_option,
    digits_option,
    format_option,
    judgments_format_option,
    no_color_option,
    run_format_option,
    scale_option,
    seed_option,
)
from relyon.cli.output import Output, emit, protect_inputs, refuse_existing, write
from relyon.cli.request import argument, fixed, flag, group, option, request, takes
from relyon.cli.shares import SHARE
from relyon.core.errors import InputError, ParameterError
from relyon.core.texts import message

if TYPE_CHECKING:
    from relyon.data.run import Run
    from relyon.labels import Crowd, UserBehaviour

__all__ = ["simulate"]

HELP = """Simulate users of a click model over runs, and write their log.

\b
Examples:
  relyon labels simulate bm25.run --judgments judgments.qrels -n 1000 \\
      -o simulated.csv --truth truth.json
  relyon labels simulate bm25.run tfidf.run --model dbn --swap 0.2 \\
      --misclicks 0.02 --bots 0.01 --missing dwell_seconds=0.3 -o arms.parquet

With grade g of at most m, a click satisfies with probability R = (2^g - 1) /
2^m, and a result that is seen attracts with E + (1 - E) R; unjudged documents
have grade 0. Without judgments R is drawn from Beta(1, 3). With several runs
each user is in one arm, named in the column bucket. The same seed gives the
same log, and a longer log starts with the shorter one.
"""


@request
class Simulate:
    """The request of `relyon labels simulate`."""

    runs: tuple[str, ...] = argument(nargs=-1, required=True, metavar="RUN…")
    judgments: str | None = option(
        "--judgments", metavar="FILE", help="The grades that determine attraction."
    )
    model: str = option(
        "--model", metavar="MODEL", default="pbm", show_default=True, help="The click model."
    )
    sessions: int = option(
        "-n",
        "--sessions",
        type=click.IntRange(min=1),
        default=10_000,
        show_default=True,
        help="Number of sessions.",
    )
    seed: int = seed_option("")
    output: str = option(
        "-o",
        "--output",
        metavar="FILE",
        required=True,
        help="Output file for the log: .parquet, .csv or .jsonl; the last two also compressed.",
    )
    truth: str | None = option(
        "--truth",
        metavar="FILE",
        help="Write the ground truth: all of it as .json, or by query and document as .parquet,"
        " .csv, .tsv or .jsonl.",
    )
    force: bool = flag("--force", help="Replace the files if they exist.")
    depth: int = option(
        "-k",
        "--depth",
        type=click.IntRange(1, 1000),
        default=10,
        show_default=True,
        help="Maximum number of results in a list.",
    )
    eta: float = option(
        "--eta",
        type=click.FloatRange(min=0),
        default=1.0,
        show_default=True,
        help="Position k is seen with probability 1 / k^eta.",
    )
    examination: str | None = option(
        "--examination",
        metavar="P,P,…",
        help="Probability that each position is seen, in place of --eta.",
    )
    going_on: str | None = option(
        "--going-on",
        metavar="P|P,P,…",
        help="Probability that users continue: for dbn one number, for dcm one per position, for"
        " ccm after a skip, after an unsatisfying click, and after a satisfying one."
        "  [default: the model's]",
    )
    epsilon: float = option(
        "--epsilon",
        type=SHARE,
        default=0.1,
        show_default=True,
        help="E: the attraction of useless results.",
    )
    attraction: str | None = option(
        "--attraction",
        metavar="GRADE=P,…",
        help="The attraction of each grade, such as 0=0.05,1=0.3,2=0.9.",
    )
    satisfaction: str | None = option(
        "--satisfaction",
        metavar="GRADE=P,…",
        help="Probability that a click satisfies, by grade, such as 0=0,1=0.3,2=0.9.",
    )
    frequencies: str = option(
        "--frequencies",
        metavar="S|FILE",
        default="1",
        show_default=True,
        help="Query frequencies: the exponent of Zipf's law, or a table of query and weight.",
    )
    tail: float = option(
        "--tail",
        type=SHARE,
        default=0.0,
        show_default=True,
        help="The share of sessions whose query is drawn uniformly.",
    )
    users: int = option(
        "--users",
        type=click.IntRange(min=1),
        default=10_000,
        show_default=True,
        help="Number of users.",
    )
    per_day: float = option(
        "--per-day",
        type=click.FloatRange(min=0, min_open=True),
        default=10_000,
        show_default=True,
        help="Sessions per day.",
    )
    shuffle: float = option(
        "--shuffle",
        type=SHARE,
        default=0.0,
        show_default=True,
        help="The share of lists in random order.",
    )
    swap: float = option(
        "--swap",
        type=SHARE,
        default=0.0,
        show_default=True,
        help="The share of lists in which two results are swapped.",
    )
    noise: float = option(
        "--noise",
        type=SHARE,
        default=0.0,
        show_default=True,
        help="Probability that any result is clicked, whatever the model.",
    )
    misclicks: float = option(
        "--misclicks",
        type=SHARE,
        default=0.0,
        show_default=True,
        help="Probability that any result is clicked by mistake and left at once.",
    )
    bots: float = option(
        "--bots",
        type=SHARE,
        default=0.0,
        show_default=True,
        help="The share of sessions of bots, which click on everything.",
    )
    cart: float | None = option(
        "--cart", type=SHARE, help="Probability that a satisfying click adds to the cart."
    )
    purchase: float | None = option(
        "--purchase",
        type=SHARE,
        help="Probability that a result in the cart, or one that satisfied, is bought.",
    )
    missing: tuple[str, ...] = option(
        "--missing",
        metavar="COLUMN=SHARE,…",
        multiple=True,
        help="The share of missing values in a column, such as dwell_seconds=0.3; 1 omits it.",
    )
    scale: str | None = scale_option()
    judgments_format: str | None = judgments_format_option()
    run_format: str | None = run_format_option()
    columns: tuple[str, ...] = columns_option()
    encoding: TextEncoding = encoding_options()
    summary: Output = group(
        Output,
        forms=fixed(("table", "json", "markdown", "csv")),
        asked=format_option(
            "table", "json", "markdown", "csv", help="Output format of the summary."
        ),
        digits=digits_option(),
    )


@click.command("simulate", help=HELP, short_help="Simulate users of a click model over runs.")
@takes(Simulate)
@no_color_option
def simulate(request: Simulate) -> None:
    """Runs `relyon labels simulate`."""
    from relyon.labels import simulate as simulated
    from relyon.labels.derivation import model_of

    check_stdin([*request.runs, *([request.judgments] if request.judgments else [])])
    _check_outputs(request.output, request.truth, request.force, [*request.runs, request.judgments])
    model = model_of(request.model)
    columns = chosen_columns(request.columns)
    scale = chosen_scale(request.scale)
    graded = request.judgments and judgments_argument(
        request.judgments, request.judgments_format, columns, scale
    )
    users = simulated(
        _runs(request.runs, request.run_format, columns),
        graded or None,
        model,
        sessions=request.sessions,
        seed=request.seed,
        behaviour=_behaviour(request),
        crowd=_crowd(request),
        attraction=_by_grade(request.attraction, "--attraction"),
        satisfaction=_by_grade(request.satisfaction, "--satisfaction"),
        epsilon=request.epsilon,
    )
    messages.notes(users.notes)
    with Progress("cli.simulating") as progress:
        counts = users.write(request.output, progress=progress)
    if request.truth is not None:
        users.write_truth(request.truth)
    if request.summary.form == "json":
        import json

        write(
            json.dumps(users.to_dict() | {"counts": counts.to_dict()}, ensure_ascii=False, indent=2)
        )
    else:
        emit(counts, request.summary)


def _check_outputs(
    output: str, truth: str | None, force: bool, inputs: Sequence[str | None]
) -> None:
    """Reports before the work rather than after it that a file cannot be written."""
    from relyon.io.session_writers import check_target
    from relyon.io.table_files import check_name

    check_target(output)
    if truth is not None and not truth.lower().endswith(".json"):
        check_name(truth)
    for path in filter(None, (output, truth)):
        protect_inputs(path, inputs)
        refuse_existing(path, force)
    if truth is not None and os.path.abspath(output) == os.path.abspath(truth):
        raise ParameterError(message("cli.o-and-truth-name"))


def _runs(
    paths: Sequence[str], form: str | None, columns: Mapping[str, str] | None
) -> dict[str, Run]:
    from relyon.io import read_run

    with format_named_by("--run-format"):
        return {
            name: read_run(path, format=form, columns=run_columns(columns), name=name)
            for path, name in zip(paths, run_names(paths), strict=True)
        }


def _behaviour(request: Simulate) -> UserBehaviour:
    from relyon.labels import UserBehaviour

    going_on = _numbers(request.going_on, "--going-on", "0.9")
    return UserBehaviour(
        depth=request.depth,
        examination=_numbers(request.examination, "--examination", "1,0.5,0.3"),
        eta=request.eta,
        going_on=going_on[0] if going_on is not None and len(going_on) == 1 else going_on,
    )


def _crowd(request: Simulate) -> Crowd:
    from relyon.labels import Crowd

    missing = _pairs(request.missing, "--missing", "dwell_seconds=0.3")
    return Crowd(
        frequencies=_frequencies(request.frequencies),
        purchase=request.purchase,
        missing=missing,
        tail=request.tail,
        users=request.users,
        per_day=request.per_day,
        shuffle=request.shuffle,
        swap=request.swap,
        noise=request.noise,
        misclicks=request.misclicks,
        bots=request.bots,
        cart=request.cart,
    )


def _frequencies(text: str) -> float | dict[str, float]:
    """Returns the exponent, or the weights from a file."""
    try:
        return float(text)
    except ValueError:
        pass
    import polars as pl

    from relyon.io.table_files import read_table

    table = read_table(text)
    named = next((name for name in WEIGHTS if name in table.columns), None)
    if "query" not in table.columns or named is None:
        raise InputError(
            message("cli.frequencies-must-be-table"),
            path=text,
            hint=message("cli.such-as-query-weight"),
        )
    numbers = table.get_column(named).cast(pl.Float64, strict=False)
    if numbers.null_count():
        raise InputError(
            message("cli.column-contains-values", named=named),
            path=text,
        )
    return dict(zip(table.get_column("query").cast(pl.String), numbers, strict=True))


#: Accepted names of the frequency column.
WEIGHTS = ("weight", "sessions", "frequency", "count")


def _numbers(text: str | None, option: str, example: str) -> list[float] | None:
    try:
        return None if text is None else [float(part) for part in text.split(",")]
    except ValueError:
        raise _unread(option, text or "", example) from None


def _by_grade(text: str | None, option: str) -> dict[float, float] | None:
    example = "0=0.05,1=0.3"
    pairs = _pairs([text] if text else [], option, example)
    try:
        return {float(grade): chance for grade, chance in pairs.items()} if text else None
    except ValueError:
        raise _unread(option, text or "", example) from None


def _pairs(texts: Sequence[str], option: str, example: str) -> dict[str, float]:
    """Returns the numbers of an option NAME=NUMBER,…."""
    items = [item for text in texts for item in text.split(",")]
    try:
        return {name: float(value) for name, value in named_values(items, option, example).items()}
    except ValueError:
        raise _unread(option, ",".join(texts), example) from None


def _unread(option: str, text: str, example: str) -> ParameterError:
    return ParameterError(
        message("cli.option-text", option=option, text=text),
        hint=message("cli.write-option-example", option=option, example=example),
    )
