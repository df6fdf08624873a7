"""Every public name is documented, and the documentation names no other."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from importlib import import_module, util
from pathlib import Path
from types import ModuleType

import pytest

import relyon
from relyon import judging

ROOT = Path(__file__).resolve().parents[2]
#: Pages for readers; what other programs have is named as they name it.
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
#: The stub has the names themselves.
ALL: list[str] = dir(relyon)
NAMES = [name for name in ALL if not name.startswith("__")]
THINGS = [
    name
    for name in NAMES
    if inspect.isclass(getattr(relyon, name)) or callable(getattr(relyon, name))
]
#: Classes that only hold what others fill in, or that an example could only raise.
RECORDS = {
    "CheckError",
    "Classification",
    "Contrast",
    "DependencyError",
    "Entry",
    "Explanation",
    "InputError",
    "Level",
    "Note",
    "ParameterError",
    "ParseError",
    "RelyonError",
    "Step",
    "StrictError",
    "UnknownNameError",
}


def methods(name: str) -> list[str]:
    """Returns the public methods and properties that a class defines itself."""
    kind = getattr(relyon, name)
    return [
        f"{name}.{key}"
        for key, value in vars(kind).items()
        if not key.startswith("_")
        and (inspect.isfunction(value) or isinstance(value, property | classmethod | staticmethod))
    ]


def resolve(path: str) -> object:
    name, _, member = path.partition(".")
    kind = getattr(relyon, name)
    return getattr(kind, member) if member else kind


MEMBERS = [
    member for name in NAMES if inspect.isclass(getattr(relyon, name)) for member in methods(name)
]
FUNCTIONS = [name for name in NAMES if inspect.isfunction(getattr(relyon, name))]


def test_all_is_what_dir_shows() -> None:
    assert dir(relyon) == sorted(ALL)
    assert len(set(ALL)) == len(ALL)


def test_every_name_of_all_is_there() -> None:
    assert [name for name in ALL if not hasattr(relyon, name)] == []


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="attribute evalute"):
        relyon.evalute  # type: ignore[attr-defined]  # noqa: B018


@pytest.mark.parametrize("path", sorted(THINGS + MEMBERS))
def test_documented(path: str) -> None:
    text = inspect.getdoc(resolve(path)) or ""
    summary = text.split("\n", maxsplit=1)[0]
    assert summary, f"{path} has no docstring"
    assert summary[0].isupper() or not summary[0].isalpha(), f"{path}: `{summary}`"
    assert summary[-1] in ".:!?", f"the first line of {path} is no sentence: `{summary}`"
    assert not text.startswith(f"{path}("), f"{path} has a generated docstring"


@pytest.mark.parametrize("name", sorted(set(THINGS) - RECORDS))
def test_has_an_example(name: str) -> None:
    assert ">>> " in (inspect.getdoc(getattr(relyon, name)) or "")


@pytest.mark.parametrize("path", FUNCTIONS)
def test_functions_say_what_they_take_return_and_raise(path: str) -> None:
    function = resolve(path)
    text = inspect.getdoc(function) or ""
    signature = inspect.signature(function)  # type: ignore[arg-type]
    for name in signature.parameters:
        # A single parameter may be described by the summary.
        if len(signature.parameters) > 1:
            assert re.search(rf"\b{name}\b[^\n]*:", text), f"{path} does not describe `{name}`"
    assert "Raises:" in text, f"{path} does not say what it raises"
    if signature.return_annotation not in (None, "None"):
        assert re.search(
            r"Returns:|\b(Returns|Reads|Derives|Evaluates|Diagnoses|Compares|Cuts) |decorator",
            text,
        )


@pytest.mark.parametrize("name", [name for name in NAMES if inspect.isclass(getattr(relyon, name))])
def test_fields_are_described(name: str) -> None:
    kind = getattr(relyon, name)
    fields = getattr(kind, "__dataclass_fields__", {})
    text = inspect.getdoc(kind) or ""
    missing = [
        field
        for field in fields
        if not field.startswith("_") and not re.search(rf"\b{field}\b.*:", text)
    ]
    assert missing == []


def test_the_reference_page_holds_every_name() -> None:
    text = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")
    held = set(re.findall(r"^::: relyon\.(\w+)$", text, re.M)) | set(
        re.findall(r"`relyon\.(\w+)` (?:and|are)", text)
    )
    assert set(NAMES) - held == set()
    assert held - set(NAMES) == set()


def test_the_reference_page_holds_every_name_of_judging() -> None:
    text = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")
    offered = vars(judging)["__all__"]
    assert set(re.findall(r"^::: relyon\.judging\.(\S+)$", text, re.M)) == set(offered)
    assert [name for name in offered if not inspect.getdoc(getattr(judging, name))] == []


def _paths(text: str) -> Iterator[str]:
    """Yields what a page names under relyon: in prose and examples, and what they import."""
    for package, names in re.findall(r"from (relyon(?:\.\w+)*) import \(?([\w, ]+)", text):
        for name in names.replace(" ", "").split(","):
            yield f"{package}.{name}"
    yield from re.findall(r"(?:`|::: )(relyon(?:\.\w+)+)", text)


def _is_package(module: ModuleType) -> bool:
    """Says whether a module is a folder, or what another program has as one file."""
    return hasattr(module, "__path__") or module.__name__.startswith("relyon.compat.")


def _exports(module: str) -> list[str]:
    """Returns the `__all__` of a module that cannot be imported here."""
    spec = util.find_spec(module)
    assert spec is not None
    assert spec.origin is not None
    tree = ast.parse(Path(spec.origin).read_text("utf-8"))
    (names,) = (
        ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
    )
    return list(names)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_pages_name_what_packages_export_and_no_module(page: Path) -> None:
    for path in _paths(page.read_text(encoding="utf-8")):
        found: object = relyon
        for name in path.split(".")[1:]:
            if inspect.ismodule(found) and _is_package(found):
                package = f"{found.__name__}.{name}"
                if hasattr(found, "__path__") and util.find_spec(package) is not None:
                    try:
                        found = import_module(package)
                    except relyon.DependencyError:  # of another program that is not installed
                        rest = path.removeprefix(package).strip(".").split(".")[0]
                        assert rest in ["", *_exports(package)], path
                        break
                    assert _is_package(found), f"{path} names a module"
                    continue
                assert name in [*vars(found)["__all__"], "__version__"], path
            found = getattr(found, name)


def test_the_changelog_knows_this_version() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    newest = re.search(r"^## \[([^\]]+)\]", text, re.M)
    assert newest is not None
    assert newest[1] == relyon.__version__
