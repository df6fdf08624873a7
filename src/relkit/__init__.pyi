"""The public names and where each lives: this list is the only one.

They are imported when first used, so that a small job pays for what it needs only.
"""

from ._native import (
    __version__ as __version__,
)
from .analysis.agreement import (
    discriminative_power as discriminative_power,
)
from .analysis.agreement import (
    rank_correlation as rank_correlation,
)
from .analysis.comparison import (
    Comparison as Comparison,
)
from .analysis.comparison import (
    Contrast as Contrast,
)
from .analysis.comparison import (
    compare as compare,
)
from .analysis.comparison import (
    compare_results as compare_results,
)
from .analysis.comparison import (
    compare_values as compare_values,
)
from .analysis.diagnosis import (
    Finding as Finding,
)
from .analysis.diagnosis import (
    OnlineData as OnlineData,
)
from .analysis.diagnosis import (
    diagnose as diagnose,
)
from .analysis.explanation import (
    Change as Change,
)
from .analysis.explanation import (
    Explanation as Explanation,
)
from .analysis.explanation import (
    explain as explain,
)
from .analysis.explanation import (
    explain_change as explain_change,
)
from .analysis.funnel import (
    Funnel as Funnel,
)
from .analysis.funnel import (
    funnel as funnel,
)
from .core.errors import (
    CheckError as CheckError,
)
from .core.errors import (
    DependencyError as DependencyError,
)
from .core.errors import (
    InputError as InputError,
)
from .core.errors import (
    ParameterError as ParameterError,
)
from .core.errors import (
    ParseError as ParseError,
)
from .core.errors import (
    RelkitError as RelkitError,
)
from .core.errors import (
    StrictError as StrictError,
)
from .core.errors import (
    UnknownNameError as UnknownNameError,
)
from .core.notes import (
    Note as Note,
)
from .core.notes import (
    RelkitWarning as RelkitWarning,
)
from .data.convention import (
    Convention as Convention,
)
from .data.convention import (
    presets as presets,
)
from .data.judgments import (
    Judgments as Judgments,
)
from .data.ranking import (
    Ranking as Ranking,
)
from .data.run import (
    Run as Run,
)
from .data.scale import (
    Level as Level,
)
from .data.scale import (
    Scale as Scale,
)
from .data.scale import (
    scales as scales,
)
from .data.sessions import (
    Sessions as Sessions,
)
from .evaluation import (
    Accumulator as Accumulator,
)
from .evaluation import (
    Evaluator as Evaluator,
)
from .evaluation import (
    evaluate as evaluate,
)
from .evaluation import (
    evaluate_scores as evaluate_scores,
)
from .evaluation.curves import (
    classify as classify,
)
from .evaluation.curves import (
    precision_recall_curve as precision_recall_curve,
)
from .evaluation.curves import (
    roc_curve as roc_curve,
)
from .evaluation.entry import (
    Entry as Entry,
)
from .evaluation.results import (
    Results as Results,
)
from .fusion import (
    FusionSearch as FusionSearch,
)
from .fusion import (
    fuse as fuse,
)
from .fusion import (
    optimize_fusion as optimize_fusion,
)
from .fusion import (
    train_fusion as train_fusion,
)
from .io import (
    read_judgments as read_judgments,
)
from .io import (
    read_run as read_run,
)
from .io import (
    read_scored as read_scored,
)
from .io import (
    write_judgments as write_judgments,
)
from .io import (
    write_run as write_run,
)
from .io.sessions import (
    read_sessions as read_sessions,
)
from .io.sessions import (
    write_sessions as write_sessions,
)
from .measures import (
    Measure as Measure,
)
from .measures import (
    Step as Step,
)
from .measures import (
    measure as measure,
)
from .measures import (
    register as register,
)
from .online.monitoring import (
    Monitor as Monitor,
)
from .online.monitoring import (
    Round as Round,
)
from .online.monitoring import (
    create_round as create_round,
)
from .online.monitoring import (
    monitor as monitor,
)
from .online.monitoring import (
    read_rounds as read_rounds,
)
from .online.monitoring import (
    write_round as write_round,
)
from .online.sampling import (
    Pool as Pool,
)
from .online.sampling import (
    Sample as Sample,
)
from .online.sampling import (
    build_pool as build_pool,
)
from .online.sampling import (
    draw_sample as draw_sample,
)
from .online.sampling import (
    read_sample as read_sample,
)
from .report import (
    write_monitor_report as write_monitor_report,
)
from .report import (
    write_report as write_report,
)
