"""Features of the text of a query: its length, digits, script, question and words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping

__all__ = ["text_features", "words_of"]

#: Scripts written without spaces between words, in which pairs of characters are words.
UNSPACED = re.compile(
    "[\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff]+"
)
SCRIPTS = {
    "LATIN": "Latin",
    "CJK": "Han",
    "HIRAGANA": "Kana",
    "KATAKANA": "Kana",
    "HANGUL": "Hangul",
    "CYRILLIC": "Cyrillic",
    "ARABIC": "Arabic",
    "GREEK": "Greek",
    "HEBREW": "Hebrew",
    "THAI": "Thai",
    "DEVANAGARI": "Devanagari",
}
QUESTION_WORDS = frozenset(
    {
        *("what", "which", "who", "whom", "whose", "when", "where", "why", "how"),
        *("is", "are", "was", "were", "do", "does", "did", "can", "could", "should", "will"),
    }
)
#: Chinese words that make a question, wherever they are.
QUESTIONS = re.compile(
    "什么|怎么|怎样|如何|为什么|为何|哪|谁|吗|呢|多少|几时|是否|能否|可否|是不是|能不能"
)
MARKS = ("?", "？", "؟")


def text_features(texts: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Returns features of texts: by name, the value of each query, as text.

    - `characters`: letters and other signs except white space.
    - `words`: runs of characters between white space; queries with Han or kana, which are written
      without spaces, have none.
    - `digits`: `yes` if there is a digit.
    - `script`: that of the letters, such as `Latin` or `Han`; `mixed` of several, `none` of none.
      Han with kana is `Kana`.
    - `question`: `yes` if it ends in a question mark, begins with an English question word, or has
      a Chinese one.

    Args:
        texts: The text of each query.

    Examples:
        >>> found = text_features({"a": "how to parse json", "b": "红色 iPhone 15"})
        >>> {name: tuple(values.values()) for name, values in found.items()}
        {'characters': ('14', '10'), 'words': ('4',), 'digits': ('no', 'yes'), \
'script': ('Latin', 'mixed'), 'question': ('yes', 'no')}
    """
    found: dict[str, dict[str, str]] = {
        name: {} for name in ("characters", "words", "digits", "script", "question")
    }
    for query, text in texts.items():
        plain = unicodedata.normalize("NFKC", text).strip()
        parts = plain.split()
        found["characters"][query] = str(sum(map(len, parts)))
        if not UNSPACED.search(plain):
            found["words"][query] = str(len(parts))
        found["digits"][query] = _yes(any(one.isdigit() for one in plain))
        found["script"][query] = _script(plain)
        first = re.split(r"\W", plain.casefold(), maxsplit=1)[0]
        asks = plain.endswith(MARKS) or first in QUESTION_WORDS or QUESTIONS.search(plain)
        found["question"][query] = _yes(bool(asks))
    return found


def words_of(text: str) -> set[str]:
    """Returns the words of a text: case and width do not matter; of Han and kana, pairs.

    Examples:
        >>> sorted(words_of("Red 红色鞋 red"))
        ['red', '红色', '色鞋']
    """
    plain = unicodedata.normalize("NFKC", text).casefold()
    found: set[str] = set()
    for run in UNSPACED.findall(plain):
        found |= {run[place : place + 2] for place in range(max(1, len(run) - 1))}
    return found | set(re.findall(r"\w+", UNSPACED.sub(" ", plain)))


def _script(text: str) -> str:
    kinds = {
        SCRIPTS.get(unicodedata.name(one, "").partition(" ")[0].partition("-")[0], "other")
        for one in set(text)
        if one.isalpha()
    }
    if kinds == {"Han", "Kana"}:
        return "Kana"
    return next(iter(kinds)) if len(kinds) == 1 else "mixed" if kinds else "none"


def _yes(found: bool) -> str:
    return "yes" if found else "no"
