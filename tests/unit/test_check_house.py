"""The limits of the house, and the script that checks them."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def house() -> ModuleType:
    spec = importlib.util.spec_from_file_location("check_house", ROOT / "docs" / "check_house.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def build(house: ModuleType, tmp_path: Path):
    """Writes files and returns what is wrong with them: place and text."""

    def write(files: dict[str, str], known: tuple[str, ...] = ()) -> dict[str, str]:
        for folder in ["src/one", "src/one/room"]:
            (tmp_path / folder).mkdir(parents=True, exist_ok=True)
            (tmp_path / folder / "__init__.py").touch()
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text, "utf-8")
        return {fault.place: fault.text for fault in house.check(tmp_path, "one", frozenset(known))}

    return write


def test_names_under_the_package_are_counted(build) -> None:
    rooms = {f"src/one/part{number:02}.py": "" for number in range(17)}
    assert build(rooms) == {}  # and the room
    assert build({"src/one/_private.py": "", "src/one/notes.txt": ""}) == {}
    assert build({"src/one/other/__init__.py": ""}) == {"one": "19 names, at most 18"}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("from one.room.b import x", "from one.room.a import y"),
        ("from one.room import b", "from . import a"),
        ("from .b import x", "import one.room.a"),
        ("def f():\n    from one.room.b import x", "from one.room.a import y"),
        ("if TYPE_CHECKING:\n    from one.room.b import x", "from one.room.a import y"),
    ],
)
def test_a_circle_of_imports_is_found(build, first: str, second: str) -> None:
    text = "in a circle of imports, by importing one.room."
    files = {"src/one/room/a.py": first, "src/one/room/b.py": second}
    assert build(files) == {"one.room.a": f"{text}b", "one.room.b": f"{text}a"}


def test_a_chain_is_not_a_circle(build) -> None:
    files = {"a": "from one.room import b, c", "b": "import one.room.c", "c": "import os"}
    assert build({f"src/one/room/{name}.py": text for name, text in files.items()}) == {}


def test_a_name_of_a_package_counts_as_the_module_that_its_stub_names(build) -> None:
    files = {
        "src/one/__init__.pyi": "from .room.a import x as x",
        "src/one/room/__init__.pyi": "from .a import x as x\nfrom .b import y as y",
        "src/one/room/a.py": "x = 1",
        "src/one/room/b.py": "from one import x",
    }
    assert build(files) == {}
    files["src/one/room/a.py"] = "from one.room import y"
    assert set(build(files)) == {"one.room.a", "one.room.b"}
    files["src/one/room/a.py"] = "import one.room"  # everything that it offers
    assert set(build(files)) == {"one.room", "one.room.a", "one.room.b"}


@pytest.mark.parametrize("name", ["src/one/a.py", "native/a.cpp", "tests/unit/a.py", "bench/a.hpp"])
def test_lines_of_a_file_are_counted(build, name: str) -> None:
    assert build({name: "1\n" * 450}) == {}
    assert build({name: "1\n" * 451}) == {name: "451 lines, at most 450"}


TEN = "a, b, c, d, e, f, g, h, i, j"


def test_parameters_of_a_function_are_counted(build) -> None:
    place = "src/one/room/a.py"
    assert build({place: f"def f({TEN[:-3]}, *rest, **others): ..."}) == {}
    assert build({place: f"def f({TEN}): ..."}) == {f"{place}:f": "10 parameters, at most 9"}
    assert set(build({place: f"def f(*, {TEN}): ..."})) == {f"{place}:f"}
    inside = f"class C:\n    def f(self):\n        async def g({TEN}): ..."
    assert set(build({place: inside})) == {f"{place}:C.f.g"}


@pytest.mark.parametrize("decorator", ["@group.command('x')", "@click.command()", "@command"])
def test_the_parameters_of_a_command_are_counted(build, decorator: str) -> None:
    place = "src/one/room/a.py"
    assert set(build({place: f"{decorator}\ndef f({TEN}): ..."})) == {f"{place}:f"}


def test_only_what_a_public_function_takes_by_keyword_is_free(build) -> None:
    place = "src/one/room/a.py"
    offer = {"src/one/room/__init__.py": "from .a import f, C\n__all__ = ['f', 'C']"}
    assert build(offer | {place: f"def f(x, *, {TEN}): ..."}) == {}
    assert set(build(offer | {place: f"def f({TEN}, *, k): ..."})) == {f"{place}:f"}
    assert set(build(offer | {place: f"def other(*, {TEN}): ..."})) == {f"{place}:other"}
    members = f"class C:\n    def f(self, *, {TEN}): ...\n    def _g(self, *, {TEN}): ..."
    assert set(build(offer | {place: members})) == {f"{place}:C._g"}
    stub = {"src/one/room/__init__.py": "", "src/one/room/__init__.pyi": "from .a import f as f"}
    assert build(stub | {place: f"def f(*, {TEN}): ..."}) == {}


def test_what_another_program_offers_has_its_parameters(build) -> None:
    place = "src/one/compat/a.py"
    offer = {"src/one/compat/__init__.py": "from .a import f\n__all__ = ['f']"}
    assert build(offer | {place: f"def f({TEN}): ..."}) == {}
    assert set(build(offer | {place: f"def other({TEN}): ..."})) == {f"{place}:other"}


def test_the_list_of_what_is_known_can_only_shrink(build) -> None:
    files = {"src/one/a.py": "1\n" * 451}
    assert build(files, known=("src/one/a.py",)) == {}
    assert build(files, known=("src/one/a.py", "src/one/b.py")) == {
        "src/one/b.py": "within every limit: take it out of KNOWN"
    }
