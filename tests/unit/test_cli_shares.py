"""Options that take a share: 5% or 0.05, never a bare 5."""

from __future__ import annotations

from pathlib import Path

import click
import pytest
from tests.unit.conftest import Command
from tests.unit.test_cli_options import options

from relyon.cli.shares import SHARE, SHARE_BETWEEN, Share
from relyon.core.errors import ParameterError


@pytest.mark.parametrize(
    ("text", "fraction"), [("5%", 0.05), ("0.05", 0.05), ("0.5", 0.5), ("0.5%", 0.005)]
)
def test_a_percentage_has_its_sign(text: str, fraction: float) -> None:
    assert SHARE_BETWEEN.convert(text, None, None) == pytest.approx(fraction)


OTHERS = ("5", "much", "-1", "120%", "nan", "0")


@pytest.mark.parametrize(
    ("text", "hint"),
    [("1", "1%, or the fraction: share 0.01"), *((one, "5%") for one in OTHERS)],
)
def test_others_are_refused_with_both_spellings(text: str, hint: str) -> None:
    with pytest.raises(ParameterError, match="is not a share") as caught:
        SHARE_BETWEEN.convert(text, None, None)
    assert hint in str(caught.value.hint)


def test_a_closed_range_has_its_ends() -> None:
    assert [SHARE.convert(one, None, None) for one in ("0", "1", "100%")] == [0, 1, 1]


def test_every_option_between_0_and_1_takes_percentages() -> None:
    ranges = [one for _, one in options() if isinstance(one.type, click.FloatRange)]
    unit = [one for one in ranges if (one.type.min, one.type.max) == (0, 1)]  # type: ignore[attr-defined]
    assert len(unit) >= 10
    assert [one.opts for one in unit if not isinstance(one.type, Share)] == []


def test_compare_accepts_alpha_in_percent(files: Path, command: Command) -> None:
    runs = ("judgments.qrels", "bm25.run", "new.run", "--format", "json")
    found = command("compare", *runs, "--alpha", "1%")
    assert found.code == 0, found.err
    assert '"alpha": 0.01' in found.out
    refused = command("compare", *runs, "--alpha", "5")
    assert refused.code == 2
    assert "write --alpha 5%, or the fraction: --alpha 0.05" in refused.err


def test_a_planned_difference_beyond_the_baseline_is_refused(files: Path, command: Command) -> None:
    runs = ("judgments.qrels", "bm25.run", "new.run", "-m", "ndcg@10", "--plan")
    refused = command("compare", *runs, "--difference", "2")
    assert refused.code == 2
    assert "write 2%" in refused.err
    assert command("compare", *runs, "--difference", "0.02", "--difference", "2%").code == 0
