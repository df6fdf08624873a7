"""The encoding that a caller declares for text files, instead of the one that is recognised.

`encoding=` of a reader is for its file; `text_encoding` is for every file that is opened within it.
"""

from __future__ import annotations

import codecs
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from relyon.core.errors import ParameterError, UnknownNameError
from relyon.core.texts import message
from relyon.io.sheet_names import is_workbook
from relyon.io.transcoding import Encoding

__all__ = [
    "UTF8",
    "check_declared",
    "declared_for",
    "is_declared",
    "named_encoding",
    "no_text",
    "text_encoding",
]

UTF8 = "utf-8"
#: The encodings that people have, by Python's names: the larger where one contains another.
COMMON = {
    "UTF-8": UTF8,
    "GBK": "gb18030",
    "GB18030": "gb18030",
    "Big5": "cp950",
    "UTF-16": "utf-16",
    "Shift_JIS": "cp932",
    "EUC-JP": "euc-jp",
    "EUC-KR": "cp949",
    "Windows-1251": "cp1251",
    "Windows-1252": "cp1252",
    "Latin-1": "latin-1",
}
#: Other names of these, as Python resolves them.
SAME = {
    "utf-8-sig": "UTF-8", "gbk": "GBK", "gb2312": "GBK", "big5": "Big5", "shift_jis": "Shift_JIS",
    "euc_kr": "EUC-KR",
}  # fmt: skip
#: What Python calls encodings, but no text file is in.
ODD = {"idna", "punycode", "undefined", "utf-7", "unicode-escape", "raw-unicode-escape", "oem"}


@dataclass(frozen=True)
class _Declared:
    """The encodings that `text_encoding` declares: of all files, and of some by their paths."""

    every: Encoding | None = None
    files: Mapping[str, Encoding] = field(default_factory=dict)


_NONE = _Declared()
_declared: ContextVar[_Declared | None] = ContextVar("declared", default=None)


@contextmanager
def text_encoding(
    encoding: str | None = None, files: Mapping[str, str] | None = None
) -> Iterator[None]:
    """Declares the encoding of every text file that is opened within it.

    Args:
        encoding: The encoding of all files, such as "gbk"; None recognises them.
        files: The encodings of some, by their paths, or by that of their folder.

    Raises:
        UnknownNameError: If there is no encoding of that name.

    Examples:
        >>> import relyon, tempfile, pathlib
        >>> from relyon.io import text_encoding
        >>> with tempfile.TemporaryDirectory() as folder, text_encoding("gbk"):
        ...     path = pathlib.Path(folder, "grades.csv")
        ...     _ = path.write_bytes("查询,文档,等级\\n手机壳,d1,3\\n".encode("gbk"))
        ...     relyon.read_judgments(path).to_dict()
        {'手机壳': {'d1': 3.0}}
    """
    every = None if encoding is None else named_encoding(encoding)
    named = {os.path.abspath(path): named_encoding(name) for path, name in (files or {}).items()}
    token = _declared.set(_Declared(every, named))
    try:
        yield
    finally:
        _declared.reset(token)


def declared_for(path: str | None, encoding: str | None = None) -> Encoding | None:
    """Returns the encoding that is declared for a file, or None.

    Args:
        path: Its path, `-` for stdin; None for a stream.
        encoding: The encoding that its reader was called with.

    Raises:
        UnknownNameError: If there is no encoding of that name.
    """
    if encoding is not None:
        return named_encoding(encoding)
    declared = _declared.get() or _NONE
    if declared.files and path is not None:
        from pathlib import Path

        whole = Path(os.path.abspath(path))
        for one in (whole, *whole.parents):
            if os.fspath(one) in declared.files:
                return declared.files[os.fspath(one)]
    return declared.every


def is_declared() -> bool:
    """Returns whether `text_encoding` declares an encoding."""
    return _declared.get() not in (None, _NONE)


def named_encoding(name: str) -> Encoding:
    """Returns an encoding by its name, as Python, browsers or iconv know it.

    Raises:
        UnknownNameError: If there is none.

    Examples:
        >>> named_encoding("gb2312").name, named_encoding("koi8-r").name
        ('GBK', 'koi8-r')
    """
    for known, codec in COMMON.items():
        if name.strip().lower() == known.lower():
            return Encoding(known, codec, declared=True)
    try:
        found = codecs.lookup(name.strip())
    except (LookupError, ValueError):
        raise _unknown(name) from None
    if not getattr(found, "_is_text_encoding", True) or found.name in ODD:
        raise _unknown(name)
    if found.name in SAME:
        return named_encoding(SAME[found.name])
    for known, codec in COMMON.items():
        if codecs.lookup(codec).name == found.name:
            return Encoding(known, codec, declared=True)
    return Encoding(found.name, found.name, declared=True)


def _unknown(name: str) -> UnknownNameError:
    return UnknownNameError(
        message("io.unknown-encoding", name=name),
        hint=message("core.choose-one-of-names", names=[f"`{one}`" for one in COMMON]),
    )


def check_declared(head: bytes, path: str) -> None:
    """Refuses a declared encoding of a file that has none.

    Args:
        head: The file's first bytes.
        path: The file.

    Raises:
        ParameterError: If it is Parquet or Excel.
    """
    kinds = {"Parquet": head.startswith(b"PAR1"), "Excel": is_workbook(head)}
    for kind in (kind for kind, found in kinds.items() if found):
        raise no_text(path, kind)


def no_text(path: str, kind: str) -> ParameterError:
    """Returns the error that a file has no encoding of text."""
    return ParameterError(
        message("io.has-no-encoding", path=path, kind=kind),
        hint=message("io.leave-encoding-out"),
    )
