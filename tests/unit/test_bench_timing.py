"""The benchmark's clockwork: turns, checks and targets."""

from __future__ import annotations

import math
import sys
import time
from pathlib import Path

import pytest
from bench import generate
from bench.goals import TARGETS
from bench.report import Outcome
from bench.targets import Target
from bench.timing import Contender, Timing, Workload, measure, run_once
from bench.workloads import WORKLOADS


def test_contenders_take_turns_after_an_untimed_first_run() -> None:
    calls: list[str] = []

    def contender(name: str) -> Contender:
        return Contender(name, lambda: calls.append(name))

    timings = measure(Workload([contender("A"), contender("B")]), runs=2)
    assert calls == ["A", "B", "A", "B", "A", "B"]
    assert [len(timing.seconds) for timing in timings] == [2, 2]


def test_wrong_values_are_not_timed() -> None:
    def contender(name: str, value: float) -> Contender:
        return Contender(name, lambda: {"ap": value}, agrees="rules")

    workload = Workload(
        [contender("right", 0.5 + 1e-7), contender("wrong", 0.5 + 2e-6)],
        lambda rules: {"ap": (0.5, 0.5)},
    )
    right, wrong = measure(workload, runs=1)
    assert (len(right.seconds), right.failed, right.remark) == (1, False, "agrees: ap")
    assert (len(wrong.seconds), wrong.failed) == (0, True)
    assert "ap is 0.50000200" in wrong.remark


def test_absent_programs_are_named_and_are_no_failure() -> None:
    def missing() -> None:
        raise ModuleNotFoundError(name="ranx")

    timings = measure(
        Workload([Contender("x", ["x"], absent="no binary"), Contender("y", missing)]), runs=1
    )
    assert [timing.remark for timing in timings] == [
        "not run: no binary",
        "not run: ranx is not installed",
    ]
    assert not any(timing.failed for timing in timings)


def test_a_part_of_the_work_counts_for_the_whole() -> None:
    clock = Contender("part", lambda: time.sleep(0.02), share=0.1)
    (timing,) = measure(Workload([clock]), runs=1)
    assert timing.median >= 0.2


def test_peak_memory_is_the_command_s_own() -> None:
    ballast = bytearray(b"x" * 200 * 2**20)
    code = "x = bytearray(b'x' * 60 * 2**20); print(len(x))"
    once = run_once(Contender("command", [sys.executable, "-c", code]))
    assert once.output.strip() == str(60 * 2**20)
    assert 60 * 2**20 < once.peak < len(ballast)
    assert 0 < once.cpu < 60


def test_a_failing_command_says_so() -> None:
    code = "import sys; print('no such luck', file=sys.stderr); sys.exit(3)"
    with pytest.raises(RuntimeError, match="exit code 3: no such luck"):
        run_once(Contender("command", [sys.executable, "-c", code]))


@pytest.mark.parametrize(
    ("target", "value", "reached"),
    [
        (Target("w", "slow", "fast", 4, limit="x"), 5.0, True),
        (Target("w", "slow", "fast", 6, limit="x"), 5.0, False),
        (Target("w", "slow", "fast", 4, "at most", limit="x"), 5.0, False),
        (Target("w", "slow", "fast", 900, "at most", "difference", limit="x"), 800.0, True),
        (Target("w", "slow", "", 1.5, "at most", "seconds", limit="x"), 1.0, True),
        (Target("w", "slow", "", 64, "at most", "memory", limit="x"), 64.0, True),
        (Target("w", "slow", "", 1.5, "at most", "share", limit="x"), 2.0, False),
        (Target("w", "slow", "fast", 8, "at most", "cpu", limit="x"), 8.0, True),
        (Target("w", "slow", "fast", 3, "at most", "peak", limit="x"), 4.0, False),
        (Target("w", "slow", "fast", 1, "at most", "exponent", limit="x"), math.log2(5), False),
    ],
)
def test_targets_compare_medians(target: Target, value: float, reached: bool) -> None:
    timings = [
        Timing("fast", [0.1, 0.2, 9.0], [16.0 * 2**20] * 3, [0.5, 0.25, 9.0]),
        Timing("slow", [1.0, 0.5, 7.0], [64.0 * 2**20] * 3, [3.0, 4.0, 5.0]),
    ]
    by_name = {timing.name: timing for timing in timings}
    assert target.value(by_name, 32 * 2**20) == pytest.approx(value)
    assert target.reached(value) is reached


@pytest.mark.parametrize(
    ("target", "shown"),
    [
        (Target("w", "peer", "ours", 4, limit="least"), "8.00 × (least)"),
        (Target("w", "ours", "peer", 4, "at most", limit="least"), "0.12 × (least)"),
        (Target("w", "ours", "", 9, "at most", "seconds", limit="least"), "0.50 s (least)"),
        (Target("w", "ours", "half", 1, "at most", "exponent", limit=("least", "half")),
         "-2.00 (least / half: exponent)"),
        (Target("w", "ours", "peer", 4, "at most", limit="absent"), "not measured (absent)"),
    ],
)  # fmt: skip
def test_a_limit_takes_the_place_of_relyon(target: Target, shown: str) -> None:
    times = {"ours": 1.0, "peer": 4.0, "least": 0.5, "half": 2.0}
    timings = {name: Timing(name, [seconds]) for name, seconds in times.items()}
    assert target.show_limit(timings, 0) == shown


def test_what_was_not_measured_is_neither_kept_nor_missed() -> None:
    timings = [Timing("relyon", [1.0]), Timing("Polars")]
    values = [(target.words, value) for target, value in Outcome("gauc", timings).targets()]
    assert [words for words, _ in values] == ["Polars / relyon"]
    assert Target("gauc", "Polars", "relyon", 20, limit="x").reached(values[0][1]) is None


@pytest.mark.long
def test_targets_name_contenders_that_exist(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    names = {name: set[str]() for name in WORKLOADS}
    for name, entry in WORKLOADS.items():
        home = generate.ensure(tmp_path, list(entry.data), 0.003)
        names[name] = {contender.name for contender in entry.make(home).contenders}
    for target in TARGETS:
        for one in (target, target.at_limit()):
            assert {one.over, one.under} - {""} <= names[target.workload], one.words
