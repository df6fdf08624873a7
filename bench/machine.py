"""The machine that the numbers were measured on."""

from __future__ import annotations

import os
import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from bench.peers import trec_eval_program

PACKAGES = (
    "relyon",
    "numpy",
    "polars",
    "scipy",
    "pytrec-eval-terrier",
    "ir-measures",
    "ranx",
    "numba",
    "scikit-learn",
    "lightgbm",
)


def describe() -> dict[str, str]:
    """Returns facts about the machine and the versions, in the order to print them."""
    from relyon import _native

    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    facts = {
        "processor": f"{_processor()}, {cores} cores, {_memory()} GiB",
        "system": f"{platform.system()} {platform.release()}, Python {platform.python_version()}",
        "relyon's instructions": _native.simd(),
        "threads": f"{cores} for relyon, Polars, ranx and LightGBM; the others use one",
        "load when started": " ".join(f"{load:.2f}" for load in os.getloadavg()),
    }
    for package in PACKAGES:
        try:
            facts[package] = version(package)
        except PackageNotFoundError:
            facts[package] = "not installed"
    facts["trec_eval"] = _trec_eval_version()
    return facts


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def _memory() -> int:
    return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30)


def _trec_eval_version() -> str:
    program = trec_eval_program()
    if program is None:
        return "not found: put it on the path or name it in TREC_EVAL"
    done = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    return (done.stdout + done.stderr).strip().removeprefix("trec_eval version ") or "unknown"
