"""Where the gain went: recall loss against ranking loss, stage by stage."""

from relkit.analysis.funnel.losses import DEFAULT_CUTOFFS, funnel
from relkit.analysis.funnel.result import Funnel, Stage

__all__ = ["DEFAULT_CUTOFFS", "Funnel", "Stage", "funnel"]
