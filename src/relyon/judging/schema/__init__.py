"""The tables of a judging database.

    users ─────────────┐
    projects ── items ─┼─ assignments   the places of items: their judges and deciding actions
                  │    ├─ lapses        judges whose lease of an item expired
                  │    ├─ actions       all actions of judges, append-only
                  │    └─ adjudications decisions of leads, append-only
                  ├── gold              items whose grade is known
                  ├── key_notices       users notified that the keys of the page have changed
                  ├── sides             the two rankings of a side-by-side item
                  ├── results           what the list of results sorts by, derived; result_marks
                  ├── corrections       what leads corrected, append-only: corrected, overrides
                  └── jobs              long work on a project: imports, archives, removals
    users ── sign_ins, tokens            hashes of the secrets of browsers and programs
          └─ browsers                    browsers in which an account signed in before
    attempts                             wrong passwords of the last hour
    events                               sign-ins and changes, append-only
    projects ── members                  who may see a project for members only, and in which role
            ├── needs                    what users meant by a query, in words
            ├── pair_draws               pairs drawn to be graded next, with their probabilities
            ├── snapshots                what an engine answered, for comparisons; snapshot_answers
            └── samples                  the sessions that a project grades, for its month
    users ── identities                  accounts of an identity provider
          └─ invitations                 hashes of links that create an account, once
    receivers ── messages                who is notified of alarms; what was sent, once a month
    users ── llm_configurations          a language model as a judge of a project, and its prompt
                  ├── llm_requests ─ ─ llm_answers   requests of items; answers, append-only
                  ├── llm_probes ─ ─ llm_answers     requests of changed copies, for audits
                  └── llm_acceptances    leads' acceptance of its grades, append-only

A language model's grades are in `llm_answers` alone, never among the actions of people.

Times are seconds since 1970 in UTC. `migrations/` creates these tables; a test compares them.
"""

from __future__ import annotations

from relyon.judging.schema.accounts import (
    attempts,
    browsers,
    events,
    identities,
    invitations,
    sign_ins,
    tokens,
    users,
)
from relyon.judging.schema.alarms import (
    messages,
    receivers,
)
from relyon.judging.schema.columns import (
    TableRow,
    metadata,
    postgresql,
    sa,
    sqlite,
)
from relyon.judging.schema.draws import pair_draws
from relyon.judging.schema.models import (
    llm_acceptances,
    llm_answers,
    llm_configurations,
    llm_probes,
    llm_requests,
)
from relyon.judging.schema.projects import (
    actions,
    adjudications,
    assignments,
    gold,
    items,
    jobs,
    key_notices,
    lapses,
    members,
    needs,
    projects,
    samples,
    sides,
)
from relyon.judging.schema.results import (
    corrected,
    corrections,
    overrides,
    result_marks,
    results,
)
from relyon.judging.schema.snapshots import (
    snapshot_answers,
    snapshots,
)

__all__ = [
    "TableRow",
    "actions",
    "adjudications",
    "assignments",
    "attempts",
    "browsers",
    "corrected",
    "corrections",
    "events",
    "gold",
    "identities",
    "invitations",
    "items",
    "jobs",
    "key_notices",
    "lapses",
    "llm_acceptances",
    "llm_answers",
    "llm_configurations",
    "llm_probes",
    "llm_requests",
    "members",
    "messages",
    "metadata",
    "needs",
    "overrides",
    "pair_draws",
    "postgresql",
    "projects",
    "receivers",
    "result_marks",
    "results",
    "sa",
    "samples",
    "sides",
    "sign_ins",
    "snapshot_answers",
    "snapshots",
    "sqlite",
    "tokens",
    "users",
]
