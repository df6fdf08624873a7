"""Ranks that count: by tier, and where tiers are compared."""

from __future__ import annotations

from collections.abc import Mapping

from relyon.core.errors import ParameterError
from relyon.core.registry import suggestion
from relyon.core.texts import message

__all__ = ["chosen_common", "chosen_depths"]


def chosen_depths(
    usual: Mapping[str, int], deepest: Mapping[str, int], k: int | Mapping[str, int] | None
) -> dict[str, int]:
    """Returns the ranks that count by tier.

    Args:
        usual: Those of a tier that `k` does not name.
        deepest: The ranks that the sample covers, by tier.
        k: The ranks asked for, for all tiers or by tier.

    Raises:
        ParameterError: If `k` names another tier, or is deeper than the sample.
    """
    depths = dict(usual)
    wanted = dict(k) if isinstance(k, Mapping) else dict.fromkeys(depths, k) if k else {}
    for name, depth in wanted.items():
        if name not in depths:
            raise ParameterError(
                message("online.k-names-tier", name=name, names=list(depths)),
                hint=suggestion(name, list(depths)),
            )
        if not 1 <= depth <= deepest[name]:
            raise ParameterError(
                message("online.k-of-tier", name=name, depths=deepest[name], depth=depth)
            )
        depths[name] = depth
    return depths


def chosen_common(usual: int, most: int, common_k: int | None) -> int:
    """Returns the ranks that count where tiers are compared.

    Args:
        usual: Those without a choice.
        most: The smallest depth of a tier.
        common_k: The ranks asked for.

    Raises:
        ParameterError: If `common_k` is below 1 or above `most`.
    """
    if common_k is None:
        return usual
    if not 1 <= common_k <= most:
        raise ParameterError(message("online.parameter-common-k", least=most, common_k=common_k))
    return common_k
