"""The public names and where each lives; they are imported when first used."""

from .application import diagnose as diagnose
from .averages import Averages as Averages
from .coverage import Coverage as Coverage
from .findings import Findings as Findings
from .first_call import FirstCallFails as FirstCallFails
from .flat_ndcg import FlatNDCG as FlatNDCG
from .flat_online import FlatOnline as FlatOnline
from .online import OnlineData as OnlineData, Rate as Rate, load_online as load_online
from .poor_candidates import PoorCandidates as PoorCandidates
from .reads_again import ReadsAgain as ReadsAgain
from .reversed_scores import ReversedScores as ReversedScores
from .rule import (
    Finding as Finding,
    Rule as Rule,
    Severity as Severity,
    Subject as Subject,
    register as register,
    rules as rules,
)
from .single_relevant import SingleRelevant as SingleRelevant
from .slices import Slice as Slice
from .tail_gain import TailGain as TailGain
from .ties import TiesDecide as TiesDecide
from .unjudged import Unjudged as Unjudged
from .worse import Worse as Worse
