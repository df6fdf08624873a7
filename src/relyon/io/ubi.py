"""OpenSearch User Behavior Insights (UBI): queries and events, joined into impressions.

Reads UBI 1.3 as newline-delimited JSON, with or without the index lines of the bulk format, queries
and events in one file or in several, and the field and action names of older versions.

What was shown for a query comes from its impression events or, without any, from its list of
results. Clicks, carts and purchases are joined by query and object. An action without an impression
has a row of its own, with `shown` false.
"""

from __future__ import annotations

import json
import math
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from relyon.core.errors import InputError, ParseError
from relyon.core.notes import Note
from relyon.core.texts import Text, message
from relyon.data.sessions import Sessions
from relyon.io.text_rows import json_object

if TYPE_CHECKING:
    import polars as pl

    from relyon.io.byte_source import Source

__all__ = ["ACTIONS", "is_ubi", "read_ubi"]

#: Action names and their meaning; case, spaces, hyphens and underscores do not matter.
ACTIONS: dict[str, str] = {
    "impression": "impression",
    "impressions": "impression",
    "view": "impression",
    "viewitem": "impression",
    "productimpression": "impression",
    "resultimpression": "impression",
    "click": "click",
    "clickthrough": "click",
    "itemclick": "click",
    "productclick": "click",
    "resultclick": "click",
    "addtocart": "cart",
    "itemaddtocart": "cart",
    "purchase": "purchase",
    "productpurchase": "purchase",
    "itempurchase": "purchase",
    "buy": "purchase",
    "order": "purchase",
}

# A search event gives the query if the query itself was not logged.
SEARCHES = ("search", "onsearch", "query")

RESULTS = (
    "query_response_hit_ids",
    "query_response_object_ids",
    "query_response_objects_ids",
    "query_response_hits_ids",
)

BATCH = 100_000  # lines buffered at once
BULK = {"index", "create", "update"}


def is_ubi(head: bytes) -> bool:
    """Whether JSON Lines with this beginning contain UBI queries or events."""
    for line in head.splitlines():
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if not isinstance(row, dict):
            return False
        if _is_bulk(row):
            index = next(iter(row.values())).get("_index", "")
            if "ubi" in str(index):
                return True
            continue
        row = row["_source"] if isinstance(row.get("_source"), dict) else row
        return "action_name" in row or (
            "query_id" in row and any(name in row for name in ("user_query", *RESULTS))
        )
    return False


def _is_bulk(row: Mapping[str, object]) -> bool:
    return len(row) == 1 and next(iter(row)) in BULK and isinstance(next(iter(row.values())), dict)


def read_ubi(sources: Iterable[Source]) -> Sessions:
    """Reads UBI queries and events.

    The lines are read once, into tables in the temporary folder; memory does not grow with the
    file.

    Args:
        sources: The files, in any order.

    Raises:
        ParseError: At the first line that is not a JSON object, or has a position that is not a
            number.
        InputError: If there is no impression, click, cart, purchase or list of results.
    """
    import polars as pl

    listed = list(sources)
    name = listed[0].path if len(listed) == 1 else f"{listed[0].path} …"
    tables = _Tables()
    for source in listed:
        for line, row in _rows(source):
            tables.add(row, source.path, line)
    tables.flush()
    if not tables.parts["events"] and not tables.parts["results"]:
        raise InputError(
            message("io.contains-no-impressions"),
            path=name,
            hint=message("io.name-files-of-queries"),
        )
    frame = tables.store(_impressions(tables))
    counts = frame.select(
        rows=pl.len(),
        nameless=pl.col("query").is_null().sum(),
    ).collect(engine="streaming")
    notes = tables.notes()
    nameless = int(counts["nameless"].item())
    if nameless:
        notes.append(Note("queries-without-text", nameless, "warning"))
    if nameless == counts["rows"].item():
        raise InputError(
            message("io.none-of-queries"),
            path=name,
            hint=message("io.name-files-of-queries"),
        )
    frame = frame.filter(pl.col("query").is_not_null())
    return Sessions.from_frame(frame, source=name, notes=tuple(notes))


def _rows(source: Source) -> Iterator[tuple[int, dict[str, object]]]:
    """Yields lines with queries and events."""
    rest = b""
    number = 0
    with source:
        while part := source.read(1 << 20):
            lines = (rest + part).split(b"\n")
            rest = lines.pop()
            for line in lines:
                number += 1
                yield from _row(line, number, source.path)
    yield from _row(rest, number + 1, source.path)


