"""`relyon judge next` and `estimate`: which pairs to grade next, and the estimate from them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from relyon.cli.described import Described, described_options
from relyon.cli.encoding import TextEncoding, encoding_options
from relyon.cli.groups import Rules
from relyon.cli.inputs import check_files, judgments_argument, run_argument
from relyon.cli.messages import messages
from relyon.cli.option_values import chosen_scale
from relyon.cli.options import (
    confidence_option,
    digits_option,
    format_option,
    judgments_format_option,
    no_color_option,
    output_option,
    run_format_option,
    scale_option,
    threads_option,
)
from relyon.cli.output import Output, emit, protect_inputs
from relyon.cli.request import Declared, argument, fixed, group, option, request, takes
from relyon.core.errors import ParameterError
from relyon.core.texts import message

if TYPE_CHECKING:
    from collections.abc import Sequence

    from relyon.data.judgments import Judgments
    from relyon.data.run import Run

__all__ = ["estimate", "next_"]

NEXT = """Draw the pairs to grade next, to learn whether a run is better.

\b
Examples:
  relyon judge next judgments.qrels bm25.run new.run -o next.csv
  relyon judge next judgments.qrels bm25.run new.run --drawn next.csv \\
      -o next2.csv
  relyon judge next judging.db --project June bm25.run new.run

Draws the unjudged pairs of query and document that can change the difference
CANDIDATE - BASELINE most (or the mean of BASELINE alone), each with a known
probability, so that `relyon judge estimate` is unbiased from any number of
grades. Fill in the column grade, in the order of the file; people may stop
anywhere, and write skip for a pair that cannot be judged.

With --project the pairs go into the queue of a judging database, and judges do
not see that they were drawn. The measure is a sum: DCG, CG, P@k or RBP.
"""

ESTIMATE = """Estimate a difference from the pairs that were drawn and graded.

\b
Examples:
  relyon judge estimate judgments.qrels bm25.run new.run --drawn next.csv
  relyon judge estimate judgments.qrels bm25.run new.run \\
      --drawn next.csv --drawn next2.csv
  relyon judge estimate judging.db --project June bm25.run new.run

