"""Times contenders in turn, A B C A B C, so that a slow spell of the machine hits all of them."""

from __future__ import annotations

import gc
import json
import math
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

LAUNCHER = Path(__file__).with_name("launch.py")
SLOW_SECONDS = 10.0
SLOW_RUNS = 3

Values = Mapping[str, float]


@dataclass(frozen=True)
class Contender:
    """One way to do the work.

    Attributes:
        name: Its name in the table.
        work: What is timed: a call, or the arguments of a command.
        read: Takes the values from what `work` returned or printed; not timed.
        agrees: The rules under which relyon must give the same values (a key of the
            workload's `expected`); `None` where there is nothing to compare.
        tolerance: Largest difference that counts as equal.
        share: The part of the whole work that is done; times are divided by it.
        absent: Why it cannot run here.
    """

    name: str
    work: Callable[[], Any] | list[str]
    read: Callable[[Any], Values] = lambda output: output
    agrees: str | None = None
    tolerance: float = 1e-6
    share: float = 1.0
    absent: str | None = None


@dataclass
class Timing:
    """The measurements of one contender.

    Attributes:
        seconds: Wall-clock time of each run, divided by the share of the work done.
        peak: Peak memory in bytes of each run, for commands.
        cpu: CPU seconds of each run, for commands.
        remark: Which values agree with relyon's, or why it was not timed.
        failed: It broke, or its values differ.
    """

    name: str
    seconds: list[float] = field(default_factory=list)
    peak: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    remark: str = ""
    failed: bool = False

    @property
    def median(self) -> float:
        return statistics.median(self.seconds) if self.seconds else math.nan

    @property
    def cpu_median(self) -> float:
        return statistics.median(self.cpu) if self.cpu else math.nan

    @property
    def memory(self) -> float:
        return statistics.median(self.peak) if self.peak else math.nan


@dataclass(frozen=True)
class Workload:
    """Contenders that do the same work.

    Attributes:
        contenders: In the order in which they take turns.
        expected: From a set of rules to relyon's values, lowest and highest, by measure: the
            two differ where the order of tied documents is not defined.
        input_bytes: Size of the input file, for shares of it.
        prepare: Called before anything runs.
    """

    contenders: list[Contender]
    expected: Callable[[str], Mapping[str, tuple[float, float]]] = lambda rules: {}
    input_bytes: int = 0
    prepare: Callable[[], None] = lambda: None


class Once(NamedTuple):
    """One run: seconds, output, and for a command peak bytes and CPU seconds."""

    seconds: float
    output: Any
    peak: float = math.nan
    cpu: float = math.nan


def run_once(contender: Contender) -> Once:
    """Runs the work of a contender.

    Raises:
        RuntimeError: If a command fails.
    """
    gc.collect()
    if callable(contender.work):
        start = time.perf_counter()
        output = contender.work()
        return Once(time.perf_counter() - start, output)
    with tempfile.NamedTemporaryFile("r", suffix=".out") as printed:
        launch = [sys.executable, "-I", "-S", str(LAUNCHER), printed.name, *contender.work]
        done = subprocess.run(launch, capture_output=True, text=True, check=False)
        report = json.loads(done.stdout) if done.returncode == 0 else {"code": done.returncode}
        if report["code"] != 0:
            raise RuntimeError(f"exit code {report['code']}: {done.stderr.strip()[-300:]}")
        return Once(report["seconds"], printed.read(), report["peak"], report["cpu"])


def check(contender: Contender, workload: Workload, output: Any) -> str:
    """Compares values with relyon's under the same rules.

    Raises:
        RuntimeError: If one lies outside.
    """
    if contender.agrees is None:
        return ""
    bounds = workload.expected(contender.agrees)
    values = {name: value for name, value in contender.read(output).items() if name in bounds}
    if not values:
        raise RuntimeError("it returned no value to compare")
    for name, value in values.items():
        low, high = bounds[name]
        if not low - contender.tolerance <= value <= high + contender.tolerance:
            raise RuntimeError(f"{name} is {value:.8f}, relyon's {low:.8f} to {high:.8f}")
    return "agrees: " + ", ".join(values)


def measure(
    workload: Workload, runs: int, say: Callable[[str], None] = lambda message: None
) -> list[Timing]:
    """Checks every contender in an untimed first run, then times them in turn.

    Args:
        workload: What to time.
        runs: Timed runs of each; those slower than `SLOW_SECONDS` get at most `SLOW_RUNS`.
        say: Called with what runs next.
    """
    workload.prepare()
    timings = {contender.name: Timing(contender.name) for contender in workload.contenders}
    left = {}
    for contender in workload.contenders:
        timing = timings[contender.name]
        if contender.absent:
            timing.remark = f"not run: {contender.absent}"
            continue
        say(f"{contender.name}: first run")
        try:
            first = run_once(contender)
            timing.remark = check(contender, workload, first.output)
        except ModuleNotFoundError as error:
            timing.remark = f"not run: {error.name} is not installed"
            continue
        except Exception as error:
            timing.remark, timing.failed = f"{type(error).__name__}: {error}", True
            continue
        left[contender.name] = min(runs, SLOW_RUNS) if first.seconds > SLOW_SECONDS else runs
    for turn in range(runs):
        for contender in workload.contenders:
            if left.get(contender.name, 0) <= turn:
                continue
            say(f"{contender.name}: run {turn + 1} of {left[contender.name]}")
            once = run_once(contender)
            timings[contender.name].seconds.append(once.seconds / contender.share)
            if not math.isnan(once.peak):
                timings[contender.name].peak.append(once.peak)
                timings[contender.name].cpu.append(once.cpu)
    return list(timings.values())
