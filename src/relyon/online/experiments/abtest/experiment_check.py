"""Checks of an A/B test: inputs and findings."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, TypeVar

from relyon.core.registry import Registry
from relyon.online.experiments.abtest.traffic import Traffic
from relyon.online.logs import Finding

__all__ = ["ExperimentCheck", "Skipped", "Threat", "experiment_checks", "register_check"]


@dataclass(frozen=True)
class Threat(Finding):
    """One thing that keeps an A/B test from being read: how many it concerns, and what to do."""

    area: ClassVar[str] = "experiments"


@dataclass(frozen=True)
class Skipped:
    """A check that could not be made.

    Attributes:
        kind: The check.
        reason: Why, as a key of the texts.
    """

    kind: str
    reason: str


@dataclass(frozen=True)
class ExperimentCheck(ABC):
    """Looks for one thing. Derive, give it a `name`, `register_check` it.

    Attributes:
        name: The name of its finding.
        planned: The share of each arm that was planned; equal shares where it is empty.
    """

    name: ClassVar[str]
    planned: Mapping[str, float] = field(default_factory=dict)

    @abstractmethod
    def apply(self, traffic: Traffic) -> Threat | Skipped | None:
        """Returns the finding, why the check was impossible, or None if nothing is wrong."""


C = TypeVar("C", bound="type[ExperimentCheck]")

#: The modules of the checks, in the order in which they are made.
MODULES = ("assignment", "comparability", "interference")

experiment_checks: Registry[type[ExperimentCheck]] = Registry(
    "check", modules=[f"relyon.online.experiments.abtest.{name}" for name in MODULES]
)


def register_check(check: C) -> C:
    """Adds a class of checks to those that `check_experiment` makes."""
    return experiment_checks.register(check)
