"""Every test here is slow, and belongs to the suite of claims."""

from __future__ import annotations

from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks what `make test-honest` runs, and every other suite leaves to it."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.honest)
            item.add_marker(pytest.mark.slow)
