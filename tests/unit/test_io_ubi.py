"""UBI: queries and events, new and old names, one file or several."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from relyon import InputError, ParseError, Sessions, read_sessions

AT = "2024-12-10T00:01:29Z"


def query(name: str, text: str | None = "tv", **more: Any) -> dict[str, Any]:
    return {"query_id": name, "user_query": text, "client_id": "c1", "timestamp": AT, **more}


def event(
    action: str, name: str | None, doc: str | None = None, position: Any = None, **more: Any
) -> dict[str, Any]:
    attributes: dict[str, Any] = {}
    if doc is not None:
        attributes["object"] = {"object_id": doc}
    if position is not None:
        attributes["position"] = {"ordinal": position}
    attributes |= more.pop("event_attributes", {})
    return {"action_name": action, "query_id": name, "client_id": "c1", "timestamp": AT,
            "event_attributes": attributes, **more}  # fmt: skip


def read(folder: Path, *rows: Mapping[str, Any]) -> Sessions:
    path = folder / "ubi.ndjson"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return read_sessions(path)


def table(sessions: Sessions, *columns: str) -> list[tuple[Any, ...]]:
    return sessions.collect().sort("session", "position", "doc").select(columns).rows()


def test_clicks_carts_and_purchases_are_joined_to_impressions(tmp_path: Path) -> None:
    sessions = read(
        tmp_path,
        query("q1"),
        event("impression", "q1", "a", 1),
        event("impression", "q1", "b", 2),
        event("impression", "q1", "c", 3),
        event("click", "q1", "b", 2, event_attributes={"dwell_time": 3.5}),
        event("click", "q1", "b", 2, event_attributes={"dwell_time": 9}),
        event("add_to_cart", "q1", "c", 3),
        event("purchase", "q1", "c", 3),
    )
    columns = ("doc", "position", "clicked", "add_to_cart", "purchase", "dwell_seconds", "shown")
    assert table(sessions, *columns) == [
        ("a", 1, False, False, False, None, True),
        ("b", 2, True, False, False, 9.0, True),
        ("c", 3, False, True, True, None, True),
    ]
    assert set(sessions.collect()["query"]) == {"tv"}
    assert set(sessions.collect()["user"]) == {"c1"}
    assert set(sessions.collect()["timestamp"]) == {datetime(2024, 12, 10, 0, 1, 29, tzinfo=UTC)}
    assert sessions.notes == ()


@pytest.mark.parametrize("name", ["query_response_hit_ids", "query_response_object_ids"])
def test_results_stand_for_impressions_where_there_are_none(tmp_path: Path, name: str) -> None:
    sessions = read(
        tmp_path,
        query("q1") | {name: ["a", "b"]},
        event("item_click", "q1", "b", 2),
        query("q2") | {name: ["a", "b", "c"]},
        event("impression", "q2", "c", 3),
    )
    assert table(sessions, "session", "position", "doc", "clicked") == [
        ("q1", 1, "a", False), ("q1", 2, "b", True), ("q2", 3, "c", False)
    ]  # fmt: skip


def test_older_fields(tmp_path: Path) -> None:
    sessions = read(
        tmp_path,
        query("q1", query_response_objects_ids=[11, 12]),
        {"action_name": "item_click", "query_id": "q1", "user_id": "u", "timestamp": 1733788889000,
         "event_attributes": {"data": {"internal_id": 12}, "position": "2"}},
        {"action_name": "itemAddToCart", "query_id": "q1", "timestamp": 1733788889000,
         "event_attributes": {"object": {"object_id": 12}}},
    )  # fmt: skip
    assert table(sessions, "position", "doc", "clicked", "add_to_cart") == [
        (1, "11", False, False), (2, "12", True, True)
    ]  # fmt: skip


def test_an_action_without_an_impression_keeps_its_row(tmp_path: Path) -> None:
    sessions = read(
        tmp_path,
        query("q1"),
        event("impression", "q1", "a", 1),
        event("click", "q1", "b", 4),
        event("purchase", "q1", "c"),
    )
    assert table(sessions, "doc", "position", "clicked", "purchase", "shown") == [
        ("c", None, False, True, False),
        ("a", 1, False, False, True),
        ("b", 4, True, False, False),
    ]


def test_repeated_impressions_keep_their_rows(tmp_path: Path) -> None:
    shown = event("impression", "q1", "a", 1)
    assert read(tmp_path, query("q1"), shown, shown).collect().height == 2


def test_positions_and_times_stay_as_they_are_written(tmp_path: Path) -> None:
    sessions = read(
        tmp_path,
        query("q1"),
        event("impression", "q1", "a", 0),
        event("impression", "q1", "b", 1, timestamp=1733788889000),
    )
    raw = sessions.raw.collect().to_native().sort("position")
    assert raw["position"].to_list() == [0, 1]
    assert raw["timestamp"].to_list() == [AT, "1733788889000"]


def test_the_text_of_a_query_that_was_not_logged(tmp_path: Path) -> None:
    sessions = read(
        tmp_path,
        event("impression", "q1", "a", 1, user_query="phone"),
        event("on_search", "q2", message="bag"),
        event("impression", "q2", "a", 1, message="not the query"),
        event("impression", "q3", "a", 1, message="not the query"),
    )
    assert table(sessions, "session", "query") == [("q1", "phone"), ("q2", "bag")]
    (note,) = [note for note in sessions.notes if note.level == "warning"]
    assert (note.kind, note.count) == ("queries-without-text", 1)


def test_what_is_not_used_is_counted(tmp_path: Path) -> None:
    sessions = read(
        tmp_path,
        query("q1"),
        query(""),
        event("impression", "q1", "a", 1),
        event("impression", "q1"),
        event("click", None, "a", 1),
        event("brand_filter", "q1", "x"),
        event("brand_filter", "q1", "y"),
    )
    notes = {note.kind: note for note in sessions.notes}
    assert notes["unused-actions"].count == 2
    assert str(notes["unused-actions"]).endswith(": 2 (brand_filter 2)")
    assert notes["incomplete-events"].count == 3
    assert sessions.collect().height == 1


def test_bulk_lines_exports_and_several_files(tmp_path: Path) -> None:
    rows = [query("q1"), event("impression", "q1", "a", 1)]
    plain = read(tmp_path, *rows).collect()
    lines = [{"index": {"_index": "ubi_queries", "_id": "1"}}, rows[0],
             {"create": {"_index": "ubi_events"}}, rows[1]]  # fmt: skip
    assert read(tmp_path, *lines).collect().equals(plain)
    exported = [{"_index": "i", "_source": row} for row in rows]
    assert read(tmp_path, *exported).collect().equals(plain)
    paths = [tmp_path / "queries.ndjson", tmp_path / "events.ndjson"]
    for path, row in zip(paths, rows, strict=True):
        path.write_text("\n" + json.dumps(row))
    assert read_sessions(paths[::-1]).collect().equals(plain)


def test_many_rows_are_written_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("relyon.io.ubi.BATCH", 7)
    rows = [query(f"q{number}") for number in range(20)]
    rows += [event("impression", f"q{place % 20}", f"d{place}", place) for place in range(100)]
    found = read(tmp_path, *rows).collect()
    assert found.height == 100
    assert found["session"].n_unique() == 20


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"query_id": ', "is not JSON"),
        ("[1]", "expected an object, got a list"),
        ('{"action_name":"click","query_id":"q","event_attributes":{"object":{"object_id":"a"},'
         '"position":{"ordinal":"first"}}}', "the position `first` is not a whole number"),
        ('{"action_name":"click","query_id":"q","event_attributes":{"object":{"object_id":"a"},'
         '"position":{"ordinal":1.5}}}', "the position `1.5` is not a whole number"),
    ],
)  # fmt: skip
def test_the_line_of_what_cannot_be_read(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "ubi.ndjson"
    path.write_text(json.dumps(query("q1")) + "\n\n" + text + "\n")
    with pytest.raises(ParseError, match=message) as caught:
        read_sessions(path)
    assert caught.value.line == 3


def test_odd_values(tmp_path: Path) -> None:
    sessions = read(
        tmp_path,
        query("q1", "half \ud83d of one"),
        event("click", "q1", "a", "1", event_attributes={"dwell_time": "2.5"}),
        event("click", "q1", "b", 2, event_attributes={"dwell_time": "long"}),
        event("click", "q1", "c", 3, event_attributes={"dwell_time": 10**400}),
    )
    assert table(sessions, "position", "dwell_seconds") == [(1, 2.5), (2, None), (3, None)]
    assert sessions.collect()["query"][0] == "half ? of one"
    with pytest.raises(ParseError, match="is not a whole number"):
        read(tmp_path, query("q1"), event("click", "q1", "a", 1e38))


def test_queries_alone_and_events_alone(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no impressions and no lists of results") as caught:
        read(tmp_path, query("q1"))
    assert "queries and of the events" in caught.value.hint
    with pytest.raises(InputError, match="none of the queries has a text"):
        read(tmp_path, event("impression", "q1", "a", 1))


def test_a_column_map_is_refused(tmp_path: Path) -> None:
    (tmp_path / "ubi.ndjson").write_text(json.dumps(query("q1")))
    with pytest.raises(InputError, match="columns of its own"):
        read_sessions(tmp_path / "ubi.ndjson", columns={"doc": "asin"})


def test_the_public_collections(test_data: Path) -> None:
    chorus = read_sessions(test_data / "ubi_chorus" / "ubi_queries_events.ndjson.gz")
    found = chorus.collect()
    # Every impression event has a query with a text; nothing is lost.
    assert found.filter("shown").height >= 1999
    assert found["position"].min() == 0
    assert found.filter(~pl.col("shown")).height > 0
    folder = test_data / "ubi_opensearch_dashboards"
    both = read_sessions([folder / "ubi_queries.json.gz", folder / "ubi_events.json.gz"])
    assert both.columns == chorus.columns
    assert both.collect()["clicked"].sum() > found["clicked"].sum()
