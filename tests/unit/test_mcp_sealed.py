"""The sealed set: what is held out, and that looks cannot be bought."""

from __future__ import annotations

import gzip
import shutil
import sqlite3
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.unit.sealed_data import HELD_OUT, OPEN, Place, grades_of, place, qrels

import relyon
from relyon.compat.mcp.looks import Looks
from relyon.compat.mcp.rule import is_better, level_of
from relyon.compat.mcp.sealed import Checked, SealedSet

GRADES = grades_of(0)


@pytest.fixture
def files(tmp_path: Path) -> Place:
    """The files of an agent."""
    return place(tmp_path)


def check(sealed: SealedSet, path: Path) -> Checked:
    """Returns the answer to a look."""
    return sealed.check(relyon.read_run(path))


def test_queries_are_divided(files: Place) -> None:
    sealed = SealedSet(files.sealing())
    assert sealed.held_out == set(HELD_OUT)
    assert sealed.development == set(OPEN)
    assert sealed.open_judgments.to_dict() == {one: GRADES[one] for one in OPEN}


def test_a_share_is_drawn_once_and_stays(files: Place) -> None:
    first = SealedSet(files.sealing(share=0.4, held_out=""))
    assert len(first.held_out) == 48
    assert SealedSet(files.sealing(share=0.4, held_out="")).held_out == first.held_out
    other = SealedSet(files.sealing(share=0.4, held_out="", state=str(files.root / "other")))
    assert other.held_out != first.held_out  # the salt is secret


def test_a_better_run_is_found_and_becomes_the_best(files: Place) -> None:
    sealed = SealedSet(files.sealing())
    assert check(sealed, files.folder / "runs" / "same.run").answer == "not distinguishable"
    found = check(sealed, files.folder / "runs" / "new.run")
    assert (found.answer, found.left, found.against) == ("better", 3, "old.run")
    again = check(sealed, files.run("third.run", 2.0, 9))
    assert (again.answer, again.against) == ("not distinguishable", "new.run")
    assert sealed.about()["best"] == "new.run"


def test_the_same_run_is_answered_from_the_record(files: Place) -> None:
    """Renamed, reordered, rescaled, compressed, in another format: it is the same run."""
    sealed = SealedSet(files.sealing())
    original = files.folder / "runs" / "new.run"
    first = check(sealed, original)
    assert first.charged
    lines = original.read_text("utf-8").splitlines()
    rows = [line.split() for line in lines]
    variants = {
        "renamed.run": "\n".join(lines),
        "reversed.run": "\n".join(lines[::-1]),
        "scaled.run": "\n".join(
            f"{q} Q0 {d} {r} {3 * float(s) - 7:.9f} y" for q, _, d, r, s, _ in rows
        ),
        "cubed.tsv": "query\tdocument\tscore\n"
        + "\n".join(f"{q}\t{d}\t{float(s) ** 3:.12f}" for q, _, d, _, s, _ in rows),
    }
    for name, text in variants.items():
        path = files.folder / name
        path.write_text(text + "\n", "utf-8")
        assert check(sealed, path) == replace(first, charged=False)
    packed = files.folder / "packed.run.gz"
    packed.write_bytes(gzip.compress(original.read_bytes()))
    assert check(sealed, packed) == replace(first, charged=False)
    development = "".join(line + "\n" for line in lines if line.split()[0] in HELD_OUT)
    (files.folder / "held.run").write_text(development, "utf-8")
    assert check(sealed, files.folder / "held.run") == replace(first, charged=False)


def test_the_baseline_itself_costs_nothing(files: Place) -> None:
    found = check(SealedSet(files.sealing()), files.folder / "runs" / "old.run")
    assert (found.answer, found.left, found.charged) == ("not distinguishable", 5, False)


