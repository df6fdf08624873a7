"""Decimal commas: read where semicolons or tabs separate fields and nothing else is meant."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

import relyon
from relyon.core.errors import InputError, ParseError
from relyon.io.decimal_commas import pointed


def run(*scores: str, separator: str = ";") -> str:
    rows = [["query", "doc", "score"], *(["q", f"d{n}", one] for n, one in enumerate(scores))]
    return "\n".join(separator.join(row) for row in rows) + "\n"


def read(text: str) -> relyon.Run:
    return relyon.read_run(io.BytesIO(text.encode()))


@pytest.mark.parametrize(
    ("texts", "numbers"),
    [
        (["3,14", "2", "-0,5"], [3.14, 2, -0.5]),
        (["1,234", "2,345"], [1.234, 2.345]),
        (["1,5E-05", "+2,25"], [1.5e-5, 2.25]),
        ([" 1,5", "2,5 "], [1.5, 2.5]),
        (["1.5", "2"], [1.5, 2]),
    ],
)
def test_numbers_beside_semicolons(texts: list[str], numbers: list[float]) -> None:
    found = read(run(*texts))
    assert found.to_dict()["q"] == {f"d{n}": one for n, one in enumerate(numbers)}
    said = [str(note) for note in found.notes if note.kind == "decimal-commas"]
    assert said == (
        ["columns of <stream> read with decimal commas: `score`"] if "," in "".join(texts) else []
    )


@pytest.mark.parametrize(
    ("texts", "line", "cell"),
    [
        (["3,5", "2", "1.5"], 4, "1.5"),
        (["3,5", "1.234,5"], 3, "1.234,5"),
        (["1,234,567", "3,5"], 2, "1,234,567"),
    ],
)
def test_mixtures_are_refused_with_their_place(texts: list[str], line: int, cell: str) -> None:
    with pytest.raises(ParseError, match="which have a decimal comma") as caught:
        read(run(*texts))
    assert caught.value.line == line
    assert f"`{cell}`" in str(caught.value)
    assert "decimal points" in caught.value.hint


def test_thousands_are_not_mistaken_for_decimals_beside_tabs() -> None:
    with pytest.raises(ParseError, match="may have a decimal comma or thousands") as caught:
        read(run("1,234", "2,345", separator="\t"))
    assert caught.value.line == 2
    assert read(run("1,234", "0,345", separator="\t")).to_dict()["q"] == {"d0": 1.234, "d1": 0.345}


@pytest.mark.parametrize("separator", [",", ";"])
def test_a_quoted_comma_beside_commas_is_refused_with_the_way_out(separator: str) -> None:
    text = run('"3,14"', "2", separator=separator)
    if separator == ";":
        assert read(text).to_dict()["q"]["d0"] == 3.14
        return
    with pytest.raises(ParseError, match=r"2: the score `3,14` is not a number") as caught:
        read(text)
    assert "decimal points" in caught.value.hint


def test_ids_and_texts_keep_their_commas() -> None:
    text = "query;doc;grade\n1,5;2,5;1,5\n"
    found = relyon.read_judgments(io.BytesIO(text.encode()))
    assert found.to_dict() == {"1,5": {"2,5": 1.5}}


def test_names_of_grades_are_no_numbers() -> None:
    text = "query;doc;grade\nq;d;高\nq;e;无\n"
    found = relyon.read_judgments(io.BytesIO(text.encode()), scale="search")
    assert not [note for note in found.notes if note.kind == "decimal-commas"]


def test_labels_scores_and_features() -> None:
    text = "query;label;score;price;words\nq;1;0,5;1,25;3\nq;0;0,25;;4\n"
    scored = relyon.read_scored(io.BytesIO(text.encode()))
    assert scored.scores is not None
    assert scored.scores.tolist() == [0.5, 0.25]
    rows = relyon.read_features(io.BytesIO(text.encode()), features=["price", "words"])
    assert rows.known_features().values[0].tolist() == [1.25, 3]
    assert [note.values["columns"] for note in rows.notes if note.kind == "decimal-commas"] == [
        ["`price`"]
    ]
    with pytest.raises(ParseError, match=r"the price `1\.234,5` contradicts"):
        relyon.read_features(
            io.BytesIO(text.replace("1,25", "1.234,5").replace(";;", ";2,5;").encode()),
            features=["price"],
        )


def test_errors_below_name_what_the_file_says() -> None:
    text = run("3,5", "2,5").replace("q;d1", ";d1")
    with pytest.raises(ParseError, match=r":3: the query is empty"):
        read(text)


def test_the_streamed_run_equals_the_one_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "run.csv"
    path.write_text(run("3,5", "4,25", "1"))
    results = relyon.evaluate({"q": {"d0": 1}}, path, "rr")
    assert results["rr"] == 0.5
    assert [note.kind for note in results.notes].count("decimal-commas") == 1


def test_a_log_beside_semicolons(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("session;query;position;doc;dwell\ns;q;1;d;3,5\ns;q;2;e;\n")
    log = relyon.read_sessions(path)
    assert log.collect()["dwell_seconds"].to_list() == [3.5, None]
    assert [note.kind for note in log.notes].count("decimal-commas") == 1
    path.write_text("session;query;position;doc;dwell\ns;q;1;d;3,5\ns;q;2;e;1.5\n")
    with pytest.raises(ParseError, match=r"log\.csv:3: the dwell_seconds `1.5` contradicts"):
        relyon.read_sessions(path)


def test_a_missing_column_is_not_hinted_as_the_whole_header(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("sid;query;position;product\ns;q;1;d\n")
    with pytest.raises(InputError) as caught:
        relyon.read_sessions(path, columns={"doc": "nothing"})
    assert "sid;query" not in str(caught.value)


@given(st.lists(st.floats(-1e6, 1e6).map(lambda one: round(one, 4)), min_size=1, max_size=20))
def test_decimal_commas_mean_decimal_points(numbers: list[float]) -> None:
    texts = [f"{one:.4f}".replace(".", ",") for one in numbers]
    found = read(run(*texts)).to_dict()["q"]
    assert found == read(run(*[f"{one:.4f}" for one in numbers])).to_dict()["q"]


def test_fields_of_a_row() -> None:
    assert pointed({"query": "1,5", "score": "1,5", "rank": None}, ["score", "rank"]) == {
        "query": "1,5", "score": "1.5", "rank": None,
    }  # fmt: skip
