"""Drawings of lessons in a browser: what they show, and that everybody can read it."""

from __future__ import annotations

from itertools import combinations, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.web.browser import complaints, open_page, overflow

pytest.importorskip("playwright.sync_api")
pytest.importorskip("markdown_it")

from playwright.sync_api import expect

import relyon
from relyon.core.texts import LANGUAGES, catalogue
from relyon.core.texts.languages import Language
from relyon.learn.blocks import Picture
from relyon.learn.pages.drawn import picture_data, shares
from relyon.learn.pages.site import write_site

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

GRADES = (3, 0, 2, 1, 0)
PICTURES = {
    "candies": ["3,2,1,0", "0,3,2,-,7,0.7,1,1,1,1,1,1,1,1"],
    "compare": ["3,3,3,1,2,2", "2,2,3,3,3,1"],
    "roc": ["1,0,1,1=0,0", "1,1"],
    "pairs": ["3,3,3,1,2,2", "2=1,0,3"],
    "lambdas": ["0,1,3,0,2"],
    "interval": ["10", "40", "100", "400"],
}
#: So many that they take two lines on a phone.
MEASURES = ["dcg", "ndcg", "ap", "rr", "cg", "p@3"]
PLAYED = ("candies", "roc", "pairs", "lambdas")

#: For each drawing the size of its smallest text on the screen, its texts that are cut, its label.
READ = """() => [...document.querySelectorAll("svg.drawn[role=img]")].map((svg) => {
  const box = svg.getBoundingClientRect(), scale = box.width / svg.viewBox.baseVal.width;
  const texts = [...svg.querySelectorAll("text")];
  const cut = texts.filter((one) => {
    const { left, right, top, bottom } = one.getBoundingClientRect();
    return left < box.left - 1 || right > box.right + 1 || top < box.top - 1
      || bottom > box.bottom + 1;
  });
  return {
    size: Math.min(...texts.map((one) => scale * parseFloat(getComputedStyle(one).fontSize))),
    cut: cut.map((one) => one.textContent),
    label: svg.getAttribute("aria-label"),
  };
})"""


