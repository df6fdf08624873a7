"""The cards of the course as a deck for Anki."""

from __future__ import annotations

import tempfile
import zlib
from collections.abc import Sequence
from pathlib import Path

from relyon.core.packages import optional_package
from relyon.core.texts import catalogue, message
from relyon.learn.blocks import Card
from relyon.learn.lesson import Lesson
from relyon.learn.pages.render import markdown_line

__all__ = ["anki_deck"]

STYLE = (
    ".card { font: 20px sans-serif; text-align: center; } .from { color: gray; font-size: 14px; }"
)


def anki_deck(lessons: Sequence[Lesson]) -> bytes:
    """Returns a file that Anki imports: one card for each of the course, tagged by lesson.

    Ids follow from the names of the cards, so a later deck renews the cards that are there.

    Args:
        lessons: The lessons of one language.

    Raises:
        DependencyError: If the package genanki is not installed.
    """
    genanki = optional_package("genanki", purpose=message("learn.anki-deck"))
    language = lessons[0].language
    words = catalogue("learn", language)
    model = genanki.Model(
        _number(f"relyon model {language}"),
        f"relyon ({language})",
        fields=[{"name": "Front"}, {"name": "Back"}, {"name": "Lesson"}],
        templates=[
            {
                "name": "Card",
                "qfmt": "{{Front}}<p class=from>{{Lesson}}</p>",
                "afmt": "{{FrontSide}}<hr id=answer>{{Back}}",
            }
        ],
        css=STYLE,
    )
    deck = genanki.Deck(_number(f"relyon deck {language}"), f"relyon: {words['page.course']}")
    for lesson in lessons:
        for block in lesson.blocks:
            if isinstance(block, Card):
                sides = [markdown_line(side, language) for side in (block.front, block.back)]
                deck.add_note(
                    genanki.Note(
                        model=model,
                        fields=[*map(str, sides), f"{lesson.number} {lesson.title}"],
                        guid=f"relyon/{language}/{lesson.name}/{block.id}",
                        tags=[f"lesson-{lesson.number:02d}"],
                    )
                )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "deck.apkg"
        genanki.Package(deck).write_to_file(str(path), timestamp=0.0)
        return path.read_bytes()


def _number(name: str) -> int:
    """Returns a number for a name, always the same, as Anki wants ids."""
    return 2**31 + zlib.crc32(name.encode())
