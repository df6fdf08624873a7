"""What a ranker keeps of its training rows, to recognise them when they are ranked."""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING, TypedDict

from relyon.core.notes import Note
from relyon.data.features import Features
from relyon.ltr.preparation.duplicates import row_keys, telling_rows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from relyon.data.matrices import FeatureMatrix

__all__ = ["RowSketch", "row_sketch", "trained_share", "training_note"]

#: The number of rows that are kept.
KEPT = 2_048
#: The number of values that are looked at.
VALUES = 20_000_000
#: The smallest share of ranked rows that is worth a warning, and the fewest rows that show it.
LEAST, FEWEST = 0.01, 3


class RowSketch(TypedDict):
    """Hashes of some training rows.

    Attributes:
        rows: The number of training rows that no other one equals.
        keys: Up to 2,048 of their hashes of 64 bits, evenly spaced, in base64.
    """

    rows: int
    keys: str


def row_sketch(values: FeatureMatrix) -> RowSketch:
    """Returns hashes of training rows: of rows whose features no other row has.

    Args:
        values: The features, one row per label.
    """
    import numpy as np

    height, width = values.shape
    step = -(-height * width // VALUES) if height else 1
    keys = _unique_keys(values if step == 1 else values[::step])
    chosen = np.unique(np.linspace(0, len(keys) - 1, min(len(keys), KEPT)).astype(np.int64))
    kept = np.sort(keys)[chosen] if len(keys) else keys
    return {
        "rows": len(keys) * step,
        "keys": base64.b64encode(kept.astype("<u8").tobytes()).decode("ascii"),
    }


def trained_share(sketch: RowSketch, values: FeatureMatrix) -> float:
    """Returns which share of rows a ranker was trained on; NaN if too few show it.

    Rows that equal another one are left out on both sides: they may be equal by chance.

    Args:
        sketch: What the ranker kept.
        values: The features of the rows to rank, in the ranker's order.
    """
    import numpy as np

    try:
        known = np.frombuffer(base64.b64decode(sketch["keys"], validate=True), dtype="<u8")
    except (binascii.Error, ValueError):
        return float("nan")
    keys = _unique_keys(values)
    hits = int(np.isin(keys, known).sum())
    if hits < FEWEST or not len(known):
        return float("nan")
    return min(1.0, hits * (sketch["rows"] / len(known)) / len(keys))


def training_note(sketch: RowSketch | None, values: FeatureMatrix) -> Note | None:
    """Returns a warning if a ranker ranks rows that it was trained on.

    Args:
        sketch: What the ranker kept; None if it kept nothing.
        values: The features of the rows, in the ranker's order.
    """
    share = float("nan") if sketch is None else trained_share(sketch, values)
    if not share >= LEAST:
        return None
    return Note("ranked-training-rows", level="warning", values={"share": share})


def _unique_keys(values: FeatureMatrix) -> NDArray[np.uint64]:
    """Returns the hashes of rows that no other row equals."""
    import numpy as np

    features = Features(tuple(map(str, range(values.shape[1]))), values)
    found, counts = np.unique(row_keys(features)[telling_rows(features)], return_counts=True)
    return np.asarray(found[counts == 1])
