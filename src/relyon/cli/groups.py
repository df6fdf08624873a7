"""Requests that several commands have in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, Unpack

import click

from relyon.cli.option_values import chosen_convention
from relyon.cli.options import (
    alpha_option,
    confidence_option,
    seed_option,
)
from relyon.cli.request import Declared, flag, group, option, request
from relyon.core.errors import ParameterError
from relyon.core.texts import message

if TYPE_CHECKING:
    from relyon.analysis.comparison.query_facts import CompareOptions
    from relyon.analysis.comparison.settings import Correction, Interval, Options
    from relyon.data.convention import Convention

__all__ = ["Clicks", "Listen", "QueryDesign", "Rules", "Statistics", "listen_options"]

Test = Literal[
    "t", "wilcoxon", "sign", "permutation", "bootstrap", "tukey", "anytime", "asymptotic"
]


@request
class Rules:
    """The convention, and changes of it."""

    convention: str | None = option(
        "--convention",
        metavar="PRESET|FILE",
        help="Rules for ties, undefined queries, gains …: a preset listed by `relyon"
        " conventions`, or a TOML, JSON or YAML file.  [default: relyon]",
    )
    changes: tuple[str, ...] = option(
        "--set",
        metavar="KEY=VALUE",
        multiple=True,
        help="Change one rule of the convention, such as ties=expected, or of one measure, such as"
        " rbp.p=0.9 or ndcg.undefined=one.",
    )

    def __bool__(self) -> bool:
        return bool(self.convention or self.changes)

    def chosen(self) -> Convention:
        """Returns the convention that they name."""
        return chosen_convention(self.convention, self.changes)


@request
class Statistics:
    """The settings of significance tests and intervals."""

    test: Test = option(
        "--test",
        type=click.Choice(
            [
                "t",
                "wilcoxon",
                "sign",
                "permutation",
                "bootstrap",
                "tukey",
                "anytime",
                "asymptotic",
            ]
        ),
        default="t",
        show_default=True,
        help="The paired test; tukey (randomised Tukey HSD) is for three or more runs."
        " --format json and csv contain the other tests too. anytime and asymptotic are valid at"
        " every look: see --anytime.",
    )
    anytime: bool = flag(
        "--anytime",
        help="Look as often as you like while queries are graded, and stop when you like: test and"
        " intervals are always valid (--test anytime), by betting against values in a known range"
        " such as those of NDCG, else asymptotic from 30 queries that changed on. A query counts"
        " only once its lists are graded, and the order of grading must have nothing to do with the"
        " difference. --test asymptotic is narrower for fewer than about 1,000 queries, and not"
        " exact.",
    )
    interval: Interval = option(
        "--interval",
        type=click.Choice(["t", "percentile", "bca"]),
        default="t",
        show_default=True,
        help="Method for confidence intervals; percentile and bca are bootstrap intervals.",
    )
    correction: Correction = option(
        "--correction",
        type=click.Choice(["holm", "bh", "none"]),
        default="holm",
        show_default=True,
        help="Correction for multiple comparisons (runs x measures); bh is Benjamini-Hochberg.",
    )
    alpha: float = alpha_option()
    confidence: float = confidence_option()
    resamples: int = option(
        "--resamples",
        type=click.IntRange(min=1),
        default=10_000,
        show_default=True,
        help="Number of resamples in permutation, bootstrap and Tukey tests; p is at least"
        " 1 / (resamples + 1).",
    )
    seed: int = seed_option()

    def refuse_with_anytime(self, given: Mapping[str, bool]) -> None:
        """Rejects options whose numbers are for one look, if tests are always valid.

        Args:
            given: Whether each was given, by its name.

        Raises:
            ParameterError: If one was.
        """
        if not self.anytime and self.test not in {"anytime", "asymptotic"}:
            return
        for name, asked in given.items():
            if asked:
                raise ParameterError(
                    message("cli.anytime-and-option", option=name),
                    hint=message("cli.look-once", option=name),
                )

    def settings(self, threads: int) -> Options:
        """Returns them as arguments of functions.

        Raises:
            ParameterError: If an always-valid test is combined with another test or interval.
        """
        test, interval = self.test, self.interval
        if self.anytime and test not in {"t", "anytime", "asymptotic"}:
            raise ParameterError(message("cli.anytime-and-test", test=test))
        if self.anytime and test == "t":
            test = "anytime"
        if test in {"anytime", "asymptotic"}:
            if interval != "t":
                raise ParameterError(message("cli.anytime-has-one-interval", interval=interval))
            interval = test
        return {
            "test": test,
            "interval": interval,
            "correction": self.correction,
            "alpha": self.alpha,
            "confidence": self.confidence,
            "resamples": self.resamples,
            "seed": self.seed,
            "threads": threads,
        }


@request
class QueryDesign:
    """What is known of queries: their clusters, and columns to break a comparison down by."""

    cluster: str | None = option(
        "--cluster",
        metavar="COLUMN",
        help="The column of --queries with clusters of queries that are alike, such as paraphrases"
        " of one intent or the questions on one document: tests and intervals then count"
        " clusters, not queries.",
    )
    by: tuple[str, ...] = option(
        "--by",
        metavar="COLUMN",
        multiple=True,
        help="Break the differences down by this column of --queries, such as tier or language;"
        " repeat it for several. --scored: a column of that file without --queries.",
    )

    def __bool__(self) -> bool:
        return bool(self.cluster or self.by)

    def options(self, queries: str | None, **settings: Unpack[Options]) -> CompareOptions:
        """Returns them as arguments of functions, with the settings of the tests.

        Args:
            queries: The table that has the columns.
            **settings: The settings.
        """
        return {**settings, "queries": queries, "cluster": self.cluster, "by": self.by}


@request
class Clicks:
    """The clicks that count, and the confidence level."""

    confidence: float = confidence_option()
    min_dwell: float | None = option(
        "--min-dwell",
        type=click.FloatRange(min=0),
        metavar="SECONDS",
        help="Ignore clicks with a shorter dwell time, in seconds.",
    )
    depth: int = option(
        "-k",
        "--depth",
        type=click.IntRange(1, 1000),
        default=10,
        show_default=True,
        help="Ignore positions after this one.",
    )


@request
class Listen:
    """Where a server listens."""

    host: str = option(
        "--host", default="127.0.0.1", show_default=True, help="The address to listen on."
    )
    port: int = option("--port")
    browser: bool = flag("--browser", help="Open the page in a browser on this machine.")


def listen_options(port: int) -> Declared:
    """Declares the address of a server, with its own default port."""
    return group(
        Listen,
        port=option(
            "--port",
            type=click.IntRange(0, 65535),
            default=port,
            show_default=True,
            help="The port; 0 picks a free one.",
        ),
    )