def _row(line: bytes, number: int, path: str) -> Iterator[tuple[int, dict[str, object]]]:
    if number == 1:
        line = line.removeprefix(b"\xef\xbb\xbf")
    if not line.strip():
        return
    row = json_object(line, path, number)
    source = row.get("_source")
    if isinstance(source, dict):  # as printed by a search or an export
        row = source
    if not _is_bulk(row):
        yield number, row


def _text(*values: object) -> str | None:
    """Returns the first text or number, as text."""
    for value in values:
        if isinstance(value, str) and value.strip():
            # JSON can contain half a character (a lone surrogate), which is not text.
            return value.encode("utf-8", "replace").decode()
        if isinstance(value, int | float) and not isinstance(value, bool):
            return str(value)
    return None


def _part(row: Mapping[str, object], name: str) -> Mapping[str, object]:
    value = row.get(name)
    return value if isinstance(value, dict) else {}


class _Tables:
    """Queries, results and events as flat tables on disk."""

    SCHEMAS: Mapping[str, tuple[str, ...]] = {
        "queries": ("session", "query", "timestamp", "user"),
        "results": ("session", "doc", "position"),
        "events": (
            "session", "action", "doc", "position", "timestamp", "user", "dwell_seconds",
        ),
        "texts": ("session", "query"),
    }  # fmt: skip

    def __init__(self) -> None:
        from relyon.io.scratch import scratch_folder

        self._folder = tempfile.mkdtemp(dir=scratch_folder())
        self._waiting: dict[str, list[tuple[object, ...]]] = {name: [] for name in self.SCHEMAS}
        self.parts: dict[str, list[str]] = {name: [] for name in self.SCHEMAS}
        self._unused: Counter[str] = Counter()
        self._left_out: Counter[str] = Counter()

    def add(self, row: Mapping[str, object], path: str, line: int) -> None:
        """Adds one line."""
        session = _text(row.get("query_id"))
        if "action_name" in row:
            self._event(row, session, path, line)
        elif session is None:
            self._left_out["query"] += 1
        else:
            self._query(row, session)

    def _query(self, row: Mapping[str, object], session: str) -> None:
        text = _text(row.get("user_query"))
        user = _text(row.get("client_id"), row.get("user_id"))
        self._put("queries", (session, text, _text(row.get("timestamp")), user))
        results: list[object] = next(
            (found for name in RESULTS if isinstance(found := row.get(name), list)), []
        )
        for position, doc in enumerate(results, 1):
            if _text(doc) is not None:
                self._put("results", (session, _text(doc), position))

    def _event(self, row: Mapping[str, object], session: str | None, path: str, line: int) -> None:
        name = str(row["action_name"])
        plain = "".join(letter for letter in name.lower() if letter not in " _-")
        if session is None:
            self._left_out[name] += 1
            return
        text = _text(row.get("user_query"))
        if text is None and plain in SEARCHES:
            text = _text(row.get("message"))
        if text is not None:
            self._put("texts", (session, text))
        action = ACTIONS.get(plain)
        if action is None:
            self._unused[name] += 1
            return
        attributes = _part(row, "event_attributes")
        thing = _part(attributes, "object") or _part(attributes, "data")
        doc = _text(
            thing.get("object_id"), row.get("object_id"), attributes.get("object_id"),
            thing.get("internal_id"),
        )  # fmt: skip
        if doc is None:
            self._left_out[name] += 1
            return
        place = _part(attributes, "position").get("ordinal")
        if place is None and not isinstance(attributes.get("position"), dict):
            place = attributes.get("position")
        self._put(
            "events",
            (
                session,
                action,
                doc,
                _ordinal(place, path, line),
                _text(row.get("timestamp")),
                _text(row.get("client_id"), row.get("user_id")),
                _seconds(attributes.get("dwell_time")) if action == "click" else None,
            ),
        )

    def _put(self, table: str, values: tuple[object, ...]) -> None:
        waiting = self._waiting[table]
        waiting.append(values)
        if len(waiting) >= BATCH:
            self._write(table)

    def _write(self, table: str) -> None:
        if not self._waiting[table]:
            return
        path = f"{self._folder}/{table}-{len(self.parts[table])}.parquet"
        self._frame(table, self._waiting[table]).write_parquet(path)
        self.parts[table].append(path)
        self._waiting[table] = []

    def _frame(self, table: str, rows: list[tuple[object, ...]]) -> pl.DataFrame:
        import polars as pl

        kinds = {"position": pl.Int64, "dwell_seconds": pl.Float64}
        schema = {name: kinds.get(name, pl.String) for name in self.SCHEMAS[table]}
        return pl.DataFrame(rows, schema=schema, orient="row")

    def flush(self) -> None:
        """Writes the buffered lines."""
        for table in self.SCHEMAS:
            self._write(table)

    def scan(self, table: str) -> pl.LazyFrame:
        """Returns a table."""
        import polars as pl

        if not self.parts[table]:
            return self._frame(table, []).lazy()
        return pl.scan_parquet(self.parts[table])

    def store(self, frame: pl.LazyFrame) -> pl.LazyFrame:
        """Stores the result of a plan as a table, so that it is computed only once."""
        import polars as pl

        path = f"{self._folder}/impressions.parquet"
        frame.sink_parquet(path)
        return pl.scan_parquet(path)

    def notes(self) -> list[Note]:
        """Returns notes on unused rows and actions."""
        notes = []
        for kind, counter in (
            ("unused-actions", self._unused),
            ("incomplete-events", self._left_out),
        ):
            if counter:
                values = {
                    "actions": [f"{name} {times:,}" for name, times in counter.most_common(5)],
                    "more": Text("common.list.more") if len(counter) > 5 else "",
                }
                notes.append(Note(kind, sum(counter.values()), values=values))
        return notes


