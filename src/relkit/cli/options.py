"""Options that several commands share, and what their texts mean."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

import click

from relkit.cli.group import LANGUAGE
from relkit.cli.messages import messages
from relkit.core.errors import ParameterError, RelkitError, UnknownNameError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from relkit.data.convention import Convention
    from relkit.data.scale import Scale

__all__ = [
    "chosen_columns",
    "chosen_convention",
    "chosen_scale",
    "columns_option",
    "comparison_options",
    "convention_names",
    "convention_options",
    "digits_option",
    "format_named_by",
    "format_option",
    "format_options",
    "judgments_format_option",
    "language_option",
    "measure_option",
    "named_values",
    "no_color_option",
    "output_option",
    "plugin_option",
    "project_option",
    "rule_option",
    "scale_option",
    "scored_columns",
    "split_measures",
    "threads_option",
]

F = TypeVar("F", bound=Callable[..., Any])


def _names(registry: str) -> Callable[..., list[CompletionItem]]:
    """Returns a completion over the names of a registry."""

    def complete(
        context: click.Context, parameter: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        if registry == "measure":
            from relkit.measures import registry as names
        elif registry == "convention":
            from relkit.data.convention import presets as names  # type: ignore[assignment]
        else:
            from relkit.data.scale import scales as names  # type: ignore[assignment]
        return [CompletionItem(name) for name in names if name.startswith(incomplete)]

    return complete


convention_names = _names("convention")


def _complete_rule(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Completes a rule: fields of the convention and their values, measures and their rules."""
    from dataclasses import fields

    from click.shell_completion import CompletionItem

    from relkit.data.convention import CHOICES, Convention

    word, equals, _ = incomplete.partition("=")
    measure, dot, key = word.partition(".")
    if dot:
        from relkit.measures import registry
        from relkit.measures.parameters import open_parameters

        names = ["undefined"]
        if measure in registry:
            names += open_parameters(registry.get(measure))
        found = [f"{measure}.{name}=" for name in names]
        if equals and key == "undefined":
            found = [f"{word}={value}" for value in CHOICES["undefined"]]
    elif equals:
        found = [f"{word}={value}" for value in CHOICES.get(word, ())]
    else:
        found = [
            f"{one.name}=" for one in fields(Convention) if one.name not in {"name", "measures"}
        ]
    return [CompletionItem(text) for text in found if text.startswith(incomplete)]


def _set_color(context: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value:
        messages.color = False


def _load_plugins(
    context: click.Context, parameter: click.Parameter, value: tuple[str, ...]
) -> None:
    for source in value:
        from relkit.measures.plugins import load_plugin

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
        help="Import your own measures first: a Python file or a module. Installed packages offer"
        " theirs under the entry point group relkit.measures.",
    )(command)


def convention_options(command: F) -> F:
    """Adds ``--convention`` and ``--set``."""
    command = click.option(
        "--set",
        "changes",
        metavar="KEY=VALUE",
        multiple=True,
        shell_complete=_complete_rule,
        help="Change one rule of the convention, such as ties=expected, or of one measure, such as"
        " rbp.p=0.9 or ndcg.undefined=one.",
    )(command)
    return click.option(
        "--convention",
        metavar="PRESET|FILE",
        shell_complete=convention_names,
        help="Rules for ties, queries without a value, gains …: a preset that `relkit conventions`"
        " lists, or a TOML, JSON or YAML file.  [default: relkit]",
    )(command)


def measure_option(default: str) -> Callable[[F], F]:
    """Returns the option ``-m``."""
    return click.option(
        "-m",
        "--measure",
        "measures",
        metavar="MEASURE",
        multiple=True,
        shell_complete=_names("measure"),
        help="A measure, such as ndcg@10 or 'recall(rel=2)@100'; give it again, or a list with"
        f" commas, for several. `relkit measures` lists them.  [default: {default}]",
    )


def scale_option(command: F) -> F:
    """Adds ``--scale``."""
    return click.option(
        "--scale",
        metavar="NAME|FILE",
        shell_complete=_names("scale"),
        help="The grade scale: search (高/中/低/无 or high/middle/low/none), integers, binary,"
        " floats, or a TOML, JSON or YAML file.",
    )(command)


def rule_option(command: F) -> F:
    """Adds ``--rule``, by which the grades of several judges become one."""
    return click.option(
        "--rule",
        type=click.Choice(["majority", "median", "mean_gain"]),
        default="median",
        show_default=True,
        help="How several judges' grades become one, where no lead decided.",
    )(command)


