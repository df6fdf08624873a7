"""The report as data and as text: what it says, in both languages, and that it says it safely."""

from __future__ import annotations

import random
import re
import sys
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.unit.pages import section_of

import relyon
from relyon.core.errors import DependencyError, ParameterError, UnknownNameError
from relyon.core.language import Language
from relyon.report import build_page, render_report, write_report
from relyon.report.number_formats import signed
from relyon.report.page import Chart, Details, Headlines, Table
from relyon.report.queries import extremes

HOSTILE = "</script><script>alert(1)</script>|`*"
LANGUAGES: tuple[Language, ...] = ("en", "zh")


def made(count: int = 20, flipped: int = 19, **options: Any) -> relyon.Comparison:
    """A baseline that puts the bad document first, and a candidate that mends most queries."""
    judgments = {f"q{n:04}": {"good": 1, "bad": 0} for n in range(count)}
    old = {query: {"good": 1.0, "bad": 2.0} for query in judgments}
    new = {
        query: {"good": 2.0 if place < flipped else 1.0, "bad": 1.5}
        for place, query in enumerate(judgments)
    }
    return relyon.compare(judgments, old, new, **{"names": ["old", "new"]} | options)


@pytest.fixture(scope="module")
def comparison() -> relyon.Comparison:
    return made(measures=["rr", "recall@2"])


def headlines(comparison: relyon.Comparison, **options: Any) -> list[str]:
    page = build_page(comparison, **options)
    return [
        str(one) for block in page.blocks() if isinstance(block, Headlines) for one in block.items
    ]


# -- what it says ------------------------------------------------------------------------------


def test_a_real_difference_is_told_with_its_evidence(comparison: relyon.Comparison) -> None:
    sentence = headlines(comparison)[0]
    contrast = comparison.contrast("new", "rr")
    low, high = contrast.interval
    assert contrast.verdict == "better"
    assert sentence == (
        f"RR 0.500 → 0.975 (+0.475, 95% CI +{low:.3f} to +{high:.3f}, corrected p < 0.0001):"
        " the first relevant result comes earlier"
    )


def test_no_difference_is_no_claim(comparison: relyon.Comparison) -> None:
    sentence = headlines(comparison)[1]
    assert comparison.contrast("new", "recall@2").verdict == "undecided"
    assert "none of 20 queries changed; at most about 15% of queries like these do" in sentence
    assert "better" not in sentence
    assert "worse" not in sentence


def test_an_undecided_difference_says_what_would_have_been_found() -> None:
    one = made(12, 3, measures="rr", correction="none")
    contrast = one.contrast("new", "rr")
    assert contrast.verdict == "undecided"
    assert headlines(one)[0].endswith(
        f"no evidence of a difference; a difference of {contrast.detectable:.3f} or more would"
        " have been found with power 0.8"
    )


def test_evidence_that_the_correction_takes_away_is_told() -> None:
    measures = [f"rr@{k}" for k in range(2, 12)]
    one = made(12, 5, measures=measures)
    contrast = one.contrast("new", "rr@2")
    assert contrast.p <= 0.05 < contrast.p_adjusted
    assert headlines(one)[0].endswith(
        f"undecided: p = {contrast.p:.4f} alone is evidence of a difference, but not after the"
        " correction for 10 comparisons"
    )


def test_chinese_sentences(comparison: relyon.Comparison) -> None:
    first, second = headlines(comparison, language="zh")
    assert first.startswith("RR 0.500 → 0.975（+0.475，95% 置信区间 ")
    assert first.endswith("：第一个相关结果出现得更早")
    assert "20 条查询都没有变化；这类查询中至多约 15% 会变化" in second


