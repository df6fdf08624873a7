"""The options for questions without an answer: what commands print, write and refuse."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from tests.unit.conftest import Command

import relyon
from relyon.core.document.terminal import width

HERE = Path(__file__).resolve().parents[2] / "examples" / "no-answer"
JUDGMENTS, OLD, NEW, QUERIES = (
    str(HERE / name) for name in ("judgments.qrels", "old.run", "new.run", "queries.csv")
)
GIVEN = (JUDGMENTS, OLD, NEW, "-m", "rr@3", "--answerable", QUERIES)
pytestmark = pytest.mark.filterwarnings("ignore::relyon.RelyonWarning")


def found(**options: float) -> relyon.Abstention:
    """Returns what Python returns for the same files."""
    return relyon.abstention(JUDGMENTS, OLD, NEW, answerable=QUERIES, **options)  # type: ignore[arg-type]


def test_evaluate_adds_a_section_and_one_note(command: Command) -> None:
    outcome = command("evaluate", *GIVEN)
    assert outcome.code == 0
    for one in found().systems:
        assert f"{one.false_answer_rate.value:.4f} [" in outcome.out
    assert "minus old.run" not in outcome.out
    assert outcome.err.count("without an answer left out of ranking measures") == 1
    assert "without judgments" not in outcome.err
    plain = command("evaluate", *GIVEN[:5])
    assert outcome.out.startswith(plain.out.rstrip("\n"))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_section_fits_a_terminal(language: str, command: Command) -> None:
    outcome = command("evaluate", *GIVEN, "--base-rate", "0.1", "--lang", language)
    assert max(map(width, outcome.out.splitlines())) <= 80


def test_evaluate_as_data(command: Command) -> None:
    text = command("evaluate", *GIVEN, "--base-rate", "0.1", "--format", "json").out
    first, end = json.JSONDecoder().raw_decode(text)
    expected = found(base_rate=0.1)
    assert first["run"] == "old.run"
    assert first["measures"]["rr@3"]["value"] == pytest.approx(0.84375)
    assert first["no_answer"]["systems"] == [
        json.loads(json.dumps(expected.system("old.run").to_dict()))
    ]
    assert json.loads(text[end:])["no_answer"]["systems"][0]["system"] == "new.run"
    rows = [*csv.DictReader(command("evaluate", *GIVEN, "--format", "csv").out.splitlines())]
    values = {(row["run"], row["measure"]): row for row in rows}
    one = found().system("new.run")
    assert float(values["new.run", "coverage"]["low"]) == one.coverage.low
    assert float(values["new.run", "rr@3"]["value"]) == pytest.approx(0.95833, abs=1e-5)
    assert values["new.run", "risk"]["low"] == ""
    markdown = command("evaluate", *GIVEN, "--format", "markdown").out
    assert "| run | AUROC | risk area | best |" in markdown


def test_stored_results_can_be_compared(command: Command, tmp_path: Path) -> None:
    files = []
    for run in (OLD, NEW):
        files.append(str(tmp_path / f"{Path(run).stem}.json"))
        stored = (JUDGMENTS, run, "-m", "rr@3", "--answerable", QUERIES, "-q")
        assert command("evaluate", *stored, "--format", "json", "-o", files[-1]).code == 0
    outcome = command("compare", *files)
    assert outcome.code == 0
    assert "+0.1146" in outcome.out
    refused = command("compare", *files, "--answerable", QUERIES)
    assert refused.code != 0
    assert "--answerable" in refused.err


def test_compare_pairs_systems(command: Command) -> None:
    outcome = command("compare", *GIVEN)
    assert "Each at its own threshold, minus old.run" in outcome.out
    assert outcome.err.count("without an answer left out of ranking measures") == 1
    content = json.loads(command("compare", *GIVEN, "--format", "json").out)
    expected = json.loads(json.dumps([one.to_dict() for one in found().contrasts]))
    assert content["no_answer"]["contrasts"] == expected
    rows = [*csv.DictReader(command("compare", *GIVEN, "--format", "csv").out.splitlines())]
    right = next(row for row in rows if row["measure"] == "right_answers")
    one = found().contrasts[2]
    assert right["verdict"] == one.verdict
    assert float(right["interval_low"]) == one.low
    assert float(right["candidate_mean"]) == one.candidate_value
    assert rows[0]["measure"] == "rr@3"


def test_compare_takes_its_settings(command: Command) -> None:
    options = ("--alpha", "0.001", "--correction", "none", "--confidence", "0.8")
    content = json.loads(command("compare", *GIVEN, *options, "--format", "json").out)
    expected = relyon.abstention(
        JUDGMENTS, OLD, NEW, answerable=QUERIES, alpha=0.001, correction="none", confidence=0.8
    )
    shown = content["no_answer"]["contrasts"]
    assert shown == json.loads(json.dumps([one.to_dict() for one in expected.contrasts]))


@pytest.mark.parametrize(
    ("options", "python"),
    [
        (("--target-false-answers", "0.25"), {"target": 0.25}),
        (("--false-answer-cost", "3"), {"cost": 3.0}),
        (("--threshold", "0.7"), {"threshold": 0.7}),
        (("--right-within", "3"), {"k": 3}),
    ],
    ids=["target", "cost", "threshold", "k"],
)
def test_options(command: Command, options: tuple[str, ...], python: dict[str, float]) -> None:
    content = json.loads(command("compare", *GIVEN, *options, "--format", "json").out)
    expected = [one.to_dict() for one in found(**python).systems]
    assert content["no_answer"]["systems"] == json.loads(json.dumps(expected))


def test_thresholds_from_another_file(command: Command, tmp_path: Path) -> None:
    heading, *lines = Path(QUERIES).read_text("utf-8").splitlines()
    files = [tmp_path / "tune.csv", tmp_path / "test.csv"]
    for place, file in enumerate(files):
        file.write_text("\n".join([heading, *lines[place::2]]) + "\n", encoding="utf-8")
    outcome = command(
        "compare", *GIVEN[:5], "--answerable", str(files[1]), "--threshold-from", str(files[0])
    )
    assert outcome.code == 0
    assert "chosen on other queries, which are not reported" in outcome.out
    assert "24 answerable queries, 12 unanswerable queries" in outcome.out
    # All of them, tuned on or not, have no relevant document.
    assert "24 queries without an answer left out of ranking measures" in outcome.err


def test_columns_with_confidence(command: Command, tmp_path: Path) -> None:
    table = tmp_path / "queries.csv"
    lines = Path(QUERIES).read_text("utf-8").splitlines()[1:]
    rows = [f"{line},{int(line.endswith('yes'))},{place}" for place, line in enumerate(lines)]
    table.write_text("\n".join(["query,answerable,sure,place", *rows]) + "\n", encoding="utf-8")
    given = (*GIVEN[:5], "--answerable", str(table))
    both = ("--answer-score", "old.run=sure", "--answer-score", "new.run=place")
    systems = json.loads(command("compare", *given, *both, "--format", "json").out)["no_answer"]
    assert [one["auroc"]["value"] for one in systems["systems"]] == [1.0, 0.0]
    refused = command("compare", *given, "--answer-score", "sure")
    assert "names no run, and there are 2" in refused.err
    alone = (JUDGMENTS, OLD, "--answerable", str(table), "--answer-score", "sure")
    assert "1.0000 [" in command("evaluate", *alone).out


@pytest.mark.parametrize("form", ["trec", "latex", "jsonl", "xlsx"])
def test_forms_without_it(command: Command, form: str) -> None:
    outcome = command("evaluate", *GIVEN, "--format", form, "-o", "out")
    assert outcome.code != 0
    assert f"--answerable and --format {form} exclude each other" in outcome.err
    assert not Path("out").exists()


def test_what_does_not_go_together(command: Command) -> None:
    alone = command("compare", *GIVEN[:5], "--base-rate", "0.1")
    assert "--base-rate is for queries without an answer" in alone.err
    rules = ("--threshold", "1", "--false-answer-cost", "2")
    assert "one rule chooses the threshold" in command("evaluate", *GIVEN, *rules).err
    assert "--intervals exclude each other" in command("evaluate", *GIVEN, "--intervals").err
    assert "--plan exclude each other" in command("compare", *GIVEN, "--plan").err
    for outcome in (alone, command("evaluate", *GIVEN, *rules)):
        assert outcome.code != 0
        assert not outcome.out


def test_strict(command: Command) -> None:
    """Queries without an answer are no reason to fail; other warnings are."""
    assert command("evaluate", *GIVEN, "--strict").code == 0
    assert command("compare", *GIVEN, "--strict").code == 0
    target = ("--target-false-answers", "0.01")
    for name in ("evaluate", "compare"):
        outcome = command(name, *GIVEN, "--strict", *target)
        assert outcome.code == 1
        assert not outcome.out
        assert "no threshold keeps a target of 1%" in outcome.err


def test_inputs_are_not_written_over(command: Command, tmp_path: Path) -> None:
    table = tmp_path / "queries.csv"
    table.write_bytes(Path(QUERIES).read_bytes())
    given = (*GIVEN[:5], "--answerable", str(table), "--format", "csv", "-o", str(table))
    assert command("evaluate", *given).code != 0
    assert table.read_bytes() == Path(QUERIES).read_bytes()


def test_errors_name_file_and_line(command: Command, tmp_path: Path) -> None:
    table = tmp_path / "queries.csv"
    table.write_text("query,answerable\nq01,yes\nq49,perhaps\n", encoding="utf-8")
    outcome = command("evaluate", *GIVEN[:5], "--answerable", str(table))
    assert outcome.code != 0
    assert "queries.csv:3: the query `q49` has the value `perhaps`" in outcome.err


def test_in_chinese(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RELYON_LANG", "zh")
    outcome = command("compare", *GIVEN)
    assert "48 条有答案的查询，24 条无答案的查询" in outcome.out
    assert "不计入排序指标" in outcome.err
