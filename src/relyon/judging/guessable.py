"""Guessable passwords: common ones, runs of keys, repetitions, the user's own name."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources

from relyon.core.errors import ParameterError
from relyon.core.texts import message
from relyon.judging.account_names import name_key

__all__ = ["check_not_guessable"]

#: Minimum length of a password without its guessable parts, each counting as one character.
LEAST_LEFT = 6
#: Rows and columns of keyboards, and well-known sequences.
ORDERS = (
    "abcdefghijklmnopqrstuvwxyz",
    "01234567890",
    "qwertyuiop",
    "qwertzuiop",
    "azertyuiop",
    "asdfghjkl",
    "zxcvbnm",
    "yxcvbnm",
    "1q2w3e4r5t6y7u8i9o0p",
    "q1w2e3r4t5y6u7i8o9p0",
    "1qaz2wsx3edc4rfv5tgb6yhn7ujm",
    "qazwsxedcrfvtgbyhnujm",
    "!@#$%^&*()",
)
#: Characters that replace letters.
SIGNS = str.maketrans("@$!013457", "asioieast")
#: Names shorter than this occur in innocent words.
LEAST_NAME = 4


def check_not_guessable(password: str, name: str) -> None:
    """Rejects an easily guessed password.

    Args:
        password: The password.
        name: The account's name.

    Raises:
        ParameterError: If it contains the account's or the program's name, or consists of common
            words, adjacent keys, or repetitions.

    Examples:
        >>> check_not_guessable("a tram, two otters", "ann")
        >>> check_not_guessable("Passw0rd2024!", "ann")
        Traceback (most recent call last):
        relyon.ParameterError: this password is easily guessed
        <BLANKLINE>
        hint: use several unrelated words
    """
    folded = password.casefold()
    own = name_key(name)
    for part in ("relyon", own if len(own) >= LEAST_NAME or not own.isascii() else ""):
        if part and (part in folded or part in folded.translate(SIGNS)):
            raise ParameterError(
                message("judging.password-must-not-contain"),
                hint=message("judging.use-several-unrelated-words"),
            )
    if min(_left(folded, own), _left(folded.translate(SIGNS), own)) < LEAST_LEFT:
        raise ParameterError(
            message("judging.this-password-is-easily"),
            hint=message("judging.use-several-unrelated-words"),
        )


@cache
def _common() -> re.Pattern[str]:
    """Returns the words of the list, longest first."""
    text = resources.files("relyon.judging").joinpath("common_passwords.txt").read_text("utf-8")
    words = {
        word for line in text.splitlines() if not line.startswith("#") for word in line.split()
    }
    parts = sorted((word for word in words if len(word) > 2 or not word.isascii()), key=len)
    return re.compile("|".join(map(re.escape, reversed(parts))))


def _left(text: str, name: str) -> int:
    """Counts the characters that belong to no guessable part, and the different such parts."""
    found: set[str] = set()

    def take(match: re.Match[str]) -> str:
        found.add(match[0])
        return "\n"

    left = re.sub(re.escape(name), take, text) if len(name) > 1 else text
    left = _common().sub(take, left)
    left = re.sub(r"(.+?)\1{2,}", take, left)  # something repeated three or more times
    left = re.sub(r"(?:19|20)\d\d", take, left)
    left = _without_runs(left, found)
    # A repeated character counts once.
    return len(found) + len({letter for letter in left if letter.isalnum()})


def _without_runs(text: str, found: set[str]) -> str:
    """Removes three or more characters in sequence, forwards or backwards."""
    kept = []
    at = 0
    while at < len(text):
        length = max(_run(text[at:], order) for order in _both_ways())
        if length < 3:
            kept.append(text[at])
            at += 1
        else:
            found.add("a run")
            at += length
    return "".join(kept)


@cache
def _both_ways() -> tuple[str, ...]:
    return tuple(one for order in ORDERS for one in (order, order[::-1]))


def _run(text: str, order: str) -> int:
    """Returns how many of the first characters are adjacent in a sequence."""
    start = order.find(text[0])
    length = 0
    while (
        start >= 0
        and length < len(text)
        and order[start : start + length + 1] == text[: length + 1]
    ):
        length += 1
        if start + length >= len(order):
            break
    return length
