"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce, wraps
from typing import Any, Literal, TypeVar

import click

from relyon.cli.group import LANGUAGE
from relyon.cli.messages import messages
from relyon.evaluation.defaults import DEFAULT_MEASURES, DEFAULT_SCORE_MEASURES

__all__ = [
    "SETTINGS",
    "alpha_option",
    "average_option",
    "clicks_options",
    "columns_option",
    "comparison_options",
    "confidence_option",
    "convention_options",
    "depth_option",
    "digits_of",
    "digits_option",
    "format_option",
    "format_options",
    "input_options",
    "judgments_format_option",
    "language_option",
    "listen_options",
    "measure_option",
    "names_option",
    "no_color_option",
    "output_option",
    "plugin_option",
    "project_option",
    "rule_option",
    "scale_option",
    "target_format_option",
    "threads_option",
]

F = TypeVar("F", bound=Callable[..., Any])


def _all(*options: Callable[[F], F]) -> Callable[[F], F]:
    """Returns several options as one, in the order in which the help lists them."""
    return lambda command: reduce(lambda done, option: option(done), reversed(options), command)


def _set_color(context: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value:
        messages.color = False


def _load_plugins(
    context: click.Context, parameter: click.Parameter, value: tuple[str, ...]
) -> None:
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


def convention_options(command: F) -> F:
    """Adds ``--convention`` and ``--set``."""
    command = click.option(
        "--set",
        "changes",
        metavar="KEY=VALUE",
        multiple=True,
        help="Change one rule of the convention, such as ties=expected, or of one measure, such as"
        " rbp.p=0.9 or ndcg.undefined=one.",
    )(command)
    return click.option(
        "--convention",
        metavar="PRESET|FILE",
        help="Rules for ties, undefined queries, gains …: a preset listed by `relyon"
        " conventions`, or a TOML, JSON or YAML file.  [default: relyon]",
    )(command)


def measure_option(
    scored: bool = False,
    what: str = "A measure, such as ndcg@10 or 'recall(rel=2)@100'",
    default: Sequence[str] = DEFAULT_MEASURES,
) -> Callable[[F], F]:
    """Returns the option ``-m``.

    Args:
        scored: Adds the defaults for labelled scores.
        what: What it names, with examples.
        default: The measures without it.
    """
    without = ", ".join(default)
    if scored:
        without += f"; --scored: {', '.join(DEFAULT_SCORE_MEASURES)}"
    return click.option(
        "-m",
        "--measure",
        "measures",
        metavar="MEASURE",
        multiple=True,
        help=f"{what}; repeat it, or separate several with commas; @FILE reads them from a file,"
        f" one per line. `relyon measures` lists them.  [default: {without}]",
    )


def names_option(command: F) -> F:
    """Adds ``--name``; the command gets `names`."""
    return click.option(
        "--name",
        "names",
        metavar="NAME",
        multiple=True,
        help="Name of a run; once per run, in their order.  [default: file names]",
    )(command)


def scale_option(command: F) -> F:
    """Adds ``--scale``."""
    return click.option(
        "--scale",
        metavar="NAME|FILE",
        help="The grade scale: search (高/中/低/无 or high/middle/low/none), integers, binary,"
        " floats, or a TOML, JSON or YAML file.",
    )(command)


def rule_option(*rules: str) -> Callable[[F], F]:
    """Returns the option ``--rule``, which combines the grades of several judges."""
    return click.option(
        "--combine",
        "rule",
        type=click.Choice(rules or ("majority", "median", "mean_gain")),
        default="median",
        show_default=True,
        help="How the grades of several judges are combined without a lead's decision.",
    )


def project_option(required: bool = True) -> Callable[[F], F]:
    """Adds ``--project`` for a judging database."""
    return click.option(
        "--project",
        required=required,
        metavar="NAME",
        help="The project." if required else "The project.  [default: all]",
    )


def columns_option(command: F) -> F:
    """Adds ``--columns``."""
    return click.option(
        "--columns",
        metavar="NAME=COLUMN,…",
        multiple=True,
        help="Columns of CSV, TSV, JSONL or Parquet files, such as query=qid,document=url.",
    )(command)


def judgments_format_option(command: F) -> F:
    """Adds ``--judgments-format``."""
    return click.option(
        "--judgments-format",
        metavar="FORMAT",
        help="Format of the judgments.  [default: recognised]",
    )(command)


def format_options(command: F) -> F:
    """Adds ``--judgments-format`` and ``--run-format``."""
    command = click.option(
        "--run-format", metavar="FORMAT", help="Format of the runs.  [default: recognised]"
    )(command)
    return judgments_format_option(command)


def output_option(command: F) -> F:
    """Adds ``-o``."""
    return click.option(
        "-o",
        "--output",
        metavar="FILE",
        help="Write the output to a file, atomically at the end.",
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


def format_option(*choices: str, default: str | None = "table", help: str = "") -> Callable[[F], F]:
    """Returns the option ``--format``; without a default, the ending of the output decides."""
    help = help or "Output format."
    if default is None and "[default:" not in help:
        help += "  [default: by the ending of FILE in -o, else table]"
    return click.option(
        "--format",
        "form",
        type=click.Choice(choices),
        default=default,
        show_default=default is not None,
        help=help,
    )


def depth_option(*, help: str, name: str = "k", **options: Any) -> Callable[[F], F]:
    """Adds the depth, `-k`; its help differs between commands."""
    return click.option("-k", "--depth", name, help=help, **options)


def target_format_option(name: str, *, help: str) -> Callable[[F], F]:
    """Adds the format of an output file."""
    return click.option("--format", name, metavar="FORMAT", help=help)


def language_option(what: str = "Language of the texts.") -> Callable[[F], F]:
    """Returns the option ``--lang``; the command gets it as `language`."""
    return click.option("--lang", "language", **{**LANGUAGE, "help": what})


def listen_options(port: int) -> Callable[[F], F]:
    """Returns the options of a server: ``--host``, ``--port`` with its default, ``--browser``."""
    host = "127.0.0.1"
    return _all(
        click.option("--host", default=host, show_default=True, help="The address to listen on."),
        click.option(
            "--port",
            type=click.IntRange(0, 65535),
            default=port,
            show_default=True,
            help="The port; 0 picks a free one.",
        ),
        click.option("--browser", is_flag=True, help="Open the page in a browser on this machine."),
    )


def average_option(command: F) -> F:
    """Adds ``--average``."""
    return click.option(
        "--average",
        type=click.Choice(["macro", "micro"]),
        help="Mean over queries, or ratio of sums, for measures that have both.  [default: each"
        " measure's own]",
    )(command)


def alpha_option(command: F) -> F:
    """Adds ``--alpha``."""
    return click.option("--alpha", show_default=True, **SETTINGS["alpha"])(command)


def confidence_option(command: F) -> F:
    """Adds ``--confidence``."""
    return click.option("--confidence", show_default=True, **SETTINGS["confidence"])(command)


def input_options(
    *own: Literal["query", "label", "document", "weight"],
    scored: str = "Files with labels and scores, instead of judgments and runs: one per model, or"
    " one with several --score.",
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Adds the options for reading files; the command gets one `Given`.

    These are the options for the convention, the scale, columns and formats, and ``--scored`` with
    its own options.

    Args:
        *own: Columns of scored rows with an option of their own.
        scored: The help of ``--scored``.
    """
    helps = {
        "query": "With --scored: the column of the query.",
        "label": "With --scored: the column of the label.",
        "document": "With --scored: the column of the document.",
        "weight": "With --scored: the column of row weights.",
    }
    several = {
        "score": ("COLUMN", "With --scored: a column of scores; repeat it for each model."),
        "scores": ("FILE", "With --scored LETOR: one score per line; repeat it for each model."),
        "groups": (
            "FILE",
            "With --scored LETOR without qid: the number of rows of each query, one per line.",
        ),
    }
    options = [
        convention_options,
        scale_option,
        columns_option,
        *(
            click.option(
                f"--{kind}-columns",
                metavar="NAME=COLUMN,…",
                multiple=True,
                help=f"Like --columns, for {what} only.",
            )
            for kind, what in (("judgments", "the judgments"), ("run", "the runs"))
        ),
        format_options,
        click.option("--scored", metavar="FILE", multiple=True, help=scored),
        *(
            click.option(f"--{name}", f"scored_{name}", metavar="COLUMN", help=helps[name])
            for name in own
        ),
        *(
            click.option(f"--{name}", f"scored_{name}", metavar=metavar, multiple=True, help=text)
            for name, (metavar, text) in several.items()
        ),
    ]

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def packed(**values: Any) -> Any:
            from relyon.cli.inputs import Given

            given = Given.of(values)
            return command(given=given, **values)

        return _all(*options)(packed)

    return decorate


def digits_of(default: int) -> Callable[[F], F]:
    """Adds ``--digits`` with the given default."""
    return click.option(
        "--digits",
        type=click.IntRange(0, 17),
        default=default,
        show_default=True,
        help="Decimals in tables.",
    )


def digits_option(command: F) -> F:
    """Adds ``--digits``."""
    return digits_of(4)(command)


def threads_option(command: F) -> F:
    """Adds ``--threads``."""
    return click.option(
        "--threads",
        type=click.IntRange(min=0),
        default=0,
        help="Number of threads (0: all cores). Results do not depend on it.  [default: 0]",
    )(command)


def comparison_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options for significance tests; the command gets a dict `settings`."""

    @wraps(command)
    def packed(**values: Any) -> Any:
        settings = {name: values.pop(name) for name in SETTINGS}
        return command(settings=settings, **values)

    options = (
        click.option(f"--{name}", show_default=True, **one) for name, one in SETTINGS.items()
    )
    return _all(*options)(packed)


SETTINGS: dict[str, dict[str, Any]] = {
    "test": {
        "type": click.Choice(["t", "wilcoxon", "sign", "permutation", "bootstrap", "tukey"]),
        "default": "t",
        "help": "The paired test; tukey (randomised Tukey HSD) is for three or more runs."
        " --format json and csv contain the other tests too.",
    },
    "interval": {
        "type": click.Choice(["t", "percentile", "bca"]),
        "default": "t",
        "help": "Method for confidence intervals; percentile and bca are bootstrap intervals.",
    },
    "correction": {
        "type": click.Choice(["holm", "bh", "none"]),
        "default": "holm",
        "help": "Correction for multiple comparisons (runs x measures); bh is Benjamini-Hochberg.",
    },
    "alpha": {
        "type": click.FloatRange(0, 1, min_open=True, max_open=True),
        "default": 0.05,
        "help": "Significance level, for p-values corrected for multiple comparisons.",
    },
    "confidence": {
        "type": click.FloatRange(0, 1, min_open=True, max_open=True),
        "default": 0.95,
        "help": "Confidence level of the intervals.",
    },
    "resamples": {
        "type": click.IntRange(min=1),
        "default": 10_000,
        "help": "Number of resamples in permutation, bootstrap and Tukey tests; p is at least"
        " 1 / (resamples + 1).",
    },
    "seed": {
        "type": click.IntRange(min=0),
        "default": 0,
        "help": "Random seed. The same seed gives the same digits on any machine.",
    },
}


def clicks_options(command: F) -> F:
    """Adds the options for which clicks count."""
    return _all(
        click.option("--confidence", show_default=True, **SETTINGS["confidence"]),
        click.option(
            "--min-dwell",
            type=click.FloatRange(min=0),
            metavar="SECONDS",
            help="Ignore clicks with a shorter dwell time, in seconds.",
        ),
        depth_option(
            name="depth",
            type=click.IntRange(1, 1000),
            default=10,
            show_default=True,
            help="Ignore positions after this one.",
        ),
    )(command)
