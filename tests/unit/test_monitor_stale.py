"""How much of a month rests on grades of documents that changed."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from tests.unit.conftest import Command

import relyon
from relyon.online.monitoring.stale_evidence import stale_evidence


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Returns a folder with a sample, its judgments and the collection of then and of today."""
    own = tmp_path / "own"
    own.mkdir()
    rows = []
    for query, sessions in (("head", 8), ("tail", 2)):
        for one in range(sessions):
            for place in (1, 2):
                rows.append((f"{query}{one}", query, place, f"{query}-{place}"))
    log = pl.DataFrame(rows, schema=["session", "query", "position", "doc"], orient="row")
    sample = relyon.draw_sample(log, per_tier=2, cuts=[0.5], names=["head", "tail"], k=2)
    sample.write(own / "sample.csv")
    (own / "judged.csv").write_text(
        "query,document,grade\nhead,head-1,3\nhead,head-2,0\ntail,tail-1,1\ntail,tail-2,2\n",
        "utf-8",
    )
    then = {"head-1": "a", "head-2": "b", "tail-1": "c", "tail-2": "d"}
    for name, texts in (("then", then), ("today", then | {"head-2": "changed"})):
        frame = pl.DataFrame({"id": [*texts], "title": [*texts.values()]})
        frame.write_csv(own / f"{name}.csv")
    return own


def add(folder: Path, command: Command, *more: str) -> None:
    found = command(
        "monitor", "add", str(folder / "rounds"), "--month", "2026-03",
        "--sample", str(folder / "sample.csv"), "--judgments", str(folder / "judged.csv"), *more,
    )  # fmt: skip
    assert found.code == 0, found.err


def test_a_month_is_compared_with_today(folder: Path, command: Command) -> None:
    add(folder, command, "--documents", str(folder / "then.csv"))
    rounds = folder / "rounds"
    assert len(relyon.read_rounds(rounds)) == 1
    found = stale_evidence(rounds, folder / "today.csv")
    assert found.states["changed"] == 1
    # The changed document has grade 0: no gain, but half of the ranks of the head, discounted.
    rank = 0.6309297535714575
    assert found.value_shares == {"head": 0.0, "tail": 0.0, "all": 0.0}
    assert found.weight_shares["head"] == pytest.approx(rank / (1 + rank))
    # Two of eight sessions of the head stand for four each.
    assert found.weight_shares["all"] == pytest.approx(0.8 * rank / (1 + rank))
    shown = command("monitor", "show", str(rounds), "--documents", str(folder / "today.csv"))
    assert "2026-03: 1 of 4 judgments is of documents that changed or are gone" in shown.err
    assert "warning" in shown.err
    calm = command(
        "monitor", "show", str(rounds), "--documents", str(folder / "today.csv"),
        "--max-stale", "0.9", "--format", "json",
    )  # fmt: skip
    assert json.loads(calm.out)["stale_evidence"]["states"]["changed"] == 1
    gone = {"id": ["head-2"], "title": ["b"]}
    assert stale_evidence(rounds, pl.DataFrame(gone)).value_shares["all"] == 1.0


def test_rounds_without_fingerprints_say_so(folder: Path, command: Command) -> None:
    add(folder, command)
    shown = command(
        "monitor", "show", str(folder / "rounds"), "--documents", str(folder / "today.csv")
    )
    assert shown.code != 0
    assert "the round of 2026-03 has no fingerprints of its documents" in shown.err
    assert "monitor add --documents" in shown.err


def test_options_that_would_do_nothing_are_refused(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = command("monitor", "show", "rounds", "--anytime", "--documents", "today.csv")
    assert outcome.code == 2
    assert "--anytime does not show what rests on documents that changed" in outcome.err
    assert "leave --anytime out" in outcome.err
