"""A measure of one's own of which lower values are better."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import relyon
from relyon.analysis.comparison.contrast import gain_sign
from relyon.measures.lookup import registry
from relyon.report.queries import extremes

Command = Callable[..., Any]

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "bad_share.py"
QUERIES = [f"q{n:02}" for n in range(12)]
MEASURE = "bad_share@2"


@pytest.fixture
def runs(files: Path) -> Path:
    """`good.run` has fewer bad results than `bad.run` on all of twelve queries but q03."""
    shutil.copy(EXAMPLE, files / "own.py")
    judged = "".join(f"{q} 0 a 3\n{q} 0 b 0\n{q} 0 c 1\n{q} 0 d 0\n" for q in QUERIES)
    (files / "j.qrels").write_text(judged, "utf-8")
    for name, order in {"good": "acbd", "bad": "bdac"}.items():
        lines = [
            f"{q} Q0 {document} {rank} {9 - rank} {name}\n"
            for q in QUERIES
            for rank, document in enumerate(
                order if q != "q03" else {"good": "bcad", "bad": "acbd"}[name], 1
            )
        ]
        (files / f"{name}.run").write_text("".join(lines), "utf-8")
    return files


def compare(command: Command, first: str, second: str, *options: str) -> Any:
    return command(
        "compare", "j.qrels", f"{first}.run", f"{second}.run", "-m", MEASURE,
        "--plugin", "own.py", *options,
    )  # fmt: skip


def contrast(command: Command, first: str, second: str) -> dict[str, Any]:
    found = json.loads(compare(command, first, second, "--format", "json").out)
    return dict(found["contrasts"][0])


def test_a_fall_is_better_and_keeps_its_sign(command: Command, runs: Path) -> None:
    found = contrast(command, "bad", "good")
    # 11 queries go from 1 to 0, q03 from 0 to 1/2.
    assert found["difference"] == pytest.approx((-11 + 0.5) / 12)
    assert (found["verdict"], found["wins"], found["ties"], found["losses"]) == ("better", 11, 0, 1)
    back = contrast(command, "good", "bad")
    assert back["difference"] == pytest.approx(-found["difference"])
    assert (back["verdict"], back["wins"], back["losses"]) == ("worse", 1, 11)


def test_the_table_says_so(command: Command, runs: Path) -> None:
    table = compare(command, "bad", "good").out
    row = next(line for line in table.splitlines() if line.startswith(MEASURE))
    assert row.endswith("▲")
    assert f"improved most on {MEASURE}: q00 -1.0000" in table
    assert f"worsened most on {MEASURE}: q03 +0.5000" in table
    assert f"Lower is better: {MEASURE}" in " ".join(table.split())
    marks = compare(command, "bad", "good", "--format", "markdown").out
    assert "**0.0417**" in marks
    assert "**0.9167**" not in marks


def test_latex_prints_the_lowest_in_bold(command: Command, runs: Path) -> None:
    for order in (("bad", "good"), ("good", "bad")):
        page = compare(command, *order, "--format", "latex").out
        bold = next(line for line in page.splitlines() if r"\textbf" in line)
        letter = "ab"[order.index("bad")]
        assert rf"& good.run & \textbf{{0.0417}}\textsuperscript{{{letter}}}" in bold
        assert page.count(r"\textbf") == 1
        assert r"Lower is better: bad\_share@2." in page


def test_tukeys_superscripts_are_at_the_lower_run(command: Command, runs: Path) -> None:
    shutil.copy(runs / "bad.run", runs / "third.run")
    page = compare(command, "bad", "good", "third.run", "--test", "tukey", "--format", "latex").out
    letters = {
        line.split(" & ")[1]: line.count("textsuperscript")
        for line in page.splitlines()
        if " & " in line
    }
    assert (letters["bad.run"], letters["good.run"], letters["third.run"]) == (0, 1, 0)


def test_the_gate_fails_on_a_rise_only(command: Command, runs: Path) -> None:
    assert compare(command, "bad", "good", "--fail-if-worse", MEASURE).code == 0
    failed = compare(command, "good", "bad", "--fail-if-worse", MEASURE)
    assert failed.code == 1
    assert "bad.run is worse than good.run on bad_share@2: 0.0417 → 0.9167" in failed.err
    assert "11 of 12 queries lost" in failed.err
    assert "q03" not in failed.err.split("hint:")[1]


@pytest.mark.parametrize(
    ("language", "headline", "worst", "best"),
    [
        ("en", "lower, which is better", "lost most with good.run", "gained most with good.run"),
        ("zh", "数值降低，即变好", "good.run 变差最多", "good.run 变好最多"),
    ],
)
def test_the_report_says_so(
    command: Command, runs: Path, language: str, headline: str, worst: str, best: str
) -> None:
    page = command(
        "report", "j.qrels", "bad.run", "good.run", "-m", MEASURE, "--plugin", "own.py",
        "--format", "markdown", "-o", "-", "--lang", language,
    ).out  # fmt: skip
    summary = next(line for line in page.splitlines() if line.startswith("- ▲ bad_share@2"))
    assert headline in summary
    lost, gained = page.split(worst)[1].split(best)
    assert "### ▼ q03" in lost
    assert "### ▲ q00" not in lost
    assert "### ▲ q00" in gained
    assert "11 / 0 / 1" in page


def test_explain_names_the_queries_that_changed_for_the_worse(command: Command, runs: Path) -> None:
    options = ("-m", MEASURE, "--plugin", "own.py")
    hint = command("explain", "j.qrels", "bad.run", "good.run", *options).err
    assert "worsened most: `q03` (+0.5000)" in hint
    assert "improved most: `q" in hint
    alone = command("explain", "j.qrels", "good.run", *options).err
    assert "these have the highest bad_share@2: `q03` (0.5000)" in alone


def test_extremes_follow_the_sign() -> None:
    deltas = {"a": 0.5, "b": -0.25, "c": 0.0, "d": 0.75}
    assert extremes(deltas, 1, -1) == ({"d": 0.75}, {"b": -0.25})


def test_which_built_in_measures_are_lower_is_better() -> None:
    lower = {name for name in registry if registry.get(name).better == "lower"}
    assert {"rbp_residual", "unjudged"} <= lower
    quality = {name for name in lower if registry.get(name).describes == "quality"}
    assert quality == {"redundancy"}
    assert gain_sign("revenue") == 1
    assert gain_sign("ndcg@10") == 1
    assert relyon.measure("ndcg").better == "higher"
