"""The course as a folder of pages that need nothing but a browser."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from importlib import resources
from importlib.util import find_spec
from pathlib import Path

import jinja2
from markupsafe import Markup

from relyon.analysis.explanation import Explanation
from relyon.core.texts import LANGUAGES, Language, catalogue
from relyon.core.texts.languages import language_name, language_tag
from relyon.learn.blocks import Block, Card, Derive, Dial, Predict, Quiz
from relyon.learn.course import course, read_course
from relyon.learn.deck import anki_deck
from relyon.learn.figures import figure_of
from relyon.learn.game import game_data
from relyon.learn.lesson import Lesson, plain_text
from relyon.learn.pages.fresh import fresh_questions
from relyon.learn.pages.minutes import deeper_minutes
from relyon.learn.pages.render import (
    block_data,
    derivation_steps,
    explained_steps,
    markdown,
    markdown_line,
    readable,
)
from relyon.learn.pages.review import review_script
from relyon.learn.pages.steps import Step, lesson_steps
from relyon.learn.pages.worked import number_data, worked_html
from relyon.learn.ration import LIMITS
from relyon.learn.tracks import TRACKS, course_tracks
from relyon.report.environment import environment

__all__ = ["lesson_page", "pages", "sheet_parts", "steps_ahead", "write_site"]

SCRIPTS = {
    "index": ("store.js", "track.js", "index.js"),
    "lesson": (
        "store.js",
        "track.js",
        "time.js",
        "fsrs.js",
        "schedule.js",
        "sortable.js",
        "chart.js",
        "numbers.js",
        "answers.js",
        "try.js",
        "draw.js",
        "picture-candies.js",
        "picture-roc.js",
        "picture-pairs.js",
        "picture-lambdas.js",
        "picture-interval.js",
        "play.js",
        "practice.js",
        "pace.js",
        "lesson.js",
    ),
    "cards": ("store.js", "fsrs.js", "schedule.js", "cards.js"),
    "learned": ("store.js", "track.js", "learned.js"),
    "game": ("store.js", "sortable.js", "taste.js", "game.js"),
    "sheet": ("sheet.js",),
}
#: The sheets of styles that the pages load as one, after that of the reports.
STYLES = ("learn.css", "index.css", "pictures.css", "answers.css", "pace.css")
ASSETS = ("theme.js", *dict.fromkeys(name for names in SCRIPTS.values() for name in names))
#: The block with the reader's own numbers: ids of lessons are in lower case.
OWN = "OWN"
PLACES = (
    ("index", "page.lessons"),
    ("cards", "page.cards"),
    ("game", "page.game"),
    ("sheet", "page.sheet"),
    ("learned", "page.learned"),
)
#: Makes the tracks of a course, as `course_tracks` returns them.
Tracks = Callable[[], Mapping[str, Mapping[str, object]]]
#: The deck of a language, where the package that writes it is installed.
DECK = "relyon-{language}.apkg"
HAS_DECKS = find_spec("genanki") is not None


def write_site(folder: Path, lessons: Path | None = None) -> list[Path]:
    """Writes the course into a folder, and returns its files.

    Args:
        folder: Created if missing; files of the same names are replaced.
        lessons: As for `pages`.
    """
    written = []
    for name, content in pages(lessons).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        written.append(path)
    return written


class Pages(Mapping[str, bytes]):
    """Files by their path, each made when it is first asked for.

    Args:
        makers: What makes each file.
    """

    def __init__(self, makers: Mapping[str, Callable[[], str | bytes]]) -> None:
        self._makers = makers
        self._made: dict[str, bytes] = {}

    def replaced(self, name: str, page: str) -> Pages:
        """Returns the same files with another page in the place of one."""
        return Pages({**self._makers, name: lambda: page})

    def __getitem__(self, name: str) -> bytes:
        if name not in self._made:
            made = self._makers[name]()
            self._made[name] = made.encode() if isinstance(made, str) else made
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        return name in self._makers  # a `Mapping` would make the page to find out

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)


@cache
def pages(lessons: Path | None = None) -> Pages:
    """Returns every file of the course by its path; a page is made when it is asked for.

    Args:
        lessons: A folder with a folder of lessons for each language; relyon's own by default.
    """
    found: dict[str, Callable[[], str | bytes]] = {name: partial(_asset, name) for name in ASSETS}
    found["learn.css"] = _style
    found["index.html"] = partial(_asset, "start.html")
    courses = {
        language: course(language) if lessons is None else read_course(lessons, language)
        for language in LANGUAGES
        if lessons is None or (lessons / language).is_dir()
    }
    file = TRACKS if lessons is None else lessons / TRACKS.name
    for language, read in courses.items():
        tracks = cache(partial(course_tracks, read, file))
        for place, _ in PLACES:
            found[f"{language}/{place}.html"] = partial(_page, place, language, read, tracks)
        for lesson in read:
            made = partial(lesson_page, lesson, read, tracks=tracks)
            found[f"{language}/{lesson.name}.html"] = made
        found[f"{language}/review.js"] = partial(review_script, read, partial(_block, language))
        if HAS_DECKS:
            found[DECK.format(language=language)] = partial(anki_deck, read)
    return Pages(found)


def steps_ahead() -> Iterator[Callable[[], object]]:
    """Yields what takes pages of relyon's course long: each setting of each figure, once."""
    asked = {
        (block.figure, setting): None
        for language in LANGUAGES
        for lesson in course(language)
        for block in lesson.blocks
        if isinstance(block, Dial)
        for setting in block.settings
    }
    for name, setting in asked:
        yield partial(figure_of, name, setting)


