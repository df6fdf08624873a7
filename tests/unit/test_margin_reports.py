"""Margins in tables, reports and findings: what is said in both languages."""

from __future__ import annotations

import numpy as np
import pytest
from tests.unit.test_report import headlines

import relyon
from relyon.core.document.terminal import width
from relyon.core.language import Language
from relyon.report import build_page
from relyon.report.drawings import forest
from relyon.report.page import Chart


def compared(margins: dict[str, float | str]) -> relyon.Comparison:
    """Four measures whose differences are noise, a small loss, much noise, and nothing."""
    noise = np.random.default_rng(7).normal(0, 1, 80)
    noise -= noise.mean()
    queries = [f"q{n:02}" for n in range(80)]
    columns = {
        "ndcg@10": 0.01 * noise,
        "rr": 0.004 * noise - 0.004,
        "p@10": 0.2 * noise,
        "recall@10": 0 * noise,
    }
    old = {name: dict.fromkeys(queries, 0.5) for name in columns}
    new = {
        name: {query: 0.5 + float(one) for query, one in zip(queries, column, strict=True)}
        for name, column in columns.items()
    }
    return relyon.compare_values({"old": old, "new": new}, margins=margins)


ALL: dict[str, float | str] = {"ndcg@10": 0.02, "rr": "4%", "p@10": 0.02, "recall@10": 0.02}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_terminal_tables_fit_and_explain_the_signs(language: Language) -> None:
    text = compared(ALL).to_text(language=language, columns=80)
    rows = [line.split() for line in text.splitlines() if " 0.5000 " in line]
    signs = {row[0]: row[-1] for row in rows}
    assert signs == {"ndcg@10": "≈", "rr": "≈", "p@10": "·", "recall@10": "·"}
    assert max(map(width, text.splitlines())) <= 80
    loss = {
        "en": "rr, margin 0.02 (4% of A): equal within the margin, a significant loss smaller",
        "zh": "rr，界值 0.02（A 的 4%）：差异在界值内，但有小于界值的显著下降",
    }[language]
    assert loss.replace(" ", "") in "".join(text.split())
    legend = text[text.index("▲") :]
    assert all(sign in legend for sign in "▲▼≥≈·")
    plain = compared({}).to_text(language=language, columns=80)
    assert "≥" not in plain
    assert "≈" not in plain


def test_headlines_say_what_is_ruled_out() -> None:
    said = dict(zip(ALL, headlines(compared(ALL)), strict=True))
    assert "equal within the margin of 0.02: a loss of more than 0.002" in said["ndcg@10"]
    assert "a significant loss, but within the margin of 0.02: it is at most 0.0048" in said["rr"]
    assert (
        "cannot tell whether it is worse by more than 0.02: a loss of up to 0.0396 is possible"
        in said["p@10"]
    )
    assert "cannot tell" in said["recall@10"]
    assert "none of 80 queries changed" in said["recall@10"]
    one = compared({"rr": 0.00484}).contrast("new", "rr")
    assert one.verdict in {"worse", "equal"}


def test_the_lead_names_every_verdict() -> None:
    (text,) = build_page(compared(ALL)).lead
    assert text.startswith("new equals old within the margin on NDCG@10 and RR.")
    assert "not enough evidence" in text
    (chinese,) = build_page(compared(ALL), language="zh").lead
    assert "差异在界值内" in chinese


def test_the_forest_has_bands_and_shapes() -> None:
    def chart(comparison: relyon.Comparison) -> Chart:
        page = build_page(comparison)
        return next(
            block
            for block in page.blocks()
            if isinstance(block, Chart) and block.drawing == "forest"
        )

    found = chart(compared(ALL))
    rows = {row["name"]: row for row in found.rows}
    assert rows["ndcg@10"]["margin"] == pytest.approx(2.246, abs=0.001)
    assert rows["rr"]["filled"]
    assert "filled" not in rows["ndcg@10"]
    assert "grey band" in found.caption
    assert "from" in str(forest(found, 640))
    plain = chart(compared({}))
    assert not any("margin" in row for row in plain.rows)
    assert "grey band" not in plain.caption


def test_a_finding_of_a_loss_needs_one_that_is_not_within_the_margin() -> None:
    judgments = {f"q{n:02}": {"a": 2, "b": 1, "c": 0} for n in range(40)}
    old = {query: {"a": 3.0, "b": 2.0, "c": 1.0} for query in judgments}
    new = {
        query: {"a": 3.0, "b": 2.0 if n % 3 else 0.5, "c": 1.0} for n, query in enumerate(judgments)
    }
    plain = relyon.compare(judgments, old, new, "ndcg@10")
    assert plain.contrasts[0].verdict == "worse"
    within = relyon.compare(judgments, old, new, "ndcg@10", margins={"ndcg@10": 0.2})
    assert within.contrasts[0].verdict == "equal"
    assert "worse" in {one.rule for one in relyon.diagnose(plain, rules=["worse"])}
    assert "worse" not in {one.rule for one in relyon.diagnose(within, rules=["worse"])}
