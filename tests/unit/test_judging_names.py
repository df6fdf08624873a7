"""Names that a reader could take for each other are one name."""

from __future__ import annotations

import pytest

pytest.importorskip("sqlalchemy")

from relyon.core.errors import ParameterError
from relyon.judging.account_names import check_one_script, name_key, other_key, skeleton


@pytest.mark.parametrize(
    "name", ["LEAD", " lead", "lead ", "Ｌｅａｄ", "lеad", "LЕAD", "ﬂead".replace("ﬂ", "l")]
)
def test_names_that_look_alike_have_one_key(name: str) -> None:
    assert name_key(name) == "lead"


@pytest.mark.parametrize(
    ("one", "other"), [("Ann  Lee", "ann lee"), ("STRASSE", "straße"), ("é", "é")]
)
def test_spelling_makes_no_difference(one: str, other: str) -> None:
    assert name_key(one) == name_key(other)


@pytest.mark.parametrize(
    "name",
    ["王小明", "王小明 Ming", "李Lee", "山田ヤマダ", "김Kim", "иван", "Ann-Marie 2", "Hawaiʻi"],
)
def test_names_of_one_script_or_of_scripts_that_go_together(name: str) -> None:
    check_one_script(name)


@pytest.mark.parametrize("name", ["lеad", "αnn", "иvan", "ann\u3164", "иван王"])
def test_names_that_mix_scripts_are_refused(name: str) -> None:
    with pytest.raises(ParameterError, match="different scripts"):
        check_one_script(name)


def test_a_name_that_must_be_kept_gets_a_key_of_its_own() -> None:
    taken = {name_key("Ann")}
    assert other_key("ANN", taken) not in taken


@pytest.mark.parametrize(
    ("name", "others"),
    [
        ("admin", ["admın", "adrnin", "аdmin", "admin.", "ａｄｍｉｎ", "admin-"]),
        ("lead", ["Iead", "1ead", "|ead", "leɑd", "Ӏead", "lead!", "𝗅𝖾𝖺𝖽"]),
        ("Bo0", ["BoO", "ВоО"]),
    ],
)
def test_names_that_look_alike_have_one_skeleton(name: str, others: list[str]) -> None:
    assert {skeleton(one) for one in others} == {skeleton(name)}


@pytest.mark.parametrize(
    ("one", "other"), [("Neil", "Nell"), ("Ann", "Anna"), ("王小明", "王晓明"), ("bo1", "bo2")]
)
def test_names_that_differ_have_two(one: str, other: str) -> None:
    assert skeleton(one) != skeleton(other)