def test_lead_names_what_is_better_and_what_is_open(comparison: relyon.Comparison) -> None:
    assert build_page(comparison).lead == (
        "new is better than old on RR. There is not enough evidence of a difference on Recall@2.",
    )
    worse = relyon.compare_values(
        {
            name: {"rr": {f"q{n}": value + n / 900 for n in range(30)}}
            for name, value in (("old", 0.9), ("new", 0.5))
        }
        | {"noisy": {"rr": {f"q{n}": 0.5 + n % 7 / 9 for n in range(30)}}},
    )
    assert build_page(worse).lead[0] == "new is worse than old on RR."


def test_the_table_holds_every_number(comparison: relyon.Comparison) -> None:
    section = section_of(build_page(comparison), "comparison")
    table = next(block for block in section.blocks if isinstance(block, Table))
    contrast = comparison.contrast("new", "rr")
    row = dict(zip(table.headings, [cell.text for cell in table.cells()[0]], strict=True))
    assert row["difference"] == signed(contrast.difference)
    assert row["wins / ties / losses"] == "19 / 1 / 0"
    assert row["detectable"] == f"{contrast.detectable:.4f}"
    assert row["p"] == "< 0.0001"
    assert table.cells()[0][3].tone == "better"


def test_other_tests_that_disagree_are_counted() -> None:
    # Many small gains and one large loss: the sign test sees a gain, the t test nothing.
    values = {f"q{n}": 0.01 for n in range(20)} | {"q20": -0.9}
    one = relyon.compare_values(
        {
            "old": {"rr": dict.fromkeys(values, 0.5)},
            "new": {"rr": {q: 0.5 + v for q, v in values.items()}},
        }
    )
    contrast = one.contrasts[0]
    agree = sum(p > 0.05 for name, p in contrast.p_values.items() if name != "t")
    assert 0 < agree < 4
    table = next(b for b in build_page(one).blocks() if isinstance(b, Table))
    assert f"{agree} of 4 agree" in [cell.text for cell in table.cells()[0]]


@pytest.mark.parametrize("test", ["tukey", "permutation"])
def test_several_candidates_are_compared_with_each_other(test: str) -> None:
    numbers = random.Random(2)
    values = {
        name: {
            measure: {f"q{n}": numbers.gauss(mean, 0.1) for n in range(30)}
            for measure in ("rr", "ndcg")
        }
        for name, mean in (("a", 0.5), ("b", 0.6), ("c", 0.55))
    }
    one = relyon.compare_values(values, test=test, resamples=200)
    for language in LANGUAGES:
        page = build_page(one, language=language)
        blocks = section_of(page, "comparison").blocks
        tables = [b for b in blocks if isinstance(b, Table)]
        assert len(tables) == 3
        ranks = [[cell.text for cell in row] for row in tables[2].cells()]
        assert ranks == [["a", "3", "3"], ["b", "1–2", "1"], ["c", "1–2", "2"]]
        details = [b for b in blocks if isinstance(b, Details)]
        pairs = details[0].blocks[0]
        assert isinstance(pairs, Table)
        assert [row[1].text + row[2].text for row in pairs.cells()] == ["ba", "ca", "cb"] * 2
        assert len(page.lead) == 2
        assert sum(isinstance(b, Headlines) for b in page.blocks()) == 2
    counted = 2 if test == "tukey" else 4
    assert f"over {counted} comparisons" in str(build_page(one).section("comparison"))


# -- queries -----------------------------------------------------------------------------------


def test_extremes_leave_out_what_did_not_change() -> None:
    lost, gained = extremes({"a": 0.0, "b": 0.5, "c": -0.5, "d": 0.5}, 10)
    assert list(lost) == ["c"]
    assert list(gained) == ["b", "d"]


def test_few_queries_are_bars_and_many_are_grouped() -> None:
    few = _waterfall(build_page(made(50, 20, measures="rr")))
    assert len(few.rows) == 50
    bars: Any = few.rows
    assert sum(row["delta"] for row in bars) == pytest.approx(20 * 0.5)
    assert few.rows[0]["query"] == "q0000"
    many = _waterfall(build_page(made(1000, 300, measures="rr", resamples=50)))
    assert len(many.rows) == 120
    # Groups differ by one query at most, so that their mean is the mean of all.
    bars = many.rows
    mean = sum(row["delta"] for row in bars) / 120
    assert mean == pytest.approx(many.values["mean"], abs=0.001)
    assert "about 8 queries" in many.caption


