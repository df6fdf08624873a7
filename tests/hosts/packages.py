"""Other programs that relyon works in: tests need the real packages."""

from __future__ import annotations

import os
import warnings
from importlib import import_module
from typing import Any

import pytest

__all__ = ["host"]


def host(module: str, *, package: str = "") -> Any:
    """Returns another program's module; skips the tests if it is not installed.

    They fail instead if RELYON_NEED_HOSTS=1.

    Args:
        module: What to import.
        package: Its name for pip; by default the module's first part.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # theirs, while they are imported
            return import_module(module)
    except ImportError as error:
        name = package or module.partition(".")[0]
        reason = f"needs the package {name} ({error}): pip install --group hosts"
    if os.environ.get("RELYON_NEED_HOSTS") == "1":
        pytest.fail(f"{reason}; RELYON_NEED_HOSTS=1 asks for it", pytrace=False)
    pytest.skip(reason, allow_module_level=True)
