from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import relyon
from relyon.data.convention import (
    CHOICES,
    gain_function,
    load_convention,
    parse_gain,
    presets,
    show_gain,
)


def test_presets_are_known_by_name() -> None:
    for name in presets:
        assert load_convention(name).name == name


def test_unknown_preset_suggests_the_nearest() -> None:
    with pytest.raises(relyon.UnknownNameError, match="did you mean `lightgbm`"):
        load_convention("lightgmb")


@pytest.mark.parametrize("field", sorted(CHOICES))
def test_every_choice_is_checked(field: str) -> None:
    def rules(choice: Any) -> relyon.Convention:
        return relyon.Convention(**{field: choice})

    for choice in CHOICES[field]:
        assert getattr(rules(choice), field) == choice
    with pytest.raises(relyon.ParameterError, match=f"`{field}`"):
        rules("nonsense")


def test_replace_converts_text_and_suggests_fields() -> None:
    convention = relyon.Convention().replace(rel="2", gain="{3:7,2:3}")
    assert convention.rel == 2.0
    assert convention.gain == ((2.0, 3.0), (3.0, 7.0))
    with pytest.raises(relyon.UnknownNameError, match="did you mean `ties`"):
        convention.replace(tie="input")
    with pytest.raises(relyon.ParameterError, match="must be a number"):
        convention.replace(rel="much")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("c.toml", 'preset = "lightgbm"\nundefined = "skip"\n'),
        ("c.json", '{"preset": "lightgbm", "undefined": "skip"}'),
    ],
)
def test_files_start_from_a_preset(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(text, "utf-8")
    convention = load_convention(path)
    assert (convention.gain, convention.undefined) == ("exp", "skip")


def test_broken_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "c.toml"
    path.write_text("ties = [", "utf-8")
    with pytest.raises(relyon.InputError, match=r"c\.toml"):
        load_convention(path)
    with pytest.raises(relyon.InputError, match=r"absent\.toml"):
        load_convention(tmp_path / "absent.toml")


@pytest.mark.parametrize("gain", ["linear", "exp", "scale", {3: 7, 2: 3}, {0.5: 0.25, 1: 1}])
def test_gains_round_trip(gain: object) -> None:
    parsed = parse_gain(gain)
    assert parse_gain(show_gain(parsed)) == parsed


@pytest.mark.parametrize("gain", ["square", {}, {1: -1}, {"a": 1}, "{1:}", 3])
def test_impossible_gains_are_refused(gain: object) -> None:
    with pytest.raises(relyon.ParameterError, match="gain"):
        parse_gain(gain)


def test_gain_functions() -> None:
    assert gain_function("linear")(2.0) == 2.0
    assert gain_function("exp")(3.0) == 7.0
    for gain in ("linear", "exp", ((1.0, 5.0),)):
        worth = gain_function(gain)
        assert worth(None) == 0.0
        assert worth(-1.0) == 0.0
    with pytest.raises(relyon.ParameterError, match="no entry for the grade 2"):
        gain_function(((1.0, 5.0),))(2.0)
    with pytest.raises(relyon.ParameterError, match="named levels"):
        gain_function("scale")


def test_convention_is_immutable_and_hashable() -> None:
    convention = relyon.Convention()
    with pytest.raises(AttributeError):
        convention.ties = "input"  # type: ignore[misc]
    assert hash(convention) == hash(relyon.Convention())
