"""The course: numbers are what relyon computes, languages are in step, faults are found."""

from __future__ import annotations

import html
import io
import math
import re
import sqlite3
import subprocess
import sys
import zipfile
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import example, given, settings, strategies as st
from tests.unit.conftest import Command

import relyon
from relyon.core.errors import InputError, ParseError, UnknownNameError
from relyon.core.lessons import lessons as links
from relyon.core.texts import LANGUAGES
from relyon.core.texts.languages import Language
from relyon.learn import course, read_course
from relyon.learn.blocks import Card, Play, PlayDocument
from relyon.learn.course import LESSONS, find_lesson
from relyon.learn.lesson import Lesson, numbers, plain_text, read_lesson
from relyon.learn.lesson_checks import check_languages, check_lesson, check_text
from relyon.learn.pages.recorded import MOST_ORDERS, record
from relyon.learn.quantities import matches, quantity
from relyon.measures import registry

ROOT = Path(__file__).parents[2]
FRONT = '+++\ntitle = "T"\nsummary = "S"\nminutes = 1\n+++\n'
CHOICES = '[[choices]]\ntext = "a"\nright = true\nreply = "yes"\n'
LIST = "".join(
    f'[[documents]]\ntitle = "{title}"\ngrade = {grade}\n'
    for title, grade in (("a", 0), ("b", 2), ("c", 1))
)


def lesson(text: str, folder: Path, language: Language = "en") -> Lesson:
    path = folder / language / "01-one.md"
    path.parent.mkdir(exist_ok=True)
    path.write_text(FRONT + text, encoding="utf-8")
    return read_lesson(path, language)


def fence(kind: str, fields: str) -> str:
    return f"```{kind}\n{fields}\n```\n"


@pytest.mark.long
@pytest.mark.parametrize("language", LANGUAGES)
def test_lessons_have_no_fault(language: Language) -> None:
    faults = [fault.said() for one in course(language) for fault in check_lesson(one)]
    assert faults == []


def test_languages_are_in_step() -> None:
    first, *others = (course(language) for language in LANGUAGES)
    assert [fault.said() for other in others for fault in check_languages(first, other)] == []


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("ndcg@3:2,3,0", 0.9134),
        ("ndcg@4:1,3,2,0", 0.8175),
        ("recall@2:1,0/1,1", 1 / 3),
        ("rr:-,1", 0.5),
        ("auc:1=0", 0.5),
        ("ap:1,0&0,1", 0.75),
        ("dcg:3,2;gain=exp", 7 + 3 / math.log2(3)),
        ("ndcg@2:1,2;preset=lightgbm", (1 + 3 / math.log2(3)) / (3 + 1 / math.log2(3))),
        ("{dcg:0,1}/{dcg:1,0}", 1 / math.log2(3)),
        ("-2^3+sqrt(16)", -4.0),
    ],
)
def test_a_quantity_is_what_relyon_computes(expression: str, value: float) -> None:
    assert quantity(expression) == pytest.approx(value, abs=5e-5)


@pytest.mark.parametrize(
    "expression",
    ["", "ndcg", "ndcg@3:2,x", "1/0", "__import__('os')", "log2", "abs(1)", "dcg:1;gain", "a.b"],
)
def test_what_is_no_quantity_is_refused(expression: str) -> None:
    with pytest.raises(relyon.RelyonError):
        quantity(expression)


@pytest.mark.parametrize("expression", ["nothing@3:1,0", "dcg:1;preset=nothing", "#nothing/x"])
def test_names_that_relyon_does_not_know_are_refused(expression: str) -> None:
    with pytest.raises(UnknownNameError):
        quantity(expression)


@given(st.floats(-1e6, 1e6), st.integers(0, 6))
@example(2048.1015625, 6)  # in the middle, and not exact in binary
def test_a_rounded_number_matches_and_its_neighbours_do_not(value: float, decimals: int) -> None:
    written = f"{value:.{decimals}f}"
    assert matches(written, value)
    step = 10.0**-decimals
    assert not matches(f"{float(written) + 2 * step:.{decimals}f}", value)


