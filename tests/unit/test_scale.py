from __future__ import annotations

from pathlib import Path

import pytest

import relyon
from relyon.data.scale import FLOATS, INTEGERS, SEARCH, Level, Scale, load_scale


@pytest.mark.parametrize(
    ("value", "grade"),
    [
        ("高", 3),
        ("中", 2),
        ("低", 1),
        ("无", 0),
        ("High", 3),
        ("none", 0),
        (2, 2),
        ("1", 1),
        (3.0, 3),
    ],
)
def test_levels_names_and_numbers_are_grades(value: object, grade: float) -> None:
    assert SEARCH.parse(value) == grade


@pytest.mark.parametrize("value", ["best", 4, 1.5, None, "", [1]])
def test_other_values_are_refused_with_the_levels(value: object) -> None:
    with pytest.raises(relyon.InputError, match="high/高"):
        SEARCH.parse(value)


def test_open_scales_take_numbers_only() -> None:
    assert INTEGERS.parse("7") == 7.0
    assert FLOATS.parse(0.3) == 0.3
    with pytest.raises(relyon.InputError, match="search"):
        INTEGERS.parse("高")


def test_negative_grades_pass() -> None:
    assert SEARCH.parse(-1) == -1.0


def test_gains_and_threshold_of_the_search_scale() -> None:
    assert SEARCH.gains == {3: 1.0, 2: 0.7, 1: 0.3, 0: 0.0}
    assert SEARCH.relevant_from == 2.0
    judged = relyon.Judgments.from_dict({"q": {"a": "高", "b": "低"}}, scale=SEARCH)
    run = {"q": {"b": 2.0, "a": 1.0}}
    assert relyon.evaluate(judgments=judged, run=run, measures=["p@2"])["p@2"] == 0.5
    value = relyon.evaluate(judged, run, ["cg(gain=scale)@2"])["cg(gain=scale)@2"]
    assert value == pytest.approx(1.3)


def test_scales_from_files(tmp_path: Path) -> None:
    path = tmp_path / "five.toml"
    path.write_text(
        'name = "five"\nrelevant_from = 3\n'
        '[[levels]]\ngrade = 4\nname = "perfect"\nchinese = "完美"\ngain = 1\n'
        '[[levels]]\ngrade = 0\nname = "bad"\ngain = 0\n',
        "utf-8",
    )
    scale = load_scale(path)
    assert scale.parse("完美") == 4.0
    assert scale.relevant_from == 3.0
    path.write_text("[[levels]]\ngrade = 4\n", "utf-8")
    with pytest.raises(relyon.InputError, match=r"five\.toml.*name"):
        load_scale(path)


def test_two_levels_of_one_name_are_refused() -> None:
    with pytest.raises(relyon.ParameterError, match="same name"):
        Scale("x", levels=(Level(1, "a"), Level(2, "A")))


def test_grades_of_another_scale_say_how_to_write_one() -> None:
    with pytest.raises(relyon.InputError, match="`100`") as raised:
        SEARCH.parse("100")
    assert "write a scale of your own, a TOML, JSON or YAML file: --scale FILE" in raised.value.hint


def test_traditional_characters_name_the_same_levels() -> None:
    assert [SEARCH.parse(name) for name in "高中低無"] == [3, 2, 1, 0]
    assert SEARCH.language_of(["無"]) == "zh"
    assert load_scale("binary").parse("相關") == load_scale("binary").parse("相关") == 1
    mine = Scale("mine", levels=(Level(1, "some", "有"), Level(0, "none", "無")))
    assert mine.parse("无") == mine.parse("無") == 0
    assert mine.label(0, "zh") == "無"
