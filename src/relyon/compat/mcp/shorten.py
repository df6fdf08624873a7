"""Long answers are cut, and say so."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import islice

__all__ = ["MOST_ANSWER", "page", "shortened"]

#: Characters of JSON of one answer: what an agent can read without losing its thread.
MOST_ANSWER = 24_000
#: Items of lists and of tables, tried in turn until the answer is short enough.
NEVER = 1 << 60
TRIES = (
    *((items, NEVER) for items in (200, 100, 50, 20, 10)),
    *((items, rows) for items in (20, 5, 1) for rows in (200, 100, 50, 20)),
    *((items, items) for items in (10, 5, 2, 1, 0)),
)
MOST_TEXT = 2_000
MOST_CUT = 20


def page(values: Mapping[str, object], first: int, count: int) -> tuple[dict[str, object], object]:
    """Returns a page of values by query, and which page it is.

    Args:
        values: The values by query.
        first: How many to skip.
        count: How many to return.

    Examples:
        >>> page({"a": 1, "b": 2, "c": 3}, 1, 1)
        ({'b': 2}, {'first': 1, 'shown': 1, 'of': 3, 'next': 2})
    """
    chosen = dict(list(values.items())[first : first + count])
    end = first + len(chosen)
    about: dict[str, object] = {"first": first, "shown": len(chosen), "of": len(values)}
    if end < len(values):
        about["next"] = end
    return chosen, about


def shortened(value: Mapping[str, object], most: int = MOST_ANSWER) -> dict[str, object]:
    """Returns JSON-ready values that are short enough, with `cut` naming what was cut.

    Lists and long texts are cut first, then tables such as values by query.

    Args:
        value: The values.
        most: The most characters of their JSON.

    Examples:
        >>> found = shortened({"rows": list(range(1000)), "n": 1}, 1000)
        >>> len(found["rows"]), found["cut"]
        (200, [{'at': 'rows', 'shown': 200, 'of': 1000}])
    """
    if len(_text(value)) <= most:
        return dict(value)
    for lengths in TRIES:
        cut: list[dict[str, object]] = []
        found = {name: _cut(one, lengths, name, cut) for name, one in value.items()}
        if len(_text({**found, "cut": cut[:MOST_CUT]})) <= most:
            break
    return {**found, "cut": cut[:MOST_CUT]}


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _cut(value: object, most: tuple[int, int], at: str, cut: list[dict[str, object]]) -> object:
    length, keys = most
    if isinstance(value, str) and len(value) > MOST_TEXT:
        cut.append({"at": at, "shown": MOST_TEXT, "of": len(value)})
        return value[:MOST_TEXT]
    if isinstance(value, Mapping):
        if len(value) > keys:
            cut.append({"at": at, "shown": keys, "of": len(value)})
        chosen = islice(value.items(), keys)
        return {key: _cut(one, most, f"{at}.{key}", cut) for key, one in chosen}
    if not isinstance(value, list | tuple):
        return value
    if len(value) > length:
        cut.append({"at": at, "shown": length, "of": len(value)})
    return [_cut(one, most, f"{at}[]", cut) for one in value[:length]]
