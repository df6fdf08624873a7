"""relkit measures, explains and improves search relevance.

One definition of every measure, every rule explicit, everywhere the same:

    >>> import relkit
    >>> judgments = {"q1": {"d1": 3, "d2": 2, "d3": 0}}
    >>> run = {"q1": {"d2": 1.5, "d1": 1.2, "d3": 0.3}}
    >>> results = relkit.evaluate(judgments, run, ["ndcg@10", "rr@10"])
    >>> round(results["ndcg@10"], 4), results["rr@10"]
    (0.9134, 1.0)
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from relkit._native import __version__
    from relkit.attribution import Funnel, funnel
    from relkit.comparison import (
        Comparison,
        Contrast,
        compare,
        compare_results,
        compare_values,
    )
    from relkit.convention import Convention, presets
    from relkit.curves import classify, precision_recall_curve, roc_curve
    from relkit.diagnosis import Finding, OnlineData, diagnose
    from relkit.errors import (
        CheckError,
        DependencyError,
        InputError,
        ParameterError,
        ParseError,
        RelkitError,
        StrictError,
        UnknownNameError,
    )
    from relkit.evaluation import Accumulator, Evaluator, evaluate, evaluate_scores
    from relkit.explanation import Change, Explanation, explain, explain_change
    from relkit.fusion import FusionSearch, fuse, optimize_fusion, train_fusion
    from relkit.io import (
        read_judgments,
        read_run,
        read_scored,
        write_judgments,
        write_run,
    )
    from relkit.io.sessions import read_sessions, write_sessions
    from relkit.judgments import Judgments
    from relkit.measures import Measure, Step, measure, register
    from relkit.monitoring import Monitor, Round, make_round, monitor, read_rounds, write_round
    from relkit.notes import Note
    from relkit.ranking import Ranking
    from relkit.report import write_monitor_report, write_report
    from relkit.results import Entry, Results
    from relkit.run import Run
    from relkit.sampling import Pool, Sample, draw_sample, make_pool, read_sample
    from relkit.scale import Level, Scale, scales
    from relkit.sessions import Sessions

# Where each public name lives. They are imported when first used, so that a small job pays for
# what it needs only.
_HOMES = {
    "Accumulator": "evaluation",
    "Change": "explanation",
    "CheckError": "errors",
    "Comparison": "comparison",
    "Contrast": "comparison",
    "Convention": "convention",
    "DependencyError": "errors",
    "Entry": "results",
    "Evaluator": "evaluation",
    "Explanation": "explanation",
    "Finding": "diagnosis",
    "Funnel": "attribution",
    "FusionSearch": "fusion",
    "InputError": "errors",
    "Judgments": "judgments",
    "Level": "scale",
    "Measure": "measures",
    "Monitor": "monitoring",
    "Note": "notes",
    "OnlineData": "diagnosis",
    "ParameterError": "errors",
    "ParseError": "errors",
    "Pool": "sampling",
    "Ranking": "ranking",
    "RelkitError": "errors",
    "Results": "results",
    "Round": "monitoring",
    "Run": "run",
    "Sample": "sampling",
    "Scale": "scale",
    "Sessions": "sessions",
    "Step": "measures",
    "StrictError": "errors",
    "UnknownNameError": "errors",
    "__version__": "_native",
    "classify": "curves",
    "compare": "comparison",
    "compare_results": "comparison",
    "compare_values": "comparison",
    "diagnose": "diagnosis",
    "discriminative_power": "agreement",
    "draw_sample": "sampling",
    "evaluate": "evaluation",
    "evaluate_scores": "evaluation",
    "explain": "explanation",
    "explain_change": "explanation",
    "funnel": "attribution",
    "fuse": "fusion",
    "make_pool": "sampling",
    "make_round": "monitoring",
    "measure": "measures",
    "monitor": "monitoring",
    "optimize_fusion": "fusion",
    "precision_recall_curve": "curves",
    "presets": "convention",
    "rank_correlation": "agreement",
    "read_judgments": "io",
    "read_rounds": "monitoring",
    "read_run": "io",
    "read_sample": "sampling",
    "read_scored": "io",
    "read_sessions": "io.sessions",
    "register": "measures",
    "roc_curve": "curves",
    "scales": "scale",
    "train_fusion": "fusion",
    "write_judgments": "io",
    "write_monitor_report": "report",
    "write_report": "report",
    "write_round": "monitoring",
    "write_run": "io",
    "write_sessions": "io.sessions",
}

__all__ = [
    "Accumulator",
    "Change",
    "CheckError",
    "Comparison",
    "Contrast",
    "Convention",
    "DependencyError",
    "Entry",
    "Evaluator",
    "Explanation",
    "Finding",
    "Funnel",
    "FusionSearch",
    "InputError",
    "Judgments",
    "Level",
    "Measure",
    "Monitor",
    "Note",
    "OnlineData",
    "ParameterError",
    "ParseError",
    "Pool",
    "Ranking",
    "RelkitError",
    "Results",
    "Round",
    "Run",
    "Sample",
    "Scale",
    "Sessions",
    "Step",
    "StrictError",
    "UnknownNameError",
    "__version__",
    "classify",
    "compare",
    "compare_results",
    "compare_values",
    "diagnose",
    "discriminative_power",
    "draw_sample",
    "evaluate",
    "evaluate_scores",
    "explain",
    "explain_change",
    "funnel",
    "fuse",
    "make_pool",
    "make_round",
    "measure",
    "monitor",
    "optimize_fusion",
    "precision_recall_curve",
    "presets",
    "rank_correlation",
    "read_judgments",
    "read_rounds",
    "read_run",
    "read_sample",
    "read_scored",
    "read_sessions",
    "register",
    "roc_curve",
    "scales",
    "train_fusion",
    "write_judgments",
    "write_monitor_report",
    "write_report",
    "write_round",
    "write_run",
    "write_sessions",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'relkit' has no attribute {name!r}")
    from importlib import import_module

    value: object = getattr(import_module(f"relkit.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
