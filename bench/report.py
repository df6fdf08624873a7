"""The results as tables: in the terminal, 80 columns wide, and as a Markdown page."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table

from bench.goals import TARGETS
from bench.targets import MEBIBYTE, Target
from bench.timing import Timing
from bench.workloads import WORKLOADS

#: How the line below a table begins.
MEASURED = "Measured on"
#: What the page says of limits.
LIMITS = (
    "The limit is the same quantity with another program in relyon's place that does only what",
    "nobody can leave out, timed in the same run: reading the lines of the file (`wc -l`), sorting",
    "the scores (`np.sort`), starting an interpreter (`python -c pass`). An exponent says how the",
    "time grows as one size doubles: 1 is as fast as the size, −1 half of the time.",
    "",
)
MARKS = {True: "yes", False: "no", None: "–"}


@dataclass(frozen=True)
class Outcome:
    """The timings of one workload."""

    workload: str
    timings: list[Timing]
    input_bytes: int = 0

    def targets(self) -> Iterator[tuple[Target, float]]:
        """Yields every target of this workload with the measured value."""
        by_name = {timing.name: timing for timing in self.timings}
        for target in TARGETS:
            if target.workload == self.workload:
                yield target, target.value(by_name, self.input_bytes)

    def limit(self, target: Target) -> str:
        """Returns what the limit of a target measured, and its name."""
        by_name = {timing.name: timing for timing in self.timings}
        return target.show_limit(by_name, self.input_bytes)

    def rows(self) -> Iterator[tuple[str, str, str, str, str, str]]:
        """Yields name, median, range, peak memory, multiple of relyon's time, and remark."""
        first = self.timings[0].median
        for timing in self.timings:
            times = timing.seconds
            yield (
                timing.name,
                _seconds(timing.median),
                f"{_seconds(min(times))} – {_seconds(max(times))}, {len(times)}" if times else "–",
                f"{timing.memory / MEBIBYTE:,.0f} MiB" if timing.peak else "–",
                f"{timing.median / first:.2f}" if times and first > 0 else "–",
                timing.remark,
            )


def _seconds(value: float) -> str:
    if math.isnan(value):
        return "–"
    return f"{value:.2f} s" if value >= 1 else f"{1000 * value:.1f} ms"


def print_outcome(console: Console, outcome: Outcome) -> None:
    """Prints one workload: times and, below the table, what was checked or failed."""
    table = Table(title=WORKLOADS[outcome.workload].title, title_justify="left", title_style="bold")
    table.add_column("")
    for heading in ("median", "range, runs", "peak", "× first"):
        table.add_column(heading, justify="right", no_wrap=True)
    rows = list(outcome.rows())
    for *cells, _ in rows:
        table.add_row(*cells)
    console.print(table)
    for timing in outcome.timings:
        if not timing.seconds:
            console.print(f"{timing.name}: {timing.remark}", style="red", markup=False)


def print_targets(console: Console, outcomes: list[Outcome]) -> None:
    """Prints every target that was measured."""
    table = Table(title="Targets", title_justify="left", title_style="bold")
    table.add_column("work")
    table.add_column("quantity")
    table.add_column("measured", justify="right")
    table.add_column("limit", justify="right")
    table.add_column("target", justify="right")
    table.add_column("kept")
    for outcome in outcomes:
        for target, value in outcome.targets():
            kept = target.reached(value)
            style = {True: "green", False: "red", None: "dim"}[kept]
            bound = f"{'≥' if target.best == 'at least' else '≤'} {target.bound:g}"
            mark = f"[{style}]{MARKS[kept]}[/]"
            limit = outcome.limit(target)
            table.add_row(target.workload, target.words, target.show(value), limit, bound, mark)
    console.print(table)


@dataclass(frozen=True)
class Section:
    """The page's section on one workload: its lines, and its rows in the table of targets."""

    targets: tuple[str, ...]
    lines: tuple[str, ...]


def read_sections(page: str) -> dict[str, Section]:
    """Returns the sections of a written page by the titles of their workloads."""
    date = re.search(r"\bon (\d{4}-\d\d-\d\d)\b", page)
    blocks = {
        block.partition("\n")[0]: block.partition("\n")[2].strip("\n").split("\n")
        for block in re.split(r"^## ", page, flags=re.MULTILINE)[1:]
    }
    rows = blocks.get("Targets", [])
    found = {}
    for title in (entry.title for entry in WORKLOADS.values()):
        if title not in blocks:
            continue
        lines = blocks[title]
        if date and not lines[-1].startswith(MEASURED):
            lines = [*lines, "", f"{MEASURED} {date[1]}."]
        found[title] = Section(
            tuple(row for row in rows if row.startswith(f"| {title} | ")), tuple(lines)
        )
    return found


def _section(outcome: Outcome, facts: dict[str, str], date: str) -> Section:
    entry = WORKLOADS[outcome.workload]
    targets = (
        f"| {entry.title} | {target.words} | {target.show(value)} | {outcome.limit(target)}"
        f" | {target.best} {target.bound:g} | {MARKS[target.reached(value)]} |"
        for target, value in outcome.targets()
    )
    lines = [entry.make.__doc__ or "", ""]
    lines += ["| | median | range, runs | peak memory | × first | checked |"]
    lines += ["|---|--:|--:|--:|--:|---|"]
    lines += ["| " + " | ".join(cells) + " |" for cells in outcome.rows()]
    machine, load = facts.get("processor"), facts.get("load when started")
    about = "".join(f"; {fact}" for fact in (machine, load and f"load {load}") if fact)
    return Section(tuple(targets), (*lines, "", f"{MEASURED} {date}{about}."))


def markdown(
    outcomes: list[Outcome],
    facts: dict[str, str],
    date: str,
    scale: float,
    kept: Mapping[str, Section] | None = None,
) -> str:
    """Returns the page.

    Args:
        outcomes: The measurements.
        facts: The machine and the versions.
        date: Today.
        scale: Share of the full sizes.
        kept: Sections of an earlier page; those that were measured again are replaced.
    """
    measured = {WORKLOADS[one.workload].title: _section(one, facts, date) for one in outcomes}
    whole = {**(kept or {}), **measured}
    sections = {
        entry.title: whole[entry.title] for entry in WORKLOADS.values() if entry.title in whole
    }
    lines = [
        "# Benchmarks",
        "",
        "This page compares relyon's speed and memory with other programs on common tasks.",
        f"`python -m bench.run` wrote it on {date}. Values are medians of runs taken in turn on",
        "one machine; results of other programs were first checked against relyon's under the same",
        "rules. Five measures are computed: ndcg@10, ndcg, ap, recall@100, rr@10. To run it, use",
        "`make bench`; `python -m bench --help` lists the options. Each table shows its date.",
        "",
    ]
    if scale != 1:
        lines += [
            f"**Scale {scale:g}: smaller than the sizes that the targets are meant for.**",
            "",
        ]
    lines += ["## Targets", "", *LIMITS, "| work | quantity | measured | limit | target | kept |"]
    lines += ["|---|---|--:|--:|--:|---|"]
    lines += [row for section in sections.values() for row in section.targets]
    for title, section in sections.items():
        lines += ["", f"## {title}", "", *section.lines]
    lines += ["", "## Machine and versions", ""]
    if set(sections) - set(measured):
        lines += ["These are from the last run; tables of another date may be from others.", ""]
    lines += ["| | |", "|---|---|"]
    lines += [f"| {name} | {value} |" for name, value in facts.items()]
    return "\n".join(lines) + "\n"
