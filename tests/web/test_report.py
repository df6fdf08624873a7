"""The report in a browser: nothing leaves the page, nothing is missing, everybody can read it."""

from __future__ import annotations

import random
import shutil
import subprocess
from itertools import pairwise
from pathlib import Path
from typing import Literal

import pytest

import relyon

pytest.importorskip("playwright")

from playwright.sync_api import Page
from tests.programs import skip_without_program
from tests.web.browser import complaints, open_page, requests

HOSTILE = "</script><script>window.broken=1</script><img src=x onerror=window.broken=1>"


@pytest.fixture
def tab(tab_of_window: Page) -> Page:
    return tab_of_window


@pytest.fixture(scope="module")
def comparison() -> relyon.Comparison:
    """Two systems on 60 queries, one of them with a name that no page should obey."""
    random_numbers = random.Random(7)
    queries = [f"q{number}" for number in range(59)] + [HOSTILE]
    documents = [f"d{number}" for number in range(29)] + [HOSTILE]
    judgments = {
        query: {document: random_numbers.choice([0, 0, 1, 2, 3]) for document in documents[:15]}
        | {HOSTILE: 3}
        for query in queries
    }

    def run(strength: float, count: int) -> dict[str, dict[str, float]]:
        return {
            query: {
                document: strength * judgments[query].get(document, 0) + random_numbers.gauss(0, 1)
                for document in [*random_numbers.sample(documents[:-1], count), HOSTILE]
            }
            for query in queries
        }

    runs = run(0.2, 15), run(1.5, 20)
    return relyon.compare(
        judgments, *runs, ["ndcg@10", "ap", "recall@10"], names=["old", f"new {HOSTILE}"]
    )


@pytest.fixture(scope="module", params=["en", "zh"])
def page(
    request: pytest.FixtureRequest,
    comparison: relyon.Comparison,
    tmp_path_factory: pytest.TempPathFactory,
) -> Path:
    """A report as a file, in either language."""
    path = tmp_path_factory.mktemp("report") / f"{request.param}.html"
    relyon.write_report(comparison, path, language=request.param)
    return path


def test_nothing_leaves_the_page_and_nothing_is_broken(tab: Page, page: Path) -> None:
    open_page(tab, page)
    assert requests(tab) == []
    assert complaints(tab) == []
    assert tab.evaluate("window.broken") is None
    assert tab.evaluate("performance.getEntriesByType('resource').length") == 0
    assert HOSTILE in tab.evaluate("document.body.textContent")


def test_a_request_would_be_noticed(tab: Page, tmp_path: Path) -> None:
    path = tmp_path / "bad.html"
    path.write_text("<script src='missing.js'></script><script>boom()</script>", "utf-8")
    open_page(tab, path)
    assert len(requests(tab)) == 1
    assert any("boom" in complaint for complaint in complaints(tab))


def test_language_and_headings(tab: Page, page: Path) -> None:
    open_page(tab, page)
    language = "zh-Hans" if page.stem == "zh" else "en"
    assert tab.evaluate("document.documentElement.lang") == language
    levels = tab.evaluate("[...document.querySelectorAll('h1,h2,h3')].map(e => +e.tagName[1])")
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    chinese = tab.evaluate(
        "(document.querySelector('main').textContent.match(/[一-鿿]/g)||[]).length"
    )
    assert (chinese > 200) == (page.stem == "zh")
    assert tab.evaluate("document.querySelectorAll('th:not([scope])').length") == 0


def test_charts_are_drawn(tab: Page, page: Path) -> None:
    open_page(tab, page)
    count = tab.evaluate("document.querySelectorAll('figure.chart').length")
    # Intervals, queries, ranks, both curves, losses.
    assert count == 6
    assert tab.evaluate(VISIBLE) == count
    # Every figure says in words what it shows, and holds its numbers as a table.
    assert (
        tab.evaluate("document.querySelectorAll('figure.chart details.data table').length") == count
    )
    assert tab.evaluate(DUPLICATES) == []


