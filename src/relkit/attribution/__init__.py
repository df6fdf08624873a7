"""Where the gain went: recall loss against ranking loss, stage by stage."""

from relkit.attribution.losses import DEFAULT_CUTOFFS, funnel
from relkit.attribution.result import Funnel, Stage

__all__ = ["DEFAULT_CUTOFFS", "Funnel", "Stage", "funnel"]
