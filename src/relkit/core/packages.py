"""Optional packages, imported where they are needed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from relkit.core.errors import DependencyError
from relkit.core.texts import message

__all__ = ["optional_package"]


def optional_package(name: str, *, purpose: str, install: str = "") -> Any:
    """Returns a package that may not be installed.

    Args:
        name: What is imported.
        purpose: What needs it, for the message.
        install: What to tell pip; by default the package's name.

    Raises:
        DependencyError: If it is not installed.

    Examples:
        >>> optional_package("json", purpose="an example").dumps([])
        '[]'
    """
    try:
        return import_module(name)
    except ImportError as error:
        missing = error.name or name
        raise DependencyError(
            message("{purpose} needs the package {package}", purpose=purpose, package=missing),
            hint=message("pip install '{install}'", install=install or missing),
        ) from None
