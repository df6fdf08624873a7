"""Results as frames of other libraries, which may be missing."""

from __future__ import annotations

import sys

import pytest

import relkit
from relkit.core.errors import DependencyError

JUDGMENTS = {"q1": {"a": 1, "b": 0}, "q2": {"b": 1}}
RUN = {"q1": {"a": 1.0, "b": 2.0}, "q2": {"b": 1.0}}


def test_values_by_query_in_pandas_and_arrow() -> None:
    results = relkit.evaluate(JUDGMENTS, RUN, ["rr"])
    expected = {"query": ["q1", "q2"], "rr": [0.5, 1.0]}
    assert results.to_pandas(per_query=True).to_dict("list") == expected
    assert results.to_arrow(per_query=True).to_pydict() == expected


@pytest.mark.parametrize(("method", "package"), [("to_pandas", "pandas"), ("to_arrow", "pyarrow")])
def test_a_library_that_is_missing(
    method: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = relkit.evaluate(JUDGMENTS, RUN, ["rr"])
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(DependencyError, match=f"needs the package {package}") as caught:
        getattr(results, method)()
    assert caught.value.hint == f"pip install '{package}'"
