"""Notes on months, and any two months compared."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import relyon
from relyon.core.errors import InputError, ParameterError, UnknownNameError
from relyon.online.monitoring import (
    Monitor,
    Round,
    add_month_note,
    plan_intervals,
    read_month_notes,
    write_round,
)
from relyon.online.monitoring.month_notes import NOTES
from relyon.report import render_monitor_report

pytestmark = pytest.mark.long

MONTHS = ("2026-03", "2026-04", "2026-05")


def make_round(month: str, good: int, per_tier: int = 40) -> Round:
    log = pl.DataFrame(
        {
            "session": [f"{month}-{i}" for i in range(400)],
            "query": [f"q{i % 20}" for i in range(400)],
            "position": [1] * 400,
            "doc": ["good", "bad"] * 200,
        }
    )
    sample = relyon.draw_sample(log, per_tier=per_tier, cuts=[], names=["every"])
    grades = {f"q{i}": {"good": good + i % 3, "bad": 1} for i in range(20)}
    return relyon.create_round(month, sample, grades)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Rounds of three months, of which the last fell."""
    for month, good in zip(MONTHS, (3, 3, 1), strict=True):
        write_round(make_round(month, good), tmp_path / "rounds")
    return tmp_path / "rounds"


class TestNotes:
    def test_they_are_beside_the_rounds_and_only_grow(self, folder: Path) -> None:
        add_month_note(folder, "2026-05", "release  4.2\nwent live", by="lea")
        before = (folder / NOTES).read_bytes()
        add_month_note(folder, "2026-04", "学生开学", kind="accepted")
        assert (folder / NOTES).read_bytes().startswith(before)
        found = read_month_notes(folder)
        assert [(one.month, one.text, one.by, one.kind) for one in found] == [
            ("2026-04", "学生开学", "", "accepted"),
            ("2026-05", "release 4.2 went live", "lea", "note"),
        ]
        assert [one.month for one in relyon.monitor(folder).month_notes] == ["2026-04", "2026-05"]

    def test_a_line_that_was_cut_off_stays_alone(self, folder: Path) -> None:
        add_month_note(folder, "2026-04", "one")
        with open(folder / NOTES, "ab") as file:
            file.write(b'{"month": "2026-04", "text": "ha')
        add_month_note(folder, "2026-04", "two")
        assert [one.text for one in read_month_notes(folder)] == ["one", "two"]

    @pytest.mark.parametrize("line", [b"[1]", b"{}", b'{"month": 3, "text": []}', b"[" * 99_999])
    def test_damaged_lines_are_left_out(self, folder: Path, line: bytes) -> None:
        (folder / NOTES).write_bytes(line + b"\n")
        assert read_month_notes(folder) == []

    @pytest.mark.parametrize("text", ["", " \n", "x" * 2001])
    def test_texts_have_a_length(self, folder: Path, text: str) -> None:
        with pytest.raises(ParameterError):
            add_month_note(folder, "2026-04", text)

    def test_months_are_months(self, folder: Path) -> None:
        with pytest.raises(ParameterError):
            add_month_note(folder, "../2026-04", "x")
        assert not (folder / NOTES).exists()

    def test_a_folder_that_cannot_be_written(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        with pytest.raises(InputError):
            add_month_note(tmp_path / "file", "2026-04", "x")

    @pytest.mark.parametrize("language", ["en", "zh"])
    def test_everybody_sees_them(self, folder: Path, language: str) -> None:
        add_month_note(folder, "2026-05", "release 4.2 <b>", by="lea")
        found = relyon.monitor(folder)
        assert "release 4.2 <b>" in found.to_text(language)
        page = render_monitor_report(found, language=language)
        assert "release 4.2 &lt;b&gt;" in page
        assert "release 4.2 <b>" not in page
        assert found.to_dict()["month_notes"][0]["by"] == "lea"  # type: ignore[index]


class TestTwoMonths:
    def monitor(self, folder: Path) -> Monitor:
        return relyon.monitor(folder)

    def test_neighbours_are_compared_as_the_monitor_does(self, folder: Path) -> None:
        found = self.monitor(folder)
        assert found.compare("2026-04", "2026-05") == found.latest()

    def test_any_two_are_compared(self, folder: Path) -> None:
        changes = self.monitor(folder).compare("2026-03", "2026-05")
        assert {one.tier for one in changes} == {"all", "every"}
        assert all(one.before.month == "2026-03" for one in changes)
        assert {one.verdict for one in changes if one.can_alarm} == {"fell"}

    def test_there_are_two(self, folder: Path) -> None:
        found = self.monitor(folder)
        with pytest.raises(UnknownNameError):
            found.compare("2026-01", "2026-05")
        for before, after in (("2026-05", "2026-03"), ("2026-05", "2026-05")):
            with pytest.raises(ParameterError):
                found.compare(before, after)


class TestOneMonth:
    @pytest.mark.parametrize(
        ("language", "words"),
        [("en", ("alarm", "recall is failing", "It is not so")), ("zh", ("告警", "召回出了问题"))],
    )
    def test_nothing_is_said_of_alarms_or_causes(
        self, language: str, words: tuple[str, ...]
    ) -> None:
        found = relyon.monitor([make_round("2026-03", 3)])
        page = render_monitor_report(found, language=language, format="markdown")
        for word in words:
            assert word not in page
        assert ("second month" if language == "en" else "第二个月") in page


class TestPlannedIntervals:
    def test_they_are_those_of_the_graded_month(self) -> None:
        month = make_round("2026-03", 3, per_tier=60)
        plan = plan_intervals(month.sample.tiers, month)
        found = relyon.monitor([month])
        assert not plan.assumed
        for tier, width in (("every", plan.tiers["every"]), ("all", plan.all)):
            point = found.series(tier, "tier" if tier != "all" else "common")[0].dcg
            half = (point.interval[1] - point.interval[0]) / 2
            assert width * point.value == pytest.approx(half, rel=0.05)

    def test_a_month_of_other_tiers_is_not_used(self) -> None:
        month = make_round("2026-03", 3)
        other = relyon.draw_sample(
            pl.DataFrame(
                {
                    "session": [f"s{i}" for i in range(90)],
                    "query": [f"q{i % 30}" for i in range(90)],
                    "position": 1,
                    "doc": "d",
                }
            ),
            per_tier=5,
        )
        plan = plan_intervals(other.tiers, month)
        assert plan.assumed
        assert 0 < plan.all < 1

    def test_a_tier_that_is_sampled_whole_has_none(self) -> None:
        month = make_round("2026-03", 3, per_tier=400)
        assert plan_intervals(month.sample.tiers, month).all == 0