def project_option(required: bool = True) -> Callable[[F], F]:
    """Adds ``--project``, of a judging database."""
    return click.option(
        "--project",
        required=required,
        metavar="NAME",
        help="The project." if required else "The project.  [default: all]",
    )


def parse_depths(text: str, tiers: Sequence[str] = ()) -> int | dict[str, int]:
    """Returns the depths of ``-k``: one number, TIER=K pairs, or one number a tier.

    Args:
        text: What was given.
        tiers: The tiers in their order; without them numbers alone are refused.

    Raises:
        ParameterError: If it is none of these.
    """
    parts = [part.partition("=") for part in text.split(",")]
    names = [name.strip() for name, equals, _ in parts if equals]
    numbers = [(depth if equals else name).strip() for name, equals, depth in parts]
    known = all(number.isascii() and number.isdigit() for number in numbers)
    if known and not names and len(numbers) == 1:
        return int(numbers[0])
    if known and not names and len(numbers) == len(tiers):
        names = list(tiers)
    if not known or len(set(names)) != len(numbers) or not all(names):
        raise ParameterError(
            f"`-k {text}` is neither one number nor TIER=K for some tiers",
            hint=f"write -k {','.join(f'{tier}=20' for tier in tiers or ('head', 'tail'))}",
        )
    return {name: int(number) for name, number in zip(names, numbers, strict=True)}


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
        help="Write the data to a file, in one step when everything is done.",
    )(command)


def no_color_option(command: F) -> F:
    """Adds ``--no-color``."""
    return click.option(
        "--no-color",
        is_flag=True,
        expose_value=False,
        is_eager=True,
        callback=_set_color,
        help="No colours on stderr; NO_COLOR=1 does the same.",
    )(command)


def format_option(*choices: str, default: str | None = "table", help: str = "") -> Callable[[F], F]:
    """Returns the option ``--format``."""
    return click.option(
        "--format",
        "form",
        type=click.Choice(choices),
        default=default,
        show_default=default is not None,
        help=help or "How to print.",
    )


def language_option(what: str = "Language of the texts: English or Chinese.") -> Callable[[F], F]:
    """Returns the option ``--lang``; the command gets it as `language`."""

    return click.option("--lang", "language", **{**LANGUAGE, "help": what})


def digits_option(command: F) -> F:
    """Adds ``--digits``."""
    return click.option(
        "--digits",
        type=click.IntRange(0, 17),
        default=4,
        show_default=True,
        help="Decimals in tables.",
    )(command)


def threads_option(command: F) -> F:
    """Adds ``--threads``."""
    return click.option(
        "--threads",
        type=click.IntRange(min=0),
        default=0,
        help="Threads; 0 takes one a processor. The numbers do not depend on it.  [default: 0]",
    )(command)