def _waterfall(page: Any) -> Chart:
    return next(b for b in page.blocks() if isinstance(b, Chart) and b.drawing == "waterfall")


# -- as text -----------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_the_data_says_is_never_markup(language: Any) -> None:
    judgments = {HOSTILE + str(n): {HOSTILE: 1, "bad": 0} for n in range(4)}
    old = {query: {HOSTILE: 1.0, "bad": 2.0} for query in judgments}
    new = {query: {HOSTILE: 2.0, "bad": 1.0} for query in judgments}
    one = relyon.compare(judgments, old, new, "rr", names=[HOSTILE, "new" + HOSTILE])
    text = render_report(one, language=language, title=HOSTILE)
    assert "alert(1)" in text
    assert "<script>alert" not in text
    # The page's own script is the only one.
    assert re.findall(r"</?script\b", text) == ["<script", "</script"]
    markdown = render_report(one, language=language, format="markdown", title=HOSTILE)
    assert "<script" not in markdown
    for line in markdown.splitlines():
        if line.startswith("|"):
            assert "script" not in line or "\\|" in line


@pytest.mark.parametrize("language", LANGUAGES)
def test_ids_that_are_not_text_are_written_all_the_same(language: Any, tmp_path: Path) -> None:
    odd = "d\udcff\x01"
    judgments = {f"q{n}\udce9": {odd: 1, "bad": 0} for n in range(4)}
    old = {query: {odd: 1.0, "bad": 2.0} for query in judgments}
    new = {query: {odd: 2.0, "bad": 1.0} for query in judgments}
    one = relyon.compare(judgments, old, new, "rr", names=["old", "new"])
    for name in ("report.html", "report.md"):
        write_report(one, tmp_path / name, language=language)
        assert "q0\\udce9" in (tmp_path / name).read_text("utf-8")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_comparison_without_any_value_is_told(language: Any, tmp_path: Path) -> None:
    judgments = {"q1": {"a": 0}, "q2": {"a": 0}}
    run = {query: {"a": 1.0} for query in judgments}
    one = relyon.compare(judgments, run, dict(run), ["ndcg@10", "rr"], names=["old", "new"])
    for name in ("report.html", "report.md"):
        write_report(one, tmp_path / name, language=language)
    assert "nan" not in (tmp_path / "report.md").read_text("utf-8").lower()


@pytest.mark.parametrize("measure", ["pnr", "auc", "err", "rbp", "bpref", "success@1"])
def test_measures_of_every_kind_are_derived(measure: str, tmp_path: Path) -> None:
    numbers = random.Random(4)
    judgments = {f"q{n}": {f"d{m}": m % 4 for m in range(9)} for n in range(8)}
    old, new = (
        {query: {document: numbers.random() for document in grades} for query, grades in held}
        for held in (judgments.items(), judgments.items())
    )
    one = relyon.compare(judgments, old, new, measure, names=["old", "new"])
    write_report(one, tmp_path / "report.md")
    assert "Queries that" in (tmp_path / "report.md").read_text("utf-8")


@pytest.mark.parametrize("language", LANGUAGES)
def test_both_formats_say_the_same(language: Any, comparison: relyon.Comparison) -> None:
    page = build_page(comparison, language=language)
    html = render_report(comparison, language=language)
    markdown = render_report(comparison, language=language, format="markdown")
    for section in page.sections:
        assert f">{section.title}</h2>" in html
        assert f"## {section.title}\n" in markdown
    for block in page.blocks():
        if isinstance(block, Chart):
            assert f"<h3>{block.title}</h3>" in html
            assert f"# {block.title}\n" in markdown


