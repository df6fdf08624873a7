"""Months with few human grades: their mean from people's grades and a model's of all sessions."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from tests.unit.conftest import Command

import relyon
from relyon import InputError
from relyon.online.sampling import Sample

Grades = dict[str, dict[str, float]]


def month(seed: int = 0) -> tuple[Sample, Grades, Grades]:
    """A log of 600 sessions, people's grades of all its queries, and a model's."""
    random = np.random.default_rng(seed)
    rows = [
        (f"s{number}", f"q{min(int(random.exponential(60)), 299)}", place + 1, f"d{place}")
        for number in range(600)
        for place in range(3)
    ]
    first = {session: query for session, query, place, _ in rows if place == 1}
    log = pl.DataFrame(
        [(session, first[session], place, document) for session, _, place, document in rows],
        schema=["session", "query", "position", "doc"],
        orient="row",
    )
    people: Grades = {}
    model: Grades = {}
    for query in sorted(set(first.values())):
        grades = random.integers(0, 4, 3)
        moved = np.clip(grades + random.choice([-1, 0, 0, 0, 1], 3), 0, 3)
        people[query] = {f"d{n}": float(grade) for n, grade in enumerate(grades)}
        model[query] = {f"d{n}": float(grade) for n, grade in enumerate(moved)}
    sample = relyon.draw_sample(log, per_tier=100, cuts=[0.5], names=["head", "tail"], k=3)
    return sample, people, model


def few(sample: Sample, people: Grades, share: float) -> Grades:
    """People's grades of a random part of the sampled queries, with some of each tier."""
    queries = sample.sessions["query"].unique().sort().to_list()
    chosen = np.random.default_rng(1).random(len(queries)) < share
    return {query: people[query] for query, one in zip(queries, chosen, strict=True) if one}


def test_the_month_from_both_is_narrower_and_near_that_of_all_grades() -> None:
    sample, people, model = month()
    whole = relyon.monitor([relyon.create_round("2026-03", sample, people)])
    some = few(sample, people, 0.4)
    made = relyon.create_round("2026-03", sample, some, model_judgments=model)
    (found,) = relyon.monitor([made]).powered
    one = found.powered
    assert one.labelled < one.total == len(made.results)
    assert one.high - one.low < 0.9 * (one.classical[1] - one.classical[0])
    assert one.worth > one.labelled
    truth = whole.series("all", "common")[0].dcg.value
    assert one.low < truth < one.high
    assert not whole.powered


def test_strata_count_by_traffic() -> None:
    """With all sessions labelled, the mean is that of the design."""
    sample, people, model = month()
    made = relyon.create_round("2026-03", sample, people, model_judgments=model)
    found = relyon.monitor([made])
    point = found.series("all", "common")[0]
    assert found.powered[0].powered.alone == "census"
    assert found.powered[0].powered.estimate == pytest.approx(point.dcg.value)


def test_it_is_kept_with_the_round_and_shown(tmp_path: Path, command: Command) -> None:
    sample, people, model = month()
    sample.write(tmp_path / "sample.csv")
    for name, grades in (("people", few(sample, people, 0.4)), ("model", model)):
        relyon.write_judgments(relyon.Judgments.from_dict(grades), tmp_path / f"{name}.csv")
    rounds = str(tmp_path / "rounds")
    files = [str(tmp_path / f"{name}.csv") for name in ("sample", "people", "model")]
    added = command(
        "monitor", "add", rounds, "--month", "2026-03", "--sample", files[0],
        "--judgments", files[1], "--model-judgments", files[2],
    )  # fmt: skip
    assert added.code == 0, added.err
    made = relyon.create_round("2026-03", sample, few(sample, people, 0.4), model_judgments=model)
    expected = relyon.monitor([made]).powered[0]
    shown = command("monitor", "show", rounds)
    assert f"[{expected.powered.low:.3f}, {expected.powered.high:.3f}]" in shown.out
    assert "只用人工" in command("monitor", "show", rounds, "--lang", "zh").out
    content = json.loads(command("monitor", "show", rounds, "--format", "json").out)
    assert content["powered"] == json.loads(json.dumps([expected.to_dict()]))
    (tmp_path / "rounds" / "2026-03" / "model.csv").write_text("query,document,grade\n", "utf-8")
    with pytest.raises(InputError, match="changed"):
        relyon.read_rounds(rounds)


def test_queries_that_were_chosen_are_noticed() -> None:
    sample, people, model = month()
    mean = {query: sum(grades.values()) for query, grades in model.items()}
    best = sorted(mean, key=mean.__getitem__)[len(mean) // 2 :]
    some = {query: people[query] for query in best}
    made = relyon.create_round("2026-03", sample, some, model_judgments=model)
    with pytest.warns(relyon.RelyonWarning, match="not like a random sample"):
        found = relyon.monitor([made])
    assert "labelled-not-random" in [note.kind for note in found.notes]


def test_another_scale_is_refused() -> None:
    sample, people, model = month()
    shares = {q: {d: grade / 3 for d, grade in one.items()} for q, one in model.items()}
    with pytest.raises(InputError, match="not on the scale"):
        relyon.create_round("2026-03", sample, people, model_judgments=shares)
