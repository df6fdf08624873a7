"""Addresses that lead from a query of snapshots to a closer look at it."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlencode

from relyon.app.engines.allowed import AllowedEngines
from relyon.engines.asked import Variant
from relyon.engines.files.configuration import Configuration
from relyon.engines.files.template import write_scalar
from relyon.judging.snapshots.kept import Snapshot

__all__ = ["try_link"]


def try_link(
    engines: AllowedEngines, project: int, query: str, shots: Sequence[Snapshot]
) -> str | None:
    """Returns the address of the page Try with a query and the variants of one or two snapshots.

    Args:
        engines: The engines that the operator allows.
        project: The project.
        query: The id of the query.
        shots: The snapshots: those of another engine than the last one's are left out.

    Returns:
        The address; None if leads of the project may not use the engine.
    """
    name = shots[-1].engine
    if name not in engines.names(project):
        return None
    configuration = engines.engines[name]
    values = {"query": query, "engine": name, "of": name}
    for side, shot in zip("ab", [one for one in shots if one.engine == name], strict=False):
        variant = _origin(configuration, shot)
        values[side] = values[f"{side}.of"] = variant.name
        values |= {
            f"{side}.p.{key}": write_scalar(value)
            for key, value in shot.parameters.items()
            if key in variant.parameters and value != variant.parameters[key]
        }
    return f"/projects/{project}/try?{urlencode(values)}"


def _origin(configuration: Configuration, shot: Snapshot) -> Variant:
    """Returns the variant of which a snapshot's is a change: its name begins with that one's."""
    found = [
        one
        for one in configuration.variants
        if shot.variant == one.name or shot.variant.startswith(f"{one.name},")
    ]
    return max(found, key=lambda one: len(one.name), default=configuration.variants[0])
