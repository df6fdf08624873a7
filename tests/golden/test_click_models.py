"""Click models against numbers that other programs found."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from relyon.labels.click_models.dbn import DBN
from relyon.labels.expectation_maximisation import Iterated
from relyon.labels.log import read_clicks
from relyon.labels.model import models

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"

#: Attraction times satisfaction, by the Python package `clickmodels`, as MjoLniR's tests quote it:
#: continuation 0.9, one iteration.
MJOLNIR = {
    "23456": {"1111": 0.1, "2222": 0.2322820037, "3333": 0.1605442177, "4444": 0.3424860853},
    "12345": {
        "1111": 0.3887822107,
        "2222": 0.3339674894,
        "3333": 0.2319515370,
        "4444": 0.2352330757,
    },
}


def test_mjolnir() -> None:
    path = DATA / "mjolnir_dbn" / "dbn.data"
    if not path.exists():
        pytest.skip(f"{path} is not there")
    rows = []
    for number, line in enumerate(path.read_text().splitlines()):
        _, query, _, _, documents, _, clicks = line.split("\t")
        for position, (document, click) in enumerate(
            zip(json.loads(documents), json.loads(clicks), strict=True), 1
        ):
            rows.append((number, query, document, position, click))
    schema = ["session", "query", "doc", "position", "clicked"]
    log = read_clicks(pl.DataFrame(rows, schema=schema, orient="row"))
    found = DBN(rounds=1, tolerance=0, going_on=0.9).fit(log).judgments()
    for query, expected in MJOLNIR.items():
        assert found[query] == pytest.approx(expected, abs=1e-4)


PYCLICK = json.loads((Path(__file__).parent / "data" / "pyclick.json").read_text())


@pytest.mark.parametrize("name", PYCLICK["found"])
def test_pyclick(name: str) -> None:
    rows = [
        (number, session["query"], document, position, click)
        for number, session in enumerate(PYCLICK["sessions"])
        for position, (document, click) in enumerate(
            zip(session["documents"], session["clicks"], strict=True), 1
        )
    ]
    schema = ["session", "query", "doc", "position", "clicked"]
    log = read_clicks(pl.DataFrame(rows, schema=schema, orient="row"))
    model = models.get(name)
    settings = {"rounds": PYCLICK["rounds"], "tolerance": 0} if issubclass(model, Iterated) else {}
    fitted = model(**settings).fit(log)
    parameters = fitted.parameters.pairs
    values = parameters.get("attraction", parameters.get("rate"))
    assert values is not None
    for pair, value in zip(fitted.pairs.rows(), values, strict=True):
        query, document = pair
        assert value == pytest.approx(PYCLICK["found"][name][query][document], abs=1e-9)
