"""The public names and where each lives; they are imported when first used."""

from .abtest.arms import (
    ArmMetric as ArmMetric,
    ArmReport as ArmReport,
    compare_arms as compare_arms,
)
from .abtest.experiment_check import (
    ExperimentCheck as ExperimentCheck,
    Skipped as Skipped,
    Threat as Threat,
    experiment_checks as experiment_checks,
    register_check as register_check,
)
from .abtest.health import (
    Health as Health,
    check_experiment as check_experiment,
)
from .abtest.traffic import (
    Traffic as Traffic,
    read_traffic as read_traffic,
)
from .interleaving.balanced import Balanced as Balanced
from .interleaving.click_credit import score_clicks as score_clicks
from .interleaving.method import (
    Clicks as Clicks,
    Interleaving as Interleaving,
    Placed as Placed,
    methods as methods,
    register as register,
)
from .interleaving.mixed_lists import (
    MixedLists as MixedLists,
    read_mixed as read_mixed,
)
from .interleaving.mixer import mix_runs as mix_runs
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
from .interleaving.team_draft import TeamDraft as TeamDraft