def test_looks_end(files: Place) -> None:
    sealed = SealedSet(files.sealing(looks=2))
    for seed in (11, 12):
        assert check(sealed, files.run(f"{seed}.run", 0.3, seed)).answer == "not distinguishable"
    last = check(sealed, files.folder / "runs" / "new.run")
    assert (last.answer, last.left, last.charged) == ("out of looks", 0, False)
    assert check(sealed, files.folder / "runs" / "12.run").answer == "not distinguishable"
    restarted = SealedSet(files.sealing(looks=2))
    assert check(restarted, files.folder / "runs" / "new.run").answer == "out of looks"


def test_looks_end_before_the_level_is_too_small(tmp_path: Path) -> None:
    """After one “better” the level would be 1e-11 / 4 / 10, below what is ever sold."""
    looks = Looks.create(str(tmp_path / "state" / "x"), {})
    looks.set_baseline("b", "b", (0.0,) * 100)
    assert looks.charge("x", "x", (1.0,) * 100, 5, 1e-11) is not None
    assert looks.settle("x").answer == "better"
    assert looks.charge("y", "y", (1.0,) * 100, 5, 1e-11) is None
    assert looks.charge("y", "y", (1.0,) * 100, 5, 0.05) is not None


def test_a_copied_folder_and_renamed_files_have_the_same_state(files: Place) -> None:
    check(SealedSet(files.sealing()), files.folder / "runs" / "same.run")
    shutil.copytree(files.folder, files.root / "copied")
    renamed = files.root / "other-name.txt"
    rows = files.judgments.read_text("utf-8").splitlines(keepends=True)
    renamed.write_text("".join(rows[::-1]), "utf-8")
    copied = files.sealing(
        judgments=str(renamed), baseline=str(files.root / "copied" / "runs" / "old.run")
    )
    assert SealedSet(copied).about()["looks_left"] == 4


@pytest.mark.parametrize("query", [HELD_OUT[3], OPEN[3]], ids=["held-out", "open"])
def test_changed_judgments_are_refused(files: Place, query: str) -> None:
    """A grade of any query changed, under the same name or another one."""
    SealedSet(files.sealing())
    changed = {**GRADES, query: {**GRADES[query], "d0": 3}}
    for path in (files.root / "again.qrels", files.judgments):
        path.write_text(qrels(changed), "utf-8")
        with pytest.raises(relyon.InputError, match="differs from the judgments that were sealed"):
            SealedSet(files.sealing(judgments=str(path)))


def test_judgments_changed_while_it_runs_are_refused(files: Place) -> None:
    sealed = SealedSet(files.sealing())
    text = files.judgments.read_text("utf-8")
    files.judgments.write_text(text + "q1 0 extra 1\n", "utf-8")
    with pytest.raises(relyon.InputError, match="was changed since the server started"):
        check(sealed, files.folder / "runs" / "new.run")
    files.judgments.write_text(text, "utf-8")
    assert check(sealed, files.folder / "runs" / "new.run").answer == "better"


@pytest.mark.parametrize(
    "change",
    [{"looks": 50}, {"alpha": 0.2}, {"measure": "rr"}, {"share": 0.5, "held_out": ""}],
    ids=lambda one: next(iter(one)),
)
def test_settings_cannot_be_changed_later(files: Place, change: dict[str, object]) -> None:
    SealedSet(files.sealing())
    with pytest.raises(relyon.ParameterError, match="these judgments were sealed with"):
        SealedSet(files.sealing(**change))


def test_another_convention_is_another_setting(files: Place) -> None:
    SealedSet(files.sealing())
    with pytest.raises(relyon.ParameterError, match="these judgments were sealed with"):
        SealedSet(files.sealing(), convention="trec_eval")


def test_another_list_of_held_out_queries_is_refused(files: Place) -> None:
    SealedSet(files.sealing())
    (files.root / "held.txt").write_text("\n".join(HELD_OUT[1:]), "utf-8")
    with pytest.raises(relyon.ParameterError, match="were sealed with held-out"):
        SealedSet(files.sealing())


