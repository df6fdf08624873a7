"""Labels with a known examination: by hand, without bias in simulated logs, from files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray
from tests.unit.test_position_bias import log_of, simulate

from relyon.core.errors import InputError, ParameterError
from relyon.labels import estimate_bias, make_labels, models, read_bias
from relyon.labels.click_models.ips import IPS
from relyon.labels.click_models.ratio import Ratio
from relyon.labels.click_models.snips import SNIPS
from relyon.labels.correction import Corrected

THETA = {1: 1.0, 2: 0.5, 3: 0.1}

#: Document a: 4 times at 1, clicked twice; 10 times at 3, clicked once. b: 10 times at 2, 3 clicks.
LOG = [
    ("q", "a00", (1, 0, 0), 2),
    ("q", "a00", (0, 0, 0), 2),
    ("q", "0ba", (0, 1, 0), 3),
    ("q", "0ba", (0, 0, 1), 1),
    ("q", "0ba", (0, 0, 0), 6),
]


def grades(model: Corrected) -> dict[str, float]:
    return dict(make_labels(log_of(LOG), model).judgments["q"])


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        (Ratio, {"a": (1 + 3) / (2 + 4 + 10 * 0.1), "b": (1 + 3) / (2 + 10 * 0.5)}),
        # Clipped at 0.1, which clips nothing here.
        (IPS, {"a": (1 + 2 + 10) / (2 + 14), "b": (1 + 6) / (2 + 10)}),
        (SNIPS, {"a": (1 + 2 + 10) / (2 + 14), "b": (1 + 6) / (2 + 10)}),
    ],
)
def test_by_hand(model: type[Corrected], expected: dict[str, float]) -> None:
    assert grades(model(examination=THETA)) == pytest.approx(expected)


def test_clipping_by_hand() -> None:
    # Clicks at 3 weigh 4 in place of 10: too little for IPS; SNIPS divides by 4 + 10 · 0.4.
    ips, snips = (model(examination=THETA, clip=0.25) for model in (IPS, SNIPS))
    assert grades(ips)["a"] == pytest.approx((1 + 2 + 4) / (2 + 14))
    assert grades(snips)["a"] == pytest.approx((1 + 2 + 4) / (2 + 4 + 10 * 0.4))


def test_weights_of_one_are_those_of_rates() -> None:
    """Where every position is seen, an effective impression is an impression."""
    seen = dict.fromkeys(THETA, 1.0)
    rates = make_labels(log_of(LOG), "dctr").labels
    for model in (Ratio, IPS, SNIPS):
        found = make_labels(log_of(LOG), model(examination=seen)).labels
        for column in ("grade", "low", "high", "weight"):
            assert found[column].to_list() == pytest.approx(rates[column].to_list())


def test_what_is_cut_stays_uncertain() -> None:
    log = log_of([("q", "00a", (0, 0, 1), 10)])
    for model in (Ratio, IPS, SNIPS):
        (label,) = make_labels(log, model(examination=THETA)).labels.rows(named=True)
        assert label["low"] < label["grade"] < label["high"]


@pytest.mark.parametrize("name", ["ratio", "ips", "snips"])
def test_positions_of_unknown_examination_are_left_out(name: str) -> None:
    model = models.get(name)(examination={1: 1.0, 2: 0.5})  # type: ignore[call-arg]
    with pytest.warns(UserWarning, match="10 impressions at positions of unknown examination"):
        found = make_labels(log_of(LOG), model)
    assert [note.kind for note in found.notes] == ["clicks-unknown-examination"]
    assert found.judgments["q"]["a"] == pytest.approx((1 + 2) / (2 + 4))


@pytest.mark.parametrize("name", ["ratio", "ips", "snips"])
def test_the_truth_is_found_where_rates_are_wrong(name: str) -> None:
    """Documents are ranked by what they are worth, so that rates mix up the two."""
    truth = 1 / np.arange(1, 7) ** 0.8
    frame, attracts = ranked(20_000, truth)
    found, naive = (errors(make_labels(frame, model).labels, attracts) for model in (name, "dctr"))
    assert np.abs(found).max() < 0.06
    assert np.abs(found).mean() < 0.02
    assert np.abs(naive).max() > 0.2


@pytest.mark.long
@pytest.mark.parametrize("name", ["ratio", "ips", "snips"])
def test_intervals_cover(name: str) -> None:
    truth = 1 / np.arange(1, 7) ** 0.8
    inside = []
    for seed in range(30):
        frame, attracts = ranked(3_000, truth, seed)
        known = dict(enumerate(truth.tolist(), 1))
        model = models.get(name)(examination=known)  # type: ignore[call-arg]
        labels = make_labels(frame, model).labels.sort("query", "document")
        real = true_values(labels, attracts)
        inside += (
            (labels["low"].to_numpy() <= real) & (real <= labels["high"].to_numpy())
        ).tolist()
    # 30 logs of 5 queries with 8 documents each: four standard errors below 0.95.
    assert np.mean(inside) > 0.95 - 4 * np.sqrt(0.95 * 0.05 / len(inside))


def ranked(
    sessions: int, examination: NDArray[np.float64], seed: int = 0
) -> tuple[pl.DataFrame, NDArray[np.float64]]:
    """A log of five queries, better documents mostly further up, and what attracts."""
    generator = np.random.default_rng(seed)
    depth = len(examination)
    attracts = np.linspace(0.05, 0.8, depth + 2) * np.ones((5, 1))
    query = generator.integers(5, size=sessions)
    score = np.log(attracts)[query] + generator.gumbel(size=(sessions, depth + 2))
    documents = np.argsort(-score, axis=1)[:, :depth]
    chances = examination * np.take_along_axis(attracts[query], documents, axis=1)
    frame = pl.DataFrame(
        {
            "session": np.repeat(np.arange(sessions), depth),
            "query": np.repeat(query, depth),
            "doc": documents.ravel(),
            "position": np.tile(np.arange(1, depth + 1), sessions),
            "clicked": (generator.random(documents.shape) < chances).ravel(),
        }
    )
    return frame, attracts


def true_values(labels: pl.DataFrame, attracts: NDArray[np.float64]) -> NDArray[np.float64]:
    places = labels.select(pl.col("query", "document").cast(pl.Int64)).to_numpy()
    found: NDArray[np.float64] = attracts[places[:, 0], places[:, 1]]
    return found


def errors(labels: pl.DataFrame, attracts: NDArray[np.float64]) -> NDArray[np.float64]:
    found: NDArray[np.float64] = labels["grade"].to_numpy() - true_values(labels, attracts)
    return found


# Files


def test_a_file_of_labels_bias_is_what_was_found(tmp_path: Path) -> None:
    found = estimate_bias(simulate(500, 10, np.array([1.0, 0.6, 0.4])))
    path = tmp_path / "bias.json"
    path.write_text(found.to_json(), "utf-8")
    assert read_bias(path) == found.examination


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[1, 2]",
        '{"1": "x"}',
        '{"1": 0}',
        '{"1": true}',
        '{"first": 1}',
        '{"0": 1}',
        "NaN",
        "\x80",
    ],
)
def test_files_that_hold_no_bias(tmp_path: Path, text: str) -> None:
    path = tmp_path / "bias.json"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(InputError, match="expected a JSON object of positions"):
        read_bias(path)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_bias(tmp_path / "none.json")


@pytest.mark.parametrize("wrong", [{0: 1.0}, {1: 0.0}, {1: float("nan")}, {1: float("inf")}])
def test_examinations_that_are_none(wrong: dict[int, float]) -> None:
    with pytest.raises(ParameterError, match="a positive number for each position"):
        Ratio(examination=wrong)


@pytest.mark.parametrize("clip", [0, 1.5, float("nan")])
def test_clips_that_are_none(clip: float) -> None:
    with pytest.raises(ParameterError, match="clip"):
        IPS(clip=clip)


def test_the_command(tmp_path: Path, command: Any) -> None:
    log, bias, labels = (str(tmp_path / name) for name in ("log.csv", "bias.json", "labels.csv"))
    frame = log_of(LOG).with_columns(pl.col("clicked").cast(pl.Int8))
    frame.write_csv(log)
    Path(bias).write_text(json.dumps(THETA), "utf-8")
    outcome = command("labels", "make", log, "--model", "ratio", "--bias", bias, "-o", labels)
    assert outcome.code == 0, outcome.err
    found = pl.read_csv(labels)
    assert dict(found.select("document", "grade").rows())["a"] == pytest.approx(4 / 7)
    refused = command(
        "labels", "make", log, "--model", "dbn", "--bias", bias, "-o", labels, "--force"
    )
    assert refused.code == 2
    assert "does not take --bias" in refused.err
