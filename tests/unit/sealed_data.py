"""Judgments and runs for the MCP server: a folder for an agent, and judgments outside of it."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

from relyon.compat.mcp.settings import Sealing, Settings
from relyon.compat.mcp.work import Work

QUERIES, DOCUMENTS = 120, 12
#: Held-out queries: every other one.
HELD_OUT = tuple(f"q{n}" for n in range(0, QUERIES, 2))
OPEN = tuple(f"q{n}" for n in range(1, QUERIES, 2))


@dataclass(frozen=True)
class Place:
    """Files of one agent.

    Attributes:
        root: The folder of all.
    """

    root: Path

    @property
    def folder(self) -> Path:
        """What is served."""
        return self.root / "experiments"

    @property
    def judgments(self) -> Path:
        """The judgments, outside of it."""
        return self.root / "judged.qrels"

    def sealing(self, **changes: object) -> Sealing:
        """Returns the settings of a sealed set with some changes."""
        usual: dict[str, object] = {
            "judgments": str(self.judgments),
            "baseline": str(self.folder / "runs" / "old.run"),
            "share": None,
            "held_out": str(self.root / "held.txt"),
            "measure": "ndcg@10",
            "looks": 5,
            "alpha": 0.05,
            "state": str(self.root / "state"),
        }
        return Sealing(**(usual | changes))  # type: ignore[arg-type]

    def work(self, **changes: object) -> Work:
        """Returns the tools over a sealed set."""
        return Work(Settings(str(self.folder), self.sealing(**changes)))

    def run(self, name: str, skill: float, seed: int) -> Path:
        """Writes a run whose scores follow the grades as much as its skill says."""
        chance = random.Random(seed)
        grades = grades_of(0)
        path = self.folder / "runs" / name
        lines = []
        for query, judged in grades.items():
            scores = {one: skill * grade + chance.gauss(0, 1) for one, grade in judged.items()}
            order = sorted(scores, key=lambda one: -scores[one])
            lines += [
                f"{query} Q0 {one} {rank} {scores[one]:.6f} x\n"
                for rank, one in enumerate(order, 1)
            ]
        path.write_text("".join(lines), "utf-8")
        return path


def grades_of(world: int) -> dict[str, dict[str, int]]:
    """Returns grades: those of open queries are the same in every world."""
    found = {}
    for place, query in enumerate(f"q{n}" for n in range(QUERIES)):
        chance = random.Random(place if query in OPEN else 1000 * world + place)
        found[query] = {f"d{n}": chance.choice([0, 0, 0, 1, 2, 3]) for n in range(DOCUMENTS)}
        found[query]["d0"] = 2
    return found


def qrels(grades: dict[str, dict[str, int]]) -> str:
    """Returns judgments in TREC's form."""
    return "".join(
        f"{query} 0 {document} {grade}\n"
        for query, judged in grades.items()
        for document, grade in judged.items()
    )


def place(root: Path, world: int = 0) -> Place:
    """Writes the files of one agent.

    Args:
        root: An empty folder.
        world: Which grades held-out queries have.
    """
    found = Place(root)
    (found.folder / "runs").mkdir(parents=True)
    found.judgments.write_text(qrels(grades_of(world)), "utf-8")
    (root / "held.txt").write_text("\n".join(HELD_OUT) + "\n", "utf-8")
    found.run("old.run", 0.3, 1)
    found.run("new.run", 2.0, 2)
    found.run("same.run", 0.3, 3)
    return found
