"""`relyon measures` and `relyon conventions`: everything that is registered is described."""

from __future__ import annotations

import json

import pytest
from tests.unit.conftest import Command

from relyon.core.document.terminal import width
from relyon.data.convention import Convention, load_convention, presets
from relyon.measures import measure, registry

MEASURES = list(registry)


def test_every_measure_is_listed_with_its_formula(command: Command) -> None:
    lines = command("measures").out.splitlines()
    for name in MEASURES:
        place = next(place for place, line in enumerate(lines) if line.split(" ")[0] == name)
        formula = registry.get(name).formula
        assert " ".join(" ".join(lines[place + 1 : place + 3]).split()).startswith(formula)
    assert max(map(width, lines)) <= 80


@pytest.mark.parametrize("name", MEASURES)
def test_every_measure_is_described(name: str, command: Command) -> None:
    outcome = command("measures", name)
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.startswith(name)
    assert "Example in Python:\n  >>> " in outcome.out
    assert f"-m {name}" in outcome.out
    assert max(map(width, outcome.out.splitlines())) <= 80


@pytest.mark.parametrize("name", MEASURES)
def test_every_parameter_is_described(name: str, command: Command) -> None:
    found = json.loads(command("measures", name, "--format", "json").out)
    assert [entry["name"] for entry in found["parameters"] if not entry["description"]] == []
    assert found["summary"].endswith(".")


def test_the_list_as_json(command: Command) -> None:
    found = json.loads(command("measures", "--format", "json").out)
    assert [entry["name"] for entry in found] == MEASURES


def test_aliases_and_whole_names_find_the_measure(command: Command) -> None:
    assert command("measures", "MRR@10").out == command("measures", "rr").out


def test_an_unknown_measure_names_the_nearest(command: Command) -> None:
    outcome = command("measures", "ndgc")
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err == "error: unknown measure: `ndgc`\nhint: did you mean `ndcg`?\n"


def test_every_preset_is_listed_with_its_differences(command: Command) -> None:
    outcome = command("conventions")
    assert all(f"\n{name} " in outcome.out for name in presets)
    assert max(map(width, outcome.out.splitlines())) <= 80


@pytest.mark.parametrize("name", list(presets))
def test_every_preset_is_described(name: str, command: Command) -> None:
    outcome = command("conventions", name)
    assert outcome.out.startswith(f"convention {name}\n")
    rows = [line.split() for line in outcome.out.splitlines()]
    assert ["ties", presets.get(name).ties] in rows
    assert max(map(width, outcome.out.splitlines())) <= 80
    found = json.loads(command("conventions", name, "--format", "json").out)
    assert found == presets.get(name).to_dict()


def test_a_preset_as_json_is_a_convention_file(command: Command, files) -> None:
    text = command("conventions", "lightgbm", "--format", "json").out
    (files / "mine.json").write_text(text, "utf-8")
    assert load_convention("mine.json") == presets.get("lightgbm")
    assert load_convention("mine.json") != Convention()
    assert measure("ndcg").resolve(load_convention("mine.json")).gain == "exp"  # type: ignore[attr-defined]
