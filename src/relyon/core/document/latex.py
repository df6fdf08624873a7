"""A table in LaTeX, for the package booktabs."""

from __future__ import annotations

from relyon.core.document.model import Cell, Table

__all__ = ["render_latex"]

#: What LaTeX, or its old font encoding, would not print as it is.
SIGNS = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": "$<$",
    ">": "$>$",
    "|": "$|$",
    "≤": r"$\le$",
    "≥": r"$\ge$",
}


def render_latex(table: Table, *, caption: str, label: str) -> str:
    r"""Returns a table in LaTeX, with its text escaped.

    Args:
        table: The table; its own caption and notes are left out.
        caption: The sentences above it.
        label: The name for references, such as ``tab:results``.

    Examples:
        >>> table = Table(["Run", "NDCG@10"], [["a_b", Cell("0.5", strong=True)]])
        >>> print(render_latex(table, caption="Two runs.", label="tab:results"))
        \begin{table}
        \centering
        \caption{Two runs.}
        \label{tab:results}
        \begin{tabular}{lr}
        \toprule
        Run & NDCG@10 \\
        \midrule
        a\_b & \textbf{0.5} \\
        \bottomrule
        \end{tabular}
        \end{table}
    """
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{_escaped(caption)}}}",
        rf"\label{{{label}}}",
        rf"\begin{{tabular}}{{{''.join('l' if text else 'r' for text in table.of_text())}}}",
        r"\toprule",
        " & ".join(map(_escaped, table.headings)) + r" \\",
        r"\midrule",
    ]
    lines += [" & ".join(map(_cell, row)) + r" \\" for row in table.cells()]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", r"\end{table}"])


def _escaped(text: str) -> str:
    return "".join(SIGNS.get(sign, sign) for sign in text)


def _cell(cell: Cell) -> str:
    text = _escaped(cell.text)
    text = rf"\textbf{{{text}}}" if cell.strong else text
    return text + (rf"\textsuperscript{{{cell.above}}}" if cell.above else "")
