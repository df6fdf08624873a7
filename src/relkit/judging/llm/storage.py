"""What language models answered, with which settings, and whether their grades may count."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from relkit.errors import InputError, ParameterError, UnknownNameError
from relkit.judging.accounts import MACHINE_PREFIX, check_account_name
from relkit.judging.adjudication import AdjudicationStore, FinalGrade
from relkit.judging.aggregation import Rule, aggregate
from relkit.judging.llm.answers import Answer
from relkit.judging.llm.endpoint import Completion
from relkit.judging.places import take_turn
from relkit.judging.records import User
from relkit.judging.schema import (
    llm_acceptances,
    llm_answers,
    llm_configurations,
    llm_requests,
    postgresql,
    sa,
    sqlite,
    users,
)
from relkit.judging.texts import check_text, plain, unknown_name
from relkit.parameters import check_whole

if TYPE_CHECKING:
    from relkit.judging.llm.calibration import Calibration

__all__ = [
    "Acceptance",
    "Configuration",
    "MachineStore",
    "StoredAnswer",
    "draft_configuration",
    "is_machine_source",
]


#: Parameters of requests that are ours, or would change what an answer looks like.
RESERVED = ("messages", "model", "n", "stream", "stream_options")
#: So many hashes are looked up in one query: databases limit what a query may hold.
MOST_HASHES = 500


def is_machine_source(source: str) -> bool:
    """Says whether a final grade's source is a language model."""
    return source.startswith(MACHINE_PREFIX)


@dataclass(frozen=True)
class Configuration:
    """A language model as a judge of a project, with everything that its grades depend on.

    Attributes:
        id: In the database.
        project_id: The project.
        judge: Its name, which begins with `llm:`.
        version: Counted from 1 for each judge of a project: other settings are another version.
        endpoint: Where it is asked.
        model: Its name there.
        samples: How often it is asked about each item.
        parameters: Of the requests, such as the temperature.
        language: Of the prompt.
        prompt: All that is the same in every request.
        created_at: Seconds since 1970.
    """

    id: int
    project_id: int
    judge: str
    version: int
    endpoint: str
    model: str
    samples: int
    parameters: Mapping[str, Any]
    language: str
    prompt: str
    created_at: float

    @property
    def title(self) -> str:
        """The judge and its version, for messages."""
        return f"{self.judge} (version {self.version})"


@dataclass(frozen=True)
class StoredAnswer:
    """An answer as it is stored.

    Attributes:
        request_hash: What was asked.
        sample: Which of the repetitions it is, from 1.
        attempt: Which of the attempts to get an answer that can be read, from 1.
        answer: What it says.
        prompt_tokens: Of the request.
        completion_tokens: Of the answer.
    """

    request_hash: str
    sample: int
    attempt: int
    answer: Answer
    prompt_tokens: int
    completion_tokens: int


@dataclass(frozen=True)
class Acceptance:
    """That a language model's grades count where people gave none.

    Attributes:
        configuration: The judge and the version whose grades count.
        by: The account of the lead who accepted it.
        at: When, in seconds since 1970.
        items: How many items it was held against people on.
        kappa: Cohen's kappa with people; None where it was undefined.
        weighted_kappa: With quadratic weights.
        note: What the lead remarked.
    """

    configuration: Configuration
    by: str
    at: float
    items: int
    kappa: float | None
    weighted_kappa: float | None
    note: str


def draft_configuration(
    project_id: int,
    judge: str,
    *,
    endpoint: str,
    model: str,
    samples: int,
    parameters: Mapping[str, Any],
    language: str,
    prompt: str,
) -> Configuration:
    """Returns settings that are not stored yet: id and version are 0.

    Raises:
        ParameterError: If the judge's name is none of a language model, the model has no name, the
            number of samples is below 1, or a parameter of requests cannot be set.
    """
    for name in RESERVED:
        if name in parameters:
            raise ParameterError(f"the parameter `{name}` of requests cannot be set")
    if not model.strip():
        raise ParameterError("the model has no name")
    return Configuration(
        0,
        project_id,
        check_account_name(judge, "judge", machine=True),
        0,
        endpoint,
        check_text(model.strip(), "name of the model"),
        check_whole("samples", samples),
        plain(parameters),
        language,
        check_text(prompt, "prompt"),
        0.0,
    )


