"""Engines that answer over HTTP: templates, paths, statuses, secrets, cut and slow answers."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

import pytest
from tests.unit.scripted_engine import Asked, Script, serve_script

import relyon
from relyon.engines import (
    FatalError,
    PassingError,
    Query,
    RefusedError,
    Request,
    Variant,
    read_configuration,
)
from relyon.engines.engine import Engine
from relyon.engines.http.replies import reason_of, retry_after
from relyon.engines.reach import Reach

HITS = {"hits": [{"id": "d1", "score": 2.5, "name": "Lamp"}, {"id": 7, "score": 1}], "ms": 3}
KEYS = """\
method = "POST"
path = "/{index}/search"
body = '{"q": "{query}", "size": "{k}", "boost": "{boost}"}'
hits = "hits"
id = "id"
score = "score"
took = "ms"
[url_parameters]
user = "{query_id}"
tag = ["a", "{index}"]
[fields]
title = "name"
[parameters]
index = "books"
boost = 2.5
"""
SECRET = "s3cr3t-Value"


def request(text: str = "red", k: int = 10, **parameters: str | float) -> Request:
    values: dict[str, str | float] = {"index": "books", "boost": 2.5, **parameters}
    return Request(Query("q1", text), Variant("base", values), k)


@contextmanager
def engine_of(
    tmp_path: Path,
    reply: Callable[[Asked], Script] | Script,
    keys: str = KEYS,
    *,
    environment: Mapping[str, str] | None = None,
    timeout: float = 5.0,
    reach: Reach | None = None,
) -> Iterator[tuple[Engine, list[Asked]]]:
    def script(asked: Asked) -> Script:
        return reply if isinstance(reply, Script) else reply(asked)

    with serve_script(script) as (address, came):
        path = tmp_path / "engine.toml"
        if "address" not in keys:
            keys = f'address = "{address}/base/"\n{keys}'
        path.write_text(f'kind = "http"\n{keys.replace("ADDRESS", address)}', encoding="utf-8")
        engine = read_configuration(path, environment=environment or {}).engine
        engine.open(timeout, 2, reach)
        try:
            yield engine, came
        finally:
            engine.close()


def test_templates_and_paths(tmp_path: Path) -> None:
    with engine_of(tmp_path, Script(HITS)) as (engine, came):
        answer = engine.ask(request('red "lamp" \\ {k} 灯', index="my books/../x"))
    assert (answer.ids, answer.scores, answer.took) == (["d1", "7"], [2.5, 1.0], 3.0)
    assert answer.fields == [{"title": "Lamp"}, {}]
    (asked,) = came
    assert asked.method == "POST"
    assert asked.target.startswith("/base/my%20books%2F..%2Fx/search?user=q1&tag=a&tag=")
    assert asked.parameters == [("user", "q1"), ("tag", "a"), ("tag", "my books/../x")]
    assert asked.json == {"q": 'red "lamp" \\ {k} 灯', "size": 10, "boost": 2.5}
    assert asked.headers["content-type"] == "application/json"


@pytest.mark.parametrize("index", ["..", "."])
def test_a_value_cannot_leave_its_part_of_the_path(tmp_path: Path, index: str) -> None:
    with engine_of(tmp_path, Script(HITS)) as (engine, came):
        engine.ask(request(index=index))
    assert came[0].target.split("?")[0] == f"/base/{index.replace('.', '%2E')}/search"


def test_paths_in_jmespath(tmp_path: Path) -> None:
    keys = (
        'path = "/d/select"\nhits = "[1][0][2:]"\nid = "[0]"\nscore = "[1]"\n'
        'total = "[1][0][0][0]"\n[url_parameters]\nquery = "{query}"\n'
    )
    rows = [[0, 1.0, 0.1], [[[2], [["_key", "ShortText"]], ["a", 9], ["b", 5]]]]
    with engine_of(tmp_path, Script(rows), keys) as (engine, came):
        answer = engine.ask(request("a&b=c #+"))
    assert (answer.ids, answer.scores, answer.total) == (["a", "b"], [9.0, 5.0], 2)
    assert came[0].parameters == [("query", "a&b=c #+")]
    assert came[0].method == "GET"


@pytest.mark.parametrize(
    ("script", "kind", "said"),
    [
        (Script(status=401), FatalError, "HTTP 401"),
        (Script({"error": {"reason": "no such index [x]"}}, 404), FatalError, "no such index"),
        (Script(status=403), FatalError, "may not search here"),
        (Script(status=405), FatalError, "check `method`"),
        (
            Script(status=301, headers={"Location": "http://evil.example/"}),
            FatalError,
            "no redirect",
        ),
        (
            Script(status=307, headers={"Location": "http://evil.example/"}),
            FatalError,
            "evil.example",
        ),
        (Script({"message": "bad\nquery"}, 400), RefusedError, "HTTP 400: bad query"),
        (Script(status=413), RefusedError, "HTTP 413"),
        (Script(status=422), RefusedError, "HTTP 422"),
        (Script(status=408), PassingError, "HTTP 408"),
        (Script(status=429), PassingError, "HTTP 429"),
        (Script(b"<html>Oops</html>", 500), PassingError, "HTTP 500$"),
        (Script("gone", 503), PassingError, "HTTP 503: gone"),
        (Script(status=599), PassingError, "HTTP 599"),
        (Script(status=501), FatalError, "HTTP 501"),
        (Script(b'{"hits": [{"id": "d1"'), PassingError, "the answer is cut off"),
        (Script(b'{"hits": []}', length=500), PassingError, "truncated"),
        (Script(cut=True), PassingError, "connection"),
        (Script(b"<html>Sign in</html>"), RefusedError, "not-json.*Sign in"),
        (Script(b""), RefusedError, "not-json|truncated"),
        (
            Script({"error": "syntax"}),
            RefusedError,
            "no list of results at `hits` in the answer, which has error",
        ),
        (Script({"hits": {"a": 1}}), RefusedError, "no-hits"),
        (Script({"hits": [{"score": 1}]}), RefusedError, "bad-hit: id None"),
        (Script({"hits": [{"id": 1.5}]}), RefusedError, r"bad-hit: id 1\.5"),
        (Script({"hits": [{"id": "a", "score": "x"}]}), RefusedError, "bad-hit: score 'x'"),
    ],
)
def test_replies_that_are_no_results(
    tmp_path: Path, script: Script, kind: type[Exception], said: str
) -> None:
    with engine_of(tmp_path, script) as (engine, came), pytest.raises(kind, match=f"(?s){said}"):
        engine.ask(request())
    assert len(came) == 1


@pytest.mark.parametrize(
    ("headers", "least", "most"),
    [
        ({"Retry-After": "7"}, 7, 7),
        (
            {
                "Retry-After": "Fri, 27 Nov 2026 10:00:30 GMT",
                "Date": "Fri, 27 Nov 2026 10:00:00 GMT",
            },
            30,
            30,
        ),
        ({"Retry-After": "Fri, 27 Nov 2020 10:00:30 GMT"}, 0, 0),
    ],
)
def test_retry_after(tmp_path: Path, headers: dict[str, str], least: float, most: float) -> None:
    with (
        engine_of(tmp_path, Script(status=503, headers=headers)) as (engine, _),
        pytest.raises(PassingError) as caught,
    ):
        engine.ask(request())
    assert caught.value.wait is not None
    assert least <= caught.value.wait <= most


def test_retry_after_that_says_nothing() -> None:
    assert retry_after(None) is None
    assert retry_after("soon") is None
    assert retry_after("-5") == 0


@pytest.mark.parametrize("script", [Script(HITS, wait=1.0), Script(HITS, trickle=0.02)])
def test_the_time_is_that_of_the_whole_request(tmp_path: Path, script: Script) -> None:
    with engine_of(tmp_path, script, timeout=0.3) as (engine, _):
        start = time.monotonic()
        with pytest.raises(PassingError, match="timeout"):
            engine.ask(request())
        assert time.monotonic() - start < 0.9


def test_answers_have_a_largest_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("relyon.engines.http.client.MOST_BYTES", 1 << 20)
    with (
        engine_of(tmp_path, Script(b'["' + b"a" * (2 << 20) + b'"]')) as (engine, _),
        pytest.raises(FatalError, match="an answer is larger than 1 MiB"),
    ):
        engine.ask(request())


def test_no_server(tmp_path: Path) -> None:
    keys = f'address = "http://127.0.0.1:1"\n{KEYS}'
    with engine_of(tmp_path, Script(), keys) as (engine, _), pytest.raises(PassingError) as caught:
        engine.ask(request())
    assert caught.value.kind == "connection"


def test_addresses_of_this_machine_may_be_out_of_reach(tmp_path: Path) -> None:
    with (
        engine_of(tmp_path, Script(HITS), reach=Reach()) as (engine, came),
        pytest.raises(FatalError, match=r"`127[.]0[.]0[.]1` is an address of this machine"),
    ):
        engine.ask(request())
    assert came == []
    with engine_of(tmp_path, Script(HITS), reach=Reach(private=True)) as (engine, _):
        assert engine.ask(request()).ids == ["d1", "7"]


def test_secrets_come_from_the_environment_and_stay_hidden(tmp_path: Path) -> None:
    keys = KEYS.replace("[fields]", "key = '${KEY}'\n[fields]")
    keys += '[headers]\nAuthorization = "ApiKey ${KEY}"\nX-Trace = "relyon"\n'
    keys = f'address = "http://user:${{KEY}}@HOST"\n{keys}'

    def reply(asked: Asked) -> Script:
        said = asked.headers["authorization"]
        return Script({"error": f"who is {said} {asked.target}"}, 400)

    with serve_script(reply) as (address, came):
        path = tmp_path / "engine.toml"
        path.write_text(f'kind = "http"\n{keys.replace("HOST", address.rpartition("/")[2])}')
        engine = read_configuration(path, environment={"KEY": SECRET}).engine
        engine.open(5.0, 1)
        with pytest.raises(RefusedError) as caught:
            engine.ask(request())
        engine.close()
    assert came[0].headers["authorization"] == f"ApiKey {SECRET}"
    assert came[0].parameters[-1] == ("key", SECRET)
    shown = [str(caught.value), engine.address, json.dumps(engine.recipe), engine.show(request())]
    assert "who is ApiKey ***" in shown[0]
    for text in (*shown, repr(engine), repr(engine.__dict__)):
        assert SECRET not in text
    assert "user" not in engine.address


def test_user_and_password_of_an_address(tmp_path: Path) -> None:
    keys = f'address = "http://me:${{WORD}}@HOST"\n{KEYS}'
    with serve_script(lambda asked: Script(HITS)) as (address, came):
        path = tmp_path / "engine.toml"
        path.write_text(f'kind = "http"\n{keys.replace("HOST", address.rpartition("/")[2])}')
        engine = read_configuration(path, environment={"WORD": "p%40ss:word"}).engine
        engine.open(5.0, 1)
        engine.ask(request())
        engine.close()
    sent = base64.b64decode(came[0].headers["authorization"].removeprefix("Basic ")).decode()
    assert sent == "me:p@ss:word"
    assert engine.secrets.hide(f"{sent} {came[0].headers['authorization']}") == "me:*** Basic ***"


@pytest.mark.parametrize(
    ("keys", "problem"),
    [
        ('address = "http://me:word@localhost"\n', "the address contains a password"),
        ('address = "ftp://localhost"\n', "is not an address of HTTP"),
        ('address = "http://localhost?key=1"\n', "is not an address of HTTP"),
        ('address = "http://:80"\n', "is not an address of HTTP"),
        ('address = "http://localhost:99999"\n', "is not an address of HTTP"),
        ('[headers]\nAuthorization = "Bearer abc"\n', "`headers.Authorization` contains a secret"),
        ('[headers]\nX-Api-Key = "abc"\n', "`headers.X-Api-Key` contains a secret"),
        ('[headers]\nCookie = "abc"\n', "`headers.Cookie` contains a secret"),
        ('[headers]\n"a b" = "c"\n', "`a b` cannot be a header"),
        ('[headers]\nX-A = "${NONE}"\n', "environment variable NONE is not set"),
        ('[url_parameters]\napi_key = "abc"\n', "`url_parameters.api_key` contains a secret"),
        ("[url_parameters]\na = {b = 1}\n", "`url_parameters.a` must be"),
        ('score = "a["\n', "`score` is not JMESPath"),
        ("body = '{'\n", "`body` is not JSON"),
        ('method = "DELETE"\n', "`method` has no value"),
        ('hit = "a"\n', "there is no key `hit`"),
    ],
)
def test_files_that_cannot_be_used(tmp_path: Path, keys: str, problem: str) -> None:
    path = tmp_path / "engine.toml"
    first = "" if "address" in keys else 'address = "http://localhost"\n'
    path.write_text(f'kind = "http"\n{first}hits = "h"\nid = "id"\n{keys}')
    with pytest.raises(relyon.ParameterError) as caught:
        read_configuration(path, environment={})
    assert problem in str(caught.value)
    assert "word" not in str(caught.value).replace("password", "")


@pytest.mark.parametrize("key", ["hits", "id"])
def test_paths_that_are_missing(tmp_path: Path, key: str) -> None:
    path = tmp_path / "engine.toml"
    other = 'id = "id"' if key == "hits" else 'hits = "hits"'
    path.write_text(f'kind = "http"\naddress = "http://localhost"\n{other}\n')
    with pytest.raises(relyon.ParameterError, match=f"`{key}` is missing"):
        read_configuration(path)


def test_partial_answers_and_errors_of_answers(tmp_path: Path) -> None:
    keys = KEYS.replace('took = "ms"', 'partial = "timed_out"\nerror = "errors[].message"')
    with (
        engine_of(tmp_path, Script({**HITS, "timed_out": True}), keys) as (engine, _),
        pytest.raises(PassingError, match="partial: timed_out = true"),
    ):
        engine.ask(request())
    with (
        engine_of(tmp_path, Script({"errors": [{"message": "no"}]}), keys) as (engine, _),
        pytest.raises(RefusedError, match="no"),
    ):
        engine.ask(request())
    with engine_of(tmp_path, Script({**HITS, "timed_out": False}), keys) as (engine, _):
        assert engine.ask(request()).ids == ["d1", "7"]


def test_documents_whose_fields_are_not_named(tmp_path: Path) -> None:
    keys = 'hits = "@"\nid = "id"\nscore = "s"\ndocument = "@"\n'
    hit = {"id": 1, "s": 2, "title": "a", "tags": ["x", "y"], "deep": {"b": 1}, "new": True}
    with engine_of(tmp_path, Script([hit]), keys) as (engine, _):
        assert engine.ask(request()).fields == [{"title": "a", "tags": "x, y", "new": "true"}]


def test_counts_and_times_beyond_all_numbers_are_unknown(tmp_path: Path) -> None:
    huge = "9" * 400
    body = f'{{"hits": [{{"id": "d1"}}], "ms": {huge}, "total": {{"value": {huge}}}}}'
    keys = KEYS.replace('took = "ms"', 'took = "ms"\ntotal = "total"')
    with engine_of(tmp_path, Script(body.encode()), keys) as (engine, _):
        answer = engine.ask(request())
    assert (answer.ids, answer.took, answer.total) == (["d1"], None, None)


@pytest.mark.parametrize("depth", [600, 90_000])
def test_answers_that_are_nested_deeply(tmp_path: Path, depth: int) -> None:
    deep = b'{"hits": [{"id": "a", "why": ' + b"[" * depth + b"]" * depth + b"}]}"
    keys = KEYS.replace('took = "ms"', 'explanation = "why"')
    with engine_of(tmp_path, Script(deep), keys) as (engine, _):
        if depth < 1000:
            assert engine.ask(request()).explanations[0].startswith("[[[")
            return
        with pytest.raises(RefusedError, match="not-json"):
            engine.ask(request())


def test_half_of_a_character_is_refused(tmp_path: Path) -> None:
    with (
        engine_of(tmp_path, Script(HITS)) as (engine, came),
        pytest.raises(RefusedError, match="surrogates"),
    ):
        engine.ask(request("\ud800"))
    assert came == []


def test_a_connection_that_ended_between_two_requests(tmp_path: Path) -> None:
    replies = [Script(HITS, headers={"Connection": "close"}), Script(HITS)]
    with engine_of(tmp_path, lambda asked: replies.pop(0)) as (engine, came):
        engine.ask(request())
        engine.ask(request())
    assert len(came) == 2


def test_a_search_with_faults(tmp_path: Path) -> None:
    seen: set[str] = set()
    lock = Lock()
    faults = [Script(status=503, headers={"Retry-After": "0"}), Script(b'{"hits": [', length=99)]

    def reply(asked: Asked) -> Script:
        with lock:
            if faults and asked.target not in seen:
                seen.add(asked.target)
                return faults.pop()
        return Script(HITS)

    with serve_script(reply) as (address, came):
        path = tmp_path / "engine.toml"
        path.write_text(f'kind = "http"\naddress = "{address}"\n{KEYS}')
        found = relyon.search(path, {f"q{n}": "x" for n in range(20)}, k=2)
    assert len(found.run.to_dict()) == 20
    assert len(came) == 22
    assert any(one.kind == "search-retried" for one in found.notes)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b'{"status": {"error": "Not found: c"}, "time": 0.1}', "Not found: c"),
        (b'{"error": {"msg": "undefined field", "code": 400}}', "undefined field"),
        (b'{"message": "Index not found", "code": "x"}', "Index not found"),
        (b'[[-22, 1, 2, "invalid table"]]', "invalid table"),
        (b'{"error": [{"message": "wrong"}]}', "wrong"),
        (b'{"root": {"errors": [{"code": 1, "summary": "S", "message": "M"}]}}', "M"),
        (b"<html>", ""),
        (b"plain \x00 text", "plain   text"),
        (b"[" * 10_000, "[" * 300),
    ],
)
def test_reasons(body: bytes, reason: str) -> None:
    assert reason_of(body) == reason
