"""The fields of an item that are shown to judges.

How often a result was shown, its rank, and its sampling probability could sway a grade. Such
columns are stored and exported, but judges do not see them.
"""

from __future__ import annotations

from relyon.data.columns import plain_name
from relyon.judging.records import Item

__all__ = ["choose_fields"]

#: Columns that only samples have, as `plain_name` returns them.
SAMPLING = frozenset({
    "sessions", "sessioncount", "querysessions", "tiersessions", "totalsessions", "tier",
    "tiernumber", "tierqueries", "tierleast", "tiermost", "probability", "inclusionprobability",
    "drawprobability", "drawbatch", "draworder", "drawweight", "drawleft", "drawcurve", "drawseed",
    "drawmeasure", "drawpairs", "samplingprobability", "samplingweight", "inclusionweight",
    "commonk",
})  # fmt: skip
#: Columns of samples whose names can also describe a document, such as the weight of a shoe.
DOUBTFUL = frozenset({"weight", "draw", "design", "seed", "k", "position", "rank", "reason"})


def choose_fields(item: Item) -> dict[str, object]:
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
