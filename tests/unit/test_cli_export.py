"""`relyon export`: files by their endings, comparison on rows, refusals."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
from tests.unit.conftest import Command
from tests.unit.trained import rows_of, write_features

import relyon
import relyon.ltr


@pytest.fixture
def model(files: Path) -> Path:
    """A saved ranker and rows that it has not seen."""
    write_features(rows_of(queries=12, size=5), files / "features.csv")
    write_features(rows_of(queries=12, size=5, seed=9), files / "heldout.csv")
    ranker = relyon.ltr.TreeRanker(trees=5, min_rows=3, threads=1)
    ranker.fit(relyon.read_features(str(files / "features.csv"))).save(files / "ranker.model")
    return files / "ranker.model"


@pytest.mark.parametrize("name", ["ranker.onnx", "ranker.treelite", "ranker.txt"])
def test_the_ending_names_the_format(
    model: Path, command: Command, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("relyon.cli.messages.terminal_width", lambda: 80)
    outcome = command("export", "ranker.model", "-o", name)
    assert outcome.code == 0, outcome.err
    assert outcome.out == ""
    assert Path(name).stat().st_size > 1000
    assert (
        f"{name} ({'engine' if name.endswith('txt') else name.split('.')[1]}): scores of 2,000"
        in outcome.err
    )
    assert max(map(len, outcome.err.splitlines())) <= 80


def test_without_a_terminal_a_sentence_is_one_line(model: Path, command: Command) -> None:
    outcome = command("export", "ranker.model", "-o", "ranker.onnx")
    assert outcome.err.count("\n") == 1
    assert len(outcome.err) > 81


@pytest.mark.long
def test_the_order_is_compared_on_rows(model: Path, command: Command) -> None:
    outcome = command("export", "ranker.model", "-o", "ranker.onnx", "--valid", "heldout.csv")
    assert outcome.code == 0, outcome.err
    assert "heldout.csv: the order changes in 0 of 12 queries; scores within" in outcome.err
    outcome = command(
        *("export", "ranker.model", "-o", "ranker.onnx", "--valid", "heldout.csv"),
        *("--force", "--lang", "zh"),
    )
    assert "heldout.csv：12 条查询中有 0 条的文档次序改变" in outcome.err


def test_what_single_precision_cannot_hold_is_said(files: Path, command: Command) -> None:
    lines = ["query,document,label,clock"]
    lines += [f"q{n // 60},d{n},{n // 20 % 2},{1_700_000_000 + n}" for n in range(360)]
    Path("clock.csv").write_text("\n".join(lines) + "\n", "utf-8")
    ranker = relyon.ltr.TreeRanker("squared_error", trees=10, min_rows=1, threads=1)
    ranker.fit(relyon.read_features("clock.csv")).save("clock.model")
    outcome = command("export", "clock.model", "-o", "clock.onnx", "--valid", "clock.csv")
    assert outcome.code == 0, outcome.err
    assert "single precision cannot tell apart" in outcome.err
    assert "(clock)" in outcome.err
    assert "the order changes in 6 of 6 queries" in outcome.err
    outcome = command("export", "clock.model", "-o", "clock.tl", "--valid", "clock.csv")
    assert "single precision" not in outcome.err
    assert "the order changes in 0 of 6 queries" in outcome.err


def test_nothing_is_replaced_unasked(model: Path, command: Command) -> None:
    Path("ranker.onnx").write_text("mine", "utf-8")
    outcome = command("export", "ranker.model", "-o", "ranker.onnx")
    assert outcome.code == 3
    assert "--force" in outcome.err
    assert Path("ranker.onnx").read_text("utf-8") == "mine"
    assert command("export", "ranker.model", "-o", "ranker.onnx", "--force").code == 0
    assert Path("ranker.onnx").read_bytes() != b"mine"
    before = model.read_bytes()
    outcome = command("export", "ranker.model", "-o", "ranker.model", "--format", "onnx", "--force")
    assert outcome.code == 2
    assert "one of the inputs" in outcome.err
    assert model.read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "code", "wanted"),
    [
        (("ranker.model", "-o", "ranker"), 2, "it can be exported as onnx (.onnx), treelite"),
        (("ranker.model", "-o", "a.onnx", "--format", "engine"), 2, "the format is engine"),
        (("ranker.model", "-o", "-"), 2, "a ranker cannot be written to stdout"),
        (("ranker.model",), 2, "-o"),
        (("absent.model", "-o", "a.onnx"), 3, "absent.model"),
        (("features.csv", "-o", "a.onnx"), 3, "features.csv: the file is not a saved ranker"),
        (("ranker.model", "-o", "a.onnx", "--valid", "absent.csv"), 3, "absent.csv"),
        (("ranker.model", "-o", "a.onnx", "--valid", "judgments.csv"), 3, "judgments.csv"),
    ],
)
def test_refusals(
    model: Path, command: Command, arguments: tuple[str, ...], code: int, wanted: str
) -> None:
    before = sorted(Path().iterdir())
    outcome = command("export", *arguments)
    assert outcome.code == code
    assert wanted in outcome.err
    assert "Traceback" not in outcome.err
    assert sorted(Path().iterdir()) == before


def test_a_model_that_was_cut_off_or_is_of_another_version(model: Path, command: Command) -> None:
    data = model.read_bytes()
    Path("cut.model").write_bytes(data[: len(data) // 2])
    outcome = command("export", "cut.model", "-o", "a.onnx")
    assert outcome.code == 3
    assert "cut.model: the file is not a saved ranker, or is truncated or modified" in outcome.err
    with zipfile.ZipFile(model) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    parts["model.json"] = json.dumps(json.loads(parts["model.json"]) | {"version": 9}).encode()
    with zipfile.ZipFile("new.model", "w") as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    outcome = command("export", "new.model", "-o", "a.onnx")
    assert outcome.code == 3
    assert "is a ranker of format 9" in outcome.err
    assert not Path("a.onnx").exists()
