"""`relyon agree`: how similarly measures, or two sets of judgments, rank several runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from relyon.cli.inputs import check_stdin, judgments_argument, run_argument, run_names
from relyon.cli.messages import Progress, messages
from relyon.cli.option_values import chosen_columns, chosen_convention, chosen_scale, split_measures
from relyon.cli.options import (
    SETTINGS,
    alpha_option,
    columns_option,
    confidence_option,
    convention_options,
    digits_option,
    format_option,
    format_options,
    measure_option,
    names_option,
    no_color_option,
    output_option,
    plugin_option,
    scale_option,
    threads_option,
)
from relyon.cli.output import emit, form_of, protect_inputs, terminal_columns
from relyon.core.errors import ParameterError
from relyon.core.texts import message

if TYPE_CHECKING:
    from relyon.analysis.agreement import Correlations, Discrimination

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


@click.command(
    "agree", help=HELP, short_help="Correlate how measures, or judgments, rank several runs."
)
@click.argument("judgments")
@click.argument("runs", metavar="RUN RUN…", nargs=-1)
@measure_option()
@names_option
@click.option(
    "--with",
    "other",
    metavar="JUDGMENTS",
    help="A second set of judgments: compare the rankings of the runs, measure by measure.",
)
@click.option(
    "--coefficient",
    type=click.Choice(["kendall", "tau_ap", "spearman", "pearson"]),
    default="kendall",
    show_default=True,
    help="Kendall's τ-b, τ_AP (mistakes among the best runs weigh more), Spearman's ρ of the"
    " ranks, or Pearson's r of the values.",
)
@click.option(
    "--discriminative",
    is_flag=True,
    help="Show how many pairs of runs each measure separates instead of coefficients.",
)
@click.option(
    "--test",
    type=click.Choice(["tukey", "t", "wilcoxon", "sign", "permutation", "bootstrap"]),
    default="tukey",
    show_default=True,
    help="Significance test for --discriminative; tukey is the randomised Tukey HSD test.",
)
@click.option(
    "--correction",
    type=click.Choice(["none", "holm", "bh"]),
    default="none",
    show_default=True,
    help="Correction for multiple comparisons with --discriminative; tukey needs none.",
)
@alpha_option
@confidence_option
@click.option(
    "--resamples",
    type=click.IntRange(min=0),
    help="Number of bootstrap resamples of the queries; 0 omits the intervals.  [default: 1000;"
    " 10000 with --discriminative]",
)
@click.option(
    "--seed", show_default=True, type=SETTINGS["seed"]["type"], default=0, help="Random seed."
)
@convention_options
@scale_option
@format_option(*FORMATS, default=None)
@digits_option
@output_option
@columns_option
@format_options
@threads_option
@plugin_option
@no_color_option
def command(
    judgments: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    other: str | None,
    discriminative: bool,
    confidence: float,
    coefficient: str,
    form: str | None,
    digits: int,
    output: str | None,
    **options: Any,
) -> None:
    """Runs `relyon agree`."""
    from relyon.analysis.agreement import discriminative_power, rank_correlation
    from relyon.evaluation import DEFAULT_MEASURES

    form = form or form_of(output, FORMATS)
    if discriminative and other is not None:
        raise ParameterError(message("cli.discriminative-and-with-exclude"))
    if len(runs) < 2:
        raise ParameterError(
            message("core.two-or-more-runs"),
            hint=message("cli.relyon-agree-bm25-run", judgments=judgments),
        )
    files = [judgments, *runs, *([other] if other else [])]
    check_stdin(files)
    protect_inputs(output, files)
    scale = chosen_scale(options["scale"])
    roles = chosen_columns(options["columns"])
    names = run_names(runs, options["names"])

    def grades(path: str) -> Any:
        return judgments_argument(path, options["judgments_format"], roles, scale)

    read = [
        run_argument(path, options["run_format"], roles, name)
        for path, name in zip(runs, names, strict=True)
    ]
    shared: dict[str, Any] = {
        "convention": chosen_convention(options["convention"], options["changes"]),
        "scale": scale,
        "names": names,
        "seed": options["seed"],
        "threads": options["threads"],
    }
    if options["resamples"] is not None:
        shared["resamples"] = options["resamples"]
    chosen = split_measures(measures) or list(DEFAULT_MEASURES)
    found: Correlations | Discrimination
    with Progress("cli.comparing-runs") as progress:
        if discriminative:
            found = discriminative_power(
                grades(judgments),
                read,
                chosen,
                test=options["test"],
                correction=options["correction"],
                alpha=options["alpha"],
                progress=progress,
                **shared,
            )
        else:
            found = rank_correlation(
                grades(judgments),
                read,
                chosen,
                other=None if other is None else grades(other),
                coefficient=coefficient,  # type: ignore[arg-type]
                confidence=confidence,
                progress=progress,
                **shared,
            )
    emit(_text(found, form, digits, output), output)
    if form != "json":
        messages.notes(getattr(found, "notes", ()))


def _text(found: Correlations | Discrimination, form: str, digits: int, output: str | None) -> str:
    if form == "json":
        import json

        return json.dumps(found.to_dict(), ensure_ascii=False, indent=2)
    if form == "csv":
        return found.to_csv()
    if form == "markdown":
        return found.to_markdown(digits=digits, language=messages.language)
    columns = (terminal_columns() if output is None else None) or 80
    return found.to_text(digits=digits, columns=columns, language=messages.language)
