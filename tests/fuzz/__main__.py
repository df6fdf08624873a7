"""Feeds the readers a million damaged files: `python -m tests.fuzz [COUNT] [SEED]`.

The native programs, built with sanitizers, check them all; the slow readers see one in fifty.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROGRAMS = ("fuzz_native", "fuzz_tables", "fuzz_letor", "fuzz_traces")
#: Readers in Python that know nothing of the native ones, and damage to the files of agents.
SLOW = ("fuzz_text", "fuzz_features", "fuzz_workbook", "fuzz_machines")


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    programs = [_built(name) for name in PROGRAMS]
    processes = min(os.cpu_count() or 1, 8)
    slow = [
        [sys.executable, "-m", f"tests.fuzz.{name}", f"--count={count // 50}", f"--seed={seed}"]
        for name in SLOW
    ]
    with tempfile.TemporaryDirectory(dir=_memory()) as folder:
        share = -(-count // processes)
        starts = range(seed, seed + count, share)
        running = [
            subprocess.Popen(
                [program, str(min(share, seed + count - start)), str(start), folder],
                cwd=program.parent,
            )
            for program in programs
            for start in starts
        ]
        running += [subprocess.Popen(command, cwd=HERE.parents[1]) for command in slow]
        codes = [process.wait() for process in running]
    if any(codes):
        print(f"an input failed; if it is a native one it lies in {programs[0].parent}")
    return int(any(codes))


def _built(name: str) -> Path:
    """Builds one of the native programs."""
    command = [str(HERE / "build.sh"), "", name]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return Path(done.stdout.strip())


def _memory() -> str | None:
    """A folder in memory, where there is one."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


if __name__ == "__main__":
    sys.exit(main())