def comparison_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds how differences are judged; the command gets a dict `settings`."""

    @wraps(command)
    def packed(**values: Any) -> Any:
        settings = {name: values.pop(name) for name in SETTINGS}
        return command(settings=settings, **values)

    for name, option in reversed(SETTINGS.items()):
        packed = click.option(f"--{name}", show_default=True, **option)(packed)
    return packed


SETTINGS: dict[str, dict[str, Any]] = {
    "test": {
        "type": click.Choice(["t", "wilcoxon", "sign", "permutation", "bootstrap", "tukey"]),
        "default": "t",
        "help": "The paired test that decides; tukey (randomised Tukey HSD) is for three or more"
        " runs. The others stand in --format json and csv.",
    },
    "interval": {
        "type": click.Choice(["t", "percentile", "bca"]),
        "default": "t",
        "help": "How confidence intervals are made; percentile and bca are bootstrap intervals.",
    },
    "correction": {
        "type": click.Choice(["holm", "bh", "none"]),
        "default": "holm",
        "help": "For the number of comparisons, runs x measures; bh is Benjamini-Hochberg.",
    },
    "alpha": {
        "type": click.FloatRange(0, 1, min_open=True, max_open=True),
        "default": 0.05,
        "help": "A difference is called real where the corrected p is at most this.",
    },
    "confidence": {
        "type": click.FloatRange(0, 1, min_open=True, max_open=True),
        "default": 0.95,
        "help": "Of the intervals.",
    },
    "resamples": {
        "type": click.IntRange(min=1),
        "default": 10_000,
        "help": "Of permutation, bootstrap and Tukey tests; p is at least 1 / (resamples + 1).",
    },
    "seed": {
        "type": click.IntRange(min=0),
        "default": 0,
        "help": "The same seed gives the same digits, on any machine.",
    },
}


def split_measures(texts: Sequence[str]) -> list[str]:
    """Returns single measure names from texts that may hold lists with commas.

    Examples:
        >>> split_measures(["ndcg(gain=exp,ideal=retrieved)@10,ap", "P.5,10"])
        ['ndcg(gain=exp,ideal=retrieved)@10', 'ap', 'P.5,10']
        >>> split_measures(["utility.2,-1,0,0,ndcg.1=3,2=9,11pt_avg"])
        ['utility.2,-1,0,0', 'ndcg.1=3,2=9', '11pt_avg']
    """
    import re

    # A number, or a pair of numbers, after a comma continues trec_eval's list of parameters.
    more = re.compile(r"[-+]?(\d+\.?|\.\d)\d*(=[^,()]*)?(@\d+)?(,|$)")
    names = []
    for text in texts:
        start = depth = 0
        for place, sign in enumerate(text):
            depth += {"(": 1, ")": -1}.get(sign, 0)
            if sign == "," and depth == 0 and not more.match(text, place + 1):
                names.append(text[start:place])
                start = place + 1
        names.append(text[start:])
    return names


@contextmanager
def format_named_by(option: str) -> Iterator[None]:
    """Lets hints name the option that says what `format=` says in Python."""
    try:
        yield
    except RelkitError as error:
        error.hint = error.hint.replace("format=", option)
        raise


def named_values(texts: Sequence[str], option: str, example: str) -> dict[str, str]:
    """Returns the values of an option NAME=VALUE that can be given several times.

    Raises:
        ParameterError: If a text is not NAME=VALUE.
    """
    pairs: dict[str, str] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not key.strip() or not value.strip():
            raise ParameterError(
                f"`{option} {text}` is no name and value", hint=f"write {option} {example}"
            )
        pairs[key.strip()] = value.strip()
    return pairs


def chosen_convention(source: str | None, changes: Sequence[str]) -> Convention:
    """Returns the convention of ``--convention`` and ``--set``."""
    from relkit.data.convention import load_convention

    convention = load_convention(source)
    pairs = named_values(changes, "--set", "ties=expected")
    return convention.replace(**pairs) if pairs else convention


def chosen_scale(source: str | None) -> Scale | None:
    """Returns the scale of ``--scale``."""
    from relkit.data.scale import load_scale

    return load_scale(source)


def scored_columns(
    texts: Sequence[str], flat: Mapping[str, str | None], *, scores: str = "--score"
) -> dict[str, str | None]:
    """Returns the columns of labelled scores: of ``--columns`` and of the options of their own.

    Args:
        texts: What ``--columns`` was given; `grade` is another name of the label.
        flat: What the options of their own were given, by role.
        scores: The option that names a column of scores, for the error where ``--columns`` does it
            and cannot.

    Raises:
        ParameterError: If a text is not NAME=COLUMN, or both name different columns.
        UnknownNameError: If a name is none of the known ones.
    """
    known = ("query", "label", "grade", "score", "document")
    found: dict[str, str | None] = dict(flat)
    for name, column in (chosen_columns(texts, known, "query=qid,label=grade") or {}).items():
        role = "label" if name == "grade" else name
        if role == "score" and role not in flat:
            raise ParameterError(
                "--columns names one column of scores, and two are compared",
                hint=f"write {scores} {column} {scores} OTHER",
            )
        if found.get(role) not in (None, column):
            raise ParameterError(
                f"the {role} is in two columns: `{found[role]}` and `{column}`",
                hint=f"leave out --{role} or {name} in --columns"
                if flat.get(role) is not None
                else "name it once in --columns",
            )
        found[role] = column
    return found


def chosen_columns(
    texts: Sequence[str],
    known: Sequence[str] = ("query", "document", "grade", "score", "rank"),
    example: str = "query=qid,document=url",
) -> dict[str, str] | None:
    """Returns the column map of ``--columns``.

    Args:
        texts: What the option was given.
        known: The names that this kind of data has; without it those of judgments and runs.
        example: A map of such names, for the hint.

    Raises:
        ParameterError: If a text is not NAME=COLUMN.
        UnknownNameError: If a name is none of the known ones.
    """
    items = [item for text in texts for item in text.split(",")]
    pairs = named_values(items, "--columns", example)
    for name in pairs:
        if name not in known:
            from relkit.core.registry import suggestion

            raise UnknownNameError(
                f"--columns knows no `{name}`", hint=suggestion(name, list(known))
            )
    return pairs or None
