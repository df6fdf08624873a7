"""The app's texts, and the reader's language."""

from __future__ import annotations

from datetime import UTC, datetime

from relyon.core.texts import LANGUAGES, PAGE, Catalogue, Language, catalogue

__all__ = [
    "name_reason",
    "preferred_language",
    "say",
    "sentence_case",
    "texts",
    "write_date",
    "write_time",
]

#: How reasons were stored before they had codes.
EARLIER_REASONS = {
    "does not load": "not_loading",
    "unclear query": "unclear_query",
    "lack of knowledge": "knowledge",
}


def texts(language: Language) -> Catalogue:
    """Returns all texts of a language by their keys, such as `judge.undo`."""
    return catalogue("app", language, PAGE)


def say(language: Language, key: str, **values: object) -> str:
    """Returns a text with its values filled in."""
    return texts(language).say(key, **values)


def name_reason(language: Language, reason: str) -> str:
    """Returns the reason why something could not be judged, in words.

    Args:
        language: The reader's language.
        reason: One of `relyon.judging.records.REASONS`, or the judge's own words, which stay.

    Examples:
        >>> name_reason("en", "unclear_query"), name_reason("zh", "unclear query")
        ('Unclear query', '查询意图不明')
        >>> name_reason("zh", "paywall")
        'paywall'
    """
    return texts(language).get(f"reason.{EARLIER_REASONS.get(reason, reason)}", reason)


def sentence_case(text: str) -> str:
    """Returns a text with its first letter capitalised.

    Examples:
        >>> sentence_case("much better"), sentence_case("高")
        ('Much better', '高')
    """
    return text[:1].upper() + text[1:]


def write_date(language: Language, seconds: float) -> str:
    """Returns the date of a timestamp in UTC, formatted for a language.

    Examples:
        >>> write_date("en", 0), write_date("zh", 0)
        ('1 January 1970', '1970年1月1日')
    """
    day = datetime.fromtimestamp(seconds, UTC)
    return say(language, "date.day", day=day.day, month=day.month, year=day.year)


def write_time(language: Language, seconds: float) -> str:
    """Returns a timestamp to the minute in UTC, formatted for a language.

    Examples:
        >>> write_time("en", 60), write_time("zh", 60)
        ('1 January 1970, 00:01 UTC', '1970年1月1日 00:01 UTC')
    """
    minute = f"{datetime.fromtimestamp(seconds, UTC):%H:%M} UTC"
    return say(language, "date.time", date=write_date(language, seconds), minute=minute)


def preferred_language(header: str) -> Language:
    """Returns the preferred language of an Accept-Language header, English by default.

    Examples:
        >>> preferred_language("fr, zh-CN;q=0.8, en;q=0.5")
        'zh'
        >>> preferred_language("zh;q=0.1, en-GB")
        'en'
    """
    best: Language = "en"
    highest = 0.0
    for part in header.split(","):
        tag, _, weight = part.strip().lower().partition(";q=")
        try:
            value = float(weight) if weight else 1.0
        except ValueError:
            continue
        for language in LANGUAGES:
            if tag.partition("-")[0] == language and value > highest:
                best, highest = language, value
    return best
