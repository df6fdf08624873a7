"""An engine's file: what is read, and what is refused with which words."""

from __future__ import annotations

from pathlib import Path

import pytest

import relyon
from relyon.engines import read_configuration


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("kind = 'python'\n", "`python` is missing"),
        ("kind = 3\n", "`kind` must be text"),
        ("kind = 'pyhton'\n", "pyhton"),
        ("kind = 'python'\npython = 'm:f'\ncolour = 1\n", "no key `colour`"),
        (
            "kind = 'python'\npython = 'm:f'\n[limits]\nrate = -1\n",
            "`limits.rate` must be at",
        ),
        (
            "kind = 'python'\npython = 'm:f'\n[limits]\nrate = nan\n",
            "`limits.rate` must be at",
        ),
        ("kind = 'python'\npython = 'm:f'\n[limits]\nconcurrency = 0\n", "`limits.concurrency`"),
        ("kind = 'python'\npython = 'm:f'\n[limits]\nconcurrency = true\n", "a whole number"),
        ("kind = 'python'\npython = 'm:f'\n[limits]\nspeed = 1\n", "no key `limits.speed`"),
        ("kind = 'python'\npython = 'm:f'\n[parameters]\nk = 1\n", "`k`"),
        (
            "kind = 'python'\npython = 'm:f'\n[parameters]\n'../x' = 1\n",
            "`../x` cannot be",
        ),
        ("kind = 'python'\npython = 'm:f'\n[variants.'../x']\n", "`../x` cannot be"),
        ("kind = 'python'\npython = 'm:f'\n[variants.base]\n", "`base` cannot be the name"),
        ("kind = 'python'\npython = 'm:f'\n[variants.a]\nz = 1\n", "changes `z`"),
        ("kind = 'python'\npython = 'm:f'\n[parameters]\na = 1\n[grid]\na = []\n", "at least one"),
        ("kind = 'python'\npython = 'm:f'\n[parameters]\na = 1\n[grid]\na = [[1]]\n", "Got `[1]`"),
        (
            "kind = 'python'\npython = 'm:f'\n[parameters]\na = 'x'\n[grid]\na = ['x y', 'x/y']\n",
            "two points of the grid",
        ),
        ("kind = ", "is not TOML"),
    ],
)
def test_a_file_that_cannot_be_used_says_why(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "m.py").write_text("def f(query, k): return []")
    path = tmp_path / "engine.toml"
    path.write_text(text, "utf-8")
    with pytest.raises(relyon.RelyonError) as caught:
        read_configuration(path)
    assert said in str(caught.value)
    assert "engine.toml" in str(caught.value) or "pyhton" in said


def test_variants_and_a_grid_in_the_order_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "grid_search.py").write_text("def f(query, k, a, b): return [f'{a}{b}']")
    path = tmp_path / "engine.toml"
    path.write_text(
        "kind = 'python'\npython = 'grid_search:f'\n[parameters]\na = 1\nb = 'x'\n"
        "[variants.title-first]\nb = 'y'\n[grid]\na = [2, 3]\nb = ['x y', '电']\n",
        "utf-8",
    )
    found = relyon.search(path, ["red"], 1)
    assert {name: one.documents("red")[0][0] for name, one in found.runs.items()} == {
        "base": "1x",
        "title-first": "1y",
        "a=2,b=x-y": "2x y",
        "a=2,b=电": "2电",
        "a=3,b=x-y": "3x y",
        "a=3,b=电": "3电",
    }
    some = relyon.search(path, ["red"], 1, variants=["a=3,b=电", "base"])
    assert list(some.runs) == ["base", "a=3,b=电"]
