"""The demonstration's story in the app: what the months say, what the judges left."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("bm25s")
pytest.importorskip("sklearn")

from tests.unit.conftest import Command

import relyon
from relyon.app import demo_data
from relyon.app.demo_data import JUDGES, DemoData, build_demo_data
from relyon.demo import Document, load_judgments, load_questions
from relyon.judging.status import describe_project
from relyon.judging.store import Store, open_store

pytestmark = pytest.mark.long

DOCUMENTS = [
    Document(name, f"{name}(…)", name.replace(".", " "))
    for name in sorted({one.document for one in load_judgments()})
]


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> tuple[DemoData, list[tuple[int, int, str]]]:
    steps: list[tuple[int, int, str]] = []
    folder = tmp_path_factory.mktemp("story") / "demo"
    made = build_demo_data(folder, documents=DOCUMENTS, progress=lambda *step: steps.append(step))
    return made, steps


@pytest.fixture
def store(told: tuple[DemoData, object]) -> Iterator[Store]:
    with open_store(told[0].database) as opened:
        yield opened


def test_dcg_falls_in_the_third_month_and_ndcg_does_not(told: tuple[DemoData, object]) -> None:
    found = relyon.monitor(told[0].rounds)
    assert found.months == ("2026-01", "2026-02", "2026-03")
    change = found.change("all", "common", "2026-03")
    assert change is not None
    assert change.verdict == "fell"
    assert change.hidden
    (losses,) = (one for one in found.losses if one.tier == "all")
    assert losses.cause == "recall"


def test_it_tells_how_far_it_is(told: tuple[DemoData, list[tuple[int, int, str]]]) -> None:
    steps = told[1]
    assert [done for done, _, _ in steps] == list(range(6))
    assert {total for _, total, _ in steps} == {6}


def test_the_month_is_graded_and_leaves_something_to_decide(store: Store) -> None:
    _, month, _ = store.projects.all()
    found = describe_project(store, month.id)
    assert found["filled"] == found["places"] == 3 * found["items"]
    assert {one["judge"] for one in found["judges"]} == {judge.name for judge in JUDGES}
    assert all(judge.name.startswith("simulated-") for judge in JUDGES)
    assert found["agreement"] is not None
    alpha = found["agreement"]["overall"]["alpha_ordinal"]
    assert alpha is not None
    assert 0.5 < alpha < 0.99
    quality = {one["judge"]: one["equal"] for one in found["gold_quality"]}
    assert quality["simulated-1"] > quality["simulated-4"]
    assert 5 < found["queue"] < found["items"] / 3
    assert set(store.items.tiers(month.id).values()) == {"head", "middle", "tail"}


def test_every_grade_is_one_of_the_package_or_next_to_it(store: Store) -> None:
    month = store.projects.all()[1]
    texts = {question.id: question.text for question in load_questions()}
    known = {(texts[one.query], one.document): one.grade for one in load_judgments()}
    items = {item.id: item for item in store.items.all(month.id)}
    off = [
        abs(rating.grade - known[items[item].query, items[item].document])
        for item, ratings in store.grades.ratings(month.id).items()
        for rating in ratings
        if rating.grade is not None
    ]
    assert set(off) == {0.0, 1.0}
    assert 0.03 < sum(off) / len(off) < 0.15


def test_anybody_can_try(store: Store) -> None:
    trial = store.projects.all()[0]
    items = store.items.all(trial.id)
    assert len({item.query for item in items}) == 4
    assert any(item.query.isascii() for item in items)
    assert not all(item.query.isascii() for item in items)
    assert all(item.title and item.snippet for item in items)
    assert store.grades.ratings(trial.id) == {}
    assert trial.guideline["en"].startswith("# Grading guideline")
    assert trial.guideline["zh"].startswith("# 标注指南")


def test_two_rankers_stand_side_by_side(store: Store) -> None:
    sides = store.projects.all()[2]
    preferences = describe_project(store, sides.id)["preferences"]
    assert preferences is not None
    (pair,) = preferences["overall"]["pairs"]
    assert (pair["first"], pair["second"]) == ("bm25", "tfidf")
    assert pair["first_wins"]
    assert pair["second_wins"]
    assert pair["ties"]


def test_nobody_can_sign_in_before_there_is_a_password(store: Store) -> None:
    assert {user.role for user in store.accounts.all()} == {"judge"}
    assert not any(store.accounts.check_password(user.name, "") for user in store.accounts.all())


def test_a_second_start_changes_nothing(
    told: tuple[DemoData, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = told[0]
    before = {path: path.read_bytes() for path in made.database.parent.rglob("*.csv")}
    before[made.database] = made.database.read_bytes()
    monkeypatch.setattr(demo_data, "build_corpus", lambda: pytest.fail("built again"))
    again = build_demo_data(made.database.parent)
    assert again == DemoData(made.database, made.rounds, made=False)
    assert {path: path.read_bytes() for path in before} == before


def test_an_interrupted_start_is_taken_up(told: tuple[DemoData, object], tmp_path: Path) -> None:
    made = told[0]
    (tmp_path / "rounds").symlink_to(made.rounds)
    (tmp_path / ".judging.db.partial").write_bytes(b"half a database")
    (tmp_path / ".judging.db.partial-wal").write_bytes(b"and its log")
    again = build_demo_data(tmp_path, documents=DOCUMENTS)
    assert again.made
    assert sorted(path.name for path in tmp_path.iterdir()) == ["judging.db", "rounds"]
    with open_store(again.database) as store, open_store(made.database) as first:
        for project in store.projects.all():
            assert store.grades.by_judge(project.id) == first.grades.by_judge(project.id)


@pytest.mark.parametrize("more", [["judging.db"], ["--rounds", "rounds"]])
def test_the_story_has_a_database_of_its_own(command: Command, more: list[str]) -> None:
    outcome = command("judge", "serve", *more, "--demo", "made", "--port", "0")
    assert outcome.code == 2
    assert "`--demo` brings its own database and rounds" in outcome.err
    assert not Path("made").exists()


def test_missing_packages_are_named(
    command: Command, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo_data, "build_corpus", lambda: DOCUMENTS)
    monkeypatch.setitem(sys.modules, "bm25s", None)
    outcome = command("judge", "serve", "--demo", "made", "--port", "0")
    assert outcome.code == 4
    assert "hint: pip install 'relyon[demo]'" in outcome.err
    assert not list(files.glob("made/*.db"))


def test_a_directory_that_cannot_be_made_is_told(command: Command, files: Path) -> None:
    (files / "taken").write_text("a file")
    outcome = command("judge", "serve", "--demo", "taken", "--port", "0")
    assert outcome.code == 3
    assert outcome.err.startswith("error: taken")


def test_it_opens_on_the_months(
    command: Command, told: tuple[DemoData, object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(told[0].database.parent, tmp_path / "made")
    served: list[Any] = []
    opened: list[str] = []
    monkeypatch.setattr("uvicorn.Server.run", lambda self, sockets: served.append(self.config.app))
    monkeypatch.setattr("click.launch", opened.append)
    first, second = (
        command("judge", "serve", "--demo", str(tmp_path / "made"), "--port", "0", "--browser")
        for _ in range(2)
    )
    assert (first.code, second.code) == (0, 0)
    with open_store(tmp_path / "made" / "judging.db") as store:
        lead = store.accounts.check_password("lead", first.out.strip())
    assert lead is not None
    assert lead.role == "admin"
    assert second.out == ""
    assert "note: the password was printed when" in second.err
    assert [address.rpartition("/")[2] for address in opened] == ["monitor", "monitor"]
    assert served[0].state.rounds.monitor().months[-1] == "2026-03"
