"""Commands that have commands of their own."""

from __future__ import annotations

import click

__all__ = ["CommandGroup"]


class CommandGroup(click.Group):
    """A group that shows its help where no command is named, which is no mistake."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args and not ctx.resilient_parsing:
            click.echo(ctx.get_help())
            ctx.exit()
        return super().parse_args(ctx, args)
