"""The checks of parameters and their messages."""

from __future__ import annotations

import math

import pytest

from relyon.core.errors import ParameterError
from relyon.core.language import check_language
from relyon.core.parameters import check_choice, check_fraction, check_whole


@pytest.mark.parametrize(
    ("given", "hint"), [("wilcoxson", "did you mean `wilcoxon`?"), ("anova", ""), (3, "")]
)
def test_a_choice_that_is_none(given: object, hint: str) -> None:
    with pytest.raises(ParameterError) as caught:
        check_choice("test", given, ("t", "wilcoxon"))
    expected = f"the parameter `test` must be one of `t`, `wilcoxon`. Got `{given}` instead."
    assert (caught.value.message, caught.value.hint) == (expected, hint)


def test_the_message_may_speak_of_something_else() -> None:
    with pytest.raises(ParameterError, match="the field `ties` must be one of `input`"):
        check_choice("ties", "first", ("input",), subject="the field `ties`")


def test_a_language_without_texts() -> None:
    check_language("zh")
    with pytest.raises(ParameterError) as caught:
        check_language("de")
    assert caught.value.hint == ""


@pytest.mark.parametrize("value", [0, 2.0, True, "3", None, 2**63])
def test_what_is_no_whole_number_that_is_large_enough(value: object) -> None:
    assert check_whole("k", 1) == 1
    with pytest.raises(ParameterError, match="`k` must be a whole number of 1 or more"):
        check_whole("k", value)


@pytest.mark.parametrize("value", [0, 1, -0.5, math.nan, "0.5", None])
def test_what_lies_not_between_0_and_1(value: object) -> None:
    check_fraction("alpha", 0.05)
    with pytest.raises(ParameterError, match="`alpha` must be between 0 and 1"):
        check_fraction("alpha", value)


def test_what_is_taken_by_keyword_is_what_there_is() -> None:
    from dataclasses import fields
    from inspect import signature

    from relyon.analysis.comparison.settings import Options, Settings
    from relyon.report.contents import PageOptions, build_page

    assert [*Options.__annotations__] == [one.name for one in fields(Settings)]
    assert [*PageOptions.__annotations__] == [*signature(build_page).parameters][1:]
