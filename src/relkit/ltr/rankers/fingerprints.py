"""Fingerprints: two numbers may be compared where they are of the same measure and rules."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from relkit.data.convention import Convention
    from relkit.data.labelled import LabelledRows
    from relkit.data.scale import Scale
    from relkit.measures.base import Measure

__all__ = ["data_fingerprint", "measure_fingerprint"]

#: Characters of a fingerprint: 64 bits.
LENGTH = 16


def measure_fingerprint(
    measure: Measure, convention: Convention, scale: Scale | None = None
) -> str:
    """Returns a fingerprint of a measure and the rules under which it is counted.

    Names do not matter: the measure's parameters are filled in from the convention first, and two
    presets of the same rules have the same fingerprint.

    Args:
        measure: The measure.
        convention: The rules.
        scale: The grade scale.

    Examples:
        >>> import relkit
        >>> from relkit.data.convention import load_convention
        >>> ndcg, rules = relkit.measure("ndcg@10"), load_convention("relkit")
        >>> found = measure_fingerprint(ndcg, rules)
        >>> found == measure_fingerprint(ndcg, rules.replace(name="ours"))
        True
        >>> found == measure_fingerprint(ndcg, rules.replace(gain="exp"))
        False
    """
    rules = convention.to_dict()
    rules.pop("name")
    gains = None if scale is None else {"gains": _plain(scale.gains), "from": scale.relevant_from}
    resolved = str(measure.resolve(convention, scale))
    text = json.dumps([resolved, rules, gains], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:LENGTH]


def data_fingerprint(rows: LabelledRows) -> str:
    """Returns a fingerprint of labels, groups, weights and features: their numbers and order.

    The type of the numbers does not matter: all are taken in double precision. Names of queries
    and files do not count.

    Args:
        rows: Labelled rows.
    """
    import numpy as np

    found = hashlib.sha256()
    parts: list[Any] = [rows.labels, rows.groups]
    parts += [rows.weights] if rows.weights is not None else []
    for part in parts:
        _add(found, np.asarray(part))
    if rows.features is not None:
        found.update(json.dumps(list(rows.features.names)).encode())
        values = rows.features.values
        for start in range(0, len(rows), 65_536):
            block = values[start : start + 65_536]
            _add(found, np.asarray(block.toarray() if hasattr(block, "toarray") else block))
    return found.hexdigest()[:LENGTH]


def _add(found: Any, values: Any) -> None:
    import numpy as np

    # Adding 0 makes one zero of both, and there is one NaN.
    numbers = np.ascontiguousarray(values, dtype="<f8") + 0.0
    numbers[np.isnan(numbers)] = np.nan
    found.update(str(numbers.shape).encode())
    found.update(numbers.tobytes())


def _plain(gains: Any) -> Any:
    return None if gains is None else sorted((float(key), float(one)) for key, one in gains.items())
