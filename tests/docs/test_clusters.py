"""What the page about clusters shows is what the tested examples do."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("page", ["docs/clusters.md", "docs/zh/clusters.md"])
def test_the_page_shows_the_examples(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    shown = re.findall(r"^```py\n(def .*?)^```$", text, re.MULTILINE | re.DOTALL)
    engines = ("dask", "ray")
    assert len(shown) == len(engines)
    for engine, code in zip(engines, shown, strict=True):
        script = (ROOT / "examples" / f"{engine}_evaluate.py").read_text(encoding="utf-8")
        assert code in script, engine
