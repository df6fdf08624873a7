"""The turns at which judges get gold items, and item numbers that do not reveal them.

A judge who can recognise gold items grades them with more care, which defeats the check. So their
turns depend on the project's secret, judges' progress counts them like any other item, and the
item numbers that a judge's programs see do not reveal when items were added.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_left
from functools import lru_cache

from relyon.core.errors import InputError
from relyon.core.texts import message
from relyon.judging.places import draw_number
from relyon.judging.records import Project, User

__all__ = ["count_turns", "is_gold_turn", "mask_item", "split_item", "unmask_item"]

#: Block size: the share of gold is exact in each block of this many consecutive items.
BLOCK = 100
#: Bits of a masked number below the project's. Smaller numbers are item ids themselves.
WIDTH = 32


def is_gold_turn(project: Project, user: User, turn: int) -> bool:
    """Returns whether a judge's next item is gold, if there is one, after `turn` other items."""
    if not project.gold_share:
        return False
    block, place = divmod(turn, BLOCK)
    return place in _gold_places(project.draw_key, project.gold_share, user.name, block)


def count_turns(project: Project, user: User, turn: int, ordinary: int, gold: int) -> int:
    """Returns how many items a judge will still get, including gold.

    Assigning the next one lowers the number by one, whichever it is.

    Args:
        project: The project, with its share of gold items.
        user: The judge.
        turn: Number of items the judge has got so far.
        ordinary: Non-gold items that the judge may get.
        gold: Gold items that the judge has not had.
    """
    if not (ordinary and gold and project.gold_share):
        return ordinary
    target = _ordinary_until(project, user, turn) + ordinary
    first = turn // BLOCK
    most = 1 + int(ordinary / (1 - project.gold_share)) // BLOCK + 1
    blocks = range(first, first + most + 1)
    # The block of the last ordinary item.
    block = blocks[
        bisect_left(blocks, target, key=lambda one: _ordinary_before(project, user, one)) - 1
    ]
    left = target - _ordinary_before(project, user, block)
    golden = _gold_places(project.draw_key, project.gold_share, user.name, block)
    end = block * BLOCK
    while left:
        left -= (end - block * BLOCK) not in golden
        end += 1
    return min(end - turn, ordinary + gold)


def _ordinary_until(project: Project, user: User, turn: int) -> int:
    block, place = divmod(turn, BLOCK)
    golden = _gold_places(project.draw_key, project.gold_share, user.name, block)
    return _ordinary_before(project, user, block) + place - sum(one < place for one in golden)


def _ordinary_before(project: Project, user: User, block: int) -> int:
    return block * BLOCK - _gold_before(project.draw_key, project.gold_share, user.name, block)


def _gold_before(key: str, share: float, name: str, block: int) -> int:
    """Returns the number of gold turns before a block, with random rounding."""
    return int(block * BLOCK * share + draw_number(key, "gold", name) / 2**64)


@lru_cache(4096)
def _gold_places(key: str, share: float, name: str, block: int) -> frozenset[int]:
    """Returns the gold turns of a block."""
    count = _gold_before(key, share, name, block + 1) - _gold_before(key, share, name, block)
    places = sorted(range(BLOCK), key=lambda place: draw_number(key, "gold", name, block, place))
    return frozenset(places[:count])


def mask_item(project: Project, item: int) -> int:
    """Returns the number of an item that judges see.

    Examples:
        >>> from relyon.data.scale import SEARCH
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
    """Inverts `mask_item`, within its project."""
    left, right = number >> 16 & 0xFFFF, number & 0xFFFF
    for turn in reversed(range(4)):
        left, right = right ^ _mix(project, turn, left), left
    return left << 16 | right


def split_item(number: int) -> tuple[int, int]:
    """Splits a number into its project (0 if it is an item id itself) and the rest.

    Raises:
        InputError: If it is neither.
    """
    project, rest = number >> WIDTH, number & (1 << WIDTH) - 1
    if number < 1 or project >= 1 << 21:
        raise InputError(message("judging.this-item-does"))
    return project, rest


def _mix(project: Project, turn: int, half: int) -> int:
    text = f"{project.draw_key}\n{project.id}\nitem\n{turn}\n{half}".encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=2).digest())
