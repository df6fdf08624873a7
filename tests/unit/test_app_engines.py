"""Engines that an operator allows: their files, who may use them, and how often."""

from __future__ import annotations

import logging
import threading
import time
from pathlib import Path

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("httpcore2")

from click.testing import CliRunner

from relyon.app.engines.allowed import AllowedEngines
from relyon.app.engines.gate import AT_ONCE, PER_MINUTE, Gate
from relyon.app.engines.kept import ALL, FORGOTTEN, OWN, Kept, Try
from relyon.app.engines.trying import Asked, ask
from relyon.cli.application import main
from relyon.core.errors import InputError, ParameterError, UnknownNameError
from relyon.core.texts import translate
from relyon.engines.asked import Query
from relyon.engines.files.configuration import read_configuration
from relyon.engines.shown import without_address

SECRET = "s3cr3t-Value"
SHOP = """\
kind = "http"
address = "http://127.0.0.1:9"
path = "/search"
body = '{"q": "{query}", "boost": "{boost}"}'
hits = "hits"
id = "id"
[headers]
Authorization = "ApiKey ${SEARCH_KEY}"
[parameters]
boost = 1.5
"""


def write(folder: Path, name: str, text: str) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")
    return folder


def test_engines_of_a_folder(tmp_path: Path) -> None:
    write(tmp_path, "shop.toml", SHOP)
    write(tmp_path, "books.toml", f'name = "书店"\n{SHOP}\n[app]\nprojects = [2]\nprivate = true\n')
    write(tmp_path, ".hidden.toml", "no TOML")
    write(tmp_path, "notes.txt", "no engine")
    found = AllowedEngines.read(tmp_path, environment={"SEARCH_KEY": SECRET})
    assert (found.names(), found.names(1)) == (["书店", "shop"], ["shop"])
    assert (found.get("书店").app.reach.private, found.get("shop").app.reach.private) == (
        True,
        False,
    )
    # Nobody shares the connections of anybody else.
    assert found.get("shop").engine is not found.get("shop").engine
    for name, project in (("书店", 1), ("nope", 2), ("../shop", None)):
        with pytest.raises(UnknownNameError):
            found.get(name, project)
    assert SECRET not in repr(found)


@pytest.mark.parametrize(
    ("files", "problem"),
    [
        ({}, "there is no engine's file"),
        ({"a.toml": "kind ="}, "a.toml: is not TOML"),
        ({"a.toml": 'kind = "nope"'}, "`kind` has no value `nope`"),
        ({"a.toml": SHOP.replace("SEARCH_KEY", "NO_KEY")}, "NO_KEY is not set"),
        ({"a.toml": f'name = "x"\n{SHOP}', "b.toml": f'name = "x"\n{SHOP}'}, "is in"),
        ({"a.toml": f"{SHOP}[app]\neditable = ['headers']\n"}, "no value `headers`"),
        ({"a.toml": f"{SHOP}[app]\nprivat = true\n"}, "no key `app.privat`"),
        ({"a.toml": f"{SHOP}[app]\nprojects = ['Shoes']\n"}, "list of numbers"),
        ({f"{n}.toml": f'name = "e{n}"\n{SHOP}' for n in range(101)}, "more than 100"),
    ],
)  # fmt: skip
def test_folders_that_cannot_be_used(tmp_path: Path, files: dict[str, str], problem: str) -> None:
    for name, text in files.items():
        write(tmp_path, name, text)
    with pytest.raises((InputError, ParameterError), match=problem):
        AllowedEngines.read(tmp_path, environment={"SEARCH_KEY": SECRET})


def test_serve_names_a_file_that_cannot_be_used(tmp_path: Path) -> None:
    folder = write(tmp_path / "engines", "shop.toml", SHOP.replace("{boost}", "{bost}"))
    database = tmp_path / "judging.db"
    done = CliRunner().invoke(
        main,
        ["judge", "serve", str(database), "--engines", str(folder)],
        env={"SEARCH_KEY": SECRET},
    )
    assert done.exit_code != 0
    assert "shop.toml" in f"{done.output}{done.exception}"
    assert not database.exists()


