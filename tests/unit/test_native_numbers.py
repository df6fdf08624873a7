"""Numbers in TREC text: exact to the last bit, and refused with their line."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.unit.batches import plan, state

from relyon import _native


def numbers(count: int, seed: int) -> list[str]:
    draw = random.Random(seed)
    kinds: list[Callable[[], str]] = [
        lambda: f"{draw.uniform(-100, 100):.{draw.randint(0, 20)}f}",
        lambda: repr(struct.unpack("d", struct.pack("Q", draw.getrandbits(64)))[0]),
        lambda: f"{draw.randint(-(10**20), 10**20)}",
        lambda: f"{draw.randint(0, 10**9)}.{draw.randint(0, 10**9)}",
        lambda: f"{draw.choice(['', '-', '+'])}{draw.randint(0, 99)}e{draw.randint(-30, 30)}",
        lambda: f"{draw.choice(['', '-', '+'])}.{draw.randint(0, 10**12)}",
        lambda: f"{draw.randint(0, 10**17)}." + "0" * draw.randint(0, 12),
        lambda: "0" * draw.randint(1, 30) + f"{draw.randint(0, 999)}.5",
        lambda: f"0.{'0' * draw.randint(0, 330)}{draw.randint(1, 999)}",
    ]
    texts = [draw.choice(kinds)() for _ in range(count)]
    return [text for text in texts if text not in {"nan", "inf", "-inf"}]


@pytest.mark.long
def test_numbers_are_exact_to_the_last_bit(tmp_path: Path) -> None:
    special = ["5e-324", "2.4703282292062328e-324", "2.4703282292062327e-324", "1e-400", "-1e-400"]
    special += [
        "1.7976931348623157e308",
        "0",
        "-0",
        "-0.0",
        "1.",
        "9007199254740993",
        "1E5",
        "1e+5",
    ]
    special += [
        "0." + "0" * 400 + "1",
        "1" + "0" * 300 + "e-300",
        "0e999999",
        "0." + "0" * 400 + "1e401",
    ]
    texts = special + numbers(100_000, 7)
    path = tmp_path / "x.run"
    path.write_text("".join(f"q Q0 d{n} 1 {text} t\n" for n, text in enumerate(texts)))
    found = _native.RunTable.from_text(str(path)).documents("q")[1]
    for text, value in zip(texts, found, strict=True):
        assert struct.pack("d", value) == struct.pack("d", float(text)), text
    # The streaming reader has a faster way of its own: scores equal to the bit give the same ranks.
    judgments = _native.JudgmentTable.from_dict({"q": {"d5": 1, "d200": 2, "d999": 3}})
    rules = plan()
    assert state(_native.evaluate_text(judgments, rules, str(path))) == state(
        _native.evaluate_dict(
            judgments, rules, {"q": {f"d{n}": float(t) for n, t in enumerate(texts)}}
        )
    )


@pytest.mark.parametrize("seed", range(3))
def test_streamed_numbers_tie_where_they_are_equal(seed: int, tmp_path: Path) -> None:
    texts = numbers(300, seed)
    judgments = _native.JudgmentTable.from_dict({f"q{n}": {"a": 1} for n in range(len(texts))})
    path = tmp_path / "x.run"
    lines = []
    for n, text in enumerate(texts):
        # Equal scores put the later id first: any wrong bit moves `a` from rank 2.
        lines.append(f"q{n} Q0 a 1 {text} t\nq{n} Q0 b 2 {float(text)!r} t\n")
    path.write_text("".join(lines))
    batch = _native.evaluate_text(judgments, plan(), str(path))
    assert batch.values(2) == [0.5] * len(texts)