def _style() -> str:
    report = resources.files("relyon.report").joinpath("templates", "page.css")
    return "\n".join([report.read_text("utf-8"), *map(_asset, STYLES)])


def _page(place: str, language: Language, lessons: Sequence[Lesson], tracks: Tracks) -> str:
    """Returns a page other than a lesson."""
    words = catalogue("learn", language)
    title = words["page.course" if place == "index" else f"{place}.title"]
    values: dict[str, object]
    if place == "index":
        counts = {one.name: len(_questions(one)) for one in lessons}
        values = {"lessons": lessons, "counts": counts, "tracks": tracks()}
    elif place == "cards":
        values = {"cards": list(_cards(lessons, language)), "limits": LIMITS}
    elif place == "learned":
        values = {"facts": _facts(lessons), "tracks": tracks()}
    elif place == "game":
        values = {"game": game_data(language)}
    else:
        values = {"parts": sheet_parts(language)}
    return _render(place, f"{place}.html", language, title, **values)


def _facts(lessons: Sequence[Lesson]) -> dict[str, object]:
    """Returns what the page of what was learned knows of the course."""
    rows = {
        one.name: {
            "title": plain_text(one.title),
            "summary": plain_text(one.summary),
            "minutes": one.minutes,
            "questions": [f"{one.name}/{name}" for name in _questions(one)],
        }
        for one in lessons
    }
    cards = sum(isinstance(block, Card) for one in lessons for block in one.blocks)
    return {"lessons": rows, "cards": cards}


def sheet_parts(language: Language) -> list[Markup]:
    """Returns the parts of the cheat sheet, each with its heading."""
    text = resources.files("relyon.learn").joinpath("sheets", f"{language}.md").read_text("utf-8")
    parts = re.split(r"^(?=## )", text, flags=re.MULTILINE)
    return [markdown(part, language) for part in parts if part.strip()]


def lesson_page(
    lesson: Lesson,
    lessons: Sequence[Lesson],
    own: Explanation | None = None,
    tracks: Tracks = dict,
) -> str:
    """Returns the page of a lesson.

    Args:
        lesson: The lesson.
        lessons: The course, for the links to the lessons before and after it.
        own: A derivation of the reader's own numbers, which the page begins with.
        tracks: Returns the tracks of the course as `course_tracks` does; none by default.
    """
    language = lesson.language
    around: list[Lesson | None] = [None, *lessons, None]
    place = list(lessons).index(lesson) + 1
    return _render(
        "lesson",
        f"{lesson.name}.html",
        language,
        lesson.title,
        lesson=lesson,
        steps=[*_own(own, language), *_steps(lesson)],
        tracks=tracks(),
        before=around[place - 1],
        after=around[place + 1],
    )


def _own(own: Explanation | None, language: Language) -> Iterator[dict[str, object]]:
    """Yields the step with the derivation of the reader's own numbers."""
    if own is None:
        return
    words = catalogue("learn", language)
    what = words.say("derive.own_of", measure=own.name or own.measure, query=own.query)
    block = Derive(OWN, what, words["derive.own"], "")
    data = {"id": OWN, "kind": "derive"}
    part = {"block": block, "data": data, "steps": explained_steps(own, language)}
    yield {"key": OWN, "deeper": "", "begins": False, "minutes": 0, "parts": [part]}