def _seconds(value: object) -> float | None:
    """Returns a time in seconds; None without a time."""
    try:
        seconds = float(value) if isinstance(value, int | float | str) else math.nan
    except (ValueError, OverflowError):
        return None
    return seconds if math.isfinite(seconds) else None


def _ordinal(place: object, path: str, line: int) -> int | None:
    """Returns a position as a whole number; None without a position."""
    if place is None or isinstance(place, dict | list | bool) or place == "":
        return None
    try:
        number = float(place) if isinstance(place, int | float | str) else math.nan
    except (ValueError, OverflowError):
        number = math.nan
    if not abs(number) < 1e15 or number != math.floor(number):
        raise ParseError(
            message("io.position-is-not-whole-number", place=place),
            path=path,
            line=line,
        )
    return int(number)


def _impressions(tables: _Tables) -> pl.LazyFrame:
    """Returns one row per impression, and one per action without an impression."""
    import polars as pl

    queries = (
        tables.scan("queries")
        .group_by("session")
        .agg(
            pl.col("query").drop_nulls().first(),
            pl.col("timestamp").drop_nulls().first().alias("asked"),
            pl.col("user").drop_nulls().first().alias("asker"),
        )
    )
    texts = (
        tables.scan("texts").group_by("session").agg(pl.col("query").first().alias("other_text"))
    )
    events = tables.scan("events")
    shown = events.filter(pl.col("action") == "impression").drop("action", "dwell_seconds")
    listed = (
        tables.scan("results")
        .join(shown.select("session").unique(), on="session", how="anti")
        .with_columns(timestamp=pl.lit(None, pl.String), user=pl.lit(None, pl.String))
    )
    columns = ["session", "doc", "position", "timestamp", "user"]
    impressions = pl.concat([shown.select(columns), listed.select(columns)])
    acts = ("click", "cart", "purchase")
    actions = (
        events.filter(pl.col("action").is_in(acts))
        .group_by("session", "doc")
        .agg(
            *((pl.col("action") == act).any().alias(act) for act in acts),
            pl.col("dwell_seconds").max(),
            pl.col("position").min(),
            pl.col("timestamp").min(),
            pl.col("user").drop_nulls().first(),
        )
    )
    joined = impressions.join(
        actions.select("session", "doc", *acts, "dwell_seconds"), on=["session", "doc"], how="left"
    ).with_columns(shown=pl.lit(True))
    alone = actions.join(impressions, on=["session", "doc"], how="anti").with_columns(
        shown=pl.lit(False)
    )
    order = [*columns, *acts, "dwell_seconds", "shown"]
    return (
        pl.concat([joined.select(order), alone.select(order)])
        .join(queries, on="session", how="left")
        .join(texts, on="session", how="left")
        .select(
            "session",
            pl.coalesce("query", "other_text").alias("query"),
            pl.coalesce("timestamp", "asked").alias("timestamp"),
            "position",
            "doc",
            pl.col("click").fill_null(False).alias("clicked"),
            "dwell_seconds",
            pl.col("cart").fill_null(False).alias("add_to_cart"),
            pl.col("purchase").fill_null(False).alias("purchase"),
            pl.coalesce("user", "asker").alias("user"),
            "shown",
        )
    )
