"""`relyon train` and `relyon rank`: files, forms, refusals."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from tests.unit.conftest import Command
from tests.unit.trained import rows_of, write_features

import relyon
import relyon.ltr

TRAIN = (
    *("train", "features.csv", "-o", "ranker.model", "--threads", "1"),
    *("-p", "trees=5", "-p", "min_rows=3", "--folds", "3"),
)


@pytest.fixture
def rows(files: Path) -> Path:
    """The files that the commands read: 12 queries of 5 documents, and as many others."""
    for seed, name in enumerate(("features.csv", "heldout.csv")):
        write_features(rows_of(queries=12, size=5, seed=seed), files / name)
    return files


def test_every_output_is_written(rows: Path, command: Command) -> None:
    outputs = ("--run", "held.run", "--card", "card.json", "--report", "page.md")
    outcome = command(*TRAIN, *outputs, "--format", "json")
    assert outcome.code == 0, outcome.err
    told = json.loads(outcome.out)
    card = json.loads(Path("card.json").read_text("utf-8"))
    assert told["card"] == card
    assert card["parameters"]["trees"] == 5
    assert card["split"] == "folds=3"
    assert Path("page.md").read_text("utf-8").startswith("# Training of lambdamart")
    run = relyon.read_run("held.run")
    assert len(run) == 60
    again = relyon.ltr.load("ranker.model")
    assert again.data_["queries"] == 12


@pytest.mark.parametrize(
    ("form", "language"), [("table", "zh"), ("markdown", "en"), ("csv", "zh"), ("json", "en")]
)
def test_every_form_in_both_languages(
    rows: Path, command: Command, form: str, language: str
) -> None:
    outcome = command(*TRAIN, "--format", form, "--lang", language)
    assert outcome.code == 0, outcome.err
    assert "ndcg@10" in outcome.out
    assert "nan" not in outcome.out.lower()


def test_nothing_is_replaced_unasked(rows: Path, command: Command) -> None:
    for name in ("ranker.model", "held.run"):
        Path(name).write_text("mine", "utf-8")
        outcome = command(*TRAIN, "--run", "held.run")
        assert outcome.code == 3
        assert "--force" in outcome.err
        assert Path(name).read_text("utf-8") == "mine"
        Path(name).unlink()
    Path("ranker.model").write_text("mine", "utf-8")
    assert command(*TRAIN, "--force").code == 0
    assert Path("ranker.model").read_bytes() != b"mine"


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        (("-p", "trees"), "`-p trees` is not NAME=VALUE"),
        (("-p", "seed=3"), "`seed` has its own option: --seed"),
        (("--card", "ranker.model"), "two outputs have the same name"),
        (("--report", "page.pdf"), "`page.pdf` ends in neither"),
        (("--ranker", "lambda"), "lambda"),
        (("-m", "ndgc"), "ndgc"),
        (("--segments", "queries.tsv"), "expected the columns query and segment"),
    ],
)
def test_what_cannot_be_is_refused_before_training(
    rows: Path, command: Command, arguments: tuple[str, ...], wanted: str
) -> None:
    outcome = command(*TRAIN, *arguments)
    assert outcome.code in {2, 3}
    assert wanted in outcome.err
    assert not Path("ranker.model").exists()


def test_a_ranker_is_not_written_to_stdout_nor_over_its_data(rows: Path, command: Command) -> None:
    outcome = command("train", "features.csv", "-o", "-")
    assert outcome.code == 2
    assert "stdout" in outcome.err
    outcome = command("train", "features.csv", "-o", "features.csv", "--force")
    assert outcome.code == 2
    assert "one of the inputs" in outcome.err


def test_held_out_rows_in_place_of_folds(rows: Path, command: Command) -> None:
    outcome = command(*TRAIN[:-2], "--valid", "heldout.csv", "--baseline", "none")
    assert outcome.code == 0
    assert "12 queries are in the training data and in the held-out data" in outcome.err
    assert "no baseline was trained" in outcome.out


def test_a_run_is_that_of_the_ranker(rows: Path, command: Command) -> None:
    assert command(*TRAIN).code == 0
    outcome = command("rank", "ranker.model", "heldout.csv", "-o", "new.run", "--force")
    assert outcome.code == 0
    assert "60 documents of 12 queries, ranked by ranker" in outcome.err
    held = relyon.read_features("heldout.csv")
    expected = relyon.ltr.load("ranker.model").rank(held)
    assert relyon.read_run("new.run").to_dict() == expected.to_dict()
    printed = command("rank", "ranker.model", "heldout.csv")
    assert len(printed.out.splitlines()) == 60


def test_rows_without_documents_are_numbered(rows: Path, command: Command) -> None:
    lines = [f"{n % 3} qid:{n // 5} 1:{n % 3 + n / 99} 2:{n % 7}\n" for n in range(60)]
    Path("letor.txt").write_text("".join(lines), "utf-8")
    assert command("train", "letor.txt", *TRAIN[2:], "--run", "held.run").code == 0
    assert set(relyon.read_run("held.run").to_dict()["11"]) == {"1", "2", "3", "4", "5"}
    outcome = command("rank", "ranker.model", "letor.txt")
    assert outcome.code == 0
    assert "numbered 1, 2, …" in outcome.err
    assert sorted(line.split()[2] for line in outcome.out.splitlines()[:5]) == list("12345")


def test_other_features_are_refused(rows: Path, command: Command) -> None:
    assert command(*TRAIN).code == 0
    header, *lines = Path("heldout.csv").read_text("utf-8").splitlines()
    other = "\n".join([header.replace("bm25", "tfidf"), *lines])
    Path("other.csv").write_text(other + "\n", "utf-8")
    outcome = command("rank", "ranker.model", "other.csv")
    assert outcome.code == 3
    assert "bm25" in outcome.err


def test_why_adds_up_on_the_command_line(rows: Path, command: Command) -> None:
    assert command(*TRAIN).code == 0
    why = ("rank", "ranker.model", "heldout.csv", "--why", "d1", "d2", "--query-id", "q03")
    found = json.loads(command(*why, "--format", "json").out)
    total = sum(one["difference"] for one in found["reasons"])
    assert total == pytest.approx(found["difference"], abs=1e-12)
    assert "q03: d1" in command(*why).out
    assert "q03" in command(*why, "--lang", "zh").out
    outcome = command(*why[:-2])
    assert outcome.code == 2
    assert "--why and --query-id go together" in outcome.err
    assert command(*why[:-1], "q77").code == 2


def test_a_run_of_another_file_is_no_model(rows: Path, command: Command) -> None:
    outcome = command("rank", "features.csv", "heldout.csv")
    assert outcome.code == 3
    assert "features.csv" in outcome.err


@pytest.mark.parametrize("measure", ["rr@10", "ap", "ndcg@5", "ndcg(gain=exp)@10", "pnr"])
def test_the_default_is_trained_for_what_is_reported(
    rows: Path, measure: str, command: Command
) -> None:
    """The check finds no difference between the default objective and a measure: there is none."""
    wanted = ("-m", measure, "--scale", "search", "--format", "json")
    found = json.loads(command("train", "features.csv", "--check-only", *wanted).out)
    names = {one["kind"] for one in found["findings"]}
    assert not names & {"objective-differs", "gain-differs", "truncation-differs"}


def test_a_scale_decides_what_is_relevant_in_training_too(rows: Path, command: Command) -> None:
    wanted = ("-m", "rr@10", "--scale", "search", "--card", "card.json", "--run", "held.run")
    assert command(*TRAIN, *wanted).code == 0
    card = json.loads(Path("card.json").read_text("utf-8"))
    assert card["loss"] == "lambdarank(measure=rr(rel=2)@10,ties=drawn)"
    again = relyon.evaluate(
        relyon.read_judgments("features.csv", columns={"grade": "label"}),
        relyon.read_run("held.run"),
        ["rr(rel=2)@10"],
        convention={"ties": "expected"},
    )
    assert again["rr(rel=2)@10"] == pytest.approx(card["held_out"]["value"], abs=1e-12)


def test_a_check_trains_nothing(rows: Path, command: Command) -> None:
    write_features(rows_of(), rows / "features.csv")
    lines = Path("features.csv").read_text("utf-8").splitlines()
    told = [lines[0] + ",copy", *(f"{line},{line.split(',')[2]}" for line in lines[1:])]
    Path("leaky.csv").write_text("\n".join(told) + "\n", "utf-8")
    outcome = command("train", "leaky.csv", "--check-only", "--format", "json")
    assert outcome.code == 0, outcome.err
    assert "copy" in outcome.out
    assert "copy" not in command("train", "features.csv", "--check-only").out
    outcome = command(
        "train", "features.csv", "--check-only", "--valid", "features.csv", "--lang", "zh"
    )
    assert outcome.code == 0
    assert "features.csv" in outcome.out
    outcome = command("train", "features.csv")
    assert outcome.code == 2
    assert "-o is missing" in outcome.err


def test_queries_that_files_only_number_are_not_shared(command: Command, files: Path) -> None:
    """Without `qid:` both files number theirs from 0, which says nothing about the queries."""
    draw = random.Random(5)
    for name in ("rows", "held", "seen"):
        lines = [
            f"{label} 1:{label + draw.gauss(0, 1):.4f} 2:{draw.random():.4f}\n"
            for _ in range(24)
            for label in (0, 1, 2, 0)
        ]
        (files / f"{name}.svm").write_text("".join(lines))
    (files / "sizes").write_text("4\n" * 24)
    fixed = ("-o", "x.model", "-p", "trees=5", "--groups", "sizes", "--baseline", "none", "--force")
    held = ("--valid", "held.svm", "--valid-groups", "sizes")
    watch = ("--stop", "2", "--watch-groups", "sizes", "--watch")
    outcome = command("train", "rows.svm", *fixed, *held, *watch, "seen.svm")
    assert outcome.code == 0, outcome.err
    assert "watched and held out" not in outcome.err
    same = command("train", "rows.svm", *fixed, *held, *watch, "held.svm")
    assert same.code == 3
    assert "both watched and held out" in same.err


def test_a_file_without_the_last_features_is_ranked(command: Command, files: Path) -> None:
    """LETOR leaves zeros out; of another width on the other side nothing is known."""
    draw = random.Random(6)
    rows = [
        f"{n % 3} qid:{n // 6} " + " ".join(f"{k}:{draw.random() + n % 3:.3f}" for k in (1, 2, 3))
        for n in range(120)
    ]
    (files / "rows.letor").write_text("\n".join(rows) + "\n")
    narrow = [row.rsplit(" ", 1)[0] for row in rows[:12]]
    (files / "narrow.letor").write_text("\n".join(narrow) + "\n")
    zeros = [f"{row} 3:0" for row in narrow]
    (files / "zeros.letor").write_text("\n".join([*zeros[:-1], f"{narrow[-1]} 3:1e-30"]) + "\n")
    fixed = ("-o", "x.model", "-p", "trees=5", "--baseline", "none")
    assert command("train", "rows.letor", *fixed).code == 0
    outcome = command("rank", "x.model", "narrow.letor")
    assert outcome.code == 0
    assert "no row has 1 feature of the ranker: taken as 0" in outcome.err
    assert outcome.out == command("rank", "x.model", "zeros.letor").out
