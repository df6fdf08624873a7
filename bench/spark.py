"""relyon on Spark beside Spark's own RankingMetrics and NDCG@10 in SQL, and how its cost grows.

`python -m bench.spark` prints the table of docs/spark.md. CPU seconds are those of the driver, the
executors and their Python workers together: they hardly depend on what else the machine does.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import relyon

MEASURES = ["ndcg(gain=exp)@10", "ap", "rr", "recall@100", "precision@10"]
DEPTH = 100
JUDGED = 20
#: One garbage collector thread: the others spin while they wait, and count as work.
JAVA = "-XX:+UseSerialGC"


def write_data(home: Path, queries: int, seed: int = 7) -> tuple[Path, Path]:
    """Writes a run of `DEPTH` rows per query in the order of a search engine, and judgments in any
    order."""
    run, judgments = home / f"run{queries}", home / f"judgments{queries}"
    if run.exists():
        return run, judgments
    generator = np.random.default_rng(seed)
    run.mkdir()
    judgments.mkdir()
    step = 20_000
    for start in range(0, queries, step):
        names = np.arange(start, min(queries, start + step))
        rows = len(names) * DEPTH
        frame = pl.DataFrame(
            {
                "query": "query" + pl.Series(np.repeat(names, DEPTH)).cast(pl.String),
                "document": "document"
                + pl.Series(generator.integers(0, 10**7, rows)).cast(pl.String),
                "score": generator.random(rows),
            }
        ).unique(["query", "document"], keep="first", maintain_order=True)
        frame.write_parquet(run / f"part-{start // step:04}.parquet")
        some = frame.sample(n=len(names) * JUDGED, seed=seed + start)
        grades = pl.Series("grade", generator.integers(0, 4, some.height))
        some.drop("score").with_columns(grades).write_parquet(
            judgments / f"part-{start // step:04}.parquet"
        )
    return run, judgments


def mixed(run: Path, files: int = 4) -> Path:
    """Writes the rows of a run in a random order."""
    folder = run.with_name(f"mixed-{run.name}")
    if not folder.exists():
        folder.mkdir()
        rows = pl.read_parquet(run).sample(fraction=1.0, shuffle=True, seed=1)
        for part in range(files):
            rows.gather_every(files, part).write_parquet(folder / f"part-{part:04}.parquet")
    return folder


def cpu_seconds() -> float:
    """CPU time of this process, its JVM and their children, also of those that have ended."""
    ticks = os.sysconf("SC_CLK_TCK")
    found: dict[int, tuple[int, int]] = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = (entry / "stat").read_text("utf-8").rpartition(")")[2].split()
        except OSError:
            continue
        found[int(entry.name)] = int(fields[1]), sum(map(int, fields[11:15]))
    total, wanted = 0, [os.getpid()]
    for process in wanted:
        total += found[process][1] if process in found else 0
        wanted += [one for one, (parent, _) in found.items() if parent == process]
    return total / ticks


def in_sql(run: Any, judgments: Any) -> float:
    """NDCG@10 with exponential gain, as data engineers write it."""
    from pyspark.sql import Window, functions as sql

    ranked = Window.partitionBy("query").orderBy(sql.desc("score"), sql.desc("document"))
    gain = (sql.pow(sql.lit(2.0), sql.coalesce("grade", sql.lit(0))) - 1) / sql.log2(
        sql.col("rank") + 1
    )
    found = (
        run.withColumn("rank", sql.row_number().over(ranked))
        .where("rank <= 10")
        .join(judgments, ["query", "document"], "left")
        .groupBy("query")
        .agg(sql.sum(gain).alias("dcg"))
    )
    best = Window.partitionBy("query").orderBy(sql.desc("grade"))
    ideal = (
        judgments.withColumn("rank", sql.row_number().over(best))
        .where("rank <= 10")
        .groupBy("query")
        .agg(sql.sum(gain).alias("ideal"))
        .where("ideal > 0")
    )
    value = sql.coalesce("dcg", sql.lit(0.0)) / sql.col("ideal")
    row = ideal.join(found, "query", "left").agg(sql.avg(value)).head()
    return float(row[0])


def five_in_sql(run: Any, judgments: Any) -> float:
    """NDCG@10, AP, RR, recall@100 and precision@10 in one statement per list."""
    from pyspark.sql import Window, functions as sql

    ranked = Window.partitionBy("query").orderBy(sql.desc("score"), sql.desc("document"))
    down = ranked.rowsBetween(Window.unboundedPreceding, Window.currentRow)
    grade = sql.coalesce("grade", sql.lit(0))
    relevant = sql.when(grade > 0, 1).otherwise(0)
    gain = (sql.pow(sql.lit(2.0), grade) - 1) / sql.log2(sql.col("rank") + 1)
    found = (
        run.join(judgments, ["query", "document"], "left")
        .withColumn("rank", sql.row_number().over(ranked))
        .withColumn("relevant", relevant)
        .withColumn("so_far", sql.sum("relevant").over(down))
        .groupBy("query")
        .agg(
            sql.sum(sql.when(sql.col("rank") <= 10, gain)).alias("dcg"),
            sql.sum(sql.col("relevant") * sql.col("so_far") / sql.col("rank")).alias("ap"),
            sql.max(sql.when(sql.col("relevant") > 0, 1 / sql.col("rank"))).alias("rr"),
            sql.sum(sql.when(sql.col("rank") <= 100, sql.col("relevant"))).alias("held"),
            sql.sum(sql.when(sql.col("rank") <= 10, sql.col("relevant"))).alias("top"),
        )
    )
    best = Window.partitionBy("query").orderBy(sql.desc("grade"))
    ideal = (
        judgments.withColumn("rank", sql.row_number().over(best))
        .groupBy("query")
        .agg(
            sql.sum(sql.when(sql.col("rank") <= 10, gain)).alias("ideal"),
            sql.sum(relevant).alias("wanted"),
        )
        .where("ideal > 0")
    )
    joined = ideal.join(found, "query", "left").select(
        (sql.coalesce("dcg", sql.lit(0.0)) / sql.col("ideal")).alias("ndcg"),
        (sql.coalesce("ap", sql.lit(0.0)) / sql.col("wanted")).alias("ap"),
        sql.coalesce("rr", sql.lit(0.0)).alias("rr"),
        (sql.coalesce("held", sql.lit(0)) / sql.col("wanted")).alias("recall"),
        (sql.coalesce("top", sql.lit(0)) / sql.lit(10)).alias("precision"),
    )
    return float(joined.agg(*(sql.avg(name) for name in joined.columns)).head()[0])


def ranking_metrics(run: Any, judgments: Any) -> float:
    """Spark's own class, which knows binary relevance only: five measures, one pass each."""
    from pyspark.mllib.evaluation import RankingMetrics
    from pyspark.sql import functions as sql

    ranked = sql.sort_array(sql.collect_list(sql.struct("score", "document")), False)
    lists = run.groupBy("query").agg(ranked.alias("rows"))
    wanted = (
        judgments.where("grade > 0").groupBy("query").agg(sql.collect_list("document").alias("all"))
    )
    pairs = lists.join(wanted, "query").select(sql.col("rows.document"), "all").rdd.map(tuple)
    metrics = RankingMetrics(pairs)
    metrics.ndcgAt(10), metrics.precisionAt(10), metrics.recallAt(100), metrics.ndcgAt(100)
    return float(metrics.meanAveragePrecision)


