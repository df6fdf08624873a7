"""Cards and questions of the course in a terminal."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from relyon.core.texts import Language, catalogue
from relyon.learn.blocks import Card, Choice, Predict, Quiz
from relyon.learn.lesson import Lesson, plain_text
from relyon.learn.progress import RATINGS, Progress
from relyon.learn.quantities import quantity

__all__ = ["Study"]

#: Cards that have never been seen, per sitting: more of them would all come back tomorrow.
NEW_CARDS = 10


class EndError(Exception):
    """The learner wants to stop."""


@dataclass
class Study:
    """A sitting: first the cards that are due, then the questions that are not answered yet.

    Attributes:
        lessons: The lessons to study.
        progress: What was done before.
        language: The language of the lessons.
        ask: Shows a question of one line, and returns what is typed; raises `EOFError` at the end.
        say: Shows a line.
    """

    lessons: Sequence[Lesson]
    progress: Progress
    language: Language
    ask: Callable[[str], str]
    say: Callable[[str], None]

    def run(self) -> None:
        """Asks until everything is done, or the learner stops."""
        words = catalogue("learn", self.language)
        self.say(words["terminal.how"])
        try:
            self._cards()
            self._questions()
        except (EndError, EOFError):
            self.say("")
        right = [one for one in self.progress.answers.values() if one.get("first")]
        self.say(
            words.say(
                "terminal.end",
                right=len(right),
                answered=sum("first" in one for one in self.progress.answers.values()),
                cards=len(self.progress.cards),
            )
        )

    def _cards(self) -> None:
        words = catalogue("learn", self.language)
        cards = {
            f"{lesson.name}/{block.id}": (lesson, block)
            for lesson in self.lessons
            for block in lesson.blocks
            if isinstance(block, Card)
        }
        due = self.progress.due(list(cards), datetime.now(UTC))
        new = [name for name in due if name not in self.progress.cards]
        for name in [one for one in due if one not in new] + new[:NEW_CARDS]:
            lesson, card = cards[name]
            self._head(lesson, words["kind.card"])
            self.say(plain_text(card.front))
            self._typed(words["terminal.show"])
            self.say(plain_text(card.back))
            ratings = [f"{place} {words[f'cards.{one}']}" for place, one in enumerate(RATINGS, 1)]
            rating = self._number(f"{'  '.join(ratings)}: ", len(RATINGS))
            self.progress.rate(name, RATINGS[rating - 1], datetime.now(UTC))

    def _questions(self) -> None:
        for lesson in self.lessons:
            for block in lesson.blocks:
                name = f"{lesson.name}/{block.id}"
                if isinstance(block, Predict | Quiz) and name not in self.progress.answers:
                    self._question(lesson, block, name)

    def _question(self, lesson: Lesson, block: Predict | Quiz, name: str) -> None:
        words = catalogue("learn", self.language)
        self._head(lesson, words[f"kind.{block.kind}"])
        self.say(plain_text(block.ask))
        answer: list[int] | float
        if block.choices:
            several = isinstance(block, Quiz) and block.form == "multiple"
            right, reply, answer = self._choose(block.choices, several)
        elif isinstance(block, Quiz) and block.form == "order":
            right, reply, answer = self._order(block)
        else:
            right, reply, answer = self._value(block)
        mark = words["quiz.right"] if right else words["quiz.wrong"]
        self.say(f"{'✓' if right else '✗'} {mark} {plain_text(reply)}")
        self.progress.answer(name, right=right, answer=answer)

    def _choose(self, choices: Sequence[Choice], several: bool) -> tuple[bool, str, list[int]]:
        words = catalogue("learn", self.language)
        for place, choice in enumerate(choices, 1):
            self.say(f"  {place}  {plain_text(choice.text)}")
        while True:
            typed = self._typed(words["terminal.several" if several else "terminal.one"])
            picked = _places(typed, len(choices))
            if picked and (several or len(picked) == 1):
                break
        wrong = [
            choice
            for place, choice in enumerate(choices)
            if choice.right != (place in picked) and (several or place in picked)
        ]
        reply = (wrong or [choices[picked[0]]])[0].reply
        return not wrong, reply, picked

    def _order(self, block: Quiz) -> tuple[bool, str, list[int]]:
        words = catalogue("learn", self.language)
        shown = block.shuffled()
        for number, place in enumerate(shown, 1):
            self.say(f"  {number}  {plain_text(block.items[place])}")
        while True:
            picked = _places(self._typed(words["terminal.order"]), len(shown))
            if len(picked) == len(shown):
                break
        answer = [shown[place] for place in picked]
        right = answer == sorted(answer)
        return right, block.reply if right else block.otherwise, answer

    def _value(self, block: Predict | Quiz) -> tuple[bool, str, float]:
        words = catalogue("learn", self.language)
        value = None
        while value is None:
            value = _typed_number(self._typed(f"{words['quiz.number']}: "))
        if isinstance(block, Predict):
            slider = block.slider
            near = slider is not None and abs(value - quantity(slider.answer)) <= slider.near
            return near, block.reply, value
        if abs(value - quantity(block.answer)) <= block.tolerance:
            return True, block.reply, value
        known = [
            one.reply for one in block.wrong if abs(value - quantity(one.value)) <= block.tolerance
        ]
        return False, (known or [block.otherwise])[0], value

    def _head(self, lesson: Lesson, kind: str) -> None:
        self.say("")
        self.say(f"── {lesson.number} {lesson.title} · {kind}")

    def _number(self, question: str, most: int) -> int:
        while True:
            typed = self._typed(question)
            if typed.isdigit() and 1 <= int(typed) <= most:
                return int(typed)

    def _typed(self, question: str) -> str:
        typed = self.ask(question).strip()
        if typed.lower() in {"q", "quit", "exit"}:
            raise EndError
        return typed


def _places(text: str, most: int) -> list[int]:
    """Returns the places that a learner typed, counted from 0; empty if it is something else."""
    parts = text.replace(",", " ").replace("，", " ").replace("、", " ").split()
    if not all(part.isdigit() and 1 <= int(part) <= most for part in parts):
        return []
    return list(dict.fromkeys(int(part) - 1 for part in parts))


def _typed_number(text: str) -> float | None:
    """Returns a number as people type it, `None` if it is not a number."""
    plain = unicodedata.normalize("NFKC", text).replace("−", "-").strip()
    percent = plain.endswith("%")
    plain = plain.removesuffix("%").strip()
    if plain.count(",") == 1 and "." not in plain:
        plain = plain.replace(",", ".")
    try:
        value = float(plain)
    except ValueError:
        return None
    return value / 100 if percent else value
