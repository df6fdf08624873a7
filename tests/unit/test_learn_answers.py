"""Numbers as people type them, in a terminal; the pages read the same cases."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from relyon.learn.typed import read_number, typed_number

CASES: dict[str, Any] = json.loads(
    Path(__file__).with_name("typed_numbers.json").read_text("utf-8")
)


@pytest.mark.parametrize(("text", "value"), CASES["numbers"], ids=range(len(CASES["numbers"])))
def test_what_people_type(text: str, value: float | None) -> None:
    found = typed_number(text)
    assert found is None if value is None else found == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize("case", CASES["readings"], ids=range(len(CASES["readings"])))
def test_a_number_as_it_fits_the_question(case: list[Any]) -> None:
    text, answer, tolerance, others, value, shown = case
    found = read_number(text, answer, tolerance, others)
    assert found is not None
    assert found.value == pytest.approx(value)
    assert found.shown == shown


@given(st.text("0123456789.,+-*/^()% elogn2√x", max_size=30))
def test_no_text_raises(text: str) -> None:
    found = typed_number(text)
    assert found is None or isinstance(found, float)


@given(st.floats(-1e9, 1e9, allow_subnormal=False))
def test_a_number_is_read_as_it_is_printed(value: float) -> None:
    assert typed_number(repr(value)) == pytest.approx(value)
    assert typed_number(f"({value!r})*1") == pytest.approx(value)
