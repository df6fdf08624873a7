"""The page of benchmarks: what is measured again is replaced, the rest stays."""

from __future__ import annotations

from bench.report import Outcome, markdown, read_sections
from bench.timing import Timing

FACTS = {"processor": "one core", "load when started": "0.1"}


def test_a_part_of_the_work_replaces_its_own_rows_only() -> None:
    first = [
        Outcome(
            "auc",
            [Timing("relyon", [1.0]), Timing("scikit-learn", [30.0]), Timing("np.sort", [0.1])],
        ),
        Outcome("letor", [Timing("relyon", [2.0]), Timing("scikit-learn", [30.0])]),
    ]
    page = markdown(first, FACTS, "2026-01-01", 1)
    again = [Outcome("letor", [Timing("relyon", [1.0]), Timing("scikit-learn", [40.0])])]
    merged = markdown(again, FACTS, "2026-02-02", 1, read_sections(page))
    assert (
        "| Pooled AUC | scikit-learn / relyon | 30.0 × | 300 × (np.sort) | at least 20 | yes |"
        in merged
    )
    assert "| scikit-learn / relyon | 40.0 × |" in merged
    assert "15.0 ×" in page
    assert "15.0 ×" not in merged
    auc, letor = merged.split("\n## Pooled AUC\n")[1].split("\n## LETOR text")
    assert "Measured on 2026-01-01; one core; load 0.1." in auc
    assert "Measured on 2026-02-02" in letor
    # What nobody measured again is written the same.
    assert markdown([], FACTS, "2026-02-02", 1, read_sections(merged)) == markdown(
        again, FACTS, "2026-02-02", 1, read_sections(merged)
    )


def test_a_page_that_says_its_date_once_keeps_it() -> None:
    old = "# Benchmarks\n\nWritten by x on 2025-05-05.\n\n## Targets\n\n## Pooled AUC\n\nWords.\n"
    assert read_sections(old)["Pooled AUC"].lines == ("Words.", "", "Measured on 2025-05-05.")
