"""The names of queries that have none of their own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import overload

__all__ = ["QueryNumbers"]


class QueryNumbers(Sequence[str]):
    """The names "0", "1", …: texts are made as they are asked for, and most never are.

    Examples:
        >>> names = QueryNumbers(3)
        >>> list(names), names[-1], names == ["0", "1", "2"]
        (['0', '1', '2'], '2', True)
    """

    __slots__ = ("_places",)
    __hash__ = None  # type: ignore[assignment]  # as a list

    def __init__(self, count: int) -> None:
        self._places = range(count)

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        found = self._places[place]
        return str(found) if isinstance(found, int) else [str(one) for one in found]

    def __iter__(self) -> Iterator[str]:
        return map(str, self._places)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, QueryNumbers):
            return len(self) == len(other)
        return isinstance(other, list) and list(self) == other

    def __repr__(self) -> str:
        return repr(list(self))
