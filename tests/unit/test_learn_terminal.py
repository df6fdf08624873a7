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
from relyon.learn.blocks import Card, Predict, Quiz
from relyon.learn.lesson import plain_text
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
    if block.choices:
        places = [n for n, choice in enumerate(block.choices, 1) if choice.right == right]
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
    assert all(one["right"] == right for one in progress.answers.values())
    assert sum(text.startswith("✓" if right else "✗") for text in said) == len(asked)
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
    assert progress.due(["a", "b"], now) == ["a", "b"]
    first = progress.rate("a", "again", now)
    assert timedelta(0) < first - now <= timedelta(minutes=1)
    assert progress.due(["a", "b"], now) == ["b"]
    assert progress.due(["a", "b"], first) == ["a", "b"]
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


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"format": "relyon-learn", "version": 2}'])
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
