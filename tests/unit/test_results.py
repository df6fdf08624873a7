"""Results as frames of other libraries, which may be missing."""

from __future__ import annotations

import sys

import pytest

import relyon
from relyon.core.errors import DependencyError

JUDGMENTS = {"q1": {"a": 1, "b": 0}, "q2": {"b": 1}}
RUN = {"q1": {"a": 1.0, "b": 2.0}, "q2": {"b": 1.0}}


def test_values_by_query_in_pandas_and_arrow() -> None:
    results = relyon.evaluate(JUDGMENTS, RUN, ["rr"])
    expected = {"query": ["q1", "q2"], "rr": [0.5, 1.0]}
    assert results.to_pandas(per_query=True).to_dict("list") == expected
    assert results.to_arrow(per_query=True).to_pydict() == expected


@pytest.mark.parametrize(("method", "package"), [("to_pandas", "pandas"), ("to_arrow", "pyarrow")])
def test_a_library_that_is_missing(
    method: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = relyon.evaluate(JUDGMENTS, RUN, ["rr"])
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(DependencyError, match=f"needs the package {package}") as caught:
        getattr(results, method)()
    assert caught.value.hint == f"pip install '{package}'"


@pytest.mark.parametrize("name", ["err@10", "bpm@10", "nerr8@10", "sdcg@10"])
def test_a_part_does_not_know_the_highest_grade(name: str) -> None:
    with pytest.raises(relyon.ParameterError, match="needs the highest grade") as caught:
        relyon.Accumulator(name)
    written = caught.value.hint.removeprefix("name it: ")
    assert written == name.replace("@", "(max=3)@")
    judgments, run = {"q": {"a": 3, "b": 1}}, {"q": {"b": 2.0, "a": 1.0}}
    rules = {"measures": {name.split("@", maxsplit=1)[0]: {"max": 3}}}
    for part in (relyon.Accumulator(written), relyon.Accumulator(name, convention=rules)):
        part.update(judgments, run)
        (entry,) = part.compute().entries.values()
        assert entry.value == relyon.evaluate(judgments, run, written)[written]
