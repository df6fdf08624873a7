"""Types of Arrow that only newer versions write to Parquet."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq

__all__ = ["text_views"]


def text_views() -> list[pa.DataType]:
    """Returns the type of texts as views, where this Arrow writes it to Parquet."""
    try:
        held = pa.table({"text": pa.array(["a"]).cast(pa.string_view())})
        pq.write_table(held, pa.BufferOutputStream())
    except pa.ArrowNotImplementedError:
        return []
    return [pa.string_view()]