def written(language: Language) -> str:
    blocks = [
        '+++\ntitle = "Drawn"\nsummary = "Drawings"\nminutes = 1\n+++\n',
        *(
            f'```picture\nid = "{name}"\ndrawing = "{name}"\ntext = "Told of {name}"\n'
            f"lists = {lists}\nmeasures = {MEASURES}\n```\n".replace("'", '"')
            for name, lists in PICTURES.items()
        ),
        *(
            f'```play\nid = "play-{name}"\nask = "Move"\ndrawing = "{name}"\nmeasures = ["pnr"]\n'
            + "".join(
                f'[[documents]]\ntitle = "d{place}"\ngrade = {grade}\n'
                for place, grade in enumerate(GRADES)
            )
            + "```\n"
            for name in PLAYED
        ),
        '```play\nid = "dial"\nask = "Turn"\nfigure = "graded"\ndrawing = "interval"\n'
        "settings = [10.0, 20.0, 40.0]\nstart = 10.0\n[names]\n"
        + "".join(
            f'{name} = "{name}"\n'
            for name in ("truth", "estimate", "low", "high", "width", "sessions")
        )
        + "```\n",
    ]
    return "\n".join(blocks)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A lesson with every drawing, in both languages, as files."""
    folder = tmp_path_factory.mktemp("drawn")
    for language in LANGUAGES:
        lessons = folder / "lessons" / language
        lessons.mkdir(parents=True)
        lessons.joinpath("01-drawn.md").write_text(written(language), encoding="utf-8")
    write_site(folder / "site", folder / "lessons")
    return folder / "site"


def show(tab: Page, site: Path, language: str = "en", **options: Any) -> None:
    open_page(tab, (site / language / "01-drawn.html").as_uri() + "?all", **options)
    expect(tab.locator("section#play-lambdas svg.drawn")).to_be_visible()
    tab.wait_for_timeout(100)  # a page that became narrower is drawn again


def order(section: Locator) -> list[int]:
    """Returns the grades of a list that is moved, as they are now."""
    rows = section.locator(".list li")
    return [GRADES[int(str(row.get_attribute("data-index")))] for row in rows.all()]


@pytest.mark.parametrize("width", [1000, 390, 340])
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_drawing_can_be_read(
    language: Language, width: int, tab_of_window: Page, site: Path
) -> None:
    pytest.importorskip("axe_core_python")
    from tests.web.accessibility import violations

    tab = tab_of_window
    show(tab, site, language, width=width, scheme="dark" if width < 500 else "light")
    found = tab.evaluate(READ)
    assert len(found) == 2 + 3 + 1 + 2 + 1 + 1 + len(PLAYED) + 1
    for one in found:
        assert one["size"] >= 10.5, one
        assert one["cut"] == [], one
        assert len(one["label"]) > 10
        assert "{" not in one["label"]
        assert "undefined" not in one["label"]
    assert overflow(tab) == 0
    assert violations(tab) == []
    assert complaints(tab) == []


def test_candies_keep_the_share_of_their_area(tab_of_window: Page, site: Path) -> None:
    show(tab_of_window, site)
    radii = (
        tab_of_window.locator("section#candies svg.drawn")
        .first.locator(".body")
        .evaluate_all("all => all.map((one) => one.rx.baseVal.value * one.ry.baseVal.value)")
    )
    assert len(radii) == 3 + 2 + 1
    first, second, third = shares(3)
    expected = [*[first] * 3, *[second] * 2, third]
    assert [one / radii[0] for one in radii] == pytest.approx(expected, abs=0.02)
    label = tab_of_window.locator("section#candies svg.drawn").first.get_attribute("aria-label")
    assert "rank 2: grade 2, 63% left" in str(label)


def test_lists_are_compared(tab_of_window: Page, site: Path) -> None:
    show(tab_of_window, site)
    rows = tab_of_window.locator("section#compare svg.drawn")
    expect(rows.nth(0).locator(".differs")).to_have_count(0)
    expect(rows.nth(1).locator(".differs")).to_have_count(5)
    expect(rows).to_have_count(3)
    expect(rows.nth(2)).to_contain_text("Ideal list")
    expect(rows.nth(2)).to_contain_text("ndcg 1")


def test_a_curve_steps_as_documents_move(tab_of_window: Page, site: Path) -> None:
    tab = tab_of_window
    show(tab, site)
    section = tab.locator("section#play-roc")
    for key in ("ArrowDown", "ArrowDown", "ArrowUp", "ArrowDown"):
        section.locator(".list li[data-index='0']").press(key)
        grades = order(section)
        points = section.locator("polyline.curve").evaluate(
            "one => [...one.points].map(({ x, y }) => [x, y])"
        )
        # Up for a relevant document, right for another one.
        steps = ["up" if new[1] < old[1] else "right" for old, new in pairwise(points)]
        assert steps == ["up" if grade else "right" for grade in grades]
        area = relyon.measure("auc").score(grades)
        expect(section.locator("svg.drawn")).to_contain_text(f"AUC {area:.3f}")
    slider = section.locator(".cut input")
    slider.fill("1")
    assert grades[0] == 0
    expect(section.locator(".facts dt").nth(0)).to_have_text("0")
    expect(section.locator(".facts dt").nth(1)).to_have_text("0.500")
    slider.press("ArrowRight")
    expect(section.locator(".facts dt").nth(0)).to_have_text("0.333")
    assert "TPR 0.333" in str(slider.get_attribute("aria-valuetext"))


def test_lines_of_pairs_follow_the_list(tab_of_window: Page, site: Path) -> None:
    tab = tab_of_window
    show(tab, site)
    section = tab.locator("section#play-pairs")
    for _ in range(3):
        section.locator(".list li[data-index='0']").press("ArrowDown")
        grades = order(section)
        lines = section.locator("svg[role=img] path.pair")
        wrong = sum(upper < lower for upper, lower in combinations(grades, 2))
        equal = sum(upper == lower for upper, lower in combinations(grades, 2))
        expect(section.locator("svg[role=img] path.wrong")).to_have_count(wrong)
        expect(section.locator("svg[role=img] path.equal")).to_have_count(equal)
        expect(lines).to_have_count(10)
        assert (10 - wrong) / wrong == relyon.measure("pnr").score(grades)
        expect(section.locator(".facts dt").nth(1)).to_have_text(str(wrong))
    # Thirteen to two, four of the thirteen of equal grades.
    facts = tab.locator("section#pairs .facts").first.locator("dt")
    assert [text.strip() for text in facts.all_inner_texts()] == ["9", "2", "4"]
    expect(tab.locator("section#pairs .facts").nth(1)).to_contain_text("Equal scores (not counted)")


def test_arrows_follow_the_order_and_show_their_parts(tab_of_window: Page, site: Path) -> None:
    tab = tab_of_window
    show(tab, site)
    section = tab.locator("section#play-lambdas")
    button = section.locator(".drawing button")
    button.press("Enter")
    expect(button).to_have_attribute("aria-expanded", "true")
    for _ in range(2):
        section.locator(".list li[data-index='0']").press("ArrowDown")
        grades = order(section)
        block = Picture("p", "lambdas", "", (",".join(map(str, grades)),), (), {})
        data: Any = picture_data(block)
        ((_, one),) = data["lambdas"].items()
        shown = section.locator("svg[role=img] text.small.strong").all_text_contents()
        assert [float(text.replace("−", "-")) for text in shown] == pytest.approx(
            one["pushes"], abs=6e-4
        )
        expect(section.locator("path.rise")).to_have_count(
            sum(push > 0.005 for push in one["pushes"])
        )
        expect(section.locator(".parts li")).to_have_count(len(one["pairs"]))
    button.click()
    expect(section.locator(".parts")).to_have_count(0)


def test_the_interval_narrows_as_the_dial_turns(tab_of_window: Page, site: Path) -> None:
    tab = tab_of_window
    show(tab, site)
    section = tab.locator("section#dial")
    before = 10_000.0
    for place, sessions in enumerate((10, 20, 40)):
        section.locator("input").fill(str(place))
        expect(section.locator("circle.session")).to_have_count(sessions)
        ranges = section.locator("line.range:not(.past)").evaluate_all(
            "all => all.map((one) => one.x2.baseVal.value - one.x1.baseVal.value)"
        )
        assert len(ranges) == 2
        expect(section.locator("line.past")).to_have_count(place)
        assert ranges[1] < before
        before = ranges[1]


def test_what_is_hidden_is_drawn_for_print(tab_of_window: Page, site: Path) -> None:
    tab = tab_of_window
    open_page(tab, (site / "en" / "01-drawn.html").as_uri())
    hidden = tab.locator("section#lambdas svg.drawn")
    expect(hidden).to_have_count(1)
    expect(hidden).to_be_hidden()


def test_drawings_are_told_without_scripts(browser: Browser, site: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    tab = context.new_page()
    tab.goto((site / "zh" / "01-drawn.html").as_uri())
    for name in PICTURES:
        expect(tab.locator(f"section#{name} .caption")).to_have_text(f"Told of {name}")
    context.close()


@pytest.mark.parametrize("language", LANGUAGES)
def test_drawings_name_what_they_show(language: Language, tab_of_window: Page, site: Path) -> None:
    show(tab_of_window, site, language)
    words = catalogue("learn", language)
    for place, name in ((1, "picture.wrong"), (0, "picture.right")):
        facts = tab_of_window.locator("section#pairs .facts").first.locator("dd")
        expect(facts.nth(place)).to_have_text(words[name])
