"""A search log larger than memory: how long counting and sampling take, and how much they hold.

    python -m bench.sessions --rows 10000000
    python -m bench.sessions --rows 100000000 --write docs/sampling.md --write docs/zh/sampling.md

The log has 20 impressions per session, queries by Zipf's law, session ids of 16 signs, and comes in
Parquet files of ten million rows. It is made part by part: neither this nor any contender needs
memory that grows with the rows. Every contender runs in a process of its own; the peak is that
process's largest resident set. Multiples are of CPU time, on which other work on the machine has
less influence. The counts of all of them must be the same.
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from bench.timing import Contender, run_once

DEPTH = 20
PART = 10_000_000
BATCH = 100_000
SEED = 20250601
START, END = "<!-- bench:start -->", "<!-- bench:end -->"


def make_log(folder: Path, rows: int, seed: int = SEED) -> list[Path]:
    """Writes a log unless it is there; the same seed gives the same rows.

    Args:
        folder: Where it is kept.
        rows: Impressions.
        seed: Of the random numbers; each part draws from its own stream.
    """
    import pyarrow.parquet as pq

    home = folder / f"sessions-{rows}-seed-{seed}"
    home.mkdir(parents=True, exist_ok=True)
    files = []
    for number in range(math.ceil(rows / PART)):
        path = home / f"part-{number:03}.parquet"
        files.append(path)
        if path.exists():
            continue
        partial = path.with_suffix(".partial")
        sessions = min(PART, rows - number * PART) // DEPTH
        with pq.ParquetWriter(
            partial, _batch(seed, number, 0, 1).schema, compression="zstd"
        ) as out:
            for start in range(0, sessions, BATCH):
                out.write_table(_batch(seed, number, start, min(BATCH, sessions - start)))
        partial.rename(path)
    return files


def _batch(seed: int, part: int, start: int, sessions: int) -> Any:
    """Some sessions as a PyArrow table."""
    import numpy as np
    import polars as pl

    random = np.random.default_rng([seed, part, start])
    first = part * (PART // DEPTH) + start
    # Zipf by inversion over two million queries: the most frequent one is 1 search in 21.
    queries = np.floor(np.exp(random.random(sessions) * np.log(2_000_000))).astype(np.int64)
    ids = [
        f"{number * 0x9E3779B97F4A7C15 % 2**64:016x}" for number in range(first, first + sessions)
    ]
    row = np.repeat(np.arange(sessions), DEPTH)
    position = np.tile(np.arange(1, DEPTH + 1, dtype=np.int32), sessions)
    query = queries[row]
    doc = (query * 31 + position * 7 + random.integers(0, 3, len(row))) % 5_000_000
    clicked = random.random(len(row)) < 0.3 / position
    return pl.DataFrame(
        {
            "session": pl.Series(ids)[row],
            "query": pl.select(pl.format("query {}", pl.Series(query))).to_series(),
            "position": position,
            "doc": pl.select(pl.format("d{}", pl.Series(doc))).to_series(),
            "clicked": clicked,
        }
    ).to_arrow(compat_level=pl.CompatLevel.oldest())


def _summary(counts: Any) -> dict[str, int]:
    return {
        "queries": len(counts),
        "sessions": int(counts["sessions"].sum()),
        "largest": int(counts["sessions"].max()),
    }


def count_with_relyon(files: Sequence[str]) -> dict[str, int]:
    """The count as relyon makes it."""
    from relyon.io.session_readers import read_sessions
    from relyon.online.sampling import count_queries

    return _summary(count_queries(read_sessions(list(files))))


def count_with_relyon_on_duckdb(files: Sequence[str]) -> dict[str, int]:
    """The same code on a DuckDB relation."""
    import duckdb

    from relyon.online.sampling import count_queries

    return _summary(count_queries(duckdb.read_parquet(list(files))))


def count_with_polars(files: Sequence[str]) -> dict[str, int]:
    """The count as one writes it in Polars."""
    import polars as pl

    counted = (
        pl.scan_parquet(list(files))
        .group_by("query")
        .agg(pl.col("session").n_unique().alias("sessions"))
    )
    return _summary(counted.collect(engine="streaming"))


def count_with_polars_unique(files: Sequence[str]) -> dict[str, int]:
    """The count in Polars, duplicates dropped first."""
    import polars as pl

    counted = (
        pl.scan_parquet(list(files))
        .select("session", "query")
        .unique()
        .group_by("query")
        .agg(pl.len().alias("sessions"))
    )
    return _summary(counted.collect(engine="streaming"))


def count_with_duckdb(files: Sequence[str]) -> dict[str, int]:
    """The count as one writes it in SQL."""
    import duckdb

    found = duckdb.sql(
        "select query, count(distinct session) as sessions from read_parquet(?) group by query",
        params=[list(files)],
    )
    assert found is not None  # the query selects
    return _summary(found.pl())


def sample_with_relyon(files: Sequence[str]) -> dict[str, int]:
    """The whole sample: tiers, 300 sessions, their results."""
    from relyon import draw_sample

    return _summary_of(draw_sample(list(files), per_tier=100, seed=7))


def pptss_with_relyon(files: Sequence[str]) -> dict[str, int]:
    """The other design."""
    from relyon import draw_sample

    return _summary_of(draw_sample(list(files), per_tier=100, design="pptss", seed=7))


def _summary_of(sample: Any) -> dict[str, int]:
    return {
        "queries": sum(tier.queries for tier in sample.tiers),
        "sessions": sum(tier.sessions for tier in sample.tiers),
        "largest": max(tier.most for tier in sample.tiers),
    }


WORK: dict[str, Callable[[Sequence[str]], dict[str, int]]] = {
    "relyon: sessions by query": count_with_relyon,
    "Polars: n_unique by query": count_with_polars,
    "Polars: unique, then len": count_with_polars_unique,
    "DuckDB: count distinct": count_with_duckdb,
    "relyon on DuckDB": count_with_relyon_on_duckdb,
    "relyon: stratified sample": sample_with_relyon,
    "relyon: PPTSS sample": pptss_with_relyon,
}


def table(files: Sequence[Path], rows: int, runs: int) -> str:
    """Times every contender and returns the Markdown table."""
    from bench.machine import describe

    names = [str(path) for path in files]
    size = sum(path.stat().st_size for path in files)
    lines = [
        "| | best, s | worst, s | CPU, s | × relyon's count | rows/s | peak memory |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    commands = [
        Contender(name, [sys.executable, "-m", "bench.sessions", "--work", str(number), *names])
        for number, name in enumerate(WORK)
    ]
    seconds: dict[str, list[float]] = {name: [] for name in WORK}
    cpu: dict[str, list[float]] = {name: [] for name in WORK}
    peak = dict.fromkeys(WORK, 0.0)
    expected: dict[str, int] | None = None
    # In turn, so that a slow spell of the machine hits all of them.
    for _ in range(runs):
        for contender in commands:
            once = run_once(contender)
            found = json.loads(once.output)
            cpu[contender.name].append(found.pop("cpu"))
            expected = expected or found
            if found != expected:
                raise RuntimeError(f"{contender.name} counted {found}, not {expected}")
            seconds[contender.name].append(once.seconds)
            peak[contender.name] = max(peak[contender.name], once.peak)
            print(f"{contender.name}: {once.seconds:.1f} s", file=sys.stderr, flush=True)
    first = min(next(iter(cpu.values())))
    for name, times in seconds.items():
        best = min(times)
        lines.append(
            f"| {name} | {best:.1f} | {max(times):.1f} | {min(cpu[name]):.1f} |"
            f" {min(cpu[name]) / first:.2f} | {rows / best / 1e6:.1f} M |"
            f" {peak[name] / 2**20:,.0f} MiB |"
        )
    facts = describe()
    about = ", ".join(f"{key} {facts[key]}" for key in ("relyon", "polars"))
    whole = expected or {}
    lines += [
        "",
        f"{rows:,} rows, {whole.get('sessions', 0):,} sessions, {whole.get('queries', 0):,}"
        f" queries, {size / 2**20:,.0f} MiB of Parquet; {runs} runs in turn;"
        f" {facts['processor']}; {about}; load {facts['load when started']}.",
    ]
    return "\n".join(lines)


def put(text: str, path: Path) -> None:
    """Replaces the text between the marks of a page."""
    page = path.read_text("utf-8")
    head, _, rest = page.partition(START)
    _, found, tail = rest.partition(END)
    if not found:
        raise SystemExit(f"{path} has no marks {START} and {END}")
    path.write_text(f"{head}{START}\n{text}\n{END}{tail}", "utf-8")


def main() -> None:
    """Makes the log, times the contenders, prints or writes the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--folder", type=Path, default=Path("build/bench"))
    parser.add_argument("--write", type=Path, action="append", default=[])
    parser.add_argument("--work", type=int, help=argparse.SUPPRESS)
    parser.add_argument("files", nargs="*", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.work is not None:
        found: dict[str, float] = dict(list(WORK.values())[given.work](given.files))
        used = resource.getrusage(resource.RUSAGE_SELF)
        print(json.dumps({**found, "cpu": used.ru_utime + used.ru_stime}))
        return
    files = make_log(given.folder, given.rows)
    text = table(files, given.rows, given.runs)
    print(text)
    for path in given.write:
        put(text, path)


if __name__ == "__main__":
    main()
