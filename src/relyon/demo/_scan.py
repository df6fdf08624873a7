"""Read the docstrings of the standard library of the running interpreter.

This file is the source of a child process that `relyon.demo.corpus` starts: it imports the modules
of the standard library there, so that the calling process keeps its own modules, warnings and
terminal. It uses only the standard library, and writes one JSON value per line to standard output:
``[done, total]`` for progress, and a last line with the list of ``[id, title, text]``.
"""

from __future__ import annotations

import importlib
import inspect
import json
import os
import pkgutil
import re
import sys
import types
from collections.abc import Callable, Iterator

LEFT_OUT = frozenset(
    {
        # Importing these opens a browser or prints.
        "antigravity",
        "this",
        # Applications, demonstrations, test suites and data rather than a library.
        "ensurepip",
        "idlelib",
        "lib2to3",
        "pydoc_data",
        "test",
        "turtledemo",
        # Often packaged separately from Python, so they may be missing.
        "tkinter",
        "turtle",
        # Platform implementations of `os` and `os.path`, which have the names that users know.
        "genericpath",
        "nt",
        "ntpath",
        "nturl2path",
        "posix",
        "posixpath",
        # Removed in later versions of Python.
        "aifc",
        "asynchat",
        "asyncore",
        "audioop",
        "cgi",
        "cgitb",
        "chunk",
        "crypt",
        "distutils",
        "imghdr",
        "imp",
        "mailcap",
        "msilib",
        "nis",
        "nntplib",
        "ossaudiodev",
        "pipes",
        "smtpd",
        "sndhdr",
        "spwd",
        "sre_compile",
        "sre_constants",
        "sre_parse",
        "sunau",
        "telnetlib",
        "uu",
        "xdrlib",
    }
)
"""Modules that are skipped, with everything below them."""

WITHOUT_SUBMODULES = frozenset({"curses", "encodings", "ctypes"})
"""Packages whose submodules are skipped."""

Entry = tuple[str, str, str]


def is_public(name: str) -> bool:
    """Tell whether no part of a dotted name is private.

    Args:
        name: A dotted name.

    Returns:
        True if no part starts with an underscore.
    """
    return not any(part.startswith("_") for part in name.split("."))


def top_level_names() -> list[str]:
    """List the public top-level modules that are read.

    Returns:
        Module names in alphabetical order.
    """
    names = {name for name in sys.stdlib_module_names if is_public(name)}
    return sorted((names | {"os.path"}) - LEFT_OUT)


def load(name: str) -> types.ModuleType | None:
    """Import one module.

    Args:
        name: A dotted module name.

    Returns:
        The module, or None if this platform or build of Python lacks it.
    """
    try:
        return importlib.import_module(name)
    except (ImportError, OSError, AttributeError):
        return None


def submodule_names(module: types.ModuleType) -> list[str]:
    """List the public submodules of a package.

    Args:
        module: A module, package or not.

    Returns:
        Dotted names; empty for a plain module.
    """
    locations = getattr(module, "__path__", None)
    if locations is None or module.__name__ in WITHOUT_SUBMODULES:
        return []
    names = (f"{module.__name__}.{info.name}" for info in pkgutil.iter_modules(locations))
    ends = (".test", ".tests")
    return sorted(name for name in names if is_public(name) and not name.endswith(ends))


def load_modules(report: Callable[[int, int], None]) -> dict[str, types.ModuleType]:
    """Import every module that is read.

    Args:
        report: Called with the number of top-level modules done and their total.

    Returns:
        Modules by their public name.
    """
    modules: dict[str, types.ModuleType] = {}
    tops = top_level_names()
    for done, top in enumerate(tops, start=1):
        waiting = [top]
        while waiting:
            name = waiting.pop()
            module = load(name)
            if module is not None:
                modules[name] = module
                if name != "os.path":
                    waiting.extend(submodule_names(module))
        report(done, len(tops))
    return modules


def own_docstring(value: object) -> str:
    """Return the docstring that belongs to an object itself.

    Args:
        value: object object.

    Returns:
        The cleaned docstring; empty if the object has none, or only that of its type.
    """
    try:
        text = value.__dict__.get("__doc__") if isinstance(value, type) else value.__doc__
        if isinstance(value, type) and not isinstance(text, str):
            # Types written in C keep their docstring outside the dictionary.
            text = value.__doc__ if "__doc__" in vars(value) else None
        if not isinstance(value, type) and text == type(value).__doc__:
            return ""
    except Exception:  # a descriptor may raise anything
        return ""
    return inspect.cleandoc(text).strip() if isinstance(text, str) else ""


def signature_of(value: object) -> str:
    """Return the parameters of a callable without defaults or annotations.

    Defaults and annotations would bring addresses and paths of this machine into the text.

    Args:
        value: object object.

    Returns:
        Such as ``(path, *paths)``; empty if Python does not know the signature.
    """
    if isinstance(value, (staticmethod, classmethod)):
        value = value.__func__
    if not callable(value):
        return ""
    try:
        parameters = inspect.signature(value).parameters.values()
    except Exception:  # a C object may raise anything
        return ""
    names: list[str] = []
    for parameter in parameters:
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            names.append("*" + parameter.name)
        elif parameter.kind is inspect.Parameter.VAR_KEYWORD:
            names.append("**" + parameter.name)
        elif parameter.name not in {"self", "cls"}:
            names.append(parameter.name)
    return "(" + ", ".join(names) + ")"


