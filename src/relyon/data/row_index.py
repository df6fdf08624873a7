"""The index of pandas objects: which rows belong together, and what a row is called."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol, TypeGuard, TypeVar

from relyon.core.errors import InputError
from relyon.core.notes import Note, warn
from relyon.core.texts import message

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

T = TypeVar("T")

__all__ = ["aligned", "has_index", "index_label", "paired", "with_index_columns"]


class Index(Protocol):
    """The labels of rows: an index of pandas."""

    names: list[object]
    is_unique: bool

    def __len__(self) -> int: ...
    def __getitem__(self, place: int) -> object: ...
    def equals(self, other: object) -> bool: ...
    def get_indexer(self, target: object) -> NDArray[np.int64]: ...


class Rows(Protocol):
    """A pandas Series or DataFrame."""

    index: Index

    def take(self, places: NDArray[np.int64]) -> object: ...
    def reset_index(self, level: list[object]) -> object: ...


def has_index(value: object) -> TypeGuard[Rows]:
    """Returns whether a value is a pandas object, without importing pandas."""
    return hasattr(value, "take") and hasattr(getattr(value, "index", None), "get_indexer")


def aligned(
    inputs: Mapping[str, T], *, to: Mapping[str, object] | None = None
) -> tuple[dict[str, T], tuple[Note, ...]]:
    """Brings rows of pandas objects into the order of the first one, by their index.

    Arrays, lists and objects with the same index are paired by position, as they come. So is an
    object of another length, such as the sizes of groups.

    Args:
        inputs: Values of rows by their name in messages; None stays None.
        to: Values before them that keep their order, such as features.

    Returns:
        The values by name, and a warning if one was put into another order.

    Raises:
        InputError: If two indexes of the same length differ, and are not the same unique labels.
    """
    found = dict(inputs)
    fixed: dict[str, object] = {**(to or {}), **found}
    leading = next(((name, one.index) for name, one in fixed.items() if has_index(one)), None)
    if leading is None:
        return found, ()
    (first, index), moved = leading, []
    for name, value in found.items():
        if name == first or not has_index(value):
            continue
        own = value.index
        if len(own) != len(index) or own.equals(index):
            continue
        places = own.get_indexer(index) if index.is_unique and own.is_unique else None
        if places is None or bool((places < 0).any()):
            reason = "data.indexes-differ" if places is not None else "data.indexes-repeat"
            raise InputError(
                message(reason, first=first, second=name),
                hint=message("data.pair-by-position"),
            )
        if bool((places[1:] < places[:-1]).any()):
            found[name] = value.take(places)  # type: ignore[assignment]
            moved.append(name)
    if not moved:
        return found, ()
    values = {"first": first, "moved": [f"`{name}`" for name in moved]}
    return found, (Note("aligned-by-index", len(moved), "warning", values=values),)


def paired(inputs: Mapping[str, T], *, to: Mapping[str, object] | None = None) -> dict[str, T]:
    """Returns the values of `aligned`, and issues its warning.

    Raises:
        InputError: If two indexes do not fit.
    """
    found, notes = aligned(inputs, to=to)
    warn(notes)
    return found


def index_label(values: object, place: int) -> str:
    """Returns the index's label of a row of a pandas object; empty for other objects.

    Args:
        values: An array or a pandas object.
        place: The position of the row, from 0.
    """
    if not has_index(values):
        return ""
    label = values.index[place]
    return ", ".join(map(str, label)) if isinstance(label, tuple) else str(label)


def with_index_columns(frame: T) -> tuple[T, tuple[str, ...]]:
    """Returns a pandas frame with the named levels of its index as columns, and their names.

    A level without a name is left out, and so is one whose name a column has. Anything but a frame
    of pandas comes back as it is.
    """
    if not has_index(frame) or not hasattr(frame, "columns"):
        return frame, ()
    taken = {str(name) for name in frame.columns}
    named = [name for name in frame.index.names if name is not None and str(name) not in taken]
    if not named:
        return frame, ()
    wider: T = frame.reset_index(level=named)  # type: ignore[assignment]
    return wider, tuple(str(name) for name in named)
