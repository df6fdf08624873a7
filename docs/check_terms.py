"""Checks the words that people read against `terms.toml`: `make lint` runs it.

python docs/check_terms.py            says which phrase stands where, and what to say instead

Read are, in English, the strings of the package (help texts, errors, hints), the first paragraphs
of public docstrings, the catalogues in `core/texts/en`, and the pages in the root, `native` and
`docs`; in Chinese the catalogues in `core/texts/zh` and the Chinese pages. Code
is no prose: fenced blocks, `names in backticks`, addresses and the keys of catalogues are left out.

`STYLE.md` says how relyon writes; each entry of `terms.toml` is one phrase of it that a program
can find. An exception names a file and a part of the line, and one that is no longer needed is a
fault, too.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

ROOT = Path(__file__).parents[1]
TERMS = "terms.toml"
#: The style guide quotes what is not said; the other page is Chinese.
#: Where the lessons and the cheat sheets are.
COURSE = "src/relyon/learn"
UNREAD = ("STYLE.md", "README.zh-CN.md")
CODE = re.compile(r"``[^`]*``|`[^`\n]*`|\]\([^)\s]*\)|https?://\S+|<[^<>\n]*>|^\s*#.*\{#[^}]*\}$")

Language = Literal["english", "chinese"]
LANGUAGES: tuple[Language, ...] = ("english", "chinese")


@dataclass(frozen=True)
class Term:
    """A phrase that is not said.

    Attributes:
        pattern: What finds it.
        say: What is said instead.
        wrong: A sentence with the phrase.
        right: The sentence as it should be, or one that looks alike and is allowed.
        allow: Exceptions: the path of a file, a colon, and a part of the line.
    """

    pattern: re.Pattern[str]
    say: str
    wrong: str
    right: str
    allow: tuple[str, ...] = ()

    def found(self, text: str) -> list[re.Match[str]]:
        """Returns where the phrase stands in a text, code left out."""
        return list(self.pattern.finditer(prose(text)))


@dataclass(frozen=True)
class Line:
    """Something people read.

    Attributes:
        path: Its file, from the root of the repository.
        number: Its line, counted from 1.
        text: The text.
    """

    path: str
    number: int
    text: str


@dataclass
class Check:
    """The terms of one language, and the exceptions that were met.

    Attributes:
        terms: What is not said.
        met: The exceptions that were needed.
    """

    terms: list[Term]
    met: set[str] = field(default_factory=set)

    def faults(self, lines: Iterable[Line]) -> Iterator[str]:
        """Yields a sentence for each phrase that is not said, and for each idle exception."""
        for line in lines:
            for term in self.terms:
                for match in term.found(line.text):
                    excepted = [one for one in term.allow if _excepts(one, line)]
                    self.met.update(excepted)
                    if not excepted:
                        place = line.number + line.text.count("\n", 0, match.start())
                        yield f"{line.path}:{place}: “{match[0]}”: say {term.say}"
        for term in self.terms:
            for one in term.allow:
                if one not in self.met:
                    yield f"{TERMS}: nothing needs the exception “{one}”: take it out"


def _excepts(exception: str, line: Line) -> bool:
    path, _, part = exception.partition(":")
    return path == line.path and part in line.text


def prose(text: str) -> str:
    """Returns a text with its code blanked, every character where it was.

    Examples:
        >>> prose("a run `is no` measure")
        'a run         measure'
    """
    return CODE.sub(lambda match: " " * len(match[0]), text)


def read_terms(path: Path) -> dict[Language, list[Term]]:
    """Returns the terms of both languages.

    Raises:
        SystemExit: If an entry lacks a field, or finds nothing in its own example.
    """
    content = tomllib.loads(path.read_text("utf-8"))
    found: dict[Language, list[Term]] = {}
    for language in LANGUAGES:
        found[language] = []
        for entry in content.get(language, []):
            missing = {"not", "say", "wrong", "right"} - set(entry)
            if missing:
                raise SystemExit(f"{path}: an entry lacks {', '.join(sorted(missing))}: {entry}")
            term = Term(
                re.compile(entry["not"], re.M),
                entry["say"],
                entry["wrong"],
                entry["right"],
                tuple(entry.get("allow", ())),
            )
            if not term.found(term.wrong) or term.found(term.right):
                raise SystemExit(f"{path}: {entry['not']} does not tell wrong from right")
            found[language].append(term)
    return found


def python_lines(path: str, source: str) -> Iterator[Line]:
    """Yields the strings of a module that hold words, and the heads of its public docstrings."""
    tree = ast.parse(source)
    docstrings = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if not isinstance(first, ast.Expr) or not isinstance(first.value, ast.Constant):
                continue
            docstrings.add(id(first.value))
            if isinstance(first.value.value, str) and not _hidden(node):
                head = first.value.value.split("\n\n", maxsplit=1)[0]
                yield Line(path, first.lineno, head)
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant) or id(node) in docstrings:
            continue
        if isinstance(node.value, str) and " " in node.value.strip():
            yield Line(path, node.lineno, node.value)


def _hidden(node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return not isinstance(node, ast.Module) and node.name.startswith("_")


def page_lines(path: str, text: str) -> Iterator[Line]:
    """Yields the paragraphs of a Markdown page, without its fenced blocks."""
    fenced = False
    start, gathered = 0, list[str]()
    for number, line in enumerate([*text.split("\n"), ""], start=1):
        fence = line.lstrip().startswith("```")
        if fence or fenced or not line.strip():
            if gathered:
                yield Line(path, start, "\n".join(gathered))
                gathered = []
            fenced ^= fence
        else:
            start = start if gathered else number
            gathered.append(line)


def catalogue_lines(path: str, text: str) -> Iterator[Line]:
    """Yields the values of a catalogue, line by line."""
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.lstrip().startswith("#"):
            value = re.sub(r'^("(?:[^"\\]|\\.)*"|[\w.-]+) = ', lambda m: " " * len(m[0]), line)
            yield Line(path, number, value)


def read_lines(root: Path, language: Language) -> Iterator[Line]:
    """Yields everything that is read in a language."""
    texts = root / "src" / "relyon" / "core" / "texts" / language[:2].replace("ch", "zh")
    for path in sorted(texts.glob("*.toml")):
        yield from catalogue_lines(path.relative_to(root).as_posix(), path.read_text("utf-8"))
    if language == "chinese":
        pages = [*root.glob("*.zh-CN.md"), *(root / "docs" / "zh").rglob("*.md")]
        pages += [*(root / COURSE).glob("*/zh/*.md"), *(root / COURSE).glob("*/zh.md")]
    else:
        for path in sorted((root / "src").rglob("*.py")):
            yield from python_lines(path.relative_to(root).as_posix(), path.read_text("utf-8"))
        pages = [path for path in root.glob("*.md") if path.name not in UNREAD]
        pages += [*root.glob("native/*.md"), *(root / "docs").glob("*.md")]
        pages += [*(root / COURSE).glob("*/en/*.md"), *(root / COURSE).glob("*/en.md")]
    for path in sorted(pages):
        yield from page_lines(path.relative_to(root).as_posix(), path.read_text("utf-8"))


def check(root: Path) -> list[str]:
    """Returns a sentence for each phrase that is not said.

    Args:
        root: The folder of the repository, with `terms.toml`.
    """
    terms = read_terms(root / TERMS)
    found: list[str] = []
    for language in LANGUAGES:
        found += Check(terms[language]).faults(read_lines(root, language))
    return found


def main() -> int:
    """Prints what is not said; returns how a process ends."""
    faults = check(ROOT)
    for fault in faults:
        sys.stderr.write(fault + "\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
