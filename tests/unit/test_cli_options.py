"""Options mean the same in every command, and the same thing has one name."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable

import click
import pytest
from tests.unit.test_cli_help_language import PATHS, found

Named = tuple[str, click.Option]


def options() -> list[Named]:
    """Returns every option of every command, with the command."""
    return [
        (" ".join(path), one)
        for path in PATHS
        if path[:1] != ("trec_eval",)
        for one in found(path).params
        if isinstance(one, click.Option)
    ]


def name(option: click.Option) -> str:
    """Returns the long name of an option."""
    return max(option.opts, key=len)


def said(pattern: str) -> Callable[[click.Option], bool]:
    """Returns whether the help of an option says something."""
    return lambda option: re.search(pattern, option.help or "") is not None


def column_of(what: str) -> Callable[[click.Option], bool]:
    """Returns whether an option names a column."""
    return lambda option: (
        option.metavar == "COLUMN" and said(rf"column of (the )?{what}s?\b")(option)
    )


def number(pattern: str) -> Callable[[click.Option], bool]:
    """Returns whether an option is a whole number of something."""
    return lambda option: isinstance(option.type, click.IntRange) and said(pattern)(option)


def form(option: click.Option) -> bool:
    """Returns whether an option is a format that is read or written."""
    choices = {"json", "markdown", "onnx"} & set(getattr(option.type, "choices", ()))
    return option.metavar == "FORMAT" or bool(choices)


#: What an option can mean, how to tell, and what it may be called.
MEANINGS: dict[str, tuple[Callable[[click.Option], bool], set[str]]] = {
    "a format": (
        form,
        {"--format", "--input-format", "--judgments-format", "--run-format", "--log-format"},
    ),
    "the id of a query": (said(r"query's id\b"), {"--query-id"}),
    "the column of the query": (column_of("query"), {"--query"}),
    "the column of the label": (column_of("label"), {"--label"}),
    "the column of the document": (column_of("document"), {"--document"}),
    "the column of the score": (column_of("score"), {"--score"}),
    "how many are shown": (
        number(r"to (print|list|show)\b|listed|Rows of each table|rank by rank|worst queries"),
        {"--limit"},
    ),
    "how many ranks count": (
        lambda one: "-k" in one.opts or said(r"Ranks that count|[Dd]epth")(one),
        {"--depth", "--common-depth"},
    ),
    "the seed": (number(r"\b([Ss]eed|[Cc]hooses)\b"), {"--seed"}),
    "replace what is there": (
        lambda one: one.is_flag and said(r"^Replace\b")(one),
        {"--force"},
    ),
    "where the result goes": (lambda one: "-o" in one.opts, {"--output"}),
    "a parameter": (said(r"^A (further )?parameter of\b"), {"--parameter"}),
}


@pytest.mark.parametrize("meaning", MEANINGS)
def test_one_meaning_has_one_name(meaning: str) -> None:
    means, names = MEANINGS[meaning]
    having = [(command, one) for command, one in options() if means(one)]
    assert having, "no option has this meaning any more: say how it is told now"
    assert [(command, name(one)) for command, one in having if name(one) not in names] == []


def test_what_is_described_alike_is_called_alike() -> None:
    names = defaultdict(set)
    for _, one in options():
        names[one.help].add(name(one))
    assert {text: found for text, found in names.items() if text and len(found) > 1} == {}


def test_a_name_has_its_letter_in_every_command() -> None:
    letters = {"--depth": "-k", "--output": "-o", "--parameter": "-p", "--measure": "-m"}
    letters |= {"--per-query": "-q", "--estimator": "-e"}
    missing = []
    for path in PATHS:
        taken = [one for one in found(path).params if isinstance(one, click.Option)]
        for one in taken:
            letter = letters.get(name(one))
            if letter and not any(letter in other.opts for other in taken):
                missing.append((*path, name(one)))
    assert missing == []
    meanings = defaultdict(set)
    for command, one in options():
        for letter in {text for text in one.opts if len(text) == 2}:
            assert one.opts[0] == letter, f"{command}: {letter} stands before the name"
            meanings[letter].add(name(one))
    assert {letter: found for letter, found in meanings.items() if len(found) > 1} == {}


@pytest.mark.parametrize(
    ("option", "meaning"),
    [
        ("--check", r"^Run this check only"),
        ("--rule", r"^Apply this rule only"),
        ("--test", r"\btest\b.*\btukey\b"),
        ("--valid", r"^Held-out rows"),
        ("--missing", r"share of missing values"),
    ],
)
def test_one_name_has_one_meaning(option: str, meaning: str) -> None:
    having = [(command, one) for command, one in options() if name(one) == option]
    assert having
    assert [command for command, one in having if not said(meaning)(one)] == []


def test_the_ending_of_the_output_decides_its_format() -> None:
    fixed = []
    for path in PATHS:
        taken = {name(one): one for one in found(path).params if isinstance(one, click.Option)}
        output, form = taken.get("--output"), taken.get("--format")
        if output is None or form is None or "table" not in getattr(form.type, "choices", ()):
            continue
        if (output.help or "").startswith("Write the output to a file") and form.default:
            fixed.append(path)
    assert fixed == []