def test_marks_say_what_they_are(tab: Page, page: Path) -> None:
    open_page(tab, page)
    bars = "[...document.querySelectorAll('figure.chart .wide path[aria-label]')]"
    assert tab.evaluate(f"{bars}.length") > 60
    assert tab.evaluate(f"{bars}.every(e => e.querySelector('title').textContent.length > 3)")


def test_every_link_leads_somewhere(tab: Page, page: Path) -> None:
    open_page(tab, page)
    links = "[...document.querySelectorAll('a')].map(e => e.getAttribute('href').slice(1))"
    assert tab.evaluate(f"{links}.length") > 20
    assert tab.evaluate(f"{links}.filter(name => !document.getElementById(name))") == []


def test_a_bar_opens_the_derivation_of_its_query(tab: Page, page: Path) -> None:
    open_page(tab, page)
    assert tab.evaluate("document.querySelectorAll('details[open]:not(.fold)').length") == 0
    tab.evaluate("document.querySelector('.wide svg a[href=\"#query-1-2\"]').focus()")
    tab.keyboard.press("Enter")
    opened = "[...document.querySelectorAll('details[open]:not(.fold)')].map(e => e.id)"
    assert tab.evaluate(f"new Promise(r => setTimeout(() => r({opened}), 200))") == ["query-1-2"]
    assert tab.evaluate("document.activeElement.parentElement.id") == "query-1-2"
    assert tab.evaluate("document.querySelectorAll('#query-1-2 table').length") == 3


def test_charts_are_printed(tab: Page, page: Path) -> None:
    open_page(tab, page, scheme="dark")
    tab.emulate_media(media="print", color_scheme="dark")
    assert tab.evaluate(VISIBLE) == tab.evaluate("document.querySelectorAll('figure.chart').length")
    assert tab.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
    assert tab.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


def measured(tab: Page, call: str) -> float:
    """Returns what a function of `LUMINANCE` finds in the page."""
    return float(tab.evaluate(f"(() => {{ {LUMINANCE} return {call}; }})()"))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_can_be_told_from_the_ground(
    scheme: Literal["light", "dark"], tab: Page, page: Path
) -> None:
    open_page(tab, page, scheme=scheme)
    light = measured(tab, "luminance(getComputedStyle(document.body).backgroundColor)")
    assert (light > 0.5) == (scheme == "light")
    for role in ("ink", "muted", "blue", "orange", "green", "purple"):
        contrast = measured(tab, f"contrast('{role}')")
        assert contrast >= 4.5, role


def test_the_reader_can_choose_the_dark(tab: Page, page: Path) -> None:
    open_page(tab, page, scheme="light")
    before = tab.evaluate("getComputedStyle(document.body).backgroundColor")
    tab.evaluate("document.getElementById('theme').focus()")
    tab.keyboard.press("Enter")
    assert tab.evaluate("document.documentElement.dataset.theme") == "dark"
    assert tab.evaluate("getComputedStyle(document.body).backgroundColor") != before
    tab.keyboard.press("Enter")
    assert tab.evaluate("getComputedStyle(document.body).backgroundColor") == before


def test_a_telephone_scrolls_down_only(tab: Page, page: Path) -> None:
    open_page(tab, page, width=390, height=844)
    tab.evaluate("document.querySelectorAll('details').forEach(e => e.open = true)")
    assert tab.evaluate("document.documentElement.scrollWidth") <= 390
    assert tab.evaluate(VISIBLE) == tab.evaluate("document.querySelectorAll('figure.chart').length")
    smallest = tab.evaluate(
        "Math.min(...[...document.querySelectorAll('.narrow svg')].map(e =>"
        " e.getBoundingClientRect().width / e.viewBox.baseVal.width))"
    )
    assert smallest >= 0.9


