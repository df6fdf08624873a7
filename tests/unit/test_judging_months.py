"""The project of a month, its sample, and the gate before it is stored."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import polars as pl
import pytest

import relyon
from relyon.core.errors import ParameterError
from relyon.judging.actions import Action
from relyon.judging.earlier_grades import read_earlier_grades
from relyon.judging.exchange import final_judgments
from relyon.judging.jobs import Work, list_jobs
from relyon.judging.members import list_members, set_member
from relyon.judging.month_gate import MonthGate, check_month_gate
from relyon.judging.month_projects import MonthProject, create_month_project
from relyon.judging.records import EARLIER_PREFIX, Item, Project, Rating, User
from relyon.judging.removal import tidy_up
from relyon.judging.samples import find_sample, list_sampled, sampled_month
from relyon.judging.store import Store
from relyon.online.sampling import Sample, build_pool

GUIDELINE = {"en": "Grade what users wanted.", "zh": "按用户需求标注。"}


def make_log(queries: int = 12, depth: int = 4) -> pl.DataFrame:
    """Returns a log in which frequent queries have more sessions."""
    rows = []
    for query in range(queries):
        for session in range(queries - query):
            rows += [
                (f"s{query}-{session}", f"q{query}", place, f"d{query}-{place}")
                for place in range(1, depth + 1)
            ]
    return pl.DataFrame(rows, schema=["session", "query", "position", "doc"], orient="row")


@pytest.fixture
def sample() -> Sample:
    return relyon.draw_sample(make_log(), per_tier=6, k=4, seed=7)


def planned(sample: Sample, **changes: object) -> MonthProject:
    made = MonthProject("2026-11", sample, build_pool(sample), source="log.csv")
    return replace(made, **changes)  # type: ignore[arg-type]


def take(store: Store, project: Project, judge: User) -> Item | None:
    """Returns the next item of a judge."""
    found = store.grading.take(judge, project.id, count=1)
    return found[0].item if found else None


def give(store: Store, item: Item, judge: User, grade: float, seconds: float = 5.0) -> None:
    """A judge grades an item."""
    key = f"{judge.id}-{item.id}"
    action = Action("grade", key, item_id=item.id, grade=grade, seconds=seconds)
    store.grading.record(judge, action)


def grade_all(
    store: Store,
    project: Project,
    judges: list[User],
    grade: Callable[[Item], float],
    seconds: float = 5.0,
) -> None:
    """Every judge grades everything that the project offers."""
    for judge in judges:
        while (item := take(store, project, judge)) is not None:
            give(store, item, judge, grade(item), seconds)


class TestProject:
    def test_it_holds_the_pool_and_the_sample(self, store: Store, sample: Sample) -> None:
        lea = store.accounts.create("lea", role="lead")
        titles = {"d0-1": "First"}
        project = create_month_project(store, planned(sample, titles=titles), by=lea)
        assert (project.name, project.state, project.overlap) == ("2026-11", "open", 2)
        found = {(one.query, one.document): one for one in store.items.all(project.id)}
        pool = build_pool(sample)
        assert found.keys() == set(pool.pairs.select("query", "doc").iter_rows())
        assert found["q0", "d0-1"].title == "First"
        assert {one.tier for one in found.values()} == {"head", "middle", "tail"}
        kept = find_sample(store, project.id)
        assert kept is not None
        assert (kept.month, kept.source) == ("2026-11", "log.csv")
        assert kept.sample.results.equals(sample.results)
        assert list_sampled(store) == {project.id: "2026-11"}
        assert [job.state for job in list_jobs(store, project.id)] == ["done"]

    def test_there_is_one_of_a_name(self, store: Store, sample: Sample) -> None:
        create_month_project(store, planned(sample))
        with pytest.raises(ParameterError, match="exists"):
            create_month_project(store, planned(sample))
        assert len(store.projects.all()) == 1

    def test_a_month_is_a_month(self, store: Store, sample: Sample) -> None:
        with pytest.raises(ParameterError):
            create_month_project(store, planned(sample, month="../../etc"))
        assert store.projects.all() == []

    def test_last_months_settings_are_copied(self, store: Store, sample: Sample) -> None:
        ann, lea = store.accounts.create("Ann"), store.accounts.create("lea", role="lead")
        last = store.projects.create(
            "2026-10", scale="binary", overlap=3, gold_share=0.2, guideline=GUIDELINE
        )
        store.gold.add(last.id, [(Item("q0", "d0-1"), 1), (Item("old", "x"), 0)], note="known")
        set_member(store, last, ann, "judge")
        project = create_month_project(store, planned(sample, copied=last), by=lea)
        assert project.scale == last.scale
        assert (project.overlap, project.gold_share) == (3, 0.2)
        assert project.guideline == GUIDELINE
        assert [one.name for one in list_members(store, project.id)] == ["Ann"]
        known = store.gold.all(project.id)
        items = {one.id: (one.query, one.document) for one in store.items.all(project.id)}
        assert {items[number]: grade for number, grade in known.items()} == {
            ("q0", "d0-1"): 1,
            ("old", "x"): 0,
        }

    def test_earlier_grades_are_used_again(self, store: Store, sample: Sample) -> None:
        ann, bo = store.accounts.create("Ann"), store.accounts.create("Bo")
        last = create_month_project(store, planned(sample, month="2026-10"))
        for item in store.items.all(last.id):
            if item.query in {"q0", "q1"}:
                store.grades.add(
                    last.id, [(item, [Rating("Ann", 2, at=1000.0), Rating("Bo", 2, at=2000.0)])]
                )
        earlier = read_earlier_grades(store, last.id)
        assert set(earlier["grade"]) == {2.0}
        pool = build_pool(sample, earlier)
        assert len(pool.reused) == earlier.height > 0
        project = create_month_project(
            store, planned(sample, pool=pool, copied=last, earlier=last.name)
        )
        judge = EARLIER_PREFIX + "2026-10"
        reused = store.grades.ratings(project.id)
        assert len(reused) == len(pool.reused)
        assert {(one.judge, one.grade, one.at) for said in reused.values() for one in said} == {
            (judge, 2.0, 2000.0)
        }
        account = store.accounts.get(judge)
        assert not account.active
        given = set()
        while (next_one := take(store, project, ann)) is not None:
            given.add(next_one.query)
            give(store, next_one, ann, 1)
        assert not given & {"q0", "q1"}
        judged, _ = final_judgments(store, project.id)
        assert judged["q0"]
        assert bo.active

    def test_nothing_is_left_of_one_that_fails(
        self, store: Store, sample: Sample, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fail(*_: object, **__: object) -> None:
            raise OSError("no space left")

        monkeypatch.setattr("relyon.judging.month_projects.store_sample", fail)
        with pytest.raises(OSError, match="no space"):
            create_month_project(store, planned(sample))
        assert store.projects.all() == []
        monkeypatch.undo()
        assert create_month_project(store, planned(sample)).name == "2026-11"

    def test_nothing_is_left_of_one_whose_program_dies(
        self, store: Store, sample: Sample, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        class KilledError(BaseException):
            pass

        def die(*_: object, **__: object) -> None:
            raise KilledError

        monkeypatch.setattr("relyon.judging.month_projects.store_sample", die)
        monkeypatch.setattr("relyon.judging.month_projects.abandon_project", die)
        with pytest.raises(KilledError):
            create_month_project(store, planned(sample))
        monkeypatch.undo()
        assert store.projects.all() == []
        assert tidy_up(store) == 1
        project = create_month_project(store, planned(sample))
        assert sampled_month(store, project.id) == "2026-11"
        assert list(list_sampled(store)) == [project.id]

    def test_one_that_is_stopped_leaves_nothing(
        self, store: Store, sample: Sample, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from relyon.judging.jobs import StoppedError, stop_job

        before = Work.step

        def stopping(self: Work, rows: int = 0, **options: bool) -> object:
            if rows:
                stop_job(self.store, self.job_id)
            return before(self, rows, **options)

        monkeypatch.setattr(Work, "step", stopping)
        with pytest.raises(StoppedError):
            create_month_project(store, planned(sample))
        assert store.projects.all() == []


class TestGate:
    @pytest.fixture
    def judges(self, store: Store) -> list[User]:
        return [store.accounts.create(name) for name in ("Ann", "Bo")]

    def gate(self, store: Store, project: Project) -> MonthGate:
        kept = find_sample(store, project.id)
        assert kept is not None
        grades, grading = final_judgments(store, project.id)
        made = relyon.create_round(kept.month, kept.sample, grades, grading=grading)
        return check_month_gate(store, store.projects.get(project.id), made)

    def grade_at_random(self, store: Store, project: Project, judge: User) -> None:
        """Grades are drawn by document: projects deal items in an order of their own."""

        def grade(item: Item) -> float:
            return random.Random(f"{judge.name} {item.document}").randrange(4)

        grade_all(store, project, [judge], grade)

    def kinds(self, found: MonthGate) -> set[str]:
        return {one.kind for one in found.findings}

    def test_a_good_month_is_open(self, store: Store, sample: Sample, judges: list[User]) -> None:
        project = create_month_project(store, planned(sample))
        store.projects.set_guideline(project.id, GUIDELINE)
        draw = random.Random(3)
        known = {one.id: draw.randrange(4) for one in store.items.all(project.id)}
        grade_all(store, project, judges, lambda item: known[item.id])
        found = self.gate(store, project)
        assert found.open
        assert self.kinds(found) <= {"few"}
        assert found.verdict("en") == "The month may be stored."
        assert found.judged == {"head": 1.0, "middle": 1.0, "tail": 1.0}

    def test_what_is_missing_is_named(
        self, store: Store, sample: Sample, judges: list[User]
    ) -> None:
        project = create_month_project(store, planned(sample))
        item = take(store, project, judges[0])
        assert item is not None
        give(store, item, judges[0], 1)
        found = self.gate(store, project)
        assert {"coverage", "places", "guideline", "few"} <= self.kinds(found)
        assert not found.open
        for language in ("en", "zh"):
            assert all(one.text(language) and one.reason(language) for one in found.findings)
            assert "{" not in found.verdict(language) + "".join(
                one.text(language) for one in found.findings
            )
        assert "no guideline" in found.verdict("en")

    def test_disagreements_and_the_target(self, store: Store, judges: list[User]) -> None:
        sample = relyon.draw_sample(make_log(), per_tier=12, k=4, seed=7)
        project = create_month_project(store, planned(sample))
        for judge in judges:
            self.grade_at_random(store, project, judge)
        found = self.gate(store, project)
        assert {"disagreements", "agreement-usual"} <= self.kinds(found)
        low, high = found.interval
        assert low < found.agreement < high < 0.667
        store.projects.set_target_agreement(project.id, 0.8)
        assert "agreement" in self.kinds(self.gate(store, project))
        store.projects.set_target_agreement(project.id, -0.9)
        assert not self.kinds(self.gate(store, project)) & {"agreement", "agreement-usual"}

    def test_judges_who_need_help(self, store: Store, judges: list[User]) -> None:
        sample = relyon.draw_sample(make_log(), per_tier=12, k=4, seed=7)
        project = create_month_project(store, planned(sample, overlap=1, gold_share=0.3))
        store.gold.add(project.id, [(Item("g", f"g{n}"), 3) for n in range(8)])
        ann = judges[0]
        grade_all(store, project, [ann], lambda item: 0, seconds=0.2)
        found = self.gate(store, project)
        assert {"judge", "alone"} <= self.kinds(found)
        said = [one.text("en") for one in found.findings if one.kind == "judge"]
        assert [one.split()[0] for one in said] == ["Ann"] * 3
        assert "gets 0% of 8 gold items right" in said[0]
        assert "a median of 0.2 seconds" in said[1]
        assert "the same grade in 100% of" in said[2]
        assert not found.open