def _questions(lesson: Lesson) -> list[str]:
    """Returns the blocks of a lesson that are answered."""
    return [block.id for block in lesson.blocks if isinstance(block, Predict | Quiz)]


def _cards(lessons: Sequence[Lesson], language: Language) -> Iterator[dict[str, object]]:
    for lesson in lessons:
        for block in lesson.blocks:
            if isinstance(block, Card):
                yield {
                    "id": f"{lesson.name}/{block.id}",
                    "lesson": lesson.number,
                    "front": markdown_line(block.front, language),
                    "back": markdown_line(block.back, language),
                }


def _steps(lesson: Lesson) -> Iterator[dict[str, object]]:
    """Yields what is on the screen at a time."""
    before = ""
    minutes = deeper_minutes(lesson)
    for step in lesson_steps(lesson):
        yield {
            "key": step.key,
            "deeper": step.deeper,
            "begins": step.deeper not in {"", before},
            "minutes": minutes.get(step.deeper, 0),
            "parts": list(_parts(step, lesson.language)),
        }
        before = step.deeper


def _parts(step: Step, language: Language) -> Iterator[dict[str, object]]:
    for part in step.parts:
        if isinstance(part, str):
            yield {"block": None, "html": markdown(part, language)}
        else:
            yield {"block": part, **_shown(part, language)}


def _shown(block: Block, language: Language) -> dict[str, object]:
    """Returns what a block's HTML is made of besides the block."""
    data = block_data(block, language)
    steps: Sequence[str] = []
    if isinstance(block, Derive):
        steps = derivation_steps(block.of, language)
    elif isinstance(block, Quiz) and block.form == "number":
        data |= number_data(block, language)
        data["fresh"] = [number_data(one, language, asked=True) for one in fresh_questions(block)]
        steps = worked_html(block, language)
    return {"data": data, "steps": steps}


def _block(language: Language, block: Block) -> str:
    """Returns a block as HTML, as lessons show it."""
    module = _environment().get_template("blocks.html").make_module(_texts(language))
    show: Callable[..., str] = vars(module)["show"]
    return str(show(block, **_shown(block, language)))


def _texts(language: Language) -> dict[str, object]:
    """Returns what every template says texts with."""
    words = catalogue("learn", language)

    def say(key: str, **put: object) -> str:
        return words.say(key, **put)

    return {
        "language": language,
        "say": say,
        "line": lambda text: markdown_line(text, language),
        "prose": lambda text: markdown(text, language),
    }


def _render(page: str, file: str, language: Language, title: str, **values: object) -> str:
    words = catalogue("learn", language)
    return (
        _environment()
        .get_template(f"{page}.html")
        .render(
            page=page,
            file=file,
            title=title,
            scripts=SCRIPTS[page],
            words=_json({name: words[name] for name in words if _read_by_scripts(name, page)}),
            places=PLACES,
            deck=f"../{DECK.format(language=language)}" if HAS_DECKS else "",
            all_languages=LANGUAGES,
            **_texts(language),
            **values,
        )
    )


def _read_by_scripts(name: str, page: str) -> bool:
    """Returns whether the scripts of a page may say a text."""
    return not name.startswith("page.lead") and (page == "game" or not name.startswith("game."))


def _shuffled(block: Block) -> list[dict[str, object]]:
    """Returns the items of a question of order as they are first shown."""
    if not isinstance(block, Quiz):
        return []
    return [{"place": place, "text": block.items[place]} for place in block.shuffled()]


def _json(value: object) -> Markup:
    """Returns JSON that can be part of a page: nothing in it ends the script."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return Markup(text.replace("<", "\\u003c"))


@cache
def _environment() -> jinja2.Environment:
    found = environment(jinja2.PackageLoader("relyon.learn"))
    found.globals.update(
        language_name=language_name,
        language_tag=language_tag,
        readable=readable,
        shuffled=_shuffled,
    )
    found.filters["json"] = _json
    return found


def _asset(name: str) -> str:
    return resources.files("relyon.learn").joinpath("static", name).read_text("utf-8")
