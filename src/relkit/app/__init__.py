"""The web app in which people grade: pages for judges and leads, and a REST interface."""

from __future__ import annotations

from relkit.core.errors import DependencyError
from relkit.core.texts import message

try:
    from relkit.app.application import create_app
    from relkit.app.settings import Settings
except ModuleNotFoundError as error:
    if error.name is None or error.name.partition(".")[0] == "relkit":
        raise
    raise DependencyError(
        message("the judging app needs the package {error_name}", error_name=error.name),
        hint="pip install 'relkit[judge]'",
    ) from None

__all__ = ["Settings", "create_app"]
