"""What leads to the lessons of the course: notes, findings, alarms, hints of errors."""

from __future__ import annotations

import html
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.unit.conftest import Command

import relyon
from relyon.analysis.diagnosis import Finding, rules
from relyon.core.lessons import lesson_brief, lesson_line, lesson_of, lessons
from relyon.core.notes import Note
from relyon.core.texts import LANGUAGES, Language, catalogue
from relyon.core.texts.sentences import kinds as kinds_of_errors, sentence
from relyon.learn import course
from relyon.learn.lesson import plain_text
from relyon.online.monitoring.alarms import alarms
from relyon.report import render_report

#: What is no kind, but a part of sentences.
PARTS = {
    "notes": {"examples", "grading-rule", "reason", "run", "side", "span"},
    "logs": {"advice", "clean", "counted", "fixable", "level", "overview", "summary", "unit"},
    "checks": {"advice", "clean", "heading", "level", "more", "summary"},
}
#: What the course does not explain: how files are read, what was left out, and the like.
UNEXPLAINED = {
    "notes": """
        human-grades-alone model-grades-equal-human powered-incomplete
        powered-no-labelled powered-not-means powered-undefined powered-ungraded powered-unpaired
        drawn-after-ungraded drawn-graded-late drawn-grades-outside drawn-returned drawn-skipped
        fewer-pairs-left nothing-to-draw
        leaderboard-identical leaderboard-left-out leaderboard-many-groups
        leaderboard-unknown-costs mteb-tasks-left-out
        chunks-count-line-ends-once chunks-differ chunks-moved chunks-not-in-table passages-moved
        passages-without-text windows-line-ends
        chunks-found-nearly chunks-not-found duplicate-passages no-passages passages-found-nearly
        several-chunk-tables
        passages-in-no-chunk passages-in-several-places passages-not-found passages-without-chunks
        absent-features abtest-sessions abtest-several abtest-unassigned aligned-by-index
        answerable-by-judgments answerable-unknown answerable-without-relevant answers-nothing
        base-rate-of-test-set baseline-without-positions bots-differ bots-found bots-left-out
        clicks-counted clicks-deep clicks-repeated clicks-rows-left-out clicks-shared
        columns-read-as day-first-times decimal-commas documents-numbered dominant-query
        duplicate-judgments earlier-data earlier-goal equal-changes evidence-left-out export-single
        features-like-labels few-changed few-clusters few-runs few-unanswerable files-beside
        first-run-of-system grade-ranges-differ grades-from-score grading gradings-differ
        hidden-fields id-columns id-mismatch incomplete-events inputs-unknown interval-columns
        judged-differently judged-without-row labels-examination-known labels-not-converged
        labels-of-subtopics large-cluster largest-query latency-not-together machine-finals
        machine-grades mean-over-calls missing-grades reads-not-recorded sum-over-calls
        tokens-not-recorded missing-months mix-queries mixed-anonymous mixed-moved
        mixed-outside mixed-sessions mixed-several mixed-unknown mixed-untimed no-judged-document
        no-order no-own-value no-subtopics no-threshold not-carried-over not-exported
        not-exported-name offpolicy-absent offpolicy-few offpolicy-outside offpolicy-range
        offpolicy-unseen-model offpolicy-unseen-part offpolicy-unseen-zero offpolicy-users
        drawn-few-queries looks-incomplete one-cluster one-group one-query one-round only-clicks
        other-labels other-queries outcome-features own-clusters partial-queries parts-missing
        parts-of-jobs parts-unfinished slices-left-out positions-missing queries-alike
        queries-grouped queries-joined queries-near
        queries-without-text queries-without-value rank-contradicts-score rank-eval-refused
        rank-eval-unrated ranked-training-rows read-in-encoding regrouped repeated-rows
        repeated-runs repeats-alike repeats-lack-queries rows-unjudged run-effect
        run-of-training-rows same-sessions scales-differ scores-from-ranks search-cut
        search-documents-changed search-duplicates search-empty search-failed search-resumed
        search-retried search-scores-equal search-scores-missing search-scores-rising search-short
        shallow-round shared-queries simulated-without single-run-differs single-run-of-system
        skipped-queries split-uneven stages-do-not-nest subtopics tape-cannot-be-read
        tape-of-another-run texts-absent texts-missing texts-unknown threshold-outside-scores
        times-as-text times-in-another-zone top-scores-equal unanswerable-left-out
        unanswered-queries unchanged-queries undated-judgments unjudged-queries unpaired-queries
        unshared-measures unused-actions weights-found weights-interval weights-judged without-time
        no-unanswerable-asked xgboost-min-rows
        stale-evidence stale-moved stale-other-fields stale-range-searched stale-reindexed
        stale-repeated-documents stale-unknown
    """,
    "diagnosis": "first-call-fails reads-again",
    "logs": """
        actions-without-impression bots click-values cut-off-lists day-first-timestamps
        duplicate-rows gaps implausible-timestamps incomplete-lists invalid-positions
        missing-values mixed-positions mixed-timestamps query-variants repeated-documents
        several-queries shared-positions swapped-columns unreadable-timestamps
        zero-based-positions
    """,
    "checks": """
        constant-feature constant-labels copy-on-two-sides fractional-labels large-labels
        leaking-feature missing-values near-copies negative-labels query-on-two-sides
        row-on-two-sides scattered-queries several-eval-at shown-feature truncation-differs
    """,
    "experiments": """
        carry-over cold-start differ-before same-assignment sample-ratio several-arms
        unassigned
    """,
}
#: What a lesson is about, in words: the lesson has them all, whatever leads to it has one.
TOPICS = {
    "02-dcg": r"\bgains?\b",
    "04-labels": "label|click|judges|evidence",
    "05-auc": "AUC",
    "06-pnr": "infinite|pair",
    "07-recall-map-mrr": "Recall",
    "08-offline-online": "NDCG|recall|judged|pin",
    "09-significance": "significan|pool|mean|chance|too few",
    "10-month": "tier|grades?|DCG",
    "11-position-bias": "position|propensit|weigh|pbm|bias|err",
    "12-optimise-ndcg": "train",
    "13-conventions": "tie|scores|unjudged|convention|relevant|rules|undefined|judged|missing",
}


