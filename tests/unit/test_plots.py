"""Charts of results and comparisons as pictures."""

from __future__ import annotations

import random
import sys
import warnings
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from tests.unit.pages import check_drawings

import relyon
from relyon.core.errors import DependencyError, InputError, ParameterError, UnknownNameError
from relyon.core.texts import Language, translate
from relyon.io.picture import Picture
from relyon.report import build_page, plots
from relyon.report.page import Chart, Page, Section

pytest.importorskip("vl_convert")

QUERIES = [f"q{n}" for n in range(20)]
JUDGED = {q: {"good": 1, "bad": 0} for q in QUERIES}
OLD = {q: {"good": 1.0, "bad": 2.0} for q in QUERIES}
NEW = {q: {"good": 2.0, "bad": 1.0} for q in QUERIES} | {"q0": OLD["q0"]}
KINDS = ("intervals", "queries", "ranks", "losses", "roc", "precision_recall")


@pytest.fixture(scope="module")
def comparison() -> relyon.Comparison:
    return relyon.compare(JUDGED, OLD, NEW, ["rr", "ndcg@10"], names=["旧", "<new>"])


def said(picture: Picture) -> list[str]:
    """Returns the texts of a picture, which must be well-formed XML."""
    return [text.text or "" for text in ET.fromstring(picture.svg).iter() if text.text]


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("kind", KINDS)
def test_every_chart_of_the_report_is_a_picture(
    kind: str, language: str, comparison: relyon.Comparison, tmp_path: Path
) -> None:
    picture = comparison.plot(kind, language=language)
    assert isinstance(picture, Picture)
    texts = said(picture)
    assert picture.title in "".join(texts)
    page = build_page(comparison, language=language)
    captions = [one.caption for one in page.blocks() if isinstance(one, Chart)]
    squeezed = "".join(texts).replace(" ", "")
    assert any(caption.replace(" ", "") in squeezed for caption in captions)
    picture.save(tmp_path / "chart.png")
    picture.save(tmp_path / "chart.svg")
    assert (tmp_path / "chart.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "chart.svg").read_text("utf-8") == picture.svg


def test_the_intervals_name_the_runs_and_are_the_default(comparison: relyon.Comparison) -> None:
    picture = comparison.plot()
    assert picture == comparison.plot("intervals") == relyon.plot(comparison)
    assert picture.title == "<new> minus 旧: differences and confidence intervals"
    assert "&lt;new&gt; minus 旧" in picture.svg


@pytest.mark.parametrize(
    ("language", "mean", "whole"),
    [
        ("en", "line is the mean.", "over all queries together"),
        ("zh", "是平均差值", "合并计算的两个数之差"),
    ],
)
def test_captions_say_what_is_drawn(language: Language, mean: str, whole: str) -> None:
    judged = {f"q{n}": {f"d{place}": place % (2 + n % 3) for place in range(8)} for n in range(9)}
    chance = random.Random(5)
    old, new = (
        {query: {d: chance.random() for d in row} for query, row in judged.items()}
        for _ in range(2)
    )
    compared = relyon.compare(judged, old, new, ["pnr", "ndcg@5"], names=["a", "b"])
    texts = {
        measure: "".join(said(compared.plot("queries", measure=measure, language=language)))
        for measure in ("pnr", "ndcg@5")
    }
    assert whole.replace(" ", "") in texts["pnr"].replace(" ", "")
    assert whole.replace(" ", "") not in texts["ndcg@5"].replace(" ", "")
    assert mean.replace(" ", "") in texts["ndcg@5"].replace(" ", "")
    both = "".join(said(compared.plot(language=language))).replace(" ", "")
    assert "pnr(micro)" in both
    assert whole.replace(" ", "") in both
    alone = relyon.compare(judged, old, new, "ndcg@5", names=["a", "b"]).plot(language=language)
    assert whole.replace(" ", "") not in "".join(said(alone)).replace(" ", "")


def test_few_queries_are_named_and_many_are_not(comparison: relyon.Comparison) -> None:
    assert {"q0", "q19"} <= set(said(comparison.plot("queries")))
    known = comparison.described({query: f"查询 {query}" for query in QUERIES})
    assert "查询 q7" in said(known.plot("queries"))
    judged, old, new = (
        {f"{query}-{n}": row for n in range(3) for query, row in given.items()}
        for given in (JUDGED, OLD, NEW)
    )
    assert "q0-0" not in said(relyon.compare(judged, old, new, "rr").plot("queries"))


def test_results_show_the_value_of_every_query() -> None:
    judged = JUDGED | {"none": {"good": 0}}
    results = relyon.evaluate(judged, NEW | {"none": {"good": 1.0}}, ["ndcg@10", "rr"], name="新")
    assert results.plot() == results.plot("queries", measure="ndcg@10")
    picture = results.plot(measure="rr", language="zh")
    assert picture.title == "新 逐条查询的 RR"
    assert "q0" in said(picture)
    assert any("1 条查询没有值" in text for text in said(picture))
    assert picture.svg.count("<path aria-label") == 20


def test_a_picture_displays_in_notebooks_in_light_colours(comparison: relyon.Comparison) -> None:
    shown = comparison.plot()._repr_svg_()
    assert shown.startswith("<svg")
    assert "var(--" not in shown
    assert "<style>" not in shown  # it would apply to the whole notebook


def test_drawings_with_names_are_vega_lite(
    comparison: relyon.Comparison, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("altair")
    charts: list[Chart] = []
    monkeypatch.setattr(plots, "framed", charts.append)
    comparison.plot("queries")
    comparison.results[0].plot()
    assert [chart.values.get("signed", True) for chart in charts] == [True, False]
    assert all(len(chart.values["names"]) == len(QUERIES) for chart in charts)
    page = Page("en", "", "", (), (Section("charts", "", tuple(charts)),))
    assert check_drawings(page) == {"waterfall"}


def test_a_missing_package_is_named(
    comparison: relyon.Comparison, monkeypatch: pytest.MonkeyPatch
) -> None:
    picture = comparison.plot()
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    for call in (comparison.plot, picture.to_png):
        with pytest.raises(DependencyError, match=r"relyon\[report\]"):
            call()
    assert picture.svg.startswith("<svg")


def test_a_larger_scale_has_more_pixels(comparison: relyon.Comparison) -> None:
    picture = comparison.plot()
    wide, half = (int.from_bytes(picture.to_png(scale=one)[16:20], "big") for one in (2.0, 1.0))
    assert abs(wide - 2 * half) <= 1


def test_what_cannot_be_plotted_is_refused(comparison: relyon.Comparison, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="`intervals`"):
        comparison.plot("pie")
    with pytest.raises(ParameterError, match="`queries`"):
        comparison.results[0].plot("roc")
    with pytest.raises(UnknownNameError, match="p@5"):
        comparison.plot("queries", measure="p@5")
    with pytest.raises(UnknownNameError, match="newer"):
        comparison.plot("queries", candidate="newer")
    with pytest.raises(ParameterError, match=r"relyon\.evaluate"):
        relyon.plot({"rr": 0.5})  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match=r"`chart\.svg` or `chart\.png`") as found:
        comparison.plot().save(tmp_path / "chart.pdf")
    assert translate(found.value.hint, "zh") == "取名为 `chart.svg` 或 `chart.png`"
    assert not list(tmp_path.iterdir())
    values = relyon.compare_results(list(comparison.results))
    assert values.plot("queries").title == comparison.plot("queries").title
    with pytest.raises(ParameterError, match=r"relyon\.compare"):
        values.plot("ranks")
    alike = {query: {"good": 1} for query in QUERIES}
    only = relyon.compare(alike, OLD, NEW, "rr")
    with pytest.raises(InputError, match="positives and negatives"):
        only.plot("roc")
    same = relyon.compare(JUDGED, OLD, OLD, "rr", names=["a", "b"])
    with pytest.raises(ParameterError, match="nothing to draw"):
        same.plot()


@pytest.mark.parametrize("kind", KINDS)
def test_warnings_of_the_comparison_are_not_repeated(kind: str) -> None:
    judged = JUDGED | {"absent": {"good": 1}}
    with pytest.warns(relyon.RelyonWarning, match="not in the run"):
        comparison = relyon.compare(judged, OLD, NEW, "rr")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        comparison.plot(kind)
