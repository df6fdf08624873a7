"""Where a candidate loses: slices of queries, searched for in one half and tested in the other."""

from relyon.analysis.slices.entry import find_slices
from relyon.analysis.slices.found import FoundSlice
from relyon.analysis.slices.predicates import Predicate
from relyon.analysis.slices.result import Slices

__all__ = ["FoundSlice", "Predicate", "Slices", "find_slices"]