def words_of(title: str) -> str:
    """Split a signature into the words it is made of.

    Args:
        title: Such as ``csv.DictReader(f, fieldnames)``.

    Returns:
        Such as ``csv Dict Reader f fieldnames``.
    """
    return " ".join(re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+", title))


def text_of(value: object, title: str) -> str:
    """Return what a document says about a module's class, function or other object.

    Args:
        value: The object.
        title: Its name and parameters.

    Returns:
        Its docstring, or that of its constructor, or for a class or function that has none
        the words of its signature; empty for any other object without a docstring.
    """
    text = own_docstring(value)
    if not text and isinstance(value, type):
        constructor = vars(value).get("__init__")
        text = own_docstring(constructor) if inspect.isfunction(constructor) else ""
    if not text and (isinstance(value, type) or inspect.isroutine(value)):
        text = words_of(title)
    return text


def exported_names(module: types.ModuleType) -> Iterator[str]:
    """List the names that a module gives to its users.

    Args:
        module: A module.

    Yields:
        The names of ``__all__``, or those defined in the module or in a private one.
    """
    listed = getattr(module, "__all__", None)
    if listed is not None:
        for name in listed:
            if is_public(name) and hasattr(module, name):
                yield name
        return
    for name, value in vars(module).items():
        home = getattr(value, "__module__", None)
        if not is_public(name) or not isinstance(home, str):
            continue
        if module.__name__ in {home, "builtins"} or not is_public(home):
            yield name


def canonical_names(modules: dict[str, types.ModuleType]) -> dict[int, tuple[str, object]]:
    """Choose one public name for each object of the modules.

    Args:
        modules: Modules by name.

    Returns:
        The name and the object, by the object's identity.
    """
    best: dict[int, tuple[tuple[object, ...], str, object]] = {}
    for module_name, module in modules.items():
        for name in exported_names(module):
            value = getattr(module, name)
            if isinstance(value, types.ModuleType):
                continue
            home = module_name
            parent = module_name.rpartition(".")[0]
            # A package may carry a name of its submodule without listing it.
            while home != "os.path" and parent in modules:
                if vars(modules[parent]).get(name) is value:
                    home = parent
                parent = parent.rpartition(".")[0]
            dotted = f"{home}.{name}"
            preference = (
                home != "builtins",
                0 if home == "os.path" else dotted.count("."),
                getattr(value, "__module__", None) != home,
                getattr(value, "__name__", None) != name,
                dotted,
            )
            known = best.get(id(value))
            if known is None or preference < known[0]:
                best[id(value)] = (preference, dotted, value)
    return {key: (dotted, value) for key, (_, dotted, value) in best.items()}


def member_entries(
    dotted: str, cls: type, public: dict[int, tuple[str, object]]
) -> Iterator[Entry]:
    """Read the documented public members of a class.

    A member that a public base class has too is left to that base class, so that each
    method is read once, under the class which brings it.

    Args:
        dotted: The public name of the class.
        cls: The class.
        public: What `canonical_names` returned.

    Yields:
        One entry for each member.
    """
    bases = [base for base in cls.__mro__[1:] if base is not object and id(base) in public]
    for name in dir(cls):
        if not is_public(name):
            continue
        value = inspect.getattr_static(cls, name, None)
        if value is None or isinstance(value, type):
            continue
        if any(inspect.getattr_static(base, name, None) is value for base in bases):
            continue
        text = own_docstring(value)
        if text and not text.startswith("Alias for field number"):
            member = f"{dotted}.{name}"
            yield member, member + signature_of(value), text


def entries(modules: dict[str, types.ModuleType]) -> list[Entry]:
    """Read every public module, class, function and documented member.

    Args:
        modules: Modules by name.

    Returns:
        Entries in the order of their ids, each id once.
    """
    found: dict[str, Entry] = {}
    public = canonical_names(modules)
    for dotted, value in public.values():
        title = dotted + signature_of(value)
        text = text_of(value, title)
        if text:
            found[dotted] = (dotted, title, text)
        if isinstance(value, type):
            for entry in member_entries(dotted, value, public):
                found.setdefault(entry[0], entry)
    for name, module in modules.items():
        text = own_docstring(module)
        if text:
            found.setdefault(name, (name, name, text))
    return [found[identifier] for identifier in sorted(found)]


def main() -> None:
    """Write progress and then the entries to standard output, as JSON lines."""
    with os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n") as output:
        # Some modules write to the terminal from C when they are imported.
        silence = os.open(os.devnull, os.O_RDWR)
        os.dup2(silence, 1)
        os.dup2(silence, 2)

        def report(done: int, total: int) -> None:
            output.write(json.dumps([done, total]) + "\n")
            output.flush()

        modules = load_modules(report)
        output.write(json.dumps(entries(modules)) + "\n")


if __name__ == "__main__":
    main()
