"""What a host's module says if the host is not installed."""

from __future__ import annotations

import sys
from importlib import import_module

import pytest

import relyon


@pytest.mark.parametrize(
    ("module", "blocked", "install"),
    [
        ("haystack", "haystack", "haystack-ai"),
        ("llama_index", "llama_index", "llama-index-core"),
        ("ragas", "ragas", "ragas"),
    ],
)
def test_a_missing_host_is_named(
    module: str, blocked: str, install: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded = [name for name in sys.modules if name.partition(".")[0] == blocked]
    for name in (*loaded, f"relyon.compat.{module}"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setitem(sys.modules, blocked, None)
    with pytest.raises(relyon.DependencyError, match=f"relyon.compat.{module} needs") as caught:
        import_module(f"relyon.compat.{module}")
    assert f"pip install '{install}'" in caught.value.hint


def test_langsmith_needs_no_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "langsmith", None)
    monkeypatch.delitem(sys.modules, "relyon.compat.langsmith", raising=False)
    assert import_module("relyon.compat.langsmith").relevance_evaluator
