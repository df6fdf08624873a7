"""The comments before the first row of LETOR text: names, and further values of rows."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import unquote

from relyon.core.errors import ParseError
from relyon.core.texts import message
from relyon.io.letor_lines import finite
from relyon.io.text_lines import Text

if TYPE_CHECKING:
    from relyon.io.byte_source import Source

__all__ = ["LetorHeader", "header_of"]

_FEATURE = re.compile(r"# feature ([1-9]\d{0,6}): (.+)")
_ROWS = re.compile(r"# rows: (.+)")
_ENCODED = "# ids: percent-encoded"
#: Characters that separate words, begin a comment, or have a meaning in an encoded id.
_UNSAFE = re.compile(r"[\s#%\x00-\x20\x7f]")


@dataclass(frozen=True)
class LetorHeader:
    """Data without a place in LETOR lines, in comments that other programs skip.

    Attributes:
        names: The names of features by number, if they are not just the numbers.
        encoded: Whether ids are percent-encoded because one of them is not a word.
        fields: Values in each row's comment besides the document: "weight", "position".
    """

    names: dict[int, str] = field(default_factory=dict)
    encoded: bool = False
    fields: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, names: Sequence[str], ids: Sequence[str], fields: tuple[str, ...] = ()
    ) -> LetorHeader:
        """Returns the header for features with these names and rows with these ids."""
        plain = list(names) == [str(number) for number in range(1, len(names) + 1)]
        return cls(
            {} if plain else dict(enumerate(names, 1)), any(map(_UNSAFE.search, ids)), fields
        )

    def lines(self) -> str:
        """Returns the comments."""
        found = [_ENCODED] if self.encoded else []
        found += [f"# rows: {', '.join(self.fields)}"] if self.fields else []
        for number, name in self.names.items():
            bare = name.isprintable() and name == name.strip() and not name.startswith('"')
            found.append(f"# feature {number}: {name if bare and name else json.dumps(name)}")
        return "".join(f"{line}\n" for line in found)

    def encode(self, text: str) -> str:
        """Encodes an id."""
        return _UNSAFE.sub(_percent, text) if self.encoded else text

    def decode(self, text: str) -> str:
        """Decodes an id."""
        return unquote(text, errors="strict") if self.encoded else text

    def feature_names(self, width: int) -> tuple[str, ...]:
        """Returns the names of features; unnamed ones are named by their numbers."""
        width = max([width, *self.names])
        return tuple(self.names.get(number, str(number)) for number in range(1, width + 1))

    def values(self, source: Source, what: str) -> list[float]:
        """Returns the numbers in the comments of rows.

        Args:
            source: The text, which can be read again.
            what: One of `fields`.

        Raises:
            ParseError: If a row has no number.
        """
        wanted = re.compile(rf"\b{what} = (\S+)".encode())
        found = []
        for line, text in enumerate(Text(source).lines(), 1):
            row, _, comment = text.partition(b"#")
            if not row.strip():
                continue
            value = wanted.search(comment)
            if value is None:
                raise ParseError(
                    message("io.comment-lacks-that-first", what=what),
                    path=source.path,
                    line=line,
                )
            found.append(finite(value[1].decode("utf-8", "replace"), what, source.path, line))
        return found


def header_of(source: Source) -> LetorHeader:
    """Reads the comments before the first row; a stream is buffered if necessary."""
    if not source.head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"#"):
        return LetorHeader()
    source.keep()
    names: dict[int, str] = {}
    encoded = False
    fields: tuple[str, ...] = ()
    for number, line in enumerate(Text(source).lines(), 1):
        text = line.decode("utf-8", "replace").strip()
        if text and not text.startswith("#"):
            break
        named, rows = _FEATURE.fullmatch(text), _ROWS.fullmatch(text)
        encoded = encoded or text == _ENCODED
        if named:
            names[int(named[1])] = _name(named[2], source.path, number)
        elif rows:
            held = rows[1].split(", ")
            fields = tuple(one for one in ("weight", "position") if one in held)
    if len({*names.values()}) < len(names):
        names = {}
    return LetorHeader(names, encoded, fields)


def _percent(found: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in found[0].encode())


def _name(text: str, path: str, line: int) -> str:
    if not text.startswith('"'):
        return text
    try:
        return str(json.loads(text))
    except ValueError:
        raise ParseError(
            message("io.name-of-feature", text=text[:60]),
            path=path,
            line=line,
        ) from None
