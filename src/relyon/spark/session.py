"""Starting Spark, or using the active session."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Mapping
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from relyon.core.errors import DependencyError, InputError, ParameterError
from relyon.core.packages import optional_package
from relyon.core.texts import message
from relyon.spark.faults import plain_errors
from relyon.spark.stderr import Stderr

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["open_session"]

#: Defaults that differ from Spark's; settings of the user override them.
DEFAULTS = {
    "spark.app.name": "relyon",
    # Below it, Spark writes a page of Java for every task that fails; the error says it once.
    "spark.log.level": "FATAL",
    # Times of a log are UTC.
    "spark.sql.session.timeZone": "UTC",
}
MASTER = re.compile(r"local(-cluster)?(\[.*\])?|yarn|(spark|k8s)://.+")
#: Seconds in which a master has to answer.
PATIENCE = 5.0


def open_session(
    master: str | None = None, settings: Mapping[str, str] | None = None
) -> tuple[SparkSession, bool]:
    """Returns Spark's active session, or starts one.

    Args:
        master: The cluster; by default `SPARK_MASTER`, the master of `spark-submit` or of Spark's
            configuration, or else this machine.
        settings: Spark's settings by name.

    Returns:
        The session, and whether it was started here.

    Raises:
        DependencyError: If PySpark, or a Java that it can use, is missing.
        InputError: If the cluster cannot be reached, or Spark does not start.
        ParameterError: If the kind of cluster is unknown.
    """
    pyspark = optional_package(
        "pyspark", purpose=message("spark.engine-spark"), package="pyspark", install="relyon[spark]"
    )
    sql = optional_package(
        "pyspark.sql",
        purpose=message("spark.engine-spark"),
        package="pyspark",
        install="relyon[spark]",
    )
    _quiet_python()
    running = sql.SparkSession.getActiveSession()
    if running is not None:
        return running, False
    submitted = "PYSPARK_GATEWAY_PORT" in os.environ
    chosen = master or (None if submitted else os.environ.get("SPARK_MASTER"))
    wanted = {**DEFAULTS, **_own_defaults(chosen, submitted), **(settings or {})}
    if chosen is not None:
        check_master(chosen)
        wanted["spark.master"] = chosen
    if not submitted:
        check_java(pyspark.__version__)
    _name_python(chosen)
    with plain_errors():
        return _started(pyspark, sql, wanted, submitted), True


def check_master(master: str) -> None:
    """Refuses an unreachable cluster, before Spark waits for it for minutes.

    Raises:
        InputError: If nothing answers at its address.
        ParameterError: If the kind of cluster is unknown.
    """
    if not MASTER.fullmatch(master):
        raise ParameterError(
            message("spark.is-not-address", master=master),
            hint=message("spark.write-local-4"),
        )
    if not master.startswith("spark://"):
        return
    reason = ""
    for place in master.removeprefix("spark://").split(","):
        try:
            address = urlsplit(f"//{place}")
            with socket.create_connection((address.hostname or "", address.port or 7077), PATIENCE):
                return
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
    raise InputError(
        message("spark.spark-master-cannot", master=master,
                reason=reason),
        hint=message("spark.check-that-runs"),
    )  # fmt: skip


def check_java(version: str) -> None:
    """Refuses a machine without the Java that a version of PySpark needs.

    Raises:
        DependencyError: If it is missing or too old.
    """
    least = 17 if int(version.split(".", maxsplit=1)[0]) >= 4 else 8
    hint = message(
        "spark.install-such-as-apt",
        least=17,
    )
    home = os.environ.get("JAVA_HOME")
    program = os.path.join(home, "bin", "java") if home else shutil.which("java")
    found = java_version(program) if program else None
    if found is None and home:
        raise DependencyError(
            message(
                "spark.spark-needs-java",
                least=least,
                home=home,
            ),
            hint=hint,
        )
    if found is None:
        raise DependencyError(message("spark.spark-needs-java-or-newer", least=least), hint=hint)
    if found < least:
        raise DependencyError(
            message(
                "spark.spark-needs-java-least",
                least=least,
                program=program,
                found=found,
            ),
            hint=hint,
        )


def java_version(program: str) -> int | None:
    """Returns the major version of a Java, or None if it does not start."""
    try:
        found = subprocess.run([program, "-version"], capture_output=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = re.search(rb'version "(?:1\.)?(\d+)', found.stderr + found.stdout)
    return int(match[1]) if match and found.returncode == 0 else None


def _own_defaults(master: str | None, submitted: bool) -> dict[str, str]:
    found = {"spark.ui.showConsoleProgress": str(sys.stderr.isatty()).lower()}
    if not submitted and (master or "local").startswith("local"):
        found["spark.ui.enabled"] = "false"
    return found


def _name_python(master: str | None) -> None:
    """Sets this Python for executors on this machine; on others, Spark's settings apply."""
    if (master or "local").startswith("local"):
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)


def _quiet_python() -> None:
    """Switches off PySpark's own reports of errors, which repeat Java's as JSON."""
    import logging

    for name in ("DataFrameQueryContextLogger", "SQLQueryContextLogger"):
        logging.getLogger(name).disabled = True


def _started(
    pyspark: ModuleType, sql: ModuleType, settings: Mapping[str, str], submitted: bool
) -> SparkSession:
    conf = pyspark.SparkConf()
    for name, value in settings.items():
        conf.set(name, value)
    if submitted:
        running: SparkSession = sql.SparkSession.builder.config(conf=conf).getOrCreate()
        return running
    java_gateway = import_module("pyspark.java_gateway")

    stderr = Stderr()
    try:
        try:
            gateway = java_gateway.launch_gateway(conf, {"stderr": stderr.entrance})
        finally:
            stderr.follow()
        pyspark.SparkContext(conf=conf, gateway=gateway)
        session: SparkSession = sql.SparkSession.builder.getOrCreate()
    except Exception as error:
        reason = stderr.reason()
        if not reason:
            raise
        raise InputError(message("spark.spark-does-not-start", reason=reason)) from error
    stderr.open()
    return session
