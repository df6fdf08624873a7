"""The options for a model's grades beside people's: what commands print, write and refuse."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from tests.unit.conftest import Command

import relyon
from relyon.core.document.terminal import width


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, ...]:
    """People's judgments of 40 queries, two runs, and a model's judgments of 120."""
    folder = tmp_path_factory.mktemp("model")
    rng = np.random.default_rng(5)
    files: dict[str, list[str]] = {
        name: [] for name in ("people.qrels", "model.qrels", "old.run", "new.run")
    }
    for number in range(120):
        query = f"q{number:03d}"
        for document in range(5):
            grade = int(rng.integers(0, 4))
            noisy = int(np.clip(grade + rng.choice([-1, 0, 0, 0, 1]), 0, 3))
            row = f"{query} 0 d{document}"
            files["model.qrels"].append(f"{row} {noisy}")
            if number < 40:
                files["people.qrels"].append(f"{row} {grade}")
            for name, part in (("old.run", 0.2), ("new.run", 0.6)):
                score = part * grade + rng.normal()
                files[name].append(f"{query} Q0 d{document} 1 {score:.5f} x")
    for name, rows in files.items():
        (folder / name).write_text("\n".join(rows) + "\n", encoding="utf-8")
    (folder / "queries.csv").write_text(
        "query,tier\n" + "".join(f"q{n:03d},{'ab'[n % 2]}\n" for n in range(120)), encoding="utf-8"
    )
    people, model, old, new = (str(folder / name) for name in files)
    return (people, old, new, "-m", "dcg@3", "--model-judgments", model)


def expected(given: tuple[str, ...], **options: object) -> relyon.FewerGrades:
    """Returns what Python returns for the same files."""
    people, old, new, *_, model = given
    return relyon.prediction_powered(people, model, [old, new], "dcg@3", **options)  # type: ignore[arg-type]


def test_compare_adds_means_and_differences(given: tuple[str, ...], command: Command) -> None:
    outcome = command("compare", *given)
    assert outcome.code == 0
    one = expected(given).mean("dcg@3", "new.run", "old.run").powered
    assert f"[{one.low:+.4f}, {one.high:+.4f}]" in outcome.out
    assert outcome.out.startswith(command("compare", *given[:5]).out.rstrip("\n"))
    # Queries that only the model graded are expected.
    assert "without judgments" not in outcome.err
    assert command("compare", *given, "--strict").code == 0
    content = json.loads(command("compare", *given, "--format", "json").out)
    assert content["fewer_grades"] == json.loads(expected(given).to_json())
    rows = [*csv.DictReader(command("compare", *given, "--format", "csv").out.splitlines())]
    assert [row["worth"] != "" for row in rows] == [False, True, True, True]


def test_evaluate_adds_each_runs_own_means(given: tuple[str, ...], command: Command) -> None:
    text = command("evaluate", *given, "--format", "json").out
    first, end = json.JSONDecoder().raw_decode(text)
    assert [one["run"] for one in first["fewer_grades"]["means"]] == ["old.run"]
    assert json.loads(text[end:])["fewer_grades"]["means"][0]["run"] == "new.run"
    assert "new.run − old.run" not in command("evaluate", *given).out


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_section_fits_a_terminal(
    language: str, given: tuple[str, ...], command: Command
) -> None:
    outcome = command("evaluate", *given, "--lang", language)
    assert max(map(width, outcome.out.splitlines())) <= 80


def test_strata_are_a_column_of_the_queries(given: tuple[str, ...], command: Command) -> None:
    table = str(Path(given[0]).with_name("queries.csv"))
    options = ("--queries", table, "--sample-strata", "tier", "--format", "json")
    content = json.loads(command("compare", *given, *options).out)["fewer_grades"]
    found = expected(given, strata="tier", queries=table)
    assert content["means"][0]["value"] == found.means[0].powered.estimate


def test_names_of_the_scale_are_grades(given: tuple[str, ...], command: Command) -> None:
    names = {"0": "无", "1": "low", "2": "中", "3": "高"}
    shown = [
        command(
            "compare", *given, "--scale", "search", "--format", "json",
            *(f"--model-grade={grade}={own}" for grade, own in pairs),
        ).out
        for pairs in (names.items(), ((grade, grade) for grade in names))
    ]  # fmt: skip
    assert shown[0] == shown[1] != ""


def test_measures_that_are_no_means_are_left_out(given: tuple[str, ...], command: Command) -> None:
    outcome = command("compare", *given, "-m", "pnr")
    assert "pnr is not combined with a model's grades: it is not a mean" in outcome.err
    assert command("compare", *given[:3], "-m", "pnr", *given[5:]).code == 2


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--model-grade", "1=a"), "--model-grade 1=a is not a pair of grades"),
        (("--model-grade", "1=2", "--model-grade", "1=3"), "is not a pair of grades, or its"),
        (("--model-grade", "1=2"), "not mapped to people's: 0"),
        (("--format", "xlsx"), "--model-judgments and --format xlsx exclude each other"),
        (("--plan",), "--model-judgments and --plan exclude each other"),
        (("--sample-strata", "tier"), "columns tier are those of a table of queries"),
    ],
    ids=["text", "twice", "unmapped", "form", "plan", "table"],
)
def test_what_does_not_go_together_is_refused(
    options: tuple[str, ...], words: str, given: tuple[str, ...], command: Command
) -> None:
    outcome = command("compare", *given, *options)
    assert outcome.code == 2
    assert words in outcome.err


def test_options_of_a_model_need_one(given: tuple[str, ...], command: Command) -> None:
    outcome = command("compare", *given[:5], "--labelled", "judged")
    assert outcome.code == 2
    assert "--labelled needs --model-judgments" in outcome.err


def test_the_file_is_not_written_to(given: tuple[str, ...], command: Command) -> None:
    outcome = command("compare", *given, "-o", given[-1], "--format", "json")
    assert outcome.code == 2
    assert Path(given[-1]).read_text(encoding="utf-8").startswith("q000")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_report_has_a_section(
    language: str, given: tuple[str, ...], command: Command, tmp_path: Path
) -> None:
    path = tmp_path / "report.md"
    outcome = command("report", *given, "--lang", language, "-o", str(path))
    assert outcome.code == 0, outcome.err
    text = path.read_text(encoding="utf-8")
    one = expected(given).mean("dcg@3", "new.run", "old.run").powered
    assert ("## 少量人工标注" if language == "zh" else "## Few human grades") in text
    assert f"| {int(one.worth)} |" in text
    assert f"[{one.low:+.4f}, {one.high:+.4f}]".replace("-", "−") in text
