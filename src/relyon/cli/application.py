"""The `relyon` command: its subcommands by name, and how errors become messages and exit codes."""

from __future__ import annotations

import errno
import os
import sys
import warnings
from collections.abc import Sequence
from typing import NoReturn

import click

from relyon.cli.group import HELP_NAMES, CommandGroup, speaking, taught
from relyon.cli.messages import messages
from relyon.cli.start import INTERRUPTED, let_interrupts_through
from relyon.core.errors import (
    CheckError,
    DependencyError,
    ParameterError,
    RelyonError,
    UnknownNameError,
)
from relyon.core.notes import RelyonWarning
from relyon.core.texts import message

__all__ = ["COMMANDS", "Application", "main"]

#: Every command and its line in `relyon --help`. A command's module is imported when it runs.
COMMANDS = {
    "search": "Send queries to a search engine and write runs.",
    "engine": "Set up a live search engine: write its file, check it, compare tapes.",
    "evaluate": "Measure one or several runs against judgments.",
    "compare": "Compare runs with significance tests.",
    "agree": "Correlate how measures, or judgments, rank several runs.",
    "leaderboard": "Rank runs, with intervals of their ranks.",
    "explain": "Explain one query's value, rank by rank.",
    "funnel": "Attribute lost gain to retrieval stages and ranking.",
    "depth": "Measure runs at every cutoff, to choose K.",
    "fuse": "Fuse several runs into one.",
    "train": "Train a ranker and measure it on held-out queries.",
    "rank": "Rank documents with a trained ranker, or explain why one outranks another.",
    "export": "Export a trained ranker for scoring in other programs.",
    "diagnose": "Diagnose a comparison and suggest next steps.",
    "report": "Write a report on a comparison as one HTML or Markdown file.",
    "logs": "Read, describe, check and repair search logs.",
    "labels": "Derive labels from clicks and compare click models.",
    "offpolicy": "Estimate the reward of another ranking from a log (off-policy).",
    "interleave": "Interleave runs and measure which one users prefer.",
    "abtest": "Check the validity of an A/B test and summarise its arms.",
    "sample": "Sample sessions of a search log for judging.",
    "judge": "Manage judging projects: create, import, serve, export.",
    "monitor": "Track relevance month by month and alert on drops.",
    "trec_eval": "Evaluate with the options and output of trec_eval.",
    "measures": "List the measures, or describe one.",
    "conventions": "List the presets, describe one, or find which rules gave a number.",
    "split": "Split feature rows by query into train, valid and test sets, or folds.",
    "passages": "Find judged passages in the texts of documents.",
    "convert": "Convert judgments, a run or features to another format.",
    "mcp": "Serve an agent tools to measure search relevance.",
    "learn": "Learn to measure relevance: lessons, cards and a game.",
    "demo": "Build a small search collection and compare two rankers on it.",
}

OK, CHECK_FAILED, USAGE, BAD_DATA, NO_DEPENDENCY = 0, 1, 2, 3, 4
UNEXPECTED, PIPE_CLOSED = 70, 141

HELP = """Measure, explain and improve search relevance.

\b
Example:
  relyon evaluate judgments.qrels bm25.run -m ndcg@10 -m rr@10
"""

EPILOG = """\b
Data is written to stdout, notes and errors to stderr.

\b
Exit codes:
  0    done
  1    a check failed (--strict, --fail-if-worse, monitor check)
  2    unknown option, command, measure, preset or query
  3    a file cannot be read or written, or its data cannot be used
  4    an optional package is not installed
  70   a bug in relyon; RELYON_TRACEBACK=1 shows where
  130  interrupted
  141  the reader of stdout closed it

\b
Completion in bash, zsh and fish (config.fish):
  eval "$(_RELYON_COMPLETE=bash_source relyon)"
  eval "$(_RELYON_COMPLETE=zsh_source relyon)"
  eval "$(_RELYON_COMPLETE=fish_source relyon)"
"""


