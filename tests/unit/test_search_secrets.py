"""Secrets: what a server sends back is in no file, message, note, error or traceback."""

from __future__ import annotations

import base64
import json
import re
import traceback
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest
from tests.unit.scripted_engine import Asked, Script, serve_script
from tests.unit.searched import Scripted, answer, write_engine

import relyon
from relyon.core.texts import message, translate
from relyon.engines import Answer, FatalError, RefusedError, Request
from relyon.engines.files.secrets import Secrets

pytest.importorskip("httpcore2")

PASSWORD = "hunter2 & Söhne/+"


def spellings(secret: str) -> list[str]:
    """Returns a secret as a server may send it back."""
    return [
        secret,
        quote(secret, safe=""),
        re.sub("%..", lambda found: found[0].lower(), quote(secret, safe="")),
        quote_plus(secret),
        json.dumps(secret)[1:-1],
        base64.b64encode(secret.encode()).decode(),
        base64.b64encode(f"elastic:{secret}".encode()).decode(),
        base64.urlsafe_b64encode(f"xx{secret}yy".encode()).decode(),
    ]


def bare(secret: str) -> list[str]:
    """Returns what must not be found in any file or message."""
    inner = [base64.b64encode(bytes(n) + secret.encode()).decode()[4:-4] for n in range(3)]
    return [*spellings(secret)[:6], *inner]


@pytest.mark.parametrize("place", ["title", "explanation", "refused", "401", "id"])
def test_secrets_that_a_server_sends_back_are_kept_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    key = "pL4nted-Key/+1"
    monkeypatch.setenv("SEARCH_KEY", key)
    monkeypatch.setenv("SEARCH_PASSWORD", quote(PASSWORD, safe=""))
    echo = " ".join([*spellings(key), *spellings(PASSWORD)])
    sent: list[Asked] = []

    def reply(asked: Asked) -> Script:
        sent.append(asked)
        hit: dict[str, object] = {"id": "d1", "score": 1.0, "title": "T", "why": "w"}
        if place == "title":
            hit["title"] = hit["url"] = echo
        elif place == "explanation":
            hit["why"] = echo
        elif place == "id":
            hit["id"] = f"doc {key}"
        elif place == "refused":
            return Script({"error": echo}, 400)
        elif place == "401":
            return Script({"error": echo}, 401)
        return Script({"hits": [hit]})

    said = ""
    with serve_script(reply) as (address, _):
        named = address.replace("//", "//elastic:${SEARCH_PASSWORD}@")
        engine = write_engine(
            tmp_path, named, 'explanation = "why"\n[headers]\nX-Api-Key = "${SEARCH_KEY}"'
        )
        configuration = relyon.engines.read_configuration(engine)
        assert configuration.engine.secrets
        try:
            found = relyon.search(
                configuration, {"q1": "red"}, 5, output=tmp_path / "a.run", explain=True
            )
            said = "".join(
                [repr(found), found.to_text(), found.to_json(), found.to_markdown()]
            ) + "".join(one.text(language) for one in found.notes for language in ("en", "zh"))
            assert place in ("title", "explanation")
        except relyon.RelyonError as error:
            import traceback

            said = f"{error!r} {error} {error.hint} {vars(error)}"
            said += "".join(traceback.format_exception(error))
            assert place not in ("title", "explanation")
    assert sent[0].headers["x-api-key"] == key
    assert sent[0].headers["authorization"].startswith("Basic ")
    said += repr(configuration) + repr(configuration.engine) + repr(vars(configuration.engine))
    engine.unlink()
    texts = {one.name: one.read_bytes().decode() for one in tmp_path.iterdir()}
    for secret in (key, PASSWORD):
        for form in bare(secret):
            for name, text in {**texts, "said": said}.items():
                assert form not in text, (name, form)


def test_values_too_short_to_hide_are_refused() -> None:
    secrets = Secrets({"KEY": "abc", "LONG": "abcd", "EMPTY": "", "LINES": "ab\ncd"})
    with pytest.raises(relyon.ParameterError, match="too short"):
        secrets.fill("${KEY}")
    assert secrets.fill("${KEY}", secret=False) == "abc"
    assert secrets.hide("abc") == "abc"
    assert secrets.fill("x ${LONG}") == "x abcd"
    for name in ("EMPTY", "LINES", "NONE"):
        with pytest.raises(relyon.ParameterError, match=name) as caught:
            secrets.fill(f"${{{name}}}", path="engine.toml")
        assert "abcd" not in str(caught.value)
        assert "cd" not in caught.value.message.replace("cannot", "")
    assert repr(secrets).startswith("Secrets(")


def test_messages_without_secrets_can_be_translated() -> None:
    secrets = Secrets({})
    secrets.add("s3cret-value")
    said = message("core.path-message", path="x", message=ValueError("key s3cret-value"))
    assert secrets.hide_message(said) == "x: key ***"
    assert "s3cret" not in translate(secrets.hide_message(said), "zh")
    listed = message("engines.several-runs", names=["a", "s3cret-value"])
    assert "s3cret" not in secrets.hide_message(listed)


def test_errors_of_any_kind_are_hidden(tmp_path: Path) -> None:
    secrets = Secrets({})
    secrets.add("s3cret-value")

    def fatal(request: Request) -> Answer:
        raise FatalError("no: s3cret-value", hint="use s3cret-value")

    def refused(request: Request) -> Answer:
        raise RefusedError("refused", "no: s3cret-value")

    for reply in (fatal, refused):
        with pytest.raises(relyon.InputError) as caught:
            relyon.search(Scripted(reply, secrets=secrets), ["red"], 2, output=tmp_path / "a.run")
        text = "".join(traceback.format_exception(caught.value))
        assert "s3cret" not in f"{caught.value} {caught.value.hint} {vars(caught.value)} {text}"


def test_without_secrets_nothing_is_hidden() -> None:
    found = relyon.search(Scripted(answer), {"***": "***"}, 2)
    assert found.run.to_dict() == {"***": {"***-0": 10.0, "***-1": 9.0}}


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("http://${HOST}:9200", "http://es:9200"),
        ("http://${USER}:${PASSWORD}@${HOST}:9200/a", "http://es:9200/a"),
        ("${WHOLE}", "http://es:9200/search"),
        ("http://es:9200/${TENANT}", "http://es:9200/***"),
    ],
)
def test_of_an_address_only_the_host_is_no_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str, shown: str
) -> None:
    values = {
        "HOST": "es",
        "USER": "elastic",
        "PASSWORD": "hunter2",
        "WHOLE": "http://elastic:hunter2@es:9200/search",
        "TENANT": "t0ken",
    }
    for name, value in values.items():
        monkeypatch.setenv(name, value)
    engine = relyon.engines.read_configuration(write_engine(tmp_path, address)).engine
    assert engine.address == shown
    assert engine.secrets.hide("search at es") == "search at es"
    assert ("hunter2" in address or engine.secrets.hide("hunter2") == "***") == (
        "PASSWORD" in address or "WHOLE" in address
    )


def test_a_short_password_within_an_address_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WHOLE", "http://elastic:abc@es:9200")
    with pytest.raises(relyon.ParameterError, match="password from the environment is too short"):
        relyon.engines.read_configuration(write_engine(tmp_path, "${WHOLE}"))
