"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import click

from relyon.cli.group import LANGUAGE
from relyon.cli.messages import messages
from relyon.cli.request import Declared, option
from relyon.cli.shares import SHARE_BETWEEN
from relyon.evaluation.defaults import DEFAULT_MEASURES, DEFAULT_SCORE_MEASURES

__all__ = [
    "PLUGINS",
    "alpha_option",
    "average_option",
    "columns_option",
    "confidence_option",
    "digits_option",
    "format_option",
    "judgments_format_option",
    "language_option",
    "measure_option",
    "names_option",
    "no_color_option",
    "output_option",
    "own_columns_option",
    "plugin_option",
    "project_option",
    "resamples_option",
    "rule_option",
    "run_format_option",
    "scale_option",
    "seed_option",
    "threads_option",
]

#: Where a command's context has the plugins that were named.
PLUGINS = "relyon.plugins"

F = TypeVar("F", bound=Callable[..., None])


def _set_color(context: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value:
        messages.color = False


def _load_plugins(
    context: click.Context, parameter: click.Parameter, value: tuple[str, ...]
) -> None:
    context.meta[PLUGINS] = value
    for source in value:
        from relyon.measures.plugins import load_plugin

        load_plugin(source)


def plugin_option(command: F) -> F:
    """Adds ``--plugin``."""
    return click.option(
        "--plugin",
        metavar="FILE|MODULE",
        multiple=True,
        expose_value=False,
        is_eager=True,
        callback=_load_plugins,
        help="Import your own measures from a Python file or module. Installed packages provide"
        " theirs through the entry point group relyon.measures.",
    )(command)


def no_color_option(command: F) -> F:
    """Adds ``--no-color``."""
    return click.option(
        "--no-color",
        is_flag=True,
        expose_value=False,
        is_eager=True,
        callback=_set_color,
        help="Disable colours on stderr, as NO_COLOR=1 does.",
    )(command)


def measure_option(
    scored: bool = False,
    what: str = "A measure, such as ndcg@10 or 'recall(rel=2)@100'",
    default: Sequence[str] = DEFAULT_MEASURES,
) -> Declared:
    """Declares ``-m``.

    Args:
        scored: Adds the defaults for labelled scores.
        what: The beginning of its help, with examples.
        default: The measures without it.
    """
    without = ", ".join(default)
    if scored:
        without += f"; --scored: {', '.join(DEFAULT_SCORE_MEASURES)}"
    return option(
        "-m",
        "--measure",
        metavar="MEASURE",
        multiple=True,
        help=f"{what}; repeat it, or separate several with commas; @FILE reads them from a file,"
        f" one per line. `relyon measures` lists them.  [default: {without}]",
    )


def names_option() -> Declared:
    """Declares ``--name``."""
    return option(
        "--name",
        metavar="NAME",
        multiple=True,
        help="Name of a run; once per run, in their order.  [default: file names]",
    )


def variant_option() -> Declared:
    """Declares ``--variant`` for one variant of an engine."""
    return option("--variant", metavar="NAME", help="The variant of ENGINE.  [default: the first]")


def parameter_option() -> Declared:
    """Declares ``-p`` for parameters of an engine."""
    return option(
        "-p",
        "--parameter",
        metavar="NAME=VALUE",
        multiple=True,
        help="A parameter of ENGINE with another value, from which all variants start.",
    )


def scale_option(*name: str) -> Declared:
    """Declares ``--scale``."""
    return option(
        "--scale",
        *name,
        metavar="NAME|FILE",
        help="The grade scale: search (高/中/低/无 or high/middle/low/none), integers, binary,"
        " floats, or a TOML, JSON or YAML file.",
    )


def rule_option(*rules: str) -> Declared:
    """Declares ``--combine``, which combines the grades of several judges."""
    return option(
        "--combine",
        type=click.Choice(rules or ("majority", "median", "mean_gain")),
        default="median",
        show_default=True,
        help="How the grades of several judges are combined without a lead's decision.",
    )


def project_option(required: bool = True) -> Declared:
    """Declares ``--project`` for a judging database."""
    return option(
        "--project",
        required=required,
        metavar="NAME",
        help="The project." if required else "The project.  [default: all]",
    )


def columns_option(*, per_file: bool = False) -> Declared:
    """Declares ``--columns``.

    Args:
        per_file: Whether a value can begin with the file that it is for.
    """
    if per_file:
        return option(
            "--columns",
            metavar="[FILE=]NAME=COLUMN,…",
            multiple=True,
            help="Columns of CSV, TSV, JSONL or Parquet files, such as query=qid,document=url;"
            " new.csv=score=bm25 for one of several.",
        )
    return option(
        "--columns",
        metavar="NAME=COLUMN,…",
        multiple=True,
        help="Columns of CSV, TSV, JSONL or Parquet files, such as query=qid,document=url.",
    )


def own_columns_option(kind: str, what: str, *, per_file: bool = False) -> Declared:
    """Declares the option for the columns of one kind of file.

    Args:
        kind: The kind.
        what: Its files, for the help.
        per_file: Whether a value can begin with the file that it is for.
    """
    return option(
        f"--{kind}-columns",
        metavar="[FILE=]NAME=COLUMN,…" if per_file else "NAME=COLUMN,…",
        multiple=True,
        help=f"Like --columns, for {what} only.",
    )


def judgments_format_option() -> Declared:
    """Declares ``--judgments-format``."""
    return option(
        "--judgments-format",
        metavar="FORMAT",
        help="Format of the judgments.  [default: recognised]",
    )


def run_format_option() -> Declared:
    """Declares ``--run-format``."""
    return option(
        "--run-format", metavar="FORMAT", help="Format of the runs.  [default: recognised]"
    )


def output_option() -> Declared:
    """Declares ``-o``."""
    return option(
        "-o",
        "--output",
        "output",
        metavar="FILE",
        help="Write the output to a file, atomically at the end.",
    )


def format_option(*choices: str, default: str | None = "table", help: str = "") -> Declared:
    """Declares ``--format``; without a default, the ending of the output decides."""
    help = help or "Output format."
    if default is None and "[default:" not in help:
        help += "  [default: by the ending of FILE in -o, else table]"
    return option(
        "--format",
        "form",
        type=click.Choice(choices),
        default=default,
        show_default=default is not None,
        help=help,
    )


def language_option(what: str = "Language of the texts.") -> Declared:
    """Declares ``--lang``."""
    settings = LANGUAGE.copy()
    settings["help"] = what
    return option("--lang", "language", **settings)


def average_option() -> Declared:
    """Declares ``--average``."""
    return option(
        "--average",
        type=click.Choice(["macro", "micro"]),
        help="Mean over queries, or ratio of sums, for measures that have both.  [default: each"
        " measure's own]",
    )


def alpha_option() -> Declared:
    """Declares ``--alpha``."""
    return option(
        "--alpha",
        type=SHARE_BETWEEN,
        default=0.05,
        show_default=True,
        help="Significance level, for p-values corrected for multiple comparisons.",
    )


def confidence_option() -> Declared:
    """Declares ``--confidence``."""
    return option(
        "--confidence",
        type=SHARE_BETWEEN,
        default=0.95,
        show_default=True,
        help="Confidence level of the intervals.",
    )


def digits_option(default: int = 4) -> Declared:
    """Declares ``--digits``."""
    return option(
        "--digits",
        type=click.IntRange(0, 17),
        default=default,
        show_default=True,
        help="Decimals in tables.",
    )


def seed_option(
    same: str = "The same seed gives the same digits on any machine.",
) -> Declared:
    """Declares ``--seed``.

    Args:
        same: What the same seed gives.
    """
    return option(
        "--seed",
        type=click.IntRange(min=0),
        default=0,
        show_default=True,
        help=f"Random seed. {same}".rstrip(),
    )


def resamples_option(least: int = 1) -> Declared:
    """Declares ``--resamples``."""
    return option(
        "--resamples",
        type=click.IntRange(min=least),
        default=2000,
        show_default=True,
        help="Number of bootstrap resamples.",
    )


def threads_option() -> Declared:
    """Declares ``--threads``."""
    return option(
        "--threads",
        type=click.IntRange(min=0),
        default=0,
        help="Number of threads (0: all cores). Results do not depend on it.  [default: 0]",
    )
