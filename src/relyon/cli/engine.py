"""`--engine spark`: the work of a command, done where the data are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import cached_property, wraps
from typing import TYPE_CHECKING, Any, Self, TypeVar

import click

from relyon.cli.option_values import format_named_by, named_values
from relyon.core.errors import ParameterError
from relyon.core.texts import message

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

__all__ = ["Engine", "engine_options"]

F = TypeVar("F", bound=Callable[..., Any])


class Engine(AbstractContextManager["Engine"]):
    """Where a command does its work; true if that is Spark.

    As a context it turns errors of Spark into errors of relyon, and ends what it started.

    Args:
        name: `local` or `spark`.
        master: The address of the cluster.
        settings: Spark's settings by name.
    """

    def __init__(self, name: str, master: str | None, settings: Mapping[str, str]) -> None:
        self._spark = name == "spark"
        self._master = master
        self._settings = settings
        self._stack = ExitStack()

    def __bool__(self) -> bool:
        return self._spark

    @cached_property
    def session(self) -> SparkSession:
        """Spark's session; it is started when it is first asked for."""
        from relyon.spark.session import open_session

        with format_named_by("--run-format"):
            session, own = open_session(self._master, self._settings)
        if own:
            self._stack.callback(session.stop)
        return session

    def refuse(self, **options: object) -> None:
        """Refuses options that do not work in a cluster.

        Args:
            **options: What was given, by the name of the option.

        Raises:
            ParameterError: If one of them was given.
        """
        for name, value in options.items():
            if value:
                option = f"--{name.replace('_', '-')}"
                raise ParameterError(
                    message("cli.engine-spark-and-exclude", option=option),
                    hint=message("cli.leave-option-out", option=option),
                )

    def __enter__(self) -> Self:
        if self._spark:
            self._stack.enter_context(_quiet())
        return self

    def __exit__(self, *reason: Any) -> None:
        self._stack.__exit__(*reason)


@contextmanager
def _quiet() -> Iterator[None]:
    """Hides the warnings of PySpark's Python, and the Java of its errors."""
    import warnings

    from relyon.spark.faults import plain_errors

    with warnings.catch_warnings(), plain_errors():
        warnings.simplefilter("ignore")
        yield


def engine_options(command: F) -> F:
    """Adds ``--engine``, ``--master`` and ``--conf``; the command gets an `engine`."""

    @wraps(command)
    def packed(**values: Any) -> Any:
        name, master, conf = (values.pop(one) for one in ("engine", "master", "conf"))
        given = {"--master": master, "--conf": conf}
        for option in (option for option, value in given.items() if value and name != "spark"):
            raise ParameterError(
                message("cli.is-for-engine-spark", option=option),
                hint=message("cli.add-engine-spark"),
            )
        settings = named_values(conf, "--conf", "spark.executor.memory=8g")
        with Engine(name, master, settings) as engine:
            return command(engine=engine, **values)

    for decorate in (
        click.option(
            "--conf",
            metavar="NAME=VALUE",
            multiple=True,
            help="With --engine spark: a setting of Spark, such as spark.executor.memory=8g; repeat"
            " it for several.",
        ),
        click.option(
            "--master",
            metavar="URL",
            help="With --engine spark: the cluster, such as spark://HOST:7077, yarn or local[4]."
            "  [default: SPARK_MASTER, or what spark-submit says, or this machine]",
        ),
        click.option(
            "--engine",
            type=click.Choice(["local", "spark"]),
            default="local",
            show_default=True,
            help="Who does the work: this process, or a cluster of Apache Spark, which reads"
            " Parquet, CSV, TSV, JSON Lines and TREC files, folders and patterns.",
        ),
    ):
        packed = decorate(packed)
    return packed  # type: ignore[return-value]
