"""`relyon judge serve` as a process: how it ends, what it warns of, whom it answers."""

from __future__ import annotations

import http.client
import json
import os
import shutil
import signal
import socket
import ssl
import stat
import subprocess
import sys
import time
import urllib.request
from functools import partial
from pathlib import Path

import pytest

if os.name == "nt":
    pytest.skip("signals and file modes of Unix", allow_module_level=True)
pytest.importorskip("fastapi")

from tests.faults import Graders, await_true, check_grades, prepare
from tests.programs import skip_without_program
from tests.web.server import Server

from relyon.judging.store import open_store

pytestmark = pytest.mark.long


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_it_in_order_and_the_file_holds_everything(
    number: signal.Signals, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    database = tmp_path / "judging.db"
    tokens = prepare(database, items=200)
    # Under `nohup` the server would rightly ignore the end of a terminal.
    if signal.getsignal(number) is signal.SIG_IGN:
        request.addfinalizer(partial(signal.signal, number, signal.SIG_IGN))
        signal.signal(number, signal.SIG_DFL)
    with Server(database) as server, Graders(server, tokens) as judges:
        judges.await_more(40)
        # What it says while it ends is no failure of a judge: each sends again.
        assert server.end(number) == 0
        assert not os.path.exists(f"{database}-wal")
        assert database.stat().st_size > 100_000
        kept = dict(judges.confirmed)
        shutil.copy(database, tmp_path / "copy.db")
        server.start()
    with open_store(tmp_path / "copy.db") as store:
        project = store.projects.get("June").id
        documents = {item.id: item.document for item in store.items.all(project)}
        stored = store.grades.ratings(project)
    graded = {(one.judge, documents[item]) for item, found in stored.items() for one in found}
    assert set(kept) <= graded
    check_grades(database, judges)


@pytest.mark.postgres
def test_sigterm_is_an_orderly_end_on_postgresql_too(new_judging_database) -> None:
    with new_judging_database("postgresql") as address, Server(address) as server:
        assert server.end() == 0


def test_a_request_that_runs_is_answered_before_the_end(tmp_path: Path) -> None:
    database = tmp_path / "judging.db"
    tokens = prepare(database, items=20)
    with Server(database) as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
        connection.putrequest("POST", "/api/projects/1/tasks?count=2")
        connection.putheader("Authorization", f"Bearer {tokens[0]}")
        connection.putheader("Content-Length", "2")
        connection.endheaders()
        time.sleep(0.2)
        assert server.process is not None
        server.process.terminate()
        # Nobody new is let in, and the one that is there may finish.
        await_true(lambda: not accepts(server.port), "the port is closed")
        connection.send(b"{}")
        with connection.getresponse() as answer:
            assert answer.status == 200
            assert len(json.load(answer)["tasks"]) == 2
        connection.close()
        assert server.process.wait(30) == 0


def accepts(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 5).close()
    except OSError:
        return False
    return True


def test_a_signal_before_it_serves_ends_it_too(tmp_path: Path) -> None:
    code = (
        "import os, signal, sys\n"
        "import relyon.judging.access as access\n"
        "def create_first_account(store, **options):\n"
        "    os.kill(os.getpid(), signal.SIGTERM)\n"
        "access.create_first_account = create_first_account\n"
        "from relyon.cli.application import main\n"
        "main(['judge', 'serve', 'judging.db', '--port', '0'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "")
    assert not (tmp_path / "judging.db-wal").exists()
    open_store(tmp_path / "judging.db").close()


def test_nohup_is_respected(tmp_path: Path) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with Server(tmp_path / "judging.db") as server:
            assert server.process is not None
            server.process.send_signal(signal.SIGHUP)
            time.sleep(1)
            assert server.process.poll() is None
    finally:
        signal.signal(signal.SIGHUP, before)


def test_another_program_that_has_the_file_open_is_told(tmp_path: Path) -> None:
    database, log = tmp_path / "judging.db", tmp_path / "log"
    tokens = prepare(database, items=50)
    with Server(database, log=log) as server, open_store(database) as other:
        with Graders(server, tokens[:1]) as judges:
            judges.await_more(5)
        with other.database.read() as connection:
            connection.exec_driver_sql("SELECT 1 FROM actions").all()
            with Graders(server, tokens[1:2]) as judges:
                judges.await_more(5)
            assert server.end() == 0
    assert "another program has" in log.read_text()
    assert "judge backup" in log.read_text()


def test_files_it_makes_are_private_and_wide_ones_are_named(tmp_path: Path) -> None:
    database, log = tmp_path / "judging.db", tmp_path / "log"
    with Server(database, log=log) as server:
        modes = {stat.S_IMODE(one.stat().st_mode) for one in tmp_path.glob("judging.db*")}
        assert modes == {0o600}
        server.end()
    assert "can read" not in log.read_text()
    database.chmod(0o644)
    with Server(database, log=log):
        pass
    assert f"chmod 600 {database}" in log.read_text()


@pytest.mark.parametrize(
    ("options", "warned"),
    [(("--host", "0.0.0.0"), True), (("--host", "0.0.0.0", "--proxy", "10.0.0.0/8"), False),
     (("--host", "127.0.0.2"), False)],
)  # fmt: skip
def test_plain_http_for_others_is_warned_of(
    options: tuple[str, ...], warned: bool, tmp_path: Path
) -> None:
    # What listens at all addresses is closed again before it answers anybody.
    process = subprocess.Popen(
        [sys.executable, "-m", "relyon", "judge", "serve", "judging.db", "--port", "0", *options],
        cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stderr is not None
    said = ""
    while "Ctrl-C" not in said:
        line = process.stderr.readline()
        assert line, said
        said += line
    process.terminate()
    said += process.stderr.read()
    process.stderr.close()
    assert process.wait(30) == 0
    assert ("plain HTTP" in said) == warned
    assert ("--ssl-certificate" in said) == warned


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate and its key in one file."""
    folder = tmp_path_factory.mktemp("certificate")
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    command += [
        "-subj",
        "/CN=localhost",
        "-addext",
        "subjectAltName=IP:127.0.0.1",
        "-keyout",
        "key.pem",
        "-out",
        "certificate.pem",
    ]
    try:
        subprocess.run(command, cwd=folder, capture_output=True, check=True)
    except FileNotFoundError:
        skip_without_program("openssl is not installed")
    return folder / "certificate.pem"


def test_https_of_its_own(certificate: Path, tmp_path: Path) -> None:
    key = certificate.with_name("key.pem")
    context = ssl.create_default_context(cafile=str(certificate))
    options = ("--ssl-certificate", str(certificate), "--ssl-key", str(key))
    with Server(tmp_path / "judging.db", *options, context=context) as server:
        with urllib.request.urlopen(f"{server.address}/sign-in", context=context) as answer:
            assert "; Secure" in answer.headers["set-cookie"]
        assert server.end() == 0


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["--ssl-key", "key.pem"], 2, "`--ssl-key` needs `--ssl-certificate`"),
        (["--ssl-certificate", "nowhere.pem"], 3, "nowhere.pem: the certificate cannot be used"),
        (["--ssl-certificate", "queries.tsv"], 3, "the certificate cannot be used"),
        (["--proxy", "nginx"], 2, "`nginx` is not an address or network"),
        (["--allowed-host", "http://a.example"], 2, "is not a host name"),
        (["--host", "192.0.2.1"], 3, "choose another --port or --host"),
    ],
)
def test_options_that_cannot_be(process, options: list[str], code: int, message: str) -> None:
    done = process("judge", "serve", "judging.db", "--port", "0", *options)
    assert done.code == code
    assert message in done.err
