"""Commands that have commands of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from relyon.cli.messages import messages
from relyon.core.texts import LANGUAGES

if TYPE_CHECKING:
    from relyon.cli.request import Settings

__all__ = ["HELP_NAMES", "LANGUAGE", "CommandGroup", "HelpContext", "speaking", "taught"]


#: The option ``--lang``, shared by all commands.
LANGUAGE: Settings = {
    "type": click.Choice(LANGUAGES),
    "default": "en",
    "envvar": "RELYON_LANG",
    "show_default": True,
    "help": "Language of messages; RELYON_LANG sets it for every command.",
}


#: The names of the help option. Every command sets them itself: click keeps the option from the
#: first call, which need not be below `relyon`.
HELP_NAMES = ["-h", "--help"]


class EnglishHelp(click.HelpFormatter):
    """A help page of click, with the lists of names that registries have."""

    def write_text(self, text: str) -> None:
        """Writes paragraphs."""
        from relyon.cli.help_lists import with_lists

        super().write_text(with_lists(text))


class HelpContext(click.Context):
    """Creates help pages in the language of the messages."""

    def make_formatter(self) -> click.HelpFormatter:
        if messages.language == "en":
            return EnglishHelp(width=self.terminal_width, max_width=self.max_content_width)
        from relyon.cli.help import HelpPage

        return HelpPage(width=self.terminal_width, max_width=self.max_content_width)


def speaking(command: click.Command) -> click.Command:
    """Returns a command that has the option ``--lang``, even if it does not use the language."""
    command.context_class = HelpContext
    command.context_settings.setdefault("help_option_names", HELP_NAMES)
    known = any("--lang" in parameter.opts for parameter in command.params)
    if not known and not isinstance(command, click.Group):
        option = click.Option(["--lang", "language"], **LANGUAGE, expose_value=False)
        command.params.append(option)
    return command


def taught(command: click.Command) -> click.Command:
    """Returns a command with completion for its parameters, which only a shell asks for."""
    from relyon.cli.completion import teach

    return teach(command)


class CommandGroup(click.Group):
    """A group that shows its help, without an error, if no command is named."""

    context_class = HelpContext

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args and not ctx.resilient_parsing:
            click.echo(ctx.get_help())
            ctx.exit()
        return super().parse_args(ctx, args)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        command = super().get_command(ctx, cmd_name)
        return taught(command) if command is not None and ctx.resilient_parsing else command

    def add_command(self, cmd: click.Command, name: str | None = None) -> None:
        super().add_command(speaking(cmd), name)
