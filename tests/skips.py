"""What a test may be skipped for: data and programs that are absent, not packages.

`make test` installs every package that a test imports, so a skip for one hides what is broken. It
fails, unless RELYON_ALLOW_SKIPS=1 says that the environment has only some of them.
"""

from __future__ import annotations

import os
from collections.abc import Generator
from typing import Any, TypeVar

import pytest

Report = TypeVar("Report", pytest.TestReport, pytest.CollectReport)


def _fail_without_package(report: Report, call: pytest.CallInfo[Any] | None) -> Report:
    """Turns a skip by `pytest.importorskip` into a failure."""
    if not report.skipped or call is None or call.excinfo is None:
        return report
    if os.environ.get("RELYON_ALLOW_SKIPS") == "1":
        return report
    if any(entry.name == "importorskip" for entry in call.excinfo.traceback):
        report.outcome = "failed"
        report.longrepr = (
            f"{call.excinfo.value}\n"
            "`make test` installs it; RELYON_ALLOW_SKIPS=1 skips what needs absent packages"
        )
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    call: pytest.CallInfo[Any],
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A test, or a fixture that it uses."""
    return _fail_without_package((yield), call)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """A module."""
    report = yield
    return _fail_without_package(report, getattr(report, "call", None))