@pytest.mark.parametrize("written", ["", "x", "1.2.3", "undefined"])
def test_what_is_no_number_matches_nothing(written: str) -> None:
    assert not matches(written, 1.2)
    assert not matches("1.2", math.nan)


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("[0.92](=ndcg@3:2,3,0)", 6, "is written for"),
        ("It costs 0.913.", 6, "does not say what it is"),
        ("one\n\nIt costs 0.913.", 8, "does not say what it is"),
        (fence("card", 'id = "a"\nfront = "f"\nback = "b"'), 6, "bold"),
        (fence("card", 'id = "a"\nfront = "f"\nback = "**b c**"'), 6, "does not say `b c`"),
        (
            fence(
                "quiz",
                f'id = "a"\nask = "?"\nform = "single"\n{CHOICES}'
                '[[choices]]\ntext = "b"\nreply = "yes"',
            ),
            6,
            "same reply",
        ),
        (
            fence(
                "quiz",
                'id = "a"\nask = "?"\nform = "number"\nanswer = "1/2"\nreply = "r"\n'
                'otherwise = "o"\n[[wrong]]\nvalue = "1/2"\nreply = "w"',
            ),
            6,
            "within the tolerance",
        ),
        (
            fence(
                "predict",
                'id = "a"\nask = "?"\nreply = "r"\n[[slider]]\nto = 1.0\nanswer = "1+1"',
            ),
            6,
            "beyond the slider",
        ),
        (
            fence(
                "play",
                f'id = "a"\nask = "?"\nmeasures = ["dcg"]\n{LIST}[[goals]]\ntext = "g"\n'
                'want = { dcg = "highest" }\nmoves = 2',
            ),
            6,
            "takes 1 move, not 2",
        ),
        (
            fence(
                "play",
                f'id = "a"\nask = "?"\nmeasures = ["dcg", "recall@3"]\n{LIST}[[goals]]\n'
                'text = "g"\nwant = { "recall@3" = "lower" }\nmoves = 1',
            ),
            6,
            "cannot be reached",
        ),
        (fence("derive", 'id = "a"\nof = "nothing:1,0"'), 6, "unknown measure"),
        (fence("derive", 'id = "a"\nof = "ndcg"'), 6, "not a quantity"),
    ],
)
def test_faults_are_found_with_their_place(text: str, line: int, says: str, tmp_path: Path) -> None:
    faults = check_lesson(lesson(text, tmp_path))
    assert len(faults) == 1
    assert says in faults[0].said()
    assert faults[0].line == line
    assert faults[0].said("zh") != faults[0].said("en")


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        (fence("kwiz", 'id = "a"'), 6, "unknown block `kwiz`"),
        ("```quiz\nid = 1", 6, "not closed"),
        (fence("card", "id = "), 7, "cannot be read"),
        (fence("card", 'id = "a"\nfront = "f"'), 6, "`back` is missing"),
        (fence("card", 'id = "a"\nfront = "f"\nback = "b"\nbak = 1'), 6, "unknown field `bak`"),
        (fence("card", 'id = 1\nfront = "f"\nback = "b"'), 6, "`id` is not text"),
        (fence("quiz", 'id = "a"\nask = "?"\nform = "ternary"'), 6, "`form` cannot be"),
        (fence("quiz", f'id = "a"\nask = "?"\nform = "single"\n{CHOICES}'), 6, "right choice"),
        (fence("predict", 'id = "a"\nask = "?"'), 6, "[[choices]] or one [[slider]]"),
        (
            fence(
                "play",
                f'id = "a"\nask = "?"\nmeasures = ["dcg"]\n{LIST}[[goals]]\ntext = "g"\n'
                'want = { rr = "higher" }\nmoves = 1',
            ),
            6,
            "not among the measures",
        ),
        (2 * fence("card", 'id = "a"\nfront = "f"\nback = "b"'), 11, "exists twice"),
    ],
)
def test_a_lesson_that_cannot_be_read_says_where(
    text: str, line: int, says: str, tmp_path: Path
) -> None:
    with pytest.raises(ParseError) as caught:
        lesson(text, tmp_path)
    assert says in str(caught.value)
    assert caught.value.line == line
    assert "01-one.md" in str(caught.value)


def test_a_lesson_without_fields_or_a_folder_without_lessons_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "01-one.md"
    path.write_text("# One", encoding="utf-8")
    with pytest.raises(ParseError, match="does not begin"):
        read_lesson(path, "en")
    with pytest.raises(InputError, match="no lessons"):
        read_course(tmp_path, "en")


