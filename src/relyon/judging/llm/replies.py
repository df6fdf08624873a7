"""Language models' answers: stored once, found again by their request."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVarTuple

from relyon.judging.database_part import Base
from relyon.judging.llm.answers import Answer
from relyon.judging.llm.endpoint import Completion
from relyon.judging.llm.models import Configuration
from relyon.judging.places import take_turn
from relyon.judging.schema import TableRow, llm_answers, llm_requests, sa

__all__ = ["Replies", "StoredAnswer", "Tally"]

Columns = TypeVarTuple("Columns")

#: Hashes looked up per query: databases limit the size of a query.
MOST_HASHES = 500


@dataclass(frozen=True)
class StoredAnswer:
    """A stored answer.

    Attributes:
        request_hash: The hash of the request.
        sample: The number of the repetition, from 1.
        attempt: The number of the attempt to get a valid answer, from 1.
        answer: The answer.
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
class Tally:
    """The answers to the requests of a configuration, counted.

    Attributes:
        items: Items that it was to grade.
        answers: Answers.
        graded: Of them, those with a grade.
        prompt_tokens: Of all requests, as the endpoint counted them; 0 if it does not.
        completion_tokens: Of all answers.
    """

    items: int
    answers: int
    graded: int
    prompt_tokens: int
    completion_tokens: int


class Replies(Base):
    """The part of a store that manages language models' answers."""

    def add_requests(self, configuration: Configuration, requests: Mapping[int, str]) -> None:
        """Records the request of each item."""
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
        """Returns all answers of each item, by sample and attempt."""
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

    def requested(self, configuration: Configuration) -> dict[int, str]:
        """Returns the items that a model was to grade, with the hash of each request."""
        query = sa.select(llm_requests.c.item_id, llm_requests.c.request_hash).where(
            llm_requests.c.configuration_id == configuration.id
        )
        with self.database.read() as connection:
            return {row.item_id: row.request_hash for row in connection.execute(query)}

    def tally(self, configuration: Configuration) -> Tally:
        """Counts the answers of a model, of all attempts, without reading them."""
        mine = llm_requests.c.configuration_id == configuration.id
        asked = sa.select(llm_requests.c.request_hash).where(mine)
        items = sa.select(sa.func.count()).select_from(llm_requests).where(mine)
        query = sa.select(
            sa.func.count().label("answers"),
            sa.func.count(llm_answers.c.grade).label("graded"),
            sa.func.coalesce(sa.func.sum(llm_answers.c.prompt_tokens), 0).label("prompt"),
            sa.func.coalesce(sa.func.sum(llm_answers.c.completion_tokens), 0).label("completion"),
        ).where(llm_answers.c.request_hash.in_(asked))
        with self.database.read() as connection:
            row = connection.execute(query).one()
            count = connection.execute(items).scalar_one()
        return Tally(count, row.answers, row.graded, int(row.prompt), int(row.completion))

    def find(self, request_hashes: Iterable[str]) -> dict[str, list[StoredAnswer]]:
        """Returns the answers to requests in any project, by sample and attempt."""
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

    def add(
        self, request_hash: str, sample: int, attempt: int, answer: Answer, completion: Completion
    ) -> bool:
        """Stores an answer durably.

        Returns:
            Whether it is new: False if another process stored one meanwhile.
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

    def graded_items(self, configuration: Configuration) -> set[int]:
        """Returns the items with a grade by a model, without reading the grades."""
        query = (
            _graded(sa.select(llm_requests.c.item_id), configuration)
            .order_by(None)
            .group_by(llm_requests.c.item_id)
            .having(2 * sa.func.count() > configuration.samples)
        )
        with self.database.read() as connection:
            return set(connection.execute(query).scalars())

    def samples(self, configuration: Configuration) -> dict[int, list[float]]:
        """Returns a model's grades of each item with more than half of its samples.

        Invalid answers are not grades. An item most of whose samples are missing has none.
        """
        query = _graded(sa.select(llm_requests.c.item_id, llm_answers.c.grade), configuration)
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
            sa.select(llm_requests.c.item_id, llm_answers.c.grade, llm_answers.c.reason),
            configuration,
        ).where(llm_requests.c.item_id.in_(item_ids))
        found: dict[int, list[tuple[float, str]]] = {}
        with self.database.read() as connection:
            for row in connection.execute(query):
                found.setdefault(row.item_id, []).append((row.grade, row.reason))
        return found


def _graded(query: sa.Select[*Columns], configuration: Configuration) -> sa.Select[*Columns]:
    """Restricts a query to the answers of a configuration with a grade, item by item."""
    return (
        query.select_from(
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


def _answer(row: TableRow) -> StoredAnswer:
    return StoredAnswer(
        row.request_hash,
        row.sample,
        row.attempt,
        Answer(row.grade, row.reason, row.problem),
        row.prompt_tokens,
        row.completion_tokens,
    )
