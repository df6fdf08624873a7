"""The public names and where each lives; they are imported when first used."""

from .aggregation import Aggregate as Aggregate, aggregate as aggregate
from .convention import (
    Convention as Convention,
    load_convention as load_convention,
    presets as presets,
)
from .evidence import Evidence as Evidence
from .judgments import Judgments as Judgments
from .ranking import RankedDocument as RankedDocument, Ranking as Ranking
from .run import Run as Run
from .scale import (
    BINARY as BINARY,
    FLOATS as FLOATS,
    INTEGERS as INTEGERS,
    SEARCH as SEARCH,
    Level as Level,
    Scale as Scale,
    load_scale as load_scale,
    scales as scales,
)
from .sessions import Sessions as Sessions
