"""The public names and where each lives: this list is the only one."""

from .accounts import Accounts as Accounts
from .actions import Action as Action, Receipt as Receipt
from .agreement import (
    Agreement as Agreement,
    find_disagreements as find_disagreements,
    measure_agreement as measure_agreement,
)
from .assignment import Task as Task
from .coefficients import (
    cohen_kappa as cohen_kappa,
    fleiss_kappa as fleiss_kappa,
    krippendorff_alpha as krippendorff_alpha,
)
from .decisions import Decisions as Decisions, FinalGrade as FinalGrade, Queued as Queued
from .exchange import (
    export_sheet as export_sheet,
    final_judgments as final_judgments,
    import_sheet as import_sheet,
    read_sheet as read_sheet,
    write_sheet as write_sheet,
)
from .gold import Gold as Gold, GoldQuality as GoldQuality
from .grades import Grades as Grades
from .grading import Grading as Grading
from .items import Items as Items
from .llm.audit.audit import (
    Audit as Audit,
    FamilyColumn as FamilyColumn,
    audit_judge as audit_judge,
    measure_audit as measure_audit,
)
from .llm.audit.families import (
    FamilyGrade as FamilyGrade,
    FamilyPreference as FamilyPreference,
    measure_preference as measure_preference,
)
from .llm.audit.measurement import ProbePair as ProbePair, ProbeResult as ProbeResult
from .llm.audit.plan import (
    AuditPlan as AuditPlan,
    ask_audit as ask_audit,
    plan_audit as plan_audit,
)
from .llm.audit.records import Probes as Probes
from .llm.audit.system_bias import (
    SystemBias as SystemBias,
    SystemsAudit as SystemsAudit,
    measure_system_bias as measure_system_bias,
)
from .llm.audit.versions import VersionDrift as VersionDrift, measure_drift as measure_drift
from .llm.calibration import (
    Calibration as Calibration,
    accept_judge as accept_judge,
    calibrate as calibrate,
    measure_calibration as measure_calibration,
)
from .llm.models import Acceptance as Acceptance, Configuration as Configuration, Models as Models
from .llm.replies import Replies as Replies
from .next_pairs import (
    draw_next as draw_next,
    estimate_drawn as estimate_drawn,
)
from .progress import Progress as Progress, measure_progress as measure_progress
from .projects import Projects as Projects
from .records import (
    Comparison as Comparison,
    Item as Item,
    Project as Project,
    Rating as Rating,
    Row as Row,
    Sheet as Sheet,
    User as User,
)
from .sbs import (
    Preference as Preference,
    fit_bradley_terry as fit_bradley_terry,
    summarize_preferences as summarize_preferences,
)
from .store import Store as Store, open_store as open_store
