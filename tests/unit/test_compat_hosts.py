"""Adapters to other programs, where these are absent or not needed."""

from __future__ import annotations

import sys
from importlib import import_module

import pytest

import relyon
from relyon.compat import beir, ir_datasets, mteb


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    monkeypatch.delitem(sys.modules, "relyon.compat.sentence_transformers", raising=False)
    with pytest.raises(relyon.DependencyError, match=r"pip install 'sentence-transformers'"):
        import_module("relyon.compat.sentence_transformers")
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    for read in (ir_datasets.judgments, ir_datasets.run, ir_datasets.queries):
        with pytest.raises(relyon.DependencyError, match=r"pip install 'ir-datasets'"):
            read("vaswani")
    with pytest.raises(relyon.DependencyError, match="ir-datasets"):
        relyon.evaluate("irds:vaswani", {"q1": {"d1": 1.0}})


def test_results_of_others_stay_as_they_are() -> None:
    results = {"a": {"a": 2.0, "b": 1.0}, "c": {}}
    assert beir.run(results).to_dict().get("a") == {"b": 1.0}
    assert results == {"a": {"a": 2.0, "b": 1.0}, "c": {}}
    assert beir.run(results, identical_ids="keep", name="mine").name == "mine"
    stored = {"default": {"test": {"q1": {"d1": 2.0, "d2": 2.0}, "q2": {}}}}
    found = mteb.run(stored, name="mine")
    assert (found.name, found["q1"]) == ("mine", {"d1": 2.0, "d2": 2.0})