def test_a_file_that_was_changed(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = write(tmp_path, "shop.toml", SHOP) / "shop.toml"
    found = AllowedEngines.read(tmp_path, environment={"SEARCH_KEY": SECRET})
    path.write_text(SHOP.replace("1.5", "2.5"))
    assert found.get("shop").variants[0].parameters == {"boost": 2.5}
    path.write_text(f"{SHOP}[app]\nprojects = [2]\n")
    with pytest.raises(UnknownNameError):
        found.get("shop", 1)
    path.write_text("kind =")
    with caplog.at_level(logging.ERROR), pytest.raises(ParameterError) as caught:
        found.get("shop")
    # What is wrong is the operator's to know.
    assert str(tmp_path) not in str(caught.value)
    assert str(path) in caplog.text


def test_the_body_is_shown_where_it_may_be_changed(tmp_path: Path) -> None:
    write(tmp_path, "a.toml", SHOP)
    write(tmp_path, "b.toml", f'name = "b"\n{SHOP}[app]\neditable = ["body"]\n')
    table = SHOP.replace("""'{"q": "{query}", "boost": "{boost}"}'""", '{q="{query} {boost}"}')
    write(tmp_path, "c.toml", f'name = "c"\n{table}[app]\neditable = ["body"]\n')
    found = AllowedEngines.read(tmp_path, environment={"SEARCH_KEY": SECRET})
    assert found.body("a", 1) is None
    assert found.body("b", 1) == '{"q": "{query}", "boost": "{boost}"}'
    assert found.body("c", 1) == '{\n  "q": "{query} {boost}"\n}'
    for body in ('{"q":', '{"q": "x"}'):  # no JSON; the parameter is not used
        with pytest.raises(ParameterError) as caught:
            found.get("b", 1, body=body)
        assert str(tmp_path) not in str(caught.value)


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_how_often_somebody_may_ask() -> None:
    clock = Clock()
    gate = Gate(clock)
    for _ in range(PER_MINUTE):
        clock.now += 1
        gate.enter(1).leave()
    with pytest.raises(InputError, match=f"at most {PER_MINUTE}") as caught:
        gate.enter(1)
    assert "try again in 41 s" in str(caught.value)
    gate.enter(2).leave()
    clock.now += 41
    gate.enter(1).leave()
    with pytest.raises(InputError):
        gate.enter(1)


def test_how_many_may_ask_at_the_same_time() -> None:
    gate = Gate()
    turns = [gate.enter(person, parts=2) for person in range(AT_ONCE)]
    with pytest.raises(InputError, match="tries are running"):
        gate.enter(99)
    with pytest.raises(InputError, match="not finished"):
        gate.enter(0)
    turns[0].leave()
    with pytest.raises(InputError):
        gate.enter(99)
    turns[0].leave()
    gate.enter(99)


def test_an_engine_that_never_answers_keeps_its_turn(tmp_path: Path) -> None:
    write(tmp_path, "slow_search.py", "import time\ndef go(query, k):\n    time.sleep(1.2)\n"
          "    return ['d1']\n")  # fmt: skip
    path = write(tmp_path, "slow.toml", 'kind = "python"\npython = "slow_search:go"\n')
    configuration = read_configuration(path / "slow.toml")
    gate = Gate()
    sides = [Asked(configuration, configuration.variants[0])] * 2
    start = time.monotonic()
    found = ask(sides, Query("q", "q"), 10, gate.enter(1, parts=2), patience=0.2)
    assert time.monotonic() - start < 1.0
    assert [one.problem for one in found] == ["late", "late"]
    with pytest.raises(InputError, match="not finished"):
        gate.enter(1)
    end = time.monotonic() + 20
    while any(one.name == "relyon-try" for one in threading.enumerate()):
        assert time.monotonic() < end
        time.sleep(0.02)
    gate.enter(1)


def make(owner: int, project: int = 1) -> Try:
    return Try(owner, project, "shop", "q", "q", 10, False, (), ())


def test_tries_are_kept_for_their_owner() -> None:
    clock = Clock()
    kept = Kept(clock)
    mine = make(1)
    kept.keep(mine)
    assert kept.find(mine.token, 1, 1) is mine
    for token, owner, project in ((mine.token, 2, 1), (mine.token, 1, 2), ("0" * 32, 1, 1)):
        with pytest.raises(InputError) as caught:
            kept.find(token, owner, project)
        assert translate(caught.value.message, "zh") == "这次试查已不再保留"
    clock.now = FORGOTTEN
    with pytest.raises(InputError):
        kept.find(mine.token, 1, 1)


def test_the_oldest_tries_make_room() -> None:
    clock = Clock()
    kept = Kept(clock)
    others = [make(owner) for owner in range(2, ALL + 2)]
    mine = [make(1) for _ in range(OWN + 1)]
    for one in (*others, *mine):
        clock.now += 1
        kept.keep(one)
    with pytest.raises(InputError):
        kept.find(mine[0].token, 1, 1)
    assert kept.find(mine[-1].token, 1, 1) is mine[-1]
    with pytest.raises(InputError):
        kept.find(others[0].token, 2, 1)
    assert kept.find(others[-1].token, ALL + 1, 1) is others[-1]


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "/tmp", ""])
def test_a_database_of_this_network_is_out_of_reach(tmp_path: Path, host: str) -> None:
    pytest.importorskip("psycopg")
    where = f"postgresql:///shop?host={host}&port=1" if host else "postgresql:///shop"
    keys = f'kind = "postgresql"\ndsn = "{where}"\nsql = "SELECT :query AS id, :k"\n'
    problems = []
    for private in ("", "[app]\nprivate = true\n"):
        write(tmp_path, "shop.toml", keys + private)
        one = AllowedEngines.read(tmp_path).get("shop")
        turn = Gate().enter(1)
        (side,) = ask([Asked(one, one.variants[0])], Query("q", "q"), 10, turn)
        problems.append(side.problem)
    assert problems[0] == "private"
    assert problems[1] != "private"