def test_a_long_name_leaves_room_for_its_numbers_on_a_telephone(tab: Page, page: Path) -> None:
    open_page(tab, page, width=390, height=844)
    table = "document.querySelector('#comparison .scroll')"
    tab.evaluate(
        f"{table}.querySelector('tbody th').textContent = 'how do I read a file '.repeat(9)"
    )
    edges = f"[...{table}.querySelectorAll('tbody tr:first-child > *')].slice(0, 2)"
    edges += ".map(one => one.getBoundingClientRect().right)"
    first, last = tab.evaluate(edges)
    assert 90 < first <= 0.46 * 390
    assert last <= 300


@pytest.mark.parametrize("width", [1366, 390])
def test_labels_of_axes_do_not_touch(width: int, tab: Page, page: Path) -> None:
    open_page(tab, page, width=width)
    assert tab.evaluate(f"{TOUCHING}.length") == 0, tab.evaluate(TOUCHING)


def test_no_column_is_cut_on_a_usual_screen(tab: Page, page: Path) -> None:
    open_page(tab, page, width=1366)
    table = "document.querySelector('#comparison .scroll')"
    assert tab.evaluate(f"{table}.querySelectorAll('thead th').length") >= 12
    assert tab.evaluate(f"{table}.scrollWidth - {table}.clientWidth") <= 1


def test_paper_shows_what_is_folded(tab: Page, page: Path) -> None:
    open_page(tab, page, width=720)
    tab.evaluate("document.querySelectorAll('details.fold').forEach(e => { e.open = false; })")
    hidden = """[...document.querySelectorAll('details:not(.fold)')].filter(one => {
        const inside = one.querySelector('table, p').getBoundingClientRect();
        return inside.height === 0 || !one.querySelector('table, p').checkVisibility(
            {contentVisibilityAuto: true});
    }).length"""
    count = tab.evaluate("document.querySelectorAll('details:not(.fold)').length")
    assert count > 10
    assert tab.evaluate(hidden) == count
    tab.emulate_media(media="print")
    assert tab.evaluate("document.querySelectorAll('details[open]').length") == 0
    assert tab.evaluate(hidden) == 0
    assert tab.evaluate("document.documentElement.scrollWidth") <= 720


def test_sections_are_folded_on_a_phone_only(tab: Page, page: Path) -> None:
    shown = "[...document.querySelectorAll('section')].filter(e => e.clientHeight > 60).length"
    height = "document.documentElement.scrollHeight"
    open_page(tab, page, width=1280)
    sections = tab.evaluate("document.querySelectorAll('section').length")
    assert tab.evaluate(shown) == sections
    open_page(tab, page, width=390)
    assert tab.evaluate(shown) == 2
    folded = tab.evaluate(height)
    assert tab.evaluate("document.documentElement.scrollWidth") == 390
    tab.focus("#comparison summary")
    tab.keyboard.press("Enter")
    assert tab.evaluate(shown) == 3
    cues = tab.locator("#comparison > .fold > .scroll + .cue")
    assert cues.first.is_visible()
    tab.evaluate("document.querySelectorAll('details.fold').forEach(e => { e.open = true; })")
    assert 2 * folded < tab.evaluate(height)
    tab.evaluate("document.querySelectorAll('details.fold').forEach(e => { e.open = false; })")
    tab.evaluate("location.hash = '#query-1-2'")
    tab.wait_for_function("document.getElementById('query-1-2').open")
    assert tab.evaluate("document.getElementById('query-1-2').clientHeight") > 100


def test_sections_open_without_a_script(page: Path, tab: Page) -> None:
    browser = tab.context.browser
    assert browser is not None
    for width in (390, 1280):
        context = browser.new_context(
            java_script_enabled=False, viewport={"width": width, "height": 800}
        )
        plain = context.new_page()
        plain.goto(page.as_uri())
        table = plain.locator("#comparison table").first
        assert table.is_visible() == (width > 390)
        if width == 390:
            plain.click("#comparison > .fold > summary")
            assert table.is_visible()
        context.close()