def _version(context: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value and not context.resilient_parsing:
        from relyon._native import __version__

        click.echo(f"relyon {__version__}")
        context.exit()


class _PipeClosedError(Exception):
    """The reader of stdout has gone. click would exit with code 1 for a BrokenPipeError."""


class Application(CommandGroup):
    """A group that imports a command when it is used and prints errors for people."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        from importlib import import_module

        command: click.Command = import_module(f"relyon.cli.{cmd_name}").command
        if ctx.resilient_parsing:
            command = taught(command)
        return command if cmd_name == "trec_eval" else speaking(command)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in COMMANDS and not name.startswith("-") and not ctx.resilient_parsing:
            from relyon.core.registry import suggestion

            raise UnknownNameError(
                message("cli.unknown-command", name=name),
                hint=suggestion(name, list(COMMANDS)),
            )
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise _PipeClosedError from None

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: object,
    ) -> NoReturn:
        """Runs a command and exits with its code."""
        messages.reset(sys.argv[1:] if args is None else args)
        if messages.language != "en":
            from relyon.cli.help import speak_for_click

            speak_for_click()
        warnings.simplefilter("ignore", RelyonWarning)  # they are printed as notes
        _make_streams_robust()
        try:
            let_interrupts_through()
            if "_RELYON_COMPLETE" in os.environ:
                _complete_better_than_click()
            result = super().main(
                args, prog_name or "relyon", complete_var, standalone_mode=False, **extra
            )
            sys.stdout.flush()
            code = result if isinstance(result, int) else OK
        except BaseException as error:
            code = _report(error)
        sys.exit(code)


def _complete_better_than_click() -> None:
    from click.shell_completion import add_completion_class

    from relyon.cli.shells import SHELLS

    for shell in SHELLS.values():
        add_completion_class(shell)


def _make_streams_robust() -> None:
    """Keeps a character that the terminal cannot encode from ending the program."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def _report(error: BaseException) -> int:
    """Prints an error and returns its exit code."""
    if isinstance(error, SystemExit):
        return error.code if isinstance(error.code, int) else OK
    if isinstance(error, KeyboardInterrupt | click.Abort):
        messages.error(message("cli.interrupted"))
        return INTERRUPTED
    if isinstance(error, _PipeClosedError):
        # Python flushes stdout once more at exit: that must not fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return PIPE_CLOSED
    if os.environ.get("RELYON_TRACEBACK") == "1":
        import traceback

        traceback.print_exception(error)
    if isinstance(error, RelyonError):
        from relyon.cli.hints import said

        messages.error(error.message, said(error.hint), error.lesson)
        return _code(error)
    if isinstance(error, click.ClickException):
        from relyon.cli.usage_errors import said_of_usage

        messages.error(*said_of_usage(error))
        return USAGE if isinstance(error, click.UsageError) else BAD_DATA
    if isinstance(error, OSError):
        # Whoever opens a file names it in the error; an error without a name is stdout's.
        unnamed = "stdout" if error.errno in {errno.EBADF, errno.ENOSPC, errno.EIO} else ""
        place = error.filename or unnamed
        reason = error.strerror or str(error)
        told = message("core.path-message", path=place, message=reason) if place else reason
        messages.error(told)
        return BAD_DATA
    if isinstance(error, MemoryError):
        messages.error(message("cli.out-of-memory"))
        return UNEXPECTED
    messages.error(
        message("cli.unexpected-name", name=type(error).__name__, error=error),
        message("cli.this-is-bug"),
    )
    return UNEXPECTED


def _code(error: RelyonError) -> int:
    if isinstance(error, CheckError):
        return CHECK_FAILED
    if isinstance(error, DependencyError):
        return NO_DEPENDENCY
    if isinstance(error, ParameterError | UnknownNameError):
        return USAGE
    return BAD_DATA


main = Application(
    name="relyon",
    help=HELP,
    epilog=EPILOG,
    no_args_is_help=False,
    context_settings={"help_option_names": HELP_NAMES, "max_content_width": 80},
    params=[
        click.Option(
            ["--version"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_version,
            help="Show the version and exit.",
        )
    ],
)
