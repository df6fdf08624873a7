"""Line numbers for messages about data that was read before."""

from __future__ import annotations

import os
import re

from relkit.core.errors import InputError
from relkit.io.open import Source

__all__ = ["find_line"]

#: The separators of words in all text formats.
BETWEEN = re.compile(r"[\s,;|\"'{}:\[\]]+")


def find_line(path: str, *words: str) -> int | None:
    """Returns the number of the first line with the given words; `None` if there is none.

    It reads the file again, so use it only for errors.

    Args:
        path: The file, compressed or not.
        words: The words that the line must contain.
    """
    if not os.path.isfile(path):
        return None
    wanted = set(words)
    number = 0
    try:
        with Source(path) as source:
            rest = b""
            while part := source.read(1 << 20):
                *lines, rest = (rest + part).split(b"\n")
                for line in lines:
                    number += 1
                    if wanted <= set(BETWEEN.split(line.decode("utf-8", "replace"))):
                        return number
            if wanted <= set(BETWEEN.split(rest.decode("utf-8", "replace"))):
                return number + 1
    except (InputError, OSError):
        return None
    return None