def test_another_baseline_is_refused(files: Place) -> None:
    SealedSet(files.sealing())
    with pytest.raises(relyon.InputError, match="not the baseline that the sealed set began with"):
        SealedSet(files.sealing(baseline=str(files.folder / "runs" / "new.run")))


def test_a_look_is_charged_before_its_answer(files: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """The process dies between the charge and the answer: the look is spent, the answer kept."""
    sealed = SealedSet(files.sealing())

    def killed(self: Looks, run: str) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Looks, "settle", killed)
        with pytest.raises(KeyboardInterrupt):
            check(sealed, files.folder / "runs" / "new.run")
    restarted = SealedSet(files.sealing())
    assert restarted.about()["looks_left"] == 4
    found = check(restarted, files.folder / "runs" / "new.run")
    assert (found.answer, found.left, found.charged) == ("better", 4, False)


def test_a_look_waits_for_the_one_before_it(files: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """A look that was left without its answer is answered before the next one is charged."""
    sealed = SealedSet(files.sealing())
    with monkeypatch.context() as patched:
        patched.setattr(Looks, "settle", lambda self, run: self.all()[-1])
        check(sealed, files.folder / "runs" / "new.run")
    found = check(sealed, files.run("third.run", 2.0, 9))
    assert (found.against, found.left) == ("new.run", 3)
    assert [one.answer for one in sealed.looks.all()] == [
        "baseline", "better", "not distinguishable",
    ]  # fmt: skip


def test_several_at_once_share_one_budget(files: Place) -> None:
    paths = [files.run(f"{seed}.run", 0.3, seed) for seed in range(20, 28)]
    SealedSet(files.sealing(looks=6))
    found: list[Checked] = []

    def ask(path: Path) -> None:
        found.append(check(SealedSet(files.sealing(looks=6)), path))

    threads = [threading.Thread(target=ask, args=(path,)) for path in paths]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(one.answer for one in found).count("out of looks") == 2
    assert len(found) == 8


def test_the_state_is_for_its_owner_only(files: Place) -> None:
    sealed = SealedSet(files.sealing())
    path = Path(sealed.looks.path)
    assert path.stat().st_mode & 0o077 == 0
    assert path.parent.stat().st_mode & 0o077 == 0


def test_a_broken_state_is_refused(files: Place) -> None:
    path = Path(SealedSet(files.sealing()).looks.path)
    path.write_bytes(b"not a database at all, but long enough to be read as one" * 100)
    with pytest.raises(relyon.InputError, match="the state of the sealed set cannot be used"):
        SealedSet(files.sealing())


def test_the_state_keeps_no_judgments(files: Place) -> None:
    """It has values by query in a secret order and digests; neither documents nor grades."""
    sealed = SealedSet(files.sealing())
    check(sealed, files.folder / "runs" / "new.run")
    with sqlite3.connect(sealed.looks.path) as database:
        text = str(database.execute("SELECT * FROM settings").fetchall())
        text += str(database.execute("SELECT * FROM looks").fetchall())
    assert "'d0'" not in text
    assert '"d0"' not in text


@pytest.mark.parametrize("measure", ["dcg@10", "gmap", "rbo", "pnr", "nonsense"])
def test_measures_without_a_bounded_mean_are_refused(files: Place, measure: str) -> None:
    with pytest.raises((relyon.ParameterError, relyon.UnknownNameError)):
        SealedSet(files.sealing(measure=measure))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"looks": 0}, "looks"),
        ({"alpha": 1.5}, "alpha"),
        ({"share": 0.05, "held_out": ""}, "cannot show any improvement"),
        ({"alpha": 1e-13}, "allow fewer looks"),
    ],
    ids=["looks", "alpha", "few", "level"],
)
def test_settings_that_cannot_work_are_refused(
    files: Place, change: dict[str, object], said: str
) -> None:
    with pytest.raises(relyon.ParameterError, match=said):
        SealedSet(files.sealing(**change))
    assert not (files.root / "state").exists()


