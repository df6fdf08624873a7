"""`relyon agree`: how similarly measures, or two sets of judgments, rank several runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypedDict

import click

from relyon.cli.encoding import TextEncoding, encoding_options
from relyon.cli.file_columns import check_columns_for, columns_for
from relyon.cli.groups import Rules
from relyon.cli.inputs import check_stdin, judgments_argument, run_argument, run_names
from relyon.cli.messages import Progress, messages
from relyon.cli.option_values import chosen_scale, split_measures
from relyon.cli.options import (
    alpha_option,
    columns_option,
    confidence_option,
    digits_option,
    format_option,
    judgments_format_option,
    measure_option,
    names_option,
    no_color_option,
    output_option,
    plugin_option,
    run_format_option,
    scale_option,
    seed_option,
    threads_option,
)
from relyon.cli.output import Output, emit, protect_inputs
from relyon.cli.request import argument, fixed, flag, group, option, request, takes
from relyon.core.errors import ParameterError
from relyon.core.texts import message

if TYPE_CHECKING:
    from relyon.analysis.agreement import Correlations, Discrimination
    from relyon.analysis.agreement.correlation import CoefficientName
    from relyon.data.convention import Convention
    from relyon.data.judgments import Judgments
    from relyon.data.scale import Scale

    class Shared(TypedDict, total=False):
        """The options of both analyses."""

        convention: Convention | str
        scale: Scale | None
        names: list[str]
        seed: int
        threads: int
        resamples: int


__all__ = ["command"]

FORMATS = ("table", "markdown", "json", "csv")

HELP = """Correlate how measures, or judgments, rank several runs.

\b
Examples:
  relyon agree judgments.qrels bm25.run tfidf.run new.run -m ndcg@10 -m ap
  relyon agree judgments.qrels bm25.run new.run -m ap --with crowd.qrels
  relyon agree judgments.qrels bm25.run new.run --coefficient tau_ap
  relyon agree judgments.qrels bm25.run new.run --discriminative --alpha 0.05

A coefficient of 1 means that both rank the runs in the same order, -1 in
reverse order. Its interval shows how much it would vary over other query sets
of the same size, with the same runs. With --discriminative: how many pairs of
runs each measure separates at the significance level, and the smallest
difference it separates.
"""


@request
class Request:
    """The request of `relyon agree`."""

    judgments: str = argument()
    runs: tuple[str, ...] = argument(metavar="RUN RUN…", nargs=-1)
    measures: tuple[str, ...] = measure_option()
    names: tuple[str, ...] = names_option()
    other: str | None = option(
        "--with",
        metavar="JUDGMENTS",
        help="A second set of judgments: compare the rankings of the runs, measure by measure.",
    )
    coefficient: CoefficientName = option(
        "--coefficient",
        type=click.Choice(["kendall", "tau_ap", "spearman", "pearson"]),
        default="kendall",
        show_default=True,
        help="Kendall's τ-b, τ_AP (mistakes among the best runs weigh more), Spearman's ρ of the"
        " ranks, or Pearson's r of the values.",
    )
    discriminative: bool = flag(
        "--discriminative",
        help="Show how many pairs of runs each measure separates instead of coefficients.",
    )
    test: Literal["tukey", "t", "wilcoxon", "sign", "permutation", "bootstrap"] = option(
        "--test",
        type=click.Choice(["tukey", "t", "wilcoxon", "sign", "permutation", "bootstrap"]),
        default="tukey",
        show_default=True,
        help="Significance test for --discriminative; tukey is the randomised Tukey HSD test.",
    )
    correction: Literal["none", "holm", "bh"] = option(
        "--correction",
        type=click.Choice(["none", "holm", "bh"]),
        default="none",
        show_default=True,
        help="Correction for multiple comparisons with --discriminative; tukey needs none.",
    )
    alpha: float = alpha_option()
    confidence: float = confidence_option()
    resamples: int | None = option(
        "--resamples",
        type=click.IntRange(min=0),
        help="Number of bootstrap resamples of the queries; 0 omits the intervals.  [default: 1000;"
        " 10000 with --discriminative]",
    )
    seed: int = seed_option("")
    rules: Rules = group(Rules)
    scale: str | None = scale_option()
    output: Output = group(
        Output,
        forms=fixed(FORMATS),
        asked=format_option(*FORMATS, default=None),
        digits=digits_option(),
        path=output_option(),
    )
    columns: tuple[str, ...] = columns_option(per_file=True)
    encoding: TextEncoding = encoding_options()
    judgments_format: str | None = judgments_format_option()
    run_format: str | None = run_format_option()
    threads: int = threads_option()


@click.command(
    "agree", help=HELP, short_help="Correlate how measures, or judgments, rank several runs."
)
@takes(Request)
@plugin_option
@no_color_option
def command(request: Request) -> None:
    """Runs `relyon agree`."""
    from relyon.analysis.agreement import discriminative_power, rank_correlation
    from relyon.evaluation import DEFAULT_MEASURES

    if request.discriminative and request.other is not None:
        raise ParameterError(message("cli.discriminative-and-with-exclude"))
    if len(request.runs) < 2:
        raise ParameterError(
            message("core.two-or-more-runs"),
            hint=message("cli.relyon-agree-bm25-run", judgments=request.judgments),
        )
    files = [request.judgments, *request.runs, *([request.other] if request.other else [])]
    check_stdin(files)
    protect_inputs(request.output.path, files)
    scale = chosen_scale(request.scale)
    check_columns_for(files, request.columns)
    names = run_names(request.runs, request.names)

    def grades(path: str) -> Judgments:
        roles = columns_for(path, request.columns)
        return judgments_argument(path, request.judgments_format, roles, scale)

    read = [
        run_argument(
            path,
            request.run_format,
            columns_for(path, request.columns),
            name,
            per_file=len(request.runs) > 1,
        )
        for path, name in zip(request.runs, names, strict=True)
    ]
    shared: Shared = {
        "convention": request.rules.chosen(),
        "scale": scale,
        "names": names,
        "seed": request.seed,
        "threads": request.threads,
    }
    if request.resamples is not None:
        shared["resamples"] = request.resamples
    chosen = split_measures(request.measures) or list(DEFAULT_MEASURES)
    found: Correlations | Discrimination
    with Progress("cli.comparing-runs") as progress:
        if request.discriminative:
            found = discriminative_power(
                grades(request.judgments),
                read,
                chosen,
                test=request.test,
                correction=request.correction,
                alpha=request.alpha,
                progress=progress,
                **shared,
            )
        else:
            found = rank_correlation(
                grades(request.judgments),
                read,
                chosen,
                other=None if request.other is None else grades(request.other),
                coefficient=request.coefficient,
                confidence=request.confidence,
                progress=progress,
                **shared,
            )
    emit(found, request.output)
    if request.output.form != "json":
        messages.notes(getattr(found, "notes", ()))
