"""A cluster of two executors in processes of their own, started once."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.spark.command_line import python_path


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What is here needs Spark, and PySpark's own code warns."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.spark)
            item.add_marker(pytest.mark.filterwarnings("ignore"))


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """A cluster of two executors, each a process with one core."""
    pyspark = pytest.importorskip("pyspark", reason="pyspark is not installed: relyon[spark]")
    from pyspark.sql import SparkSession

    settings = {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "1g",
        # Executors import relyon and the tests as this process does.
        "spark.executorEnv.PYTHONPATH": python_path(),
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "3",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        patch.setenv("SPARK_HOME", str(Path(pyspark.__file__).parent))
        patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        patch.setenv("PYSPARK_DRIVER_PYTHON", sys.executable)
        builder = SparkSession.builder.master("local-cluster[2,1,1024]").appName("relyon")
        for name, value in settings.items():
            builder = builder.config(name, value)
        session = builder.getOrCreate()
        session.sparkContext.setLogLevel("ERROR")
        yield session
        session.stop()
