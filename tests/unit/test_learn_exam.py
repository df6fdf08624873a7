"""The final exam: its files, its five faults, and commands that print what its questions accept."""

from __future__ import annotations

import random
import re
import shlex
from collections import Counter
from pathlib import Path

import pytest
from tests.unit.conftest import Command

import relyon
from relyon.core.texts import LANGUAGES
from relyon.core.texts.languages import Language
from relyon.learn import course
from relyon.learn.blocks import Quiz
from relyon.learn.course import find_lesson
from relyon.learn.exam import exam_files, write_exam
from relyon.learn.lesson import Lesson, Prose
from relyon.learn.quantities import quantity

FENCE = re.compile(r"```bash\n(.*?)```", re.DOTALL)
NUMBER = r"[-+]?[\d,]*\.?\d+"
#: Where the commands of the lesson print the answer of a question: the last match is taken.
PRINTED = {
    "ties": rf"^ndcg@10 +{NUMBER} +({NUMBER})$",
    "recall": rf"^recall@20 +{NUMBER} +{NUMBER} +-({NUMBER})",
    "funnel": r"^new\.run .* (\d+)% ",
    "judged": rf"^judged@10 +{NUMBER} +({NUMBER})$",
    "log": r"^  .*?3,150\D+?(\d+) ?行|^  ([\d,]+) of 3,150 rows",
}


def lesson(language: Language) -> Lesson:
    return find_lesson("exam", course(language))