def by_relyon(run: Any, judgments: Any) -> float:
    """Five measures."""
    import relyon.spark

    results = relyon.spark.evaluate(judgments, run, MEASURES)
    results.unpersist()
    return float(results[MEASURES[0]])


CONTENDERS: dict[str, Callable[[Any, Any], float]] = {
    "relyon.spark, five measures": by_relyon,
    "Spark SQL, NDCG@10": in_sql,
    "Spark SQL, five measures": five_in_sql,
    "RankingMetrics, five measures": ranking_metrics,
}


def child(run: str, judgments: str, master: str, runs: int, names: list[str]) -> None:
    """Times contenders in turn in one session; prints a JSON line for each run."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    from pyspark.sql import SparkSession

    settings: dict[str, str | int | float | bool | None] = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.memory": "6g",
        "spark.executor.memory": "3g",
        "spark.driver.extraJavaOptions": JAVA,
        "spark.executor.extraJavaOptions": JAVA,
        "spark.sql.shuffle.partitions": "16",
        "spark.driver.host": "127.0.0.1",
    }
    spark = SparkSession.builder.master(master).config(map=settings).getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    frames = spark.read.parquet(run), spark.read.parquet(judgments)
    for turn in range(runs + 1):
        for name in names:
            before, start = cpu_seconds(), time.perf_counter()
            value = CONTENDERS[name](*frames)
            took = {"wall": time.perf_counter() - start, "cpu": cpu_seconds() - before}
            if turn:  # the first run compiles
                print(json.dumps({"name": name, "value": value, **took}), flush=True)
    spark.stop()


def measured(
    run: Path, judgments: Path, master: str, runs: int, names: list[str], cores: int = 0
) -> Iterator[tuple[str, float, float, float]]:
    """Yields name, value, and median wall and CPU seconds."""
    command = [sys.executable, "-m", "bench.spark", "--child", str(run), str(judgments), master]
    command += [str(runs), *names]
    environment = {**os.environ}
    if cores:  # the driver, too, and every Python worker
        command = ["taskset", "-c", f"0-{cores - 1}", *command]
    if master.startswith("local-cluster"):
        import pyspark

        environment["SPARK_HOME"] = str(Path(pyspark.__file__).parent)
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE, env=environment).stdout
    rows = [json.loads(line) for line in output.splitlines()]
    for name in names:
        own = [row for row in rows if row["name"] == name]
        wall, cpu = (statistics.median(row[key] for row in own) for key in ("wall", "cpu"))
        yield name, own[0]["value"], wall, cpu


def one_machine(run: Path, judgments: Path) -> tuple[float, float, float]:
    """The same files by `relyon.evaluate`: value, wall and CPU seconds."""
    frames = pl.read_parquet(judgments), run
    before, start = time.process_time(), time.perf_counter()
    value = relyon.evaluate(frames[0], pl.read_parquet(frames[1]), MEASURES)[MEASURES[0]]
    return value, time.perf_counter() - start, time.process_time() - before


def main() -> None:
    """Prints a Markdown table."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--child", nargs="+", help=argparse.SUPPRESS)
    parser.add_argument("--queries", type=int, nargs="+", default=[50_000, 100_000, 200_000])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", choices=["peers", "growth", "executors"])
    parser.add_argument("--mixed", action="store_true", help="rows of the run in a random order")
    parser.add_argument("--home", type=Path)
    options = parser.parse_args()
    if options.child:
        run, judgments, master, runs, *names = options.child
        child(run, judgments, master, int(runs), names)
        return
    home = options.home or Path(tempfile.mkdtemp())
    home.mkdir(parents=True, exist_ok=True)
    ours = next(iter(CONTENDERS))
    print("| rows | how | cores | wall s | CPU s | CPU µs a row | value |")
    print("|--:|---|--:|--:|--:|--:|--:|")

    def line(rows: int, name: str, cores: str, wall: float, cpu: float, value: float) -> None:
        cells = [f"{rows:,}", name, cores, f"{wall:.1f}", f"{cpu:.1f}", f"{cpu / rows * 1e6:.2f}"]
        print("|", " | ".join([*cells, f"{value:.12f}"]), "|", flush=True)

    for place, queries in enumerate(options.queries):
        files = write_data(home, queries)
        if options.mixed:
            files = mixed(files[0]), files[1]
        rows = pl.scan_parquet(files[0]).select(pl.len()).collect().item()
        if options.only in (None, "growth"):
            value, wall, cpu = one_machine(*files)
            line(rows, "relyon.evaluate, one machine", "2", wall, cpu, value)
        names = [ours]
        if options.only == "peers":
            names = list(CONTENDERS)
        elif options.only is None and not place:
            names = list(CONTENDERS)[:3]
        for name, value, wall, cpu in measured(*files, "local[1]", options.runs, names):
            line(rows, name, "1", wall, cpu, value)
    if options.only in (None, "executors"):
        for count in (1, 2):
            master = f"local-cluster[{count},1,3072]"
            for name, value, wall, cpu in measured(*files, master, options.runs, [ours], count):
                line(
                    rows,
                    f"{name}, {count} executor{'s'[: count - 1]}",
                    str(count),
                    wall,
                    cpu,
                    value,
                )


if __name__ == "__main__":
    main()
