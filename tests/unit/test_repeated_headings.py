"""Several columns with one heading: refused with their numbers if the name is read."""

from __future__ import annotations

from pathlib import Path

import pytest

import relyon
from relyon.data.columns import choose

HEADER = ["query", "doc", "label", "score", "score"]
ROWS: list[list[str | int]] = [["q", "d1", 1, 2, 3], ["q", "d2", 0, 1, 5]]


def _written(folder: Path, suffix: str, header: list[str]) -> Path:
    """Writes the rows under these headings."""
    lines: list[list[str | int]] = [[*header], *ROWS]
    path = folder / f"rows.{suffix}"
    if suffix == "xlsx":
        pytest.importorskip("python_calamine")
        from relyon.io.workbook_writer import Column, Table, workbook_bytes

        path.write_bytes(workbook_bytes([Table("rows", [*map(Column, header)], ROWS)]))
    elif suffix == "jsonl":
        pairs = [
            ", ".join(
                f'"{n}": {v if isinstance(v, int) else repr(v)}'
                for n, v in zip(header, row, strict=True)
            )
            for row in ROWS
        ]
        path.write_text("".join(f"{{{one}}}\n" for one in pairs).replace("'", '"'))
    else:
        mark = "\t" if suffix == "tsv" else ","
        path.write_text("".join(mark.join(map(str, row)) + "\n" for row in lines))
    return path


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "xlsx"])
def test_files_with_a_repeated_heading_are_refused(tmp_path: Path, suffix: str) -> None:
    path = _written(tmp_path, suffix, HEADER)
    twice = "columns 4 and 5 have the same heading, `score`"
    with pytest.raises(relyon.InputError, match=twice):
        relyon.evaluate_scores(path, measures="auc")
    with pytest.raises(relyon.InputError, match=twice):
        relyon.evaluate({"q": {"d1": 1}}, path, "rr")  # a run, which would be streamed
    with pytest.raises(relyon.InputError, match=twice):
        relyon.read_run(path)
    other = _written(tmp_path, suffix, ["query", "doc", "grade", "note", "note"])
    assert len(relyon.read_judgments(other)) == 2
    with pytest.raises(relyon.InputError, match="columns 4 and 5 have the same heading, `note`"):
        relyon.read_run(other, columns={"score": "note"})


def test_a_repeated_feature_is_refused_unless_others_are_named(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("query,label,f,f,g\nq,1,2,3,4\nq,0,1,5,6\n")
    with pytest.raises(relyon.InputError, match="columns 3 and 4 have the same heading, `f`"):
        relyon.read_features(path)
    assert relyon.read_features(path, features=["g"]).known_features().names == ("g",)


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl"])
def test_logs_with_a_repeated_heading_are_refused(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"log.{suffix}"
    names = ["session", "query", "doc", "position", "clicked", "clicked"]
    values = ["s", "q", "d", "1", "0", "1"]
    mark = "\t" if suffix == "tsv" else ","
    path.write_text(f"{mark.join(names)}\n{mark.join(values)}\n")
    if suffix == "jsonl":
        pairs = ", ".join(f'"{n}": "{v}"' for n, v in zip(names, values, strict=True))
        path.write_text(f"{{{pairs}}}\n")
    with pytest.raises(relyon.InputError, match="columns 5 and 6 have the same heading, `clicked`"):
        relyon.read_sessions(path)
    path.write_text(path.read_text().replace("clicked", "x"))
    assert relyon.read_sessions(path).collect().height == 1


def test_pandas_frames_with_a_repeated_heading_are_refused() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(ROWS, columns=HEADER)
    twice = "columns 4 and 5 have the same heading, `score`"
    for call in (
        lambda: relyon.evaluate_scores(frame),
        lambda: relyon.evaluate_scores(frame, "score"),
        lambda: relyon.compare_scores(frame, scores=["score", "label"]),
    ):
        with pytest.raises(relyon.InputError, match=twice):
            call()


def test_a_repeated_name_without_a_role_does_not_matter() -> None:
    chosen = choose(["query", "doc", "x", "score", "x"], "run")
    assert chosen == {"query": "query", "document": "doc", "score": "score"}