def test_unknown_held_out_queries_are_refused(files: Place) -> None:
    (files.root / "held.txt").write_text("q0\nq999\n", "utf-8")
    with pytest.raises(relyon.InputError, match=r"1 id has no judgments, such as `q999`"):
        SealedSet(files.sealing())


def test_a_run_of_development_queries_alone_costs_nothing(files: Place) -> None:
    sealed = SealedSet(files.sealing())
    path = files.folder / "open.run"
    path.write_text("q1 Q0 d1 1 1 x\n", "utf-8")
    with pytest.raises(relyon.InputError, match="no results for any of the 60 held-out queries"):
        check(sealed, path)
    assert sealed.about()["looks_left"] == 5


def test_queries_that_a_run_lacks_are_counted(files: Place) -> None:
    sealed = SealedSet(files.sealing())
    lines = (files.folder / "runs" / "new.run").read_text("utf-8").splitlines(keepends=True)
    path = files.folder / "part.run"
    path.write_text("".join(one for one in lines if one.split()[0] != "q0"), "utf-8")
    assert check(sealed, path).missing == 1


def test_a_run_that_leaves_queries_out_is_not_better_for_it(files: Place, tmp_path: Path) -> None:
    """If a query left out counted as equal, each run could lose what others had gained."""
    rules = tmp_path / "skip.toml"
    rules.write_text('missing = "skip"\n', "utf-8")
    good = {query: {d: float(g) for d, g in GRADES[query].items()} for query in HELD_OUT}
    bad = {query: {d: -float(g) for d, g in GRADES[query].items()} for query in HELD_OUT}
    half = dict(list(good.items())[::2])
    relyon.write_run(relyon.Run.from_dict(bad | half), files.root / "half.run")
    sealed = SealedSet(files.sealing(baseline=str(files.root / "half.run")), str(rules))
    others = {query: ranked for query, ranked in good.items() if query not in half}
    found = sealed.check(relyon.Run.from_dict(others))
    assert (found.missing, found.answer) == (30, "not distinguishable")
    assert sealed.check(relyon.Run.from_dict(good)).answer == "better"


def test_a_query_that_a_run_lacks_has_the_worst_value_of_measures_that_are_better_low(
    files: Place,
) -> None:
    sealed = SealedSet(files.sealing(measure="unjudged@10"))
    some = {query: {"d0": 1.0} for query in HELD_OUT[:1]}
    assert sealed.check(relyon.Run.from_dict(some)).answer == "not distinguishable"
    assert sum(sealed.looks.all()[1].values) == 1 - len(HELD_OUT)


def test_errors_that_depend_on_judgments_are_not_shown(files: Place, tmp_path: Path) -> None:
    """Two documents of one grade are no pair: undefined=error would tell which grades are equal."""
    rules = tmp_path / "strict.toml"
    rules.write_text('undefined = "error"\n', "utf-8")
    sealed = SealedSet(files.sealing(measure="concordance"), str(rules))
    run = relyon.read_run(files.folder / "runs" / "new.run")
    for looks, query in enumerate(HELD_OUT[:4], 1):
        asked = {one: run[one] for one in run} | {query: {"d1": 2.0, "d2": 1.0}}
        found = sealed.check(relyon.Run.from_dict(asked))
        assert found.charged
        assert found.left == 5 - looks


def test_queries_with_the_ids_of_another_script(files: Place) -> None:
    """Ids that are numbers or Chinese, grades that are fractions, several documents of one rank."""
    names = {query: f"查询{n}" if n % 2 else str(n) for n, query in enumerate(GRADES)}
    judgments = {names[q]: {d: g / 2 for d, g in grades.items()} for q, grades in GRADES.items()}
    relyon.write_judgments(relyon.Judgments.from_dict(judgments), files.root / "j.csv")
    tied = {names[q]: dict.fromkeys(grades, 1.0) for q, grades in GRADES.items()}
    relyon.write_run(relyon.Run.from_dict(tied), files.root / "tied.csv")
    sealing = files.sealing(
        judgments=str(files.root / "j.csv"),
        baseline=str(files.root / "tied.csv"),
        share=0.5,
        held_out="",
    )
    sealed = SealedSet(sealing)
    perfect = relyon.Run.from_dict(judgments)
    assert sealed.check(perfect).answer == "better"
    assert sealed.check(relyon.Run.from_dict(tied)).answer == "not distinguishable"


