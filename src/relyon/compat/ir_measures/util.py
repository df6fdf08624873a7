"""The names of ir_measures' module `util`."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

from relyon.compat.ir_measures.inputs import (
    QrelsConverter,
    RunConverter,
    Source,
    read_trec_qrels,
    read_trec_run,
)
from relyon.compat.ir_measures.measure_names import parse_measure, parse_trec_measure
from relyon.compat.ir_measures.model import CalcResults, Measure, Metric
from relyon.compat.ir_measures.records import (
    GenericQrel,
    GenericScoredDoc,
    Qrel,
    ScoredDoc,
)

__all__ = [
    "CalcResults",
    "GenericQrel",
    "GenericScoredDoc",
    "Metric",
    "Qrel",
    "QrelsConverter",
    "RunConverter",
    "ScoredDoc",
    "convert_trec_name",
    "parse_measure",
    "parse_trec_measure",
    "parse_trec_qrels",
    "parse_trec_run",
    "read_trec_qrels",
    "read_trec_run",
]


def convert_trec_name(measure: str) -> list[Measure]:
    """The old name of `parse_trec_measure`."""
    warnings.warn("convert_trec_name is now parse_trec_measure", DeprecationWarning, stacklevel=2)
    return parse_trec_measure(measure)


def parse_trec_qrels(file: Source) -> Iterator[Qrel]:
    """The old name of `read_trec_qrels`."""
    warnings.warn("parse_trec_qrels is now read_trec_qrels", DeprecationWarning, stacklevel=2)
    return read_trec_qrels(file)


def parse_trec_run(file: Source) -> Iterator[ScoredDoc]:
    """The old name of `read_trec_run`."""
    warnings.warn("parse_trec_run is now read_trec_run", DeprecationWarning, stacklevel=2)
    return read_trec_run(file)
