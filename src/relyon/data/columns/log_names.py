"""Columns of search logs: their usual names, and what tells a table of counts from a log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from relyon.data.columns.roles import plain_name
from relyon.data.columns.synonyms import COUNTS, LOG_LEVELS, SPELLINGS

__all__ = [
    "COUNTS",
    "FALSE",
    "LOG_LEVELS",
    "SPELLINGS",
    "TRUE",
    "is_click_log",
    "is_counted",
    "is_of_log",
]

#: Words for yes and no, besides 1 and 0.
TRUE = ("true", "t", "yes", "y", "是")
FALSE = ("false", "f", "no", "n", "否", "none", "null")


def is_counted(names: Sequence[str], columns: Mapping[str, str] | None = None) -> bool:
    """Returns whether a table contains counts of impressions and clicks, not single impressions.

    Args:
        names: Its columns.
        columns: The caller's choice, from role to column.

    Examples:
        >>> is_counted(["query", "position", "doc", "impressions", "clicks"])
        True
        >>> is_counted(["session", "query", "position", "doc", "clicks"])
        False
    """
    given = {role for role, name in (columns or {}).items() if name}
    if given & {"clicked", "shown"}:
        return False
    plain = {plain_name(name) for name in names}
    return all(role in given or plain & set(COUNTS[role]) for role in COUNTS)


def is_click_log(names: Sequence[str]) -> bool:
    """Returns whether columns are those of a log: position, click, and the session or the time.

    Examples:
        >>> is_click_log(["会话", "关键词", "商品编号", "位置", "是否点击"])
        True
        >>> is_click_log(["query", "doc", "position", "clicked", "bm25"])
        False
    """
    plain = {plain_name(name) for name in names}
    return all(
        any(plain & set(SPELLINGS[role]) for role in roles)
        for roles in (("position",), ("clicked",), ("session", "timestamp"))
    )


def is_of_log(name: str) -> bool:
    """Returns whether a column's name is usual in logs."""
    return any(plain_name(name) in names for names in SPELLINGS.values())
