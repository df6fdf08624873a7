"""Seeded benchmark data in the shapes that search teams meet.

| set | shape | |---|---| | msdev | 6,980 queries x 1,000 documents, 1 to 3 of them relevant,
integer ids, 1% tied scores | | deep | 1,000 queries x 1,000 documents, about 200 per query graded 0
to 3, long ids | | small | 50 queries of the shape of msdev | | dense | 100,000 x 100 scores and
grades 0 to 4; 2% of the rows have no relevant document | | flat | 10 million rows, 5% positive, in
100,000 groups of log-normal sizes | | single | one query of 2 million documents, with grades 0 to 4
and with real-valued labels | | diverse | 1,000 queries x 1,000 documents, about 200 per query
judged on 1 to 8 subtopics | | several | five runs of 1,000 queries x 1,000 documents out of 1,600
per query |
| clicks | 10 million sessions x 10 results of 100,000 queries, one list in three mixed |
| ranked | 2,000 queries of 40 to 200 documents with 136 features and grades 0 to 4 |
| letor | text of 2,000 queries x 120 documents with 136 counts, ratios and logarithms |
| reports | 200,000 queries x 100 documents, all graded 0 to 4, and two runs, as Parquet |
| traces | 200,000 tasks x 5 calls x 10 documents, 12 judged per task; and the same rows as a run |

The same seed and scale give the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

SEED = 20240501
QUERY_IDS = 1_100_000
PASSAGE_IDS = 8_800_000

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def _distinct_rows(random: np.random.Generator, rows: int, columns: int, below: int) -> Integers:
    """Returns whole numbers that differ within each row: rows with a repeat are drawn again."""
    drawn = random.integers(0, below, size=(rows, columns))
    pending = np.arange(rows)
    while len(pending):
        ordered = np.sort(drawn[pending], axis=1)
        pending = pending[(ordered[:, 1:] == ordered[:, :-1]).any(axis=1)]
        drawn[pending] = random.integers(0, below, size=(len(pending), columns))
    return drawn


def _scores(random: np.random.Generator, queries: int, depth: int, tied: float = 0.01) -> Floats:
    """Returns scores descending along each row, a share of them equal to the one before."""
    level = random.normal(8.0, 0.5, size=(queries, 1))
    scores = -np.sort(-np.round(level + random.gamma(2.0, 1.8, size=(queries, depth)), 6), axis=1)
    source = np.where(random.random((queries, depth)) < tied, 0, np.arange(depth))
    return np.take_along_axis(scores, np.maximum.accumulate(source, axis=1), axis=1)


def _query_names(random: np.random.Generator, queries: int) -> pl.Series:
    return pl.Series(random.choice(QUERY_IDS, size=queries, replace=False)).cast(pl.String)


def _run_frame(query: pl.Series, document: pl.Series, scores: Floats) -> pl.DataFrame:
    queries, depth = scores.shape
    rows = np.repeat(np.arange(queries), depth)
    ranks = np.tile(np.arange(1, depth + 1), queries)
    return pl.DataFrame(
        {"query": query[rows], "document": document, "rank": ranks, "score": scores.ravel()}
    ).select(
        "query",
        pl.lit("Q0").alias("Q0"),
        "document",
        "rank",
        "score",
        pl.lit("model-v1").alias("tag"),
    )


def _write(frame: pl.DataFrame, path: Path) -> None:
    frame.write_csv(path, include_header=False, separator=" ", float_precision=6)


def _write_qrels(query: pl.Series, document: pl.Series, grade: pl.Series, path: Path) -> None:
    frame = pl.DataFrame({"query": query, "document": document, "grade": grade})
    _write(frame.select("query", pl.lit(0).alias("iteration"), "document", "grade"), path)


def _sparse(
    random: np.random.Generator, queries: int, depth: int = 1000
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Returns judgments and a run in which most queries have one relevant document."""
    most = 3
    names = _query_names(random, queries)
    documents = _distinct_rows(random, queries, depth + most, PASSAGE_IDS)
    relevant = 1 + (random.random(queries) < 0.055) + (random.random(queries) < 0.012)
    # Heavy-tailed ranks give an RR@10 near 0.35; one relevant document in 30 is not retrieved.
    rank = np.minimum(np.exp(random.exponential(1.9, size=(queries, most))) - 1, depth - 1)
    absent = random.random((queries, most)) >= 0.965
    place = np.where(absent, depth + np.arange(most), rank.astype(np.int64))
    used = np.arange(most) < relevant[:, None]
    rows, columns = np.nonzero(used)
    judgments = pl.DataFrame(
        {"row": rows, "document": documents[rows, place[rows, columns]]}
    ).unique(maintain_order=True)
    qrels = judgments.select(
        names[judgments["row"]].alias("query"),
        pl.lit(0).alias("iteration"),
        "document",
        pl.lit(1).alias("grade"),
    )
    retrieved = pl.Series(documents[:, :depth].ravel()).cast(pl.String)
    return qrels, _run_frame(names, retrieved, _scores(random, queries, depth))


