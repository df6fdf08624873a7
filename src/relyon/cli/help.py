"""Help and messages of the argument parser in the requested language."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import click
from click import core, exceptions, formatting, parser, types

from relyon.cli.help_lists import PLACE, with_lists
from relyon.cli.messages import messages
from relyon.core.document.terminal import width, wrap
from relyon.core.texts import catalogue, translate

__all__ = ["HelpPage", "sentences", "speak_for_click"]

AREA = "help"
#: What follows an option's help: its default, its range, whether it is required.
EXTRAS = re.compile(r"  \[([^\]]*)\]$")
#: The value type that click prints after an option's names.
KIND = re.compile(r"(?<= )[A-Z][A-Z ]+$")


def say(text: str) -> str:
    """Returns a help text in the language, or unchanged if there is no translation."""
    language = messages.language
    comma = catalogue("common", language)["list.comma"]
    return with_lists(translate(text, language, AREA), comma)


def speak_for_click() -> None:
    """Makes click use our language: it looks up each message with `_`, as in gettext."""

    def say_number(one: str, many: str, count: int) -> str:
        return say(one if count == 1 else many)

    for module in (core, exceptions, formatting, parser, types):
        vars(module).update(_=say, ngettext=say_number)


class HelpPage(click.HelpFormatter):
    """A help page whose texts are translated as they are written.

    Texts are wrapped by display width: a Chinese character takes two columns.
    """

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        """Writes the usage line."""
        usage = say("Usage:")
        first = f"{usage}{' ' if usage.isascii() else ''}{prog} "
        words = " ".join(map(say, args.split(" ")))
        self._write(wrap(words, self.width, " " * width(first), first))

    def write_heading(self, heading: str) -> None:
        """Writes a list's heading."""
        self._write([f"{' ' * self.current_indent}{say(f'{heading}:')}"])

    def write_text(self, text: str) -> None:
        """Writes paragraphs; those beginning with a backspace keep their lines."""
        indent = " " * self.current_indent
        for place, (kept, lines) in enumerate(_paragraphs(text)):
            self._write([""] if place else [])
            for line in lines:
                said = _said_line(line)
                folded = wrap(said, self.width, indent, indent)
                self._write([indent + said] if kept else folded)

    def write_dl(
        self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2
    ) -> None:
        """Writes options or commands with their descriptions."""
        pairs = [(KIND.sub(lambda kind: say(kind[0]), one), text) for one, text in rows]
        left = min(max(width(one) for one, _ in pairs), col_max) + col_spacing
        indent = " " * self.current_indent
        hanging = indent + " " * left
        for one, text in pairs:
            first = f"{indent}{one}{' ' * (left - width(one))}"
            if width(one) > left - col_spacing:
                self._write([indent + one])
                first = hanging
            self._write(wrap(_said_option(text), self.width, hanging, first))

    def _write(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(f"{line.rstrip()}\n")


def _paragraphs(text: str) -> Iterator[tuple[bool, list[str]]]:
    """Yields for each paragraph whether its line breaks are kept, and its lines: one if not."""
    for block in re.split(r"\n\s*\n", text.strip("\n")):
        kept, lines = block.startswith("\b"), block.lstrip("\b\n").splitlines()
        if lines:
            yield kept, lines if kept else [" ".join(line.strip() for line in lines)]


def _said_line(line: str) -> str:
    """Returns a line; of a code and its meaning (exit codes), only the meaning is translated."""
    indent, term, text = _parts(line)
    return f"{indent}{term}{say(text)}"


def _parts(line: str) -> tuple[str, str, str]:
    found = re.fullmatch(r"(\s*)(\S+ {2,})?(.*)", line)
    return ("", "", line) if found is None else (found[1], found[2] or "", found[3])


def _said_option(text: str) -> str:
    extras: list[str] = []
    while (found := EXTRAS.search(text)) is not None:
        text, parts = text[: found.start()], re.split("[;；] ?", found[1])
        extras.insert(0, f"[{say('; ').join(map(_said_extra, parts))}]")
    return "  ".join([say(text), *extras])


def _said_extra(part: str) -> str:
    name, colon, value = part.partition(": ")
    return f"{say('default: ')}{say(value)}" if name == "default" and colon else say(part)


def sentences(text: str, option: bool = False) -> Iterator[str]:
    """Yields the translatable parts of a help text.

    Args:
        text: The help of a command or of an option.
        option: Whether it is the help of an option.
    """
    if option:
        while (found := EXTRAS.search(text)) is not None:
            text = text[: found.start()]
            yield from (part.removeprefix("default: ") for part in found[1].split("; "))
        yield text
        return
    for _, lines in _paragraphs(text):
        said = (_parts(line)[2] for line in lines)
        yield from (one for one in said if not PLACE.fullmatch(one))
