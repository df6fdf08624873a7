"""Parquet evaluated a few row groups at a time, beside Polars' read of the needed columns."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import cache, partial
from pathlib import Path

import numpy as np
import polars as pl

import relyon
from bench import limits
from bench.contenders import (
    evaluate_command,
    expected_values,
    five_measures,
    read_json,
    with_rr,
)
from bench.timing import Contender, Workload


def parquet(home: Path) -> Workload:
    """The run as Parquet, by Polars and by PyArrow, beside Polars' read of the needed columns."""
    judgments = home / "msdev.qrels"
    names = ("query", "constant", "document", "rank", "score", "tag")
    schema = dict.fromkeys(names, pl.String) | {"score": pl.Float64}
    run = pl.read_csv(
        home / "msdev.run", separator=" ", has_header=False, quote_char=None, schema=schema
    ).select("query", "document", "score")
    import pyarrow.parquet as pq

    written = {name: home / f"msdev.{name}.parquet" for name in ("Polars", "PyArrow")}
    run.write_parquet(written["Polars"])
    pq.write_table(run.to_arrow(compat_level=pl.CompatLevel.oldest()), written["PyArrow"])
    contenders = []
    for name, path in written.items():
        contenders += [
            Contender(
                f"relyon, {name} file", partial(five_measures, judgments, path), agrees="relyon"
            ),
            Contender(f"Polars' read, {name} file", partial(pl.read_parquet, path)),
            Contender(
                f"relyon, {name} file, process",
                evaluate_command(judgments, path),
                read_json,
                "relyon",
            ),
        ]
    contenders.append(limits.nothing())
    return Workload(contenders, expected_values(partial(with_rr, judgments, home / "msdev.run")))


def labelled(home: Path) -> Workload:
    """Labelled rows as Parquet: GAUC and AUC, beside Polars' read; processes for their memory."""
    path = home / "flat.parquet"
    names = ("groups", "labels", "scores")
    columns = [np.load(home / f"flat.{name}.npy") for name in names]
    frame = pl.DataFrame(dict(zip(("query", "label", "score"), columns, strict=True)))
    frame.with_columns(pl.col("query").cast(pl.String)).write_parquet(path)
    sizes = np.bincount(columns[0])

    def expected(rules: str) -> Mapping[str, tuple[float, float]]:
        found = relyon.evaluate_scores(columns[1], columns[2], sizes, ["gauc", "auc"])
        return {name: (value, value) for name, value in found.items()}

    program = str(Path(sys.executable).with_name("relyon"))
    contenders = [Contender("Polars' read", partial(pl.read_parquet, path))]
    for measures in (["gauc"], ["gauc", "auc"]):
        title = " and ".join(name.upper() for name in measures)
        work = partial(relyon.evaluate_scores, path, measures=measures)
        options = [part for name in measures for part in ("-m", name)]
        command = [program, "evaluate", "--scored", str(path), *options, "--format", "json"]
        contenders += [
            Contender(f"relyon, {title}", work, agrees="relyon", tolerance=0.0),
            Contender(f"relyon, {title}, process", command, read_json, "relyon", 0.0),
        ]
    contenders.append(limits.nothing())
    return Workload(contenders, cache(expected))
