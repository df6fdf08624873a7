"""The MCP server: no name leads out of its folder, and no answer is longer than it may be."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path

from hypothesis import given, strategies as st

from relyon import InputError, ParameterError, Run
from relyon.compat.mcp.folder import Folder
from relyon.compat.mcp.sealed import ranking_fingerprint
from relyon.compat.mcp.shorten import page, shortened

PARTS = st.sampled_from(["..", ".", "", "a", "b.run", "~", "C:", "\\", "link", "etc", "secret"])
NAMES = st.one_of(
    st.text(max_size=30),
    st.lists(PARTS, max_size=6).map("/".join),
    st.lists(PARTS, max_size=6).map("\\".join),
)


@given(NAMES)
def test_no_name_leads_out_of_the_folder(name: str) -> None:
    with tempfile.TemporaryDirectory() as root:
        inside = Path(root, "inside")
        (inside / "a").mkdir(parents=True)
        (inside / "a" / "b.run").write_text("inside", "utf-8")
        Path(root, "secret").write_text("secret", "utf-8")
        if hasattr(os, "symlink"):
            (inside / "link").symlink_to(root)
        try:
            found = Folder.of(str(inside)).open(name)
        except (InputError, ParameterError):
            return
        with open(found, "rb") as file:
            assert file.read() == b"inside"


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=50)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=30), st.dictionaries(st.text(max_size=5), inner, max_size=5)
    ),
    max_leaves=60,
)


@given(st.dictionaries(st.text(max_size=5), st.lists(JSON, max_size=30), max_size=4))
def test_answers_are_cut_to_their_length_or_named(values: dict[str, object]) -> None:
    found = shortened(values, 600)
    if len(json.dumps(values, ensure_ascii=False)) <= 600:
        assert found == values
    else:
        assert found["cut"]


@given(st.dictionaries(st.text(max_size=4), st.integers()), st.integers(1, 7))
def test_pages_have_every_query_once(values: dict[str, int], count: int) -> None:
    first = 0
    found: dict[str, object] = {}
    while True:
        rows, about = page(values, first, count)
        assert not set(rows) & set(found)
        found |= rows
        assert isinstance(about, dict)
        if "next" not in about:
            break
        first = about["next"]
    assert found == values


SCORES = st.dictionaries(
    st.text(min_size=1, max_size=3).filter(str.strip),
    st.integers(-5, 5).map(float),
    min_size=1,
    max_size=6,
)


@given(SCORES, st.floats(0.1, 100), st.integers(-50, 50))
def test_a_rescaled_run_is_the_same_run(
    scores: dict[str, float], factor: float, shift: int
) -> None:
    one = Run.from_dict({"q": scores})
    rescaled = {name: factor * scores[name] + shift for name in reversed(scores)}
    assert ranking_fingerprint(one) == ranking_fingerprint(Run.from_dict({"q": rescaled}))
