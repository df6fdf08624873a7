"""Language models on the agreement page: each beside people, never among them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from relkit.analysis.statistics import Resampling
from relkit.core.errors import InputError
from relkit.judging.llm.calibration import calibrate

if TYPE_CHECKING:
    from relkit.judging.store import Store

__all__ = ["hold_against_people"]

#: A page answers within a second: of more items the command line tells.
MOST_ITEMS = 2000
#: Enough for intervals of two digits.
DRAWS = Resampling(500)


def hold_against_people(
    store: Store, project_id: int, machines: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Returns what there is to say of each language model of a project: of its newest version, and
    of the accepted one.

    Args:
        store: The database.
        project_id: The project.
        machines: Its language models, as `relkit.judging.status.describe_agreement` finds them.

    Returns:
        The models; `calibration` is None where nothing was graded by both, or where there are too
        many items, as `many` says.
    """
    known = {(one.judge, one.version): one for one in store.models.all(project_id)}
    # Versions come in order: the last one stays.
    newest = {one["judge"]: one["version"] for one in machines}
    found = []
    for one in machines:
        if not one["accepted"] and newest[one["judge"]] != one["version"]:
            continue
        many = one["graded"] > MOST_ITEMS
        calibration = None
        if not many:
            chosen = known[one["judge"], one["version"]]
            try:
                calibration = calibrate(store, chosen, resampling=DRAWS).to_dict()
            except InputError:  # nothing was graded by both yet
                calibration = None
        found.append({**one, "many": many, "calibration": calibration})
    return found
