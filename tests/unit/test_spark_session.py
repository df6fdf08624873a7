"""What is checked before Spark starts; none of this starts it."""

from __future__ import annotations

import os
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from tests.unit.conftest import Command

from relyon import DependencyError, InputError, ParameterError
from relyon.spark.faults import plain_errors
from relyon.spark.session import check_java, check_master, java_version
from relyon.spark.stderr import Stderr


def java(folder: Path, version: str) -> Path:
    """Returns a program that says that it is a version of Java."""
    program = folder / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\"' >&2\n", "utf-8")
    program.chmod(program.stat().st_mode | stat.S_IEXEC)
    return program


@pytest.mark.skipif(os.name == "nt", reason="the program is a shell script")
@pytest.mark.parametrize(
    ("version", "major"), [("1.8.0_402", 8), ("11.0.2", 11), ("17.0.15", 17), ("25", 25)]
)
def test_versions_of_java_are_known(version: str, major: int, tmp_path: Path) -> None:
    assert java_version(str(java(tmp_path, version))) == major


def test_what_does_not_start_has_no_version(tmp_path: Path) -> None:
    assert java_version(str(tmp_path / "java")) is None
    assert java_version(sys.executable) is None


@pytest.mark.skipif(os.name == "nt", reason="the program is a shell script")
def test_an_old_java_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = java(tmp_path, "11.0.2")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(DependencyError) as refused:
        check_java("4.0.1")
    assert refused.value.message == f"Spark needs Java 17 or newer, but {program} is Java 11"
    check_java("3.5.4")


def test_no_java_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(DependencyError, match=r"but JAVA_HOME=.* has no Java that starts"):
        check_java("4.0.1")
    monkeypatch.delenv("JAVA_HOME")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(DependencyError) as refused:
        check_java("4.0.1")
    assert refused.value.message == "Spark needs Java 17 or newer"
    assert "openjdk-17" in refused.value.hint


@pytest.mark.parametrize("master", ["local", "local[*]", "local-cluster[2,1,1024]", "yarn"])
def test_clusters_are_known(master: str) -> None:
    check_master(master)


@pytest.mark.parametrize("master", ["", "localhost:7077", "http://host", "sc://host"])
def test_other_addresses_are_refused(master: str) -> None:
    with pytest.raises(ParameterError, match="is not the address of a Spark cluster"):
        check_master(master)


def test_a_master_that_does_not_answer_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        check_master(f"spark://127.0.0.1:{port}")
        check_master(f"spark://127.0.0.1:1,127.0.0.1:{port}")
    with pytest.raises(InputError, match=rf"the Spark master spark://127.0.0.1:{port} cannot be"):
        check_master(f"spark://127.0.0.1:{port}")


def test_what_java_says_is_kept_until_spark_runs(capsys: pytest.CaptureFixture[str]) -> None:
    stderr = Stderr()
    entrance = os.dup(stderr.entrance)
    stderr.follow()
    os.write(entrance, b"WARNING: Using incubator modules\n")
    os.write(entrance, b'Exception in thread "main" java.lang.Exception: no such queue\n\tat A\n')
    assert stderr.reason() == "no such queue"
    stderr.open()
    os.write(entrance, b"[Stage 0:>   (0 + 1) / 2]\r")
    os.close(entrance)
    stderr.join()
    assert capsys.readouterr().err == "[Stage 0:>   (0 + 1) / 2]\r"


def test_errors_of_python_stay_as_they_are() -> None:
    with pytest.raises(KeyError), plain_errors():
        raise KeyError("a")
    with pytest.raises(InputError), plain_errors():
        raise InputError("wrong")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--master", "local"], "--master is for --engine spark"),
        (["--conf", "a=b"], "--conf is for --engine spark"),
        (["--per-query-to", "x"], "--per-query-to is for --engine spark"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_options_of_spark_need_it(arguments: list[str], told: str, command: Command) -> None:
    found = command("evaluate", "judgments.qrels", "bm25.run", *arguments)
    assert found.code == 2
    assert told in found.err


@pytest.mark.parametrize(
    "arguments",
    [
        ["evaluate", "judgments.qrels", "bm25.run"],
        ["sample", "log.csv"],
        ["logs", "doctor", "log.csv"],
        ["labels", "make", "clicks.csv", "-o", "labels.csv"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_without_pyspark_the_extra_is_named(
    arguments: list[str], command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyspark", None)
    found = command(*arguments, "--engine", "spark")
    assert found.code == 4
    assert found.err == (
        "error: --engine spark needs the package pyspark\nhint: pip install 'relyon[spark]'\n"
    )


def test_evaluating_files_imports_nothing_of_spark(files: Path) -> None:
    program = """if True:
        import sys
        from relyon.cli import application
        try:
            application.main(["evaluate", "judgments.qrels", "bm25.run"])
        finally:
            spark = ("pyspark", "relyon.spark")
            print(*(one for one in sys.modules if one.startswith(spark)), "socket" in sys.modules)
    """
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, cwd=files, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "False"
