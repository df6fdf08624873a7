"""What is wrong with a command line, and what to write instead."""

from __future__ import annotations

import click

from relyon.core.texts import message

__all__ = ["said_of_usage"]

#: From this similarity on, an option is likely to be a misspelling of another one.
LIKELY = 0.66
#: Names of a limit on a drop, where `--fail-if-worse` is what there is.
LIMITS = frozenset({"max-drop", "drop", "threshold", "max-decrease"})


def said_of_usage(error: click.ClickException) -> tuple[str, str]:
    """Returns the message of an error of the argument parser, and a hint.

    Args:
        error: The error.
    """
    context = getattr(error, "ctx", None)
    if isinstance(error, click.NoSuchOption):
        text = message("cli.no-such-option", option=error.option_name)
        return text, _near(error.option_name, context) or _help(context)
    if isinstance(error, click.MissingParameter) and context is not None:
        missing = error.param
        example = _example(context, missing)
        hint = message("cli.such-as-example", example=example) if example else _help(context)
        if isinstance(missing, click.Argument):
            names = " ".join(_arguments(context))
            told = message("cli.missing-argument", command=context.command_path, names=names)
            return told, hint
        return _own_style(error), hint
    return _own_style(error), _help(context)


def _own_style(error: click.ClickException) -> str:
    text = error.format_message().rstrip(".")
    return text[:1].lower() + text[1:]


def _help(context: click.Context | None) -> str:
    if context is None:
        return ""
    return message("cli.help-lists-options", command=context.command_path)


def _near(option: str, context: click.Context | None) -> str:
    """Returns a hint that names what is meant by an unknown option, or an empty text."""
    if context is None:
        return ""
    from relyon.cli.other_names import meant
    from relyon.core.registry import nearest

    options = [
        name
        for one in context.command.params
        if isinstance(one, click.Option) and not one.hidden
        for name in (*one.opts, *one.secondary_opts)
    ]
    arguments = _arguments(context)
    found = meant(option, {*options, *(name.strip("[]") for name in arguments)})
    if found == "--fail-if-worse" and option.lstrip("-") in LIMITS:
        return message("cli.loss-has-no-limit", name=found)
    if found.startswith("-"):
        kind = "cli.write-instead" if " " in found else "core.did-you-mean"
        return message(kind, name=found)
    if found:
        usage = " ".join([context.command_path, *arguments])
        return message("cli.given-without-option", name=found, usage=usage)
    long = {name[2:]: name for name in options if name.startswith("--")}
    close = nearest(option.lstrip("-"), sorted(long), cutoff=LIKELY)
    return message("core.did-you-mean", name=long[close]) if close else ""


def _arguments(context: click.Context) -> list[str]:
    """Returns the names of a command's arguments as its usage shows them."""
    shown = [
        one.make_metavar(context)
        for one in context.command.params
        if isinstance(one, click.Argument)
    ]
    return [name for names in shown for name in names.split(" ")]


def _example(context: click.Context, missing: click.Parameter | None) -> str:
    """Returns the first example of a command's help that has what is missing, or an empty text."""
    lines = (context.command.help or "").replace("\\\n", " ").splitlines()
    examples = [" ".join(line.split()) for line in lines if line.startswith("  relyon ")]
    if isinstance(missing, click.Option):
        names = set(missing.opts)
        examples = [one for one in examples if names & set(one.split(" "))]
    return examples[0] if examples else ""
