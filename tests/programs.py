"""Programs that only some tests need, such as a browser or a database server."""

from __future__ import annotations

import os
from typing import NoReturn

import pytest

__all__ = ["needs_compiled_ranx", "skip_without_program"]

#: Marks tests of what only compiled code does, such as how it overflows and sorts.
needs_compiled_ranx = pytest.mark.skipif(
    os.environ.get("NUMBA_DISABLE_JIT") != "0", reason="ranx is compiled by `make test-peers` only"
)


def skip_without_program(reason: str) -> NoReturn:
    """Skips a test whose program is missing, or fails it if all programs are needed.

    Args:
        reason: Which program is missing.
    """
    if os.environ.get("RELYON_NEED_PROGRAMS") == "1":
        pytest.fail(f"{reason}; RELYON_NEED_PROGRAMS=1 needs it", pytrace=False)
    pytest.skip(reason)
