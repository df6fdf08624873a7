"""The plugin of pytest: baselines, reports, several processes, and messages in Chinese."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.unit.relevance_project import MARK, OPTIONS, QUERIES, Project

import relyon
from relyon.compat.pytest.artifacts import safe_name

pytest_plugins = ["pytester"]


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project with 40 queries, in which pytest loads no plugin but this one."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.delenv("RELYON_LANG", raising=False)
    monkeypatch.delenv("CI", raising=False)
    return Project(pytester)


# -- baselines -------------------------------------------------------------------------------------

UPDATES = """
def test_passes(relevance):
    relevance.search(search, k=10).at_least("recall@10", 0.5).not_worse("rr@10", by=0.01)
"""


def test_an_update_writes_the_baseline_that_the_next_run_passes(project: Project) -> None:
    baseline = project.path / "baseline.run"
    baseline.unlink()
    done = project.run(UPDATES, "--relevance-update")
    done.assert_outcomes(passed=1)
    done.stdout.fnmatch_lines(["new  test_search.py::test_passes: baseline written: *baseline.run"])
    assert len(relyon.read_run(baseline).queries) == QUERIES
    again = project.run(UPDATES, "-v")
    again.assert_outcomes(passed=1)
    again.stdout.fnmatch_lines(["ok *: rr@10 is unchanged: all lists are those of baseline.run"])


@pytest.mark.parametrize(
    "tests",
    [
        UPDATES.replace("0.5)", "1.0)"),
        UPDATES + "    assert False\n",
        UPDATES.replace("search(search", "search(lambda query, k: 1 / 0"),
        UPDATES.replace('.not_worse("rr@10", by=0.01)', ""),
    ],
    ids=["check fails", "test fails", "search fails", "nothing compared"],
)
def test_an_update_needs_a_test_that_passes(project: Project, tests: str) -> None:
    baseline = project.path / "baseline.run"
    before = baseline.read_bytes()
    project.run(tests, "--relevance-update")
    assert baseline.read_bytes() == before
    assert not [*project.path.glob("*.partial")]


def test_two_runs_cannot_become_one_baseline(project: Project) -> None:
    done = project.run(
        """
def test_a(relevance):
    relevance.search(search, k=10).better("rr@10")
def test_b(relevance):
    relevance.search(worse, k=10).better("rr@10")
def test_c(relevance):
    relevance.search(search, k=10).better("rr@10")
""",
        "--relevance-update",
    )
    done.assert_outcomes(passed=2, failed=1)
    done.stdout.fnmatch_lines(["E *baseline.run is the baseline of two different runs, *test_a: *"])


def test_an_update_is_refused_in_ci(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    done = project.run(UPDATES, "--relevance-update")
    assert done.ret == pytest.ExitCode.USAGE_ERROR
    done.stderr.fnmatch_lines(["ERROR: --relevance-update writes baselines, and this is CI*"])


# -- sessions --------------------------------------------------------------------------------------


@pytest.mark.long
def test_reports_are_left_as_artifacts(project: Project) -> None:
    done = project.run(
        """
@pytest.mark.parametrize("name", ["a/b:c", "红"])
def test_loss(relevance, name):
    relevance.search(worse, k=10).not_worse("rr@10", by=0.01)
def test_bound(relevance):
    relevance.search(search, k=10).at_least("recall@10", 0.5)
    relevance.search(worse, k=10).at_least("recall@10", 0.5)
""",
        "--relevance-report",
        "out",
    )
    done.assert_outcomes(passed=1, failed=2)
    folders = {one.name: one for one in (project.path / "out").iterdir()}
    assert len(folders) == 3
    for name, folder in folders.items():
        assert name.isascii()
        assert not set(name) & set('<>:"/\\|?*[]')
        lists = relyon.read_run(folder / "candidate.run")
        assert len(lists.queries) == QUERIES
        files = {one.name for one in folder.iterdir()}
        if "bound" in name:
            assert files == {"candidate.run", "candidate-2.run"}
        else:
            assert files == {"candidate.run", "report.html", "summary.md"}
            page = (folder / "report.html").read_text("utf-8")
            assert "query number" in page
            summary = (folder / "summary.md").read_text("utf-8")
            assert "rr@10" in summary.splitlines()[0]
            assert "The gate fails: rr@10 is worse than in baseline" in summary


def test_names_of_folders_differ_as_tests_do() -> None:
    long = "tests/test_x.py::test_" + "y" * 300
    names = [safe_name(one) for one in ("a::B", "a::b", "a::b[1]", "a::b[/1]", long, long + "z")]
    assert len({one.lower() for one in names}) == len(names)
    assert max(map(len, names)) < 80


@pytest.mark.long
def test_several_processes_tell_the_same(project: Project) -> None:
    pytest.importorskip("xdist")
    project.write(
        "test_search.py",
        MARK
        + """
@pytest.mark.parametrize("number", range(4))
def test_bound(relevance, number):
    relevance.search(search, k=10).at_least("rr@10", 0.2 * number)
""",
    )
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", *OPTIONS, "-p", "xdist", "-n", "2", "-v"),
            *("--relevance-report", "out"),
        ],
        capture_output=True,
        encoding="utf-8",
        cwd=project.path,
        env=os.environ | {"PYTHONUTF8": "1"},
        check=False,
        timeout=120,
    )
    assert "2 failed, 2 passed" in done.stdout, done.stdout + done.stderr
    assert "FAIL test_search.py::test_bound[2]: rr@10 is not shown to be at" in done.stdout
    assert "ok   test_search.py::test_bound[1]: rr@10 is at least 0.2" in done.stdout
    assert len([*Path(project.path, "out").glob("*/candidate.run")]) == 4
    refused = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", *OPTIONS, "-p", "xdist", "-n", "2"),
            "--relevance-update",
        ],
        capture_output=True,
        encoding="utf-8",
        cwd=project.path,
        env={**os.environ, "CI": ""},
        check=False,
        timeout=120,
    )
    assert refused.returncode == pytest.ExitCode.USAGE_ERROR
    assert "without -n" in refused.stderr


def test_messages_are_in_chinese(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RELYON_LANG", "zh")
    done = project.run(
        """
def test_loss(relevance):
    relevance.search(worse, k=10).not_worse("rr@10", by=0.01)
@pytest.mark.relevance(judgements="x")
def test_mark(relevance):
    pass
"""
    )
    done.assert_outcomes(failed=1, errors=1)
    done.stdout.fnmatch_lines(
        [
            "test_search.py:*：标记 `relevance` 没有参数 `judgements`",
            "建议：*",
            "E *AssertionError: rr@10 差于 baseline.run：0.4567 → *",
            "E *变差最多的查询：",
        ]
    )
