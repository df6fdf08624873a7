"""The web app in which people grade: pages for judges and leads, and a REST interface."""

import lazy_loader

from relyon.core.packages import missing_package
from relyon.core.texts import message

_find, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> object:
    try:
        return _find(name)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] == "relyon":
            raise
        raise missing_package(
            error.name, purpose=message("core.judging-app"), install="relyon[judge]"
        ) from None