def kinds(area: str) -> set[str]:
    if area == "monitoring":
        return set(alarms)
    if area == "diagnosis":
        return set(rules)
    found = {key.partition(".")[0] for key in catalogue(area)}
    if area == "experiments":
        found = {key for key in found if f"{key}.fix" in catalogue(area)}
    return found - PARTS.get(area, set())


def mapped() -> Iterator[tuple[str, str, str]]:
    for area, explained in lessons().items():
        for lesson, found in explained.items():
            yield from ((area, lesson, kind) for kind in found)


def said(area: str, kind: str) -> str:
    """Returns everything that a kind says in English."""
    if area == "errors":
        return sentence(kind) or ""
    texts = catalogue(area)
    if area == "monitoring":
        return texts.get(f"alarm.{kind}") or texts[f"change.{kind}"]
    return " ".join(text for key, text in texts.items() if f"{key}.".startswith(f"{kind}."))


def test_every_lesson_that_is_named_exists() -> None:
    names = {lesson.name for lesson in course()}
    assert {lesson for _, lesson, _ in mapped()} <= names
    assert set(TOPICS) <= names


@pytest.mark.parametrize("area", sorted({*lessons()} - {"errors"}))
def test_every_kind_is_explained_or_known_not_to_be(area: str) -> None:
    explained = [kind for one, _, kind in mapped() if one == area]
    assert len(explained) == len(set(explained))
    left = set(UNEXPLAINED.get(area, "").split())
    assert left & set(explained) == set()
    assert left | set(explained) == kinds(area)


def test_every_hint_that_names_a_lesson_is_a_hint() -> None:
    known = kinds_of_errors()
    assert [kind for area, _, kind in mapped() if area == "errors" and kind not in known] == []


@pytest.mark.parametrize(("area", "lesson", "kind"), [*mapped()])
def test_what_names_a_lesson_has_to_do_with_it(area: str, lesson: str, kind: str) -> None:
    text = f"{kind} {said(area, kind)}"
    assert re.search(TOPICS[lesson], text), text


def test_lessons_are_about_their_topics() -> None:
    for lesson in course():
        text = plain_text(" ".join(text for text, _ in lesson.texts()))
        for topic in TOPICS.get(lesson.name, "").split("|"):
            assert re.search(topic, text, re.IGNORECASE), (lesson.name, topic)


def test_the_line_about_a_lesson_is_a_command(command: Command) -> None:
    """`relyon learn` finds every lesson by the number that is named."""
    from relyon.learn.course import find_lesson

    for language in LANGUAGES:
        for name in {lesson for _, lesson, _ in mapped()}:
            found = re.search(r"relyon learn (\d+)", lesson_line(name, language))
            assert found is not None
            assert find_lesson(found[1], course(language)).name == name
    assert lesson_line("", "en") == ""


def write_files(folder: Path) -> tuple[str, str]:
    """Writes files about which there are several notes, two of them of one lesson."""
    judgments, run = folder / "j.qrels", folder / "r.run"
    judgments.write_text("q1 0 a 1\nq1 0 b 1\nq2 0 a 2\nq3 0 z 1\n")
    run.write_text("q1 Q0 a 1 1 x\nq1 Q0 b 2 1 x\nq2 Q0 c 1 1 x\n")
    return str(judgments), str(run)


def test_a_command_names_each_lesson_once(command: Command, tmp_path: Path) -> None:
    outcome = command("evaluate", *write_files(tmp_path), "-m", "rr", "-m", "pnr", "-m", "auc")
    notes = outcome.err.splitlines()
    assert sum("relyon learn 13" in line for line in notes) == 1
    assert notes[0].endswith(" — lesson: relyon learn 13")
    assert all(line.count("relyon learn") <= 1 for line in notes)
    again = command("evaluate", *write_files(tmp_path), "-m", "rr", "--lang", "zh")
    assert again.err.splitlines()[0].endswith("（课程：relyon learn 13 --lang zh）")


