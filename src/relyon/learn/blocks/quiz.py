"""The block `quiz`: a question whose answer can be checked."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

from relyon.core.texts import message
from relyon.learn.blocks.block import Block
from relyon.learn.blocks.choice import Choice
from relyon.learn.blocks.fields import Fields

__all__ = ["LIST", "Quiz", "Wrong"]

#: What texts and expressions of a question write for its list.
LIST = "$list"
QUIZZES = ("single", "multiple", "number", "order")


@dataclass(frozen=True)
class Wrong:
    """A wrong number that learners find.

    Attributes:
        value: The expression of it.
        reply: How one comes to it, and why it is wrong.
    """

    value: str
    reply: str

    @classmethod
    def read(cls, fields: Fields) -> Wrong:
        """Reads one table ``[[wrong]]``."""
        found = cls(fields.text("value"), fields.text("reply"))
        fields.end()
        return found


@dataclass(frozen=True)
class Quiz(Block):
    """A question with an answer that can be checked.

    Attributes:
        id: Its name.
        ask: The question.
        form: `single` or `multiple` choice, a `number`, or an `order`.
        choices: Answers to choose, for `single` and `multiple`.
        answer: The expression of the right number, for `number`.
        tolerance: How far off a number may be.
        wrong: Wrong numbers and what they show, for `number`.
        items: What is put in order, in the right order, for `order`.
        reply: The reply to a right number or order.
        otherwise: The reply to any other number or order.
        worked: The worked result of a number; if it is empty, relyon's derivation is shown.
        grades: Its first list, for which its texts and expressions write `$list`.
        fresh: How many further lists there are to practise on.
        template: The question with `$list` in it, if it has a list.
    """

    kind: ClassVar[str] = "quiz"
    id: str
    ask: str
    form: str
    choices: tuple[Choice, ...]
    answer: str
    tolerance: float
    wrong: tuple[Wrong, ...]
    items: tuple[str, ...]
    reply: str
    otherwise: str
    worked: str = ""
    grades: str = ""
    fresh: int = 0
    template: Quiz | None = None

    @classmethod
    def read(cls, fields: Fields) -> Quiz:
        """Reads the block."""
        form = fields.choice("form", QUIZZES)
        chosen = form in {"single", "multiple"}
        choices = tuple(map(Choice.read, fields.tables("choices"))) if chosen else ()
        right = sum(choice.right for choice in choices)
        if chosen and (len(choices) < 2 or not right or (form == "single" and right != 1)):
            fields.fail(message("learn.question-has-no-right", form=form))
        numeric = form == "number"
        items = fields.texts("items") if form == "order" else ()
        if form == "order" and len(items) < 2:
            fields.fail(message("learn.field-is-missing", name="items"))
        found = cls(
            fields.text("id"),
            fields.text("ask"),
            form,
            choices,
            fields.text("answer") if numeric else "",
            fields.number("tolerance", 0.005) if numeric else 0.0,
            tuple(map(Wrong.read, fields.tables("wrong"))) if numeric else (),
            items,
            "" if chosen else fields.text("reply"),
            "" if chosen else fields.text("otherwise"),
            fields.text("worked", "") if numeric else "",
            fields.text("list", "") if numeric else "",
            int(fields.number("fresh", 0.0)) if numeric else 0,
        )
        if found.fresh and (not found.grades or LIST not in found.answer):
            fields.fail(message("learn.fresh-needs-list"))
        return replace(found.of(found.grades), template=found) if found.grades else found

    def of(self, grades: str) -> Quiz:
        """Returns the question about a list, such as ``1,3,2,0``."""

        def put(text: str) -> str:
            return text.replace(f":{LIST}", f":{grades}").replace(LIST, grades.replace(",", ", "))

        return replace(
            self,
            ask=put(self.ask),
            answer=put(self.answer),
            wrong=tuple(Wrong(put(one.value), put(one.reply)) for one in self.wrong),
            reply=put(self.reply),
            otherwise=put(self.otherwise),
            worked=put(self.worked),
            grades=grades,
        )

    def shuffled(self) -> list[int]:
        """Returns the places of the items in another order than the right one, always the same."""
        order = list(range(len(self.items)))
        rng = random.Random(self.id)
        while order == sorted(order) and len(order) > 1:
            rng.shuffle(order)
        return order

    def texts(self) -> Iterator[str]:
        yield self.ask
        for choice in self.choices:
            yield choice.text
            yield choice.reply
        for wrong in self.wrong:
            yield wrong.reply
        yield from self.items
        yield self.reply
        yield self.otherwise
        yield self.worked

    def structure(self) -> object:
        right = [(choice.right, choice.also) for choice in self.choices]
        wrong = [one.value for one in self.wrong]
        return self.form, right, self.answer, self.tolerance, wrong, len(self.items), self.fresh
