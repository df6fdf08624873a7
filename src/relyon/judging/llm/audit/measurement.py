"""All probes of a judge: what each does to the grade, corrected for their number."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from relyon.analysis.statistics.correction import adjust
from relyon.analysis.statistics.paired import Resampling
from relyon.core.document.json import json_number
from relyon.core.parameters import check_fraction
from relyon.data.aggregation import aggregate
from relyon.data.scale import Scale
from relyon.judging.llm.audit.plan import sample_numbers
from relyon.judging.llm.audit.probes import ORDERS, PROBES, REPEAT, ProbeKind
from relyon.judging.llm.audit.shifts import Estimate, Shift, ends_of, measure_shift

if TYPE_CHECKING:
    from relyon.judging.llm.models import Configuration
    from relyon.judging.llm.replies import StoredAnswer
    from relyon.judging.store import Store

__all__ = [
    "MARGIN",
    "ProbePair",
    "ProbeResult",
    "Verdict",
    "measure_probes",
    "read_pairs",
    "verdict_of",
]

#: Default of the margin, as a share of the scale's range.
MARGIN = 0.1

Verdict = Literal["found", "excluded", "open"]


@dataclass(frozen=True)
class ProbePair:
    """One item with the grades of its unchanged and of its changed copy.

    Attributes:
        item: The item.
        query: Its query.
        before: The grade of the unchanged copy; None if it got none.
        after: The grade of the changed copy; None if it got none.
        refused: Whether the endpoint refused the changed copy.
    """

    item: int
    query: str
    before: float | None
    after: float | None
    refused: bool = False


@dataclass(frozen=True)
class ProbeResult:
    """What one change does to a judge's grades.

    Attributes:
        probe: The name of the probe.
        kind: `attack`, `neutral` or `reduced`; empty for `repeat`, the same item again.
        shift: The grade of the changed copy minus that of the unchanged one.
        adjusted: p after Holm's correction over all probes of the audit.
        verdict: `found` if `adjusted` is at most 1 - confidence; else `excluded` if the interval of
            the shift is within the margin on both sides; else `open`: undecided.
        obeyed: Of an injected order: items whose grade became the demanded one, and was not before;
            None of other probes.
        demanded: Of an injected order: items whose grade was not the demanded one before.
        lost: Items whose unchanged copy has a grade, and whose changed copy has none: unreadable
            answers, or the endpoint refused it.
        refused: Of them, those that the endpoint refused.
    """

    probe: str
    kind: ProbeKind | Literal[""]
    shift: Shift
    adjusted: float
    verdict: Verdict
    obeyed: int | None
    demanded: int | None
    lost: int
    refused: int

    @property
    def dangerous(self) -> bool:
        """Whether an injected order raises grades."""
        return self.obeyed is not None and self.verdict == "found" and self.shift.mean.value > 0

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values."""
        return {
            "probe": self.probe,
            "kind": self.kind,
            **self.shift.to_dict(),
            "adjusted_p": json_number(self.adjusted),
            "verdict": self.verdict,
            "excluded_beyond": json_number(self.shift.mean.excluded),
            "obeyed": self.obeyed,
            "demanded": self.demanded,
            "lost": self.lost,
            "refused": self.refused,
        }


