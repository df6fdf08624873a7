"""In quiet months the monitor is quiet, as often as it promises."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom
from tests.honest.rows import row

import relyon
from relyon.demo.corpus import build_corpus
from relyon.demo.files import load_judgments
from relyon.demo.traffic import simulate_rounds, simulate_traffic

pytest.importorskip("bm25s")
pytest.importorskip("sklearn")

pytestmark = pytest.mark.slow

MONTHS = [f"{year}-{month:02}" for year in range(2020, 2030) for month in range(1, 13)]


def test_false_alarms_are_as_rare_as_alpha() -> None:
    judged = {judgment.document for judgment in load_judgments()}
    traffic = simulate_traffic(documents=[one for one in build_corpus() if one.id in judged])
    found = relyon.monitor(simulate_rounds(traffic, months=MONTHS, broken=None, seed=1))
    alarms = tests = called = 0
    for month in MONTHS[1:]:
        watched = [one for one in found.changes if one.after.month == month and one.can_alarm]
        alarms += any(one.verdict != "undecided" for one in watched)
        tests += len(watched)
        called += sum(one.dcg.p <= found.alpha for one in watched)
    count = len(MONTHS) - 1
    # Holm's correction: in at most 5% of the months anything is called changed.
    row(
        "monitor-false-alarms", "ten years of the demonstration's traffic: months called changed",
        alarms / count, count, promise="at most 5%",
        most=float(binom.ppf(0.999, count, found.alpha)) / count,
    )  # fmt: skip
    # Single tests are wrong in at most about 5%; those of neighbouring months share a sample.
    assert called / tests < 0.08
    # The errors are those of the changes, or a little larger, as a jackknife's are.
    for tier in ("all", "head", "middle", "tail"):
        of_tier = [one.dcg for one in found.changes if one.tier == tier and one.can_alarm]
        told = np.sqrt(np.mean([one.standard_error**2 for one in of_tier]))
        assert 0.75 < told / np.std([one.value for one in of_tier]) < 1.5, tier
