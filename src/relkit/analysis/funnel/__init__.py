"""Where the gain went: recall loss against ranking loss, stage by stage."""

from relkit.analysis.funnel.losses import DEFAULT_CUTOFFS, funnel
from relkit.analysis.funnel.result import Funnel, Stage
from relkit.analysis.funnel.stages import cascaded_runs

__all__ = ["DEFAULT_CUTOFFS", "Funnel", "Stage", "cascaded_runs", "funnel"]
