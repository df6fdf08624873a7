"""Optional packages, imported where they are needed."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from relyon.core.errors import DependencyError
from relyon.core.texts import message

__all__ = ["missing_package", "optional_package", "scipy_part"]


def missing_package(package: str, *, purpose: str, install: str = "") -> DependencyError:
    """Returns the error for a package that is not installed.

    Args:
        package: Its name for pip.
        purpose: The feature that needs it.
        install: The argument of `pip install`; by default the package's name.

    Examples:
        >>> error = missing_package("jinja2", purpose="a report", install="relyon[report]")
        >>> error.message, error.hint
        ('a report needs the package jinja2', "pip install 'relyon[report]'")
    """
    return DependencyError(
        message("core.needs-package", purpose=message(purpose), package=package),
        hint=message("core.pip-install", install=install or package),
    )


def optional_package(
    name: str, *, purpose: str, package: str = "", install: str = ""
) -> ModuleType:
    """Returns a package that may not be installed.

    Args:
        name: The module to import.
        purpose: The feature that needs it, for the message.
        package: Its name for pip; by default the name of the missing module.
        install: The argument of `pip install`; by default the package's name.

    Raises:
        DependencyError: If it is not installed.

    Examples:
        >>> optional_package("json", purpose="an example").dumps([])
        '[]'
    """
    try:
        return import_module(name)
    except ImportError as error:
        missing = package or error.name or name
        raise missing_package(missing, purpose=purpose, install=install) from None


def scipy_part(name: str) -> ModuleType:
    """Returns a module of SciPy, which a plain installation does not include.

    Args:
        name: Such as `special`.

    Raises:
        DependencyError: If SciPy is not installed.

    Examples:
        >>> float(scipy_part("special").expit(0.0))
        0.5
    """
    return optional_package(
        f"scipy.{name}",
        purpose=message("core.this-calculation"),
        package="scipy",
        install="relyon[stats]",
    )
