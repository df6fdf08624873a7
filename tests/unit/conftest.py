"""Small files and ways to run the command line."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import pytest
from tests.databases import create_file
from tests.passwords import cheapen_passwords
from tests.unit.clock import Clock

if TYPE_CHECKING:
    import polars as pl
    from tests.unit.completions import Completions
    from tests.unit.identity_provider import Provider

    from relyon.judging import Store
    from relyon.judging.records import User

JUDGMENTS = """q1 0 d1 3
q1 0 d2 2
q1 0 d3 0
q2 0 d1 1
q2 0 d4 2
q3 0 d5 1
"""
BM25 = """q1 Q0 d2 1 2.5 bm25
q1 Q0 d1 2 1.5 bm25
q1 Q0 d3 3 0.5 bm25
q2 Q0 d4 1 9.5 bm25
q2 Q0 d9 2 8.5 bm25
"""
TFIDF = """q1 Q0 d1 1 2.5 tfidf
q1 Q0 d3 2 1.5 tfidf
q2 Q0 d9 1 9.5 tfidf
q2 Q0 d1 2 8.5 tfidf
q3 Q0 d5 1 1.5 tfidf
"""
NEW = TFIDF.replace("tfidf", "new").replace("q1 Q0 d3 2", "q1 Q0 d2 2")
# Sixteen sessions of two results each: six of tv, four of pen, three of cup, and three others.
LOG = "session,query,position,doc\n" + "".join(
    f"s{number},{query},{position},{query}-{position}\n"
    for number, query in enumerate([*["tv"] * 6, *["pen"] * 4, *["cup"] * 3, "mug", "hat", "bag"])
    for position in (1, 2)
)
# The same log with clicks: on the first result, and on the second of every third session.
CLICKS = "".join(
    f"{line},{('clicked' if not number else int(number % 2 == 1 or number % 6 == 0))}\n"
    for number, line in enumerate(LOG.splitlines())
)
# Single decisions: one of two documents was shown, as likely as the other.
DECISIONS = "doc,clicked,propensity\n" + "".join(
    f"{'ab'[number % 2]},{int(number % 5 == 0)},0.5\n" for number in range(40)
)
# Sessions that were shown lists mixed of bm25.run and new.run.
MIXED_CLICKS = """session,query,position,doc,clicked,bucket
s1,q1,1,d2,0,q1#1
s1,q1,2,d1,1,q1#1
s2,q2,1,d9,1,q2#1
s2,q2,2,d4,0,q2#1
"""
# An A/B test: thirty users in each arm, a search a week before it began and one in it.
AB_TEST = "session,user,arm,query,position,doc,clicked,timestamp\n" + "".join(
    f"{week}-{user},u{user},{'AB'[user % 2]},tv,1,tv-1,{int((user + week) % 3 == 0)},"
    f"2026-03-{(3, 10)[week]:02d}T08:00:00Z\n"
    for week in (0, 1)
    for user in range(60)
)
# What `relyon sample` writes of four sessions: two of tv, one of cup, one of pen.
ROWS = "".join(
    f"{row % 3} qid:{row // 5} 1:{row}.5 2:{row % 7} 3:{row % 3} # docid = d{row}\n"
    for row in range(100)
)
SAMPLE = """draw,tier,query,session,query_sessions,tier_sessions,inclusion_probability,k,position,\
doc,tier_number,tier_queries,tier_least,tier_most,design,seed,common_k,total_sessions
1,head,tv,s0,2,2,1.0,10,1,tv-1,1,1,2,2,stratified,0,10,4
1,head,tv,s0,2,2,1.0,10,2,tv-2,1,1,2,2,stratified,0,10,4
2,head,tv,s1,2,2,1.0,10,1,tv-2,1,1,2,2,stratified,0,10,4
3,middle,cup,s3,1,1,1.0,10,1,cup-1,2,1,1,1,stratified,0,10,4
4,tail,pen,s2,1,1,1.0,10,1,pen-1,3,1,1,1,stratified,0,10,4
"""
# A search engine on `catalogue.csv`.
CASE = """{"case_name": "Shop", "scorer": {"name": "nDCG@10"}, "queries": [{"query_text": "tv",
 "ratings": [{"doc_id": "tv-1", "rating": 3}]}], "try": {"query_params": "q=#$query##",
 "field_spec": "id:id, title:name", "search_endpoint": {"search_engine": "solr",
 "endpoint_url": "http://localhost:8983/solr/shop/select"}}}"""
ENGINE = """kind = "sqlite"
documents = "catalogue.csv"

[parameters]
title = 1.0

