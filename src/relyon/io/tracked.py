"""Results that are logged to an experiment tracker, such as MLflow."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from relyon.core.errors import ParameterError
from relyon.core.texts import message

if TYPE_CHECKING:
    from relyon.data.convention import Convention

__all__ = ["Tracked", "TrackedContent", "Tracker", "tracked_rules", "tracker_name"]

#: What a tracker may refuse in a name: MLflow takes letters, digits, `_`, `-`, `.`, spaces, `/`
#: and, except on Windows, `:`. A `/` would make a folder of a name in its file store.
REFUSED = re.compile(r"[^\w.\-]")
#: The folder of the artifacts.
FOLDER = "relyon"
PAGE = '<!doctype html><meta charset="utf-8"><title>relyon</title>{}'
NEEDED = ("log_metrics", "log_params", "set_tags", "log_text")


class Tracker(Protocol):
    """What is needed of a tracker; the module `mlflow` has it."""

    def log_metrics(self, metrics: dict[str, float]) -> object:
        """Logs numbers by name."""

    def log_params(self, params: dict[str, object]) -> object:
        """Logs settings by name, which cannot change in a run."""

    def set_tags(self, tags: dict[str, object]) -> object:
        """Logs texts by name."""

    def log_text(self, text: str, artifact_file: str) -> object:
        """Writes a file of the run."""


def tracker_name(name: str) -> str:
    """Returns a name that trackers accept, by these rules in this order.

    `@` becomes `_at_`, as in MLflow's own `ndcg_at_10`; `(` and `,` become `.`; `=` becomes `-`;
    `)` goes; all others but letters of any script, digits, `_`, `-` and `.` become `_`.

    Examples:
        >>> tracker_name("ndcg@10"), tracker_name("ndcg(gain=exp)@10"), tracker_name("召回@5")
        ('ndcg_at_10', 'ndcg.gain-exp_at_10', '召回_at_5')
    """
    found = name.replace("@", "_at_").replace(")", "")
    found = re.sub(r"[(,]", ".", found).replace("=", "-")
    found = REFUSED.sub("_", found)
    return f"_{found}" if not found.strip(".") else found


@dataclass(frozen=True)
class TrackedContent:
    """What a tracker shows of a result.

    Attributes:
        numbers: The numbers by name; None, NaN or infinite if there is none.
        rules: The rules behind them, by name.
        facts: Definitions, fingerprints and verdicts by name; None if unknown.
    """

    numbers: Mapping[str, float | None]
    rules: Mapping[str, object]
    facts: Mapping[str, str | None]


def tracked_rules(convention: Convention | None) -> dict[str, object]:
    """Returns the rules of a convention by name, and its preset.

    Examples:
        >>> from relyon.data.convention import load_convention
        >>> list(tracked_rules(load_convention("trec_eval")))[:2]
        ['ties', 'undefined']
    """
    rules = {} if convention is None else convention.to_dict()
    if rules:
        rules["preset"] = rules.pop("name")
    return rules


class Loggable(Protocol):
    """What a result has that is logged; `Exportable` has the tables."""

    def tracked_content(self) -> TrackedContent:
        """Returns what `log` logs as metrics, parameters and tags."""

    def to_json(self, *, per_query: bool = False) -> str:
        """Returns JSON that `relyon.read_results` reads."""

    def to_csv(self, *, per_query: bool = False) -> str:
        """Returns a table."""

    def to_html(self) -> str:
        """Returns a table with its rules and notes."""


class Tracked:
    """A result that can be logged to a tracker; a subclass provides `tracked_content`."""

    def log(self: Loggable, tracker: Tracker, *, prefix: str = "", per_query: bool = True) -> None:
        """Logs the result to a tracker: numbers, rules, fingerprints, tables.

        - Metrics: the numbers. Names are changed to what trackers accept: `@` becomes `_at_`, `(`
          and `,` become `.`, `=` becomes `-`, `)` goes, and other characters than letters, digits,
          `_`, `-` and `.` become `_`. A measure without a finite value is not logged as a
          metric, for trackers store something else for it; the tag `relyon.without_value` names it.
        - Parameters `relyon.RULE`: the rules, such as `relyon.ties`. Another result in the same run
          must have the same rules, or another prefix.
        - Tags: `relyon.measure.NAME` is a measure as relyon writes it, with all parameters and the
          fingerprint of its numbers; `relyon.inputs.NAME` are fingerprints of the data.
        - Files in `relyon/`: `results.json`, which `relyon.read_results` reads if it is of one
          run; `results.csv` and `per_query.csv`; the table with its rules and notes as
          `results.html`.

        Args:
            tracker: What has `log_metrics`, `log_params`, `set_tags` and `log_text`, such as the
                module `mlflow`, with an active run.
            prefix: Goes before all names, and is a folder of the files: for several results in one
                run.
            per_query: Whether the files contain the values of queries, without which
                `relyon.read_results` cannot compare them later.

        Raises:
            ParameterError: If the tracker lacks one of the functions, two numbers get the same
                name, or values of queries were not kept.

        Examples:
            >>> import relyon
            >>> from types import SimpleNamespace
            >>> seen = {}
            >>> tracker = SimpleNamespace(
            ...     log_metrics=seen.update,
            ...     log_params=lambda _: None,
            ...     set_tags=lambda _: None,
            ...     log_text=lambda text, artifact_file: None,
            ... )
            >>> relyon.evaluate({"q": {"a": 1}}, {"q": {"b": 2, "a": 1}}, "rr@10").log(tracker)
            >>> seen
            {'rr_at_10': 0.5}
        """
        for one in NEEDED:
            if not callable(getattr(tracker, one, None)):
                raise ParameterError(
                    message("io.not-a-tracker", kind=type(tracker).__name__, name=one),
                    hint=message("io.give-mlflow"),
                )
        start = f"{tracker_name(prefix)}." if prefix else ""
        content = self.tracked_content()
        metrics, without = _metrics(content.numbers, start)
        facts = {name: value for name, value in content.facts.items() if value}
        if without:
            facts["without_value"] = ", ".join(without)
        files = {
            "results.json": self.to_json(per_query=per_query),
            "results.csv": self.to_csv() + "\n",
            "results.html": PAGE.format(self.to_html()),
        }
        if per_query:
            files["per_query.csv"] = self.to_csv(per_query=True) + "\n"
        tracker.log_metrics(metrics)
        tracker.log_params(
            {
                f"{start}relyon.{tracker_name(name)}": _shown(one)
                for name, one in content.rules.items()
            }
        )
        tracker.set_tags(
            {f"{start}relyon.{tracker_name(name)}": one for name, one in facts.items()}
        )
        folder = f"{tracker_name(prefix)}/{FOLDER}" if prefix else FOLDER
        for name, text in files.items():
            tracker.log_text(text, f"{folder}/{name}")


def _metrics(numbers: Mapping[str, float | None], start: str) -> tuple[dict[str, float], list[str]]:
    """Returns the numbers under their new names, and the names of those without a value."""
    metrics: dict[str, float] = {}
    given: dict[str, str] = {}
    for name, value in numbers.items():
        key = start + tracker_name(name)
        if key in given:
            raise ParameterError(
                message("io.tracked-names-collide", first=given[key], second=name, name=key),
                hint=message("io.log-them-apart"),
            )
        given[key] = name
        if value is not None and math.isfinite(value):
            metrics[key] = value
    return metrics, [name for key, name in given.items() if key not in metrics]


def _shown(value: object) -> str:
    import json

    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
