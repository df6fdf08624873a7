"""One run of a system against several of another, whose runs differ or do not."""

from __future__ import annotations

import numpy as np
import pytest

import relyon


def systems(counts: tuple[int, int], run: float) -> dict[str, list[dict[str, dict[str, float]]]]:
    """Systems with so many runs on 40 queries, each run lifted by a random amount."""
    chance = np.random.default_rng(5)
    hard = chance.normal(0.5, 0.1, 40)

    def values() -> dict[str, dict[str, float]]:
        moved = hard + chance.normal(0, run) + chance.normal(0, 0.05, 40)
        return {"m": {f"q{place}": one for place, one in enumerate(moved.tolist())}}

    return {
        name: [values() for _ in range(count)] for name, count in zip("AB", counts, strict=True)
    }


@pytest.mark.parametrize(("counts", "alone"), [((1, 8), "A"), ((8, 1), "B")])
def test_a_single_run_against_runs_that_differ_is_a_warning(
    counts: tuple[int, int], alone: str
) -> None:
    """What the other system's runs share is counted; what the single run shares is not."""
    with pytest.warns(relyon.RelyonWarning, match="run this one again"):
        found = relyon.compare_values(systems=systems(counts, run=0.1))
    (note,) = [one for one in found.notes if one.kind.startswith("single-run")]
    assert (note.kind, note.level, note.run) == ("single-run-differs", "warning", alone)
    assert note.values["measures"] == ["m"]


def test_a_single_run_against_runs_that_do_not_differ_is_a_note() -> None:
    found = relyon.compare_values(systems=systems((1, 8), run=0.0))
    (note,) = [one for one in found.notes if one.kind.startswith("single-run")]
    assert (note.kind, note.level) == ("single-run-of-system", "info")


def test_a_test_that_counts_no_run_has_the_note_about_these_very_runs() -> None:
    with pytest.warns(relyon.RelyonWarning, match="about these very runs"):
        found = relyon.compare_values(systems=systems((1, 8), run=0.1), test="permutation")
    kinds = {one.kind for one in found.notes}
    assert {"run-effect", "single-run-of-system"} <= kinds
    assert "single-run-differs" not in kinds
