"""`relyon search`: runs, tapes, options, interrupts, and what it says."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.unit.conftest import Command

SEARCH = ("search", "engine.toml", "--queries", "queries.tsv")

SLOW = """
import os, time

def search(query, k, wait=0.05):
    with open("asked.txt", "a") as file:
        file.write(query + "\\n")
    time.sleep(wait)
    return [(f"{query}-{rank}", k - rank) for rank in range(k)]
"""


@pytest.fixture
def slow(files: Path) -> Path:
    """An engine that takes its time, and 200 queries."""
    (files / "slow_search.py").write_text(SLOW)
    (files / "slow.toml").write_text(
        'kind = "python"\npython = "slow_search:search"\n[parameters]\nwait = 0.05\n'
        "[limits]\nconcurrency = 2\n"
    )
    (files / "many.txt").write_text("".join(f"query{number}\n" for number in range(200)))
    return files


def test_every_variant_gives_a_run_with_its_tape(command: Command) -> None:
    outcome = command(*SEARCH, "-k", "5", "-o", "runs")
    assert outcome.code == 0, outcome.err
    assert sorted(os.listdir("runs")) == [
        "base.run", "base.run.tape.jsonl", "strong.run", "strong.run.tape.jsonl",
    ]  # fmt: skip
    lines = outcome.out.splitlines()
    assert lines[0].split() == [
        "variant",
        "queries",
        "results",
        "p50",
        "ms",
        "p95",
        "ms",
        "retried",
        "failed",
    ]
    assert [line.split()[:2] for line in lines[2:4]] == [["base", "2"], ["strong", "2"]]
    assert "\n  relyon compare JUDGMENTS runs/base.run runs/strong.run\n" in outcome.err
    assert outcome.err.endswith(
        "  relyon judge init judging.db --project NAME\n"
        "  relyon judge import judging.db --project NAME --run runs/base.run \\\n"
        "      --run runs/strong.run -k 10\n"
    )


def test_a_run_is_no_tape_but_has_one_beside_it(command: Command) -> None:
    assert command(*SEARCH, "--variant", "strong", "-o", "found.run").code == 0
    outcome = command(*SEARCH, "--variant", "strong", "--replay", "found.run", "-o", "again.run")
    assert outcome.code == 3
    assert "found.run: is not a tape" in outcome.err
    assert "beside it: found.run.tape.jsonl" in outcome.err


def test_one_variant_gives_one_file(command: Command) -> None:
    outcome = command(*SEARCH, "--variant", "strong", "-o", "new.one.run")
    assert outcome.code == 0, outcome.err
    assert Path("new.one.run").exists()
    assert Path("new.one.run.tape.jsonl").exists()
    assert "\n  relyon evaluate JUDGMENTS new.one.run\n" in outcome.err


def test_the_summary_for_programs(command: Command) -> None:
    outcome = command(*SEARCH, "-o", "runs", "-p", "title=2", "--format", "json")
    assert (outcome.code, outcome.err) == (0, "")
    found = json.loads(outcome.out)
    assert found["k"] == 100
    assert [one["variant"] for one in found["variants"]] == ["base", "strong"]
    assert [one["parameters"]["title"] for one in found["variants"]] == [2.0, 3.0]
    assert found["variants"][0]["run"] == os.path.join("runs", "base.run")
    assert set(found["variants"][0]["latency"]) >= {"p50_ms", "p95_ms", "retried", "failed"}


def test_a_tape_gives_the_same_runs_without_the_engine(command: Command, files: Path) -> None:
    assert command(*SEARCH, "-o", "live", "--record", "tape.jsonl").code == 0
    (files / "catalogue.csv").rename(files / "gone.csv")
    (files / "catalogue.csv").write_bytes((files / "gone.csv").read_bytes())
    outcome = command(*SEARCH, "-o", "again", "--replay", "tape.jsonl")
    assert outcome.code == 0, outcome.err
    for name in os.listdir("live"):
        assert Path("live", name).read_bytes() == Path("again", name).read_bytes()


def test_existing_runs_are_only_replaced_by_force(command: Command) -> None:
    assert command(*SEARCH, "-o", "runs").code == 0
    refused = command(*SEARCH, "-o", "runs")
    assert refused.code == 3
    assert "already exists" in refused.err
    assert "--force" in refused.err
    assert command(*SEARCH, "-o", "runs", "--force").code == 0


def test_a_search_that_keeps_nothing_is_refused(command: Command) -> None:
    outcome = command(*SEARCH)
    assert (outcome.code, outcome.out) == (2, "")
    assert "hint: add -o new.run" in outcome.err


def test_a_dry_run_shows_the_first_request_and_asks_nothing(slow: Path, command: Command) -> None:
    outcome = command(*SEARCH, "--dry-run")
    assert outcome.code == 0, outcome.err
    assert "4 requests to catalogue.csv: 2 queries × 2 variants" in outcome.out
    assert "red" in outcome.out
    assert "MATCH" in outcome.out
    assert command("search", "slow.toml", "--queries", "many.txt", "--dry-run").code == 0
    assert not (slow / "asked.txt").exists()
    found = json.loads(command(*SEARCH, "--dry-run", "--format", "json").out)
    assert (found["requests"], found["variants"]) == (4, ["base", "strong"])


def test_a_list_of_queries_is_its_own_ids(slow: Path, command: Command) -> None:
    (slow / "list.txt").write_text("red shoes\ntelevision\n\n")
    refused = command("search", "engine.toml", "--queries", "list.txt", "-o", "new.x.run",
        "--variant", "base")  # fmt: skip
    assert refused.code == 3
    assert "the query id `red shoes` cannot be written as TREC" in refused.err
    assert not Path("new.x.run.partial").exists()
    done = command("search", "engine.toml", "--queries", "list.txt", "-o", "runs")
    assert done.code == 0, done.err
    assert "VARIANT.csv.tape.jsonl" in done.out
    assert "television,tv-1" in Path("runs", "base.csv").read_text()
    again = command("search", "engine.toml", "--queries", "list.txt", "-o", "more.csv", "--replay",
        "runs/strong.csv.tape.jsonl", "--variant", "strong")  # fmt: skip
    assert again.code == 0, again.err


def test_people_grade_results_with_the_texts_of_the_tape(slow: Path, command: Command) -> None:
    (slow / "asked.csv").write_text("id,query\nq9,television\n")
    (slow / "known.csv").write_text("id,title\ntv-1,Our own title\n")
    searching = ("search", "engine.toml", "--queries", "asked.csv", "-o", "tv.run")
    assert command(*searching, "--variant", "base").code == 0
    importing = ("judge", "import", "judging.db", "--run", "tv.run")
    for project in ("June", "July"):
        assert command("judge", "init", "judging.db", "--project", project).code == 0
    assert command(*importing, "--project", "June").code == 0
    assert command(*importing, "--project", "July", "--documents", "known.csv").code == 0
    shown = {}
    for project in ("June", "July"):
        shown[project] = command(
            "judge", "export", "judging.db", "--project", project, "--format", "jsonl"
        ).out
    item = json.loads(shown["June"].splitlines()[0])
    assert (item["query_text"], item["title"]) == ("television", "A television")
    assert item["url"] == "https://shop.example/1"
    later = json.loads(shown["July"].splitlines()[0])
    assert (later["title"], later["url"]) == ("Our own title", "https://shop.example/1")


def test_an_unknown_ending_is_named_before_the_engine_is_asked(
    slow: Path, command: Command
) -> None:
    outcome = command("search", "slow.toml", "--queries", "many.txt", "-o", "new.runn")
    assert outcome.code == 2
    assert "new.runn" in outcome.err
    assert "hint: end it with .run" in outcome.err
    assert not (slow / "asked.txt").exists()


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--variant", "stong"], "did you mean `strong`?"),
        (["-p", "titel=2"], "there is no parameter `titel`"),
        (["-p", "title"], "--parameter"),
        (["-k", "0"], "-k"),
        (["--concurrency", "0"], "--concurrency"),
        (["--timeout", "0"], "--timeout"),
    ],
)
def test_a_wrong_option_is_named(more: list[str], words: str, command: Command) -> None:
    outcome = command(*SEARCH, "-o", "runs", *more)
    assert (outcome.code, outcome.out) == (2, "")
    assert words in outcome.err
    assert not Path("runs").exists()


def test_the_queries_are_not_written_over(command: Command) -> None:
    outcome = command(*SEARCH, "--record", "queries.tsv", "--force")
    assert outcome.code == 2
    assert Path("queries.tsv").read_text().startswith("id\ttext")


def test_it_speaks_chinese(command: Command) -> None:
    outcome = command(*SEARCH, "-o", "runs", "--lang", "zh")
    assert outcome.code == 0
    assert outcome.out.startswith("变体")
    assert "下一步" in outcome.err


@pytest.mark.long
def test_an_interrupt_says_what_is_kept_and_the_same_command_goes_on(slow: Path) -> None:
    arguments = [
        sys.executable, "-m", "relyon", "search", "slow.toml", "--queries", "many.txt",
        "-k", "3", "-o", "slow.run",
    ]  # fmt: skip
    running = subprocess.Popen(arguments, cwd=slow, stderr=subprocess.PIPE, text=True)
    asked = slow / "asked.txt"
    end = time.monotonic() + 30
    while not asked.exists() or len(asked.read_text().splitlines()) < 20:
        assert time.monotonic() < end
        time.sleep(0.02)
    running.send_signal(signal.SIGINT)
    _, said = running.communicate(timeout=30)
    assert running.returncode == 130
    assert "of 200 answers are kept: the same command goes on from there" in said
    assert said.endswith("error: interrupted\n")
    assert not (slow / "slow.run").exists()
    kept = int(said.partition("note: ")[2].split()[0])
    before = len(asked.read_text().splitlines())
    done = subprocess.run(arguments, cwd=slow, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    after = len(asked.read_text().splitlines())
    assert after - before <= 200 - kept
    assert len((slow / "slow.run").read_text().splitlines()) == 600
