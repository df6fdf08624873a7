"""The engine's explanation of scores, for people: an indented list, bounded."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from relyon.core.texts import Language, catalogue

__all__ = ["ScoreExplanations", "explanation_tree", "outline"]

#: Lines and levels that are shown of each explanation; JSON has all.
MOST_LINES, MOST_LEVELS = 16, 6
#: Characters of a line.
LONGEST = 160
#: Levels that are read of a tree: engines nest them by the clauses of a query.
DEEPEST = 200


@dataclass(frozen=True)
class ScoreExplanations:
    """The explanations of the scores of one query's results.

    Attributes:
        run: The name of the run.
        found: The explanation by document, in the engine's order: JSON or text.
        ranks: The rank of each document in the answer.
        titles: Titles of documents, as far as they are known.
    """

    run: str
    found: Mapping[str, str]
    ranks: Mapping[str, int]
    titles: Mapping[str, str]

    def to_dict(self) -> dict[str, object]:
        """Returns the explanations by document: trees where the engine gives them."""
        return {id: explanation_tree(text) for id, text in self.found.items()}

    def to_text(self, limit: int, language: Language = "en") -> str:
        """Returns an indented list for a terminal.

        Args:
            limit: How many documents to show.
            language: `en` or `zh`.
        """
        return "\n".join(self._lines(limit, language, "  ", ""))

    def to_markdown(self, limit: int, language: Language = "en") -> str:
        """Returns nested lists; the arguments are those of `to_text`."""
        return "\n".join(self._lines(limit, language, "    ", "- "))

    def _lines(self, limit: int, language: Language, indent: str, bullet: str) -> Iterator[str]:
        words = catalogue("latency", language)
        yield words.say("explanations.title", run=self.run)
        yield from [""] if bullet else []
        for id in list(self.found)[:limit]:
            title = self.titles.get(id, "")
            named = f"{id} ({title})" if title and title != id else id
            yield words.say("explanations.one", rank=self.ranks[id], document=named)
            for level, text in outline(self.found[id]):
                yield f"{indent * (level + 1)}{bullet}{text}"
        left = len(self.found) - limit
        if left > 0:
            yield from [""] if bullet else []
            yield words.say("explanations.more", count=left)


def explanation_tree(text: str) -> object:
    """Returns what a text contains: JSON as values, other text as it is.

    Examples:
        >>> explanation_tree('{"value": 1.5, "description": "sum of:"}')
        {'value': 1.5, 'description': 'sum of:'}
        >>> explanation_tree("1.5 = tf")
        '1.5 = tf'
    """
    if text.lstrip()[:1] not in ("{", "["):
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def outline(text: str) -> list[tuple[int, str]]:
    """Returns the lines of an explanation, each with its level, as many as people read.

    Examples:
        >>> outline('{"value": 3, "description": "sum", "details": [{"value": 3}]}')
        [(0, '3 sum'), (1, '3')]
        >>> outline("1.5 = sum of:" + chr(10) + "  1.5 = tf")
        [(0, '1.5 = sum of:'), (1, '1.5 = tf')]
    """
    tree = explanation_tree(text)
    lines = _of_tree(tree) if isinstance(tree, dict) else _of_text(text)
    found: list[tuple[int, str]] = []
    for level, line in lines:
        if len(found) == MOST_LINES:
            found.append((0, "…"))
            break
        if level < MOST_LEVELS:
            found.append((level, line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"))
    return found


def _of_tree(tree: object) -> Iterator[tuple[int, str]]:
    """Yields the nodes of a tree of values, descriptions and details, before their parts."""
    left: list[tuple[int, object]] = [(0, tree)]
    while left:
        level, node = left.pop()
        if not isinstance(node, dict):
            yield level, " ".join(str(node).split())
            continue
        value, said = node.get("value"), " ".join(str(node.get("description", "")).split())
        if value is None and not said:
            said = json.dumps(node, ensure_ascii=False)
            yield level, said
            continue
        shown = f"{value:g}" if isinstance(value, int | float) else ""
        yield level, f"{shown} {said}".strip()
        details = node.get("details")
        if isinstance(details, list) and level < DEEPEST:
            left += [(level + 1, one) for one in reversed(details)]


def _of_text(text: str) -> Iterator[tuple[int, str]]:
    """Yields the lines of a text; its own indentation gives the levels."""
    widths: list[int] = []
    for line in text.splitlines():
        stripped = line.strip()
        if stripped:
            width = len(line) - len(line.lstrip())
            while widths and widths[-1] >= width:
                widths.pop()
            yield len(widths), stripped
            widths.append(width)
