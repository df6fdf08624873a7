"""What the shell completes: names of measures, conventions and scales, and rules."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

__all__ = ["complete_rule", "convention_names", "names_of"]


def names_of(registry: str) -> Callable[..., list[CompletionItem]]:
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


convention_names = names_of("convention")


def complete_rule(
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