def test_json_names_the_lesson_of_each_note(command: Command, tmp_path: Path) -> None:
    outcome = command("evaluate", *write_files(tmp_path), "-m", "rr", "--format", "json")
    notes = json.loads(outcome.out)["notes"]
    assert notes
    assert all(note["lesson"] == (lesson_of("notes", note["kind"]) or None) for note in notes)
    assert {note["kind"]: note["lesson"] for note in notes}["missing-queries"] == "13-conventions"


@pytest.mark.parametrize(
    ("language", "hint"),
    [
        ("en", "hint: drop --strict to continue despite warnings — lesson: relyon learn 13"),
        ("zh", "建议：去掉 --strict，这些警告只会打印出来（课程：relyon learn 13 --lang zh）"),
    ],
)
def test_a_warning_that_became_an_error_names_its_lesson(
    language: str, hint: str, command: Command, tmp_path: Path
) -> None:
    outcome = command("evaluate", *write_files(tmp_path), "--strict", "--lang", language)
    assert outcome.code == 1
    assert outcome.err.splitlines()[-1] == hint


@pytest.mark.parametrize(
    ("language", "end"),
    [("en", " — lesson: relyon learn 13"), ("zh", "（课程：relyon learn 13 --lang zh）")],
)
def test_the_hint_of_an_error_ends_with_its_lesson(
    language: str, end: str, command: Command, tmp_path: Path
) -> None:
    files = write_files(tmp_path)
    outcome = command("evaluate", *files, "--set", "missing=error", "--lang", language)
    assert outcome.code == 3
    assert outcome.err.splitlines()[-1].endswith(end)
    undefined = command(
        "evaluate", *files, "-m", "rr", "--set", "rel=3", "--set", "undefined=error",
        "--set", "no_relevant=undefined", "--lang", language,
    )  # fmt: skip
    assert undefined.err.splitlines()[-1].endswith(end)
    assert "--set rr.undefined=one" in undefined.err
    assert language == "en" or "评测口径规定 undefined=error" in undefined.err
    assert "relyon learn" not in command("evaluate", files[0], "none.run").err


def test_errors_in_python_name_the_lesson() -> None:
    with pytest.raises(relyon.InputError) as raised:
        relyon.evaluate({"q": {"a": 1}}, {"r": {"a": 1.0}}, "rr", convention={"missing": "error"})
    assert raised.value.lesson == "13-conventions"
    assert str(raised.value).endswith(" — lesson: relyon learn 13")
    assert relyon.RelyonError("odd", hint="look").lesson == ""


def test_a_note_of_ones_own_names_none() -> None:
    assert Note("house-rule", own={"en": "odd"}).lesson == ""
    assert Finding("house-rule", "low", {}).to_dict()["lesson"] is None


JUDGED = {f"q{n}": {"a": 3, "b": 0, "c": 1} for n in range(12)}
OLD = {q: {"a": 3.0, "b": 2.0, "c": 1.0} for q in JUDGED}
NEW = {q: {"b": 1.0, "a": 1.0, "c": 1.0} for q in [*JUDGED][:11]}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_diagnosis_names_its_lesson(language: Language) -> None:
    found = relyon.diagnose(relyon.compare(JUDGED, OLD, NEW, ["ndcg@10", "auc"]))
    named = [lesson_of("diagnosis", one.rule) for one in found]
    assert found
    assert all(named)
    lines = [lesson_line(one, language) for one in named]
    values: Any = found.to_dict(language)
    assert [one["lesson"] for one in values["findings"]] == named
    text = [line.strip() for line in found.to_text(language).splitlines()]
    assert [line for line in text if "relyon learn" in line] == lines
    written = found.to_markdown(language).splitlines()
    assert [line for line in written if "relyon learn" in line] == lines
    assert all(f"<p>{line}</p>" in found.to_html(language) for line in lines)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_report_names_lessons_of_findings_and_notes(language: Language) -> None:
    comparison = relyon.compare(JUDGED, OLD, NEW, ["ndcg@10"])
    page = render_report(comparison, format="html", language=language)
    found = relyon.diagnose(comparison)
    for one in found:
        line = lesson_line(one.lesson, language)
        title, summary, *_ = map(html.escape, lesson_brief(one.lesson, language))
        folded = page.partition(f'<details class="lesson"><summary>{line}</summary>')[2]
        assert f"<strong>{title}</strong>" in folded.partition("</details>")[0]
        assert f"<li>{summary}</li>" in folded.partition("</details>")[0]
    note = next(one for one in comparison.notes if one.lesson)
    end = lesson_line(note.lesson, language).partition("relyon")[2]
    assert re.search(rf"{re.escape(note.text(language))}[^<]*relyon{end}", page)


def test_the_course_is_not_read_for_a_note(tmp_path: Path) -> None:
    script = (
        "import sys\nfrom relyon.cli.application import main\n"
        f"try:\n    main({['evaluate', *write_files(tmp_path)]!r})\nexcept SystemExit:\n    pass\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    *notes, modules = done.stderr.splitlines()
    assert "relyon learn 13" in notes[0]
    assert [one for one in modules.split() if one.startswith("relyon.learn")] == []
