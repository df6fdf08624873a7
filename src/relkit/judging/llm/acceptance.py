"""Whether a language model's grades may count, and the grade that counts then."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from relkit.core.errors import ParameterError
from relkit.judging.accounts import MACHINE_PREFIX
from relkit.judging.adjudication import FinalGrade, FinalValue
from relkit.judging.aggregation import Rule, aggregate
from relkit.judging.agreement import Ratings
from relkit.judging.llm.configurations import (
    Configuration,
    read_configuration,
    select_configurations,
)
from relkit.judging.llm.replies import ReplyStore
from relkit.judging.records import User
from relkit.judging.schema import llm_acceptances, llm_configurations, sa, users
from relkit.judging.texts import check_text

if TYPE_CHECKING:
    from relkit.judging.llm.calibration import Calibration

__all__ = ["Acceptance", "MachineStore", "is_machine_source"]


def is_machine_source(source: str) -> bool:
    """Says whether a final grade's source is a language model."""
    return source.startswith(MACHINE_PREFIX)


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


class MachineStore(ReplyStore):
    """The part of a store that keeps what language models say, apart from what people say."""

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
                select_configurations().where(llm_configurations.c.id == row.configuration_id)
            ).one()
        return Acceptance(
            read_configuration(chosen),
            row.by,
            row.created_at,
            row.items,
            row.kappa,
            row.weighted_kappa,
            row.note,
        )

    def count_filled(self, project_id: int) -> int:
        """Returns how many final grades are those of the accepted model."""
        accepted = self.acceptance(project_id)
        if accepted is None:
            return 0
        said = {*self.ratings(project_id), *self.gold(project_id), *self.adjudicated(project_id)}
        return len(self.graded_items(accepted.configuration) - said)

    def people_grades(self, project_id: int, *, rule: Rule = "median") -> list[FinalGrade]:
        """Returns the grade that counts of every item that people graded, in the items' order.

        Args:
            project_id: The project.
            rule: As in `relkit.judging.aggregation.aggregate`.
        """
        return self._final_grades(project_id, super().final_values(project_id, rule=rule))

    def final_values(
        self, project_id: int, *, rule: Rule = "median", grades: Ratings | None = None
    ) -> dict[int, FinalValue]:
        """Returns what counts as the grade by item, and where it is from, without the items.

        What a lead decided comes first, then what is known of gold items, then what `rule` makes
        of the judges' grades. Of items that nobody said anything of, the median of an accepted
        language model's samples counts; its name is then the source.

        Args:
            project_id: The project.
            rule: As in `relkit.judging.aggregation.aggregate`. Under `mean_gain` decided, known
                and a model's grades become gains too.
            grades: What `grades` returned, where it is known.
        """
        found = super().final_values(project_id, rule=rule, grades=grades)
        accepted = self.acceptance(project_id)
        if accepted is None:
            return found
        scale = self.project(project_id).scale
        said = self.ratings(project_id)
        for item, sample in self.samples(accepted.configuration).items():
            if item not in found and item not in said:
                one = aggregate([aggregate(sample).value], rule=rule, scale=scale)
                nobody = replace(one, judges=0, agreeing=0, tied=False)
                found[item] = (nobody, accepted.configuration.judge)
        return found
