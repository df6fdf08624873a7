"""Which addresses may be connected to: those that were checked, and no others."""

from __future__ import annotations

import socket
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("httpcore2")

from tests.unit.scripted_engine import Script, serve_script

from relyon.core.errors import ParameterError
from relyon.engines.files.configuration import read_configuration
from relyon.engines.http.client import open_client
from relyon.engines.problems import FatalError, PassingError
from relyon.engines.reach import PrivateAddressError, Reach, is_public

Lookup = Callable[..., list[tuple[object, ...]]]
PUBLIC = "93.184.216.34"


def answers(*rounds: list[str]) -> tuple[Lookup, list[str]]:
    """Returns a name server that answers each time with the next addresses, and what it was asked.

    Addresses are their own answer.
    """
    asked: list[str] = []
    real = socket.getaddrinfo

    def look_up(host: str, port: int, *more: object, **options: object) -> object:
        if host.replace(".", "").isdigit() or ":" in host:
            return real(host, port, *more, **options)  # type: ignore[arg-type]
        asked.append(host)
        found = rounds[min(len(asked), len(rounds)) - 1]
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (one, port)) for one in found]

    return look_up, asked  # type: ignore[return-value]


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "127.8.9.1", "0.0.0.0", "10.0.0.1", "172.16.0.1", "192.168.1.1",
        "169.254.169.254", "100.64.0.1", "192.0.0.8", "198.18.0.1", "224.0.0.1", "240.0.0.1",
        "255.255.255.255", "::", "::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::127.0.0.1",
        "fd00::1", "fc00::1", "fe80::1", "fe80::1%eth0", "fec0::1", "ff02::1", "2001:db8::1",
        "2002:7f00:1::", "64:ff9b::7f00:1", "64:ff9b:1::1", "2001::1", "4000::1",
        "fd00:ec2::254", "192.0.0.192", "168.63.129.16", "100.100.100.200",
    ],
)  # fmt: skip
def test_addresses_of_this_network(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize(
    "address", [PUBLIC, "1.1.1.1", "2606:4700:4700::1111", "::ffff:1.1.1.1", "64:ff9b::101:101"]
)
def test_addresses_of_the_internet(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    "host",
    ["localhost", "2130706433", "0x7f000001", "017700000001", "127.1", "0", "::ffff:127.0.0.1"],
)
def test_other_ways_to_write_this_machine(host: str) -> None:
    try:
        with pytest.raises(PrivateAddressError):
            Reach().addresses(host, 80)
    except socket.gaierror:  # this system does not take it for an address
        pass


def test_one_private_address_among_several_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", answers([PUBLIC, "10.0.0.1"])[0])
    with pytest.raises(PrivateAddressError):
        Reach().addresses("shop.example", 80)
    assert Reach(private=True).addresses("shop.example", 80) == [PUBLIC, "10.0.0.1"]


@pytest.mark.parametrize("host", ["", "a..b", "x" * 300, "no such host", "a\x00b"])
def test_what_is_no_host(host: str) -> None:
    with pytest.raises((OSError, ValueError)):
        Reach().connect(host, 80, 0.2)


def test_the_address_that_was_checked_is_the_one_that_is_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # The second answer of the name server would lead to this machine.
    look_up, asked = answers([PUBLIC], ["127.0.0.1"])
    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    connected: list[str] = []

    def connect(where: tuple[str, int], *more: object, **options: object) -> None:
        connected.append(where[0])
        raise ConnectionRefusedError(111, "Connection refused")

    monkeypatch.setattr(socket, "create_connection", connect)
    with serve_script(lambda _: Script({})) as (address, came):
        port = address.rpartition(":")[2]
        client = open_client(2.0, 1, Reach())
        with pytest.raises(PassingError, match="refused"):
            client.send("GET", f"http://shop.example:{port}/", [], None)
        client.close()
        assert (asked, connected, came) == (["shop.example"], [PUBLIC], [])
    with pytest.raises(ConnectionRefusedError):
        Reach(private=True).connect("shop.example", 80, 1.0)
    assert connected == [PUBLIC, "127.0.0.1"]


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "localhost", "2130706433", "[::ffff:127.0.0.1]", "good.example@127.0.0.1"],
)
def test_this_machine_is_out_of_reach_unless_it_is_allowed(host: str) -> None:
    with serve_script(lambda _: Script({"ok": True})) as (address, came):
        port = address.rpartition(":")[2]
        client = open_client(2.0, 1, Reach())
        with pytest.raises((FatalError, PassingError)) as caught:
            client.send("GET", f"http://{host}:{port}/", [], None)
        client.close()
        assert came == []
        if isinstance(caught.value, FatalError):
            assert "private = true" in f"{caught.value.hint}"
        client = open_client(2.0, 1, Reach(private=True))
        assert client.send("GET", f"{address}/", [], None).status == 200
        client.close()


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(status: int) -> None:
    with (
        serve_script(lambda _: Script({})) as (inner, reached),
        serve_script(lambda _: Script({}, status, {"Location": inner})) as (outer, came),
    ):
        client = open_client(2.0, 1, Reach(private=True))
        assert client.send("GET", f"{outer}/", [], None).status == status
        client.close()
        assert len(came) == 1
        assert reached == []


def test_no_proxy_and_no_cookie(monkeypatch: pytest.MonkeyPatch) -> None:
    cookie = {"Set-Cookie": "who=you"}
    with (
        serve_script(lambda _: Script({})) as (proxy, through),
        serve_script(lambda _: Script({}, headers=cookie)) as (engine, came),
    ):
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, proxy)
        monkeypatch.delenv("no_proxy", raising=False)
        client = open_client(2.0, 1, Reach(private=True))
        for _ in range(2):
            client.send("GET", f"{engine}/", [], None)
        client.close()
        assert through == []
        assert len(came) == 2
        assert not any("cookie" in one.headers for one in came)


@pytest.mark.parametrize(
    "address",
    [
        "ftp://shop.example", "file:///etc/passwd", "gopher://shop.example", "shop.example",
        "http:///x", "http://", "https://shop.example/?q=1", "https://shop.example/#x",
        "javascript:alert(1)", "http://shop.example:0", "http://a b/", "http://shop\n.example",
    ],
)  # fmt: skip
def test_other_addresses_are_refused(tmp_path: Path, address: str) -> None:
    path = tmp_path / "engine.toml"
    quoted = address.replace("\n", "\\n")
    path.write_text(f'kind = "http"\naddress = "{quoted}"\nhits = "hits"\nid = "id"\n')
    with pytest.raises(ParameterError):
        read_configuration(path)
