"""`relyon judge llm`, `calibrate` and `accept`, against a server that plays the endpoint."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy")

from tests.databases import create_file
from tests.unit.completions import Completions, Received, Reply, serve_completions
from tests.unit.conftest import Command

from relyon.core.document.terminal import width
from relyon.judging.records import Item, Rating
from relyon.judging.schema import llm_answers, sa
from relyon.judging.store import open_store

KEY = "sk-very-secret-0123456789"


@pytest.fixture
def server() -> Iterator[Completions]:
    with serve_completions() as found:
        # The model says what the title ends in, and wavers once in a while.
        found.script = lambda request: Reply(json.dumps({"grade": number(request) % 4}))
        yield found


def number(request: Received) -> int:
    return int(str(request.data["title"]).split()[-1])


@pytest.fixture
def june(files: Path) -> Path:
    """Two people graded 60 of 80 items; the last 20 nobody did."""
    with open_store(create_file(files / "judging.db")) as store:
        project = store.projects.create("June", overlap=2, guideline={"en": "Grade it."})
        store.accounts.create("Lee", role="lead")
        items = [
            Item(f"q{n // 5}", f"d{n}", title=f"Title {n}", tier="head" if n % 2 else "tail")
            for n in range(80)
        ]
        given = [
            (item, (Rating("Ann", n % 4), Rating("Bo", (n % 4 if n % 3 else min(n % 4 + 1, 3)))))
            for n, item in enumerate(items[:60])
        ]
        store.grades.add(project.id, given)
        store.items.add(project.id, items)
    return files


def arguments(server: Completions, *more: str) -> list[str]:
    return ["judge", "llm", "judging.db", "--project", "June", "--endpoint", server.url,
            "--model", "small", "--samples", "3", *more]  # fmt: skip


@pytest.mark.long
def test_from_grading_to_an_accepted_judge(
    command: Command, june: Path, server: Completions
) -> None:
    outcome = command(*arguments(server))
    assert (outcome.code, outcome.out) == (0, "")
    assert "llm:small (version 1): 240 requests answered; 24,000 + 2,400 tokens" in outcome.err
    assert "it graded 80 of 80 items" in outcome.err
    again = command(*arguments(server))
    assert "llm:small (version 1): 0 requests answered" in again.err
    assert len(server.received) == 240

    status = command("judge", "status", "judging.db", "--project", "June")
    assert "llm:small (version 1): 80 items graded; not accepted" in status.out
    assert "June: 120 of 160 grades" in status.out
    export = ("judge", "export", "judging.db", "--project", "June", "--format", "csv")
    before = command(*export)
    assert "llm:" not in before.out + before.err

    calibration = command("judge", "calibrate", "judging.db", "--project", "June", "--format",
                         "json", "--resamples", "200")  # fmt: skip
    found = json.loads(calibration.out)
    assert (found["items"], found["configuration"]["samples"]) == (60, 3)
    assert sum(map(sum, found["confusion"])) == 60
    assert set(found["tiers"]) == {"head", "tail"}
    # Ann is who the model agrees with, and Bo with neither.
    assert found["overall"]["final"]["kappa"]["value"] > 0.99
    assert 0.5 < found["overall"]["people"]["kappa"]["value"] < 0.8
    assert found["outlook"]["within"] is True

    table = command("judge", "calibrate", "judging.db", "--project", "June", "--resamples", "200")
    assert "agrees with these people as well as they do with each other, within the margin" in (
        table.out.replace("\n", " ")
    )
    chinese = command("judge", "calibrate", "judging.db", "--project", "June", "--resamples", "200",
                      "--lang", "zh")  # fmt: skip
    assert max(map(width, chinese.out.splitlines())) <= 80
    for text in (
        "llm:small 与标注员",
        "英文提示词",
        "混淆矩阵：行为模型的等级",
        "2 中",
        "高频：30 条",
    ):
        assert text in chinese.out
    strict = command("judge", "calibrate", "judging.db", "--project", "June", "--resamples", "200",
                     "--margin", "0.9", "--format", "json")  # fmt: skip
    assert json.loads(strict.out)["outlook"]["margin"] == 0.9
    assert max(map(len, table.out.splitlines())) <= 80
    markdown = command("judge", "calibrate", "judging.db", "--project", "June", "--resamples",
                      "200", "--format", "markdown")  # fmt: skip
    assert markdown.out.startswith("# llm:small and people\n")
    assert "| llm:small | 0 none |" in markdown.out

    for name, order in (("up", range(60)), ("down", range(59, -1, -1))):
        (june / f"{name}.run").write_text(
            "".join(f"q{n // 5} Q0 d{n} 1 {100 - rank} {name}\n" for rank, n in enumerate(order)),
            "utf-8",
        )
    systems = command("judge", "calibrate", "judging.db", "--project", "June", "--resamples", "200",
                     "--run", "up.run", "--run", "down.run", "-m", "ndcg@3")  # fmt: skip
    assert "Systems by ndcg@3" in systems.out
    assert "Human grades saved" in systems.out
    assert "Kendall's τ of the two orders is 1.00; the model swaps none." in systems.out

    accept = ("judge", "accept", "judging.db", "--project", "June", "--judge", "llm:small")
    refused = command(*accept, "--by", "Lee", "--least-items", "61")
    assert refused.code != 0
    assert "both graded 60 items, and 61 are needed" in refused.err
    assert "is not a lead" in command(*accept, "--by", "Ann").err
    accepted = command(*accept, "--by", "Lee")
    assert accepted.code == 0
    assert "Confusion matrix" in accepted.out
    assert "llm:small (version 1) is accepted by Lee in June" in accepted.err
    assert "20 of 80 final grades come from the language model llm:small" in accepted.err

    after = command(*export)
    rows = list(csv.DictReader(after.out.splitlines()))
    by_model = [row for row in rows if row["final_source"]]
    assert len(by_model) == 20
    assert {row["final_source"] for row in by_model} == {"llm:small"}
    assert all(int(row["final"]) == int(row["document"][1:]) % 4 for row in by_model)
    assert not any(row["judge"].startswith("llm") for row in rows)
    trec = command("judge", "export", "judging.db", "--project", "June", "--format", "trec")
    assert "20 of 80 final grades come from the language model llm:small" in trec.err
    assert "which final grades are a language model's: left out of 20 items" in trec.err
    status = command("judge", "status", "judging.db", "--project", "June")
    assert "count for 20 ungraded items" in " ".join(status.out.split())
    assert "June: 120 of 160 grades" in status.out

    (june / "june.csv").write_text(after.out, "utf-8")
    command("judge", "init", "judging.db", "--project", "July", "--overlap", "2")
    imported = command("judge", "import", "judging.db", "june.csv", "--project", "July")
    assert (
        "20 final grades of a language model: the items are imported without them" in imported.err
    )
    assert "July: 80 new items, 120 new grades" in imported.err

    other = command("judge", "accept", "judging.db", "--project", "June", "--judge", "llm:other",
                   "--by", "Lee", "--withdraw")  # fmt: skip
    assert "`llm:other` is not accepted in `June`" in other.err
    withdrawn = command(*accept, "--by", "Lee", "--withdraw")
    assert "no longer counts in June" in withdrawn.err
    assert command(*export).out == before.out
    assert "no language model is accepted" in command(*accept, "--by", "Lee", "--withdraw").err


@pytest.mark.long
def test_texts_of_strangers_do_nothing_to_the_terminal(
    command: Command, june: Path, server: Completions
) -> None:
    hostile = "\x1b[31mred\x1b]0;title\x07\n# heading | `code` <b>"
    server.script = lambda _: Reply(json.dumps({"grade": 3, "reason": hostile}))
    command(*arguments(server, "--items", "graded"))
    calibration = ("judge", "calibrate", "judging.db", "--project", "June", "--resamples", "100")
    text = command(*calibration).out
    assert "The widest differences" in text
    assert "model 3 high, people 0 none: q0 → d0, Title 0. The model: [31mred" in " ".join(
        text.split()
    )
    assert "\x1b" not in text
    assert "\x07" not in text
    markdown = command(*calibration, "--format", "markdown", "--limit", "1").out
    assert markdown.count("The model:") == 1
    assert r"\# heading \| \`code\` &lt;b&gt;" in markdown
    assert len(json.loads(command(*calibration, "--format", "json").out)["examples"]) == 5


def test_a_dry_run_sends_and_stores_nothing(
    command: Command, june: Path, server: Completions
) -> None:
    before = (june / "judging.db").read_bytes()
    outcome = command(*arguments(server, "--items", "ungraded", "--dry-run"))
    assert outcome.code == 0
    assert outcome.out.startswith("[system]\nYou are a relevance assessor")
    assert "Grade it." in outcome.out
    assert '"title": "Title 60"' in outcome.out
    assert "60 requests for 20 items with 3 samples each" in outcome.err
    assert server.received == []
    assert (june / "judging.db").read_bytes() == before
    command(*arguments(server, "--items", "ungraded", "--item-sample", "4"))
    again = command(*arguments(server, "--items", "ungraded", "--dry-run"))
    assert "48 requests for 20 items with 3 samples each" in again.err


def test_what_is_sent(command: Command, june: Path, server: Completions) -> None:
    (june / "prompt.txt").write_text("Be strict. {scale}", "utf-8")
    outcome = command(*arguments(
        server, "--item-sample", "1", "--prompt", "prompt.txt", "--prompt-lang", "zh",
        "--parameter", "max_tokens=300", "--parameter", "temperature=null", "--parameter", "user=a",
    ))  # fmt: skip
    assert outcome.code == 0
    body = server.received[0].body
    assert set(body) == {"model", "max_tokens", "user", "messages"}
    assert (body["max_tokens"], body["user"]) == (300, "a")
    assert body["messages"][0]["content"].startswith("Be strict. - 3 = 高")
    assert "只输出一个 JSON 对象" in body["messages"][0]["content"]


def test_the_key_comes_from_the_environment_and_goes_nowhere_else(
    command: Command, june: Path, server: Completions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RELYON_LLM_KEY", KEY)
    outcome = command(*arguments(server, "--item-sample", "2"))
    assert {one.headers["authorization"] for one in server.received} == {f"Bearer {KEY}"}
    told = json.dumps({"error": {"message": f"the key {KEY} has no credit"}}).encode()
    server.script = lambda _: Reply(status=402, body=told)
    failed = command(*arguments(server))
    assert failed.code != 0
    assert "HTTP 402: the key *** has no credit" in failed.err
    seen = outcome.out + outcome.err + failed.out + failed.err
    assert KEY not in seen
    for path in june.glob("judging.db*"):
        assert KEY.encode() not in path.read_bytes()
    assert "OTHER_KEY is empty" in command(*arguments(server, "--api-key-env", "OTHER_KEY")).err


@pytest.mark.long
def test_problems_are_counted_and_said(command: Command, june: Path, server: Completions) -> None:
    server.script = lambda request: Reply(
        "I would rather not." if number(request) == 3 else '{"grade": 1}'
    )
    outcome = command(*arguments(server, "--attempts", "2"))
    assert outcome.code == 0
    assert "6 times the answer had no JSON object with a grade" in outcome.err
    assert "3 samples have no grade" in outcome.err
    assert "it graded 79 of 80 items" in outcome.err


def test_remarks(command: Command, june: Path, server: Completions) -> None:
    with open_store(june / "judging.db") as store:
        july = store.projects.create("July")
        store.items.add(july.id, [Item("q", "bare"), Item("q", "d", title="Title 1")])
    outcome = command("judge", "llm", "judging.db", "--project", "July", "--endpoint", server.url,
                     "--model", "small", "--temperature", "0")  # fmt: skip
    assert "`July` has no guideline" in outcome.err
    assert "1 of 2 items have only an id" in outcome.err
    assert "at temperature 0" in outcome.err
    none = command("judge", "llm", "judging.db", "--project", "July", "--endpoint", server.url,
                  "--model", "small", "--items", "graded")  # fmt: skip
    assert "no items were selected" in none.err


@pytest.mark.parametrize(
    ("more", "message"),
    [(["--parameter", "n=2"], "cannot be set"), (["--parameter", "n"], "not NAME=VALUE"),
     (["--judge", "Ann"], "not the name of a language model"),
     (["--samples", "0"], "not in the range"),
     (["--endpoint", "ftp://x"], "not an http or https URL")],
)  # fmt: skip
def test_bad_options(
    command: Command, june: Path, server: Completions, more: list[str], message: str
) -> None:
    outcome = command(*arguments(server, *more))
    assert outcome.code == 2
    assert message in outcome.err
    assert server.received == []


def test_without_a_judge(command: Command, june: Path) -> None:
    outcome = command("judge", "calibrate", "judging.db", "--project", "June")
    assert "no language model has graded in this project" in outcome.err
    assert "relyon judge llm" in outcome.err


def start(server: Completions, folder: Path, *more: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "relyon", *arguments(server, *more)],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONUTF8": "1"},
    )  # fmt: skip


def wait_for(server: Completions, count: int) -> None:
    deadline = time.monotonic() + 60
    while len(server.received) < count:
        assert time.monotonic() < deadline, "no requests came"
        time.sleep(0.01)


def stored(folder: Path) -> int:
    with open_store(folder / "judging.db") as store, store.database.read() as connection:
        return int(
            connection.execute(sa.select(sa.func.count()).select_from(llm_answers)).scalar_one()
        )


def asked(server: Completions) -> Counter[str]:
    """How often each item was asked about."""
    return Counter(request.data["title"] for request in server.received)


@pytest.mark.long
@pytest.mark.skipif(os.name == "nt", reason="there is no kill -9")
def test_kill_9_loses_no_answer_and_repeats_no_request(
    command: Command, june: Path, server: Completions
) -> None:
    server.script = lambda request: Reply(f'{{"grade": {number(request) % 4}}}', seconds=0.02)
    lost = 0
    for already in (40, 90):
        process = start(server, june)
        wait_for(server, already)
        process.kill()
        process.communicate(timeout=30)
        time.sleep(0.2)
        sent, kept = len(server.received), stored(june)
        # All that is lost is what was on its way: at most four requests at a time.
        assert kept >= already - 4 * (1 + (already > 40))
        lost = sent - kept
        assert lost <= 4 * (1 + (already > 40))
    outcome = command(*arguments(server))
    assert outcome.code == 0
    assert stored(june) == 240
    # Everything else was asked once.
    assert len(server.received) == 240 + lost
    assert sum(times - 3 for times in asked(server).values()) == lost
    assert "80 of 80 items" in outcome.err


@pytest.mark.long
@pytest.mark.skipif(os.name == "nt", reason="signals of processes differ")
def test_ctrl_c_keeps_what_was_asked(command: Command, june: Path, server: Completions) -> None:
    server.script = lambda _: Reply(seconds=0.1)
    process = start(server, june)
    wait_for(server, 20)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert b"waiting for pending requests" in err
    assert b"interrupted" in err
    sent = len(server.received)
    assert stored(june) == sent
    assert f"{sent} requests answered".encode() in err
    server.script = lambda _: Reply()
    command(*arguments(server))
    assert len(server.received) == 240


@pytest.mark.long
def test_no_more_requests_than_allowed(command: Command, june: Path, server: Completions) -> None:
    outcome = command(*arguments(server, "--item-sample", "4", "--requests-per-minute", "600"))
    assert outcome.code == 0
    times = sorted(request.at for request in server.received)
    assert len(times) == 12
    assert times[-1] - times[0] >= 11 * 0.1 * 0.9
