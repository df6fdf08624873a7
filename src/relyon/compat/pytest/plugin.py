"""What pytest loads at its start: options, the mark, the fixture, and the lines at the end.

It imports pytest and the standard library only, so that a session that does not use it costs
nothing; the rest is imported by the first test that asks for the fixture. PYTEST_DONT_REWRITE: no
module of relyon asserts.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING

import pytest

from relyon.compat.pytest.names import FAILED, OWN_FIXTURES, PASSED, SETTINGS, WRITTEN

if TYPE_CHECKING:
    from relyon.compat.pytest.relevance import Relevance

__all__ = ["relevance"]

MARK = (
    f"relevance({', '.join(f'{name}=...' for name in SETTINGS)}): "
    "where the data of the fixture `relevance` is and how runs are compared; paths are relative to"
    " the test's file, else to the root directory"
)
#: How their lines begin, and in which colour.
SIGNS = {FAILED: ("FAIL", "red"), PASSED: ("ok  ", "green"), WRITTEN: ("new ", "yellow")}

#: Whether the test itself passed: the baseline is written then.
_succeeded = pytest.StashKey[bool]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declares the options and settings."""
    group = parser.getgroup("relevance", "relevance of search results (relyon)")
    group.addoption(
        "--relevance-update",
        action="store_true",
        help="Write the runs of passing tests as their baselines instead of comparing with these.",
    )
    group.addoption(
        "--relevance-report",
        metavar="DIR",
        help="Write the report on each comparison, and the candidate's run, into this folder.",
    )
    for name, what in SETTINGS.items():
        parser.addini(f"relevance_{name}", f"relevance: {what}; a mark can replace it.", default="")


def pytest_configure(config: pytest.Config) -> None:
    """Registers the mark, and refuses updates of baselines in CI and in several processes."""
    config.addinivalue_line("markers", MARK)
    if not config.getoption("--relevance-update"):
        return
    from relyon.compat.pytest.words import said

    if os.environ.get("CI", "").lower() not in ("", "0", "false"):
        raise pytest.UsageError(said("update-in-ci"))
    if config.getoption("numprocesses", None) or hasattr(config, "workerinput"):
        raise pytest.UsageError(said("update-in-parallel"))


@pytest.fixture
def relevance(request: pytest.FixtureRequest) -> Iterator[Relevance]:
    """Searches, and checks the relevance of what was found: see the mark `relevance`.

    `relevance.search(function, k=20)` calls `function(query, k)` for each judged query;
    `relevance.run(file)` takes a run that exists. Both return an object whose methods are checks:
    `at_least("recall@20", 0.85)`, `at_most`, `not_worse("ndcg@10", by=0.01)`, `better("ndcg@10")`,
    `not_significantly_worse("ndcg@10")`.
    """
    from relyon.compat.pytest.relevance import Relevance

    found = Relevance.of(request)
    yield found
    found.finish(succeeded=request.node.stash.get(_succeeded, False))


@pytest.hookimpl(tryfirst=True)
def pytest_fixture_setup(
    fixturedef: pytest.FixtureDef[object], request: pytest.FixtureRequest
) -> None:
    """Notes which tests have fixtures or parameters of their own, besides those that search."""
    if fixturedef.scope == "function" and "relevance" not in (
        fixturedef.argname,
        *fixturedef.argnames,
    ):
        request.node.stash[OWN_FIXTURES] = True


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Notes which tests passed."""
    report = yield
    if call.when == "call":
        item.stash[_succeeded] = report.outcome == "passed"
    return report


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Lists files that were written, checks that failed, and with ``-v`` those that passed."""
    shown = (FAILED, WRITTEN, *([PASSED] if config.get_verbosity() > 0 else []))
    lines = dict.fromkeys(
        (report.nodeid, str(kind), str(text))
        for group in terminalreporter.stats.values()
        for report in group
        for kind, text in getattr(report, "user_properties", ())
        if kind in shown
    )
    if not lines:
        return
    terminalreporter.section("relevance")
    for test, kind, text in lines:
        sign, color = SIGNS[kind]
        terminalreporter.write(f"{sign} ", **{color: True})
        terminalreporter.write(f"{test}: {text}\n")
