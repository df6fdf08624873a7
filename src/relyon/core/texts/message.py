"""Messages: a kind and its values, as an English sentence that can be translated."""

from __future__ import annotations

from collections.abc import Mapping

from relyon.core.texts.fields import put
from relyon.core.texts.sentences import sentence

__all__ = ["Message", "message"]


class Message(str):
    """The English sentence of a kind, which keeps the kind and its values.

    It is a `str` of the sentence; `relyon.core.texts.translate` translates it.

    Attributes:
        kind: A stable identifier such as `cli.interrupted`, or a sentence of your own.
        values: Values of its placeholders, by name; messages among them are translated, too.
    """

    kind: str
    values: Mapping[str, object]

    def __new__(cls, kind: str, values: Mapping[str, object]) -> Message:
        text = sentence(kind)
        # A sentence of the catalogue doubles its braces, also if it has no values; a text that is
        # its own sentence has those that it has.
        filled = values or (text is not None and "{{" in text)
        if text is None:
            text = kind
        made = super().__new__(cls, put(text, values) if filled else text)
        made.kind = kind
        made.values = values
        return made

    def __getnewargs__(self) -> tuple[str, Mapping[str, object]]:  # type: ignore[override]
        return self.kind, self.values


def message(kind: str, /, **values: object) -> Message:
    """Returns the sentence of a kind with its values.

    Messages are returned unchanged, and a text that is not a kind is its own sentence. Besides
    Python's own format specifications a sentence may use those of `relyon.core.texts.fields`, such
    as `{rows:count row/rows}`.

    Examples:
        >>> message("core.path-message", path="a.run", message="no such file")
        'a.run: no such file'
        >>> message("core.path-message", path="a.run", message="no such file").kind
        'core.path-message'
    """
    return kind if isinstance(kind, Message) else Message(kind, values)
