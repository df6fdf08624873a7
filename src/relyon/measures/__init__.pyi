"""The public names and where each lives: written by docs/make_measures.py."""

from .agreement import (
    Kappa as Kappa,
    Spearman as Spearman,
    Tau as Tau,
)
from .averages import (
    AP as AP,
    MeanP as MeanP,
)
from .binary import (
    RR as RR,
    Precision as Precision,
    Recall as Recall,
    RPrec as RPrec,
    Success as Success,
)
from .cascade import (
    ERR as ERR,
    RBP as RBP,
    RBPResidual as RBPResidual,
)
from .classes import (
    AUC as AUC,
    GAUC as GAUC,
    AveragePrecision as AveragePrecision,
)
from .continuation import (
    BPM as BPM,
    INSQ as INSQ,
    INST as INST,
    NERR8 as NERR8,
    NERR9 as NERR9,
    NERR10 as NERR10,
    NERR11 as NERR11,
    SDCG as SDCG,
)
from .counts import (
    NumNonrelRet as NumNonrelRet,
    NumQ as NumQ,
    NumRel as NumRel,
    NumRelRet as NumRelRet,
    NumRet as NumRet,
)
from .definition import (
    Measure as Measure,
    Step as Step,
)
from .diversity import (
    APIA as APIA,
    ERRIA as ERRIA,
    NERRIA as NERRIA,
    NNRBP as NNRBP,
    NRBP as NRBP,
    PIA as PIA,
    AlphaDCG as AlphaDCG,
    AlphaNDCG as AlphaNDCG,
    StRecall as StRecall,
)
from .gain import (
    CG as CG,
    DCG as DCG,
    IDCG as IDCG,
    NDCG as NDCG,
)
from .geometric import (
    GMAP as GMAP,
    GMBpref as GMBpref,
)
from .incomplete import (
    Bpref as Bpref,
    InfAP as InfAP,
    Judged as Judged,
    Unjudged as Unjudged,
)
from .interpolated import (
    IAP as IAP,
    IPrec as IPrec,
)
from .lookup import (
    register as register,
    registry as registry,
)
from .order import (
    Accuracy as Accuracy,
    Compatibility as Compatibility,
)
from .overlap import (
    RBO as RBO,
    Overlap as Overlap,
    TauAP as TauAP,
)
from .pairwise import (
    PNR as PNR,
    Concordance as Concordance,
)
from .parser import (
    measure as measure,
    measures as measures,
)
from .passages_characters import (
    CharIoU as CharIoU,
    CharPrecision as CharPrecision,
    CharRecall as CharRecall,
)
from .passages_spans import (
    SpanNDCG as SpanNDCG,
    SpanRecall as SpanRecall,
)
from .session_gain import (
    NSDCG as NSDCG,
    SRBP as SRBP,
    SessionDCG as SessionDCG,
)
from .sets import (
    F1 as F1,
    FBeta as FBeta,
    SetAP as SetAP,
    Utility as Utility,
)
from .task_effort import (
    GainPerRead as GainPerRead,
    GainPerTokens as GainPerTokens,
    Redundancy as Redundancy,
)
from .task_evidence import (
    CallRR as CallRR,
    ChainRecall as ChainRecall,
    Recovery as Recovery,
    TaskRecall as TaskRecall,
)
from .trec import (
    RNDCG as RNDCG,
    YAAP as YAAP,
    BinG as BinG,
    GMeasure as GMeasure,
    NDCGRel as NDCGRel,
)
