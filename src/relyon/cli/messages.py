"""Output on stderr: errors, hints, notes, progress."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar, Self

from relyon.core.document.terminal import COLUMNS, printable, shorten, width, wrap
from relyon.core.language import environment_language
from relyon.core.lessons import lesson_line, with_lesson
from relyon.core.notes import Note, gathered_notes
from relyon.core.texts import LANGUAGES, Language, message, translate

if TYPE_CHECKING:
    import threading

__all__ = ["Messages", "Progress", "language_of", "messages"]

RED, YELLOW, CYAN, GREEN, DIM = "31;1", "33;1", "36;1", "32;1", "2"


class Messages:
    """Writes to stderr, in colour on a terminal unless disabled.

    Attributes:
        color: False after ``--no-color``; `None` leaves it to the terminal and NO_COLOR.
        language: The language of messages.
    """

    def __init__(self) -> None:
        self.color: bool | None = None
        self.language: Language = "en"
        self._named: set[str] = set()
        self._noted: list[Note] = []

    def reset(self, arguments: Sequence[str] = ()) -> None:
        """Resets the choices of an earlier command in the same process.

        Args:
            arguments: Those of the command. The language is needed before they are parsed, for
                errors about them.
        """
        self.color = None
        self.language = language_of(arguments)
        self._named = set()
        self._noted = []

    def paint(self, text: str, style: str) -> str:
        """Returns a text in a colour, or unchanged."""
        return f"\x1b[{style}m{text}\x1b[0m" if self._colored() else text

    def _colored(self) -> bool:
        if self.color is not None:
            return self.color
        return (
            not os.environ.get("NO_COLOR")
            and os.environ.get("TERM") != "dumb"
            and sys.stderr.isatty()
        )

    def say(self, text: str = "") -> None:
        """Writes a line unchanged, with control characters made visible."""
        self._write(printable(text, "\n\t"))

    def _write(self, text: str) -> None:
        try:
            sys.stderr.write(text + "\n")
            sys.stderr.flush()
        except OSError:
            # stderr is closed: there is nowhere to report it.
            pass

    def translate(self, text: str) -> str:
        """Returns a message in the language, or unchanged if there is no translation."""
        return translate(text, self.language)

    def error(self, message: str, hint: str = "", lesson: str = "") -> None:
        """Writes an error, its hint, and the lesson that explains it."""
        self._line("error", RED, message)
        if hint:
            self._line("hint", CYAN, hint, lesson)

    def warning(self, message: str, lesson: str = "") -> None:
        """Writes a warning, and the lesson that explains it."""
        self._line("warning", YELLOW, message, lesson)

    def note(self, message: str) -> None:
        """Writes a note."""
        self._line("note", GREEN, message)

    def notes(self, notes: Iterable[Note]) -> None:
        """Writes notes about the data, each once; the first warning about a lesson names it.

        Notes of one kind about many runs are one line.
        """
        new: list[Note] = []
        for note in notes:
            if note not in self._noted:
                self._noted.append(note)
                new.append(note)
        for note, others in gathered_notes(new):
            text = note.text(self.language, others)
            if note.level == "warning":
                lesson = "" if note.lesson in self._named else note.lesson
                self.warning(text, lesson)
                self._named.add(lesson)
            else:
                self.note(text)

    def _line(self, word: str, style: str, message: str, lesson: str = "") -> None:
        said = f"{self.translate(word)}{self.translate(': ')}"
        label = said.rstrip()
        text = [*self._folded(printable(_shown(self.translate(message)), "\n"), said)]
        start, *lines = self._taught(text, lesson) if lesson else text
        self._write(self.paint(label, style) + start[len(label) :])
        for line in lines:
            self._write(line)

    def _taught(self, lines: list[str], lesson: str) -> list[str]:
        """Returns lines that end with a lesson, whose command stays in one piece."""
        *before, last = lines
        room, whole = terminal_width(), with_lesson(last, lesson, self.language)
        if room is None or width(whole) <= room:
            return [*before, whole]
        return [*lines, f"  {lesson_line(lesson, self.language)}"]

    def _folded(self, text: str, first: str) -> Iterator[str]:
        """Yields a message line by line, wrapped to the terminal's width or 80 columns."""
        room = terminal_width()
        for place, line in enumerate(text.split("\n")):
            start = "  " if place and line else first * (not place)
            if room is None or width(start + line) <= room:
                yield start + line
            else:
                yield from wrap(line, room, "  ", start)

    def plain(self, message: str) -> None:
        """Writes a message without a prefix, wrapped like notes."""
        for line in self._folded(printable(self.translate(message), "\n"), ""):
            self._write(line)

    def dim(self, text: str) -> None:
        """Writes less important text dimmed, wrapped to 80 columns."""
        for line in wrap(self.translate(text), 80, "  "):
            self._write(self.paint(line, DIM))