def test_a_printed_page_has_no_heading_without_its_text(
    tab: Page, comparison: relyon.Comparison, tmp_path: Path
) -> None:
    if shutil.which("pdftotext") is None:
        skip_without_program("pdftotext is not installed (poppler-utils)")
    path = tmp_path / "report.html"
    relyon.write_report(comparison, path)
    open_page(tab, path)
    titles = set(tab.evaluate("[...document.querySelectorAll('h2')].map(e => e.innerText)"))
    tab.pdf(path=tmp_path / "report.pdf", print_background=True)
    command = ["pdftotext", "-layout", str(tmp_path / "report.pdf"), "-"]
    text = subprocess.run(command, capture_output=True, check=True, text=True).stdout
    pages = [
        [line.strip() for line in one.splitlines() if line.strip()] for one in text.split("\f")
    ]
    pages = [lines for lines in pages if lines]
    assert titles <= {line for lines in pages for line in lines}
    for lines in pages:
        assert lines[-1] not in titles
    assert len(pages[-1]) > 3
    assert relyon.__version__ in pages[-1][-1]
    # Nothing that is folded on the screen is lost: each query's derivation is there.
    assert (
        text.count("all together")
        == tab.evaluate("document.querySelectorAll('details.drill').length") - 1
    )


@pytest.mark.slow
def test_seven_thousand_queries_open_in_a_second(tab: Page, tmp_path: Path) -> None:
    numbers = random.Random(11)
    judgments = {f"q{n}": {f"d{m}": m % 4 for m in range(8)} for n in range(7000)}
    old, new = (
        {query: {document: numbers.random() for document in grades} for query, grades in held}
        for held in (judgments.items(), judgments.items())
    )
    comparison = relyon.compare(judgments, old, new, ["ndcg@10", "ap"], resamples=200)
    path = tmp_path / "report.html"
    relyon.write_report(comparison, path)
    assert path.stat().st_size < 5e6
    open_page(tab, path)
    milliseconds = tab.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd")
    assert milliseconds < 1000


VISIBLE = """[...document.querySelectorAll('figure.chart')].filter(figure =>
  [...figure.querySelectorAll('svg')].filter(svg => {
    const box = svg.getBoundingClientRect();
    return box.width > 200 && box.height > 50 && svg.querySelectorAll('path').length > 2;
  }).length === 1).length"""
TOUCHING = """[...document.querySelectorAll('figure.chart svg')].flatMap(svg => {
  if (!svg.getBoundingClientRect().width) return [];
  return [...svg.querySelectorAll('.role-axis-label')].flatMap(axis => {
    const labels = [...axis.querySelectorAll('text')].filter(e =>
      getComputedStyle(e).opacity !== '0'
      && !/rotate\\((?!0)/.test(e.getAttribute('transform') || ''));
    const boxes = labels.map(e => [e.getBoundingClientRect(), e.textContent]);
    return boxes.flatMap(([one, text], place) => boxes.slice(place + 1)
      .filter(([other]) => one.left < other.right + 2 && other.left < one.right + 2
        && one.top < other.bottom && other.top < one.bottom)
      .map(([, next]) => text + '|' + next));
  });
})"""
DUPLICATES = """(() => { const seen = new Set();
  return [...document.querySelectorAll('[id]')].map(e => e.id)
    .filter(id => seen.has(id) || !seen.add(id)); })()"""
LUMINANCE = """
function channels(color) {
  const probe = document.createElement('i'); probe.style.color = color; document.body.append(probe);
  const found = getComputedStyle(probe).color.match(/[\\d.]+/g).slice(0, 3).map(Number);
  probe.remove(); return found;
}
function luminance(color) {
  const [r, g, b] = channels(color).map(v => v / 255)
    .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
function contrast(role) {
  const pair = [`var(--${role})`, 'var(--paper)'].map(luminance).sort((a, b) => b - a);
  return (pair[0] + 0.05) / (pair[1] + 0.05);
}"""
