from .candidate import (
    Candidate as Candidate,
    policy_of as policy_of,
    read_candidate as read_candidate,
)
from .estimator import (
    Estimator as Estimator,
    Evidence as Evidence,
    Terms as Terms,
    estimators as estimators,
    register as register,
)
from .evaluation import (
    evaluate_policy as evaluate_policy,
)
from .feedback import (
    Feedback as Feedback,
    read_feedback as read_feedback,
)
from .policy_value import (
    OffPolicy as OffPolicy,
    PolicyValue as PolicyValue,
)
from .weights import (
    Overlap as Overlap,
)