def terminal_width() -> int | None:
    """Returns the width available on stderr; `None` if it is not a terminal."""
    try:
        if not sys.stderr.isatty():
            return None
        return min(os.get_terminal_size(sys.stderr.fileno()).columns or COLUMNS, COLUMNS)
    except (OSError, ValueError):
        return None


def language_of(arguments: Sequence[str]) -> Language:
    """Returns the language set by arguments or else RELYON_LANG; English if it is unknown.

    Examples:
        >>> language_of(["evaluate", "a", "b", "--lang", "zh"]), language_of(["--lang=zh"])
        ('zh', 'zh')
    """
    wanted = environment_language()
    for place, argument in enumerate(arguments):
        name, _, value = argument.partition("=")
        if name == "--lang":
            wanted = value or "".join(arguments[place + 1 : place + 2])
    return next((one for one in LANGUAGES if one == wanted), "en")


messages = Messages()


def _shown(text: str) -> str:
    """Returns a text without the passwords of URLs."""
    if "://" not in text:
        return text
    from relyon.io.databases import hide_passwords

    return hide_passwords(text)


class Progress:
    """A progress line on a terminal for longer work; nothing for short work.

    The line appears after a while even if the work has not reported progress.

    Args:
        what: The kind of its sentence, such as `cli.evaluating`, which is read when it is shown.
        after: Seconds before the line appears.
    """

    _entered: ClassVar[int] = 0

    @property
    def what(self) -> str:
        """The work in the language of the messages."""
        return messages.translate(message(self._what))

    def __init__(self, what: str, after: float = 1.0) -> None:
        self._what = what
        self._after = after
        self._start = time.monotonic() + after
        self._line = ""
        self._shown = False
        self._ended = False
        self._terminal = sys.stderr.isatty()
        self._timer: threading.Timer | None = None

    def __call__(self, done: int, total: int, detail: str = "") -> None:
        """Shows that `done` of `total` parts are done.

        Args:
            done: The parts that are done.
            total: All of them; 0 if unknown.
            detail: The next step: a message, a sentence of the catalogue or a name.
        """
        if not self._terminal:
            return
        share = message("cli.done-of-total", done=done, total=total) if total else f"{done:,}"
        line = f"{self.what}{messages.translate(': ')}{messages.translate(share)}"
        if detail:
            line = messages.translate(message("cli.work-detail", work=line, detail=message(detail)))
        self._line = printable(line)
        if time.monotonic() >= self._start:
            self._show()

    def _show(self) -> None:
        if not self._ended:
            line = self._line or f"{self.what} …"
            sys.stderr.write(f"\r\x1b[K{shorten(line, COLUMNS - 1)}")
            sys.stderr.flush()
            self._shown = True

    def __enter__(self) -> Self:
        # In nested work, the outer line comes first.
        if self._terminal and not Progress._entered:
            import threading

            self._timer = threading.Timer(self._after, self._show)
            self._timer.daemon = True
            self._timer.start()
        Progress._entered += 1
        return self

    def __exit__(self, *reason: object) -> None:
        Progress._entered -= 1
        self._ended = True
        if self._timer is not None:
            self._timer.cancel()
            self._timer.join()
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
