"""Cards and questions in a terminal: right and wrong answers, the end, what is kept."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.unit.conftest import Command

import relyon
from relyon.core.texts import LANGUAGES, catalogue
from relyon.core.texts.languages import Language
from relyon.learn import course
from relyon.learn.blocks import Card, Choice, Predict, Quiz
from relyon.learn.course import read_course
from relyon.learn.lesson import plain_text
from relyon.learn.pages.fresh import fresh_questions
from relyon.learn.progress import Progress, read_progress
from relyon.learn.quantities import quantity
from relyon.learn.terminal import Study

pytest.importorskip("fsrs")


class Learner:
    """Types the answers of one sitting, right or wrong, and keeps what is said."""

    def __init__(self, language: Language, answers: Iterator[str]) -> None:
        self.language = language
        self.answers = answers
        self.said: list[str] = []

    def ask(self, question: str) -> str:
        try:
            return next(self.answers)
        except StopIteration:
            raise EOFError from None

    def study(self, progress: Progress, number: int) -> list[str]:
        lessons = [one for one in course(self.language) if one.number == number]
        Study(lessons, progress, self.language, self.ask, self.said.append).run()
        return self.said


def typed(block: Predict | Quiz, *, right: bool) -> str:
    """What a learner types who is right, or wrong."""

    def wanted(choice: Choice) -> bool:
        return choice.right if right else not choice.right and not choice.also

    if block.choices:
        places = [n for n, choice in enumerate(block.choices, 1) if wanted(choice)]
        # Where every other answer is right under another convention, one of those.
        places = places or [n for n, choice in enumerate(block.choices, 1) if choice.also]
        several = isinstance(block, Quiz) and block.form == "multiple"
        return ",".join(map(str, places if several else places[:1]))
    if isinstance(block, Predict):
        assert block.slider is not None
        near = quantity(block.slider.answer)
        return str(near if right else near + 2 * block.slider.near + 1)
    if block.form == "number":
        return str(quantity(block.answer) if right else -98765)
    shown = block.shuffled()
    places = [shown.index(place) + 1 for place in range(len(shown))]
    return " ".join(map(str, places if right else places[::-1]))


def sitting(language: Language, number: int, *, right: bool) -> Iterator[str]:
    lesson = next(one for one in course(language) if one.number == number)
    for block in lesson.blocks:
        if isinstance(block, Card):
            yield ""
            yield "3"
    for block in lesson.blocks:
        if isinstance(block, Predict | Quiz):
            yield typed(block, right=right)
            if isinstance(block, Quiz) and block.fresh:
                yield ""


NUMBERS = [lesson.number for lesson in course()]


@pytest.mark.parametrize("right", [True, False])
@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_question_is_answered(language: Language, number: int, right: bool) -> None:
    progress = Progress()
    said = Learner(language, sitting(language, number, right=right)).study(progress, number)
    lesson = next(one for one in course(language) if one.number == number)
    asked = [block for block in lesson.blocks if isinstance(block, Predict | Quiz)]
    assert len(progress.answers) == len(asked)
    also = {
        f"{lesson.name}/{block.id}"
        for block in asked
        if block.choices and all(one.right or one.also for one in block.choices) and not right
    }
    for name, one in progress.answers.items():
        assert one["right"] == (right or name in also)
    assert sum(text.startswith("✓" if right else "✗") for text in said) == len(asked) - len(also)
    assert sum(text.startswith("◐") for text in said) == len(also)
    assert len(progress.cards) == sum(isinstance(block, Card) for block in lesson.blocks)
    for block in asked:
        assert plain_text(block.ask) in said


def test_what_is_no_answer_is_asked_again() -> None:
    progress = Progress()
    typed = iter(["", "", "nothing", "9", "0", "4", "99", "1,2", "x"])
    said = Learner("en", typed).study(progress, 3)
    assert [one["state"] for one in progress.cards.values()] == [2]
    assert progress.answers == {}
    assert said[-1].endswith("1 cards in the box.")


def test_q_ends_and_everything_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "learn.json"
    progress = read_progress(path)
    Learner("en", iter(["", "3", "Q", "1"])).study(progress, 3)
    kept = json.loads(path.read_text("utf-8"))
    assert kept["format"] == "relyon-learn"
    assert len(kept["cards"]) == 1
    again = read_progress(path)
    assert again.cards == progress.cards


def test_cards_come_back_when_they_are_due() -> None:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    progress = Progress()
    assert progress.today(["a", "b"], now).asked == ("a", "b")
    first = progress.rate("a", "again", now)
    assert timedelta(0) < first - now <= timedelta(minutes=1)
    assert progress.today(["a", "b"], now).asked == ("b",)
    assert progress.today(["a", "b"], first).asked == ("a", "b")
    due = now
    gaps = []
    for _ in range(5):
        later = progress.rate("b", "good", due)
        gaps.append(later - due)
        due = later
    assert gaps == sorted(gaps)
    assert gaps[-1] > timedelta(days=14)
    before = progress.cards["b"]["lapses"]
    progress.rate("b", "again", due)
    assert progress.cards["b"]["lapses"] == before + 1
    assert progress.cards["b"]["reps"] == 6


def progress_with(**parts: object) -> str:
    """A file of progress."""
    empty = {"format": "relyon-learn", "version": 1, "answers": {}, "cards": {}, "scores": {}}
    return json.dumps(empty | parts)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "[]",
        "[" * 100_000,
        '{"format": "relyon-learn", "version": 2}',
        progress_with(answers={"a": None}),
        progress_with(places={"a": "x"}),
        progress_with(cards={"a": None}),
        progress_with(cards={"a": {}}),
        progress_with(cards={"a": {"added": "never"}}),
        progress_with(cards={"a": {"due": "2026-01-01T00:00:00Z"}}),
    ],
    ids=range(11),
)
def test_another_file_is_refused_and_left_as_it_is(text: str, tmp_path: Path) -> None:
    path = tmp_path / "other.json"
    path.write_text(text, "utf-8")
    with pytest.raises(relyon.InputError, match=r"other\.json: the file is not progress"):
        read_progress(path)
    assert path.read_text("utf-8") == text


def test_the_command_reads_stdin_until_its_end(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import io

    path = tmp_path / "learn.json"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"\n3\n"), "utf-8"))
    outcome = command("learn", "3", "--terminal", "--progress", str(path), "--lang", "zh")
    assert outcome.code == 0
    assert catalogue("learn", "zh")["terminal.how"] in outcome.out
    assert len(json.loads(path.read_text("utf-8"))["cards"]) == 1
    refused = command("learn", "--progress", str(path))
    assert refused.code == 2
    assert "`--progress` needs `--terminal`" in refused.err


NUMBER_LESSON = """+++
title = "Numbers"
summary = "Type a number."
minutes = 1
+++

