"""Early stopping for LightGBM, XGBoost and CatBoost, as one of their callbacks."""

from __future__ import annotations

import sys
from typing import Any, Protocol

from relyon.core.errors import InputError, ParameterError
from relyon.core.packages import optional_package
from relyon.core.texts import message
from relyon.ltr.objectives.early_stopping import EarlyStopping, Rule
from relyon.ltr.objectives.engines import refuse_other_engine
from relyon.ltr.objectives.metric import Metric

__all__ = ["stopping"]


class LightGBMRound(Protocol):
    """LightGBM's argument of a callback."""

    iteration: int
    begin_iteration: int
    end_iteration: int
    evaluation_result_list: object


class CatBoostRound(Protocol):
    """CatBoost's argument of a callback."""

    iteration: int


class XGBoostModel(Protocol):
    """XGBoost's model in training."""

    def set_attr(self, **values: str) -> None: ...


class Watch:
    """The metric of the data set that an engine evaluates last.

    Attributes:
        decision: The stopping rule and its state.
    """

    def __init__(self, metric: Metric, decision: EarlyStopping) -> None:
        self.metric = metric
        self.decision = decision
        self._calls = 0

    def begin(self) -> None:
        """Forgets an earlier training."""
        self.decision.reset()
        self._calls = -1

    def look(self) -> bool:
        """Records a round, and returns whether to stop.

        Raises:
            InputError: If the engine did not call the metric.
        """
        last = self.metric.last
        calls = self.metric.calls
        if last is None or calls == self._calls:
            raise InputError(
                message("ltr.early-stopping-needs-metric"),
                hint=message("ltr.give-engine-metric"),
            )
        self._calls = calls
        first = self.metric.measures[0]
        values = None if last.values is None else last.values.get(first)
        return self.decision.update((last.numbers or {})[first], values)


class NotForXGBoost(Watch):
    """Early stopping of another engine, which XGBoost gets to know only to be refused."""

    def __init__(self, metric: Metric, decision: EarlyStopping) -> None:
        super().__init__(metric, decision)
        library = sys.modules.get("xgboost")
        if library is not None:
            library.callback.TrainingCallback.register(type(self))

    def before_training(self, model: object) -> None:
        """Refuses XGBoost, which calls this first.

        Raises:
            ParameterError: Always.
        """
        refuse_other_engine(self.metric.engine, "xgboost")


class LightGBMStopping(NotForXGBoost):
    """One of LightGBM's `callbacks`."""

    before_iteration = False
    best: object = None

    def __init__(self, metric: Metric, decision: EarlyStopping) -> None:
        super().__init__(metric, decision)
        # After `record_evaluation`, which would miss the last round. LightGBM reads it from the
        # instance, and ignores that of the class.
        self.order = 30

    def __call__(self, env: LightGBMRound) -> None:
        """Raises LightGBM's own exception to stop training."""
        if env.iteration == env.begin_iteration:
            self.begin()
        stop = self.look()
        if self.decision.best_round == len(self.decision.values) - 1:
            self.best = env.evaluation_result_list
        if stop or env.iteration == env.end_iteration - 1:
            library = optional_package("lightgbm", purpose=message("ltr.early-stopping"))
            best = self.decision.best_round + env.begin_iteration
            raise library.callback.EarlyStopException(best, self.best)


class CatBoostStopping(NotForXGBoost):
    """One of CatBoost's `callbacks`."""

    def after_iteration(self, info: CatBoostRound) -> bool:
        """Returns whether training goes on."""
        if info.iteration == 1:
            self.begin()
        return not self.look()


def xgboost_stopping(metric: Metric, decision: EarlyStopping) -> Watch:
    """Returns one of XGBoost's `callbacks`."""
    library = optional_package("xgboost", purpose=message("ltr.early-stopping"))

    class XGBoostStopping(Watch, library.callback.TrainingCallback):  # type: ignore[misc, name-defined]
        """One of XGBoost's `callbacks`."""

        def __call__(self, env: object) -> None:
            """Refuses LightGBM, which calls a callback."""
            refuse_other_engine("xgboost", "lightgbm")

        def before_training(self, model: XGBoostModel) -> XGBoostModel:
            self.begin()
            return model

        def after_iteration(self, model: XGBoostModel, epoch: int, evals_log: object) -> bool:
            stop = self.look()
            first = epoch + 1 - len(self.decision.values)
            model.set_attr(
                best_iteration=str(first + self.decision.best_round),
                best_score=repr(self.decision.best_value),
            )
            return stop

    return XGBoostStopping(metric, decision)


def stopping(
    metric: Metric, rule: Rule = "rounds", *, rounds: int | None = None, level: float = 0.05
) -> Any:
    """Returns early stopping for the engine of a metric, as one of its `callbacks`.

    The first measure of the metric decides, on the data set that the engine evaluates last: give
    the validation set last. Give the engine the metric, too. The attribute `decision` of the result
    has the best round and all values in full precision. `EarlyStopping` documents the rules, and
    the level of each round. LightGBM and XGBoost get the best round (`best_iteration`); CatBoost
    keeps it itself with ``use_best_model=True``, by its `eval_metric`, the same metric.

    Args:
        metric: The result of `relyon.ltr.feval`.
        rule: `rounds`, or `significance`: best − now over the validation queries is significantly
            above 0.
        rounds: Stop after this number of rounds without a better one.
        level: The significance level of the whole training.

    Raises:
        ParameterError: If the rule is `significance` and the first measure is not a mean over
            queries, or another parameter is invalid. Later: if another engine calls it.

    Examples:
        >>> import relyon.ltr
        >>> metric = relyon.ltr.feval("ndcg@10")
        >>> relyon.ltr.stopping(metric, "significance", level=0.01).decision
        EarlyStopping('significance', level=0.01)
    """
    if not isinstance(metric, Metric):
        raise ParameterError(
            message("ltr.not-a-metric", name=type(metric).__name__),
            hint=message("ltr.make-metric-by-feval"),
        )
    if isinstance(rule, int) and rounds is None:
        raise ParameterError(
            message("ltr.rule-is-number", value=rule),
            hint=message("ltr.give-number-of-rounds", value=rule),
        )
    decision = EarlyStopping(rule, rounds=rounds, level=level)
    if rule == "significance" and not metric.by_query:
        raise ParameterError(
            message(
                "ltr.is-not-mean-over-queries",
                measure=metric.measures[0],
            ),
            hint=message("ltr.choose-one-such-as-ndcg-10"),
        )
    if metric.engine == "xgboost":
        return xgboost_stopping(metric, decision)
    kinds = {"lightgbm": LightGBMStopping, "catboost": CatBoostStopping}
    return kinds[metric.engine](metric, decision)
