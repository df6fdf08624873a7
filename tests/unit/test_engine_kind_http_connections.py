"""Certificates and proxies of engines that answer over HTTP."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from tests.unit.scripted_engine import Script, serve_script
from tests.unit.test_engine_kind_http import HITS, KEYS, engine_of, request

from relyon.engines import FatalError, PassingError, read_configuration
from relyon.engines.reach import Reach


@pytest.fixture
def certificate(tmp_path: Path) -> tuple[Path, Path]:
    """A certificate for 127.0.0.1 that no system trusts, and its key."""
    from datetime import UTC, datetime, timedelta
    from ipaddress import ip_address

    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "scripted")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False
        )
        .sign(key, hashes.SHA256())
    )
    paths = tmp_path / "authority.pem", tmp_path / "key.pem"
    paths[0].write_bytes(made.public_bytes(serialization.Encoding.PEM))
    paths[1].write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return paths


def test_certificates(tmp_path: Path, certificate: tuple[Path, Path]) -> None:
    with serve_script(lambda asked: Script(HITS), certificate) as (address, came):
        path = tmp_path / "engine.toml"
        path.write_text(f'kind = "http"\naddress = "{address}"\n{KEYS}')
        engine = read_configuration(path).engine
        engine.open(5.0, 1)
        with pytest.raises(FatalError, match="certificate is not trusted") as caught:
            engine.ask(request())
        assert "ca = " in str(caught.value)
        engine.close()
        assert came == []
        path.write_text(f'kind = "http"\naddress = "{address}"\nca = "authority.pem"\n{KEYS}')
        engine = read_configuration(path).engine
        engine.open(5.0, 1)
        assert engine.ask(request()).ids == ["d1", "7"]
        engine.close()


def test_a_file_of_certificates_that_is_not_there(tmp_path: Path) -> None:
    path = tmp_path / "engine.toml"
    path.write_text(f'kind = "http"\naddress = "https://localhost"\nca = "no.pem"\n{KEYS}')
    engine = read_configuration(path).engine
    with pytest.raises(FatalError, match=r"no\.pem"):
        engine.open(5.0, 1)


def test_proxies_are_used_only_if_the_file_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (
        serve_script(lambda asked: Script(HITS)) as (address, direct),
        serve_script(lambda asked: Script(HITS)) as (proxy, through),
    ):
        monkeypatch.setenv("http_proxy", proxy)
        monkeypatch.delenv("no_proxy", raising=False)
        monkeypatch.delenv("NO_PROXY", raising=False)
        for more in ("", 'proxy = "environment"\n'):
            path = tmp_path / "engine.toml"
            path.write_text(f'kind = "http"\naddress = "{address}"\n{more}{KEYS}')
            engine = read_configuration(path).engine
            engine.open(5.0, 1)
            assert engine.ask(request()).ids == ["d1", "7"]
            engine.close()
        with pytest.raises(FatalError, match="a proxy cannot be used"):
            engine.open(5.0, 1, Reach())
    assert len(direct) == 1
    assert len(through) == 1
    assert through[0].target.startswith(f"{address}/books/search")


@pytest.mark.parametrize(
    ("body", "kind", "said"),
    [
        (gzip.compress(json.dumps(HITS).encode(), mtime=0), None, ""),
        (gzip.compress(json.dumps(HITS).encode(), mtime=0)[:-9], PassingError, "truncated"),
        (b"no gzip", PassingError, "truncated"),
        (gzip.compress(b" " * (2 << 20), mtime=0), FatalError, "larger than 1 MiB"),
    ],
)
def test_packed_answers(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    body: bytes,
    kind: type[Exception] | None,
    said: str,
) -> None:
    monkeypatch.setattr("relyon.engines.http.client.MOST_BYTES", 1 << 20)
    script = Script(body, headers={"Content-Encoding": "gzip"})
    with engine_of(tmp_path, script) as (engine, _):
        if kind is None:
            assert engine.ask(request()).ids == ["d1", "7"]
            return
        with pytest.raises(kind, match=said):
            engine.ask(request())
