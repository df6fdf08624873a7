"""What of an item is shown to whoever grades it.

How often a result was shown, at which rank, and with which probability it came into the sample
could sway a grade. Such columns are kept, and are part of every export; judges do not see them.
"""

from __future__ import annotations

from typing import Any

from relyon.data.columns import plain_name
from relyon.judging.records import Item

__all__ = ["choose_fields"]

#: Columns that only samples have, without case and signs.
SAMPLING = frozenset({
    "sessions", "sessioncount", "querysessions", "tiersessions", "totalsessions", "tier",
    "tiernumber", "tierqueries", "tierleast", "tiermost", "probability", "inclusionprobability",
    "drawprobability", "samplingprobability", "samplingweight", "inclusionweight", "commonk",
})  # fmt: skip
#: Columns that samples have, and that say something of a document elsewhere: of a shoe its weight.
DOUBTFUL = frozenset({"weight", "draw", "design", "seed", "k", "position", "rank", "reason"})


def choose_fields(item: Item) -> dict[str, Any]:
    """Returns the further fields of an item that are shown to judges.

    Examples:
        >>> choose_fields(Item("shoes", "d1", fields={"price": 30, "weight": "300 g"}))
        {'price': 30, 'weight': '300 g'}
        >>> sampled = {"price": 30, "weight": 12.5, "sessions": 8}
        >>> choose_fields(Item("shoes", "d1", fields=sampled))
        {'price': 30}
    """
    names = {name: plain_name(name) for name in item.fields}
    drawn = item.tier or item.session or item.inclusion_probability is not None
    sampled = bool(drawn) or not SAMPLING.isdisjoint(names.values())
    hidden = SAMPLING | DOUBTFUL if sampled else SAMPLING
    return {name: value for name, value in item.fields.items() if names[name] not in hidden}