def test_languages_out_of_step_are_found(tmp_path: Path) -> None:
    card = fence("card", 'id = "a"\nfront = "f"\nback = "**b**"')
    english = lesson(f"b [1.0](=1)\n{card}", tmp_path)
    other = lesson(f"b [2.0](=2)\n{card}", tmp_path, "zh")
    said = [fault.said() for fault in check_languages([english], [other])]
    assert len(said) == 2
    assert all("more often" in one for one in said)
    missing = lesson("b [1.0](=1)", tmp_path, "zh")
    assert "its blocks are" in check_languages([english], [missing])[0].said()
    assert "only one language" in check_languages([english], [])[0].said()


@pytest.mark.long
@settings(max_examples=30)
@given(
    st.lists(st.sampled_from([0.0, 1.0, 2.0, 3.0]), min_size=2, max_size=5),
    st.booleans(),
)
def test_a_record_holds_what_evaluate_says_of_each_list(grades: list[float], line: bool) -> None:
    play = Play(
        "p", "?", tuple(PlayDocument("t", grade) for grade in grades), len(grades), line,
        ("ndcg@3", "recall@2", "rr"), "", (),
    )  # fmt: skip
    found = record(play)
    assert len(found.values) <= MOST_ORDERS
    for name, values in found.values.items():
        above, _, below = name.partition("/")
        expression = ",".join(above.split()) + (f"/{','.join(below.split())}" if below else "")
        for measure, value in zip(play.measures, values, strict=True):
            expected = quantity(f"{measure}:{expression}")
            assert value == (None if math.isnan(expected) else pytest.approx(expected, abs=1e-9))


def test_too_many_orders_are_refused() -> None:
    documents = tuple(PlayDocument("t", float(grade)) for grade in range(9))
    with pytest.raises(InputError, match="orders"):
        record(Play("p", "?", documents, 9, False, ("dcg",), "", ()))


@pytest.mark.long
def test_the_command_checks_lessons(command: Command, tmp_path: Path) -> None:
    assert command("learn", "--check-only").code == 0
    lesson("[0.5](=1/3)", tmp_path)
    outcome = command("learn", "--check-only", "--lessons", str(tmp_path))
    assert outcome.code == 1
    assert "01-one.md:6: `0.5` is written for `1/3`" in outcome.out
    assert "1 fault in the lessons" in outcome.err


@pytest.mark.long
def test_the_command_writes_pages_that_ask_nothing_of_the_net(
    command: Command, tmp_path: Path
) -> None:
    pytest.importorskip("markdown_it")
    outcome = command("learn", "-o", str(tmp_path / "course"))
    assert outcome.code == 0
    written = list((tmp_path / "course").rglob("*.html"))
    names = {f"{path.parent.name}/{path.stem}" for path in written}
    assert names >= {f"{one.language}/{one.name}" for code in LANGUAGES for one in course(code)}
    for page in written:
        text = page.read_text("utf-8")
        assert "://" not in text.replace("http://www.w3.org", "")
        assert len(text.encode()) < 1_000_000


def test_a_lesson_is_found_by_number_name_and_measure() -> None:
    lessons = course()
    for lesson in lessons:
        for name in (str(lesson.number), lesson.name, *lesson.measures):
            assert find_lesson(name, lessons) is lesson
    for name in ("99", "nothing", "num_q"):
        with pytest.raises(UnknownNameError, match="no lesson"):
            find_lesson(name, lessons)


@pytest.mark.parametrize("language", LANGUAGES)
def test_lessons_name_measures_that_exist(language: Language) -> None:
    for lesson in course(language):
        assert all(registry.get(name).name == name for name in lesson.measures)


def test_the_description_of_a_measure_names_its_lesson(command: Command) -> None:
    assert "relyon learn 3    IDCG and NDCG" in command("measures", "ndcg").out
    assert "Lesson" not in command("measures", "num_q").out


def test_a_line_ends_without_a_space_between_chinese_characters() -> None:
    pytest.importorskip("markdown_it")
    from relyon.learn.pages.render import markdown

    assert markdown("没有\n点击，\n“看”\nDCG", "zh") == "<p>没有点击，“看”\nDCG</p>\n"
    assert markdown("“one”\n“two”\nthree", "en") == "<p>“one”\n“two”\nthree</p>\n"


