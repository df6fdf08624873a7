"""Names to things: found by module, by alias, and in what other packages offer."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

from relyon.core.errors import ParameterError, UnknownNameError
from relyon.core.registry import Registry

MODULE = """
from things import things

class Made:
    name = {name!r}
    aliases = ({alias!r},)

things.register(Made())
"""


@pytest.fixture
def things(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Registry:
    """A registry of two modules, each of which registers one thing when it is imported."""
    registry: Registry = Registry(
        "thing", modules={"red_things": "red crimson", "blue_things": "blue navy"}
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    module_of_things = ModuleType("things")
    vars(module_of_things)["things"] = registry
    monkeypatch.setitem(sys.modules, "things", module_of_things)
    for module, name, alias in (("red_things", "red", "crimson"), ("blue_things", "blue", "navy")):
        (tmp_path / f"{module}.py").write_text(MODULE.format(name=name, alias=alias), "utf-8")
        monkeypatch.delitem(sys.modules, module, raising=False)
    return registry


def test_one_name_imports_its_module_alone(things: Registry) -> None:
    assert things.get("Crimson").name == "red"
    assert "red_things" in sys.modules
    assert "blue_things" not in sys.modules


def test_listing_imports_all(things: Registry) -> None:
    assert list(things) == ["blue", "red"]
    assert len(things) == 2


def test_a_name_that_is_unknown_is_looked_for_everywhere(things: Registry) -> None:
    with pytest.raises(UnknownNameError, match="unknown thing: `navi`") as caught:
        things.get("navi")
    assert caught.value.hint == "did you mean `navy`?"


def test_what_other_packages_offer_is_looked_up_once_and_last() -> None:
    asked = []

    def extend() -> None:
        asked.append(1)
        registry.add("theirs", object())

    registry: Registry = Registry("thing", extend=extend)
    registry.add("ours", object())
    assert "ours" in registry
    assert asked == []
    assert "theirs" in registry
    assert "nobody's" not in registry
    assert asked == [1]


def test_a_name_belongs_to_one_thing() -> None:
    registry: Registry = Registry("thing")

    @registry.register
    class First:
        name = "first"
        aliases = ("one",)

    assert registry.get("ONE") is First
    with pytest.raises(ParameterError, match="the thing name `one` is taken by `first`"):
        registry.add("one", object())
