"""Tables come back from workbooks as they went out."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl
from hypothesis import given, settings, strategies as st

from relyon.io.table_files import read_table, write_table

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\0￾￿"), max_size=12)
ROWS = st.lists(
    st.tuples(
        TEXTS.filter(bool),
        st.one_of(st.none(), TEXTS),
        st.integers(-(10**17), 10**17),
        st.floats(allow_nan=False, allow_infinity=False, min_value=-1e14, max_value=1e14),
        st.booleans(),
    ),
    min_size=1,
    max_size=8,
)


@settings(max_examples=60, deadline=None)
@given(ROWS)
def test_tables_come_back(rows: list[tuple[str, str | None, int, float, bool]]) -> None:
    names = ["id", "text", "whole", "number", "flag"]
    frame = pl.DataFrame(rows, names, orient="row")
    with TemporaryDirectory() as folder:
        write_table(frame, Path(folder, "table.xlsx"))
        found = read_table(Path(folder, "table.xlsx"))
    assert found.columns == names
    assert found["id"].to_list() == [row[0] for row in rows]
    assert found["text"].to_list() == [row[1] or None for row in rows]
    assert [int(one) for one in found["whole"]] == [row[2] for row in rows]
    assert all(float(one) == row[3] for one, row in zip(found["number"], rows, strict=True))
    assert [one == "true" for one in found["flag"]] == [row[4] for row in rows]
