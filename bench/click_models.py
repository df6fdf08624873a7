"""Click models fitted on a simulated log: at scale, and beside PyClick on few sessions.

    python -m bench.run --only clicks
    python -m bench.click_models pbm LOG.parquet

PyClick (https://github.com/markovi/PyClick) is not on PyPI: put a checkout on PYTHONPATH. It takes
hours for what relyon does in a second, and so does a part of the few sessions; its time grows with
them.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any

import polars as pl

from bench import limits
from bench.peers import Values
from bench.timing import Contender, Workload

MODELS = ("pbm", "ubm", "dbn")
#: PyClick's rounds: it has no other end.
ROUNDS = 50
#: Sessions of the log that PyClick is compared on, and the share of them that it does.
FEW = 20_000
SHARES = {"pbm": 0.1, "ubm": 0.1, "dbn": 0.005}


def clicks(home: Path) -> Workload:
    """A log read, counted and fitted until it converges, as a process; few sessions in process."""
    log = home / "clicks.parquet"
    few = pl.read_parquet(log, n_rows=FEW * 10)
    contenders = [
        Contender(f"relyon, {model.upper()}{said}", command_of(model, path), json.loads)
        for said, path in (("", log), (", half the log", home / "clicks.half.parquet"))
        for model in MODELS
    ]
    contenders += [
        limits.log_counted(log),
        limits.log_counted(home / "clicks.half.parquet", f"{limits.LOG}, half the log"),
        Contender(f"{limits.LOG}, few sessions", partial(counted, few)),
    ]
    for model in MODELS:
        share = SHARES[model]
        part = few.head(round(few.height / 10 * share) * 10)
        # PyClick takes other probabilities of DBN: see docs/labels.md.
        rules = None if model == "dbn" else model
        contenders += [
            Contender(f"relyon, {model.upper()}, few sessions", partial(fit, model, few)),
            Contender(
                f"PyClick, {model.upper()}, few sessions ({share:.1%}, scaled)",
                partial(pyclick, model, part),
                agrees=rules,
                share=share,
            ),
        ]

    @cache
    def expected(rules: str) -> Mapping[str, tuple[float, float]]:
        part = few.head(round(few.height / 10 * SHARES[rules]) * 10)
        return {name: (value, value) for name, value in fit(rules, part).items()}

    return Workload(contenders, expected, log.stat().st_size)


def command_of(model: str, log: Path) -> list[str]:
    """Returns the command that fits a model on a log."""
    return [sys.executable, "-m", "bench.click_models", model, str(log)]


def fit(model: str, log: Any) -> Values:
    """Fits a model until it converges, and returns the mean attraction of the pairs."""
    from relyon.labels import models, read_clicks

    chosen = models.get(model)()
    fitted = chosen.fit(read_clicks(log))
    if chosen.notes(fitted.parameters):
        raise RuntimeError(f"{model} has not converged")
    return {"attraction": float(fitted.parameters.pairs["attraction"].mean())}


def counted(log: pl.DataFrame) -> None:
    """Counts sessions and clicks of each query, document and position."""
    log.group_by("query", "doc", "position").agg(pl.len(), pl.col("clicked").sum())


def pyclick(model: str, log: pl.DataFrame) -> Values:
    """Fits a model as PyClick does, and returns the mean attraction of the pairs."""
    from importlib import import_module

    from pyclick.click_models.Inference import EMInference
    from pyclick.search_session.SearchResult import SearchResult
    from pyclick.search_session.SearchSession import SearchSession

    lists = log.group_by("session", maintain_order=True).agg(
        pl.col("query").first(), "doc", "clicked"
    )
    sessions = []
    for query, documents, clicked in lists.select("query", "doc", "clicked").iter_rows():
        session = SearchSession(query)
        for document, click in zip(documents, clicked, strict=True):
            session.web_results.append(SearchResult(document, int(click)))
        sessions.append(session)
    name = model.upper()
    chosen = getattr(import_module(f"pyclick.click_models.{name}"), name)()
    chosen._inference = EMInference(ROUNDS)
    chosen.train(sessions)
    values = chosen.params[chosen.param_names.attr]
    pairs = log.select("query", "doc").unique(maintain_order=True)
    found = [values.get(query, document).value() for query, document in pairs.iter_rows()]
    return {"attraction": sum(found) / len(found)}


if __name__ == "__main__":
    print(json.dumps(fit(sys.argv[1], sys.argv[2])))
