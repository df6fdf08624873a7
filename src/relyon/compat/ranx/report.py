"""ranx's `Report` of a comparison, and its report of a parameter search."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from relyon.core.packages import optional_package
from relyon.core.texts import message

if TYPE_CHECKING:
    import pandas
    from rich.table import Table

__all__ = ["OptimizationReport", "Report", "metric_label"]

LETTERS = "abcdefghijklmnopqrstuvwxyz"
SUPERSCRIPTS = "ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖ۹ʳˢᵗᵘᵛʷˣʸᶻ"
LABELS = {
    "hits": "Hits",
    "hit_rate": "Hit Rate",
    "precision": "P",
    "recall": "Recall",
    "f1": "F1",
    "r-precision": "R-Prec",
    "mrr": "MRR",
    "map": "MAP",
    "dcg": "DCG",
    "dcg_burges": "DCG Burges",
    "ndcg": "NDCG",
    "ndcg_burges": "NDCG Burges",
    "bpref": "BPref",
}
TESTS = {
    "fisher": "Fisher's randomization test",
    "student": "paired Student's t-test",
    "tukey": "Tukey's HSD test",
}
METHODS = {
    "logn_isr": ("LogN_ISR", "Sigma"),
    "gmnz": ("GMNZ", "Gamma"),
    "mixed": ("Mixed", "Weights"),
    "probfuse": ("ProbFuse", "# Segments"),
    "rbc": ("RBC", "phi"),
    "rrf": ("RRF", "k"),
    "slidefuse": ("SlideFuse", "w"),
    "w_bordafuse": ("Weighted BordaFuse", "Weights"),
    "w_condorcet": ("Weighted Condorcet", "Weights"),
    "wmnz": ("WMNZ", "Weights"),
    "wsum": ("Weighted SUM", "Weights"),
}

Comparisons = Mapping[frozenset[str], Mapping[str, Mapping[str, float]]]


def metric_label(metric: str) -> str:
    """Returns a metric's name in tables.

    Examples:
        >>> metric_label("ndcg@10-l2")
        'NDCG@10-l2'
    """
    name, mark, level = metric.partition("-l")
    name, at, cutoff = name.partition("@")
    shown = name.upper() if name.startswith("rbp.") else LABELS.get(name, name)
    return shown + at + cutoff + mark + level


class _Scores:
    """Formats scores."""

    rounding_digits: int
    show_percentages: bool

    def format_score(self, score: float) -> str:
        """Returns a score with the requested digits."""
        digits = self.rounding_digits
        if self.show_percentages:
            return f"{round(score * 100, max(0, digits - 2)):.{digits - 2}f}"
        return f"{round(score, digits):.{digits}f}"


class Report(_Scores):
    """The result of `compare`.

    Attributes:
        model_names: The runs, in their order.
        results: The means, by run and metric.
        comparisons: `p_value` and `significant` by pair of runs (a frozenset) and metric.
        metrics: The metrics.
        max_p: The significance level.
        win_tie_loss: Queries won (W), tied (T) and lost (L), by pair (a tuple) and metric.
        rounding_digits: Digits in tables.
        show_percentages: Whether tables contain percentages.
        stat_test: `student`, `fisher` or `tukey`.
    """

    def __init__(
        self,
        model_names: list[str],
        results: dict[str, dict[str, float]],
        comparisons: Comparisons,
        metrics: list[str],
        max_p: float,
        win_tie_loss: dict[tuple[str, str], dict[str, dict[str, int]]],
        rounding_digits: int = 3,
        show_percentages: bool = False,
        stat_test: str = "student",
    ) -> None:
        self.model_names = model_names
        self.results = results
        self.comparisons = comparisons
        self.metrics = metrics
        self.max_p = max_p
        self.win_tie_loss = win_tie_loss
        self.rounding_digits = rounding_digits
        self.show_percentages = show_percentages
        self.stat_test = stat_test

    def get_metric_label(self, m: str) -> str:
        """Returns a metric's name in tables."""
        return metric_label(m)

    def get_stat_test_label(self, stat_test: str) -> str:
        """Returns a test's name in tables."""
        return TESTS[stat_test]

    def _beaten(self, model: str, metric: str) -> list[bool]:
        """Returns, for each run, whether this one is significantly better."""
        return [
            model != other
            and bool(self.comparisons[frozenset((model, other))][metric]["significant"])
            and self.results[model][metric] > self.results[other][metric]
            for other in self.model_names
        ]

    def to_table(self) -> str:
        """Returns the table as text."""
        rows = []
        for letter, model in zip(LETTERS, self.model_names, strict=False):
            row = [letter, model]
            for metric in self.metrics:
                beaten = zip(SUPERSCRIPTS, self._beaten(model, metric), strict=False)
                marks = "".join(sign for sign, better in beaten if better)
                row.append(self.format_score(self.results[model][metric]) + marks)
            rows.append(row)
        return _simple_table(["#", "Model", *map(metric_label, self.metrics)], rows)

    def to_latex(self) -> str:
        """Returns the table in LaTeX, with the packages for the preamble."""
        best = {metric: self._best(metric) for metric in self.metrics}
        rows = []
        for letter, model in zip(LETTERS, self.model_names, strict=False):
            cells = []
            for metric in self.metrics:
                score = self.format_score(self.results[model][metric])
                if best[metric] == model:
                    score = f"\\textbf{{{score}}}"
                beaten = list(zip(LETTERS, self._beaten(model, metric), strict=False))
                above = "".join(sign for sign, better in beaten if better)
                own = self.model_names.index(model)
                beside = "".join(
                    sign
                    for place, (sign, better) in enumerate(beaten)
                    if not better and place != own
                )
                cells.append(f"{score}$^{{{above}}}$\\hphantom{{$^{{{beside}}}$}} ")
            rows.append(f"{letter} &\n{model} &\n" + "&\n".join(cells) + "\\\\")
        body = "\n".join(rows).replace("_", "\\_").replace("$^{}$", "")
        heads = "".join(f"\n& \\textbf{{{metric_label(metric)}}}" for metric in self.metrics)
        return (
            "========================\n% Add in preamble\n\\usepackage{graphicx}\n"
            "\\usepackage{booktabs}\n========================\n\n\n"
            "% To change the table size, act on the resizebox argument `0.8`.\n"
            "\\begin{table*}[ht]\n\\centering\n\\caption{\nOverall effectiveness of the models.\n"
            "The best results are highlighted in boldface.\nSuperscripts denote significant"
            f" differences in {self.get_stat_test_label(self.stat_test)} with"
            f" $p \\le {self.max_p}$.\n}}\n\\resizebox{{0.8\\textwidth}}{{!}}{{\n"
            f"\\begin{{tabular}}{{c|l{'|c' * len(self.metrics)}}}\n\\toprule\n\\textbf{{\\#}}\n"
            f"& \\textbf{{Model}}{heads} \\\\ \n\\midrule\n{body}\n"
            "\\bottomrule\n\\end{tabular}\n}\n\\label{tab:results}\n\\end{table*}"
        )

    def _best(self, metric: str) -> str | None:
        """Returns the first run with the highest score as shown; None if all are 0."""
        best, found = 0.0, None
        for model in self.model_names:
            score = round(self.results[model][metric], self.rounding_digits)
            if score > best:
                best, found = score, model
        return found

    def to_dict(self) -> dict[str, Any]:
        """Returns everything as plain dicts: scores, p-values and wins, ties and losses by run."""
        whole: dict[str, object] = {
            "stat_test": self.stat_test,
            "metrics": self.metrics,
            "model_names": self.model_names,
        }
        for model in self.model_names:
            others = [other for other in self.model_names if other != model]
            whole[model] = {
                "scores": self.results[model],
                "comparisons": {
                    other: {
                        metric: self.comparisons[frozenset((model, other))][metric]["p_value"]
                        for metric in self.metrics
                    }
                    for other in others
                },
                "win_tie_loss": {
                    other: {
                        metric: self.win_tie_loss[model, other][metric] for metric in self.metrics
                    }
                    for other in others
                },
            }
        return whole

    def to_dataframe(self) -> pandas.DataFrame:
        """Returns the means as a pandas frame, one row per run.

        Raises:
            DependencyError: If pandas is not installed.
        """
        library = optional_package("pandas", purpose=message("core.pandas-frame"))
        rows = [{"model_names": name} | self.results[name] for name in self.model_names]
        frame: pandas.DataFrame = library.DataFrame(rows, columns=["model_names", *self.metrics])
        return frame

    def save(self, path: str | PathLike[str]) -> None:
        """Writes `to_dict` as JSON."""
        Path(path).write_text(json.dumps(self.to_dict(), indent=4), encoding="utf-8")

    def print_results(self) -> None:
        """Prints the means as JSON."""
        print(json.dumps(self.results, indent=4))

    def __repr__(self) -> str:
        return self.to_table()


