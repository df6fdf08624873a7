"""Numbers in text are the nearest doubles, whichever way they are read."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import relyon


@pytest.mark.parametrize("simd", ["avx512", "avx2", "scalar"])
def test_a_score_is_the_same_number_however_it_is_written(
    simd: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Plain decimals are read in a faster way than those with an exponent: the two must tie."""
    monkeypatch.setenv("RELYON_SIMD", simd)
    draw = random.Random(7)
    texts = [
        sign
        + "".join(draw.choices("0123456789", k=whole))
        + point
        + "".join(draw.choices("0123456789", k=fraction))
        for sign in ("", "-")
        for point in ("", ".")
        for whole in range(12)
        for fraction in range(12)
        for _ in range(4)
        if whole + fraction > 0
    ]
    lines, judgments = [], {}
    for number, text in enumerate(texts):
        for turn, (one, other) in enumerate(((text, f"{text}e0"), (f"{text}e0", text))):
            query = f"{number}-{turn}"
            # Among equal scores the higher id comes first.
            lines += [f"{query} Q0 a 1 {one} x", f"{query} Q0 b 2 {other} x"]
            judgments[query] = {"b": 1}
    path = tmp_path / "x.run"
    path.write_text("\n".join(lines) + "\n")
    found = relyon.evaluate(judgments, path, "rr").column("rr")
    wrong = [texts[at // 2] for at, value in enumerate(found) if value != 1]
    assert not wrong