def test_the_file_refers_to_nothing_outside(comparison: relyon.Comparison) -> None:
    text = render_report(comparison)
    addresses = re.findall(r"""(?:src|href|action)=["']([^"']*)""", text)
    assert addresses
    assert [one for one in addresses if not one.startswith(("#", "data:"))] == []
    assert "@import" not in text
    assert "url(http" not in text


@pytest.mark.long
def test_the_same_comparison_gives_the_same_bytes(
    comparison: relyon.Comparison, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    assert render_report(comparison) == render_report(comparison)


@pytest.mark.parametrize("format", ["html", "markdown"])
@pytest.mark.parametrize(
    ("language", "words"), [("en", "on 2023-11-14."), ("zh", "生成于 2023-11-14。")]
)
def test_the_last_line_has_version_and_date(
    comparison: relyon.Comparison,
    monkeypatch: pytest.MonkeyPatch,
    format: Any,
    language: Any,
    words: str,
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    text = render_report(comparison, format=format, language=language)
    assert f"relyon {relyon.__version__} {words}" in text[-4000:]
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "")
    today = datetime.now().astimezone().date()
    days = {(today + timedelta(days=days)).isoformat() for days in (0, 1)}
    assert any(day in render_report(comparison, format=format)[-4000:] for day in days)


def test_numbers_of_one_list_have_the_same_decimals() -> None:
    """The finest difference says how many."""
    one = made(measures=["rr", "recall@2"])
    small = [replace(contrast, difference=0.0012) for contrast in one.contrasts[1:]]
    one.contrasts = (one.contrasts[0], *small)
    for comparison, decimals in ((made(measures=["rr", "recall@2"]), 3), (one, 4)):
        for line in headlines(comparison):
            shown = re.sub(r"p [=<] \d\.\d+", "", line)
            assert set(map(len, re.findall(r"\d\.(\d+)", shown))) == {decimals}, line


@pytest.mark.parametrize("format", ["html", "markdown"])
def test_what_was_asked_stands_beside_the_ids(comparison: relyon.Comparison, format: Any) -> None:
    query = next(one for one, delta in comparison.deltas("new", "rr").items() if delta > 0)
    asked = {query: "red  shoes for <children>", "none of ours": "never shown"}
    text = render_report(comparison, format=format, query_texts=asked)
    assert f"{query} · red shoes for &lt;children&gt;" in text
    assert "never shown" not in text
    assert f"{query} · " not in render_report(comparison, format=format)


@pytest.mark.parametrize("name", ["report.html", "report.MD", "report.htm"])
def test_the_ending_says_the_format(
    name: str, tmp_path: Path, comparison: relyon.Comparison
) -> None:
    write_report(comparison, tmp_path / name)
    text = (tmp_path / name).read_text("utf-8")
    assert text.lstrip().startswith("# new" if name.endswith("MD") else "<!DOCTYPE html>")


def test_bad_options_are_named(tmp_path: Path, comparison: relyon.Comparison) -> None:
    with pytest.raises(ParameterError, match="HTML or Markdown"):
        write_report(comparison, tmp_path / "report.pdf")
    with pytest.raises(ParameterError, match="`language` must be one of `en`, `zh`"):
        write_report(comparison, tmp_path / "report.md", language="de")
    with pytest.raises(ParameterError, match="`format` must be"):
        render_report(comparison, format="pdf")  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match="was not compared"):
        write_report(comparison, tmp_path / "report.md", measure="ap")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("package", ["vl_convert", "jinja2"])
def test_a_missing_package_is_named(
    package: str,
    tmp_path: Path,
    comparison: relyon.Comparison,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(DependencyError, match=package.replace("_", "-")) as caught:
        write_report(comparison, tmp_path / "report.html")
    assert caught.value.hint == "pip install 'relyon[report]'"
    write_report(comparison, tmp_path / "report.md")
    assert [path.name for path in tmp_path.iterdir()] == ["report.md"]
