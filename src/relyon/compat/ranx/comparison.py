"""ranx's `compare`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

from relyon.analysis.statistics import paired_test
from relyon.compat.ranx.evaluation import evaluate
from relyon.compat.ranx.qrels_and_run import Qrels, Run
from relyon.compat.ranx.report import TESTS, Report
from relyon.core.errors import ParameterError
from relyon.core.packages import scipy_part
from relyon.core.parameters import check_choice
from relyon.core.texts import message

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["compare"]


def compare(
    qrels: Qrels,
    runs: Sequence[Run],
    metrics: Sequence[str] | str,
    stat_test: str = "student",
    n_permutations: int = 1000,
    max_p: float = 0.01,
    random_seed: int = 42,
    threads: int = 0,
    rounding_digits: int = 3,
    show_percentages: bool = False,
    make_comparable: bool = False,
) -> Report:
    """Compares runs as ranx does. `relyon.compare` returns more, and corrects for many comparisons.

    Args:
        qrels: The judgments.
        runs: The runs; names must differ, or be absent.
        metrics: One name or several, as in `evaluate`.
        stat_test: `student`, `fisher` (a randomisation test) or `tukey` (SciPy's `tukey_hsd`, which
            does not pair the queries).
        n_permutations: Of `fisher`; p is never below 1 / (n_permutations + 1).
        max_p: The significance level.
        random_seed: Of `fisher`.
        threads: Threads to use; 0 uses all cores.
        rounding_digits: Digits in tables.
        show_percentages: Whether tables contain percentages.
        make_comparable: As in `evaluate`.

    Raises:
        InputError: If qrels and runs do not have the same queries.
        ValueError: If a metric or test is unknown, or two runs have the same name.

    Examples:
        >>> qrels = Qrels({f"q{n}": {"a": 1} for n in range(9)})
        >>> good = Run({f"q{n}": {"a": 2.0, "b": 1.0} for n in range(9)}, name="good")
        >>> poor = Run({f"q{n}": {"b": 2.0, "a": 1.0} for n in range(9)}, name="poor")
        >>> compare(qrels, [good, poor], ["mrr"])
        #    Model    MRR
        ---  -------  ------
        a    good     1.000ᵇ
        b    poor     0.500
    """
    check_choice("stat_test", stat_test, list(TESTS))
    names = [
        run.name if run.name is not None else f"run_{place}" for place, run in enumerate(runs, 1)
    ]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ParameterError(
            message("core.two-runs-have-name", twice=twice),
            hint=message("compat.give-each-name"),
        )
    wanted = [metrics] if isinstance(metrics, str) else list(metrics)
    values: dict[str, dict[str, NDArray[np.float64]]] = {}
    for name, run in zip(names, runs, strict=True):
        found = evaluate(
            qrels,
            run,
            wanted,
            return_mean=False,
            threads=threads,
            make_comparable=make_comparable,
        )
        values[name] = found if len(set(wanted)) > 1 else {wanted[0]: found}

    def p_value(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
        test = "t" if stat_test == "student" else "permutation"
        return paired_test(test, one - other, resamples=n_permutations, seed=random_seed).p

    find = _tukey if stat_test == "tukey" else _pairwise(p_value)
    comparisons: dict[frozenset[str], dict[str, dict[str, float]]] = {
        frozenset(pair): {} for pair in combinations(names, 2)
    }
    for metric in wanted:
        for pair, p in find({name: values[name][metric] for name in names}).items():
            comparisons[pair][metric] = {"p_value": p, "significant": bool(p <= max_p)}
    return Report(
        model_names=names,
        results={
            name: {metric: float(values[name][metric].mean()) for metric in wanted}
            for name in names
        },
        comparisons=comparisons,
        metrics=wanted,
        max_p=max_p,
        win_tie_loss={
            (one, other): {
                metric: _win_tie_loss(values[one][metric], values[other][metric])
                for metric in wanted
            }
            for one in names
            for other in names
            if one != other
        },
        rounding_digits=rounding_digits,
        show_percentages=show_percentages,
        stat_test=stat_test,
    )


def _pairwise(
    p_value: Callable[[NDArray[np.float64], NDArray[np.float64]], float],
) -> Callable[[dict[str, NDArray[np.float64]]], dict[frozenset[str], float]]:
    return lambda values: {
        frozenset(pair): p_value(values[pair[0]], values[pair[1]])
        for pair in combinations(values, 2)
    }


def _tukey(values: dict[str, NDArray[np.float64]]) -> dict[frozenset[str], float]:
    tukey_hsd = scipy_part("stats").tukey_hsd

    p = tukey_hsd(*values.values()).pvalue
    names = list(values)
    return {
        frozenset((names[row], names[column])): float(p[row, column])
        for row, column in combinations(range(len(names)), 2)
    }


def _win_tie_loss(one: NDArray[np.float64], other: NDArray[np.float64]) -> dict[str, int]:
    return {
        "W": int((one > other).sum()),
        "T": int((one == other).sum()),
        "L": int((one < other).sum()),
    }
