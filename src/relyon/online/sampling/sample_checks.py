"""Whether a file contains a whole sample: its own numbers say how much there was."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from relyon.core.errors import InputError
from relyon.core.texts import message

if TYPE_CHECKING:
    import polars as pl

__all__ = ["check_whole"]


def check_whole(rows: pl.DataFrame, sessions: pl.DataFrame, path: str) -> None:
    """Refuses a sample of which a part is missing, or whose totals are too small.

    The tiers of a stratified sample must add up to all sessions of the log, the draws must be
    numbered without a gap, and a tier must have as many draws as its inclusion probability says:
    n_h = π N_h in a stratified sample, and n = log(1 − π) / log(1 − p) draws with the draw
    probability p under PPTSS.

    Args:
        rows: The typed rows of the file.
        sessions: One row per draw.
        path: The file, for messages.

    Raises:
        InputError: If it is not whole.
    """
    import polars as pl

    first = rows.row(0, named=True)
    tiers = rows.unique(["tier"], keep="first")
    total = int(tiers["tier_sessions"].sum())
    for tier, drawn, population in (
        sessions.group_by("tier")
        .agg(pl.col("session").n_unique(), pl.col("tier_sessions").max())
        .sort("tier")
        .iter_rows()
    ):
        if population < drawn:
            raise _fault(path, "online.tier-smaller-than-sample", tier=tier, sessions=population,
                         drawn=drawn)  # fmt: skip
    # Draws by traffic may leave a tier out: it is not in the file.
    short = first["design"] == "pptss" and total < first["total_sessions"]
    if total != first["total_sessions"] and not short:
        values = {"found": total, "total": first["total_sessions"]}
        named = tiers.sort("tier_number")["tier"].to_list()
        raise _fault(path, "online.tiers-do-not-add-up", **values, tiers=named)
    wanted = _draws(first["design"], sessions)
    for tier, drawn, expected in wanted:
        if drawn != expected:
            raise _fault(path, "online.draws-are-missing", tier=tier, drawn=drawn,
                         expected=expected)  # fmt: skip
    highest = int(sessions.select(pl.col("draw").max()).item())
    if highest != sessions.height:
        raise _fault(path, "online.draws-have-gaps", found=sessions.height, highest=highest)


def _draws(design: str, sessions: pl.DataFrame) -> list[tuple[str, int, int]]:
    """Returns tiers, how many draws they have, and how many their probabilities say."""
    import polars as pl

    if design != "pptss":
        counted = sessions.group_by("tier").agg(
            pl.len(), (pl.col("inclusion_probability") * pl.col("tier_sessions")).max().round(0)
        )
        return [
            (tier, drawn, int(expected)) for tier, drawn, expected in counted.sort("tier").rows()
        ]
    known = sessions.filter(pl.col("draw_probability").is_between(0, 1, closed="none"))
    known = known.filter(pl.col("inclusion_probability") < 1 - 1e-9)
    if known.is_empty():
        return []
    chance, once = (
        known.select("inclusion_probability", "draw_probability")
        .sort("inclusion_probability")
        .row(0)
    )
    return [("all", sessions.height, round(math.log1p(-chance) / math.log1p(-once)))]


def _fault(path: str, kind: str, **values: object) -> InputError:
    return InputError(
        message(kind, **values), path=path, hint=message("online.sample-is-not-whole")
    )
