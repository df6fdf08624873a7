"""What an import would change agrees with what it changes."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy")

from relyon.core.errors import InputError
from relyon.judging.intake import outcome, results
from relyon.judging.intake.files import Part
from relyon.judging.intake.upload import Upload, bring_upload, check_upload
from relyon.judging.records import Item, Rating
from relyon.judging.store import Store

LIMIT = 2**26


def upload(path: Path, text: str, **more) -> Upload:
    path.write_text(text, "utf-8")
    return Upload("results", (Part(path.name, path),), **more)


@pytest.mark.parametrize("seed", range(6))
def test_what_is_announced_is_what_happens(
    store: Store, tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(results, "AT_ONCE", 7)  # items of one file in several looks
    chance = random.Random(seed)
    project = store.projects.create("June", overlap=2)
    stored = [(Item("q", f"d{n}"), [Rating("ana", n % 4)]) for n in range(0, 20, 3)]
    store.grades.add(project.id, stored)
    lines = ["query,doc,judge,grade,title"]
    for _ in range(120):
        judge = chance.choice(["ana", "bo", "cy", ""])
        grade = chance.choice(["0", "1", "2", "3", "", "9", "x"])
        document = chance.choice(["", *(f"d{n}" for n in range(40))])
        lines.append(f"q,{document},{judge},{grade},t" + chance.choice(["", "", ",more"]))
    sent = upload(tmp_path / "june.csv", "\n".join(lines))
    before = len(store.items.all(project.id))
    told = check_upload(store, project, sent, LIMIT)
    assert len(store.items.all(project.id)) == before
    assert told.refused
    places = [one.place for one in told.refused]
    assert places == sorted(set(places))
    with pytest.raises(InputError):  # all or nothing, unless rows are left out
        bring_upload(store, project, sent, LIMIT)
    assert len(store.items.all(project.id)) == before
    done = bring_upload(store, project, sent, LIMIT, leave_out=places)
    assert (done.new, done.grades) == (told.new, told.grades)
    assert len(store.items.all(project.id)) == before + told.new
    again = check_upload(store, project, sent, LIMIT)
    assert (again.new, again.grades, again.filled) == (0, 0, 0)


def test_the_row_of_the_judge_whose_grade_differs_is_refused(store: Store, tmp_path: Path) -> None:
    project = store.projects.create("June", overlap=3)
    store.grades.add(project.id, [(Item("q", "d"), [Rating("ana", 3)])])
    rows = "query,doc,judge,grade\nq,d,bo,2\nq,d,ana,1\nq,d,cy,0\n"
    told = check_upload(store, project, upload(tmp_path / "a.csv", rows), LIMIT)
    assert [one.place for one in told.refused] == [3]
    assert (told.known, told.grades) == (1, 2)


def test_too_many_faulty_rows_mean_something_else(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outcome, "MOST", 10)
    project = store.projects.create("June")
    rows = "query,doc\n" + "q,\n" * 11
    with pytest.raises(InputError, match="more than 10 rows"):
        check_upload(store, project, upload(tmp_path / "a.csv", rows), LIMIT)


def test_judgments_without_columns_are_counted_and_left_out_by_row(
    store: Store, tmp_path: Path
) -> None:
    project = store.projects.create("June")
    store.grades.add(project.id, [(Item("q", "d2"), [Rating("import", 1)])])
    sent = upload(tmp_path / "a.qrels", "q 0 d1 3\nq 0 d2 2\nq 0 d3 0\n")
    told = check_upload(store, project, sent, LIMIT)
    assert (told.new, [one.place for one in told.refused], told.unit) == (2, [2], "row")
    done = bring_upload(store, project, sent, LIMIT, leave_out=[2])
    assert (done.new, done.grades) == (2, 2)
    wrong = upload(tmp_path / "b.qrels", "q 0 d1 3\nq 0 d2 9\n")
    with pytest.raises(InputError, match=r"b\.qrels:2: not a grade"):
        check_upload(store, project, wrong, LIMIT)
