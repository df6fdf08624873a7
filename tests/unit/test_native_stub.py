"""The stub of the native module says what the module says of itself."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from relyon import _native

STUB = Path(_native.__spec__.origin or "").with_name("_native.pyi")
SOURCE = Path(__file__).resolve().parent.parent.parent / "src" / "relyon" / "_native.pyi"


def functions(body: list[ast.stmt], prefix: str = "") -> Iterator[tuple[str, ast.FunctionDef]]:
    """Yields every function of the stub with its dotted name, properties left out."""
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield from functions(node.body, f"{node.name}.")
        elif isinstance(node, ast.FunctionDef) and not any(
            isinstance(one, ast.Name) and one.id == "property" for one in node.decorator_list
        ):
            yield prefix + node.name, node


DEFINED = dict(functions(ast.parse(SOURCE.read_text("utf-8")).body))
CLASSES = [name for name, kind in vars(_native).items() if isinstance(kind, type)]
SPECIAL = {"__init__", "__len__", "__contains__"}


def native_signature(name: str) -> str:
    """Returns a function's signature in Python, with its default values written out."""
    thing: Any = _native
    for part in name.split("."):
        thing = vars(thing)[part]
    ((text, _, defaults),) = thing.__nb_signature__
    text = re.sub(r"\\(\d+)", lambda found: repr(defaults[int(found[1])]), text)
    return re.sub(r"ndarray\[[^]]*\]", "ndarray", text)


def parameters(node: ast.FunctionDef) -> list[tuple[str, str, object]]:
    """Returns name, kind and default of every parameter."""
    found: list[tuple[str, str, object]] = []
    plain = [*node.args.posonlyargs, *node.args.args]
    defaults = [None] * (len(plain) - len(node.args.defaults)) + list(node.args.defaults)
    for one, default in zip(plain, defaults, strict=True):
        found.append((one.arg, "plain", ast.literal_eval(default) if default else ...))
    for one, default in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True):
        found.append((one.arg, "keyword", ast.literal_eval(default) if default else ...))
    return found


@pytest.mark.parametrize("name", DEFINED)
def test_parameters_and_defaults_are_the_same(name: str) -> None:
    written = native_signature(name)
    node = ast.parse(f"{written}: ...").body[0]
    assert isinstance(node, ast.FunctionDef)
    if "/" in written or any(part in SPECIAL - {"__init__"} for part in name.split(".")):
        assert len(parameters(node)) == len(parameters(DEFINED[name]))
        return
    assert parameters(DEFINED[name]) == parameters(node)


def test_every_name_is_in_the_stub() -> None:
    stub = ast.parse(SOURCE.read_text("utf-8")).body
    for name in CLASSES:
        kind = vars(_native)[name]
        body = next(one.body for one in stub if isinstance(one, ast.ClassDef) and one.name == name)
        written = {one.name for one in body if isinstance(one, ast.FunctionDef)}
        there = {one for one in vars(kind) if not one.startswith("_")}
        assert {one for one in written if not one.startswith("_")} == there, name
    plain = {name for name in vars(_native) if not name.startswith("_")} - set(CLASSES)
    assert plain == {name for name in DEFINED if "." not in name}
