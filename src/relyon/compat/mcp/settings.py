"""What a server is started with: by the person, never by the agent."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

__all__ = ["Sealing", "Settings", "state_folder"]


@dataclass(frozen=True)
class Sealing:
    """How held-out queries are sealed.

    Attributes:
        judgments: The judgments of all queries; they may lie outside the folder.
        baseline: The run that a first candidate is compared with.
        share: The share of queries to hold out, or None if a file lists them.
        held_out: A file with the ids of held-out queries, one per line; empty with a share.
        measure: The measure of looks.
        looks: How many looks there are, ever.
        alpha: The probability of ever answering “better” wrongly.
        state: The folder of the state.
    """

    judgments: str
    baseline: str
    share: float | None
    held_out: str
    measure: str
    looks: int
    alpha: float
    state: str


@dataclass(frozen=True)
class Settings:
    """What a server may do, and with what.

    Attributes:
        folder: The folder whose files tools may read.
        sealing: The sealed set, or None.
        convention: A preset or file of rules; empty for the usual ones.
        scale: A grade scale or its file; empty for that of the judgments.
        engines: Files of engines that `search` may ask; without any there is no such tool.
        writes: Whether `search` may write new runs into the folder.
        seconds: How long a call may take.
        megabytes: How much memory a call may take.
    """

    folder: str
    sealing: Sealing | None = None
    convention: str = ""
    scale: str = ""
    engines: tuple[str, ...] = field(default=())
    writes: bool = False
    seconds: float = 120.0
    megabytes: int = 16_384

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, object]) -> Settings:
        """Returns what `to_dict` returned."""
        given = dict(values)
        sealing = given.pop("sealing")
        engines = given.pop("engines")
        return cls(
            sealing=Sealing(**sealing) if isinstance(sealing, dict) else None,
            engines=tuple(engines) if isinstance(engines, list | tuple) else (),
            **given,  # type: ignore[arg-type]
        )


def state_folder() -> str:
    """Returns where states are by default: the user's own folder for the state of programs.

    `$XDG_STATE_HOME/relyon/sealed`, or `~/.local/state/relyon/sealed`; on macOS
    `~/Library/Application Support/relyon/sealed`, on Windows `%LOCALAPPDATA%\\relyon\\sealed`.
    """
    home = os.path.expanduser("~")
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or os.path.join(home, "AppData", "Local")
    elif sys.platform == "darwin":
        base = os.path.join(home, "Library", "Application Support")
    else:
        base = os.environ.get("XDG_STATE_HOME") or os.path.join(home, ".local", "state")
    return os.path.join(base, "relyon", "sealed")
