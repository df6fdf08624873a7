"""Systems with repeated runs on the command line: `--system NAME=RUN,RUN…`."""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence

import click

from relyon.cli.request import Declared, fixed, option, request
from relyon.core.errors import ParameterError
from relyon.core.texts import message

__all__ = ["Repeated", "repeat_cost_option"]

#: Characters of a pattern.
PATTERN = frozenset("*?[")


@request
class Repeated:
    """The systems that are compared, with their runs."""

    texts: tuple[str, ...] = option(
        "--system",
        "systems",
        metavar="NAME=RUN,RUN…",
        multiple=True,
        help="A system and its repeated runs, such as those of several training seeds, in place of"
        " BASELINE and CANDIDATE; the first system is the baseline. RUN may be a pattern in quotes,"
        " such as 'a-*.run'. Give --system A=… again to add runs, each alone if a file's name has"
        " a comma.",
    )

    repeat_cost: float | None = fixed(None)

    def __bool__(self) -> bool:
        return bool(self.texts)

    def resolve(
        self, files: Sequence[str], names: Sequence[str], refused: str = "", *, judged: bool = True
    ) -> tuple[list[str], dict[str, list[str]]]:
        """Returns the judgments with the first run of each system, and all runs by system.

        Without systems, the files as they are.

        Args:
            files: The arguments.
            names: Those of `--name`.
            refused: An option that was given and does not go with systems.
            judged: Whether the arguments begin with judgments.

        Raises:
            ParameterError: If a system is not NAME=RUN,RUN…, a pattern matches no file, there are
                fewer than two systems, or other runs are given, too.
        """
        if not self.texts:
            return list(files), {}
        if refused:
            raise ParameterError(
                message("cli.systems-and-option", option=refused), hint=message("cli.leave-out")
            )
        if names:
            raise ParameterError(
                message("cli.systems-and-option", option="--name"), hint=message("cli.leave-out")
            )
        found: dict[str, list[str]] = {}
        for text in self.texts:
            name, paths = _parsed(text)
            found.setdefault(name, []).extend(paths)
        wanted = 1 if judged else 0
        if len(files) != wanted or len(found) < 2:
            first = next(iter(found))
            key = "cli.one-system" if len(found) < 2 else "cli.systems-and-files"
            if judged and not files:
                key = "cli.systems-without-judgments"
            command = click.get_current_context().info_name
            begin = " ".join(files[:1]) or "judgments.qrels"
            start = f"relyon {command} {begin if judged else '--values'}"
            raise ParameterError(
                message(key, system=first, files=list(files[wanted:])),
                hint=f"{start} --system A=a1.run,a2.run --system B=b1.run,b2.run",
            )
        return [*files, *(runs[0] for runs in found.values())], found


def repeat_cost_option() -> Declared:
    """Declares ``--repeat-cost``."""
    return option(
        "--repeat-cost",
        type=click.FloatRange(min=0),
        metavar="NUMBER",
        help="With --plan and --system: what running one query once more costs, relative to grading"
        " one more query, such as 0.01; names the cheapest number of runs.",
    )


def _parsed(text: str) -> tuple[str, list[str]]:
    """Returns a system's name and its files.

    Raises:
        ParameterError: If the text is not NAME=RUN,RUN…, or a pattern matches no file.
    """
    name, equals, rest = text.partition("=")
    pieces = [rest] if os.path.exists(rest) else [one.strip() for one in rest.split(",")]
    if not equals or not name.strip() or not all(pieces):
        raise ParameterError(
            message("cli.system-is-not-name", text=text), hint=message("cli.write-system")
        )
    paths = []
    for piece in pieces:
        if os.path.exists(piece) or not PATTERN & set(piece):
            paths.append(piece)
            continue
        matched = sorted(glob.glob(piece))
        if not matched:
            raise ParameterError(
                message("cli.pattern-matches-nothing", pattern=piece, system=name.strip()),
                hint=message("cli.check-pattern"),
            )
        paths += matched
    return name.strip(), paths
