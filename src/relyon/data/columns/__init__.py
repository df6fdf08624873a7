"""Columns of any data frame: their roles, ids as text, numbers as numbers.

Judgments, runs and labelled scores all come from tables of rows. This package finds their columns
by name, converts them for the native tables and, if those refuse, names the first bad row.
"""

from relyon.data.columns.evidence import judgment_rows
from relyon.data.columns.faults import Record, diagnose, refuse, rows_of
from relyon.data.columns.fields import (
    NAMED_GRADES,
    from_values,
    language_of,
    missing,
    number,
    number_hint,
    parse_grade,
    same_length,
    scaled,
    to_ids,
    to_numbers,
    to_text,
)
from relyon.data.columns.frames import (
    arrow_columns,
    is_frame,
    is_table,
    named_series,
    polars_columns,
)
from relyon.data.columns.native_tables import (
    RunColumns,
    blank_grades,
    judgment_table,
    missing_grades,
    order_of,
    refuse_run,
    run_columns,
    run_table,
    score_notes,
)
from relyon.data.columns.roles import (
    EVIDENCE_NAMES,
    ITEM_NAMES,
    KINDS,
    LABELLING,
    NAMES,
    best_columns,
    choose,
    feature_name,
    feature_role,
    named_twice,
    plain_name,
    role_of,
    synonyms_of,
)
from relyon.data.columns.synonyms import ITEM_LEVELS

__all__ = [
    "EVIDENCE_NAMES",
    "ITEM_LEVELS",
    "ITEM_NAMES",
    "KINDS",
    "LABELLING",
    "NAMED_GRADES",
    "NAMES",
    "Record",
    "RunColumns",
    "arrow_columns",
    "best_columns",
    "blank_grades",
    "choose",
    "diagnose",
    "feature_name",
    "feature_role",
    "from_values",
    "is_frame",
    "is_table",
    "judgment_rows",
    "judgment_table",
    "language_of",
    "missing",
    "missing_grades",
    "named_series",
    "named_twice",
    "number",
    "number_hint",
    "order_of",
    "parse_grade",
    "plain_name",
    "polars_columns",
    "refuse",
    "refuse_run",
    "role_of",
    "rows_of",
    "run_columns",
    "run_table",
    "same_length",
    "scaled",
    "score_notes",
    "synonyms_of",
    "to_ids",
    "to_numbers",
    "to_text",
]
