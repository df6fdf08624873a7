"""A package that is absent fails the tests that need it; a program or data skips them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
OPTIONS = ("--continue-on-collection-errors", "--rootdir=.")
TESTS = {
    "test_module.py": "import pytest\npytest.importorskip('absent_package')\n",
    "test_inside.py": """
import pytest

@pytest.fixture
def absent():
    return pytest.importorskip('absent_package', reason='absent_package is not installed')

def test_fixture(absent):
    pass

def test_call():
    pytest.importorskip('absent_package')

def test_program():
    pytest.skip('no browser is installed')
""",
}


@pytest.mark.long
@pytest.mark.parametrize(
    ("allowed", "summary"), [("0", "1 failed, 1 skipped, 2 errors"), ("1", "4 skipped")]
)
def test_absent_packages(allowed: str, summary: str, tmp_path: Path) -> None:
    for name, text in TESTS.items():
        (tmp_path / name).write_text(text)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-rs", "-p", "tests.skips", *OPTIONS, str(tmp_path)],
        cwd=ROOT,
        env={**os.environ, "RELYON_ALLOW_SKIPS": allowed, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert summary in done.stdout
    assert "no browser is installed" in done.stdout
    assert ("RELYON_ALLOW_SKIPS=1 skips what needs" in done.stdout) == (allowed == "0")


@pytest.mark.long
@pytest.mark.parametrize(("needed", "summary"), [("0", "1 skipped"), ("1", "1 failed")])
def test_absent_programs(needed: str, summary: str, tmp_path: Path) -> None:
    (tmp_path / "test_program.py").write_text(
        "from tests.programs import skip_without_program\n\n"
        "def test_program():\n    skip_without_program('no browser is installed')\n"
    )
    command = [sys.executable, "-m", "pytest", "-rs", *OPTIONS]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "RELYON_NEED_PROGRAMS": needed}
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, check=False, text=True, capture_output=True
    )
    assert summary in done.stdout
    assert "no browser is installed" in done.stdout