[variants.strong]
title = 3.0
"""
SCORES = """query,label,score
a,3,0.9
a,2,0.8
a,3,0.7
a,3,0.6
a,2,0.5
a,1,0.4
b,1,0.1
b,0,0.2
"""


@pytest.fixture
def clock() -> Clock:
    """The time, for a test to set."""
    return Clock()


@pytest.fixture
def store_clock() -> Callable[[], float]:
    """What tells a store the time; a file of tests can have its own."""
    return time.time


@pytest.fixture
def store(judging_database: str, store_clock: Callable[[], float]) -> Iterator[Store]:
    """A judging database that is open, of either kind."""
    from relyon.judging import open_store

    with open_store(judging_database, clock=store_clock) as opened:
        yield opened


@pytest.fixture
def file_store(tmp_path: Path) -> Iterator[Store]:
    """A judging database in a file that is open."""
    from relyon.judging import open_store

    with open_store(create_file(tmp_path / "judging.db")) as opened:
        yield opened


@pytest.fixture
def ann(store: Store) -> User:
    """A judge."""
    return store.accounts.create("Ann")


@pytest.fixture
def bo(store: Store) -> User:
    """Another judge."""
    return store.accounts.create("Bo")


@pytest.fixture
def server() -> Iterator[Completions]:
    """An endpoint that answers as a language model does."""
    from tests.unit.completions import serve_completions

    with serve_completions() as found:
        yield found


@pytest.fixture
def cheap_passwords(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hashes that take no time, for tests of the app."""
    cheapen_passwords(monkeypatch)


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with the files that the examples name."""
    for name, text in (
        ("judgments.qrels", JUDGMENTS),
        ("crowd.qrels", JUDGMENTS),
        ("bm25.run", BM25),
        ("tfidf.run", TFIDF),
        ("new.run", NEW),
        ("scores.csv", SCORES),
        ("test.csv", "query,label,old,new\na,1,0.2,0.9\na,0,0.4,0.1\nb,1,3,2\nb,0,1,2\n"),
        ("old.csv", "query,ndcg@10\na,0.5\nb,0.25\n"),
        ("new.csv", "query,ndcg@10\na,0.75\nb,0.5\n"),
        ("log.csv", LOG),
        ("clicks.csv", CLICKS),
        ("search.run", "tv Q0 tv-2 1 2 s\ntv Q0 tv-1 2 1 s\npen Q0 pen-1 1 2 s\n"),
        ("decisions.csv", DECISIONS),
        ("policy.csv", "document,probability\na,0.25\nb,0.75\n"),
        ("mixed-clicks.csv", MIXED_CLICKS),
        ("rows.letor", ROWS),
        ("arms.csv", AB_TEST),
        ("sample.csv", SAMPLE),
        ("judged.csv", "query,doc,grade,judged_at\ntv,tv-1,3,2020-01-01\n"),
        ("pool.csv", "query,doc,tier,position,sessions,reason\ntv,tv-1,head,1,2,new\n"),
        ("catalogue.csv", "id,title,url\ntv-1,A television,https://shop.example/1\nd1,One,\n"),
        ("queries.tsv", "id\ttext\nq1\tred shoes\nq2\tblue shoes\n"),
        ("engine.toml", ENGINE),
        ("pilot.csv", "tier,standard_deviation\nhead,2.5\nmiddle,1.5\ntail,1\n"),
    ):
        (tmp_path / name).write_text(text, "utf-8")
    (tmp_path / "judgments.csv").write_text(
        "query,document,grade\nq1,d1,高\nq1,d2,中\nq2,d4,无\n", "utf-8"
    )
    (tmp_path / "case.json").write_text(CASE, "utf-8")
    (tmp_path / "online.json").write_text('{"buckets": {"old": 500, "new": 500}}', "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@dataclass(frozen=True)
class Outcome:
    """What a command did."""

    code: int
    out: str
    err: str


Command = Callable[..., Outcome]


@pytest.fixture
def command(files: Path, own_measures: None, capsys: pytest.CaptureFixture[str]) -> Command:
    """Runs a command in this process."""

    def run(*arguments: str) -> Outcome:
        from relyon.cli.application import main

        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main(list(arguments))
        captured = capsys.readouterr()
        code = ended.value.code
        assert isinstance(code, int)
        return Outcome(code, captured.out, captured.err)

    return run


@pytest.fixture
def process(files: Path) -> Command:
    """Runs a command in a process of its own."""

    def run(*arguments: str, data: bytes = b"", **variables: str) -> Outcome:
        done = subprocess.run(
            [sys.executable, "-m", "relyon", *arguments],
            input=data,
            capture_output=True,
            cwd=files,
            env={**os.environ, "PYTHONUTF8": "1", **variables},
            timeout=60,
            check=False,
        )
        return Outcome(done.returncode, done.stdout.decode(), done.stderr.decode())

    return run


@pytest.fixture(scope="session")
def make_cli() -> ModuleType:
    """What writes the reference page of the command line."""
    path = Path(__file__).parents[2] / "docs" / "make_cli.py"
    spec = importlib.util.spec_from_file_location("make_cli", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(path.parent)
        spec.loader.exec_module(module)
    return module


@pytest.fixture
def clean() -> pl.DataFrame:
    """A search log with nothing wrong."""
    from tests.unit.clean_logs import clean_log

    return clean_log()


@pytest.fixture
def provider() -> Iterator[Provider]:
    """An identity provider."""
    pytest.importorskip("authlib")
    from tests.unit.identity_provider import serve_provider

    with serve_provider() as found:
        yield found