def test_bold_text_may_touch_chinese_punctuation() -> None:
    pytest.importorskip("markdown_it")
    from relyon.learn.pages.render import markdown_line

    bold = "<strong>增益。</strong>直接用<strong>“好”</strong>的，<strong>一</strong>。"
    assert markdown_line("**增益。**直接用**“好”**的，**一**。", "zh") == bold
    assert markdown_line("`a。**b`", "zh") == "<code>a。**b</code>"


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_mark_of_bold_text_is_left_on_a_page(language: Language) -> None:
    pytest.importorskip("markdown_it")
    from relyon.learn.pages.render import markdown_line

    for lesson in course(language):
        left = [text for text, _ in lesson.texts() if "**" in markdown_line(text, language)]
        assert left == [], lesson.name


def test_ndcg_is_derived_as_by_hand() -> None:
    pytest.importorskip("markdown_it")
    from relyon.learn.pages.render import derivation_steps

    *steps, ideal, together = derivation_steps("ndcg@3:2,3,0", "en")
    gains = [2.0, 3 / math.log2(3), 0.0]
    for step, gain, total in zip(steps, gains, [2.0, sum(gains), sum(gains)], strict=True):
        assert [float(one) for one in re.findall(r"(?:adds|total) ([\d.]+)", step)] == (
            pytest.approx([gain, total], abs=5e-4)
        )
    assert f"together {3 + 2 / math.log2(3):.3f}" in ideal
    assert "= 0.9134" in together
    assert not any("ideal" in step for step in derivation_steps("dcg:3,2,1,0", "en"))


def test_columns_are_aligned_by_classes_which_the_pages_allow() -> None:
    pytest.importorskip("markdown_it")
    from relyon.learn.pages.render import markdown

    page = markdown("| a | b | c |\n| --- | ---: | :-: |\n| 1 | 2 | 3 |\n", "en")
    assert re.findall(r"<t[hd]\b[^>]*>", page) == [
        "<th>", '<th class="right">', '<th class="center">',
        "<td>", '<td class="right">', '<td class="center">',
    ]  # fmt: skip


def test_the_cheat_sheets_say_what_relyon_computes() -> None:
    folder = LESSONS.parent / "sheets"
    texts = {one: (folder / f"{one}.md").read_text("utf-8") for one in LANGUAGES}
    assert [fault.said() for one, text in texts.items() for fault in check_text(text, one)] == []
    expressions = [[number.expression for number in numbers(text)] for text in texts.values()]
    assert all(one == expressions[0] for one in expressions)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_deck_holds_every_card_under_a_name_that_stays(
    language: Language, tmp_path: Path
) -> None:
    pytest.importorskip("genanki")
    from relyon.learn.deck import anki_deck

    def notes() -> dict[str, str]:
        with zipfile.ZipFile(io.BytesIO(anki_deck(course(language)))) as archive:
            archive.extract("collection.anki2", tmp_path)
        with closing(sqlite3.connect(tmp_path / "collection.anki2")) as database:
            return dict(database.execute("SELECT guid, flds FROM notes"))

    found = notes()
    cards = [
        (lesson.name, block)
        for lesson in course(language)
        for block in lesson.blocks
        if isinstance(block, Card)
    ]
    assert len(found) == len(cards)
    for name, card in cards:
        front, back, _ = found[f"relyon/{language}/{name}/{card.id}"].split("\x1f")
        assert re.sub("<[^>]*>", "", html.unescape(front)) == plain_text(card.front)
        assert "<strong>" in back
    assert notes() == found


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_on_diagnoses_leads_to_their_lessons(language: Language) -> None:
    page = ROOT / "docs" / ("" if language == "en" else language) / "diagnoses.md"
    parts = re.split(r"^### `([a-z-]+)`", page.read_text("utf-8"), flags=re.MULTILINE)
    found = {
        rule: re.findall(rf"learn/{language}/([\w-]+)\.html", text)
        for rule, text in zip(parts[1::2], parts[2::2], strict=True)
    }
    lessons = {rule: [one] for one, found in links()["diagnosis"].items() for rule in found}
    assert {rule: names for rule, names in found.items() if names} == lessons


def test_the_course_starts_without_the_judging_app() -> None:
    pytest.importorskip("starlette")
    code = (
        "import sys, relyon.learn.pages.site, relyon.learn.pages.server, relyon.app.process;"
        "print({'fastapi', 'sqlalchemy'} & set(sys.modules))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "set()"
