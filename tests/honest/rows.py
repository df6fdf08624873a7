"""What simulations found about each claim, kept beside them and shown in the documentation."""

from __future__ import annotations

import json
import math
import os
from dataclasses import asdict, dataclass
from pathlib import Path

__all__ = ["CLAIMS", "ROWS", "Row", "kept_rows", "row"]

HERE = Path(__file__).resolve().parent
#: A claim in words, and where it is made: one file each.
CLAIMS = HERE / "claims"
#: What was found about it.
ROWS = HERE / "found"


@dataclass(frozen=True)
class Row:
    """One simulated case of a claim.

    Attributes:
        case: What was simulated.
        assumption: Whether what the claim assumes holds in these data.
        promise: The promise, as the output or the documentation makes it.
        found: The share that was found: coverage, false alarms, power, or warnings that were shown.
        runs: How many repetitions it is a share of.
        says: What the output says instead, where nothing is promised.
    """

    case: str
    assumption: bool
    promise: str
    found: float
    runs: int
    says: str = ""


def kept_rows(claim: str) -> list[Row]:
    """Returns the rows of a claim, as they were found last."""
    path = ROWS / f"{claim}.json"
    return [Row(**one) for one in json.loads(path.read_text("utf-8"))] if path.exists() else []


def row(
    claim: str,
    case: str,
    found: float,
    runs: int,
    *,
    promise: str,
    least: float = -math.inf,
    most: float = math.inf,
    assumption: bool = True,
    says: str = "",
) -> None:
    """Checks a simulated share against its bounds and against the row in the documentation.

    With `RELYON_WRITE_ROWS=1` the row is written instead of compared.

    Args:
        claim: The claim: the name of its file in `claims`.
        case: What was simulated, in a few words.
        found: The share that was found.
        runs: How many repetitions it is a share of.
        promise: The promise, as the output or the documentation makes it.
        least: The least that keeps the promise.
        most: The most that keeps it.
        assumption: Whether what the claim assumes holds in these data.
        says: What the output says instead, where nothing is promised.
    """
    found = float(found)
    assert math.isfinite(least) or math.isfinite(most), "a row without a bound cannot fail"
    assert least <= found <= most, f"{claim}: {case}: {found:.4f}, not in [{least}, {most}]"
    assert (CLAIMS / f"{claim}.toml").exists(), f"no claim is called {claim}"
    new = Row(case, assumption, promise, round(found, 4), runs, says)
    known = {one.case: one for one in kept_rows(claim)}
    if os.environ.get("RELYON_WRITE_ROWS"):
        known[case] = new
        ROWS.mkdir(exist_ok=True)
        text = json.dumps(
            [asdict(known[name]) for name in sorted(known)], indent=1, ensure_ascii=False
        )
        (ROWS / f"{claim}.json").write_text(text + "\n", encoding="utf-8")
        return
    assert case in known, f"{claim} has no row for {case}: run with RELYON_WRITE_ROWS=1"
    old = known[case]
    assert (old.promise, old.assumption, old.says) == (promise, assumption, says)
    # The same seeds; another machine may round otherwise, which turns a few repetitions.
    error = math.sqrt(max(old.found * (1 - old.found), 0.01) / max(runs, 1))
    assert abs(old.found - found) <= 4 * error, f"{claim}: {case}: {old.found} is out of date"
