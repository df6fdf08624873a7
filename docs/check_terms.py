"""Checks the words that people read against `terms.toml`: `make lint` runs it.

python docs/check_terms.py            lists each phrase with its file and line, and what to say

In English it reads the strings of the package (help texts, errors, hints), all docstrings and
comments, the catalogues in `core/texts/en`, and the pages in the root, `native` and `docs`; in
Chinese the catalogues in `core/texts/zh` and the Chinese pages. Code is left out: fenced blocks,
doctests, `names in backticks`, addresses and the keys of catalogues.

`STYLE.md` says how relyon writes; each entry of `terms.toml` is one phrase of it that a program
can find. An exception names a file and a part of the line, and one that is no longer needed is a
fault, too.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

ROOT = Path(__file__).parents[1]
TERMS = "terms.toml"
#: The folder of the lessons and the cheat sheets.
COURSE = "src/relyon/learn"
#: The style guide quotes what is not said; the other page is Chinese.
UNREAD = ("STYLE.md", "README.zh-CN.md")
CODE = re.compile(r"``[^`]*``|`[^`\n]*`|\]\([^)\s]*\)|https?://\S+|<[^<>\n]*>|^\s*#.*\{#[^}]*\}$")

Language = Literal["english", "chinese"]
LANGUAGES: tuple[Language, ...] = ("english", "chinese")


@dataclass(frozen=True)
class Term:
    """A phrase to avoid.

    Attributes:
        pattern: Finds it.
        say: The phrase to use instead.
        wrong: A sentence with the phrase.
        right: The sentence as it should be, or one that looks alike and is allowed.
        allow: Exceptions: the path of a file, a colon, and a part of the line.
        code: Whether it applies to docstrings and comments only.
    """

    pattern: re.Pattern[str]
    say: str
    wrong: str
    right: str
    allow: tuple[str, ...] = ()
    code: bool = False

    def found(self, text: str) -> list[re.Match[str]]:
        """Returns the matches in a text, code left out."""
        return list(self.pattern.finditer(prose(text)))


@dataclass(frozen=True)
class Line:
    """A text that people read.

    Attributes:
        path: Its file, from the root of the repository.
        number: Its line, counted from 1.
        text: The text; its lines are not indented.
        code: Whether it is a docstring or a comment.
    """

    path: str
    number: int
    text: str
    code: bool = False


@dataclass
class Check:
    """The terms of one language, and the exceptions that were met.

    Attributes:
        terms: The phrases to avoid.
        met: The exceptions that were needed.
    """

    terms: list[Term]
    met: set[str] = field(default_factory=set)

    def faults(self, lines: Iterable[Line]) -> Iterator[str]:
        """Yields a sentence for each phrase that was found, and for each idle exception."""
        for line in lines:
            for term in self.terms:
                if term.code and not line.code:
                    continue
                for match in term.found(line.text):
                    excepted = [one for one in term.allow if _excepts(one, line)]
                    self.met.update(excepted)
                    if not excepted:
                        place = line.number + line.text.count("\n", 0, match.start())
                        phrase = match[0].replace("\n", " ")
                        yield f"{line.path}:{place}: “{phrase}”: say {term.say}"
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
            # A phrase may continue on the next line.
            pattern = entry["not"].replace(" ", r"[ \n]") if language == "english" else entry["not"]
            term = Term(
                re.compile(pattern, re.M),
                entry["say"],
                entry["wrong"],
                entry["right"],
                tuple(entry.get("allow", ())),
                entry.get("only") == "code",
            )
            if not term.found(term.wrong) or term.found(term.right):
                raise SystemExit(f"{path}: {entry['not']} does not tell wrong from right")
            found[language].append(term)
    return found


def python_lines(path: str, source: str) -> Iterator[Line]:
    """Yields the strings of a module that contain words, its docstrings and its comments."""
    tree = ast.parse(source)
    docstrings = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if not isinstance(first, ast.Expr) or not isinstance(first.value, ast.Constant):
                continue
            docstrings.add(id(first.value))
            if isinstance(first.value.value, str):
                yield from docstring_lines(path, first.lineno, first.value.value)
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant) or id(node) in docstrings:
            continue
        if isinstance(node.value, str) and " " in node.value.strip():
            yield Line(path, node.lineno, node.value)
    yield from comment_lines(path, source)


def docstring_lines(path: str, start: int, text: str) -> Iterator[Line]:
    """Yields the paragraphs of a docstring without doctests.

    Args:
        path: The file.
        start: The docstring's first line.
        text: The docstring.
    """
    gathered = list[str]()
    doctest = False
    for number, line in enumerate([*text.split("\n"), ""], start=start):
        part = line.strip()
        doctest = bool(part) and (doctest or part.startswith(">>>"))
        if part and not doctest:
            gathered.append(part)
        elif gathered:
            yield Line(path, number - len(gathered), "\n".join(gathered), code=True)
            gathered = []


def comment_lines(path: str, source: str) -> Iterator[Line]:
    """Yields the comments of a module; those on adjacent lines are one text."""
    start, gathered = 0, list[str]()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type != tokenize.COMMENT:
            continue
        if gathered and token.start[0] != start + len(gathered):
            yield Line(path, start, "\n".join(gathered), code=True)
            gathered = []
        start = start if gathered else token.start[0]
        gathered.append(token.string.lstrip("#: "))
    if gathered:
        yield Line(path, start, "\n".join(gathered), code=True)


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
            gathered.append(line.strip())


def catalogue_lines(path: str, text: str) -> Iterator[Line]:
    """Yields the values of a catalogue, line by line."""
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.lstrip().startswith("#"):
            value = re.sub(r'^("(?:[^"\\]|\\.)*"|[\w.-]+) = ', lambda m: " " * len(m[0]), line)
            yield Line(path, number, value)


def read_lines(root: Path, language: Language) -> Iterator[Line]:
    """Yields the texts of a language."""
    texts = root / "src" / "relyon" / "core" / "texts" / language[:2].replace("ch", "zh")
    for path in sorted(texts.rglob("*.toml")):
        yield from catalogue_lines(path.relative_to(root).as_posix(), path.read_text("utf-8"))
    if language == "chinese":
        pages = [*root.glob("*.zh-CN.md"), *(root / "docs" / "zh").rglob("*.md")]
        pages += [*(root / COURSE).glob("*/zh/*.md"), *(root / COURSE).glob("*/zh.md")]
    else:
        for path in sorted((root / "src").rglob("*.py*")):
            if path.suffix not in (".py", ".pyi"):
                continue
            yield from python_lines(path.relative_to(root).as_posix(), path.read_text("utf-8"))
        pages = [path for path in root.glob("*.md") if path.name not in UNREAD]
        pages += [*root.glob("native/*.md"), *(root / "docs").glob("*.md")]
        pages += [*(root / COURSE).glob("*/en/*.md"), *(root / COURSE).glob("*/en.md")]
    for path in sorted(pages):
        yield from page_lines(path.relative_to(root).as_posix(), path.read_text("utf-8"))


def check(root: Path) -> list[str]:
    """Returns a sentence for each phrase that was found.

    Args:
        root: The folder of the repository, with `terms.toml`.
    """
    terms = read_terms(root / TERMS)
    found: list[str] = []
    for language in LANGUAGES:
        found += Check(terms[language]).faults(read_lines(root, language))
    return found


def main() -> int:
    """Prints the phrases that were found; returns the exit code."""
    faults = check(ROOT)
    for fault in faults:
        sys.stderr.write(fault + "\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
