"""Maximal groups of systems of which no two are separated: the letters of a compact display."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

__all__ = ["MOST_GROUPS", "letters", "maximal_groups"]

#: With more groups than this, letters say nothing, and their number can double with every pair.
MOST_GROUPS = 200


def maximal_groups(
    count: int, separated: Iterable[tuple[int, int]], most: int = MOST_GROUPS
) -> list[tuple[int, ...]] | None:
    """Returns all maximal groups of systems of which no two are separated.

    Two systems share a group exactly if they are not separated; a system can be in several groups,
    since being inseparable is not transitive. Insert and absorb: a group with both systems of a
    separated pair becomes two, each without one of them; those within another are dropped.

    Args:
        count: The number of systems, which are numbered from the best.
        separated: Pairs of numbers.
        most: With more groups, nothing is returned.

    Returns:
        Groups of ascending numbers, those with the best systems first; None if there are too many.

    Examples:
        >>> maximal_groups(4, [(0, 2), (0, 3), (1, 3)])
        [(0, 1), (1, 2), (2, 3)]
        >>> maximal_groups(3, [])
        [(0, 1, 2)]

    References:
        Piepho (2004), Journal of Computational and Graphical Statistics 13(2).
    """
    groups = [(1 << count) - 1]
    for first, second in separated:
        both = (1 << first) | (1 << second)
        split = [one for one in groups if one & both == both]
        if not split:
            continue
        kept = [one for one in groups if one & both != both]
        for group in split:
            for without in (1 << first, 1 << second):
                smaller = group & ~without
                if not any(smaller & one == smaller for one in kept):
                    kept = [one for one in kept if one & smaller != one]
                    kept.append(smaller)
        if len(kept) > most:
            return None
        groups = kept
    found = [tuple(place for place in range(count) if one >> place & 1) for one in groups]
    return sorted(found)


def letters(groups: Sequence[Sequence[int]], count: int) -> list[str]:
    """Returns the letters of each system's groups: a, b … z, then a2, b2 and so on.

    Examples:
        >>> letters([(0, 1), (1, 2)], 3)
        ['a', 'ab', 'b']
    """
    found = ["" for _ in range(count)]
    for place, group in enumerate(groups):
        turn, letter = divmod(place, 26)
        for one in group:
            found[one] += f"{chr(97 + letter)}{turn + 1 if turn else ''}"
    return found
