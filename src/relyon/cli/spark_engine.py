"""`--engine spark`: commands whose work is done in the cluster."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Self

import click

from relyon.cli.option_values import format_named_by, named_values
from relyon.cli.request import option, request
from relyon.core.errors import ParameterError
from relyon.core.texts import message

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

    from pyspark.sql import SparkSession

__all__ = ["Engine"]


@request
class Engine(AbstractContextManager["Engine"]):
    """Where a command does its work; true if that is Spark.

    As a context it turns errors of Spark into errors of relyon, and ends a session that it started.
    """

    name: str = option(
        "--engine",
        "engine",
        type=click.Choice(["local", "spark"]),
        default="local",
        show_default=True,
        help="Who does the work: this process, or a cluster of Apache Spark, which reads"
        " Parquet, CSV, TSV, JSON Lines and TREC files, folders and patterns.",
    )
    master: str | None = option(
        "--master",
        metavar="URL",
        help="With --engine spark: the cluster, such as spark://HOST:7077, yarn or local[4]."
        "  [default: SPARK_MASTER, or what spark-submit says, or this machine]",
    )
    conf: tuple[str, ...] = option(
        "--conf",
        metavar="NAME=VALUE",
        multiple=True,
        help="With --engine spark: a setting of Spark, such as spark.executor.memory=8g; repeat"
        " it for several.",
    )

    def __post_init__(self) -> None:
        given = {"--master": self.master, "--conf": self.conf}
        for name in (name for name, value in given.items() if value and not self):
            raise ParameterError(
                message("cli.is-for-engine-spark", option=name),
                hint=message("cli.add-engine-spark"),
            )
        # A bad setting is an error before the work begins.
        _ = self.settings

    def __bool__(self) -> bool:
        return self.name == "spark"

    @cached_property
    def settings(self) -> Mapping[str, str]:
        """Spark's settings by name."""
        return named_values(self.conf, "--conf", "spark.executor.memory=8g")

    @cached_property
    def _stack(self) -> ExitStack:
        return ExitStack()

    @cached_property
    def session(self) -> SparkSession:
        """Spark's session, started on first use."""
        from relyon.io.declared_encoding import is_declared
        from relyon.spark.session import open_session

        if is_declared():
            raise ParameterError(
                message("cli.engine-spark-and-exclude", option="--encoding"),
                hint=message("cli.spark-reads-utf-8"),
            )

        with format_named_by("--run-format"):
            session, own = open_session(self.master, self.settings)
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
        if self:
            self._stack.enter_context(_quiet())
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.__exit__(kind, error, trace)


@contextmanager
def _quiet() -> Iterator[None]:
    """Hides the warnings of PySpark's Python, and the Java of its errors."""
    import warnings

    from relyon.spark.faults import plain_errors

    with warnings.catch_warnings(), plain_errors():
        warnings.simplefilter("ignore")
        yield
