"""The monitor over rounds: series, causes, queries, notes, text."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import replace
from io import StringIO
from pathlib import Path

import polars as pl
import pytest

import relyon
from relyon.analysis.statistics import adjust
from relyon.core.document.terminal import width
from relyon.core.errors import InputError, ParameterError
from relyon.data.scale import Level, Scale
from relyon.online.monitoring.change_attribution import attribute_change, pool_judgments
from relyon.report import render_monitor_report

GOOD = {f"q{number}": {"a": 3, "b": 2, "c": 1, "d": 0} for number in range(12)}
Lists = dict[str, list[str]]


def made(
    month: str,
    shown: Lists | list[str],
    grades: object = None,
    *,
    per_tier: int = 60,
    k: int = 3,
    prefix: str = "",
    **options: object,
) -> relyon.Round:
    """A round: 12 queries, those of the head asked 40 times each, those of the tail 10 times."""
    rows = []
    for number in range(12):
        query = f"q{number}"
        for session in range(40 if number < 4 else 10):
            docs = shown[query] if isinstance(shown, dict) else shown
            rows += [
                {
                    "session": f"{prefix or month}-{query}-{session}",
                    "query": query,
                    "position": position,
                    "doc": doc,
                }
                for position, doc in enumerate(docs if session % 5 else docs[::-1], 1)
            ]
    sample = relyon.draw_sample(
        pl.DataFrame(rows), per_tier=per_tier, tiers="count", cuts=[20], names=["head", "tail"],
        k=k, seed=sum(map(ord, month)),
    )  # fmt: skip
    return relyon.create_round(month, sample, grades or GOOD, **options)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def quiet() -> list[relyon.Round]:
    return [made(month, ["a", "b", "d"]) for month in ("2026-01", "2026-02", "2026-03")]


@pytest.fixture(scope="module")
def no_recall() -> list[relyon.Round]:
    """In March the best document is missing; what is left is in the best order."""
    return [
        made("2026-01", ["a", "b", "d"]),
        made("2026-02", ["a", "b", "d"]),
        made("2026-03", ["b", "c", "d"]),
    ]


def test_series_are_the_months(quiet: list[relyon.Round]) -> None:
    found = relyon.monitor(quiet[::-1])
    assert found.months == ("2026-01", "2026-02", "2026-03")
    assert [one.month for one in found.series("head")] == list(found.months)
    assert [one.k for one in found.series("all", "common")] == [3, 3, 3]
    assert len(found.changes) == 2 * 5
    assert found.alarms() == []
    assert "No alarm." in found.to_text()


def test_a_broken_recall_stage_is_found(no_recall: list[relyon.Round]) -> None:
    found = relyon.monitor(no_recall)
    kinds = {(alarm.kind, alarm.tier) for alarm in found.alarms()}
    assert kinds >= {("fell", "all"), ("recall", "all"), ("fell", "head"), ("recall", "head")}
    assert {one.cause for one in found.losses} == {"recall"}
    change = found.change("all", "common", "2026-03")
    assert change is not None
    assert change.dcg.value < -1
    assert "good documents are missing" in found.to_text()
    assert "没有召回" in found.to_text("zh")


def test_a_worse_order_is_the_ranking() -> None:
    found = relyon.monitor([made("2026-01", ["a", "b", "d"]), made("2026-02", ["d", "b", "a"])])
    assert {one.cause for one in found.losses} == {"ranking"}
    assert {alarm.kind for alarm in found.alarms()} == {"fell"}
    causes = _causes(found)
    assert causes
    assert [line for line in causes if "lower down" not in line] == []


def _causes(found: relyon.Monitor) -> list[str]:
    from relyon.online.monitoring.sentences import losses_sentence

    return [losses_sentence(one) for one in found.losses]


@pytest.mark.long
def test_losses_add_up(no_recall: list[relyon.Round]) -> None:
    for one in relyon.monitor(no_recall).losses:
        for means in (one.before, one.after, one.changes):
            parts = {name: value.value for name, value in means.items()}
            whole = parts["ideal"] - parts["recall_loss"] - parts["ranking_loss"]
            assert parts["dcg"] == pytest.approx(whole)
        assert one.share == pytest.approx((1.0, 1.0))


def test_losses_of_worked_lists() -> None:
    # D* = 3 + 2/log2(3) + 1/2 of a, b, c; shown are b and c, in this order or the other.
    rounds = [made("2026-01", ["a", "b", "c"]), made("2026-02", ["b", "c"])]
    rules = relyon.Convention()
    found = attribute_change(rounds[0], rounds[1], pool_judgments(rounds), 2, rules)
    log3 = 1.5849625007211562
    assert found.after["ideal"].value == pytest.approx(3 + 2 / log3)
    # In February four sessions of five show b, c and one c, b; the sample holds some of each.
    assert found.after["recall_loss"].value == pytest.approx(3 + 2 / log3 - (2 + 1 / log3))
    assert 0 < found.after["ranking_loss"].value < 2 + 1 / log3 - (1 + 2 / log3)


def test_what_was_never_judged_cannot_be_told() -> None:
    def other(month: str, doc: str) -> relyon.Round:
        rows = pl.DataFrame(
            {
                "session": [f"{month}-{number}" for number in range(40)],
                "query": [f"{month}-{number % 4}" for number in range(40)],
                "position": [1] * 40,
                "doc": [doc] * 40,
            }
        )
        sample = relyon.draw_sample(rows, per_tier=10)
        grades = {f"{month}-{number}": {doc: number % 3} for number in range(4)}
        return relyon.create_round(month, sample, grades)

    found = relyon.monitor([other("2026-01", "a"), other("2026-02", "b")])
    assert {one.cause for one in found.losses} == {"unknown"}
    assert {one.sessions for one in found.losses} == {(0, 0)}
    assert "is unknown" in found.to_text()
    assert "无法判断" in found.to_text("zh")
    json.dumps(found.to_dict(), allow_nan=False)


@pytest.mark.long
def test_queries_worst_first_and_those_that_fell() -> None:
    shown = {query: ["a", "b"] for query in GOOD}
    after = shown | {"q2": ["b", "c"], "q7": ["d"], "q8": ["d"]}
    found = relyon.monitor([made("2026-01", shown), made("2026-02", after)])
    worst = found.worst(3)
    assert set(worst["query"][:2]) == {"q7", "q8"}
    assert worst["query"][2] == "q2"
    assert worst["dcg"][:2].to_list() == [0.0, 0.0]
    assert set(found.largest_drops(3)["query"][:2]) == {"q7", "q8"}
    assert found.largest_drops(1)["change"][0] == -found.largest_drops(1)["before"][0]
    assert "q7" in found.to_text()
    assert "Worst" not in found.to_text(queries=0)


@pytest.mark.long
def test_the_depths_of_the_last_round_count() -> None:
    rounds = [
        made("2026-01", ["a", "b", "c"], k=3, common_k=2),
        made("2026-02", ["a", "b", "c"], k=2),
        made("2026-03", ["a", "b", "c"], k=3),
    ]
    found = relyon.monitor(rounds)
    assert (found.depths, found.common_k) == ({"head": 3, "tail": 3}, 2)
    # February knows nothing of the third result.
    assert [one.month for one in found.series("head")] == ["2026-01", "2026-03"]
    assert [one.month for one in found.series("all", "common")] == list(found.months)
    assert found.change("head", "tier", "2026-03") is None
    assert [note.kind for note in found.notes] == ["shallow-round", "shallow-round"]
    again = relyon.monitor(rounds, k=1, common_k=1)
    assert [one.k for one in again.series("tail")] == [1, 1, 1]
    assert relyon.monitor(rounds, k={"head": 2}).depths == {"head": 2, "tail": 3}


def test_one_round_has_points_and_no_change(quiet: list[relyon.Round]) -> None:
    found = relyon.monitor(quiet[:1])
    assert (found.changes, found.losses, found.alarms()) == ((), (), [])
    assert [note.kind for note in found.notes] == ["one-round"]
    assert found.detectable("head") > 0
    assert "Alarms" not in found.to_text()
    assert found.alarms(tier="head") == []


def test_the_next_detectable_change_is_that_of_two_such_samples(
    quiet: list[relyon.Round],
) -> None:
    found = relyon.monitor(quiet)
    change = found.change("head", "tier", "2026-03")
    assert change is not None
    assert found.detectable("head") == pytest.approx(change.dcg.detectable, rel=0.2)


@pytest.mark.long
def test_a_slow_decline_shows_since_the_first_month(no_recall: list[relyon.Round]) -> None:
    assert relyon.monitor(no_recall[:2]).since_first("all", "common") is None
    found = relyon.monitor(no_recall)
    change = found.since_first("all", "common")
    assert change is not None
    first, _, last = found.series("all", "common")
    assert change.value == pytest.approx(last.dcg.value - first.dcg.value)
    assert change.p < 0.001
    assert "all tiers: DCG@3 has changed by -" in found.to_text()
    assert "自 2026-01 以来" in found.to_text("zh")
    assert set(json.loads(found.to_json())["since_first"]) == {"all", "head", "tail"}
    # A tier that has no first value has no such change.
    assert relyon.monitor(no_recall).since_first("middle") is None


def test_since_is_corrected_over_tiers_for_one_look(no_recall: list[relyon.Round]) -> None:
    found = relyon.monitor(no_recall)
    since = {tier: found.since_first(tier, depth) for tier, depth in found.alert_series}
    assert all(one is not None and one.tests == 3 for one in since.values())
    plain = [one.p for one in since.values() if one is not None]
    corrected = [one.p_adjusted for one in since.values() if one is not None]
    assert corrected == adjust(plain, "holm")
    assert corrected != plain
    told = json.loads(found.to_json())["since_first"]["all"]
    assert told["p_adjusted"] == pytest.approx(since["all"].p_adjusted)  # type: ignore[union-attr]
    assert "corrected by Holm over the tiers, for one look" in " ".join(found.to_text().split())
    assert "只对看一次有效" in found.to_text("zh")
    # At the common depth the tiers are a family of their own.
    common = found.since_first("head", "common")
    assert common is not None
    assert common.tests == 3


SHOCKS = (["a", "b", "d"], ["d", "a", "b"], ["a", "b", "d"], ["b", "d", "a"], ["a", "b", "d"])


def test_earlier_months_stand_beside_the_change() -> None:
    """What moves all queries of a month at once is outside the error, and is named."""
    months = [f"2026-0{number}" for number in range(1, 7)]
    rounds = [
        made(month, shown) for month, shown in zip(months, [*SHOCKS, ["b", "a", "d"]], strict=True)
    ]
    found = relyon.monitor(rounds)
    past = found.past_changes("all", "common")
    assert past is not None
    changes = [one for one in found.changes if (one.tier, one.depth) == ("all", "common")]
    values = [one.dcg.value for one in changes]
    assert past.count == 4
    assert past.spread == pytest.approx((sum(one**2 for one in values[:4]) / 4) ** 0.5)
    assert past.last == values[-1]
    assert past.error < past.spread
    text = " ".join(found.to_text().split())
    assert "The 4 changes before it had a root mean square of" in text
    assert "lie outside every error here" in text
    assert "与以往各月对照" in found.to_text("zh")
    assert json.loads(found.to_json())["past_changes"]["all"]["count"] == 4
    page = render_monitor_report(found)
    assert "root mean square" in page
    assert "lie outside every error here" in page
    fewer = relyon.monitor(rounds[:5])
    assert fewer.past_changes("all", "common") is None
    assert "root mean square" not in fewer.to_text()


def test_one_month_compares_nothing(quiet: list[relyon.Round]) -> None:
    found = relyon.monitor(quiet[:1])
    text = " ".join(found.to_text().split())
    assert "Nothing is compared yet." in text
    assert "sampling explains" not in text
    assert found.past_changes("all", "common") is None
    page = render_monitor_report(found)
    assert "nothing is compared yet" in page
    assert "sampling explains" not in page


def kinds(found: relyon.Monitor) -> list[str]:
    return [note.kind for note in found.notes]


@pytest.mark.long
def test_notes_about_what_is_judged() -> None:
    fewer = {query: {"a": 3} for query in GOOD}
    found = relyon.monitor([made("2026-01", ["a", "b"]), made("2026-02", ["a", "b"], fewer)])
    assert kinds(found) == ["low-coverage", "coverage-fell"] * 2
    none = {query: grades for query, grades in GOOD.items() if query not in {"q1", "q11"}}
    found = relyon.monitor([made("2026-01", ["a", "b"]), made("2026-02", ["a", "b"], none)])
    assert "unjudged-sessions" in kinds(found)


def test_notes_about_graders_who_changed() -> None:
    stricter = {query: {"a": 2, "b": 1, "c": 1, "d": 0} for query in GOOD}
    found = relyon.monitor([made("2026-01", ["a", "b"]), made("2026-02", ["a", "b"], stricter)])
    (note,) = found.notes
    assert note.kind == "grades-differ"
    assert note.count == 24
    assert "24 of 48 documents" in note.message
    assert "-1.000 on average" in note.message


@pytest.mark.long
def test_notes_about_queries_that_changed_their_tier() -> None:
    def other(month: str, often: str) -> relyon.Round:
        queries = [query for query in GOOD for _ in range(40 if query in often else 10)]
        log = pl.DataFrame(
            {
                "session": [f"{month}-{number}" for number in range(len(queries))],
                "query": queries,
                "position": [1] * len(queries),
                "doc": ["a"] * len(queries),
            }
        )
        sample = relyon.draw_sample(
            log, per_tier=400, tiers="count", cuts=[20], names=["head", "tail"]
        )
        return relyon.create_round(month, sample, GOOD)

    found = relyon.monitor([other("2026-01", "q2 q3 q4"), other("2026-02", "q4 q5 q6")])
    (note,) = found.notes
    assert (note.kind, note.count, note.examples) == ("queries-moved", 4, ("q2", "q3", "q5"))
    assert "4 of 12 queries" in note.message
    found = relyon.monitor([other("2026-01", "q2 q3 q4"), other("2026-02", "q2 q3 q4")])
    assert found.notes == ()


@pytest.mark.long
def test_notes_about_months_rules_and_samples(quiet: list[relyon.Round]) -> None:
    later = made("2026-06", ["a", "b", "d"], convention={"gain": "exp"}, prefix="2026-03")
    found = relyon.monitor([*quiet, later])
    assert kinds(found) == ["missing-months", "rules-differ", "same-sessions"]
    assert found.notes[0].examples == ("2026-04", "2026-05")
    assert found.convention.gain == "exp"
    linear = relyon.monitor([*quiet, later], convention="relyon")
    assert linear.series("head")[0].dcg.value < found.series("head")[0].dcg.value


def test_notes_about_how_several_grades_became_one(quiet: list[relyon.Round]) -> None:
    median, gains = (
        [replace(one, grading=rule) for one in quiet] for rule in ("median", "mean_gain")
    )
    (note,) = relyon.monitor(median).notes
    assert (note.kind, note.level) == ("grading", "info")
    assert note.text("zh") == "多人标注的合并方式：median"
    (note,) = relyon.monitor([median[0], gains[1]]).notes
    assert (note.kind, note.level) == ("gradings-differ", "warning")
    assert "median (2026-01), mean_gain (2026-02)" in note.message
    assert "median（2026-01）、mean_gain（2026-02）" in note.text("zh")
    assert relyon.monitor([quiet[0]]).notes[0].kind == "one-round"


def test_a_note_about_scales_that_differ(quiet: list[relyon.Round]) -> None:
    def graded(one: relyon.Round, gain: float) -> relyon.Round:
        levels = [Level(grade, f"g{grade}", gain=gain * grade) for grade in range(4)]
        scale = Scale("ours", 1.0, tuple(levels))
        return replace(one, judgments=relyon.Judgments(one.judgments.table, scale=scale))

    first, last = quiet[:2]
    (note,) = relyon.monitor([graded(first, 3), graded(last, 7)]).notes
    assert (note.kind, note.level, note.examples) == ("scales-differ", "warning", ("2026-01",))
    assert "1 month was graded on another scale than 2026-02" in note.message
    assert "2026-02" in note.text("zh")
    assert relyon.monitor([graded(first, 3), graded(last, 3)]).notes == ()
    assert relyon.monitor([first, graded(last, 3)]).notes == ()  # numbers may be of any scale


@pytest.mark.long
def test_notes_of_rounds_speak_chinese(quiet: list[relyon.Round]) -> None:
    log = pl.DataFrame({"session": ["s"], "query": ["q0"], "position": [1], "doc": ["a"]})
    other = relyon.create_round("2026-06", relyon.draw_sample(log), {"q0": {"a": 3}})
    unlike = made("2026-06", ["a", "e", "f"], convention={"gain": "exp"}, prefix="2026-03")
    stricter = made("2026-02", ["a"], {query: {"a": 2} for query in GOOD})
    seen = set()
    for rounds in ([*quiet, unlike], [*quiet, other], quiet[:1], [quiet[0], stricter]):
        for note in relyon.monitor(rounds).notes:
            seen.add(note.kind)
            text = note.text("zh").split("（")[0]
            assert not re.search(r"[a-z]{2,} [a-z]{2,}", text), text
            assert "{" not in text
    assert seen >= {
        "missing-months", "rules-differ", "same-sessions", "one-round", "tiers-differ",
        "low-coverage", "coverage-fell", "grades-differ",
    }  # fmt: skip


def test_rounds_that_cannot_be(quiet: list[relyon.Round], tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no round"):
        relyon.monitor([])
    with pytest.raises(InputError, match="two rounds are of 2026-01"):
        relyon.monitor([quiet[0], quiet[0]])
    with pytest.raises(InputError, match="is not a folder"):
        relyon.monitor(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alpha": 0}, "`alpha` must be between 0 and 1"),
        ({"confidence": 1.0}, "`confidence` must be between 0 and 1"),
        ({"k": 4}, "between 1 and 3"),
        ({"k": {"middle": 2}}, "not one of head, tail"),
        ({"common_k": 4}, "between 1 and 3"),
    ],
)
def test_options_that_cannot_be(
    quiet: list[relyon.Round], options: dict[str, object], message: str
) -> None:
    with pytest.raises(ParameterError, match=message):
        relyon.monitor(quiet, **options)  # type: ignore[arg-type]


@pytest.mark.long
def test_a_folder_gives_what_its_rounds_give(no_recall: list[relyon.Round], tmp_path: Path) -> None:
    for one in no_recall:
        relyon.write_round(one, tmp_path)
    assert relyon.monitor(tmp_path).to_dict() == relyon.monitor(no_recall).to_dict()


@pytest.mark.long
def test_text_in_both_languages_fits(no_recall: list[relyon.Round]) -> None:
    deep = [made("2026-01", ["a", "b", "c"], common_k=2), made("2026-02", ["c", "b"], common_k=2)]
    for found in (relyon.monitor(no_recall), relyon.monitor(deep)):
        for language in ("en", "zh"):
            lines = found.to_text(language).splitlines()
            assert max(map(width, lines)) <= 80
            assert str(found) == found.to_text("en")
    assert "tiers at the common depth (DCG@2)" in str(found)
    with pytest.raises(ParameterError, match="must be one of `en`, `zh`"):
        found.to_text("fr")


def test_forms_hold_the_same_numbers(no_recall: list[relyon.Round]) -> None:
    found = relyon.monitor(no_recall)
    rows = list(csv.DictReader(StringIO(found.to_csv())))
    assert len(rows) == len(found.points) == found.to_frame().height
    last = rows[-1]
    assert (last["month"], last["tier"], last["depth"]) == ("2026-03", "tail", "common")
    assert float(last["dcg"]) == found.series("tail", "common")[-1].dcg.value
    values = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert values["alarms"][0]["kind"] == "fell"
    assert values["points"][0]["dcg"]["value"] == found.points[0].dcg.value
    markdown = found.to_markdown()
    assert "## Alarms" in markdown
    assert "| 2026-03 |" in markdown
    assert "## 告警" in found.to_markdown("zh")
