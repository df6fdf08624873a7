"""Text in UTF-16, GBK or Big5 as UTF-8: its encoding, where that is certain, and the conversion.

A wrong guess would change ids and queries without a word, so there is none: without a byte-order
mark a text is only converted if its beginning leaves no doubt. Otherwise the reader refuses it and
names what it looks like.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, field

from relyon.core.errors import ParseError
from relyon.core.notes import Note
from relyon.core.texts import message
from relyon.io.compression import Reader
from relyon.io.encoding import decoded

__all__ = ["Encoding", "Transcoded", "certain_encoding"]

#: Fewer characters of two bytes decide nothing.
FEWEST = 100
#: The least share of them that are frequent characters or punctuation of the encoding.
FREQUENT = 0.9
#: The least share of characters at bytes that texts of other languages seldom use: GBK's from 0xD0
#: on (the pinyin of X, Y and Z), where EUC-KR has no syllables and EUC-JP only rare characters;
#: Big5's whose second byte is below 0x7F.
TYPICAL = {"GBK": 0.1, "Big5": 0.15}
#: The largest share of kana, which Japanese texts are full of.
KANA = 0.01
#: So many characters beyond ASCII make text that is valid UTF-8 certainly UTF-8: of three or more
#: bytes, which hardly ever appear by chance, and of two.
FEWEST_WIDE, FEWEST_NARROW = 3, 10
PAIRS = re.compile(rb"[\x81-\xfe][\x40-\x7e\x80-\xfe]")
MARKS = (
    (codecs.BOM_UTF32_LE, "UTF-32", "utf-32"),
    (codecs.BOM_UTF32_BE, "UTF-32", "utf-32"),
    (codecs.BOM_UTF16_LE, "UTF-16", "utf-16"),
    (codecs.BOM_UTF16_BE, "UTF-16", "utf-16"),
)


@dataclass(frozen=True)
class Encoding:
    """An encoding other than UTF-8.

    Attributes:
        name: Its name for people.
        codec: Its name in Python.
        declared: Whether the caller named it; otherwise it was recognised.
    """

    name: str
    codec: str
    declared: bool = field(default=False, repr=False)

    def note(self, path: str) -> Note:
        """Returns the note that a file was read in this encoding."""
        return Note("read-in-encoding", values={"path": path, "encoding": self.name})


def certain_encoding(head: bytes) -> Encoding | None:
    """Returns the encoding of a text if it is certain, and not UTF-8.

    With a byte-order mark it is UTF-16 or UTF-32. Without one it is GBK (GB18030) or Big5 if the
    whole beginning decodes, and of at least 100 characters of two bytes

    - at least 90% are frequent ones: of the first level of GB 2312, or of Big5, or punctuation;
    - at least 10% (GBK) or 15% (Big5) lie where texts of other languages have hardly any;
    - at most 1% are kana (GBK).

    Args:
        head: The beginning of the text; the last character may be cut.

    Examples:
        >>> text = "查询,文档,等级\\n" + "手机壳,防水硬壳,3\\n" * 20
        >>> certain_encoding(text.encode("gbk"))
        Encoding(name='GBK', codec='gb18030')
        >>> certain_encoding("手机壳".encode("gbk")), certain_encoding(text.encode())
        (None, None)
    """
    for mark, name, codec in MARKS:
        if head.startswith(mark):
            return Encoding(name, codec)
    if head.isascii() or b"\0" in head or decoded(head, "utf-8") is not None:
        return None
    pairs = PAIRS.findall(head)
    if len(pairs) < FEWEST:
        return None
    if _is_gbk(pairs) and decoded(head, "gb18030") is not None:
        name = "GB18030" if decoded(head, "gbk") is None else "GBK"
        return Encoding(name, "gb18030")
    if _is_big5(pairs) and decoded(head, "cp950") is not None:
        return Encoding("Big5", "cp950")
    return None


def _is_gbk(pairs: list[bytes]) -> bool:
    level = sum(0xB0 <= pair[0] <= 0xD7 and pair[1] >= 0xA1 for pair in pairs)
    signs = sum(0xA1 <= pair[0] <= 0xA3 and pair[1] >= 0xA1 for pair in pairs)
    later = sum(0xD0 <= pair[0] <= 0xD7 and pair[1] >= 0xA1 for pair in pairs)
    kana = sum(pair[0] in (0xA4, 0xA5) for pair in pairs)
    return (
        level + signs >= FREQUENT * len(pairs)
        and later >= TYPICAL["GBK"] * len(pairs)
        and kana <= KANA * len(pairs)
    )


def _is_big5(pairs: list[bytes]) -> bool:
    level = sum(0xA4 <= pair[0] <= 0xC6 for pair in pairs)
    signs = sum(0xA1 <= pair[0] <= 0xA3 for pair in pairs)
    low = sum(pair[1] < 0x7F for pair in pairs)
    return level + signs >= FREQUENT * len(pairs) and low >= TYPICAL["Big5"] * len(pairs)


class Transcoded:
    """A stream of text as UTF-8.

    Args:
        stream: The bytes.
        encoding: Their encoding.
        path: The file, for messages.

    Raises:
        ParseError: While reading, where bytes do not belong to the encoding.
    """

    def __init__(self, stream: Reader, encoding: Encoding, path: str) -> None:
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder(encoding.codec)()
        self._encoding = encoding
        self._path = path
        self._lines = 1
        self._bytes = 0
        # A declared encoding may be wrong: UTF-8 can often be decoded as another one.
        self._utf8 = codecs.getincrementaldecoder("utf-8")() if encoding.declared else None
        self._seen: set[str] = set()
        self._waiting = b""
        self._ended = False

    def read(self, size: int = -1, /) -> bytes:
        """Returns some bytes of UTF-8, at most `size`; b"" at the end."""
        parts = []
        while (size and not self._ended) or self._waiting:
            if self._waiting:
                part = self._waiting if size < 0 else self._waiting[:size]
                self._waiting = self._waiting[len(part) :]
                parts.append(part)
                if size >= 0:
                    break
            else:
                self._waiting = self._more(size)
        return b"".join(parts)

    def _more(self, size: int) -> bytes:
        raw = self._stream.read(size if size < 0 else max(size, 4))
        self._ended = not raw or size < 0
        self._bytes += len(raw)
        if self._utf8 is not None:
            self._check_utf8(self._utf8, raw)
        try:
            text = self._decoder.decode(raw, final=self._ended)
        except UnicodeDecodeError as error:
            raise self._foreign(error) from None
        found = text.encode()
        self._lines += found.count(b"\n")
        return found

    def _check_utf8(self, decoder: codecs.IncrementalDecoder, raw: bytes) -> None:
        """Refuses text that certainly is UTF-8."""
        try:
            text = decoder.decode(raw)
        except UnicodeDecodeError:
            self._utf8 = None
            return
        self._seen.update(sign for sign in (text if not text.isascii() else "") if sign > "\x7f")
        wide = sum(sign > "\u07ff" for sign in self._seen)
        if wide >= FEWEST_WIDE or len(self._seen) - wide >= FEWEST_NARROW or "\ufeff" in self._seen:
            raise self._error("io.is-utf-8-not", "io.leave-encoding-out")

    def _foreign(self, error: UnicodeDecodeError) -> ParseError:
        """Returns the error for bytes that do not belong to the encoding."""
        data, start = error.object, error.start
        line = self._lines + data[:start].count(b"\n")
        if not self._encoding.declared:
            return self._error("io.is-not-text-in", "io.save-as-utf-8", line)
        if self._seen and self._utf8 is not None:
            return self._error("io.is-utf-8-not", "io.leave-encoding-out", line)
        return self._error(
            "io.does-not-decode",
            "io.declare-other-encoding",
            line,
            byte=f"0x{data[start]:02x}",
            place=self._bytes - len(data) + start + 1,
        )

    def _error(
        self, kind: str, hint: str, line: int | None = None, **values: str | int
    ) -> ParseError:
        return ParseError(
            message(kind, encoding=self._encoding.name, **values),
            path=self._path,
            line=line or self._lines,
            hint=message(hint),
        )

    def close(self) -> None:
        """Closes the stream."""
        self._stream.close()
