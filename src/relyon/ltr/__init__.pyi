from .losses import (
    Loss as Loss,
    LossValues as LossValues,
    loss as loss,
    losses as losses,
    register as register,
)
from .losses.approx_ndcg import ApproxNDCG as ApproxNDCG
from .losses.cross_entropy import CrossEntropy as CrossEntropy
from .losses.lambdarank import (
    LambdaRank as LambdaRank,
)
from .losses.listmle import ListMLE as ListMLE
from .losses.listnet import ListNet as ListNet
from .losses.logistic import Logistic as Logistic
from .losses.ndcg_losses import (
    NDCGLoss1 as NDCGLoss1,
    NDCGLoss2 as NDCGLoss2,
    NDCGLoss2pp as NDCGLoss2pp,
)
from .losses.neural_ndcg import NeuralNDCG as NeuralNDCG
from .losses.ordinal import Ordinal as Ordinal
from .losses.ranknet import RankNet as RankNet
from .losses.softmax import Softmax as Softmax
from .losses.softrank import SoftRank as SoftRank
from .losses.squared_error import SquaredError as SquaredError
from .objectives import (
    EarlyStopping as EarlyStopping,
    Metric as Metric,
    Objective as Objective,
    feval as feval,
    objective as objective,
    stopping as stopping,
)
from .preparation.arrays import (
    labelled_rows as labelled_rows,
)
from .preparation.findings import (
    Finding as Finding,
    RowCheck as RowCheck,
)
from .preparation.query_split import (
    split as split,
)
from .preparation.row_checks import (
    check as check,
)
from .preparation.split import (
    Split as Split,
)
from .rankers.exporting.exported import (
    Exported as Exported,
)
from .rankers.grades import (
    grades as grades,
)
from .rankers.linear import (
    LinearRanker as LinearRanker,
)
from .rankers.models import (
    ranker as ranker,
)
from .rankers.neural import (
    NeuralRanker as NeuralRanker,
)
from .rankers.ranker import (
    Ranker as Ranker,
)
from .rankers.saved_rankers import (
    describe as describe,
    load as load,
)
from .rankers.selection import (
    QueryFold as QueryFold,
    scorer as scorer,
)
from .rankers.target_measure import (
    fingerprint as fingerprint,
)
from .rankers.trees import (
    TreeRanker as TreeRanker,
)
from .training.against import (
    Against as Against,
)
from .training.card import (
    DataFacts as DataFacts,
    ModelCard as ModelCard,
    different_numbers as different_numbers,
)
from .training.card_reader import (
    read_card as read_card,
)
from .training.contributions import (
    Contributions as Contributions,
)
from .training.curve import (
    CurvePoint as CurvePoint,
)
from .training.feature_contributions import (
    explain_order as explain_order,
)
from .training.held_out import (
    HeldOut as HeldOut,
)
from .training.importance import (
    FeatureImportance as FeatureImportance,
)
from .training.order_explanation import (
    FeatureReason as FeatureReason,
    OrderExplanation as OrderExplanation,
)
from .training.outcome import (
    SearchTrial as SearchTrial,
    Training as Training,
)
from .training.placement import (
    LabelPlacement as LabelPlacement,
)
from .training.segments import (
    Segment as Segment,
)
from .training.trainer import (
    train as train,
)
