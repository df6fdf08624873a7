"""What people type as queries of SQLite's full text, whose syntax no text can break.

A tokenizer of SQLite takes a whole run of Chinese as one word. Text is therefore indexed with every
pair of neighbouring characters as a word, and queries are written the same way: 电视机 is
电视 视机 机, so that 电视, 视机 and 机 find it.
"""

from __future__ import annotations

import re
import unicodedata

__all__ = ["MATCHES", "match_of", "paired", "quoted_words"]

#: How many of the words must be there: one, all, or all in this order beside each other.
MATCHES = ("any", "all", "phrase")
#: Han, kana and Hangul: scripts that are searched by pairs of characters.
PAIRED = re.compile(
    "[\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
    "\U00020000-\U0003ffff]+"
)
#: Characters of the shortest word that the tokenizer `trigram` can find.
SHORTEST = 3


def paired(text: str) -> str:
    """Returns a text as it is indexed.

    Examples:
        >>> paired("OLED电视机 55")
        'OLED 电视 视机 机  55'
    """

    def pairs(found: re.Match[str]) -> str:
        run = found[0]
        return f" {' '.join(run[place : place + 2] for place in range(len(run)))} "

    return PAIRED.sub(pairs, text)


def match_of(text: str, match: str, *, trigram: bool = False) -> str:
    """Returns the expression for `MATCH` that finds what a user typed.

    Args:
        text: What the user typed: no character of it has a meaning.
        match: One of `MATCHES`.
        trigram: Whether the tokenizer is `trigram`.

    Examples:
        >>> match_of('foo AND "bar', "all")
        '"foo" AND "AND" AND "bar"'
        >>> match_of("OLED电视机", "any")
        '"OLED" OR "电视" OR "视机"'
        >>> match_of("++", "any")
        '""'
    """
    if match == "phrase":
        return _quoted(" ".join(text.split())) if trigram else _phrase(text)
    terms = dict.fromkeys(_term(one) for one in (_parts(text) if trigram else _words(text)))
    return (" OR " if match == "any" else " AND ").join(terms) or '""'


def _words(text: str) -> list[str]:
    """Returns words as SQLite's tokenizer finds them, and pairs of Chinese."""
    found: list[str] = []
    end = 0
    for run in PAIRED.finditer(text):
        found += _plain(text[end : run.start()])
        pairs = [run[0][place : place + 2] for place in range(len(run[0]) - 1)]
        found += pairs or [run[0]]
        end = run.end()
    return found + _plain(text[end:])


def _plain(text: str) -> list[str]:
    return "".join(one if _is_letter(one) else " " for one in text).split()


def _is_letter(character: str) -> bool:
    kind = unicodedata.category(character)
    return kind[0] in "LNM" or kind == "Co"


def _parts(text: str) -> list[str]:
    """Returns words for the tokenizer `trigram`: every three characters of Chinese, else words."""
    found: list[str] = []
    for word in text.split():
        if PAIRED.fullmatch(word):
            found += [word[place : place + SHORTEST] for place in range(len(word) - SHORTEST + 1)]
        elif len(word) >= SHORTEST:
            found.append(word)
    return found


def _term(word: str) -> str:
    return _quoted(word) + _mark(word)


def _phrase(text: str) -> str:
    words = _plain(paired(text))
    if len(words) > 1 and _mark(words[-1]) and len(words[-2]) == 2 and words[-2][1] == words[-1]:
        words.pop()  # the pair before it is enough: the text may go on
    return _quoted(" ".join(words)) + (_mark(words[-1]) if words else "")


def _mark(word: str) -> str:
    """Returns `*` for one Chinese character: it begins a pair, or ends a run."""
    return "*" if len(word) == 1 and PAIRED.match(word) else ""


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""').replace("\0", " ") + '"'


def quoted_words(text: str, match: str) -> str:
    """Returns the expression for `MATCH` with the words of a text, as another index has them.

    Examples:
        >>> quoted_words("c++ OR 'x", "any")
        '"c++" OR "OR" OR "\\'x"'
    """
    words = text.split()
    if match == "phrase":
        return _quoted(" ".join(words))
    return (" OR " if match == "any" else " AND ").join(map(_quoted, words)) or '""'
