"""ir_measures' own tests, run on relyon.compat.ir_measures.

They are looked for in a checkout of terrierteam/ir_measures at $RELYON_PEER_SUITES/ir_measures.
Every assertion counts, also those after one that fails.
"""

from __future__ import annotations

import importlib.util
import math
import os
import sys
import unittest
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from relyon.compat import ir_measures

SUITES = os.environ.get("RELYON_PEER_SUITES", "")
CHECKOUT = Path(SUITES or ".") / "ir_measures"
FILES = (
    *("accuracy", "aggregate", "compat", "cwl_eval", "gdeval", "judged", "measures", "providers"),
    *("pyndeval", "pytrec_eval", "ranx", "runtime", "util"),
)


class Recorded(unittest.TestCase):
    """Goes on after an assertion that fails, and keeps what failed."""

    failures: list[str]
    count: int

    def _record(self, right: bool, text: str) -> None:
        type(self).count += 1
        if not right:
            type(self).failures.append(text[:300])

    def assertEqual(self, first: Any, second: Any, msg: Any = None) -> None:  # noqa: N802
        self._record(alike(first, second), f"{first!r} != {second!r}")

    def assertAlmostEqual(  # noqa: N802
        self, first: Any, second: Any, places: Any = None, msg: Any = None, delta: Any = None
    ) -> None:
        allowed = delta if delta is not None else 0.5 * 10.0 ** -(7 if places is None else places)
        near = first == second or (not isinstance(first, str) and abs(first - second) <= allowed)
        self._record(near, f"{first!r} != {second!r} within {allowed}")

    def assertTrue(self, expr: Any, msg: Any = None) -> None:  # noqa: N802
        self._record(bool(expr), f"not true: {expr!r}")


def alike(first: Any, second: Any) -> bool:
    """Whether two results are equal up to the last bits of their numbers.

    The other four numbers of a `CwlMetric` are not compared.
    """
    if isinstance(first, set) and isinstance(second, set):
        if not all(isinstance(row, tuple) for row in first | second):
            return first == second
        rows = [sorted(one, key=lambda row: (str(row[1]), row[0])) for one in (first, second)]
        return len(first) == len(second) and all(map(alike, *rows))
    if isinstance(second, ir_measures.Metric | ir_measures.CwlMetric):
        return (first.query_id, first.measure) == (second.query_id, second.measure) and alike(
            first.value, second.value
        )
    if isinstance(second, dict) and isinstance(first, dict):
        return first.keys() == second.keys() and all(
            alike(first[key], second[key]) for key in first
        )
    if isinstance(second, float) and isinstance(first, int | float):
        same = math.isclose(first, second, rel_tol=1e-12, abs_tol=1e-12)
        return same or (math.isnan(first) and math.isnan(second))
    return bool(first == second)


@pytest.fixture
def suite(monkeypatch: pytest.MonkeyPatch) -> Path:
    """The checkout's tests, with relyon in the place of ir_measures."""
    pytest.importorskip("pandas", reason="ir_measures' tests need pandas")
    if not (CHECKOUT / "tests").is_dir():
        pytest.skip("no checkout at $RELYON_PEER_SUITES/ir_measures")
    monkeypatch.setitem(sys.modules, "ir_measures", ir_measures)
    monkeypatch.setitem(sys.modules, "ir_measures.measures", ir_measures.measures)
    monkeypatch.setitem(sys.modules, "ir_measures.measures.accuracy", ir_measures.measures)
    return CHECKOUT / "tests"


def load(path: Path) -> ModuleType:
    """Imports one of the files as part of a package, since they import each other."""
    package = ModuleType("peer_ir_measures")
    package.__path__ = [str(path.parent)]
    sys.modules["peer_ir_measures"] = package
    spec = importlib.util.spec_from_file_location(f"peer_ir_measures.{path.stem}", path)
    if spec is None or spec.loader is None:
        pytest.skip(f"no {path.name} in the checkout")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", FILES)
def test_file(name: str, suite: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import numpy as np

    module = load(suite / f"test_{name}.py")
    for title, kind in list(vars(module).items()):
        if not (isinstance(kind, type) and issubclass(kind, unittest.TestCase)):
            continue
        if kind.__module__ != module.__name__:
            continue  # imported from another file
        case: Any = type(title, (kind, Recorded), {"failures": [], "count": 0})
        for method in ("assertEqual", "assertAlmostEqual", "assertTrue"):
            setattr(case, method, getattr(Recorded, method))

        def equal(first: Any, second: Any, case: Any = case) -> None:
            case.count += 1
            if not alike(first, second):
                case.failures.append(f"{first!r} != {second!r}")

        monkeypatch.setattr(np.testing, "assert_equal", equal)
        result = unittest.TestResult()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            unittest.defaultTestLoader.loadTestsFromTestCase(case).run(result)
        print(f"{name}: {case.count} assertions, {len(case.failures)} differ")
        assert result.testsRun
        assert case.failures == []
        assert [trace for _, trace in [*result.errors, *result.failures]] == []
