"""Which changed copy of an item a language model was asked about: kept apart from all grades."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from relyon.judging.database_part import Base
from relyon.judging.llm.models import Configuration
from relyon.judging.places import take_turn
from relyon.judging.schema import items, llm_probes, sa

__all__ = ["Drawn", "ProbeRow", "Probes"]

Drawn = Literal["random", "irrelevant"]


@dataclass(frozen=True)
class ProbeRow:
    """One copy of an item that a model was, or is to be, asked about.

    Attributes:
        item_id: The item.
        probe: The name of the probe.
        drawn: Why the item was drawn: at `random`, or because it is `irrelevant`.
        request_hash: The hash of the request.
        query: The item's query.
    """

    item_id: int
    probe: str
    drawn: Drawn
    request_hash: str
    query: str


class Probes(Base):
    """The part of a store that keeps the requests of audits. Their answers are never grades."""

    def add(self, configuration: Configuration, rows: Sequence[ProbeRow]) -> None:
        """Records copies; a copy that was changed since replaces the earlier one."""
        mine = llm_probes.c.configuration_id == configuration.id
        with self.database.write() as connection:
            take_turn(connection, configuration.project_id)
            for row in rows:
                same = (llm_probes.c.item_id == row.item_id, llm_probes.c.probe == row.probe)
                connection.execute(sa.delete(llm_probes).where(mine, *same))
            if rows:
                connection.execute(
                    sa.insert(llm_probes),
                    [
                        {
                            "configuration_id": configuration.id,
                            "item_id": row.item_id,
                            "probe": row.probe,
                            "drawn": row.drawn,
                            "request_hash": row.request_hash,
                        }
                        for row in rows
                    ],
                )

    def all(self, configuration: Configuration) -> list[ProbeRow]:
        """Returns the copies of all audits of a model's settings."""
        query = (
            sa.select(llm_probes, items.c.query)
            .join(items, items.c.id == llm_probes.c.item_id)
            .where(llm_probes.c.configuration_id == configuration.id)
            .order_by(llm_probes.c.item_id, llm_probes.c.probe)
        )
        with self.database.read() as connection:
            return [
                ProbeRow(row.item_id, row.probe, row.drawn, row.request_hash, row.query)
                for row in connection.execute(query)
            ]
