"""Two tables of one output as one CSV table."""

from __future__ import annotations

__all__ = ["joined_tables"]


def joined_tables(first: str, second: str) -> str:
    """Returns two CSV tables as one: their columns, then the rows of both.

    Columns that only one of both has are empty in the other.

    Examples:
        >>> print(joined_tables("a,b\\n1,2", "b,c\\n3,4"))
        a,b,c
        1,2,
        ,3,4
    """
    import csv
    import io

    tables = [[*csv.reader(io.StringIO(text))] for text in (first, second)]
    names = list(dict.fromkeys(name for heading, *_ in tables for name in heading))
    rows = [
        [dict(zip(heading, row, strict=True)).get(name, "") for name in names]
        for heading, *rows in tables
        for row in rows
    ]
    joined = io.StringIO()
    csv.writer(joined, lineterminator="\n").writerows([names, *rows])
    return joined.getvalue().rstrip("\n")
