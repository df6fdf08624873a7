"""Which rules gave a number, as sentences and tables."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from relyon.analysis.matching.chance import DOUBTFUL
from relyon.core.document.model import Block, Document, Lines, Table
from relyon.core.texts import Catalogue, Language, catalogue

if TYPE_CHECKING:
    from relyon.analysis.matching.facts import MatchFacts
    from relyon.analysis.matching.faults import FoundFault
    from relyon.analysis.matching.next_look import NextLook
    from relyon.analysis.matching.printed import PrintedNumber

__all__ = ["match_document"]

MOST_OTHERS = 4


def match_document(found: MatchFacts, *, language: Language = "en", limit: int = 10) -> Document:
    """Returns the classes, what to look at next, and how likely an accidental match is.

    Args:
        found: The answer.
        language: `en` or `zh`; names of rules are the same in both.
        limit: Maximum classes shown.
    """
    words = catalogue("matching", language)
    asked = [f"{one.name}={one.text}" for one in found.numbers]
    values = {"numbers": asked, "queries": found.queries, "classes": len(found.classes)}
    blocks: list[Block] = []
    if found.classes:
        key = "title" if found.found else "doubtful"
        title = words.say(key, **values, share=found.accident)
        blocks.append(_classes(found, words, title, limit))
        blocks.append(Lines(_use(found, words)))
    else:
        blocks.append(Lines([words.say("nothing", **values), _own(found, words)]))
    if found.partial:
        blocks.append(_partial(found, words))
    simple = any(one.way.tier < len(found.tiers) - 1 for one in found.classes)
    if found.copies:
        blocks.append(Lines([words.say("copies", count=found.copies)]))
    if not simple or found.faults:
        blocks.append(Lines(_faults(found, words)))
    if found.nearest:
        blocks.append(_nearest(found, words))
    blocks.append(_tried(found, words))
    return Document(blocks)


def _classes(found: MatchFacts, words: Catalogue, title: str, limit: int) -> Table:
    headings = [words["heading.class"], words["heading.rules"]]
    headings += [one.name for one in found.numbers]
    rows = []
    notes = []
    for place, one in enumerate(found.classes[:limit]):
        numbers = [_shown(number, one.values[number.name]) for number in found.numbers]
        rows.append([letter(place), one.name, *numbers])
        if one.others:
            others = [str(other) for other in one.others[:MOST_OTHERS]]
            more = len(one.others) - len(others)
            key = "same_more" if more else "same"
            notes.append(words.say(key, letter=letter(place), others=others, more=more))
    if found.needless:
        notes.append(words.say("needless", count=found.needless))
    left = len(found.classes) - limit
    if left > 0:
        notes.append(words.say("more_classes", count=left))
    return Table(headings, rows, title, left=2, notes=notes, long=[1])


def letter(place: int) -> str:
    """Returns the letter of a class: A to Z, then AA.

    Examples:
        >>> letter(0), letter(25), letter(26)
        ('A', 'Z', 'AA')
    """
    name = ""
    place += 1
    while place:
        place, rest = divmod(place - 1, 26)
        name = chr(ord("A") + rest) + name
    return name


def _use(found: MatchFacts, words: Catalogue) -> list[str]:
    first = found.classes[0]
    lines = [_difference(found, words)]
    if found.next_look is not None:
        lines.append(_look(found, found.next_look, words))
    if first.options is not None:
        lines.append(words.say("use", letter=letter(0), options=first.options))
    return lines


def _own(found: MatchFacts, words: Catalogue) -> str:
    return words.say("own", numbers=_numbers(found, found.own))


def _numbers(found: MatchFacts, values: Mapping[str, float]) -> list[str]:
    return [f"{one.name} {_shown(one, values[one.name])}" for one in found.numbers]


def _difference(found: MatchFacts, words: Catalogue) -> str:
    """Returns what the numbers are under relyon's own rules, and which rules differ in A."""
    if not found.differences:
        return _own(found, words) if found.differences is None else words["own_rules"]
    rules = [
        words.say("rule", rule=str(one), here=one.here) if one.here else str(one)
        for one in found.differences
    ]
    numbers = _numbers(found, found.own)
    return words.say("differences", letter=letter(0), numbers=numbers, rules=rules)