def test_an_engine_that_takes_one_request_at_a_time(tmp_path: Path) -> None:
    write(tmp_path, "counted_search.py", "import time\nnow = []\ndef go(query, k):\n"
          "    now.append(1)\n    time.sleep(0.2)\n    found = len(now)\n    now.pop()\n"
          "    return [f'd{found}']\n")  # fmt: skip
    keys = 'kind = "python"\npython = "counted_search:go"\n[limits]\nconcurrency = 1\n'
    one = read_configuration(write(tmp_path, "counted.toml", keys) / "counted.toml")
    sides = [Asked(one, one.variants[0])] * 2
    found = ask(sides, Query("q", "q"), 10, Gate().enter(1, parts=2))
    assert [side.entry.ids for side in found if side.entry] == [["d1"], ["d1"]]


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        (
            'kind = "postgresql"\nhost = "db.internal.corp,two.corp"\ndatabase = "shop"\n'
            'sql = "SELECT :query AS id, :k"\n',
            'connection to server at "{}" ({}), port 5432 failed; at "{}" ({}): no; {}:5432: no',
        ),
        (
            'kind = "http"\naddress = "http://es.internal.corp:9200/one"\n'
            'path = "/{query}/{k}"\nhits = "@"\nid = "@"\nca = "/etc/our/ca.pem"\n',
            "{}: no route ({}); not {} but {}: {}",
        ),
        (
            'kind = "sqlite"\ndatabase = "/srv/shop/products.db"\n'
            'sql = "SELECT :query AS id, :k"\n',
            "{}: is no database at {}, {}, {}, {}",
        ),
    ],
)
def test_messages_do_not_say_where_an_engine_is(tmp_path: Path, keys: str, said: str) -> None:
    places = {
        "postgresql": ("db.internal.corp", "10.1.2.3", "two.corp", "fe80::1", "10.9.8.7"),
        "http": (
            "http://es.internal.corp:9200/one",
            "2001:db8::7",
            "es.internal.corp",
            "/etc/our/ca.pem",
            "192.168.0.9",
        ),
        "sqlite": ("/srv/shop/products.db", "::1", "127.0.0.1", "10.0.0.1", "10.0.0.2"),
    }
    if "postgresql" in keys:
        pytest.importorskip("psycopg")
    write(tmp_path, "shop.toml", keys)
    engine = AllowedEngines.read(tmp_path).get("shop").engine
    named = said.format(*places[engine.name])
    assert without_address(named, engine) == said.replace("{}", "***")
    assert without_address("at 12:30, id::date, 8.11.1", engine) == ("at 12:30, id::date, 8.11.1")
