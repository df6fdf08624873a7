"""Which of the items that a judge is given are gold, and what a judge may know of an item.

Whoever can tell gold items from others grades them with more care, and the check is worth nothing.
So they come at turns that only the project's seed knows, they count as any other item in what a
judge is told, and the numbers by which a judge's programs name items do not say when those were
added.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_left
from functools import lru_cache

from relkit.core.errors import InputError
from relkit.judging.places import draw_number
from relkit.judging.records import Project, User

__all__ = ["count_turns", "is_gold_turn", "mask_item", "split_item", "unmask_item"]

#: Of so many items that a judge is given, one after the other, the share that is gold is exact.
BLOCK = 100
#: Bits of a masked number below those of its project. Numbers up to this are items themselves.
WIDTH = 32


def is_gold_turn(project: Project, user: User, turn: int) -> bool:
    """Says whether a judge is given a gold item next, if there is one, after `turn` other items."""
    if not project.gold_share:
        return False
    block, place = divmod(turn, BLOCK)
    return place in _gold_places(project.seed, project.gold_share, user.name, block)


def count_turns(project: Project, user: User, turn: int, ordinary: int, gold: int) -> int:
    """Returns how many items a judge will still be given, gold among them.

    Giving the next one lowers the number by one, whichever it is.

    Args:
        project: Whose share of gold counts.
        user: The judge.
        turn: How many items the judge was given so far.
        ordinary: Items that the judge may get and that are not gold.
        gold: Gold items that the judge has not had.
    """
    if not (ordinary and gold and project.gold_share):
        return ordinary
    target = _ordinary_until(project, user, turn) + ordinary
    first = turn // BLOCK
    most = 1 + int(ordinary / (1 - project.gold_share)) // BLOCK + 1
    blocks = range(first, first + most + 1)
    # The block in which the last of the ordinary items comes.
    block = blocks[
        bisect_left(blocks, target, key=lambda one: _ordinary_before(project, user, one)) - 1
    ]
    left = target - _ordinary_before(project, user, block)
    golden = _gold_places(project.seed, project.gold_share, user.name, block)
    end = block * BLOCK
    while left:
        left -= (end - block * BLOCK) not in golden
        end += 1
    return min(end - turn, ordinary + gold)


def _ordinary_until(project: Project, user: User, turn: int) -> int:
    block, place = divmod(turn, BLOCK)
    golden = _gold_places(project.seed, project.gold_share, user.name, block)
    return _ordinary_before(project, user, block) + place - sum(one < place for one in golden)


def _ordinary_before(project: Project, user: User, block: int) -> int:
    return block * BLOCK - _gold_before(project.seed, project.gold_share, user.name, block)


def _gold_before(seed: int, share: float, name: str, block: int) -> int:
    """How many turns before a block are for gold. Chance decides who gets the fraction first."""
    return int(block * BLOCK * share + draw_number(seed, "gold", name) / 2**64)


@lru_cache(4096)
def _gold_places(seed: int, share: float, name: str, block: int) -> frozenset[int]:
    """Which of a block's turns are for gold."""
    count = _gold_before(seed, share, name, block + 1) - _gold_before(seed, share, name, block)
    places = sorted(range(BLOCK), key=lambda place: draw_number(seed, "gold", name, block, place))
    return frozenset(places[:count])


def mask_item(project: Project, item: int) -> int:
    """Returns the number by which judges know an item.

    Examples:
        >>> from relkit.data.scale import SEARCH
        >>> project = Project(1, "June", "grades", SEARCH, {}, 1, 0.0, None, 7, 1800.0, 0.0)
        >>> masked = mask_item(project, 12)
        >>> masked > 2**32, split_item(masked)[0], unmask_item(project, masked)
        (True, 1, 12)
    """
    left, right = item >> 16, item & 0xFFFF
    for turn in range(4):
        left, right = right, left ^ _mix(project, turn, right)
    return project.id << WIDTH | left << 16 | right


def unmask_item(project: Project, number: int) -> int:
    """Returns the item that `mask_item` was given, in its project."""
    left, right = number >> 16 & 0xFFFF, number & 0xFFFF
    for turn in reversed(range(4)):
        left, right = right ^ _mix(project, turn, left), left
    return left << 16 | right


def split_item(number: int) -> tuple[int, int]:
    """Returns the project that a number names, 0 where it is an item itself, and the rest.

    Raises:
        InputError: If it can be neither.
    """
    project, rest = number >> WIDTH, number & (1 << WIDTH) - 1
    if number < 1 or project >= 1 << 21:
        raise InputError("there is no such item")
    return project, rest


def _mix(project: Project, turn: int, half: int) -> int:
    text = f"{project.seed}\n{project.id}\nitem\n{turn}\n{half}".encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=2).digest())
