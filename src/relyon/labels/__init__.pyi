from .actions import (
    ActionCounts as ActionCounts,
    Actions as Actions,
)
from .agreement import (
    Agreement as Agreement,
    Disagreement as Disagreement,
    Graded as Graded,
    HumanComparison as HumanComparison,
    PairOrder as PairOrder,
)
from .derivation import (
    make_labels as make_labels,
)
from .fit_check import (
    FitCheck as FitCheck,
    FitGroup as FitGroup,
    check_fit as check_fit,
)
from .grading import (
    Grading as Grading,
    Posterior as Posterior,
    Quantiles as Quantiles,
    Thresholds as Thresholds,
    gradings as gradings,
)
from .label_set import (
    Labels as Labels,
)
from .log import (
    ClickLog as ClickLog,
    Fold as Fold,
    Patterns as Patterns,
    read_clicks as read_clicks,
    read_folds as read_folds,
)
from .model import (
    ClickModel as ClickModel,
    FittedModel as FittedModel,
    Parameters as Parameters,
    Relevance as Relevance,
    models as models,
    register as register,
)
from .model_choice import (
    Candidate as Candidate,
    ModelChoice as ModelChoice,
    choose_model as choose_model,
)
from .model_comparison import (
    ModelComparison as ModelComparison,
    ModelFit as ModelFit,
    compare_models as compare_models,
)
from .perplexity import (
    Bin as Bin,
)
from .position_bias.bias import (
    PositionBias as PositionBias,
    PositionEstimate as PositionEstimate,
)
from .position_bias.bias_file import read_bias as read_bias
from .position_bias.click_rows import training_rows as training_rows
from .position_bias.connection import (
    Connection as Connection,
    Experiment as Experiment,
    sessions_needed as sessions_needed,
)
from .position_bias.doubts import Doubt as Doubt
from .position_bias.estimator import (
    Estimator as Estimator,
    estimators as estimators,
)
from .position_bias.log_estimate import estimate_bias as estimate_bias
from .prior import (
    beta_binomial as beta_binomial,
    with_estimated_prior as with_estimated_prior,
)
from .result_lists import (
    Lists as Lists,
    lists_of as lists_of,
)
from .rules import (
    Rules as Rules,
)
from .simulation.crowd import (
    Crowd as Crowd,
)
from .simulation.simulated_log import (
    SimulatedLog as SimulatedLog,
)
from .simulation.simulation import (
    Simulation as Simulation,
    simulate as simulate,
)
from .user_behaviour import (
    UserBehaviour as UserBehaviour,
)
