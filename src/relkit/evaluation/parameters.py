"""Parameters that all evaluations take, checked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from relkit.errors import ParameterError

if TYPE_CHECKING:
    from relkit.scale import Scale

__all__ = ["check_threads", "chosen_scale"]


def chosen_scale(scale: Scale | str | None) -> Scale | None:
    if scale is None:
        return None
    from relkit.scale import load_scale

    return load_scale(scale)


def check_threads(threads: int) -> int:
    if not isinstance(threads, int) or isinstance(threads, bool) or threads < 0:
        raise ParameterError(
            f"the parameter `threads` must be a whole number of 0 or more. Got `{threads}` instead."
        )
    return threads
