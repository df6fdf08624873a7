"""Draws the rooms of the house into `ARCHITECTURE.md`, from the code.

python docs/make_architecture.py            draws them
python docs/make_architecture.py --check    says whether the picture is up to date

A room is a package directly under `src/relyon`. Its line is the first sentence of its docstring; it
imports the rooms after the arrow, and those that these import.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from pathlib import Path

from check_house import import_graph, read_modules
from marks import replaced, write_or_check

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "ARCHITECTURE.md"
PACKAGE = ROOT / "src" / "relyon"
WIDTH = 118
START, END = "<!-- rooms -->", "<!-- end of rooms -->"


def rooms() -> dict[str, set[str]]:
    """Returns which room imports which."""
    found: dict[str, set[str]] = {}
    for name, targets in import_graph(read_modules(PACKAGE)).items():
        room = name.split(".")[1:2]
        others = {target.split(".")[1] for target in targets if "." in target}
        if room and (PACKAGE / room[0] / "__init__.py").is_file():
            found.setdefault(room[0], set()).update(others - set(room))
    return {room: others & set(found) for room, others in found.items()}


def floors(graph: Mapping[str, set[str]]) -> dict[str, int]:
    """Returns how high each room lies: one above the highest that it imports."""
    known: dict[str, int] = {}

    def floor(room: str) -> int:
        if room not in known:
            known[room] = 1 + max(map(floor, graph[room]), default=0)
        return known[room]

    return {room: floor(room) for room in graph}


def reached(graph: Mapping[str, set[str]], room: str) -> set[str]:
    """Returns every room that a room imports, directly or through others."""
    found = set(graph[room])
    for other in graph[room]:
        found |= reached(graph, other)
    return found


def arrows(graph: Mapping[str, set[str]], room: str) -> list[str]:
    """Returns the rooms that a room imports and that no other of them imports."""
    further = {target for other in graph[room] for target in reached(graph, other)}
    return sorted(graph[room] - further)


def sentence(package: Path) -> str:
    """Returns the first line of a package's docstring, without its full stop."""
    text = ast.get_docstring(ast.parse((package / "__init__.py").read_text("utf-8"))) or ""
    return text.partition("\n")[0].removesuffix(".")


def picture() -> str:
    """Returns the rooms from the roof down, each with its packages."""
    graph = rooms()
    height = floors(graph)
    lines = []
    for room in sorted(graph, key=lambda one: (-height[one], one)):
        title = f"{height[room]:>2}  {room:<12}{sentence(PACKAGE / room)}"
        below = f"→ {', '.join(arrows(graph, room))}"
        if len(below) == 2:
            lines.append(title)
        elif len(title) + 2 + len(below) <= WIDTH:
            lines.append(f"{title}  {below}")
        else:
            lines += [title, f"{'':<16}{below}"]
        for inner in sorted((PACKAGE / room).iterdir()):
            if (inner / "__init__.py").is_file():
                lines.append(f"{'':<6}{inner.name + '/':<15} {sentence(inner)}")
    return "\n".join(lines)


def page() -> str:
    """Returns the page with today's picture."""
    return replaced(PAGE, START, END, f"\n\n```text\n{picture()}\n```\n\n")


if __name__ == "__main__":
    write_or_check(PAGE, page())
