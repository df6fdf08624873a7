"""A search log with nothing wrong, and what checks find in others."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from typing import Any

import polars as pl

from relyon.online.logs import Checkup, Finding, examine

START = datetime(2025, 3, 3, tzinfo=UTC)


def clean_log(searches: int = 60, seed: int = 1, days: float = 4.0) -> pl.DataFrame:
    """A log with nothing wrong: lists of many lengths, users with few searches, some clicks."""
    draw = random.Random(seed)
    rows: list[dict[str, Any]] = []
    for search in range(searches):
        query = f"query {min(int(draw.expovariate(0.3)), 30)}"
        at = START + timedelta(days=days * (search + draw.random()) / searches)
        documents = draw.sample(range(1000), 1 + draw.randrange(30))
        clicked = draw.randrange(len(documents) + 5)
        for position, document in enumerate(documents, 1):
            hit = position - 1 == clicked and len(documents) > 1
            rows.append(
                {
                    "session": f"s{search}",
                    "query": query,
                    "timestamp": at,
                    "position": position,
                    "doc": f"d{document}",
                    "clicked": hit,
                    "dwell_seconds": draw.random() * 60 if hit else None,
                    "add_to_cart": False,
                    "purchase": False,
                    "bucket": "ab"[search % 2],
                    "user": f"u{search // 3}",
                }
            )
    types: dict[str, Any] = {
        "timestamp": pl.Datetime("us", "UTC"),
        "dwell_seconds": pl.Float64,
    }
    return pl.DataFrame(rows, schema_overrides=types)


def kinds(checkup: Checkup) -> list[str]:
    return [finding.kind for finding in checkup.findings]


def only(frame: pl.DataFrame, kind: str, **options: Any) -> Finding:
    """Returns the finding of a check where all checks together find nothing else."""
    checkup = examine(frame, **options)
    assert kinds(checkup) == [kind], str(checkup)
    return checkup[kind]


def robot(searches: int, seconds: float, rows: int = 1, **values: Any) -> pl.DataFrame:
    return pl.DataFrame(
        [{"session": f"r{search}", "query": f"query {search % 7}", "position": position + 1,
          "doc": f"d{position}", "user": "robot", "clicked": False,
          "timestamp": START + timedelta(seconds=seconds * search), **values}
         for search in range(searches) for position in range(rows)]
    )  # fmt: skip


def mixed_in(clean: pl.DataFrame, part: pl.DataFrame) -> pl.DataFrame:
    part = part.with_columns(pl.col("timestamp").cast(pl.Datetime("us", "UTC")))
    return pl.concat([clean, part], how="diagonal_relaxed")
