"""Tables come back from workbooks as they went out."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl
from hypothesis import given, settings, strategies as st

import relyon
from relyon.io import write_judgments, write_run
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


IDS = st.text(
    st.characters(
        exclude_categories=["Cs", "Cc", "Zs", "Zl", "Zp"], exclude_characters="\ufffe\uffff"
    ),
    min_size=1,
    max_size=8,
)
GRADES = st.dictionaries(
    IDS, st.dictionaries(IDS, st.integers(0, 3), min_size=1, max_size=4), min_size=1, max_size=4
)
SCORES = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e14, max_value=1e14)
RUNS = st.dictionaries(
    IDS, st.dictionaries(IDS, SCORES, min_size=1, max_size=4), min_size=1, max_size=4
)


@settings(max_examples=15, deadline=None)
@given(GRADES, RUNS)
def test_judgments_and_runs_come_back(
    grades: dict[str, dict[str, int]], scores: dict[str, dict[str, float]]
) -> None:
    with TemporaryDirectory() as folder:
        write_judgments(relyon.read_judgments(grades), Path(folder, "judgments.xlsx"))
        write_run(relyon.read_run(scores), Path(folder, "run.xlsx"))
        assert relyon.read_judgments(Path(folder, "judgments.xlsx")).to_dict() == grades
        assert relyon.read_run(Path(folder, "run.xlsx")).to_dict() == scores


@settings(max_examples=15, deadline=None)
@given(
    GRADES,
    st.dictionaries(IDS, SCORES, min_size=1, max_size=4),
    st.sampled_from([("en", "Queries"), ("zh", "逐查询")]),
)
def test_values_per_query_come_back(
    grades: dict[str, dict[str, int]], scores: dict[str, float], named: tuple[str, str]
) -> None:
    """Columns have the names of the CSV in every language."""
    language, sheet = named
    results = relyon.evaluate(grades, dict.fromkeys(grades, scores), ["dcg@3", "p@2"])
    with TemporaryDirectory() as folder:
        path = Path(folder, "results.xlsx")
        results.to_excel(path, language=language)
        found = read_table(f"{path}#{sheet}")
    expected = results.excel_frames()["per_query"]
    assert found["query"].to_list() == expected["query"].to_list()
    for name in ("dcg@3", "p@2"):
        numbers = [None if one is None else float(one) for one in found[name]]
        assert numbers == expected[name].to_list()
