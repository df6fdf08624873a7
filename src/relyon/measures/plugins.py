"""Users' own measures: from a file, a module, or an installed package."""

from os.path import abspath, basename, isfile, splitext

from relyon.core.errors import InputError
from relyon.core.texts import message

__all__ = ["load_entry_points", "load_plugin"]

GROUP = "relyon.measures"


def load_plugin(source: str) -> None:
    """Imports a module that registers measures.

    Args:
        source: A Python file, or the name of a module that can be imported.

    Raises:
        InputError: If it cannot be imported; the message says why.
    """
    from importlib import import_module
    from importlib.util import module_from_spec, spec_from_file_location

    try:
        if not source.endswith(".py"):
            import_module(source)
            return
        if not isfile(source):
            raise InputError(message("measures.no-such-file"), path=source)
        spec = spec_from_file_location(splitext(basename(source))[0], abspath(source))
        if spec is None or spec.loader is None:
            raise InputError(message("measures.is-not-python-file"), path=source)
        import sys

        module = module_from_spec(spec)
        sys.modules.setdefault(spec.name, module)  # dataclasses look up their module
        spec.loader.exec_module(module)
    except InputError:
        raise
    except Exception as error:  # a user's code may raise anything
        raise InputError(
            message("measures.cannot-be-imported", name=type(error).__name__, error=error),
            path=source,
            hint=message("measures.name-python-file"),
        ) from error


def load_entry_points() -> None:
    """Imports measures of installed packages from the entry point group `relyon.measures`."""
    from importlib.metadata import entry_points

    for point in entry_points(group=GROUP):
        try:
            point.load()
        except Exception as error:  # another package's code may raise anything
            raise InputError(
                message(
                    "measures.measure-of-installed-package",
                    point_name=point.name,
                    error=error,
                ),
                hint=message(
                    "measures.update-or-remove-package",
                    point_value=point.value,
                ),
            ) from error
