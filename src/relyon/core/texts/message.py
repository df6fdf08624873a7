"""Sentences that are written where they are used and can still be translated."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from relyon.core.texts.fields import put

__all__ = ["Message", "message"]


class Message(str):
    """An English sentence that keeps its template and values.

    It is a `str` of the sentence; `relyon.core.texts.translate` translates it.

    Attributes:
        template: The sentence with placeholders in braces, or as it is if there are no values.
        values: Values of its placeholders, by name; messages among them are translated, too.
    """

    template: str
    values: Mapping[str, Any]

    def __new__(cls, template: str, values: Mapping[str, Any]) -> Message:
        made = super().__new__(cls, put(template, values) if values else template)
        made.template = template
        made.values = values
        return made

    def __getnewargs__(self) -> tuple[Any, ...]:
        return self.template, self.values


def message(template: str, /, **values: Any) -> Message:
    """Returns an English sentence with its values, which can be translated.

    A message stays as it is. Besides Python's own format specifications a template may use those of
    `relyon.core.texts.fields`, such as `{rows:count row/rows}`.

    Examples:
        >>> message("expected {wanted} columns, got {found}", wanted=4, found=3)
        'expected 4 columns, got 3'
        >>> message("expected {wanted} columns, got {found}", wanted=4, found=3).template
        'expected {wanted} columns, got {found}'
    """
    return template if isinstance(template, Message) else Message(template, values)
