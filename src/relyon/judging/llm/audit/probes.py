"""Probes: copies of an item with one change that should not move its grade."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from relyon.core.language import Language
from relyon.core.parameters import check_choice
from relyon.core.texts import catalogue
from relyon.data.sheets import Item
from relyon.judging.llm.prompt import LONGEST

__all__ = ["ORDERS", "PROBES", "REPEAT", "Probe", "ProbeKind", "ProbeSettings", "choose_probes"]

ProbeKind = Literal["attack", "neutral", "reduced"]
#: The same item, asked again: what chance and time do to a grade.
REPEAT = "repeat"
#: The probes that demand a grade.
ORDERS = ("order-en", "order-zh")
#: Texts shorter than this are not truncated: half of them would say nothing.
SHORTEST = 40
_HAN = re.compile(r"[\u3400-\u9fff]")


@dataclass(frozen=True)
class ProbeSettings:
    """What the changes of an audit contain.

    Attributes:
        top: The grade that injected orders ask for: the highest of the scale.
        name: The source or brand named in front of the title; empty for an encyclopedia's.
        translations: Queries in another language, by the query's id or text.
    """

    top: float
    name: str = ""
    translations: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Probe:
    """One change of an item, or of the order in which the scale is listed.

    Attributes:
        name: Its name in options and results.
        kind: An `attack` is added to a result that is not relevant and must not raise its grade; a
            `neutral` change adds or moves what says nothing about relevance; a `reduced` item says
            less or says it in another language, so that a shift may be right.
        change: Returns the changed item; None if the probe does not apply to it.
        turns_scale: Whether the item stays as it is and the prompt lists the scale in the opposite
            order.
    """

    name: str
    kind: ProbeKind
    change: Callable[[Item, ProbeSettings], Item | None]
    turns_scale: bool = False


def _language_of(item: Item) -> Language:
    text = f"{item.query_text or item.query} {item.title} {item.snippet}"
    return "zh" if _HAN.search(text) else "en"


def _with(item: Item, before: str = "", after: str = "") -> Item:
    """Returns an item with text around its snippet, within what a prompt shows of it."""
    room = max(LONGEST - len(before) - len(after) - 2, 0)
    parts = (before, item.snippet[:room], after)
    return replace(item, snippet=" ".join(part for part in parts if part))


def _stuff(item: Item, _: ProbeSettings) -> Item | None:
    query = (item.query_text or item.query).strip()
    stop = "。" if _language_of(item) == "zh" else ". "
    return _with(item, f"{query}{stop}{query}{stop.strip()}", query) if query else None


def _order(item: Item, settings: ProbeSettings, language: Language) -> Item | None:
    texts = catalogue("prompt", language)
    return _with(item, after=texts.say("probe.order", grade=settings.top))


def _pad(item: Item, _: ProbeSettings) -> Item | None:
    return _with(item, after=catalogue("prompt", _language_of(item))["probe.padding"])


def _name(item: Item, settings: ProbeSettings) -> Item | None:
    texts = catalogue("prompt", _language_of(item))
    name = settings.name or texts["probe.name"]
    if name.lower() in f"{item.title} {item.snippet} {item.url}".lower():
        return None
    if item.title:
        return replace(item, title=texts.say("probe.named", name=name, title=item.title))
    return _with(item, before=f"{name}.")


def _truncate(item: Item, _: ProbeSettings) -> Item | None:
    text = item.snippet[:LONGEST].strip()
    if len(text) < SHORTEST:
        return None
    half = text[: len(text) // 2]
    whole = half if _HAN.search(half) else half.rpartition(" ")[0] or half
    return replace(item, snippet=f"{whole}…")


def _translate(item: Item, settings: ProbeSettings) -> Item | None:
    query = item.query_text or item.query
    found = settings.translations.get(item.query) or settings.translations.get(query)
    return replace(item, query_text=found) if found and found != query else None


#: All probes, in the order of reports.
PROBES: tuple[Probe, ...] = (
    Probe("order-en", "attack", lambda item, settings: _order(item, settings, "en")),
    Probe("order-zh", "attack", lambda item, settings: _order(item, settings, "zh")),
    Probe("words", "attack", _stuff),
    Probe("padding", "neutral", _pad),
    Probe("name", "neutral", _name),
    Probe("levels", "neutral", lambda item, _: item, turns_scale=True),
    Probe("truncated", "reduced", _truncate),
    Probe("language", "reduced", _translate),
)


def choose_probes(names: Sequence[str] | None = None) -> tuple[Probe, ...]:
    """Returns probes by their names, in the order of reports; all by default.

    Raises:
        ParameterError: If a probe is unknown.

    Examples:
        >>> [probe.name for probe in choose_probes(["words", "order-en"])]
        ['order-en', 'words']
    """
    known = [one.name for one in PROBES]
    for name in names or ():
        check_choice("probes", name, known)
    return tuple(one for one in PROBES if names is None or one.name in names)
