"""The web app in which people grade: pages for judges and leads, and a REST interface."""

from __future__ import annotations

from relkit.core.packages import missing_package

try:
    from relkit.app.application import create_app
    from relkit.app.settings import Settings
except ModuleNotFoundError as error:
    if error.name is None or error.name.partition(".")[0] == "relkit":
        raise
    raise missing_package(error.name, purpose="the judging app", install="relkit[judge]") from None

__all__ = ["Settings", "create_app"]
