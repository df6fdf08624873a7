"""The public names and where each lives: this list is the only one.

They are imported when first used, so that a small job pays for what it needs only.
"""

from ._native import (
    __version__ as __version__,
)
from .analysis.abstention import (
    Abstention as Abstention,
    abstention as abstention,
)
from .analysis.agreement import (
    discriminative_power as discriminative_power,
    rank_correlation as rank_correlation,
)
from .analysis.comparison import (
    Comparison as Comparison,
    Contrast as Contrast,
    compare as compare,
    compare_results as compare_results,
    compare_scores as compare_scores,
    compare_values as compare_values,
)
from .analysis.depth import (
    Depth as Depth,
    LastClicks as LastClicks,
    depth as depth,
)
from .analysis.diagnosis import (
    Finding as Finding,
    OnlineData as OnlineData,
    diagnose as diagnose,
)
from .analysis.explanation import (
    Change as Change,
    Explanation as Explanation,
    explain as explain,
    explain_change as explain_change,
)
from .analysis.funnel import (
    Funnel as Funnel,
    funnel as funnel,
)
from .analysis.leaderboard import (
    Leaderboard as Leaderboard,
    leaderboard as leaderboard,
    leaderboard_results as leaderboard_results,
    leaderboard_values as leaderboard_values,
)
from .analysis.matching import (
    ConventionMatch as ConventionMatch,
    match_convention as match_convention,
)
from .analysis.next_pairs import (
    NextPairs as NextPairs,
    PairsEstimate as PairsEstimate,
    estimate_pairs as estimate_pairs,
    next_pairs as next_pairs,
)
from .analysis.prediction_powered import (
    FewerGrades as FewerGrades,
    prediction_powered as prediction_powered,
)
from .analysis.slices import (
    FoundSlice as FoundSlice,
    Slices as Slices,
    find_slices as find_slices,
)
from .analysis.stale import (
    StaleJudgments as StaleJudgments,
    stale_judgments as stale_judgments,
)
from .analysis.uncertainty import (
    MeasureIntervals as MeasureIntervals,
    measure_intervals as measure_intervals,
)
from .core.errors import (
    CheckError as CheckError,
    DependencyError as DependencyError,
    InputError as InputError,
    ParameterError as ParameterError,
    ParseError as ParseError,
    RelyonError as RelyonError,
    StrictError as StrictError,
    UnknownNameError as UnknownNameError,
)
from .core.notes import (
    Note as Note,
    RelyonWarning as RelyonWarning,
)
from .data.chunks import (
    Chunks as Chunks,
)
from .data.convention import (
    Convention as Convention,
    presets as presets,
)
from .data.evidence import (
    Evidence as Evidence,
)
from .data.judgments import (
    Judgments as Judgments,
)
from .data.passages import (
    Passages as Passages,
)
from .data.ranking import (
    Ranking as Ranking,
)
from .data.run import (
    Run as Run,
)
from .data.scale import (
    Level as Level,
    Scale as Scale,
    scales as scales,
)
from .data.sessions import (
    Sessions as Sessions,
)
from .data.traces import (
    Traces as Traces,
)
from .engines import (
    search as search,
)
from .evaluation import (
    Accumulator as Accumulator,
    Evaluator as Evaluator,
    evaluate as evaluate,
    evaluate_scores as evaluate_scores,
    read_results as read_results,
)
from .evaluation.curves import (
    classify as classify,
    precision_recall_curve as precision_recall_curve,
    roc_curve as roc_curve,
)
from .evaluation.entry import (
    Entry as Entry,
)
from .evaluation.results import (
    Results as Results,
)
from .io import (
    read_features as read_features,
    read_judgments as read_judgments,
    read_run as read_run,
    read_scored as read_scored,
    write_features as write_features,
    write_judgments as write_judgments,
    write_run as write_run,
)
from .io.passages import (
    read_chunks as read_chunks,
    read_passages as read_passages,
    write_passages as write_passages,
)
from .io.session_readers import (
    read_sessions as read_sessions,
)
from .io.session_writers import (
    write_sessions as write_sessions,
)
from .io.traced_chunks import (
    read_traced_chunks as read_traced_chunks,
)
from .io.traces import (
    read_traces as read_traces,
    write_traces as write_traces,
)
from .ltr.fusion import (
    FusionSearch as FusionSearch,
    fuse as fuse,
    optimize_fusion as optimize_fusion,
    train_fusion as train_fusion,
)
from .measures import (
    Measure as Measure,
    Step as Step,
    measure as measure,
    register as register,
)
from .online.monitoring import (
    Monitor as Monitor,
    MonthLook as MonthLook,
    Round as Round,
    create_round as create_round,
    look_at_month as look_at_month,
    monitor as monitor,
    read_rounds as read_rounds,
    write_round as write_round,
)
from .online.sampling import (
    Pool as Pool,
    Sample as Sample,
    build_pool as build_pool,
    draw_sample as draw_sample,
    read_sample as read_sample,
)
from .report import (
    plot as plot,
    write_labels_report as write_labels_report,
    write_monitor_report as write_monitor_report,
    write_report as write_report,
)
