"""Blocks and text of a lesson as HTML, and what their scripts need to know as data."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup, escape

from relyon.analysis.explanation import Explanation
from relyon.core.texts import PAGE, Language, catalogue, translate
from relyon.core.texts.languages import language_tag
from relyon.learn.blocks import Block, Choice, Dial, Picture, Play, Predict, Quiz, Try
from relyon.learn.figures import figure_of
from relyon.learn.lesson import NUMBER
from relyon.learn.pages.drawn import json_number, picture_data, play_drawing
from relyon.learn.pages.recorded import first_state, key, reached, record
from relyon.learn.quantities import derivation, quantity

if TYPE_CHECKING:
    from markdown_it.renderer import RendererHTML
    from markdown_it.utils import EnvType, OptionsDict


__all__ = ["block_data", "derivation_steps", "explained_steps", "markdown", "markdown_line"]

CHINESE = "\u3000-\u30ff\u3400-\u9fff\uff00-\uffef"
MARKS = "\u3000-\u303f\uff00-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65"
#: Chinese words, which a voice must not read as another language.
WORDS = re.compile("[\u3400-\u9fff]+")
#: The characters around a line's end that is no space: Chinese has none between words, nor
#: beside its punctuation.
UNSPACED = re.compile(f"[{CHINESE}][{CHINESE}“”‘’]|[“”‘’][{CHINESE}]|[{MARKS}].|.[{MARKS}]")


def _line_end(_: object, tokens: Sequence[Token], place: int, *__: object) -> str:
    before = "".join(token.content for token in tokens[:place])[-1:]
    after = "".join(token.content for token in tokens[place + 1 :])[:1]
    return "" if UNSPACED.fullmatch(before + after) else "\n"


def _cell(
    renderer: RendererHTML, tokens: Sequence[Token], place: int, options: OptionsDict, env: EnvType
) -> str:
    """Renders a cell with its alignment as a class: the pages allow no styles in elements."""
    attributes = tokens[place].attrs
    side = str(attributes.pop("style", "")).removeprefix("text-align:")
    if side:
        attributes["class"] = side
    return str(renderer.renderToken(tokens, place, options, env))


def _fence(
    renderer: RendererHTML, tokens: Sequence[Token], place: int, options: OptionsDict, env: EnvType
) -> str:
    """Renders code so that it can be reached, and scrolled where it is wide, by keyboard."""
    return renderer.fence(tokens, place, options, env).replace("<pre>", '<pre tabindex="0">', 1)


def _table(
    renderer: RendererHTML, tokens: Sequence[Token], place: int, options: OptionsDict, env: EnvType
) -> str:
    """Renders a table in a box of its own: where it is wide, the box scrolls and not the page."""
    begins = tokens[place].nesting > 0
    tag = str(renderer.renderToken(tokens, place, options, env))
    return f'<div class="scroll" tabindex="0">{tag}' if begins else f"{tag}</div>"


MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
MARKDOWN.add_render_rule("softbreak", _line_end)
MARKDOWN.add_render_rule("fence", _fence)
for _kind in ("table_open", "table_close"):
    MARKDOWN.add_render_rule(_kind, _table)
for _kind in ("th_open", "td_open"):
    MARKDOWN.add_render_rule(_kind, _cell)
#: Around a number's place, and between asterisks and Chinese punctuation, while Markdown is
#: rendered: no lesson contains these.
OPEN, CLOSE, LETTER = "\ue000", "\ue001", "\ue002"
#: Asterisks between Chinese punctuation and a word: Markdown would not take them for bold.
TIGHT = re.compile(rf"(?<=[{MARKS}“”])(?=\*\*[\w{OPEN}])|(?<=[\w{CLOSE}]\*\*)(?=[{MARKS}“”])")
#: What is not broken between two lines: a short list, a term of a formula, a ratio, a step between
#: grades; and its beginning and end while Markdown is rendered.
WHOLE = re.compile(
    r"\[[-−–∞\d.]+(?:, [-−–∞\d.]+){1,7}\](?!\()"
    r"|\w*\^?\([\w/^]+ [+−] [\w/^]+\)"
    r"|\w+\^\w+ − 1|\d+ : \d+|[\u3400-\u9fff]→[\u3400-\u9fff]"
)
BEGIN, END = "\ue003", "\ue004"


def markdown(text: str, language: Language) -> Markup:
    """Returns Markdown as HTML; its numbers say what they are."""
    return _with_numbers(text, language, MARKDOWN.render)


def markdown_line(text: str, language: Language) -> Markup:
    """Returns Markdown of one paragraph as HTML, without the paragraph."""
    return _with_numbers(text, language, MARKDOWN.renderInline)


def _with_numbers(text: str, language: Language, render: Callable[[str], str]) -> Markup:
    numbers: list[str] = []
    words = catalogue("learn", language)

    def put(found: re.Match[str]) -> str:
        title = words.say("page.number", what=readable(found["expression"]))
        numbers.append(
            f'<span class="number" title="{escape(title)}">{escape(found["written"])}</span>'
        )
        return f"{OPEN}{len(numbers) - 1}{CLOSE}"

    source = WHOLE.sub(rf"{BEGIN}\g<0>{END}", NUMBER.sub(put, text))
    html = render(TIGHT.sub(LETTER, source)).replace(LETTER, "")
    html = html.replace(BEGIN, '<span class="whole">').replace(END, "</span>")
    if language != "zh":
        html = WORDS.sub(rf'<span lang="{language_tag("zh")}">\g<0></span>', html)
    return Markup(re.sub(f"{OPEN}(\\d+){CLOSE}", lambda found: numbers[int(found[1])], html))


def readable(expression: str) -> str:
    """Returns an expression as people read it.

    Examples:
        >>> readable("ndcg@3:2,3,0")
        'ndcg@3 [2, 3, 0]'
    """
    return re.sub(
        r"([\w@.()=]+):([\d,./=&-]+)",
        lambda found: f"{found[1]} [{found[2].replace(',', ', ')}]",
        expression,
    )


def block_data(block: Block, language: Language) -> dict[str, object]:
    """Returns the data for the script of a block, ready for JSON."""
    data: dict[str, object] = {"id": block.id, "kind": block.kind}
    if isinstance(block, Predict | Quiz) and block.choices:
        data["choices"] = [_choice(choice, language) for choice in block.choices]
    if isinstance(block, Predict) and block.slider:
        answer = quantity(block.slider.answer)
        data |= {"answer": answer, "near": block.slider.near, "step": block.slider.step}
        data["reply"] = markdown_line(block.reply, language)
    if isinstance(block, Quiz) and block.form == "order":
        data["reply"] = markdown_line(block.reply, language)
        data["otherwise"] = markdown_line(block.otherwise, language)
    if isinstance(block, Play):
        data |= _play(block, language)
    if isinstance(block, Dial):
        data |= _dial(block)
    if isinstance(block, Try):
        data |= {"command": block.command, "places": block.places}
    if isinstance(block, Picture):
        data["drawing"] = picture_data(block)
    return data


def _choice(choice: Choice, language: Language) -> dict[str, object]:
    return {
        "right": choice.right,
        "also": choice.also,
        "reply": markdown_line(choice.reply, language),
    }


def _play(play: Play, language: Language) -> dict[str, object]:
    found = record(play)
    highest = [_highest(found.values.values(), column) for column in range(len(play.measures))]
    drawing = {"drawing": play_drawing(play, found)} if play.drawing else {}
    return {
        **drawing,
        "documents": [
            {
                "title": document.title,
                "grade": None if math.isnan(document.grade) else document.grade,
            }
            for document in play.documents
        ],
        "retrieved": play.retrieved,
        "line": play.line,
        "measures": list(play.measures),
        "highest": highest,
        "start": key(first_state(play)),
        "record": {name: list(map(json_number, row)) for name, row in found.values.items()},
        "goals": [
            {
                "text": markdown_line(goal.text, language),
                "hint": markdown_line(goal.hint, language),
                "moves": goal.moves,
                "reached": [name for name in found.values if reached(goal, play, found, name)],
            }
            for goal in play.goals
        ],
    }


def _highest(rows: Iterable[Sequence[float | None]], column: int) -> float:
    values = (row[column] for row in rows)
    known = [one for one in values if one is not None and math.isfinite(one)]
    return max(1.0, *known)


def _dial(dial: Dial) -> dict[str, object]:
    found = [figure_of(dial.figure, setting) for setting in dial.settings]
    drawing = {"drawing": {"name": dial.drawing, "names": dict(dial.names)}} if dial.drawing else {}
    return {
        **drawing,
        "settings": list(dial.settings),
        "start": dial.settings.index(dial.start),
        "names": dict(dial.names),
        "digits": dial.digits,
        "frames": [
            {
                "values": {name: json_number(value) for name, value in one.values.items()},
                "series": {name: list(points) for name, points in one.series.items()},
            }
            for one in found
        ],
    }


def derivation_steps(of: str, language: Language) -> list[str]:
    """Returns a derivation as sentences, one for each step.

    Args:
        of: A measure and one list, such as ``ndcg@3:2,3,0``.
        language: The language of the sentences.
    """
    return explained_steps(derivation(of), language)


def explained_steps(found: Explanation, language: Language) -> list[str]:
    """Returns an explanation as sentences, one for each step."""
    return list(_sentences(found, language))


def _sentences(found: Explanation, language: Language) -> Iterator[str]:
    words = catalogue("learn", language)
    if found.undefined:
        yield words.say("derive.undefined", reason=translate(found.undefined, language))
        return
    gains, discounts = (translate(one, language) for one in found.measure.headings)
    titles = found.titles or {}
    ideal = _divisor(found)
    for step in found.steps:
        parts = [
            words.say(
                "derive.step",
                rank=step.rank,
                document=_named(step.document, titles),
                grade=words["derive.unjudged"] if step.grade is None else f"{step.grade:g}",
                gains=gains,
                gain=_short(step.gain),
                discounts=discounts,
                discount=_short(step.discount),
            )
        ]
        if found.measure.is_additive:
            parts.append(words.say("derive.adds", contribution=_short(step.contribution * ideal)))
        parts.append(words.say("derive.total", total=_short(step.total * ideal)))
        yield words["derive.between_parts"].join(parts)
    if found.ideal and math.isclose(found.ideal[-1].total, 1.0):  # it divides by its ideal
        steps = [
            words.say(
                "derive.ideal_step",
                document=_named(step.document, titles),
                grade="–" if step.grade is None else f"{step.grade:g}",
                contribution=_short(step.contribution * ideal),
            )
            for step in found.ideal
        ]
        listed = words["derive.between_steps"].join(steps)
        yield words.say("derive.ideal", steps=listed, total=_short(found.ideal[-1].total * ideal))
    if found.missed:
        names = ", ".join(f"{one.document} ({one.grade:g})" for one in found.missed)
        yield words.say("derive.missed", documents=names)
    if found.formula:
        yield words.say("derive.formula", formula=translate(found.formula, language))


def _divisor(found: Explanation) -> float:
    """Returns the ideal DCG that the steps of NDCG are divided by, 1 for other measures.

    By hand one divides once, at the end.
    """
    best = next((step for step in found.ideal if step.contribution), None)
    if best is None or found.measure.headings != ("gain", "discount"):
        return 1.0
    return best.gain / best.discount / best.contribution


def _named(document: str, titles: Mapping[str, str]) -> str:
    """Returns a document's id, with its title where it is known."""
    title = titles.get(document)
    return f"{document} “{title}”" if title else document or "–"


def _short(value: float) -> str:
    """Returns a number with three decimals, whole ones without."""
    return PAGE.number(value, 0 if float(value).is_integer() else 3)
