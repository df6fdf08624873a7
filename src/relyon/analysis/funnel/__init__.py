"""Where the gain went: recall loss against ranking loss, stage by stage."""

from relyon.analysis.funnel.attribution import Funnel, Stage
from relyon.analysis.funnel.losses import DEFAULT_CUTOFFS, funnel
from relyon.analysis.funnel.stages import cascaded_runs

__all__ = ["DEFAULT_CUTOFFS", "Funnel", "Stage", "cascaded_runs", "funnel"]
