"""What an operator lets the app reach: read from options and the environment, refused in words."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("fastapi")

from tests.unit.conftest import Command

from relyon.app.models.settings import Price
from relyon.cli.serve_reach import Reach
from relyon.core.errors import ParameterError

MAIL = {
    "smtp_host": None, "smtp_port": 587, "smtp_from": None, "smtp_user": None,
    "smtp_encryption": "starttls",
}  # fmt: skip


def reach(**values: Any) -> Reach:
    chosen: dict[str, Any] = {
        "public_url": None,
        "webhook_hosts": (),
        **MAIL,
        "models": (),
        "prices": (),
    }
    return Reach(**{**chosen, **values})


def test_alarms_reach_what_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    nothing = reach().alarms()
    assert (nothing.webhook_hosts, nothing.mail, nothing.public_url) == ((), None, "")
    monkeypatch.setenv("RELYON_SMTP_PASSWORD", "secret")
    found = reach(
        public_url="https://Judging.example.org/",
        webhook_hosts=("Hooks.Slack.com", "http://chat.intranet:8065/"),
        smtp_host="mail.example.org",
        smtp_from="relyon@example.org",
        smtp_user="relyon",
    ).alarms()
    assert found.public_url == "https://judging.example.org"
    assert found.webhook_hosts == ("hooks.slack.com", "http://chat.intranet:8065")
    assert found.mail is not None
    assert (found.mail.user, found.mail.password, found.mail.port) == ("relyon", "secret", 587)
    assert "secret" not in repr(found)
    # A password that no account asks for stays where it is.
    plain = reach(smtp_host="localhost", smtp_from="a@b.c", smtp_encryption="none").alarms()
    assert plain.mail is not None
    assert plain.mail.password == ""


@pytest.mark.parametrize(
    "values",
    [
        {"public_url": "judging.example.org"},
        {"public_url": "https://judging.example.org/path"},
        {"webhook_hosts": ("hooks.slack.com/services",)},
        {"smtp_from": "a@b.c"},
        {"smtp_host": "mail.example.org"},
        {"smtp_host": "mail.example.org", "smtp_from": "a@b.c\nBcc: x@y.z"},
        {"smtp_host": "mail.example.org", "smtp_from": "a@b.c", "smtp_user": "u"},
    ],
)
def test_what_an_operator_cannot_name(
    values: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("RELYON_SMTP_PASSWORD", raising=False)
    with pytest.raises(ParameterError):
        reach(**values).alarms()


def test_a_password_goes_to_no_other_machine_without_encryption(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("RELYON_SMTP_PASSWORD", "secret")
    mail = {"smtp_from": "a@b.c", "smtp_user": "u", "smtp_encryption": "none"}
    with pytest.raises(ParameterError, match="without encryption"):
        reach(smtp_host="mail.example.org", **mail).alarms()
    assert reach(smtp_host="localhost", **mail).alarms().mail is not None


def test_models_have_keys_and_prices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RELYON_LLM_KEY", "shared")
    monkeypatch.setenv("RELYON_LLM_KEY_BIG_ONE", "own")
    small = "small=https://api.example.com/v1/#org/small-1"
    (one,) = reach(models=(small,), prices=("small=0.25,2,USD",)).endpoints()
    assert (one.name, one.url, one.model) == ("small", "https://api.example.com/v1", "org/small-1")
    assert (one.key, one.price) == ("shared", Price(0.25, 2.0, "USD"))
    assert "shared" not in repr(one)
    # With two models, the key of one is not sent to the other.
    found = reach(models=(small, "big-one=http://10.0.0.1/v1#big")).endpoints()
    assert [(two.key, two.price) for two in found] == [("", None), ("own", None)]
    assert reach(models=(small, "big-one=http://10.0.0.1/v1#big")).exposed_keys() == ["big-one"]
    assert reach(models=("local=http://127.0.0.1:8000/v1#x",)).exposed_keys() == []


@pytest.mark.parametrize(
    "values",
    [
        {"models": ("https://api.example.com/v1#small",)},
        {"models": ("small=https://api.example.com/v1",)},
        {"models": ("small=https://api.example.com/v1#",)},
        {"models": ("small=https://user:key@api.example.com/v1#m",)},
        {"models": ("a b=https://api.example.com/v1#m",)},
        {"models": ("a=https://x/v1#m", "a=https://y/v1#m")},
        {"models": (), "prices": ("small=1,2",)},
        {"models": ("a=https://x/v1#m",), "prices": ("a=1",)},
        {"models": ("a=https://x/v1#m",), "prices": ("a=-1,2",)},
        {"models": ("a=https://x/v1#m",), "prices": ("a=1,nan",)},
        {"models": ("a=https://x/v1#m",), "prices": ("a=1,2,USD,more",)},
    ],
)
def test_models_that_an_operator_cannot_name(values: dict[str, object]) -> None:
    with pytest.raises(ParameterError):
        reach(**values).endpoints()


def test_the_command_says_what_is_wrong(command: Command) -> None:
    outcome = command("judge", "serve", "--model-endpoint", "small", "--port", "0")
    assert outcome.code == 2
    assert "`small` is not NAME=URL#MODEL" in outcome.err
    outcome = command("judge", "serve", "--webhook-host", "a/b", "--port", "0", "--lang", "zh")
    assert outcome.code == 2
    assert "既不是主机名" in outcome.err
