"""Compressed bytes: recognised by their first bytes, read with clear errors, and written."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import BinaryIO, Protocol

from relyon.core.errors import DependencyError, InputError
from relyon.core.texts import message

__all__ = ["COMPRESSED_SUFFIXES", "Reader", "compressed", "compression_of", "decompressor"]

_MAGIC = (
    (b"\x1f\x8b", "gzip"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"\x04\x22\x4d\x18", "lz4"),
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ\x00", "xz"),
)
COMPRESSED_SUFFIXES = {
    ".gz": "gzip",
    ".zst": "zstd",
    ".lz4": "lz4",
    ".bz2": "bzip2",
    ".xz": "xz",
}


class Reader(Protocol):
    """The stream of `Source.open`: `read(size)` returns b"" at the end."""

    def read(self, size: int = -1, /) -> bytes: ...
    def close(self) -> None: ...


def compression_of(start: bytes) -> str:
    """Returns the compression of a file by its first bytes; an empty string for none."""
    for magic, name in _MAGIC:
        if start.startswith(magic):
            return name
    return ""


class _Guarded:
    """A decompressing stream whose errors name the file and the problem."""

    def __init__(self, stream: Reader, raw: Reader, name: str, path: str) -> None:
        self._stream = stream
        self._raw = raw
        self._name = name
        self._path = path

    def read(self, size: int = -1, /) -> bytes:
        try:
            return self._stream.read(size)
        except EOFError:
            raise InputError(
                message("io.is-incomplete", name=self._name),
                path=self._path,
                hint=message("io.copy-or-download-file"),
            ) from None
        except InputError:
            raise
        except Exception as error:
            if isinstance(error, OSError) and error.errno is not None:
                raise InputError(
                    message("core.cannot-be-read-strerror", strerror=error.strerror),
                    path=self._path,
                ) from None
            raise InputError(
                message("io.data-is-corrupted", name=self._name, error=error),
                path=self._path,
                hint=message("io.copy-or-download-file"),
            ) from None

    def close(self) -> None:
        self._stream.close()
        self._raw.close()


def _zstd() -> ModuleType:
    """The standard library's module, which is a separate package before Python 3.14."""
    return import_module("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")


class _Frame(Protocol):
    """Decompresses one frame."""

    eof: bool
    unused_data: bytes

    def decompress(self, data: bytes, /) -> bytes: ...


class _Zstandard:
    """Decompresses frame by frame, and detects a truncated last one."""

    def __init__(self, raw: Reader) -> None:
        self._raw = raw
        self._new: Callable[[], _Frame] = _zstd().ZstdDecompressor
        self._frame: _Frame | None = None
        self._input = b""
        self._output = bytearray()

    def read(self, size: int = -1, /) -> bytes:
        while size < 0 or len(self._output) < size:
            if not self._input:
                self._input = self._raw.read(1 << 16)
            if not self._input:
                if self._frame is not None:
                    raise EOFError
                break
            if self._frame is None:
                self._frame = self._new()
            # A little at a time: a few bytes of input can expand to megabytes.
            part, self._input = self._input[:4096], self._input[4096:]
            self._output += self._frame.decompress(part)
            if self._frame.eof:
                self._input = self._frame.unused_data + self._input
                self._frame = None
        if size < 0:
            size = len(self._output)
        result = bytes(self._output[:size])
        del self._output[:size]
        return result

    def close(self) -> None:
        self._raw.close()


def decompressor(raw: Reader, compression: str, path: str) -> Reader:
    """Wraps a stream of compressed bytes; an uncompressed one is returned as it is.

    Raises:
        DependencyError: If the package for this compression is not installed.
    """
    stream: Reader
    if not compression:
        return raw
    if compression == "gzip":
        import gzip

        stream = gzip.GzipFile(fileobj=raw, mode="rb")  # type: ignore[call-overload]
    elif compression == "bzip2":
        import bz2

        stream = bz2.BZ2File(raw)  # type: ignore[call-overload]
    elif compression == "xz":
        import lzma

        stream = lzma.LZMAFile(raw)  # type: ignore[arg-type]  # noqa: SIM115
    elif compression == "zstd":
        stream = _Zstandard(raw)
    else:
        try:
            import lz4.frame
        except ImportError:
            raise DependencyError(
                message("io.reading-lz4-needs-package", path=path),
                hint=message("io.pip-install-relyon-lz4"),
            ) from None
        stream = lz4.frame.LZ4FrameFile(raw)
    return _Guarded(stream, raw, compression, path)


def compressed(file: BinaryIO, suffix: str, path: str) -> BinaryIO:
    """Wraps a file so that writes are compressed; the same input gives the same bytes."""
    kind = COMPRESSED_SUFFIXES.get(suffix, "")
    if not kind:
        return file
    if kind == "gzip":
        import gzip

        return gzip.GzipFile("", "wb", fileobj=file, mtime=0)  # type: ignore[return-value]
    if kind == "zstd":
        return _zstd().ZstdFile(file, "wb")  # type: ignore[no-any-return]
    if kind == "bzip2":
        import bz2

        return bz2.BZ2File(file, "wb")  # type: ignore[return-value]
    if kind == "xz":
        import lzma

        return lzma.LZMAFile(file, "wb")  # type: ignore[return-value]
    try:
        import lz4.frame
    except ImportError:
        raise DependencyError(
            message("io.writing-lz4-needs-package", path=path),
            hint=message("io.pip-install-relyon-lz4"),
        ) from None
    return lz4.frame.LZ4FrameFile(file, "wb")  # type: ignore[no-any-return, unused-ignore]
