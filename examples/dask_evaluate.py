"""Evaluates a run on Dask, with the digits of one machine.

On a local cluster, with our example or with files of your own:

    python examples/dask_evaluate.py
    python examples/dask_evaluate.py judgments.qrels runs/ -m ndcg@10 -m recall@100

On a cluster whose workers have relyon installed and can read the files:

    python examples/dask_evaluate.py judgments.qrels s3://bucket/runs/ --address tcp://host:8786
"""

import argparse
import functools
import operator
from pathlib import Path
from typing import Any

import dask.dataframe
import pandas
from distributed import Client, LocalCluster

import relyon

EXAMPLES = Path(__file__).parent / "docs-search"
MEASURES = ["ndcg@10", "recall@100", "ap", "rr", "p@10"]


def evaluated(rows: Any, judgments: relyon.Judgments, measures: list[str]) -> Any:
    """Evaluates a partition: all rows of some queries."""
    part = relyon.Accumulator(measures, queries="once", threads=1)
    part.update(judgments, rows)
    return pandas.Series([part])


def added(parts: Any) -> relyon.Accumulator | None:
    """Adds the results of partitions; Dask builds a tree of it, and first tries it on none."""
    return functools.reduce(operator.add, parts) if len(parts) else None


def evaluate(
    client: Client, judgments: relyon.Judgments, run: Any, measures: list[str]
) -> relyon.Results:
    """Evaluates a Dask data frame whose partitions share no query."""
    everywhere = client.scatter(judgments, broadcast=True)
    parts = run.map_partitions(evaluated, everywhere, measures, meta=("part", object))
    whole = parts.reduction(added, added, meta=("part", object)).compute()
    whole.finish(judgments)  # counts the judged queries that the run lacks
    results: relyon.Results = whole.compute("run")
    return results


def read(path: str, partitions: int) -> Any:
    """Reads a folder of Parquet; another run is cut into rows, so that there is work to do."""
    if path.endswith(("/", ".parquet")) or Path(path).is_dir():
        return dask.dataframe.read_parquet(path)
    rows = relyon.read_run(path).to_frame().to_pandas()
    return dask.dataframe.from_pandas(rows, npartitions=partitions, sort=False)


def main() -> None:
    words = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    words.add_argument("judgments", nargs="?", default=str(EXAMPLES / "judgments.qrels"))
    words.add_argument("run", nargs="?", default=str(EXAMPLES / "bm25.run"))
    words.add_argument("-m", "--measure", action="append", help=f"default: {' '.join(MEASURES)}")
    words.add_argument("--query", default="query", help="the column of queries (default: query)")
    words.add_argument("--partitions", type=int, default=8, help="tasks (default: 8)")
    words.add_argument(
        "--whole", action="store_true", help="no shuffle: no two files share a query"
    )
    words.add_argument("--address", help="a scheduler (default: a cluster on this machine)")
    words.add_argument("--workers", type=int, default=2, help="of that cluster (default: 2)")
    given = words.parse_args()

    judgments = relyon.read_judgments(given.judgments)
    run = read(given.run, given.partitions)
    if not given.whole:
        run = run.shuffle(on=given.query, npartitions=given.partitions)
    measures = given.measure or MEASURES
    if given.address:
        with Client(given.address) as client:
            print(evaluate(client, judgments, run, measures))
        return
    options: dict[str, Any] = {
        "n_workers": given.workers,
        "threads_per_worker": 1,
        "dashboard_address": None,
    }
    with LocalCluster(**options) as cluster, Client(cluster) as client:
        print(evaluate(client, judgments, run, measures))


if __name__ == "__main__":  # the workers of a local cluster import this file
    main()