def test_values_beyond_the_range_count_as_its_ends(files: Place) -> None:
    """Negative grades take NDCG below 0: an error would tell of them, and break the state."""
    negative = {q: {d: g - 2 for d, g in grades.items()} for q, grades in GRADES.items()}
    (files.root / "negative.qrels").write_text(qrels(negative), "utf-8")
    sealed = SealedSet(files.sealing(judgments=str(files.root / "negative.qrels")))
    for name in ("new", "same"):
        assert check(sealed, files.folder / "runs" / f"{name}.run").charged
    values = [value for one in sealed.looks.all() for value in one.values]
    assert 0 <= min(values) <= max(values) <= 1


def test_files_of_a_call_are_limited_together(
    files: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    from relyon.compat.mcp import work as module

    size = (files.folder / "runs" / "old.run").stat().st_size
    work = files.work()
    given = {"baseline": "runs/old.run", "candidates": ["runs/new.run", "runs/same.run"]}
    work.call("compare", given)
    monkeypatch.setattr(module, "MOST_TOGETHER", 2 * size)
    with pytest.raises(relyon.InputError, match="is larger than"):
        work.call("compare", given)


def test_the_state_follows_the_rule_that_is_simulated(tmp_path: Path) -> None:
    """tests/honest/test_sealed_set.py simulates the rule; the state must give the same answers."""
    random = np.random.default_rng(3)
    looks = Looks.create(str(tmp_path / "state" / "x"), {})
    best, better, answers = np.full(300, 0.3), 0, []
    looks.set_baseline("b", "b", tuple(best.tolist()))
    for look in range(12):
        values = np.clip(best + random.normal(0.08 * (look % 3), 0.2, 300), 0, 1)
        expected = is_better(values - best, level_of(12, better, 0.05))
        assert looks.charge(f"r{look}", "r", tuple(values.tolist()), 12, 0.05) is not None
        answers.append(looks.settle(f"r{look}").answer)
        assert (answers[-1] == "better") == expected
        if expected:
            best, better = values, better + 1
    assert {"better", "not distinguishable"} == set(answers)
    assert looks.charge("more", "r", tuple(best.tolist()), 12, 0.05) is None


def test_what_is_unpacked_is_limited(files: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    from relyon.compat.mcp import work as module

    line = b"q1 Q0 d%d %d 1.0 x\n"
    rows = b"".join(line % (n, n) for n in range(100_000))
    (files.folder / "bomb.run.gz").write_bytes(gzip.compress(rows))
    work = files.work()
    monkeypatch.setattr(module, "MOST_TOGETHER", 1 << 20)
    with pytest.raises(relyon.InputError, match=r"bomb\.run\.gz"):
        work.call("evaluate", {"run": "bomb.run.gz"})


def test_a_database_is_not_read(files: Place) -> None:
    with sqlite3.connect(files.folder / "judging.db") as database:
        database.execute("CREATE TABLE projects (id INTEGER)")
    with pytest.raises(relyon.InputError):
        files.work().call("evaluate", {"run": "runs/new.run", "judgments": "judging.db"})


def test_an_empty_state_is_one_that_was_not_begun(files: Place) -> None:
    """A process may be killed between creating the file and writing it."""
    about = files.work().sealed_set()
    state = next((files.root / "state").glob("*.sealed"))
    other = state.with_name("0" * 32 + ".sealed")
    for path in (state, other):
        path.write_bytes(b"")
    again = files.work().sealed_set()
    assert (again["looks_left"], again["held_out_queries"]) == (5, about["held_out_queries"])
    assert state.stat().st_size > 0
