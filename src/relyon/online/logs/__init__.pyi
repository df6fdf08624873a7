"""The public names and where each lives; they are imported when first used."""

from .bots import Bots as Bots, without_bots as without_bots
from .checkup import (
    Change as Change,
    Checkup as Checkup,
    Repair as Repair,
    examine as examine,
)
from .events import (
    ActionsWithoutImpression as ActionsWithoutImpression,
    ClicksOnly as ClicksOnly,
    DuplicateRows as DuplicateRows,
    RepeatedDocuments as RepeatedDocuments,
)
from .log_check import (
    Check as Check,
    Finding as Finding,
    Log as Log,
    checks as checks,
    register as register,
)
from .meaning import (
    ClickValues as ClickValues,
    DayFirstTimestamps as DayFirstTimestamps,
    SwappedColumns as SwappedColumns,
)
from .missing_values import MissingValues as MissingValues
from .overview import Overview as Overview, summarise as summarise
from .positions import (
    CutOffLists as CutOffLists,
    IncompleteLists as IncompleteLists,
    InvalidPositions as InvalidPositions,
    MixedPositions as MixedPositions,
    SharedPositions as SharedPositions,
    ZeroBasedPositions as ZeroBasedPositions,
)
from .searches import QueryVariants as QueryVariants, SeveralQueries as SeveralQueries
from .stops import last_clicks as last_clicks
from .times import (
    Gaps as Gaps,
    ImplausibleTimestamps as ImplausibleTimestamps,
    MixedTimestamps as MixedTimestamps,
    UnreadableTimestamps as UnreadableTimestamps,
)
