"""Times relyon and its peers side by side: `python -m bench.run`."""

from __future__ import annotations

import argparse
import datetime
import multiprocessing
import sys
from multiprocessing.connection import Connection
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from bench import generate, machine, report
from bench.timing import measure
from bench.workloads import WORKLOADS

QUICK_SCALE = 0.05


def _in_process(name: str, home: Path, runs: int, answers: Connection) -> None:
    workload = WORKLOADS[name].make(home)
    timings = measure(workload, runs, answers.send)
    answers.send(report.Outcome(name, timings, workload.input_bytes))


def run_workload(name: str, home: Path, runs: int, progress: Progress) -> report.Outcome:
    """Runs one workload in a process of its own, so that none inherits another's memory.

    Raises:
        RuntimeError: If the process ends without an answer.
    """
    context = multiprocessing.get_context("spawn")
    answers, sender = context.Pipe(duplex=False)
    process = context.Process(target=_in_process, args=(name, home, runs, sender))
    process.start()
    sender.close()
    task = progress.add_task("", total=None)
    try:
        while not isinstance(answer := answers.recv(), report.Outcome):
            progress.update(task, description=f"  {answer}"[:50])
    except EOFError:
        raise RuntimeError(f"the workload `{name}` ended without an answer") from None
    finally:
        process.join()
        progress.remove_task(task)
    return answer


def main(arguments: list[str] | None = None) -> int:
    """Runs the workloads asked for; returns 1 if any contender failed or disagreed."""
    parser = argparse.ArgumentParser(prog="python -m bench.run", description=__doc__)
    option = parser.add_argument
    names = ", ".join(WORKLOADS)
    option("--only", nargs="+", choices=WORKLOADS, metavar="NAME", help=f"some of {names}")
    option("--quick", action="store_true", help=f"scale {QUICK_SCALE}, 3 runs: does it work?")
    option("--scale", type=float, help="share of the full sizes (default 1)")
    option("--runs", type=int, help="timed runs of each contender (default 7)")
    option(
        "--data", type=Path, default=Path("build/bench"), help="data cache (default %(default)s)"
    )
    option(
        "--write",
        type=Path,
        metavar="FILE",
        help="write the Markdown page here; with --only the other tables of the page stay",
    )
    options = parser.parse_args(arguments)
    chosen = options.only or list(WORKLOADS)
    scale = options.scale or (QUICK_SCALE if options.quick else 1.0)
    runs = options.runs or (3 if options.quick else 7)
    kept: dict[str, report.Section] = {}
    if options.write and options.only and options.write.exists():
        if scale != 1:
            parser.error(f"{options.write} holds full sizes: write another file, or leave --scale")
        kept = report.read_sections(options.write.read_text(encoding="utf-8"))

    console = Console(width=80, highlight=False)
    facts = machine.describe()
    for name, value in facts.items():
        console.print(f"{name:22} {value}", markup=False)
    outcomes = []
    progress = Progress(
        TextColumn("{task.description}"), BarColumn(20), MofNCompleteColumn(), TimeElapsedColumn(),
        console=Console(stderr=True, width=80), transient=True,
    )  # fmt: skip
    with progress:
        whole = progress.add_task("", total=len(chosen))
        for name in chosen:
            progress.update(whole, description=WORKLOADS[name].title)
            home = generate.ensure(options.data, list(WORKLOADS[name].data), scale)
            outcomes.append(run_workload(name, home, runs, progress))
            report.print_outcome(console, outcomes[-1])
            progress.advance(whole)
    report.print_targets(console, outcomes)
    if options.write:
        today = datetime.date.today().isoformat()
        options.write.parent.mkdir(parents=True, exist_ok=True)
        page = report.markdown(outcomes, facts, today, scale, kept)
        options.write.write_text(page, encoding="utf-8")
    return int(any(timing.failed for outcome in outcomes for timing in outcome.timings))


if __name__ == "__main__":
    sys.exit(main())
