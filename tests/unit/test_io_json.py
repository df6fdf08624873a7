"""JSON in ranx's form, arrays of objects, and the objects of ranx itself."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from relyon import io
from relyon.core.errors import InputError, ParameterError, ParseError
from relyon.io.text_rows import json_keys


def write(folder: Path, content: str) -> Path:
    path = folder / "a.json"
    path.write_bytes(content.encode())
    return path


def test_ranx_form(tmp_path: Path) -> None:
    path = write(tmp_path, '\ufeff{"q": {"d1": 2, "é": 0.5},\r\n "007": {"d1": -1}}')
    expected = {"q": {"d1": 2.0, "é": 0.5}, "007": {"d1": -1.0}}
    assert io.read_judgments(path).to_dict() == expected
    assert io.read_run(path).to_dict() == expected
    packed = tmp_path / "a.json.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert io.read_judgments(packed).to_dict() == expected


def test_names_of_grades(tmp_path: Path) -> None:
    path = write(tmp_path, '{"q": {"d1": "高", "d2": 0}}')
    assert io.read_judgments(path, scale="search").to_dict() == {"q": {"d1": 3.0, "d2": 0.0}}
    with pytest.raises(InputError, match=r"a\.json: query `q`, document `d1`: the grade `高`"):
        io.read_judgments(path)


def test_array_of_objects(tmp_path: Path) -> None:
    path = write(tmp_path, '[{"qid": 7, "docid": "a", "rel": 1}, {"qid": 7, "docid": 3, "rel": 0}]')
    assert io.read_judgments(path).to_dict() == {"7": {"a": 1.0, "3": 0.0}}
    named = io.read_run(path, columns={"score": "rel"})
    assert named.to_dict() == {"7": {"a": 1.0, "3": 0.0}}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"q": {"d": NaN}}', "is NaN"),
        ('{"q": {"d": -Infinity}}', "is -Infinity"),
        ('{"q": {"d": 1e999}}', r"a\.json"),
        (r'[{"query": "\ud800", "document": "d", "grade": 1}]', r"a\.json: .*surrogate pair"),
        ('{"q": {"d": "x"}}', "`x` is not a number"),
        ('{"q": {"d": null}}', "the grade is missing|is not a number"),
        ('{"q": {"d": 1, "d": 2}}', "`d` occurs twice"),
        ('{"q": {"d": 1}, "q": {"e": 2}}', "`q` occurs twice"),
        ('{\n"q": 3}', "`q` does not map to an object"),
        ('"text"', "the format is not|neither an object"),
        ("[1, 2]", "neither an object nor an array of objects"),
        ("{}", "contains no"),
        ('{"q": {}}', "contains no"),
    ],
)
def test_bad_content(tmp_path: Path, content: str, message: str) -> None:
    path = write(tmp_path, content)
    with pytest.raises(InputError, match=message):
        io.read_judgments(path)
    with pytest.raises(InputError, match=message):
        io.read_run(path)


def test_syntax_errors_name_the_line(tmp_path: Path) -> None:
    with pytest.raises(ParseError, match=r"a\.json:3: is not JSON") as caught:
        io.read_run(write(tmp_path, '{\n"q": {"d": 1},\n"r": {"d" 2}\n}'))
    assert caught.value.line == 3


def test_numbers_of_any_length_are_refused_in_words(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(f'{{"q": {{"d": {"9" * 6000}}}}}')
    with pytest.raises(InputError, match="is not a finite number"):
        io.read_run(path)
    path = tmp_path / "a.jsonl"
    path.write_text(f'{{"query": "q", "document": "d", "score": {"9" * 6000}}}\n')
    with pytest.raises(InputError):
        io.read_run(path)
    assert json_keys(path.read_bytes()) == ["query", "document", "score"]


def test_deep_nesting(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nested too deeply"):
        io.read_run(write(tmp_path, '{"a":' * 200_000))


def test_latin_1_names_the_line(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b'{"q":\n{"\xe9": 1}}')
    with pytest.raises(ParseError, match="is not UTF-8"):
        io.read_run(path)


def test_there_are_no_columns_to_name(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="has no columns"):
        io.read_run(write(tmp_path, '{"q": {"d": 1}}'), columns={"score": "x"})


def test_objects_of_ranx() -> None:
    class Qrels:  # what ranx.Qrels and ranx.Run offer
        name = "mine"

        def to_dict(self) -> dict[str, dict[str, float]]:
            return {"q": {"d": 1}}

    assert io.read_judgments(Qrels()).to_dict() == {"q": {"d": 1.0}}
    assert io.read_run(Qrels()).name == "mine"
