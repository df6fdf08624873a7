"""Account names that a reader could confuse."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from functools import cache

from relyon.core.errors import ParameterError
from relyon.core.texts import message

__all__ = ["check_one_script", "name_key", "other_key", "skeleton"]

#: Cyrillic and Greek letters by the Latin letter they resemble.
LOOKALIKES = str.maketrans(
    "авекмнорстухіјѕһԁԛԝ" + "αβεζηικμνορτυχ", "abekmhopctyxijshdqw" + "abezhikmvoptyx"
)
#: Scripts that one word may mix: Chinese, Japanese and Korean are written with Latin letters too.
TOGETHER: tuple[frozenset[str], ...] = (
    frozenset({"LATIN", "CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "IDEOGRAPHIC"}),
    frozenset({"LATIN", "CJK", "BOPOMOFO"}),
    frozenset({"LATIN", "CJK", "HANGUL"}),
)
#: Invisible letters.
UNSEEN = {"\u115f", "\u1160", "\u3164", "\uffa0"}


def name_key(name: str) -> str:
    """Returns a key shared by names that a reader could confuse.

    Examples:
        >>> name_key(" LEAD"), name_key("Ｌｅａｄ"), name_key("lеad")  # the last e is Cyrillic
        ('lead', 'lead', 'lead')
        >>> name_key("Ann  Lee") == name_key("ann lee")
        True
    """
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    return " ".join(folded.translate(LOOKALIKES).split())


def skeleton(name: str) -> str:
    """Returns what a name looks like: equal for names that a reader could take for each other.

    Every character becomes the one that Unicode names for all characters of its looks (UTS 39,
    skeleton), with capitals as they are written; what is neither a letter nor a digit at the ends
    is left out.

    Source: Unicode Technical Standard 39, section 4.

    Examples:
        >>> {skeleton(name) for name in ("admin", "admın", "adrnin", "αdmin", "admin.")}
        {'adrnin'}
        >>> {skeleton(name) for name in ("lead", "Iead", "1ead", "leɑd")}
        {'lead'}
        >>> skeleton("Neil") == skeleton("Nell")
        False
    """
    plain = unicodedata.normalize("NFKD", name)
    found = unicodedata.normalize("NFD", "".join(map(_prototype, plain))).casefold()
    ends = [at for at, letter in enumerate(found) if letter.isalnum()]
    return " ".join(found[ends[0] : ends[-1] + 1].split()) if ends else found


@cache
def _prototype(letter: str) -> str:
    """Returns the character, or the characters, that stand for all that look like one."""
    from confusable_homoglyphs.confusables import confusables_data

    alike = [one["c"] for one in confusables_data.get(letter, ())]
    if len(alike) != 1:  # it is the prototype of several
        return letter
    other = str(alike[0])
    back = confusables_data.get(other, ())
    pair = len(back) == 1 and back[0]["c"] == letter
    return min((letter, other), key=lambda one: (-len(one), one)) if pair else other


def other_key(name: str, taken: Iterable[str]) -> str:
    """Returns the key of a name that must be kept although another account has it.

    Examples:
        >>> other_key("Ann", ["bo"]), other_key("Ann", ["ann"])
        ('ann', 'ann\\nAnn')
    """
    key = name_key(name)
    return f"{key}\n{name}" if key in set(taken) else key


def check_one_script(name: str) -> None:
    """Rejects a name in which a word mixes scripts, such as Cyrillic and Latin.

    Raises:
        ParameterError: If it does, or contains an invisible letter.

    Examples:
        >>> check_one_script("王小明 Ming2"), check_one_script("иван ivan")
        (None, None)
    """
    for word in unicodedata.normalize("NFKC", name).split():
        scripts = {_script(letter) for letter in word if letter.isalpha()} - {"MODIFIER"}
        fits = len(scripts) < 2 or any(scripts <= together for together in TOGETHER)
        if not fits or not UNSEEN.isdisjoint(word):
            raise ParameterError(
                message(
                    "judging.mixes-letters-of-different",
                    name=name,
                ),
                hint=message("judging.write-each-word"),
            )


def _script(letter: str) -> str:
    return unicodedata.name(letter, "").partition(" ")[0]
