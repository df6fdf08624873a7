"""Docstrings as text for the terminal."""

from __future__ import annotations

from inspect import cleandoc

from relyon.core.document.terminal import width, wrap

__all__ = ["definitions", "paragraphs", "sections", "summary"]

HEADINGS = ("Args", "Attributes", "Examples", "Raises", "References", "Returns")


def sections(docstring: str | None) -> dict[str, str]:
    """Returns the parts of a Google-style docstring; the text before the first one is `""`.

    Examples:
        >>> sections("One line.\\n\\nArgs:\\n    x: A number.\\n")
        {'': 'One line.', 'Args': 'x: A number.'}
    """
    found: dict[str, list[str]] = {"": []}
    current = ""
    for line in cleandoc(docstring or "").splitlines():
        if line.endswith(":") and line[:-1] in HEADINGS:
            current = line[:-1]
            found[current] = []
        else:
            found[current].append(line)
    return {name: cleandoc("\n" + "\n".join(lines)).strip() for name, lines in found.items()}


def summary(docstring: str | None) -> str:
    """Returns a docstring's first line."""
    return cleandoc(docstring or "").partition("\n")[0]


def entries(section: str) -> dict[str, str]:
    """Returns the names in an `Args` or `Attributes` section with their descriptions.

    Examples:
        >>> entries("k: Ranks counted;\\n    all of them.\\nrel: A grade.")
        {'k': 'Ranks counted; all of them.', 'rel': 'A grade.'}
    """
    found: dict[str, str] = {}
    name = ""
    for line in section.splitlines():
        if line[:1].strip():
            name, _, text = line.partition(":")
            found[name] = text.strip()
        elif name:
            found[name] += f" {line.strip()}"
    return found


def paragraphs(text: str, indent: str = "") -> list[str]:
    """Returns paragraphs wrapped to 80 columns, separated by blank lines."""
    lines: list[str] = []
    for block in text.replace("`", "").split("\n\n"):
        if lines:
            lines.append("")
        lines += wrap(block, 80, indent, indent)
    return lines


def definitions(pairs: list[tuple[str, str]], indent: str = "  ") -> list[str]:
    """Returns terms and their meanings in two columns, wrapped to 80."""
    left = max((width(term) for term, _ in pairs), default=0)
    lines = []
    for term, text in pairs:
        start = f"{indent}{term}{' ' * (left - width(term))}  "
        lines += wrap(text.replace("`", ""), 80, " " * (len(indent) + left + 2), start)
    return [line.rstrip() for line in lines]
