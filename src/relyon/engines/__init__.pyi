"""The public names and where each lives: this list is the only one."""

from .asked import (
    Answer as Answer,
    Query as Query,
    Request as Request,
    Variant as Variant,
)
from .configuration import (
    Configuration as Configuration,
    Limits as Limits,
    read_configuration as read_configuration,
)
from .engine import (
    Engine as Engine,
    engines as engines,
)
from .found import (
    Found as Found,
)
from .latency import (
    Latency as Latency,
)
from .problems import (
    FatalError as FatalError,
    PassingError as PassingError,
    RefusedError as RefusedError,
)
from .searching import (
    search as search,
)
from .tape import (
    Tape as Tape,
    read_tape as read_tape,
)
