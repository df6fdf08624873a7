"""Which rules gave a number: conventions searched, and what tells the remaining ones apart."""

from relyon.analysis.matching.facts import MatchedClass, NearMiss, Tier
from relyon.analysis.matching.faults import Fault, FoundFault
from relyon.analysis.matching.next_look import NextLook
from relyon.analysis.matching.printed import PrintedNumber, parse_number
from relyon.analysis.matching.result import ConventionMatch
from relyon.analysis.matching.search import match_convention
from relyon.analysis.matching.ways import Way

__all__ = [
    "ConventionMatch",
    "Fault",
    "FoundFault",
    "MatchedClass",
    "NearMiss",
    "NextLook",
    "PrintedNumber",
    "Tier",
    "Way",
    "match_convention",
    "parse_number",
]
