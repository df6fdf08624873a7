"""The public names and where each lives: this list is the only one."""

from .asked import (
    Answer as Answer,
    Query as Query,
    Request as Request,
    Variant as Variant,
)
from .checking import (
    Checked as Checked,
    check_engine as check_engine,
)
from .engine import (
    Engine as Engine,
    engines as engines,
)
from .explanations import (
    ScoreExplanations as ScoreExplanations,
)
from .files.configuration import (
    Configuration as Configuration,
    Limits as Limits,
    read_configuration as read_configuration,
)
from .found import (
    Found as Found,
)
from .imports.cases import (
    read_case as read_case,
)
from .imports.imported import (
    Imported as Imported,
)
from .imports.rank_eval_request import (
    rank_eval_request as rank_eval_request,
)
from .latency import (
    Latency as Latency,
)
from .problems import (
    FatalError as FatalError,
    PassingError as PassingError,
    RefusedError as RefusedError,
)
from .quality import (
    LatencyContrast as LatencyContrast,
    QualityAgainstLatency as QualityAgainstLatency,
    RunPoint as RunPoint,
    quality_against_latency as quality_against_latency,
)
from .searching import (
    search as search,
)
from .tapes.beside import (
    Recorded as Recorded,
    read_beside as read_beside,
    titles_of as titles_of,
)
from .tapes.drift import (
    TapeDrift as TapeDrift,
    diff_tapes as diff_tapes,
)
from .tapes.tape import (
    Tape as Tape,
    read_tape as read_tape,
)
