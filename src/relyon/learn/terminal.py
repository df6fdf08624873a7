"""Cards and questions of the course in a terminal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from relyon.core.texts import Language, catalogue
from relyon.learn.blocks import Card, Choice, Predict, Quiz
from relyon.learn.lesson import Lesson, plain_text
from relyon.learn.pages.fresh import fresh_questions
from relyon.learn.pages.worked import worked_lines
from relyon.learn.progress import RATINGS, Progress
from relyon.learn.quantities import quantity
from relyon.learn.typed import read_number

__all__ = ["Study"]


#: Right answers in a row after which a question is not asked of further lists.
STREAK = 3
#: How an answer was, as one sign.
MARKS = {"right": "✓", "also": "◐", "some": "◐", "mixed": "◐", "wrong": "✗"}


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
        today = self.progress.today(list(cards), datetime.now(UTC))
        for name in today.asked:
            lesson, card = cards[name]
            self._head(lesson, words["kind.card"])
            self.say(plain_text(card.front))
            self._typed(words["terminal.show"])
            self.say(plain_text(card.back))
            ratings = [f"{place} {words[f'cards.{one}']}" for place, one in enumerate(RATINGS, 1)]
            rating = self._number(f"{'  '.join(ratings)}: ", len(RATINGS))
            self.progress.rate(name, RATINGS[rating - 1], datetime.now(UTC))
        if today.held:
            self.say("")
            self.say(words.count("cards.held", today.held))

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
            mark, replies, answer = self._choose(block.choices, several)
        elif isinstance(block, Quiz) and block.form == "order":
            mark, replies, answer = self._order(block)
        else:
            found = self._value(block)
            if found is None:
                self.progress.show(name)
            else:
                self.progress.answer(name, right=found[0], answer=found[1])
            if isinstance(block, Quiz):
                self._fresh(block)
            return
        self._reply(mark, replies)
        self.progress.answer(name, right=mark in {"right", "also"}, answer=answer)

    def _reply(self, mark: str, replies: Sequence[str], lead: str = "") -> None:
        """Prints whether an answer was right, and why."""
        words = catalogue("learn", self.language)
        first, *rest = replies
        said = " ".join(filter(None, [MARKS[mark], lead, words[f"quiz.{mark}"]]))
        self.say(f"{said} {plain_text(first)}")
        for one in rest:
            self.say(f"  {plain_text(one)}")

    def _choose(self, choices: Sequence[Choice], several: bool) -> tuple[str, list[str], list[int]]:
        words = catalogue("learn", self.language)
        for place, choice in enumerate(choices, 1):
            self.say(f"  {place}  {plain_text(choice.text)}")
        while True:
            typed = self._typed(words["terminal.several" if several else "terminal.one"])
            picked = _places(typed, len(choices))
            if picked and (several or len(picked) == 1):
                break
            self.say(words["terminal.not_places"])
        if not several:
            one = choices[picked[0]]
            mark = "right" if one.right else "also" if one.also else "wrong"
            return mark, [one.reply], picked
        odd = [choices[place] for place in picked if not choices[place].right]
        odd = [choice for choice in odd if not choice.also]
        ticked = [choices[place] for place in picked]
        missed = [choice for choice in choices if choice.right and choice not in ticked]
        if not odd and not missed:
            return "right", [choice.reply for choice in ticked], picked
        replies = [
            f"{words.say(f'quiz.{key}', option=choice.text)} {choice.reply}"
            for key, named in (("not_this", odd), ("missed", missed))
            for choice in named
        ]
        good = any(choice.right for choice in ticked)
        mark = "wrong" if not good else "mixed" if odd else "some"
        return mark, replies, picked

    def _order(self, block: Quiz) -> tuple[str, list[str], list[int]]:
        words = catalogue("learn", self.language)
        shown = block.shuffled()
        for number, place in enumerate(shown, 1):
            self.say(f"  {number}  {plain_text(block.items[place])}")
        while True:
            picked = _places(self._typed(words["terminal.order"]), len(shown))
            if len(picked) == len(shown):
                break
            self.say(words["terminal.not_places"])
        answer = [shown[place] for place in picked]
        right = answer == sorted(answer)
        mark = "right" if right else "wrong"
        return mark, [block.reply if right else block.otherwise], answer

    def _value(self, block: Predict | Quiz) -> tuple[bool, float] | None:
        """Asks for a number; `None` if the worked result was asked for first."""
        words = catalogue("learn", self.language)
        if isinstance(block, Quiz):
            self.say(words["terminal.worked"])
            answer, tolerance = quantity(block.answer), block.tolerance
            others = [quantity(one.value) for one in block.wrong]
        else:
            slider = block.slider
            answer = quantity(slider.answer) if slider else 0.0
            tolerance, others = (slider.near if slider else 0.0), []
        while True:
            typed = self._typed(f"{words['quiz.number']}: ")
            if isinstance(block, Quiz) and typed in {"?", "？"}:
                for line in worked_lines(block, self.language):
                    self.say(f"  {line}")
                self.say(plain_text(block.reply))
                return None
            read = read_number(typed, answer, tolerance, others)
            if read is not None:
                break
            key = "not_understood" if typed else "nothing_typed"
            self.say(words.say(f"quiz.{key}", typed=typed))
        right = abs(read.value - answer) <= tolerance
        reply = block.reply
        if isinstance(block, Quiz) and not right:
            known = [
                one.reply
                for one, value in zip(block.wrong, others, strict=True)
                if abs(read.value - value) <= tolerance
            ]
            reply = [*known, block.otherwise][0]
        lead = words.say("quiz.read_as", value=read.shown) if read.shown else ""
        self._reply("right" if right else "wrong", [reply], lead)
        return right, read.value

    def _fresh(self, block: Quiz) -> None:
        """Asks the same of further lists, as long as the learner wants, or until it is secure."""
        words = catalogue("learn", self.language)
        streak = 0
        for one in fresh_questions(block):
            if not self._typed(words["terminal.another"]):
                return
            self.say(plain_text(one.ask))
            found = self._value(one)
            streak = streak + 1 if found is not None and found[0] else 0
            if streak == STREAK:
                self.say(words["fresh.streak"])
                return

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
