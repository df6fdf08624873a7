"""A sample of sessions: who was drawn, with which probability, and what they were shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from relkit.notes import Note
from relkit.render import align, markdown_lines, note_dict

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Design", "Sample", "Stratum"]

Design = Literal["stratified", "pptss"]
Language = Literal["en", "zh"]

NAMES_ZH = {"head": "高频", "middle": "中频", "tail": "低频"}
HEADINGS = {
    "en": ("tier", "queries", "sessions", "traffic", "from", "to", "sampled", "inclusion", "k"),
    "zh": ("层", "查询数", "会话数", "流量占比", "最少", "最多", "抽样数", "入样概率", "k"),
}


@dataclass(frozen=True)
class Stratum:
    """One tier of the log and what was drawn from it.

    Attributes:
        name: The tier's name.
        queries: Distinct queries in it.
        sessions: Sessions in it.
        share: Its share of all sessions.
        least: Sessions of its rarest query; 0 where it has none.
        most: Sessions of its most frequent query; 0 where it has none.
        sampled: Sessions drawn; under PPTSS draws, so that one may count twice.
        inclusion_probability: Of each of its sessions under a stratified design, n_h / N_h. Under
            PPTSS it differs from query to query, and this is the mean of those drawn; NaN where
            nothing was drawn.
        k: Results of a session that count.
    """

    name: str
    queries: int
    sessions: int
    share: float
    least: int
    most: int
    sampled: int
    inclusion_probability: float
    k: int

    def to_dict(self) -> dict[str, Any]:
        """Returns JSON-ready values: NaN becomes null."""
        values = dict(vars(self))
        if values["inclusion_probability"] != values["inclusion_probability"]:
            values["inclusion_probability"] = None
        return values


@dataclass(frozen=True)
class Sample:
    """Sessions drawn from a log, each with the probability with which it was.

    Attributes:
        sessions: One row a drawn session (a draw under PPTSS, where one may come twice): `draw`
            from 1, `tier`, `query`, `session`, `query_sessions` (how often the query is asked),
            `tier_sessions`, `inclusion_probability`, `k`, and `draw_probability` under PPTSS.
            Under PPTSS both probabilities are the query's.
        results: What they were shown: `session`, `query`, `position`, `doc`, down to the tier's k.
        tiers: One a tier.
        design: `stratified` (without replacement) or `pptss` (with replacement).
        seed: What chose the sessions.
        common_k: The depth at which all tiers may be compared.
        notes: What was noticed.

    Examples:
        >>> import polars as pl
        >>> from relkit.sampling import draw_sample
        >>> log = pl.DataFrame({
        ...     "session": [f"s{i}" for i in range(12)],
        ...     "query": ["a"] * 6 + ["b"] * 3 + ["c", "d", "e"],
        ...     "position": [1] * 12,
        ...     "doc": [f"d{i % 3}" for i in range(12)],
        ... })
        >>> sample = draw_sample(log, per_tier=2, seed=7)
        >>> sample.sessions.group_by("tier").len().sort("tier").rows()
        [('head', 2), ('middle', 2), ('tail', 2)]
    """

    sessions: pl.DataFrame
    results: pl.DataFrame
    tiers: tuple[Stratum, ...]
    design: Design
    seed: int
    common_k: int
    notes: tuple[Note, ...] = field(default=())

    def __len__(self) -> int:
        """The number of draws."""
        return len(self.sessions)

    def to_frame(self) -> pl.DataFrame:
        """Returns one row a draw and result: what is written to a file."""
        return self.sessions.join(
            self.results, on=["session", "query"], how="left", maintain_order="left"
        ).sort("draw", "position")

    def to_dict(self) -> dict[str, Any]:
        """Returns the summary as JSON-ready values."""
        return {
            "design": self.design,
            "seed": self.seed,
            "common_k": self.common_k,
            "sampled": len(self),
            "tiers": [tier.to_dict() for tier in self.tiers],
            "notes": [note_dict(note) for note in self.notes],
        }

    def to_markdown(self, language: Language = "en") -> str:
        """Returns the summary by tier as a Markdown table."""
        headings, rows = self._cells(language)
        return "\n".join(markdown_lines(headings, rows))

    def to_text(self, language: Language = "en") -> str:
        """Returns the summary by tier as aligned lines."""
        headings, rows = self._cells(language)
        return "\n".join(align(headings, rows))

    def __str__(self) -> str:
        return self.to_text()

    def _cells(self, language: Language) -> tuple[tuple[str, ...], list[list[str]]]:
        names: Mapping[str, str] = NAMES_ZH if language == "zh" else {}
        rows = [
            [
                names.get(tier.name, tier.name),
                f"{tier.queries:,}",
                f"{tier.sessions:,}",
                f"{tier.share:.1%}",
                f"{tier.least:,}",
                f"{tier.most:,}",
                f"{tier.sampled:,}",
                f"{tier.inclusion_probability:.3g}" if tier.sampled else "-",
                str(tier.k),
            ]
            for tier in self.tiers
        ]
        return HEADINGS[language], rows
