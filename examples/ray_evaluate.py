"""Evaluates a run on Ray, with the digits of one machine.

On a local cluster, with our example or with files of your own:

    python examples/ray_evaluate.py
    python examples/ray_evaluate.py judgments.qrels runs/ -m ndcg@10 -m recall@100

On a cluster whose machines have relyon installed and can read the files:

    python examples/ray_evaluate.py judgments.qrels s3://bucket/runs/ --address ray://host:10001
"""

import argparse
import functools
import operator
import pickle
from pathlib import Path
from typing import Any

import ray
import ray.data

import relyon

EXAMPLES = Path(__file__).parent / "docs-search"
MEASURES = ["ndcg@10", "recall@100", "ap", "rr", "p@10"]


def evaluated(rows: Any, judgments: Any, measures: list[str]) -> dict[str, list[bytes]]:
    """Evaluates a block, an Arrow table: all rows of some queries."""
    part = relyon.Accumulator(measures, queries="once", threads=1)
    part.update(ray.get(judgments), rows)
    return {"part": [pickle.dumps(part)]}


def evaluate(judgments: relyon.Judgments, run: Any, measures: list[str]) -> relyon.Results:
    """Evaluates a Ray dataset whose blocks share no query."""
    parts = run.map_batches(
        evaluated,
        fn_kwargs={"judgments": ray.put(judgments), "measures": measures},
        batch_size=None,  # a whole block
        batch_format="pyarrow",
    )
    whole = functools.reduce(
        operator.add,
        (pickle.loads(row["part"]) for row in parts.iter_rows()),
        relyon.Accumulator(measures, queries="once"),
    )
    whole.finish(judgments)  # counts the judged queries that the run lacks
    return whole.compute("run")


def read(path: str, partitions: int) -> Any:
    """Reads a folder of Parquet; another run is cut into rows, so that there is work to do."""
    if path.endswith(("/", ".parquet")) or Path(path).is_dir():
        return ray.data.read_parquet(path)
    rows = relyon.read_run(path).to_frame().to_arrow()
    size = -(-len(rows) // partitions)
    return ray.data.from_arrow([rows.slice(at, size) for at in range(0, len(rows), size)])


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
    words.add_argument("--address", help="a cluster (default: one on this machine)")
    words.add_argument("--workers", type=int, default=2, help="CPUs of that one (default: 2)")
    given = words.parse_args()

    judgments = relyon.read_judgments(given.judgments)
    if given.address:
        ray.init(given.address)
    else:
        ray.init(num_cpus=given.workers, include_dashboard=False)
    run = read(given.run, given.partitions)
    if not given.whole:
        run = run.repartition(given.partitions, keys=[given.query])
    print(evaluate(judgments, run, given.measure or MEASURES))


if __name__ == "__main__":
    main()
