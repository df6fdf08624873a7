"""Evidence comes back as it was, whatever it is and whichever file or frame held it."""

from __future__ import annotations

import math
import tempfile
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, strategies as st

from relyon import Judgments, read_judgments, write_judgments

NUMBERS = st.floats(-1e9, 1e9, allow_nan=False)
EXTRA = st.one_of(st.none(), st.floats(0, 1e300, allow_nan=False))


@st.composite
def judged(draw: st.DrawFn) -> pl.DataFrame:
    """Judgments in any order, with any of the columns of evidence."""
    keys = draw(
        st.lists(
            st.tuples(
                st.sampled_from("abc文"), st.sampled_from(["1", "2"]), st.text("xy'=", min_size=1)
            ),
            min_size=1,
            max_size=12,
            unique=True,
        )
    )
    several = draw(st.booleans())
    if not several:
        keys = [
            *{(query, document): (query, "0", document) for query, _, document in keys}.values()
        ]
    grades = [draw(NUMBERS) for _ in keys]
    columns: dict[str, list[object]] = {"query": [key[0] for key in keys]}
    if several:
        columns["subtopic"] = [key[1] for key in keys]
    columns |= {"document": [key[2] for key in keys], "grade": [*grades]}
    for role, sign in draw(
        st.sets(st.sampled_from([("weight", 0), ("low", -1), ("high", 1)]), min_size=1)
    ):
        given_values = [draw(EXTRA) for _ in keys]
        columns[role] = [
            None if extra is None else extra if role == "weight" else grade + sign * extra
            for grade, extra in zip(grades, given_values, strict=True)
        ]
    schema = {"grade": pl.Float64, "weight": pl.Float64, "low": pl.Float64, "high": pl.Float64}
    return pl.DataFrame(
        columns, schema_overrides={name: kind for name, kind in schema.items() if name in columns}
    )


def rows(frame: pl.DataFrame) -> list[dict[str, object]]:
    """The rows in an order of their own."""
    names = [name for name in ("query", "subtopic", "document") if name in frame.columns]
    return frame.sort(names).to_dicts()


@pytest.mark.long
@given(judged())
def test_frames_keep_evidence(frame: pl.DataFrame) -> None:
    judgments = Judgments.from_frame(frame)
    found = judgments.to_frame()
    if not judgments.has_subtopics and "subtopic" in frame.columns:
        frame = frame.drop("subtopic")
    assert rows(found) == rows(frame.select(found.columns))
    assert judgments.evidence is not None
    for role, values in judgments.evidence.columns.items():
        listed = [math.nan if one is None else one for one in found.get_column(role).to_list()]
        assert str(values.tolist()) == str(listed)


@pytest.mark.long
@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet"])
@given(frame=judged())
def test_files_keep_evidence(ending: str, frame: pl.DataFrame) -> None:
    judgments = Judgments.from_frame(frame)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"judged.{ending}")
        write_judgments(judgments, path)
        back = read_judgments(path)
    assert rows(back.to_frame()) == rows(judgments.to_frame())
    assert back.to_frame().columns == judgments.to_frame().columns