def _partial(found: MatchFacts, words: Catalogue) -> Table:
    headings = [words["heading.rules"], *(one.name for one in found.numbers)]
    headings.append(words["heading.accident"])
    rows = [
        [
            str(one.way),
            *(_shown(n, one.values.get(n.name, math.nan)) for n in found.numbers),
            words.style.part(one.accident),
        ]
        for one in found.partial
    ]
    given = {name for one in found.partial for name in one.values}
    without = [f"{one.name}={one.text}" for one in found.numbers if one.name not in given]
    notes = [words["partial.note"]]
    if without:
        notes.append(words.say("partial.none", numbers=without))
    return Table(headings, rows, words["partial.title"], notes=notes, long=[0])


def _look(found: MatchFacts, look: NextLook, words: Catalogue) -> str:
    if look.kind == "nothing":
        return words.say("look.nothing", classes=look.classes)
    digits = max(4, *(min(one.decimals, 9) for one in found.numbers))
    groups: dict[str, list[str]] = {}
    for place, value in enumerate(look.values):
        text = f"{value:.{digits}f}" if math.isfinite(value) else words["look.left_out"]
        groups.setdefault(text, []).append(letter(place))
    parts = [
        words.say(
            "look.value", value=value, letters=letters if len(letters) < 7 else [*letters[:6], "…"]
        )
        for value, letters in list(groups.items())[:6]
    ]
    if len(groups) > 6:
        parts.append("…")
    key = f"look.{look.kind}"
    whole = words.say(key, name=look.name, measure=look.measure, parts=parts)
    if look.groups < look.classes:
        whole += words.say("look.partly", groups=look.groups, classes=look.classes)
    return whole


def _faults(found: MatchFacts, words: Catalogue) -> list[str]:
    if not found.faults:
        return [words.say("faults.none", count=found.faults_tried)]
    lines = [words.say("faults.title", count=found.faults_tried)]
    lines += [f"- {_fault(found, one, words)}" for one in found.faults]
    if found.faults_accident > DOUBTFUL:
        lines.append(words.say("faults.accident", share=found.faults_accident))
    return lines


def _fault(found: MatchFacts, one: FoundFault, words: Catalogue) -> str:
    what = words.say(f"fault.{one.fault.kind}", value=one.fault.value)
    numbers = [f"{n.name} {_shown(n, one.values[n.name])}" for n in found.numbers]
    return words.say("faults.one", what=what, rules=[str(way) for way in one.ways], numbers=numbers)


def _nearest(found: MatchFacts, words: Catalogue) -> Table:
    headings = [words["heading.rules"], *(one.name for one in found.numbers)]
    headings.append(words["heading.distance"])
    rows = []
    for one in found.nearest:
        numbers = [_shown(number, one.values[number.name]) for number in found.numbers]
        mark = "†" if one.cut_off else ""
        rows.append([str(one.way), *numbers, f"{one.distance / 2:.1f}{mark}"])
    notes = [words["away"]]
    if any(one.cut_off for one in found.nearest):
        notes.append(words["cut_off"])
    return Table(headings, rows, words["nearest"], notes=notes, long=[0])


def _tried(found: MatchFacts, words: Catalogue) -> Table:
    headings = [
        words["heading.changes"],
        words["heading.tried"],
        words["heading.distinct"],
        words["heading.matching"],
        words["heading.accident"],
    ]
    rows = [
        [
            words[f"changes.{one.changes}"],
            f"{one.tried:,}",
            f"{one.distinct:,}",
            f"{one.classes:,}",
            words.style.part(one.accident),
        ]
        for one in found.tiers
    ]
    notes = []
    if found.verdict == "doubtful":
        notes.append(words["second" if len(found.numbers) == 1 else "further"])
    if found.without_effect:
        notes.append(words.say("idle", rules=list(found.without_effect)))
    return Table(headings, rows, words["tried"], notes=notes)


def _shown(number: PrintedNumber, value: float) -> str:
    return number.shown(value) if math.isfinite(value) else "–"
