"""The public names and where each lives; they are imported when first used."""

from .interleaving.balanced import Balanced as Balanced
from .interleaving.base import (
    Clicks as Clicks,
    Interleaving as Interleaving,
    Placed as Placed,
    methods as methods,
    register as register,
)
from .interleaving.mixed import (
    MixedLists as MixedLists,
    read_mixed as read_mixed,
)
from .interleaving.mixing import mix_runs as mix_runs
from .interleaving.optimised import (
    Law as Law,
    Optimised as Optimised,
)
from .interleaving.preference import (
    Look as Look,
    Preference as Preference,
    Preferences as Preferences,
)
from .interleaving.probabilistic import Probabilistic as Probabilistic
from .interleaving.scoring import score_clicks as score_clicks
from .interleaving.team_draft import TeamDraft as TeamDraft
