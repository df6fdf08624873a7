"""Language models as judges of a project, with versioned settings."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict

from relyon.core.document.json import json_number
from relyon.core.errors import InputError, ParameterError, UnknownNameError
from relyon.core.parameters import check_whole
from relyon.core.texts import message
from relyon.judging.database_part import Base
from relyon.judging.imported_accounts import check_account_name, ensure_machine
from relyon.judging.places import take_turn
from relyon.judging.records import User
from relyon.judging.schema import (
    TableRow,
    llm_acceptances,
    llm_answers,
    llm_configurations,
    llm_requests,
    sa,
    users,
)
from relyon.judging.texts import check_text, plain, unknown_name

if TYPE_CHECKING:
    from relyon.judging.llm.figures import Figures


__all__ = [
    "Acceptance",
    "Configuration",
    "Models",
    "draft_configuration",
]

#: Reserved request parameters, or ones that would change the form of an answer.
RESERVED = ("messages", "model", "n", "stream", "stream_options")


@dataclass(frozen=True)
class Configuration:
    """A language model as a judge of a project, with everything that its grades depend on.

    Attributes:
        id: In the database.
        project_id: The project.
        judge: Its name, which begins with `llm:`.
        version: Counted from 1 per judge of a project: each change of settings is a new version.
        endpoint: The address of its endpoint.
        model: Its name at the endpoint.
        samples: Number of answers per item.
        parameters: Parameters of the requests, such as the temperature.
        language: Of the prompt.
        prompt: The constant part of every request.
        created_at: Seconds since 1970.
    """

    id: int
    project_id: int
    judge: str
    version: int
    endpoint: str
    model: str
    samples: int
    parameters: Mapping[str, object]
    language: str
    prompt: str
    created_at: float

    @property
    def title(self) -> str:
        """The judge and its version, as a message."""
        return message("judging.judge-and-version", judge=self.judge, version=self.version)


def draft_configuration(
    project_id: int,
    judge: str,
    *,
    endpoint: str,
    model: str,
    samples: int,
    parameters: Mapping[str, object],
    language: str,
    prompt: str,
) -> Configuration:
    """Returns settings that are not stored yet, with id and version 0.

    Raises:
        ParameterError: If the judge's name is not a language model's, the model has no name, the
            number of samples is below 1, or a request parameter is reserved.
    """
    for name in RESERVED:
        if name in parameters:
            raise ParameterError(message("judging.request-parameter-cannot", name=name))
    if not model.strip():
        raise ParameterError(message("judging.model-has-no-name"))
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


@dataclass(frozen=True)
class Acceptance:
    """The acceptance of a language model's grades for items without human ones.

    Attributes:
        configuration: The judge and the version whose grades count.
        by: The account of the lead who accepted it.
        at: When, in seconds since 1970.
        items: Number of items on which it was compared with people.
        kappa: Cohen's kappa with people; None if undefined.
        weighted_kappa: With quadratic weights.
        note: The lead's remark.
    """

    configuration: Configuration
    by: str
    at: float
    items: int
    kappa: float | None
    weighted_kappa: float | None
    note: str


class Models(Base):
    """The part of a store that manages language models as judges, and their acceptance."""

    def add(self, draft: Configuration) -> Configuration:
        """Returns the version of a judge with these settings, and creates it if needed.

        Args:
            draft: As returned by `draft_configuration`.
        """
        project_id, judge = draft.project_id, draft.judge
        settings = _settings(draft)
        digest = _digest(settings)
        with self.database.write() as connection:
            take_turn(connection, project_id)
            user = ensure_machine(connection, judge, self.clock())
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
        found = self.all(project_id)
        return next(
            one for one in found if one.judge == judge and _digest(_settings(one)) == digest
        )

    def all(self, project_id: int) -> list[Configuration]:
        """Returns the language models of a project, every version, in their order."""
        query = _select_configurations().where(llm_configurations.c.project_id == project_id)
        with self.database.read() as connection:
            return [_read_configuration(row) for row in connection.execute(query)]

    def get(
        self, project_id: int, judge: str | None = None, version: int | None = None
    ) -> Configuration:
        """Returns a judge's settings: by default the newest version that graded.

        Args:
            project_id: The project.
            judge: Its name; needed if there are several.
            version: Of the settings.

        Raises:
            UnknownNameError: If the judge or version is unknown.
            InputError: If there is no language model, or there are several and `judge` is None.
        """
        known = self.all(project_id)
        answering = self._answering(project_id)
        if judge is None:
            graded = [one.judge for one in known if one.id in answering]
            judge = _only(graded or [one.judge for one in known])
        own = [one for one in known if one.judge == judge]
        if not own:
            raise unknown_name("language model", judge, [one.judge for one in known])
        if version is None:
            return next((one for one in reversed(own) if one.id in answering), own[-1])
        chosen = [one for one in own if one.version == version]
        if not chosen:
            raise UnknownNameError(
                message("judging.has-no-version", judge=own[0].judge, version=version),
                hint=message("judging.has-1-to-version", version=own[-1].version),
            )
        return chosen[0]

    def _answering(self, project_id: int) -> set[int]:
        """Returns the versions with grades."""
        query = (
            sa.select(llm_requests.c.configuration_id)
            .join(llm_answers, llm_answers.c.request_hash == llm_requests.c.request_hash)
            .join(llm_configurations, llm_configurations.c.id == llm_requests.c.configuration_id)
            .where(llm_configurations.c.project_id == project_id, llm_answers.c.grade.is_not(None))
            .distinct()
        )
        with self.database.read() as connection:
            return set(connection.execute(query).scalars())

    def record_acceptance(
        self,
        configuration: Configuration,
        by: User,
        *,
        accepted: bool,
        figures: Figures | None = None,
        report: Mapping[str, object] | None = None,
        note: str = "",
    ) -> None:
        """Records that a model's grades are accepted or withdrawn.

        Args:
            configuration: The judge and the version.
            by: The account that decides.
            accepted: Whether they count.
            figures: The model's agreement with the final grades.
            report: The calibration as JSON.
            note: A remark.

        Raises:
            ParameterError: If the account is not a lead or an admin, or is closed.
        """
        if by.role == "judge" or not by.active:
            raise ParameterError(
                message("judging.is-not-lead", by_name=by.name),
                hint=message("judging.lead-or-admin"),
            )
        with self.database.write() as connection:
            connection.execute(
                sa.insert(llm_acceptances).values(
                    configuration_id=configuration.id,
                    user_id=by.id,
                    accepted=accepted,
                    items=0 if figures is None else figures.items,
                    kappa=None if figures is None else json_number(figures.kappa.value),
                    weighted_kappa=(
                        None if figures is None else json_number(figures.weighted_kappa.value)
                    ),
                    report=report or {},
                    note=check_text(note, "note"),
                    created_at=self.clock(),
                )
            )

    def accepted(self, project_id: int) -> Acceptance | None:
        """Returns the model accepted in a project: the last one."""
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
                _select_configurations().where(llm_configurations.c.id == row.configuration_id)
            ).one()
        return Acceptance(
            _read_configuration(chosen),
            row.by,
            row.created_at,
            row.items,
            row.kappa,
            row.weighted_kappa,
            row.note,
        )


def _only(judges: Sequence[str]) -> str:
    """Returns the only language model that graded."""
    names = list(dict.fromkeys(judges))
    if not names:
        raise InputError(
            message("judging.no-language-model"),
            hint=message("judging.relyon-judge-llm-runs"),
        )
    if len(names) > 1:
        raise InputError(
            message("judging.language-models-have-graded", count=len(names)),
            hint=message("judging.name-one-with-judge", names=list(names)),
        )
    return names[0]


def _select_configurations() -> sa.Select[*tuple[object, ...]]:
    """Returns the query for all configurations with their judges' names."""
    return (
        sa.select(llm_configurations, users.c.name.label("judge"))
        .select_from(llm_configurations.join(users))
        .order_by(llm_configurations.c.id)
    )


def _read_configuration(row: TableRow) -> Configuration:
    """Returns a configuration from its row."""
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


def _digest(settings: _Settings) -> str:
    text = json.dumps(settings, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


class _Settings(TypedDict):
    endpoint: str
    model: str
    samples: int
    parameters: Mapping[str, object]
    language: str
    prompt: str


def _settings(one: Configuration) -> _Settings:
    return {
        "endpoint": one.endpoint,
        "model": one.model,
        "samples": one.samples,
        "parameters": one.parameters,
        "language": one.language,
        "prompt": one.prompt,
    }
