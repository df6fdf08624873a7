"""A language model's run as a job: started, watched, stopped and continued.

Answers are stored as they arrive, so that a run that was stopped, or whose process died, is
continued without asking anything twice.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from relyon.core.errors import InputError, ParameterError, RelyonError
from relyon.core.texts import LANGUAGES, message
from relyon.judging.job_reasons import write_reason
from relyon.judging.jobs import Job, JobKind, StoppedError, Work, list_jobs, start_job
from relyon.judging.llm.judge import Outcome, Plan, ask_model, build_plan
from relyon.judging.llm.prompt import Prompt, restore_prompt
from relyon.judging.places import take_turn
from relyon.judging.projects import check_open
from relyon.judging.schema import jobs, sa

if TYPE_CHECKING:
    from relyon.judging.llm.audit.plan import AuditPlan
    from relyon.judging.llm.endpoint import Endpoint
    from relyon.judging.llm.models import Configuration
    from relyon.judging.records import Project, User
    from relyon.judging.store import Store

__all__ = [
    "ModelRun",
    "continue_model",
    "last_model_job",
    "running_model_job",
    "start_audit",
    "start_model",
]

log = logging.getLogger("relyon.judging")

#: Seconds between two looks of a run at its job.
BEAT = 1.0
#: Seconds between two signs of life of a run that does nothing.
ALIVE = 20.0


@dataclass(frozen=True)
class ModelRun:
    """A run that was created, and is to be run by this process.

    Attributes:
        store: The database.
        work: Its job.
        configuration: The model and its settings.
        prompt: Its prompt.
        plan: The requests.
    """

    store: Store
    work: Work
    configuration: Configuration
    prompt: Prompt
    plan: Plan

    def run(self, endpoint: Endpoint, *, concurrency: int = 4) -> Outcome:
        """Sends the requests until all are answered, the job is stopped, or an error ends it.

        Args:
            endpoint: Where they are sent.
            concurrency: Number of concurrent requests.
        """
        outcome = Outcome()
        watch = _Watch(self.work, outcome, endpoint)
        try:
            with watch:
                ask_model(
                    self.store,
                    self.configuration,
                    self.prompt,
                    self.plan,
                    endpoint,
                    concurrency=concurrency,
                    outcome=outcome,
                    progress=watch.progress,
                )
            self._end("stopped" if watch.stopped else "done", "", watch)
        except RelyonError as error:
            stopped = isinstance(error, StoppedError)
            self._end("stopped" if stopped else "failed", write_reason(error.message), watch)
        except BaseException:
            self._end("failed", write_reason(message("judging.model-run-broke")), watch)
            raise
        return outcome

    def _end(self, state: str, reason: str, watch: _Watch) -> None:
        values = {"state": state, "message": reason, "seen_at": self.store.clock()}
        mine = jobs.c.id == self.work.job_id
        try:
            with self.store.database.write() as connection:
                connection.execute(sa.update(jobs).where(mine).values(**values, **watch.counts()))
        finally:
            self.work.leave()


class _Watch:
    """Shows that a run lives and how far it is, and stops it when its job is stopped."""

    def __init__(self, work: Work, outcome: Outcome, endpoint: Endpoint) -> None:
        self.work = work
        self.outcome = outcome
        self.endpoint = endpoint
        self.done = 0
        self.stopped = False
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="model", daemon=True)
        self._stored: Mapping[str, int] = {}
        self._stored_at = 0.0

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *reason: object) -> None:
        self._ended.set()
        self._thread.join()

    def progress(self, done: int, total: int) -> None:
        """Is called with the number of samples done."""
        self.done = done

    def counts(self) -> dict[str, int]:
        """Returns how far the run is, for its job."""
        return {"done": self.done, "items": self.outcome.asked, "grades": self.outcome.graded}

    def _run(self) -> None:
        while not self._ended.wait(BEAT):
            try:
                self._look()
            except RelyonError as error:  # the run itself fails if the database stays away
                log.warning("job %d: %s", self.work.job_id, error)

    def _look(self) -> None:
        store, mine = self.work.store, jobs.c.id == self.work.job_id
        with store.database.read() as connection:
            state = connection.execute(sa.select(jobs.c.state).where(mine)).scalar()
        if state != "running":
            self.stopped = True
            self.endpoint.pace.stop()
        counts, now = self.counts(), store.clock()
        if counts == self._stored and now - self._stored_at < ALIVE:
            return
        with store.database.write() as connection:
            connection.execute(sa.update(jobs).where(mine).values(seen_at=now, **counts))
        self._stored, self._stored_at = counts, now


def start_model(
    store: Store,
    project: Project,
    draft: Configuration,
    prompt: Prompt,
    plan: Plan,
    *,
    by: User | None = None,
) -> ModelRun:
    """Creates the job of a run.

    Args:
        store: The database.
        project: The project.
        draft: The model and its settings, as `draft_configuration` returns them.
        prompt: Its prompt.
        plan: The requests.
        by: The account that requested it.

    Raises:
        InputError: If there is nothing to ask.
        ParameterError: If a model is grading the project already, or the project is closed.
    """
    if not plan.open:
        raise InputError(message("judging.nothing-to-ask"), hint=message("judging.choose-others"))
    chosen = store.models.add(draft)
    store.replies.add_requests(chosen, plan.requests)
    work = _start(store, project, "model", chosen, plan, by)
    return ModelRun(store, work, chosen, prompt, plan)


def start_audit(
    store: Store, project: Project, audit: AuditPlan, *, by: User | None = None
) -> ModelRun:
    """Creates the job of an audit. It is continued by planning the same audit again.

    Args:
        store: The database.
        project: The project.
        audit: The requests, as `plan_audit` returns them.
        by: The account that requested it.

    Raises:
        InputError: If there is nothing to ask.
        ParameterError: If a model is grading the project already, or the project is closed.
    """
    if not audit.plan.open:
        raise InputError(message("judging.nothing-to-audit"), hint=message("judging.choose-others"))
    store.probes.add(audit.configuration, audit.rows)
    work = _start(store, project, "audit", audit.configuration, audit.plan, by)
    return ModelRun(store, work, audit.configuration, audit.prompt, audit.plan)


def _start(
    store: Store,
    project: Project,
    kind: JobKind,
    chosen: Configuration,
    plan: Plan,
    by: User | None,
) -> Work:
    """Creates a job, unless a model is at work on the project already."""
    with store.database.write() as connection:
        take_turn(connection, project.id)
        check_open(connection, project.id)
        unfinished = sa.and_(
            jobs.c.project_id == project.id,
            jobs.c.kind.in_(("model", "audit")),
            jobs.c.state.in_(("running", "stopping")),
        )
        if connection.execute(sa.select(jobs.c.id).where(unfinished)).first() is not None:
            raise ParameterError(
                message("judging.model-is-grading"), hint=message("judging.wait-for-model")
            )
        return start_job(
            store,
            connection,
            kind,
            project.id,
            total=len(plan.open),
            source=f"{chosen.id} {chosen.title}",
            by=by,
        )


def continue_model(
    store: Store, project: Project, configuration: Configuration, *, by: User | None = None
) -> ModelRun:
    """Creates the job of a run that goes on where an earlier one with the same settings ended.

    Items whose texts changed since are left out: they would be other questions.

    Raises:
        InputError: If nothing is left to ask, or the prompt cannot be repeated.
        ParameterError: If a model is grading the project already, or the project is closed.
    """
    language = next((one for one in LANGUAGES if one == configuration.language), LANGUAGES[0])
    prompt = restore_prompt(configuration.prompt, language=language, scale=project.scale)
    asked = store.replies.requested(configuration)
    items = [one for one in store.items.all(project.id) if one.id in asked]
    plan = build_plan(store, configuration, prompt, items)
    same = {item for item, known in plan.requests.items() if asked[item] == known}
    plan = Plan(
        tuple(one for one in plan.items if one.id in same),
        {item: plan.requests[item] for item in same},
        tuple(one for one in plan.open if one[0].id in same),
        plan.unreadable,
        plan.hidden,
        plan.attempts,
    )
    return start_model(store, project, configuration, prompt, plan, by=by)


def running_model_job(store: Store, project_id: int) -> Job | None:
    """Returns the job of the model that grades a project; None if none does."""
    found = last_model_job(store, project_id)
    return found if found is not None and found.unfinished else None


def last_model_job(
    store: Store, project_id: int, kind: Literal["model", "audit"] = "model"
) -> Job | None:
    """Returns the latest job of a model in a project, or of an audit of one."""
    found = (job for job in list_jobs(store, project_id) if job.kind == kind)
    return next(found, None)
