"""A learner's answers, cards and scores, in the file that the pages also save and load."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypedDict

from relyon.core.errors import InputError
from relyon.core.packages import optional_package
from relyon.core.texts import message
from relyon.io.atomic_files import replaced_file
from relyon.learn.ration import Ration, counted, ration

__all__ = ["RATINGS", "Progress", "read_progress"]

FORMAT, VERSION = "relyon-learn", 1
PARTS = ("answers", "cards", "scores")
#: Parts that older files do not have.
LATER_PARTS = ("places", "settings")
#: A learner's ratings of a card, from forgotten to easy: FSRS counts them from 1.
RATINGS = ("again", "hard", "good", "easy")


class Answer(TypedDict, total=False):
    """An answer as the file keeps it: `first` says whether the first one was right.

    A skipped question is done, and has neither `right` nor `first`; neither has one whose worked
    result was shown. `practised` counts answers on further lists.
    """

    done: bool
    skipped: bool
    shown: bool
    practised: int
    right: bool
    answer: object
    first: bool
    when: str


class CardState(TypedDict, total=False):
    """A card as the file keeps it: its state in FSRS, times in ISO 8601."""

    added: str
    due: str
    stability: float | None
    difficulty: float | None
    elapsed_days: int
    scheduled_days: int
    learning_steps: int
    reps: int
    lapses: int
    state: int
    last_review: str


@dataclass
class Progress:
    """Answers, cards and scores by name, and what the pages keep besides.

    Attributes:
        answers: By `lesson/block`: whether it is done and right, and what was answered.
        cards: By `lesson/block`: when the card came in, and its state in FSRS.
        scores: Of the game.
        places: By lesson: the step where the reader left it.
        settings: Of the pages, such as whether whole lessons are shown.
        path: The file it is kept in; `None` keeps it nowhere.
    """

    answers: dict[str, Answer] = field(default_factory=dict)
    cards: dict[str, CardState] = field(default_factory=dict)
    scores: dict[str, object] = field(default_factory=dict)
    places: dict[str, object] = field(default_factory=dict)
    settings: dict[str, object] = field(default_factory=dict)
    path: Path | None = None

    def answer(self, name: str, *, right: bool, answer: object) -> None:
        """Keeps an answer, and whether the first one was right."""
        before = self.answers.get(name, {})
        first = before.get("first", right and not before.get("shown", False))
        when = datetime.now(UTC).isoformat()
        self.answers[name] = {
            "done": True, "right": right, "answer": answer, "first": first, "when": when,
        }  # fmt: skip
        self.save()

    def show(self, name: str) -> None:
        """Keeps that the worked result of a question was shown before an answer."""
        when = datetime.now(UTC).isoformat()
        if not self.answers.get(name, {}).get("done"):
            self.answers[name] = {"done": True, "skipped": True, "shown": True, "when": when}
            self.save()

    def today(self, names: list[str], now: datetime) -> Ration:
        """Returns which of the cards are asked today, and how many wait until tomorrow."""
        return ration(names, self.cards, self.settings, now)

    def rate(self, name: str, rating: str, now: datetime) -> datetime:
        """Schedules a card again and returns when it is due.

        Args:
            name: The card's name.
            rating: One of `RATINGS`.
            now: When it was seen.
        """
        fsrs = optional_package("fsrs", purpose=message("core.card-box"), install="relyon[learn]")
        kept = self.cards.get(name, {})
        self.settings = counted(self.settings, kept, now)
        card = fsrs.Card()
        if kept.get("due"):
            card = fsrs.Card(
                state=fsrs.State(kept["state"]) if kept["state"] else fsrs.State.Learning,
                step=kept["learning_steps"] if kept["state"] in {0, 1, 3} else None,
                stability=kept["stability"] or None,
                difficulty=kept["difficulty"] or None,
                due=datetime.fromisoformat(kept["due"]),
                last_review=datetime.fromisoformat(kept["last_review"]),
            )
        lapsed = card.state == fsrs.State.Review and rating == "again"
        scheduler = fsrs.Scheduler(enable_fuzzing=False)
        card, _ = scheduler.review_card(card, fsrs.Rating(RATINGS.index(rating) + 1), now)
        self.cards[name] = {
            "added": kept.get("added", now.isoformat()),
            "due": card.due.isoformat(),
            "stability": card.stability,
            "difficulty": card.difficulty,
            "elapsed_days": 0,
            "scheduled_days": (card.due - now).days,
            "learning_steps": card.step or 0,
            "reps": kept.get("reps", 0) + 1,
            "lapses": kept.get("lapses", 0) + lapsed,
            "state": card.state.value,
            "last_review": now.isoformat(),
        }
        self.save()
        due: datetime = card.due
        return due

    def save(self) -> None:
        """Rewrites the file, if there is one."""
        if self.path is None:
            return
        values = {"format": FORMAT, "version": VERSION}
        values |= {part: getattr(self, part) for part in (*PARTS, *LATER_PARTS)}
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with replaced_file(str(self.path)) as partial:
            Path(partial).write_text(json.dumps(values, ensure_ascii=False, indent=1), "utf-8")


def read_progress(path: Path) -> Progress:
    """Returns the progress in a file; a missing file is empty progress.

    Raises:
        InputError: If the file is not progress of the course: it is left as it is.
    """
    if not path.exists():
        return Progress(path=path)
    try:
        values = json.loads(path.read_text("utf-8"))
        if values["format"] != FORMAT or values["version"] != VERSION:
            raise ValueError
        parts = {part: dict(values[part]) for part in PARTS}
        parts |= {part: dict(values.get(part, {})) for part in LATER_PARTS}
        if not all(
            isinstance(one, dict) for one in (*parts["answers"].values(), *parts["places"].values())
        ):
            raise ValueError
        for one in parts["cards"].values():
            _check_card(one)
    except (ValueError, KeyError, TypeError, RecursionError):
        raise InputError(
            message("learn.file-is-not-progress"),
            path=str(path),
            hint=message("learn.name-another-file"),
        ) from None
    return Progress(**parts, path=path)


def _check_card(kept: dict[str, Any]) -> None:
    """Refuses a card that is neither new nor what FSRS needs to plan it, as `store.js` does.

    Raises:
        ValueError: If it is not a time or a number.
        KeyError: If one is missing.
        TypeError: If it has another type.
    """
    if "due" not in kept:
        datetime.fromisoformat(kept["added"])
        return
    for name in ("due", "last_review"):
        datetime.fromisoformat(kept[name])
    counts = [kept[name] for name in ("elapsed_days", "scheduled_days", "reps", "lapses")]
    levels = [kept[name] or 0 for name in ("stability", "difficulty")]
    if kept["state"] not in range(4) or min(*counts, *levels) < 0:
        raise ValueError