def _simple_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Returns a table as the package tabulate writes it: columns of numbers by their points."""
    columns = []
    for place, head in enumerate(heads):
        cells = [row[place] for row in rows]
        numbers = all(map(_is_number, cells))
        if numbers:
            cells = [f"{float(cell):g}" for cell in cells]
            after = [len(cell) - cell.index(".") if "." in cell else 0 for cell in cells]
            cells = [
                cell + " " * (max(after) - behind)
                for cell, behind in zip(cells, after, strict=True)
            ]
        width = max(len(head) + 2, *map(len, cells))
        column = [head, "-" * width, *cells]
        columns.append([cell.rjust(width) if numbers else cell.ljust(width) for cell in column])
    return "\n".join("  ".join(line).rstrip() for line in zip(*columns, strict=True))


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


class OptimizationReport(_Scores):
    """Every setting that `optimize_fusion` tried.

    Attributes:
        method: The fusion method.
        configs: The settings as text.
        results: The metric's mean of each.
        metric: The metric.
        rounding_digits: Digits in the table.
        show_percentages: Whether the table contains percentages.
    """

    def __init__(
        self,
        method: str,
        configs: list[str],
        results: list[float],
        metric: str,
        rounding_digits: int = 3,
        show_percentages: bool = False,
    ) -> None:
        self.method = method
        self.configs = configs
        self.results = results
        self.metric = metric
        self.rounding_digits = rounding_digits
        self.show_percentages = show_percentages

    def to_table(self) -> Table:
        """Returns the table for rich, with the best setting highlighted."""
        from rich.table import Table

        title, parameter = METHODS[self.method]
        table = Table(title=title)
        for head in (parameter, metric_label(self.metric)):
            table.add_column(header=head, header_style="bold magenta", justify="center")
        best = self.results.index(max(self.results))
        for place, (config, score) in enumerate(zip(self.configs, self.results, strict=True)):
            cells = (config, self.format_score(score))
            style = "bold green" if place == best else None
            table.add_row(*cells, style=style)
        return table

    def __repr__(self) -> str:
        from rich.console import Console

        text = io.StringIO()
        Console(file=text, force_jupyter=False).print(self.to_table())
        return text.getvalue()