```quiz
id = "share"
form = "number"
ask = "The grades are [$list]. What is NDCG@3?"
list = "2,3,0"
fresh = 4
answer = "ndcg@3:$list"
tolerance = 0.005
reply = "It is [0.913](=ndcg@3:$list)."
otherwise = "DCG, then divide."
[[wrong]]
value = "dcg@3:$list"
reply = "That is DCG."
```

```quiz
id = "ticks"
form = "multiple"
ask = "Which are even?"
[[choices]]
text = "two"
right = true
reply = "2 = 2 times 1."
[[choices]]
text = "three"
reply = "3 is odd."
[[choices]]
text = "four"
right = true
reply = "4 = 2 times 2."
```

```predict
id = "rule"
ask = "What is 2^3^2?"
[[choices]]
text = "512"
right = true
reply = "From the right."
[[choices]]
text = "64"
also = true
reply = "From the left, as some spreadsheets do."
```
"""


FOUR = "Missed: four 4 = 2 times 2."
THREE = "Does not belong here: three 3 is odd."


def tried(tmp_path: Path, *answers: str) -> tuple[list[str], Progress]:
    path = tmp_path / "en" / "01-numbers.md"
    path.parent.mkdir(exist_ok=True)
    path.write_text(NUMBER_LESSON, "utf-8")
    progress, learner = Progress(), Learner("en", iter(answers))
    Study(read_course(tmp_path, "en"), progress, "en", learner.ask, learner.said.append).run()
    return learner.said, progress


def test_a_number_that_is_not_understood_is_asked_again(tmp_path: Path) -> None:
    said, progress = tried(tmp_path, "abc", "", "1/0", "91.3", "")
    words = catalogue("learn", "en")
    assert words.say("quiz.not_understood", typed="abc") in said
    assert words.say("quiz.not_understood", typed="1/0") in said
    assert words["quiz.nothing_typed"] in said
    assert "✓ Read as 91.3%. Right. It is 0.913." in said
    assert progress.answers["01-numbers/share"]["answer"] == pytest.approx(0.913)


def test_the_worked_result_counts_as_shown(tmp_path: Path) -> None:
    said, progress = tried(tmp_path, "?", "")
    assert any(line.strip().startswith("Rank 1, document A, grade 2") for line in said)
    assert progress.answers["01-numbers/share"]["shown"]
    assert "right" not in progress.answers["01-numbers/share"]
    progress.answer("01-numbers/share", right=True, answer=0.9)
    assert progress.answers["01-numbers/share"]["first"] is False


def test_three_right_in_a_row_end_fresh_numbers(tmp_path: Path) -> None:
    tried(tmp_path)
    block = read_course(tmp_path, "en")[0].blocks[0]
    assert isinstance(block, Quiz)
    answers = [str(quantity(one.answer)) for one in fresh_questions(block)]
    said, progress = tried(
        tmp_path, "0", "n", answers[0], "n", answers[1], "n", answers[2], "2", "2"
    )
    assert catalogue("learn", "en")["fresh.streak"] in said
    assert progress.answers["01-numbers/share"]["right"] is False
    assert progress.answers["01-numbers/ticks"]["answer"] == [1]


@pytest.mark.parametrize(
    ("ticks", "said"),
    [
        ("1", [f"◐ What you ticked is right, and something is missing. {FOUR}"]),
        ("1,2", [f"◐ Partly right. {THREE}", f"  {FOUR}"]),
        ("2", [f"✗ Not quite. {THREE}", "  Missed: two 2 = 2 times 1.", f"  {FOUR}"]),
        ("1,3", ["✓ Right. 2 = 2 times 1.", "  4 = 2 times 2."]),
    ],
    ids=["some", "mixed", "wrong", "right"],
)  # fmt: skip
def test_what_was_missed_is_named(tmp_path: Path, ticks: str, said: list[str]) -> None:
    found, progress = tried(tmp_path, "0", "", ticks, "2")
    place = found.index(said[0])
    assert found[place : place + len(said)] == said
    assert progress.answers["01-numbers/ticks"]["right"] == (ticks == "1,3")
    assert "◐ Right under another rule. From the left, as some spreadsheets do." in found
    assert progress.answers["01-numbers/rule"]["right"]