JUDGMENTS are those of the first draw; grades of drawn pairs may be in the
column grade of the files, or among the judgments. The interval covers other
queries and the pairs that are not graded. Once all pairs are graded, it is that
of `relyon compare`.
"""


def measure_option() -> Declared:
    """Declares ``-m`` for one measure."""
    return option(
        "-m",
        "--measure",
        metavar="MEASURE",
        help="A measure that is a sum over documents: dcg@k, cg@k, p@k or rbp.  [default: dcg@10,"
        " or that of --drawn]",
    )


def drawn_option() -> Declared:
    """Declares ``--drawn``."""
    return option(
        "--drawn",
        metavar="FILE",
        multiple=True,
        help="A batch that was drawn before, with its grades; repeat it for each batch.",
    )


def database_option() -> Declared:
    """Declares ``--project``."""
    return option(
        "--project",
        metavar="NAME",
        help="The project of the judging database that is named in place of judgments.",
    )


@request
class Inputs:
    """How judgments and runs are read, and the rules."""

    rules: Rules = group(Rules)
    scale: str | None = scale_option()
    model: str | None = option(
        "--model-judgments",
        "model",
        metavar="FILE",
        help="A language model's grades, made before the first draw and the same for all batches:"
        " they say which gains to expect, which makes the interval narrower if they are good, and"
        " never biases the estimate.",
    )
    judgments_format: str | None = judgments_format_option()
    run_format: str | None = run_format_option()
    encoding: TextEncoding = encoding_options()

    def judgments(self, path: str) -> Judgments:
        """Reads judgments."""
        chosen = chosen_scale(self.scale)
        return judgments_argument(path, self.judgments_format, None, chosen)

    def runs(self, paths: Sequence[str]) -> list[Run | None]:
        """Reads one run or two; None in place of a second one that is not given.

        Raises:
            ParameterError: If there are more, or traces in place of a run.
        """
        from relyon.data.run import Run

        if len(paths) > 2:
            raise ParameterError(
                message("cli.next-takes-two-runs", count=len(paths)),
                hint=message("cli.draw-per-candidate"),
            )
        found: list[Run | None] = []
        for path in paths:
            run = run_argument(path, self.run_format, None, None, whole=True)
            if not isinstance(run, Run):
                raise ParameterError(message("cli.next-is-for-runs", path=path))
            found.append(run)
        return [*found, None][:2]


@request
class Next:
    """The request of `relyon judge next`."""

    files: tuple[str, ...] = argument(
        metavar="JUDGMENTS|DATABASE BASELINE [CANDIDATE]", nargs=-1, required=True
    )
    project: str | None = database_option()
    measure: str | None = measure_option()
    budget: int = option(
        "--budget",
        metavar="N",
        type=click.IntRange(min=1),
        default=50,
        show_default=True,
        help="How many pairs to draw.",
    )
    drawn: tuple[str, ...] = drawn_option()
    seed: int | None = option(
        "--seed",
        type=click.IntRange(min=0),
        help="Random seed of the draws.  [default: 0, or that of --drawn]",
    )
    inputs: Inputs = group(Inputs)
    described: Described = described_options()
    limit: int = option(
        "--limit",
        type=click.IntRange(min=1),
        default=10,
        show_default=True,
        help="How many pairs to show in a table.",
    )
    output: Output = group(
        Output,
        forms=fixed(("table", "csv", "json", "markdown")),
        wide=fixed(True),
        asked=format_option(
            "table",
            "csv",
            "json",
            "markdown",
            default=None,
            help="Output format; csv is the file to grade and to keep.",
        ),
        digits=digits_option(),
        path=output_option(),
    )
    threads: int = threads_option()


@click.command("next", help=NEXT, short_help="Draw the pairs to grade next.")
@takes(Next)
@no_color_option
def next_(request: Next) -> None:
    """Runs `relyon judge next`."""
    from relyon.analysis.next_pairs import next_pairs

    files, inputs = request.files, request.inputs
    check_files(files, "judge next")
    protect_inputs(
        request.output.path, [*files, *request.drawn, inputs.model, *request.described.paths]
    )
    baseline, candidate = inputs.runs(files[1:])
    rules = inputs.rules.chosen()
    if request.project is not None:
        from relyon.judging.next_pairs import draw_next
        from relyon.judging.store import open_store

        _refuse_drawn(request.drawn)
        with open_store(files[0]) as store:
            queued = draw_next(
                store,
                store.projects.get(request.project),
                (baseline, candidate),
                measure=request.measure,
                budget=request.budget,
                model_judgments=inputs.model,
                seed=request.seed,
                convention=rules,
                query_texts=request.described.queries,
                document_titles=request.described.documents,
                threads=request.threads,
            )
        found = queued.pairs
        messages.note(
            message(
                "cli.pairs-are-queued",
                project=request.project,
                drawn=len(found),
                count=queued.added,
            )
        )
    else:
        found = next_pairs(
            inputs.judgments(files[0]),
            baseline,
            candidate,
            request.measure,
            budget=request.budget,
            drawn=list(request.drawn) or None,
            model_judgments=inputs.model,
            seed=request.seed,
            convention=rules,
            scale=chosen_scale(inputs.scale),
            threads=request.threads,
        )
    shown: dict[str, dict[str, object]] = {
        form: {"limit": request.limit} for form in ("table", "markdown")
    }
    shown["csv"] = {
        "query_texts": request.described.queries,
        "document_titles": request.described.documents,
    }
    emit(found, request.output, own=shown)
    messages.notes(found.notes)
    request.described.notes()


@request
class Estimate:
    """The request of `relyon judge estimate`."""

    files: tuple[str, ...] = argument(
        metavar="JUDGMENTS|DATABASE BASELINE [CANDIDATE]", nargs=-1, required=True
    )
    project: str | None = database_option()
    measure: str | None = measure_option()
    drawn: tuple[str, ...] = drawn_option()
    inputs: Inputs = group(Inputs)
    confidence: float = confidence_option()
    budget: int = option(
        "--budget",
        metavar="N",
        type=click.IntRange(min=1),
        default=50,
        show_default=True,
        help="Pairs of the next batch, after which the width of the interval is expected.",
    )
    output: Output = group(
        Output,
        forms=fixed(("table", "json", "markdown", "csv")),
        wide=fixed(True),
        asked=format_option("table", "json", "markdown", "csv", default=None),
        digits=digits_option(),
        path=output_option(),
    )
    threads: int = threads_option()


@click.command("estimate", help=ESTIMATE, short_help="Estimate a difference from drawn pairs.")
@takes(Estimate)
@no_color_option
def estimate(request: Estimate) -> None:
    """Runs `relyon judge estimate`."""
    from relyon.analysis.next_pairs import estimate_pairs

    files, inputs = request.files, request.inputs
    check_files(files, "judge estimate")
    protect_inputs(request.output.path, [*files, *request.drawn, inputs.model])
    baseline, candidate = inputs.runs(files[1:])
    rules = inputs.rules.chosen()
    if request.project is not None:
        from relyon.judging.next_pairs import estimate_drawn
        from relyon.judging.store import open_store

        _refuse_drawn(request.drawn)
        with open_store(files[0]) as store:
            found = estimate_drawn(
                store,
                store.projects.get(request.project),
                (baseline, candidate),
                measure=request.measure,
                model_judgments=inputs.model,
                next_budget=request.budget,
                confidence=request.confidence,
                convention=rules,
                threads=request.threads,
            )
    else:
        if not request.drawn:
            raise ParameterError(
                message("cli.drawn-is-missing"), hint=message("cli.name-drawn-or-project")
            )
        found = estimate_pairs(
            inputs.judgments(files[0]),
            baseline,
            candidate,
            request.measure,
            drawn=list(request.drawn),
            model_judgments=inputs.model,
            next_budget=request.budget,
            confidence=request.confidence,
            convention=rules,
            scale=chosen_scale(inputs.scale),
            threads=request.threads,
        )
    emit(found, request.output)
    messages.notes(found.notes)


def _refuse_drawn(drawn: Sequence[str]) -> None:
    """Refuses files of draws beside a database, which keeps its own.

    Raises:
        ParameterError: If there are any.
    """
    if drawn:
        raise ParameterError(message("cli.drawn-and-project"))
