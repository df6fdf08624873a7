"""A standalone cluster: a master, and two workers that Spark takes for two hosts."""

from __future__ import annotations

import os
import pickle
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.spark.command_line import ROOT, parts, python_path, runs, write
from tests.spark.same import by_query, collection, said
from tests.spark.straggling import MEASURES, POOLED, rows

import relyon

#: Spark starts a copy of a slow task only on another host.
HOSTS = ("127.0.0.2", "127.0.0.3")


@dataclass(frozen=True)
class Cluster:
    """A running cluster.

    Attributes:
        master: Its address.
        environment: The variables that a program needs to use it.
    """

    master: str
    environment: dict[str, str]

    def run(self, *arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
        """Runs a Python program as its driver."""
        return subprocess.run(
            [sys.executable, "-m", *arguments],
            capture_output=True,
            cwd=folder,
            env=self.environment,
            timeout=300,
            check=False,
            text=True,
        )


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A master and its workers, each a process."""
    pyspark = pytest.importorskip("pyspark", reason="pyspark is not installed: relyon[spark]")
    home = Path(pyspark.__file__).parent
    for host in HOSTS:
        with socket.socket() as one:
            try:
                one.bind((host, 0))
            except OSError:
                pytest.skip(f"this machine has no address {host}")
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    folder = tmp_path_factory.mktemp("cluster")
    environment = {
        **os.environ,
        "PYSPARK_PYTHON": sys.executable,
        "PYTHONPATH": python_path(),
        "PYTHONWARNINGS": "ignore",
        "SPARK_DAEMON_MEMORY": "256m",
        "SPARK_HOME": str(home),
    }
    master = f"spark://127.0.0.1:{port}"
    commands = {"master": ["master.Master", "--host", "127.0.0.1", "--port", str(port)]}
    for host in HOSTS:
        options = ["--host", host, "--cores", "1", "--memory", "700m"]
        commands[host] = ["worker.Worker", *options, "--work-dir", str(folder / host), master]
    with ExitStack() as running:
        for name, (kind, *options) in commands.items():
            command = [f"{home}/bin/spark-class", f"org.apache.spark.deploy.{kind}"]
            command += ["--webui-port", "0", *options]
            log = running.enter_context((folder / f"{name}.log").open("wb"))
            process = subprocess.Popen(
                command, stdout=log, stderr=log, env={**environment, "SPARK_LOCAL_IP": "127.0.0.1"}
            )
            running.callback(process.wait, 30)
            running.callback(process.terminate)
        wait_for(folder, "master.log", "Registering worker", len(HOSTS))
        yield Cluster(master, environment)


def wait_for(folder: Path, name: str, text: str, times: int) -> None:
    """Waits until a log has said something so many times."""
    end = time.monotonic() + 60
    while (folder / name).read_text("utf-8").count(text) < times:
        if time.monotonic() > end:
            logs = {one.name: one.read_text("utf-8") for one in folder.glob("*.log")}
            raise TimeoutError(str(logs))
        time.sleep(0.1)


def test_speculative_execution_changes_nothing(cluster: Cluster, tmp_path: Path) -> None:
    done = cluster.run("tests.spark.straggling", cluster.master, str(tmp_path), folder=ROOT)
    assert done.returncode == 0, done.stderr
    found = pickle.loads((tmp_path / "found.pickle").read_bytes())
    judgments, run = collection()
    expected = [
        relyon.evaluate(judgments, run, MEASURES),
        relyon.evaluate_scores(relyon.read_scored(rows()), measures=POOLED),
    ]
    assert found == [(said(one), by_query(one)) for one in expected]
    stages = ("judgments", "run", "evaluate", "rows", "scores")
    attempts = {one.name for one in tmp_path.iterdir()}
    assert attempts >= {f"{stage}-{number}" for stage in stages for number in (0, 1)}


def test_a_command_uses_the_cluster(cluster: Cluster, tmp_path: Path) -> None:
    judged, old, new = runs()
    for name, frame in (("judged", judged), ("old", old), ("new", new)):
        parts(frame, tmp_path / name)
        write(frame, tmp_path / f"{name}.csv")
    names = ["--name", "old", "--name", "new"]
    files = ["judged.csv", "old.csv", "new.csv"]
    here = cluster.run("relyon", "compare", *files, *names, folder=tmp_path)
    engine = ["--engine", "spark", "--master", cluster.master]
    engine += ["--conf", "spark.executor.memory=600m"]
    folders = ["judged", "old", "new"]
    there = cluster.run("relyon", "compare", *folders, *names, *engine, folder=tmp_path)
    assert here.stdout
    expected = (0, here.stdout, here.stderr)
    assert (there.returncode, there.stdout, there.stderr) == expected
