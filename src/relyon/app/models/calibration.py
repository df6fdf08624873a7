"""Language models compared with people, but not counted among them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from relyon.analysis.statistics import Resampling
from relyon.core.errors import InputError
from relyon.core.language import Language
from relyon.judging.llm.calibration import calibrate
from relyon.judging.llm.descriptions import MachineValues

if TYPE_CHECKING:
    from relyon.judging.store import Store

__all__ = ["CalibratedMachine", "calibrate_models"]

#: A page must respond within a second: with more items a comparison is made when it is asked for.
MOST_ITEMS = 2000
#: Enough for intervals of two digits.
DRAWS = Resampling(500)


class CalibratedMachine(MachineValues):
    """A language model with its calibration, for the page."""

    id: int
    many: bool
    outlook: str
    calibration: dict[str, object] | None


def calibrate_models(
    store: Store,
    project_id: int,
    machines: Sequence[MachineValues],
    language: Language,
    *,
    compared: int = 0,
) -> list[CalibratedMachine]:
    """Returns the calibration of each language model: its newest version, and the accepted one.

    Args:
        store: The database.
        project_id: The project.
        machines: Its language models, as `describe_agreement` returns them.
        language: Language of the verdict.
        compared: The configuration that is compared even if it has many items.

    Returns:
        The models; `calibration` is None if nothing was graded by both, or if there are too many
        items (`many`).
    """
    known = {(one.judge, one.version): one for one in store.models.all(project_id)}
    # Versions come in order: the last one stays.
    newest = {one["judge"]: one["version"] for one in machines}
    found: list[CalibratedMachine] = []
    for one in machines:
        if not one["accepted"] and newest[one["judge"]] != one["version"]:
            continue
        chosen = known[one["judge"], one["version"]]
        many = one["graded"] > MOST_ITEMS and chosen.id != compared
        calibration, outlook = None, ""
        if not many:
            try:
                measured = calibrate(store, chosen, resampling=DRAWS)
                calibration = measured.to_dict()
                outlook = measured.outlook.text(language) if measured.outlook is not None else ""
            except InputError:  # nothing has been graded by both yet
                calibration = None
        found.append(
            {
                **one,
                "id": chosen.id,
                "many": many,
                "outlook": outlook,
                "calibration": calibration,
            }
        )
    return found
