"""`relyon engine`: files of every kind, and a check of one query."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from tests.unit.conftest import Command
from tests.unit.scripted_engine import Asked, Script, serve_script

from relyon.cli.engine_new import HELP
from relyon.core.texts import LANGUAGES
from relyon.engines import read_configuration
from relyon.engines.engine import KINDS
from relyon.engines.files.starting import starting_file

#: The names by which `relyon engine new` calls the kinds; the others are synonyms.
SYNONYMS = {"fts5", "postgres"}
NAMES = [one for names in KINDS.values() for one in names.split() if one not in SYNONYMS]
#: Values for the variables that the files name.
ENVIRONMENT = dict.fromkeys(("SEARCH_KEY", "SEARCH_PASSWORD", "SEARCH_USER"), "s3cret-value")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", NAMES)
def test_a_file_of_every_kind_can_be_read(kind: str, language: str, tmp_path: Path) -> None:
    path = tmp_path / "engine.toml"
    (tmp_path / "my_search.py").write_text("def search(query, k, boost): return []\n")
    (tmp_path / "documents.csv").write_text("id,title,text\nd1,One,First\n")
    path.write_text(starting_file(kind, language), "utf-8")
    found = read_configuration(path, environment=ENVIRONMENT)
    assert tomllib.loads(path.read_text("utf-8"))["kind"] == kind
    assert len(found.variants) > 1
    assert max(map(len, path.read_text("utf-8").splitlines())) <= 88


@pytest.mark.parametrize("kind", NAMES)
def test_files_differ_between_languages_in_their_comments_only(kind: str) -> None:
    english, chinese = (tomllib.loads(starting_file(kind, one)) for one in ("en", "zh"))
    assert english == chinese
    assert starting_file(kind, "en").isascii()


def test_the_help_names_every_kind() -> None:
    assert [one for one in NAMES if one not in HELP] == []


def test_new_writes_a_file_once(command: Command) -> None:
    outcome = command("engine", "new", "sqlite", "-o", "shop.toml")
    assert (outcome.code, outcome.out) == (0, "")
    assert "relyon engine check shop.toml" in outcome.err
    assert 'kind = "sqlite"' in Path("shop.toml").read_text()
    again = command("engine", "new", "sqlite", "-o", "shop.toml")
    assert again.code == 3
    assert "--force" in again.err
    assert command("engine", "new", "sqlite", "--lang", "zh").out.startswith("# 供")


def test_an_unknown_kind_names_the_nearest(command: Command) -> None:
    outcome = command("engine", "new", "elasticsaerch")
    assert outcome.code == 2
    assert "did you mean `elasticsearch`?" in outcome.err


def test_check_shows_what_is_sent_and_what_comes_back(command: Command) -> None:
    outcome = command("engine", "check", "engine.toml", "television", "-p", "title=2")
    assert outcome.code == 0, outcome.err
    assert "catalogue.csv" in outcome.out
    assert "Sent for “television”, variant base" in outcome.out
    assert "1 result in " in outcome.out
    lines = [line.split() for line in outcome.out.splitlines()]
    assert ["1", "tv-1"] in [line[:2] for line in lines]
    assert ["title", "A", "television"] in lines
    found = json.loads(
        command("engine", "check", "engine.toml", "television", "--format", "json").out
    )
    assert found["results"][0]["id"] == "tv-1"
    assert found["results"][0]["fields"]["title"] == "A television"


def test_check_without_a_query_asks_nothing(command: Command) -> None:
    outcome = command("engine", "check", "engine.toml")
    assert outcome.code == 0
    assert "Nothing was asked." in outcome.out
    assert "base and strong" in outcome.out


def test_check_says_what_is_missing(files: Path, command: Command) -> None:
    (files / "bare_search.py").write_text("def search(query, k): return ['d1', 'd1', 'd2']\n")
    (files / "bare.toml").write_text('kind = "python"\npython = "bare_search:search"\n')
    outcome = command("engine", "check", "bare.toml", "x")
    assert outcome.code == 0
    assert "no field `title`" in outcome.out
    assert "without a score" in outcome.err
    assert "twice" in outcome.err


def test_an_answer_that_fails_is_an_error_with_its_reason(files: Path, command: Command) -> None:
    (files / "broken_search.py").write_text("def search(query, k): raise OSError('no index')\n")
    (files / "broken.toml").write_text('kind = "python"\npython = "broken_search:search"\n')
    outcome = command("engine", "check", "broken.toml", "x")
    assert (outcome.code, outcome.out) == (3, "")
    assert "no answer to `x`: OSError: no index" in outcome.err


def test_two_tapes_are_compared(files: Path, command: Command) -> None:
    searching = ("search", "engine.toml", "--queries", "queries.tsv", "--variant", "base")
    assert command(*searching, "-o", "old.one.run").code == 0
    assert command(*searching, "-o", "same.run").code == 0
    outcome = command("engine", "diff", "old.one.run", "same.run")
    assert (outcome.code, outcome.err) == (0, "")
    assert len(outcome.out.splitlines()) == 1
    found = json.loads(
        command("engine", "diff", "old.one.run", "same.run.tape.jsonl", "--format", "json").out
    )
    assert (found["same"], found["answers"]["changed"]) == (True, [])
    (files / "catalogue.csv").write_text("id,title\nd7,Red shoes\n")
    assert command(*searching, "-o", "new.one.run", "-k", "7").code == 0
    other = command("engine", "diff", "old.one.run", "new.one.run", "--lang", "zh")
    assert other.code == 0
    assert "k" in other.out
    assert command("engine", "diff", "old.one.run", "queries.tsv").code == 3


SECRET = "planted-Secret-77"


def _echo(asked: Asked) -> Script:
    """Answers as Elasticsearch does, and sends the key back wherever it can."""
    key = asked.headers["authorization"]
    if b"broken" in asked.body:
        return Script({"error": {"reason": f"bad query for {key}"}, "status": 400}, 400)
    hit = {"_id": "d1", "_score": 1.5, "_source": {"title": f"Shoes {key}", "url": "https://x"}}
    return Script({"took": 2, "timed_out": False, "hits": {"total": {"value": 1}, "hits": [hit]}})


def test_no_key_is_shown_or_kept(
    files: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEARCH_KEY", SECRET)
    text = starting_file("opensearch").replace("# [headers]", "[headers]")
    text = text.replace("# Authorization", "Authorization")
    with serve_script(_echo) as (address, came):
        (files / "es.toml").write_text(text.replace("http://localhost:9200", address))
        searching = ("search", "es.toml", "--queries", "queries.tsv", "-k", "3")
        outcomes = [
            command("engine", "check", "es.toml", "red"),
            command("engine", "check", "es.toml", "red", "--format", "json"),
            command("engine", "check", "es.toml", "broken"),
            command(*searching, "--dry-run"),
            command(*searching, "-o", "es"),
            command(*searching, "-o", "again", "--format", "json"),
        ]
        assert came[0].headers["authorization"] == f"ApiKey {SECRET}"
        assert came[0].json["size"] == 5  # type: ignore[index]
    assert [one.code for one in outcomes] == [0, 0, 3, 0, 0, 0]
    assert "Shoes ApiKey ***" in outcomes[0].out
    assert "bad query for ApiKey ***" in outcomes[2].err
    shown = "".join(one.out + one.err for one in outcomes)
    kept = "".join(path.read_text("utf-8") for path in files.rglob("*") if path.is_file())
    assert SECRET not in shown
    assert SECRET not in kept
    assert len(list(files.glob("es/*"))) == 6


def test_errors_of_the_first_minutes_say_what_to_do(command: Command, tmp_path: Path) -> None:
    outcome = command("engine", "check", str(tmp_path / "nowhere.toml"))
    assert "there is no such file" in outcome.err
    assert "relyon engine new KIND" in outcome.err
    outcome = command("engine", "new", "mysql", "--lang", "zh")
    assert "没有这个引擎类型：`mysql`" in outcome.err
    assert "其他引擎都可以用 `http` 或 `python` 连接" in outcome.err
    path = tmp_path / "engine.toml"
    path.write_text('kind = "http"\naddress = "http://127.0.0.1:9"\nhits = "h"\nid = "i"\n')
    outcome = command("engine", "check", str(path), "red")
    assert outcome.err.endswith("hint: is the engine up, and is its address right?\n")
    path.write_text('kind = "python"\npython = "os.path:join"\n[parameters]\nx = 1\n')
    outcome = command("engine", "check", str(path), "-p", "x=many", "--lang", "zh")
    assert "`parameters.x` 应为数字" in outcome.err
