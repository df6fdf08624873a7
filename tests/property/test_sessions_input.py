"""Whatever a file holds, reading it as a log gives sessions or an error with a message of ours."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from relyon import RelyonError, read_sessions
from relyon.online.logs import examine

VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 3), st.integers(), st.floats(), st.text(max_size=5),
    st.sampled_from(["1", "0", "x", "", "2025-03-03T08:00:00Z", "1740993600000", "1e400", "NaN"]),
)  # fmt: skip
NESTED = st.recursive(
    VALUES,
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["object_id", "ordinal", "object", "position"]), inner)
    ),
    max_leaves=4,
)
NAMES = ["session", "query", "position", "doc", "clicked", "timestamp", "dwell", "user", "shown"]
UBI = ["query_id", "user_query", "timestamp", "query_response_hit_ids", "event_attributes"]
ACTIONS = st.sampled_from(["click", "impression", "purchase", "search", "filter"])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("logs")


def check(path: Path) -> None:
    try:
        sessions = read_sessions(path)
        sessions.collect()
        checkup = examine(sessions)
        checkup.to_text()
        json.dumps(checkup.to_dict("zh"))
        repair = checkup.repair()
        repair.to_json()
        fixable = {one.kind for one in checkup if one.fixable}
        assert {change.kind for change in repair.changes} == fixable
        repair.sessions.collect()
    except RelyonError:
        return


@pytest.mark.long
@given(rows=st.lists(st.fixed_dictionaries(dict.fromkeys(NAMES, VALUES)), max_size=6))
def test_json_lines(folder: Path, rows: list[dict[str, Any]]) -> None:
    path = folder / "log.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    check(path)


@pytest.mark.long
@given(rows=st.lists(st.lists(VALUES, min_size=1, max_size=10), max_size=6), tabs=st.booleans())
def test_tables(folder: Path, rows: list[list[Any]], tabs: bool) -> None:
    path = folder / f"log.{'tsv' if tabs else 'csv'}"
    sign = "\t" if tabs else ","
    lines = [sign.join(NAMES), *(sign.join(map(str, row)) for row in rows)]
    path.write_bytes("\n".join(lines).encode("utf-8", "surrogatepass"))
    check(path)


@pytest.mark.long
@given(
    rows=st.lists(
        st.dictionaries(st.sampled_from(UBI), NESTED)
        | st.fixed_dictionaries(
            {"action_name": ACTIONS, "query_id": VALUES},
            optional={
                "event_attributes": st.fixed_dictionaries(
                    {"object": st.fixed_dictionaries({"object_id": VALUES}),
                     "position": st.fixed_dictionaries({"ordinal": VALUES})}
                ),
                "user_query": VALUES, "timestamp": VALUES, "client_id": NESTED,
            },
        ),
        max_size=8,
    )
)  # fmt: skip
def test_ubi(folder: Path, rows: list[dict[str, Any]]) -> None:
    path = folder / "ubi.ndjson"
    first = {"query_id": "q", "user_query": "tv", "query_response_hit_ids": ["a"]}
    path.write_text("".join(json.dumps(row) + "\n" for row in [first, *rows]), "utf-8")
    check(path)


@given(
    data=st.binary(max_size=200), start=st.sampled_from([b"", b"PAR1", b"session,query\n", b"{"])
)
def test_bytes(folder: Path, data: bytes, start: bytes) -> None:
    path = folder / "log"
    path.write_bytes(start + data)
    check(path)