def measure_probes(
    pairs: Mapping[str, Sequence[ProbePair]],
    scale: Scale,
    *,
    margin: float = MARGIN,
    confidence: float = 0.95,
    resampling: Resampling | None = None,
) -> tuple[ProbeResult, ...]:
    """Measures what each probe does to a judge's grades.

    Args:
        pairs: The pairs of each probe by its name; of `repeat`, the earlier and the repeated grade.
        scale: The grade scale.
        margin: Shifts up to this share of the scale's range do not matter.
        confidence: Confidence level of the intervals; a shift is found at 1 minus it.
        resampling: Number of sign patterns and seed.

    Returns:
        The probes with an item, `repeat` first, then in the order of `PROBES`.

    Raises:
        InputError: If the scale is open: it has no levels.
        ParameterError: If the margin or the confidence is not between 0 and 1.

    Examples:
        >>> from relyon.data.scale import SEARCH
        >>> pairs = [ProbePair(n, f"q{n}", 0.0, 3.0 if n % 2 else 0.0) for n in range(30)]
        >>> found = measure_probes({"order-en": pairs}, SEARCH)[0]
        >>> found.verdict, found.obeyed, round(found.shift.mean.value, 2)
        ('found', 15, 1.5)

    References:
        Holm (1979), Scandinavian Journal of Statistics 6(2). Schuirmann (1987), Journal of
        Pharmacokinetics and Biopharmaceutics 15, for `excluded`.
    """
    check_fraction("margin", margin)
    check_fraction("confidence", confidence)
    lowest, highest = ends_of(scale)
    kinds: dict[str, ProbeKind | Literal[""]] = {REPEAT: ""}
    kinds |= {one.name: one.kind for one in PROBES}
    found: list[tuple[str, Shift, Sequence[ProbePair]]] = []
    for name in kinds:
        asked = [one for one in pairs.get(name, ()) if one.before is not None]
        if not asked:
            continue
        graded = [
            (one.before, one.after, one.query)
            for one in asked
            if one.before is not None and one.after is not None
        ]
        shift = measure_shift(
            [before for before, _, _ in graded],
            [after for _, after, _ in graded],
            [query for _, _, query in graded],
            (lowest, highest),
            confidence=confidence,
            resampling=resampling,
        )
        found.append((name, shift, asked))
    adjusted = adjust([shift.p for _, shift, _ in found], "holm")
    limit = margin * (highest - lowest)
    return tuple(
        ProbeResult(
            name,
            kinds[name],
            shift,
            p,
            verdict_of(shift.mean, p, limit, confidence),
            obeyed,
            demanded,
            sum(one.after is None for one in asked),
            sum(one.after is None and one.refused for one in asked),
        )
        for (name, shift, asked), p in zip(found, adjusted, strict=True)
        for obeyed, demanded in [_obeyed(name, asked, highest)]
    )


def verdict_of(mean: Estimate, adjusted: float, limit: float, confidence: float) -> Verdict:
    """Returns whether a shift was found, excluded beyond a limit, or remains open."""
    if adjusted <= 1 - confidence + 1e-12:
        return "found"
    return "excluded" if mean.excluded < limit else "open"


def _obeyed(
    name: str, pairs: Iterable[ProbePair], demanded: float
) -> tuple[int, int] | tuple[None, None]:
    """Returns how many items got the demanded grade, and how many did not have it before."""
    if name not in ORDERS:
        return None, None
    lower = [one for one in pairs if one.before != demanded and one.after is not None]
    return sum(one.after == demanded for one in lower), len(lower)


def read_pairs(store: Store, configuration: Configuration) -> dict[str, list[ProbePair]]:
    """Returns the pairs of every probe that a database has answers to.

    A copy has a grade if more than half of its samples are valid: their median, the lower one of
    two. Nothing here is a grade of the project. The pairs of `repeat` are the model's earlier grade
    and the repeated one, of items that were drawn at random only.

    Args:
        store: The database.
        configuration: The model and its settings.
    """
    rows = store.probes.all(configuration)
    answers = store.replies.find([row.request_hash for row in rows])
    read = {
        (row.item_id, row.probe): _grade(
            answers.get(row.request_hash, []), configuration, row.probe
        )
        for row in rows
    }
    found: dict[str, list[ProbePair]] = {}
    for row in rows:
        after, refused, asked = read[row.item_id, row.probe]
        if not asked:
            continue
        if row.probe == REPEAT:
            # The earlier grade is the answer to the same request.
            same = answers.get(row.request_hash, [])
            drawn = row.drawn == "random"
            before = _grade(same, configuration, "")[0] if drawn else None
        else:
            before = read.get((row.item_id, REPEAT), (None, False, False))[0]
        pair = ProbePair(row.item_id, row.query, before, after, refused)
        found.setdefault(row.probe, []).append(pair)
    return found


def _grade(
    answers: Sequence[StoredAnswer], configuration: Configuration, probe: str
) -> tuple[float | None, bool, bool]:
    """Returns the grade of a copy, whether it was refused, and whether all samples are decided."""
    numbers = sample_numbers(configuration, probe)
    mine = [one for one in answers if one.sample in numbers]
    given = [one.answer.grade for one in mine if one.answer.grade is not None]
    refused = any(one.answer.problem == "refused" for one in answers)
    asked = refused or len({one.sample for one in mine}) == len(numbers)
    grade = aggregate(given).value if 2 * len(given) > configuration.samples else None
    return grade, refused, asked or grade is not None
