"""How `relyon trec_eval` ends where files are odd: as trec_eval 10 does."""

from __future__ import annotations

from pathlib import Path

import pytest

from relyon.compat.trec_eval import TrecEvalError, parse, run

JUDGED = "q1 0 a 1\nq1 0 b 0\n"


def outcome(folder: Path, results: str, *options: str, judged: str = JUDGED) -> tuple[str, int]:
    (folder / "qrels").write_text(judged)
    (folder / "run").write_text(results)
    parts: list[str] = []
    try:
        run(parse([*options, str(folder / "qrels"), str(folder / "run")]), parts.append)
    except TrecEvalError as failure:
        return "".join(parts), failure.code
    return "".join(parts), 0


def test_a_document_that_occurs_twice_ends_it_with_4(tmp_path: Path) -> None:
    assert outcome(tmp_path, "q1 Q0 a 1 2 r\nq1 Q0 a 2 1 r\n") == ("", 4)
    results = "q1 Q0 a 1 2 r\nq1 Q0 b 2 1 r\n"
    assert outcome(tmp_path, results, judged="q1 0 a 1\nq1 0 a 0\n") == ("", 4)


@pytest.mark.parametrize(
    ("score", "value"),
    [("5x", ".5000"), ("x", "1.0000"), ("inf", ".5000"), ("0x10", ".5000"), ("-3e2z", "1.0000"),
     ("1d3", "1.0000")],
)  # fmt: skip
def test_text_scores_are_the_numbers_that_they_begin_with(
    tmp_path: Path, score: str, value: str
) -> None:
    """What trec_eval 10 prints for these: C's atof reads a prefix, and 0 if there is none."""
    results = f"q1 Q0 a 1 2.0 r\nq1 Q0 b 2 {score} r\n"
    text, code = outcome(tmp_path, results, "-m", "recip_rank", "-m", "runid")
    assert (code, text.splitlines()[-1].endswith(value)) == (0, True)
    assert text.splitlines()[0].split() == ["runid", "all", "r"]


def test_no_document_of_a_query_counts_with_m_0(tmp_path: Path) -> None:
    """A query whose documents are all cut off is not missing from the results."""
    results = "q1 Q0 a 1 2 r\nq1 Q0 b 2 1 r\n"
    text, code = outcome(tmp_path, results, "-M", "0")
    assert (code, len(text.splitlines())) == (0, 30)
    values = {line.split()[0]: line.split()[2] for line in text.splitlines()}
    assert (values["num_q"], values["num_ret"], values["num_rel"]) == ("1", "0", "1")
    assert (values["map"], values["P_5"], values["gm_map"]) == ("0.0000", "0.0000", "0.0000")
    assert outcome(tmp_path, results, "-M", "0", judged=JUDGED + "q2 0 a 1\n")[1] == 4


def test_a_line_without_a_score_ends_it_with_2(tmp_path: Path) -> None:
    assert outcome(tmp_path, "q1 Q0 a 1\n")[1] == 2