class MachineStore(AdjudicationStore):
    """The part of a store that keeps what language models say, apart from what people say."""

    def add_configuration(self, draft: Configuration) -> Configuration:
        """Returns the version of a judge with these settings, and makes it where there is none.

        Args:
            draft: As `draft_configuration` makes it.
        """
        project_id, judge = draft.project_id, draft.judge
        settings = _settings(draft)
        digest = _digest(settings)
        with self.database.write() as connection:
            take_turn(connection, project_id)
            user = self._ensure_machine(connection, judge)
            here = sa.and_(
                llm_configurations.c.project_id == project_id, llm_configurations.c.user_id == user
            )
            known = list(connection.execute(sa.select(llm_configurations).where(here)))
            if not any(row.digest == digest for row in known):
                connection.execute(
                    sa.insert(llm_configurations).values(
                        project_id=project_id,
                        user_id=user,
                        version=max((row.version for row in known), default=0) + 1,
                        digest=digest,
                        created_at=self.clock(),
                        **settings,
                    )
                )
        found = self.configurations(project_id)
        return next(
            one for one in found if one.judge == judge and _digest(_settings(one)) == digest
        )

    def _ensure_machine(self, connection: sa.Connection, judge: str) -> int:
        dialect = sqlite if connection.dialect.name == "sqlite" else postgresql
        # Nobody signs in as it, takes items as it or acts as it: the account is closed.
        made = dialect.insert(users).values(
            name=judge, role="judge", active=False, machine=True, created_at=self.clock()
        )
        connection.execute(made.on_conflict_do_nothing())
        chosen = sa.select(users.c.id).where(users.c.name == judge)
        return int(connection.execute(chosen).scalar_one())

    def configurations(self, project_id: int) -> list[Configuration]:
        """Returns the language models of a project, every version, in their order."""
        query = _configurations().where(llm_configurations.c.project_id == project_id)
        with self.database.read() as connection:
            return [_configuration(row) for row in connection.execute(query)]

    def configuration(
        self, project_id: int, judge: str | None = None, version: int | None = None
    ) -> Configuration:
        """Returns a judge's settings: the newest version, unless one is named.

        Args:
            project_id: The project.
            judge: Its name; not needed where there is only one.
            version: Of the settings.

        Raises:
            UnknownNameError: If there is no such judge or version.
            InputError: If there is no language model, or several and none is named.
        """
        known = self.configurations(project_id)
        names = list(dict.fromkeys(one.judge for one in known))
        if not names:
            raise InputError(
                "no language model graded in this project",
                hint="`relkit judge llm` asks one",
            )
        if judge is None and len(names) > 1:
            raise InputError(
                f"{len(names)} language models graded in this project",
                hint=f"name one with --judge: {', '.join(names)}",
            )
        if judge is not None and judge not in names:
            raise unknown_name("language model", judge, names)
        own = [one for one in known if judge in (None, one.judge)]
        if version is None:
            return own[-1]
        chosen = [one for one in own if one.version == version]
        if not chosen:
            raise UnknownNameError(
                f"{own[0].judge} has no version {version}", hint=f"it has 1 to {own[-1].version}"
            )
        return chosen[0]

    def add_requests(self, configuration: Configuration, requests: Mapping[int, str]) -> None:
        """Remembers what is asked about which item."""
        with self.database.write() as connection:
            take_turn(connection, configuration.project_id)
            here = llm_requests.c.configuration_id == configuration.id
            query = sa.select(llm_requests.c.item_id).where(here)
            known = set(connection.execute(query).scalars())
            rows = [
                {"configuration_id": configuration.id, "item_id": item, "request_hash": asked}
                for item, asked in requests.items()
                if item not in known
            ]
            if rows:
                connection.execute(sa.insert(llm_requests), rows)

    def answers(self, configuration_id: int) -> dict[int, list[StoredAnswer]]:
        """Returns everything that was answered about each item, by sample and attempt."""
        query = (
            sa.select(llm_requests.c.item_id, llm_answers)
            .select_from(
                llm_requests.join(
                    llm_answers, llm_requests.c.request_hash == llm_answers.c.request_hash
                )
            )
            .where(llm_requests.c.configuration_id == configuration_id)
            .order_by(llm_requests.c.item_id, llm_answers.c.sample, llm_answers.c.attempt)
        )
        found: dict[int, list[StoredAnswer]] = {}
        with self.database.read() as connection:
            for row in connection.execute(query):
                found.setdefault(row.item_id, []).append(_answer(row))
        return found

    def find_answers(self, request_hashes: Iterable[str]) -> dict[str, list[StoredAnswer]]:
        """Returns what was answered to requests, in whichever project, by sample and attempt."""
        wanted = sorted(set(request_hashes))
        found: dict[str, list[StoredAnswer]] = {}
        with self.database.read() as connection:
            for first in range(0, len(wanted), MOST_HASHES):
                some = llm_answers.c.request_hash.in_(wanted[first : first + MOST_HASHES])
                query = sa.select(llm_answers).where(some)
                for row in connection.execute(
                    query.order_by(llm_answers.c.sample, llm_answers.c.attempt)
                ):
                    found.setdefault(row.request_hash, []).append(_answer(row))
        return found

    def add_answer(
        self, request_hash: str, sample: int, attempt: int, answer: Answer, completion: Completion
    ) -> bool:
        """Stores an answer; it is on the disk when this returns.

        Returns:
            Whether it was new: False where another process asked the same meanwhile.
        """
        same = sa.and_(
            llm_answers.c.request_hash == request_hash,
            llm_answers.c.sample == sample,
            llm_answers.c.attempt == attempt,
        )
        try:
            with self.database.write() as connection:
                if connection.execute(sa.select(llm_answers.c.id).where(same)).first():
                    return False
                connection.execute(
                    sa.insert(llm_answers).values(
                        request_hash=request_hash,
                        sample=sample,
                        attempt=attempt,
                        content=completion.content,
                        grade=answer.grade,
                        reason=answer.reason,
                        problem=answer.problem,
                        prompt_tokens=completion.prompt_tokens,
                        completion_tokens=completion.completion_tokens,
                        seconds=completion.seconds,
                        created_at=self.clock(),
                    )
                )
                return True
        except sa.exc.IntegrityError:
            return False

    def count_graded(self, configuration: Configuration) -> int:
        """Returns how many items have a grade of a model, without reading them."""
        per_item = (
            _graded(configuration, sa.func.count().label("grades"))
            .order_by(None)
            .group_by(llm_requests.c.item_id)
            .subquery()
        )
        query = (
            sa.select(sa.func.count())
            .select_from(per_item)
            .where(2 * per_item.c.grades > configuration.samples)
        )
        with self.database.read() as connection:
            return int(connection.execute(query).scalar_one())

    def samples(self, configuration: Configuration) -> dict[int, list[float]]:
        """Returns a model's grades of each item: of those with more than half of their samples.

        What could not be read is no grade. An item most of whose samples are missing has none.
        """
        query = _graded(configuration, llm_requests.c.item_id, llm_answers.c.grade)
        found: dict[int, list[float]] = {}
        with self.database.read() as connection:
            for row in connection.execute(query):
                found.setdefault(row.item_id, []).append(row.grade)
        return {
            item: grades
            for item, grades in found.items()
            if 2 * len(grades) > configuration.samples
        }

    def reasons(
        self, configuration: Configuration, item_ids: Sequence[int]
    ) -> dict[int, list[tuple[float, str]]]:
        """Returns a model's grades of some items with the reason it gave for each."""
        query = _graded(
            configuration, llm_requests.c.item_id, llm_answers.c.grade, llm_answers.c.reason
        ).where(llm_requests.c.item_id.in_(item_ids))
        found: dict[int, list[tuple[float, str]]] = {}
        with self.database.read() as connection:
            for row in connection.execute(query):
                found.setdefault(row.item_id, []).append((row.grade, row.reason))
        return found

    def record_acceptance(
        self,
        configuration: Configuration,
        by: User,
        *,
        accepted: bool,
        calibration: Calibration | None = None,
        note: str = "",
    ) -> None:
        """Records that a model's grades count from now on, or no longer.

        Raises:
            ParameterError: If the account is none of a lead or an admin, or is closed.
        """
        if by.role == "judge" or not by.active:
            raise ParameterError(
                f"`{by.name}` does not lead", hint="a lead or an admin accepts a language model"
            )
        report = {} if calibration is None else calibration.to_dict()
        figures = report.get("overall", {}).get("final", {})
        with self.database.write() as connection:
            connection.execute(
                sa.insert(llm_acceptances).values(
                    configuration_id=configuration.id,
                    user_id=by.id,
                    accepted=accepted,
                    items=report.get("items", 0),
                    kappa=figures.get("kappa", {}).get("value"),
                    weighted_kappa=figures.get("weighted_kappa", {}).get("value"),
                    report=report,
                    note=check_text(note, "note"),
                    created_at=self.clock(),
                )
            )

    def acceptance(self, project_id: int) -> Acceptance | None:
        """Returns the model whose grades count in a project: the last one that was accepted."""
        query = (
            sa.select(llm_acceptances, users.c.name.label("by"))
            .select_from(
                llm_acceptances.join(
                    llm_configurations,
                    llm_acceptances.c.configuration_id == llm_configurations.c.id,
                ).join(users, llm_acceptances.c.user_id == users.c.id)
            )
            .where(llm_configurations.c.project_id == project_id)
            .order_by(llm_acceptances.c.id.desc())
            .limit(1)
        )
        with self.database.read() as connection:
            row = connection.execute(query).one_or_none()
            if row is None or not row.accepted:
                return None
            chosen = connection.execute(
                _configurations().where(llm_configurations.c.id == row.configuration_id)
            ).one()
        return Acceptance(
            _configuration(chosen),
            row.by,
            row.created_at,
            row.items,
            row.kappa,
            row.weighted_kappa,
            row.note,
        )

    def people_grades(self, project_id: int, *, rule: Rule = "median") -> list[FinalGrade]:
        """Returns the grade that counts of every item that people graded, in the items' order.

        Args:
            project_id: The project.
            rule: As in `relkit.judging.aggregation.aggregate`.
        """
        return super().final_grades(project_id, rule=rule)

    def final_grades(self, project_id: int, *, rule: Rule = "median") -> list[FinalGrade]:
        """Returns the grade that counts of every item that has one, in the items' order.

        What a lead decided comes first, then what is known of gold items, then what `rule` makes
        of the judges' grades. Of items that nobody said anything of, the median of an accepted
        language model's samples counts; its name is then the source.

        Args:
            project_id: The project.
            rule: As in `relkit.judging.aggregation.aggregate`. Under `mean_gain` decided, known
                and a model's grades become gains too.
        """
        people = self.people_grades(project_id, rule=rule)
        accepted = self.acceptance(project_id)
        if accepted is None:
            return people
        scale = self.project(project_id).scale
        graded = {one.item.id: one for one in people}
        said = self.ratings(project_id)
        samples = self.samples(accepted.configuration)
        found = []
        for item in self.items(project_id):
            if item.id in graded:
                found.append(graded[item.id])
            elif item.id in samples and item.id not in said:
                median = aggregate(samples[item.id]).value
                value = aggregate([median], rule=rule, scale=scale).value
                found.append(
                    FinalGrade(item, value, accepted.configuration.judge, 0, 0, tied=False)
                )
        return found