def make_msdev(folder: Path, scale: float, random: np.random.Generator) -> None:
    """Writes msdev; its run also with the lines shuffled; and the first half of its queries."""
    qrels, run = _sparse(random, _scaled(6980, scale))
    _write(qrels, folder / "msdev.qrels")
    _write(run, folder / "msdev.run")
    order = random.permutation(len(run))
    _write(run[order], folder / "msdev.shuffled.run")
    half = run.head(run["query"].n_unique() // 2 * 1000)
    _write(half, folder / "msdev.half.run")
    _write(
        qrels.join(half, on="query", how="semi", maintain_order="left"), folder / "msdev.half.qrels"
    )


def make_small(folder: Path, scale: float, random: np.random.Generator) -> None:
    """Writes small, whose size does not depend on the scale."""
    qrels, run = _sparse(random, 50)
    _write(qrels, folder / "small.qrels")
    _write(run, folder / "small.run")


def make_deep(folder: Path, scale: float, random: np.random.Generator, depth: int = 1000) -> None:
    """Writes deep: four fifths of the judged documents are retrieved, more of them near the top."""
    queries = _scaled(1000, scale)
    names = _query_names(random, queries)
    numbers = _distinct_rows(random, queries, 2 * depth, 900_000_000)
    parts = random.integers(0, 70, size=numbers.shape)
    documents = pl.select(
        pl.format(
            "msmarco_passage_{}_{}",
            pl.Series(parts.ravel()).cast(pl.String).str.zfill(2),
            pl.Series(numbers.ravel()),
        )
    ).to_series()
    judged = np.clip(random.poisson(200, size=queries), 20, depth)
    inside = judged * 4 // 5
    # The smallest of exponential times with these rates are a weighted draw without replacement.
    times = random.exponential(size=(queries, depth)) * (np.arange(depth) + 20.0)
    arrival = np.argsort(np.argsort(times, axis=1), axis=1)
    retrieved = arrival < inside[:, None]
    others = np.arange(depth) < (judged - inside)[:, None]
    chance = random.random((queries, depth))
    depth_factor = 1.0 / (1.0 + np.arange(depth) / 120.0)
    grades = np.zeros((queries, 2 * depth), dtype=np.int64)
    for share in (0.70, 0.32, 0.10):
        grades[:, :depth] += chance < share * depth_factor
    grades[:, depth:] = random.choice(4, p=[0.85, 0.10, 0.04, 0.01], size=(queries, depth))
    rows, columns = np.nonzero(np.hstack([retrieved, others]))
    order = np.lexsort((random.random(len(rows)), rows))
    rows, columns = rows[order], columns[order]
    _write_qrels(
        names[rows],
        documents[rows * 2 * depth + columns],
        pl.Series(grades[rows, columns]),
        folder / "deep.qrels",
    )
    kept = np.arange(queries)[:, None] * 2 * depth + np.arange(depth)
    run = _run_frame(names, documents[kept.ravel()], _scores(random, queries, depth))
    _write(run, folder / "deep.run")


def make_dense(folder: Path, scale: float, random: np.random.Generator) -> None:
    """Writes dense: grades in the proportions of learning-to-rank sets, scores of 4 decimals."""
    shape = (_scaled(100_000, scale), 100)
    labels = random.choice(5, p=[0.52, 0.32, 0.13, 0.02, 0.01], size=shape).astype(np.int32)
    labels[random.random(shape[0]) < 0.02] = 0
    np.save(folder / "dense.labels.npy", labels)
    np.save(folder / "dense.scores.npy", np.round(0.45 * labels + random.normal(size=shape), 4))


def make_flat(folder: Path, scale: float, random: np.random.Generator) -> None:
    """Writes flat: click probabilities as a float32 model gives them, groups contiguous."""
    rows, groups = _scaled(10_000_000, scale), _scaled(100_000, scale)
    share = random.lognormal(0.0, 1.0, size=groups)
    sizes = 1 + np.floor(share / share.sum() * (rows - groups)).astype(np.int64)
    sizes[np.argmax(sizes)] += rows - sizes.sum()
    labels = (random.random(rows) < 0.05).astype(np.int8)
    logits = random.normal(-3.0, 1.0, size=rows) + 0.9 * labels
    scores = (1.0 / (1.0 + np.exp(-logits))).astype(np.float32).astype(np.float64)
    np.save(folder / "flat.labels.npy", labels)
    np.save(folder / "flat.scores.npy", scores)
    np.save(folder / "flat.groups.npy", np.repeat(np.arange(groups), sizes))


def make_single(folder: Path, scale: float, random: np.random.Generator) -> None:
    """Writes single; any prefix of it has the same distribution."""
    scores = random.normal(size=_scaled(2_000_000, scale))
    truth = scores + random.normal(size=len(scores))
    np.save(folder / "single.scores.npy", scores)
    np.save(folder / "single.labels.npy", np.abs(truth))
    np.save(folder / "single.grades.npy", np.clip(np.round(truth + 2), 0, 4).astype(np.int32))


def make_diverse(folder: Path, scale: float, random: np.random.Generator) -> None:
    """Writes diverse: each judged document has one line per subtopic, one in six of them
    relevant."""
    queries, depth = _scaled(1000, scale), 1000
    names = pl.Series(np.arange(1, queries + 1)).cast(pl.String)  # ndeval wants numbers
    numbers = _distinct_rows(random, queries, depth + 40, 900_000_000)
    documents = pl.select(pl.format("clueweb-{}", pl.Series(numbers.ravel()))).to_series()
    # One judged document in five is not retrieved; the others are spread over the list.
    judged = random.random((queries, depth)) < 0.16
    judged = np.hstack([judged, np.ones((queries, 40), dtype=bool)])
    subtopics = 1 + random.integers(0, 8, size=queries)
    rows, columns = np.nonzero(judged)
    times = subtopics[rows]
    rows, columns = np.repeat(rows, times), np.repeat(columns, times)
    first = np.repeat(np.cumsum(times) - times, times)
    _write(
        pl.DataFrame(
            {
                "query": names[rows],
                "subtopic": np.arange(len(rows)) - first + 1,
                "document": documents[rows * (depth + 40) + columns],
                "grade": (random.random(len(rows)) < 1 / 6).astype(np.int64),
            }
        ),
        folder / "diverse.qrels",
    )
    kept = np.arange(queries)[:, None] * (depth + 40) + np.arange(depth)
    run = _run_frame(names, documents[kept.ravel()], _scores(random, queries, depth))
    _write(run, folder / "diverse.run")


def make_several(folder: Path, scale: float, random: np.random.Generator) -> None:
    """Writes several.1.run to several.5.run: systems that agree about as much as real ones do."""
    queries, depth, candidates = _scaled(1000, scale), 1000, 1600
    names = pl.Series(np.arange(1, queries + 1)).cast(pl.String)
    numbers = _distinct_rows(random, queries, candidates, PASSAGE_IDS)
    truth = random.normal(size=(queries, candidates))
    for number in range(1, 6):
        scores = truth + random.normal(size=truth.shape)
        best = np.argsort(-scores, axis=1)[:, :depth]
        documents = pl.Series(np.take_along_axis(numbers, best, 1).ravel()).cast(pl.String)
        run = _run_frame(names, documents, np.take_along_axis(scores, best, 1).round(6))
        _write(run, folder / f"several.{number}.run")


def make_tables(folder: Path, scale: float, random: np.random.Generator) -> None:
    """Writes tables, like msdev: the same run as TREC text, CSV, quoted CSV, TSV and JSON Lines."""
    qrels, run = _sparse(random, _scaled(6980, scale))
    _write(qrels, folder / "tables.qrels")
    _write(run, folder / "tables.run")
    columns = run.select("query", "document", "score", "rank")
    for suffix, separator in (("csv", ","), ("tsv", "\t")):
        columns.write_csv(folder / f"tables.{suffix}", separator=separator, float_precision=6)
    columns.write_csv(folder / "tables.quoted.csv", quote_style="always", float_precision=6)
    columns.write_ndjson(folder / "tables.jsonl")


def make_clicks(folder: Path, scale: float, random: np.random.Generator) -> None:
    """Writes clicks.parquet and clicks.half.parquet, which is its first half: users of PBM."""
    from relyon import Run
    from relyon.labels import Crowd, simulate

    sessions, queries, depth = _scaled(10_000_000, scale), _scaled(100_000, scale), 10
    names = pl.Series(np.arange(queries)).cast(pl.String)
    documents = pl.Series(_distinct_rows(random, queries, depth, PASSAGE_IDS).ravel())
    rows, scores = np.arange(queries * depth) // depth, _scores(random, queries, depth)
    frame = pl.DataFrame({"query": names[rows], "document": documents.cast(pl.String)})
    run = Run.from_frame(frame.with_columns(score=pl.Series(scores.ravel())))
    crowd = Crowd(shuffle=0.1, swap=0.25)
    for name, count in (("clicks", sessions), ("clicks.half", sessions // 2)):
        simulate(run, sessions=count, seed=SEED, crowd=crowd).write(folder / f"{name}.parquet")


def make_ranked(folder: Path, scale: float, random: np.random.Generator) -> None:
    """Writes ranked.npz: features, labels in the shares of MSLR-WEB30K and sizes of queries."""
    sizes = random.integers(40, 201, _scaled(2000, scale))
    features = random.normal(size=(sizes.sum(), 136)).astype(np.float32)
    truth = features[:, 0] + 0.5 * features[:, 1] * features[:, 2] + 0.7 * features[:, 3]
    truth = truth + random.normal(scale=1.5, size=len(truth))
    labels = np.digitize(truth, np.quantile(truth, [0.52, 0.84, 0.97, 0.99]))
    np.savez(folder / "ranked.npz", features=features, labels=labels, sizes=sizes)


def make_letor(folder: Path, scale: float, random: np.random.Generator) -> None:
    """Writes letor.txt, and the same without `qid:` and with a .query file, as LightGBM reads it.

    Of four features one is a small count, one a ratio, one a logarithm and one a large count; a
    ratio and a large count are 0 in two of five rows.
    """
    queries, size = _scaled(2000, scale), 120
    rows = queries * size

    def column(place: int) -> pl.Series:
        match place % 4:
            case 0:
                return pl.Series(random.integers(0, 60, rows))
            case 1:
                return pl.Series(_sometimes(random, (30 * random.random(rows)).round(6)))
            case 2:
                return pl.Series((-40 * random.random(rows)).round(6))
            case _:
                return pl.Series(_sometimes(random, random.integers(1, 100_000, rows)))

    texts = [(place, column(place).cast(pl.String).str.strip_suffix(".0")) for place in range(136)]
    labels = pl.Series(random.choice(5, rows, p=[0.52, 0.32, 0.13, 0.02, 0.01])).cast(pl.String)
    names = pl.Series(np.repeat(np.arange(queries) * 15 + 1, size)).cast(pl.String)
    features = [part for place, text in texts for part in (pl.lit(f" {place + 1}:"), text)]
    for name, query in (("letor.txt", [pl.lit(" qid:"), names]), ("letor-lightgbm.txt", [])):
        lines = pl.select(pl.concat_str([labels, *query, *features])).to_series()
        (folder / name).write_text("\n".join(lines.to_list()) + "\n")
    (folder / "letor-lightgbm.txt.query").write_text(f"{size}\n" * queries)


def _sometimes(random: np.random.Generator, values: NDArray[Any]) -> NDArray[Any]:
    return np.where(random.random(len(values)) < 0.4, 0, values)


def make_reports(folder: Path, scale: float, random: np.random.Generator) -> None:
    """Writes reports: judgments of every document, and two runs that order them differently."""
    queries, depth = _scaled(200_000, scale), 100
    grades = random.choice(5, p=[0.52, 0.32, 0.13, 0.02, 0.01], size=queries * depth)
    ids = pl.DataFrame(
        {
            "query": np.repeat(np.arange(queries, dtype=np.int32), depth),
            "document": random.permutation(queries * depth),
        }
    )
    ids.with_columns(grade=grades).write_parquet(folder / "reports.judgments.parquet")
    for name, worth in (("old", 0.45), ("new", 0.5)):
        scores = np.round(worth * grades + random.normal(size=len(grades)), 4)
        ids.with_columns(score=scores).write_parquet(folder / f"reports.{name}.parquet")


def make_traces(folder: Path, scale: float, random: np.random.Generator) -> None:
    """Writes traces, and the same rows as a run with one query per call, each with judgments."""
    tasks, calls, depth, candidates = _scaled(200_000, scale), 5, 10, 60
    rows = tasks * calls
    first = np.repeat(random.integers(0, PASSAGE_IDS, size=tasks), calls)
    numbers = first[:, None] + _distinct_rows(random, rows, depth, candidates)
    scores = _scores(random, rows, depth)
    with (folder / "traces.jsonl").open("w") as lines:
        for row in range(rows):
            pairs = zip(numbers[row].tolist(), scores[row].tolist(), strict=True)
            results = ", ".join(
                f'{{"document": "{one}", "score": {score}}}' for one, score in pairs
            )
            lines.write(
                f'{{"task": "t{row // calls}", "call": {row % calls + 1}, '
                f'"query": "words of call {row}", "results": [{results}]}}\n'
            )
    names = pl.Series(np.arange(rows)).cast(pl.String)
    run = _run_frame("c" + names, pl.Series(numbers.ravel()).cast(pl.String), scores)
    _write(run, folder / "traces.run")
    run.select("query", "document", "score").write_ndjson(folder / "traces.run.jsonl")
    judged = first[::calls, None] + _distinct_rows(random, tasks, 12, candidates)
    grades = random.integers(0, 4, size=judged.shape)
    for name, repeats, letter in (("traces", 1, "t"), ("traces.calls", calls, "c")):
        documents = np.repeat(judged, repeats, axis=0)
        queries = pl.Series(np.repeat(np.arange(len(documents)), 12)).cast(pl.String)
        _write_qrels(
            letter + queries,
            pl.Series(documents.ravel()),
            pl.Series(np.repeat(grades, repeats, axis=0).ravel()),
            folder / f"{name}.qrels",
        )


MAKERS: dict[str, Callable[[Path, float, np.random.Generator], None]] = {
    "msdev": make_msdev,
    "deep": make_deep,
    "small": make_small,
    "dense": make_dense,
    "flat": make_flat,
    "single": make_single,
    "diverse": make_diverse,
    "several": make_several,
    "tables": make_tables,
    "clicks": make_clicks,
    "ranked": make_ranked,
    "letor": make_letor,
    "reports": make_reports,
    "traces": make_traces,
}


def _scaled(count: int, scale: float) -> int:
    return max(2, round(count * scale))


def ensure(folder: Path, names: list[str], scale: float = 1.0, seed: int = SEED) -> Path:
    """Returns the folder that holds the named sets, making those that are absent.

    Args:
        folder: Where data is cached; every scale and seed has its own folder below it.
        names: Keys of `MAKERS`.
        scale: Share of the queries, rows and groups to make; `small` always has 50 queries.
        seed: Seed of the random numbers; each set draws from its own stream.
    """
    home = folder / f"scale-{scale:g}-seed-{seed}"
    home.mkdir(parents=True, exist_ok=True)
    for name in names:
        done = home / f"{name}.done"
        if not done.exists():
            stream = np.random.default_rng([seed, list(MAKERS).index(name)])
            MAKERS[name](home, scale, stream)
            done.touch()
    return home
