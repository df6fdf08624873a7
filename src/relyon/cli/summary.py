"""`relyon compare --summary`: the comment of a pull request, whether its gate fails or not."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from relyon.cli.gate import given_words
from relyon.cli.messages import messages
from relyon.cli.output import write
from relyon.cli.request import option, request
from relyon.core.errors import CheckError, ParameterError
from relyon.core.texts import message

if TYPE_CHECKING:
    from relyon.analysis.comparison import Comparison
    from relyon.cli.gate import Explain

__all__ = ["Summary"]

#: Options of where output goes, and how it looks.
OUTPUTS = frozenset({"--summary", "--title", "--output", "--format", "--lang", "--no-color"})


@request
class Summary:
    """The file of the summary, and its title."""

    path: str | None = option(
        "--summary",
        metavar="FILE",
        help="Also write Markdown for a pull request: the verdict first, then the numbers and the"
        " queries that changed most. It is written whether a gate fails or not.",
    )
    title: str = option(
        "--title",
        metavar="TEXT",
        default="",
        help="With --summary: what is compared, if there are several summaries.",
    )

    def check(self, output: str | None) -> None:
        """Rejects options that would have no effect, or a file that would be written twice.

        Raises:
            ParameterError: If there are some.
        """
        if self.title and self.path is None:
            raise ParameterError(message("cli.title-is-for-summary"))
        if self.path is not None and self.path == (output or "-"):
            raise ParameterError(
                message("cli.summary-is-output", path=self.path),
                hint=message("core.name-another-file"),
            )

    def write(
        self,
        comparison: Comparison,
        files: Sequence[str],
        gates: Sequence[str],
        failure: CheckError | None,
        explain: Explain,
    ) -> None:
        """Writes the summary, if it was asked for.

        Args:
            comparison: The comparison.
            files: The arguments of the command.
            gates: The measures that were checked.
            failure: Why the check fails.
            explain: As for `check_gates`.
        """
        if self.path is None:
            return
        from relyon.analysis.comparison.summaries.summary import Commands, Gate
        from relyon.io.databases import hide_passwords

        said = "" if failure is None else messages.translate(failure.message)
        hint = "" if failure is None else messages.translate(failure.hint)
        # The summary has the commands that explain queries as blocks of their own.
        advice = [line for line in hint.splitlines() if "relyon explain" not in line]
        measures = list(dict.fromkeys(gates))
        gate = Gate(measures, said.splitlines(), advice) if gates else None
        text = comparison.to_summary(
            gate=gate,
            commands=Commands(_command(files), explain),
            title=self.title,
            language=messages.language,
        )
        write(hide_passwords(text), self.path)


def _command(files: Sequence[str]) -> str:
    """Returns the command without its files of output."""
    context = click.get_current_context()
    names = {max(one.opts, key=len) for one in context.command.params}
    words = ["relyon", str(context.info_name), *files, *given_words(context, names - OUTPUTS)]
    return shlex.join(words)