def _configurations() -> sa.Select[Any]:
    return (
        sa.select(llm_configurations, users.c.name.label("judge"))
        .select_from(llm_configurations.join(users))
        .order_by(llm_configurations.c.id)
    )


def _graded(configuration: Configuration, *columns: Any) -> sa.Select[Any]:
    """The answers of a configuration that have a grade, item by item."""
    return (
        sa.select(*columns)
        .select_from(
            llm_requests.join(
                llm_answers, llm_requests.c.request_hash == llm_answers.c.request_hash
            )
        )
        .where(
            llm_requests.c.configuration_id == configuration.id,
            llm_answers.c.grade.is_not(None),
            llm_answers.c.sample <= configuration.samples,
        )
        .order_by(llm_requests.c.item_id, llm_answers.c.sample, llm_answers.c.attempt)
    )


def _configuration(row: Any) -> Configuration:
    return Configuration(
        row.id,
        row.project_id,
        row.judge,
        row.version,
        row.endpoint,
        row.model,
        row.samples,
        row.parameters,
        row.language,
        row.prompt,
        row.created_at,
    )


def _answer(row: Any) -> StoredAnswer:
    return StoredAnswer(
        row.request_hash,
        row.sample,
        row.attempt,
        Answer(row.grade, row.reason, row.problem),
        row.prompt_tokens,
        row.completion_tokens,
    )


def _digest(settings: Mapping[str, Any]) -> str:
    text = json.dumps(settings, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _settings(one: Configuration) -> dict[str, Any]:
    names = ("endpoint", "model", "samples", "parameters", "language", "prompt")
    return {name: getattr(one, name) for name in names}
