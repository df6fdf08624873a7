"""Off-policy estimators: the base class, its inputs, and the registry."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Literal

from relyon.core.registry import Registry
from relyon.core.texts import Text
from relyon.labels.off_policy.reward_model import RewardModel, fit_rewards
from relyon.labels.off_policy.weights import Level, Weights, weigh

if TYPE_CHECKING:
    from relyon.labels.model import ClickModel
    from relyon.labels.off_policy.choices import Choices
    from relyon.labels.off_policy.feedback import Feedback, Values

__all__ = ["MODULES", "Estimator", "Evidence", "Terms", "barely", "estimators", "register"]

#: Below both there is no estimate: effective sessions, and their share of all sessions.
LEAST_EFFECTIVE, LEAST_SHARE = 5, 0.01

#: The modules of the estimators, with the name that each registers.
MODULES = {
    f"relyon.labels.off_policy.estimators.{module}": name
    for module, name in (
        ("ips", "ips"),
        ("snips", "snips"),
        ("doubly_robust", "dr"),
        ("item_position", "item-position"),
        ("cascade", "cascade-dr"),
        ("direct", "dm"),
        ("click_model", "click-model"),
    )
}

#: Every off-policy estimator by its name.
estimators: Registry[type[Estimator]] = Registry("off-policy estimator", modules=MODULES)


def register(estimator: type[Estimator]) -> type[Estimator]:
    """Adds an off-policy estimator: a class decorator."""
    return estimators.register(estimator)


@dataclass(frozen=True)
class Evidence:
    """The input of estimators: a candidate on a log's decisions.

    Attributes:
        choices: The candidate on the log's decisions.
        click_model: The click model of the estimator of that name.
    """

    choices: Choices
    click_model: ClickModel
    _weights: dict[Level, Weights] = field(default_factory=dict, compare=False, repr=False)

    @property
    def feedback(self) -> Feedback:
        """The log."""
        return self.choices.feedback

    @property
    def chances(self) -> bool:
        """Whether the candidate's lists are not known: only how likely documents are at places."""
        return not self.choices.ranking and self.feedback.places > 1

    def weights(self, level: Level) -> Weights:
        """Returns the weights of a level, computed once."""
        if level not in self._weights:
            self._weights[level] = weigh(self.choices, level)
        return self._weights[level]

    @cached_property
    def rewards(self) -> RewardModel:
        """The rewards of each part of the log, predicted from the other parts."""
        return fit_rewards(self.choices)


def barely(evidence: Evidence, level: Level) -> Text | None:
    """Returns why a log cannot evaluate a candidate: it shows none of it, or hardly any; or None.

    Fewer than five effective sessions, (Σ w)² / Σ w², that are less than 1% of all of them, would
    decide the number by chance, as in the log of a ranker that hardly varies.

    Args:
        evidence: The candidate on the log's decisions.
        level: What is compared.
    """
    overlap = evidence.weights(level).overlap
    if overlap.matches == 0:
        return Text(f"offpolicy.refused.{level}")
    sessions = len(evidence.feedback)
    if overlap.effective < min(LEAST_EFFECTIVE, LEAST_SHARE * sessions):
        values = {"effective": f"{overlap.effective:.1f}", "sessions": sessions}
        return Text("offpolicy.refused.few", values)
    return None


@dataclass(frozen=True)
class Terms:
    """The contributions of sessions: the estimate is Σ numerator / Σ denominator.

    Attributes:
        numerator: Shape (n,).
        denominator: Shape (n,); None for the number of sessions.
        low: A lower bound of the numerators.
        high: An upper bound of the numerators.
        certain: Whether the estimate rests on the sessions alone. Otherwise a model contributes an
            error that they do not show, and there is no interval.
        ordered: Whether no term depends on later sessions, so that always-valid intervals exist.
    """

    numerator: Values
    denominator: Values | None
    low: float
    high: float
    certain: bool = True
    ordered: bool = True


class Estimator(ABC):
    """An off-policy estimator.

    Attributes:
        name: Its name.
        level: What its weights are of; None for one without weights.
        lists: Whether it needs to know the candidate's lists as a whole.
        unseen: How it treats results that the log never showed: they earn nothing (`zero`), the
            estimate covers the rest alone (`part`), or a model replaces them.
    """

    name: ClassVar[str]
    level: ClassVar[Level | None]
    lists: ClassVar[bool] = True
    unseen: ClassVar[Literal["zero", "part", "model"]] = "model"

    def refusal(self, evidence: Evidence) -> Text | None:
        """Returns why there is no estimate, or None.

        Args:
            evidence: The candidate on the log's decisions.
        """
        if self.lists and evidence.chances:
            return Text("offpolicy.refused.lists")
        return None if self.level is None else barely(evidence, self.level)

    @abstractmethod
    def terms(self, evidence: Evidence) -> Terms:
        """Returns the contribution of each session.

        Args:
            evidence: The candidate on the log's decisions.
        """