def commands(language: Language) -> list[str]:
    text = "\n".join(part.text for part in lesson(language).parts if isinstance(part, Prose))
    return [line for block in FENCE.findall(text) for line in block.splitlines()]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_commands_print_what_the_questions_accept(
    language: Language, command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RELYON_LANG", language)
    monkeypatch.chdir(tmp_path)
    printed = ""
    for line in commands(language):
        program, *arguments = shlex.split(line)
        if program == "cd":
            monkeypatch.chdir(arguments[0])
            continue
        assert program == "relyon"
        outcome = command(*arguments)
        assert outcome.code == 0, outcome.err
        printed += outcome.out
    asked = {
        block.id: block
        for block in lesson(language).blocks
        if isinstance(block, Quiz) and block.form == "number"
    }
    assert asked.keys() == PRINTED.keys()
    for name, block in asked.items():
        *_, last = re.finditer(PRINTED[name], printed, re.MULTILINE)
        shown = float(next(filter(None, last.groups())).replace(",", ""))
        assert shown == pytest.approx(quantity(block.answer), abs=block.tolerance)
        for wrong in block.wrong:
            assert shown != pytest.approx(quantity(wrong.value), abs=block.tolerance)


@pytest.mark.long
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_commands_after_the_questions_work(
    language: Language, command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RELYON_LANG", language)
    monkeypatch.chdir(write_exam(tmp_path / "exam")[0].parent)
    said = " ".join(part.text for part in lesson(language).parts if isinstance(part, Prose))
    for line in (
        "relyon logs doctor log.csv --fix -o cleaned.csv",
        "relyon abtest show cleaned.csv",
    ):
        assert f"`{line}`" in said
        assert command(*line.split()[1:]).code == 0
    checked = command("abtest", "check", "cleaned.csv", "--strict")
    assert checked.code == 0, checked.out


def test_the_claim_is_significant_only_in_the_order_of_the_file(tmp_path: Path) -> None:
    write_exam(tmp_path)
    judgments, old, new = (tmp_path / name for name in ("judgments.qrels", "old.run", "new.run"))
    verdicts = {}
    for ties in ("input", "expected"):
        convention = {"ties": ties}
        found = relyon.compare(judgments, old, new, "ndcg@10", convention=convention, resamples=1)
        verdicts[ties] = found.contrast("new.run", "ndcg@10").verdict
    assert verdicts == {"input": "better", "expected": "undecided"}


def test_the_files_are_what_the_lesson_says_of_them(tmp_path: Path) -> None:
    write_exam(tmp_path)
    judged, old, new = (
        [line.split() for line in (tmp_path / name).read_text("utf-8").splitlines()]
        for name in ("judgments.qrels", "old.run", "new.run")
    )
    assert set(Counter(query for query, *_ in judged).values()) == {24}
    assert max(Counter(query for query, *_ in new).values()) == 20
    assert len({(query, score) for query, _, _, _, score, _ in old}) == len(old)
    assert max(len(score.partition(".")[2]) for *_, score, _ in old) == 5

    rows = (tmp_path / "log.csv").read_text("utf-8").splitlines()[1:]
    log = [tuple(row.split(",")) for row in rows]
    twice = {row for row, times in Counter(log).items() if times == 2}
    assert {row[2] for row in twice} == {"new"}
    assert min(row[3] for row in twice) > "2026-10-08"
    sessions = {bucket: {row[0] for row in log if row[2] == bucket} for bucket in ("old", "new")}
    assert len(sessions["old"]) == len(sessions["new"])


def test_missing_grades_explain_the_fall_of_rr(tmp_path: Path) -> None:
    write_exam(tmp_path)
    convention = {"ties": "expected", "unjudged": "removed"}
    old, new = (
        relyon.evaluate(
            tmp_path / "judgments.qrels", tmp_path / name, "rr@10", convention=convention
        )["rr@10"]
        for name in ("old.run", "new.run")
    )
    assert new > old


def test_both_languages_ask_for_the_same_commands() -> None:
    first, *others = (commands(language) for language in LANGUAGES)
    assert len(first) == 11
    assert all(other == first for other in others)


def test_the_files_are_the_same_whenever_they_are_made() -> None:
    first = exam_files()
    state = random.getstate()
    exam_files.cache_clear()
    assert exam_files() == first
    assert random.getstate() == state
    assert sum(map(len, first.values())) < 700_000
    assert all(text.isascii() and "\r" not in text for text in first.values())


def test_files_that_exist_are_not_touched(command: Command, tmp_path: Path) -> None:
    folder = tmp_path / "some" / "exam"
    folder.mkdir(parents=True)
    (folder / "new.run").write_text("mine", "utf-8")
    outcome = command("learn", "--exam", str(folder))
    assert outcome.code == 3
    assert "already contains new.run" in outcome.err
    assert "name another folder" in outcome.err
    assert [path.name for path in folder.iterdir()] == ["new.run"]
    assert (folder / "new.run").read_text("utf-8") == "mine"

    (folder / "new.run").unlink()
    (folder / "notes.txt").write_text("mine", "utf-8")
    assert command("learn", "--exam", str(folder)).code == 0
    assert {path.name for path in folder.iterdir()} == {*exam_files(), "notes.txt"}


def test_a_file_in_the_place_of_the_folder_is_an_error(command: Command, tmp_path: Path) -> None:
    (tmp_path / "exam").write_text("mine", "utf-8")
    assert command("learn", "--exam", str(tmp_path / "exam")).code == 2


def test_the_faults_are_where_the_lesson_says() -> None:
    files = exam_files()
    grades: dict[str, dict[str, int]] = {}
    for line in files["judgments.qrels"].splitlines():
        query, _, document, grade = line.split()
        grades.setdefault(query, {})[document] = int(grade)
    assert Counter(map(len, grades.values())) == {24: 200}

    runs: dict[str, dict[str, list[tuple[str, float]]]] = {"old": {}, "new": {}}
    for name, run in runs.items():
        for line in files[f"{name}.run"].splitlines():
            query, _, document, _, score, _ = line.split()
            run.setdefault(query, []).append((document, float(score)))
        assert run.keys() == grades.keys()
    for query, rows in runs["new"].items():
        judged, tier = grades[query], query.partition("-")[0]
        keys = [(-score, -judged.get(document, 0)) for document, score in rows]
        assert keys == sorted(keys)
        assert all(score.is_integer() for _, score in rows)
        assert (tier == "head") == any(document not in judged for document, _ in rows)
        assert tier != "tail" or all(int(document[1:]) % 3 for document, _ in rows)
    assert all(d in grades[query] for query, rows in runs["old"].items() for d, _ in rows)

    lines = Counter(files["log.csv"].splitlines()[1:])
    twice = {row for row, count in lines.items() if count == 2}
    assert set(lines.values()) == {1, 2}
    assert twice == {row for row in lines if ",new,2026-10-" in row and row[1:3] >= "08"}
