"""Writes docs/claims.md and its Chinese translation: what is promised, and what simulations found.

python docs/make_claims.py            writes the pages
python docs/make_claims.py --check    exits with 1 if the pages are not as they would be written
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from marks import replaced, write_or_check

DOCS = Path(__file__).resolve().parent
HONEST = DOCS.parent / "tests" / "honest"
START, END = "<!-- claims -->\n", "<!-- end of claims -->\n"


@dataclass(frozen=True)
class Claim:
    """A promise about uncertainty, where it is made, and what simulations found.

    Attributes:
        name: Its name.
        en: The promise in a sentence.
        zh: The same in Chinese.
        said: Where it is made: pages of the documentation, and keys of texts.
        rows: The cases that were simulated.
        never_broken: Why no data break its assumption, if none do.
    """

    name: str
    en: str
    zh: str
    said: tuple[str, ...]
    rows: tuple[dict[str, Any], ...]
    never_broken: str = ""

    @property
    def pages(self) -> list[str]:
        """The pages of the documentation where it is made."""
        return [
            one.removeprefix("docs/")
            for one in self.said
            if one.endswith(".md") and not one.startswith("docs/zh/")
        ]

    def cases(self, assumption: bool) -> list[dict[str, Any]]:
        """Returns the cases in which what it assumes holds, or does not hold."""
        return [row for row in self.rows if row["assumption"] is assumption]


def claims() -> Iterator[Claim]:
    """Yields every claim, by name."""
    for path in sorted((HONEST / "claims").glob("*.toml")):
        rows = HONEST / "found" / f"{path.stem}.json"
        found = json.loads(rows.read_text("utf-8")) if rows.exists() else []
        told = tomllib.loads(path.read_text("utf-8"))
        yield Claim(
            path.stem,
            told["en"],
            told["zh"],
            tuple(told["said"]),
            tuple(found),
            told.get("never_broken", ""),
        )


def share(value: float) -> str:
    """Returns a share as a percentage."""
    return f"{100 * value:.1f}%"


def cell(text: str) -> str:
    """Returns a text that can stand in a table."""
    return text.replace("|", "\\|")


def table(rows: Iterable[dict[str, Any]]) -> list[str]:
    """Returns a table of cases."""
    lines = [
        "| simulated | promised | found | repetitions | what is said instead |",
        "|---|---|--:|--:|---|",
    ]
    return lines + [
        f"| {cell(row['case'])} | {cell(row['promise'])} | {share(row['found'])} |"
        f" {row['runs']:,} | {cell(row['says'])} |"
        for row in rows
    ]


def english() -> str:
    """Returns the claims with every case."""
    lines: list[str] = []
    for claim in claims():
        made = ", ".join(f"[{page.removesuffix('.md')}]({page})" for page in claim.pages)
        lines += [f"## {claim.name}", "", f"{claim.en} Said in: {made}.", ""]
        for assumption, words in ((True, "that meet its assumptions"), (False, "that break them")):
            if cases := claim.cases(assumption):
                lines += [f"Data {words}:", "", *table(cases), ""]
        if claim.never_broken:
            lines += [claim.never_broken, ""]
    return "\n" + "\n".join(lines)


def span(rows: list[dict[str, Any]]) -> str:
    """Returns the range of the shares that were found."""
    if not rows:
        return "–"
    found = sorted(row["found"] for row in rows)
    ends = share(found[0]) if found[0] == found[-1] else f"{share(found[0])} – {share(found[-1])}"
    return f"{ends} ({len(rows)})"


def chinese_link(page: str) -> str:
    """Returns a link to a page, in Chinese where it is translated."""
    place = page if (DOCS / "zh" / page).exists() else f"../{page}"
    return f"[{page.removesuffix('.md')}]({place})"


def chinese() -> str:
    """Returns the claims with the ranges of what was found."""
    lines = [
        "",
        "| 声明 | 前提成立时实测（情形数） | 前提不成立时实测（情形数） | 页面 |",
        "|---|--:|--:|---|",
    ]
    for claim in claims():
        pages = ", ".join(chinese_link(page) for page in claim.pages)
        lines.append(
            f"| [{cell(claim.zh)}](../claims.md#{claim.name}) | {span(claim.cases(True))} |"
            f" {span(claim.cases(False))} | {pages} |"
        )
    return "\n".join([*lines, "", ""])


if __name__ == "__main__":
    for page, text in ((DOCS / "claims.md", english()), (DOCS / "zh" / "claims.md", chinese())):
        write_or_check(page, replaced(page, START, END, text))
