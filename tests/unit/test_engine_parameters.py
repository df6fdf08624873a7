"""Parameters of an engine's file that a call changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from relyon.core.errors import ParameterError
from relyon.engines import read_configuration

FILE = """
kind = "python"
python = "engine_of_parameters:go"

[parameters]
boost = 2
match = "any"
exact = false

[variants.strong]
boost = 5

[grid]
match = ["all", "phrase"]
"""


@pytest.fixture
def file(tmp_path: Path) -> str:
    (tmp_path / "engine_of_parameters.py").write_text("def go(query, k, **parameters): return []\n")
    path = tmp_path / "engine.toml"
    path.write_text(FILE)
    return str(path)


def test_variants_and_grid_start_from_the_changed_value(file: str) -> None:
    changed = read_configuration(file, parameters={"boost": "2.5", "exact": "true", "match": "7"})
    assert [dict(one.parameters) for one in changed.variants] == [
        {"boost": 2.5, "match": "7", "exact": True},
        {"boost": 5, "match": "7", "exact": True},
        {"boost": 2.5, "match": "all", "exact": True},
        {"boost": 2.5, "match": "phrase", "exact": True},
    ]
    assert (
        type(read_configuration(file, parameters={"boost": "3"}).variants[0].parameters["boost"])
        is int
    )


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"bost": "1"}, "there is no parameter `bost`"),
        ({"boost": "high"}, "`parameters.boost` must be a number. Got `high`"),
        ({"boost": "nan"}, "must be a number"),
        ({"boost": "9" * 400}, "must be a number"),
        ({"boost": True}, "must be a number"),
        ({"exact": "1"}, "must be true or false"),
    ],
)
def test_a_value_that_does_not_fit_is_refused(
    parameters: dict[str, str | bool], words: str, file: str
) -> None:
    with pytest.raises(ParameterError, match=words):
        read_configuration(file, parameters=parameters)


@pytest.mark.parametrize("value", ["nan", "inf", "-inf", "9" * 400])
def test_numbers_that_cannot_be_sent_are_refused(file: str, value: str) -> None:
    text = Path(file).read_text().replace("boost = 5", f"boost = {value}")
    Path(file).write_text(text)
    with pytest.raises(ParameterError, match=r"`variants.strong.boost` must be a number"):
        read_configuration(file)
