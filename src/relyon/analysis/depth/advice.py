"""One thing that follows from the numbers: a kind with values, and its sentence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from relyon.core.document.json import json_values
from relyon.core.language import Language, check_language
from relyon.core.texts import catalogue
from relyon.measures.display_names import prose_label

__all__ = ["Advice"]


@dataclass(frozen=True)
class Advice:
    """One thing that the numbers imply for the choice of K.

    Attributes:
        kind: One of `clicks-covered`, `clicks-beyond`, `clicks-cut`, `no-clicks`,
            `judged-low`, `recall-grows`, `recall-cut`, `recall-flat`, `recall-full`,
            `queries-needed`, `order-changes`, `better-at`, `worse-at`, `power-unknown`,
            `lists-short` or `lists-end`.
        values: The numbers, by name.

    Examples:
        >>> Advice("lists-end", {"deepest": 10, "k": 20}).sentence()
        'No list is longer than 10 results: at K=20, whole lists are measured.'
    """

    kind: str
    values: Mapping[str, object] = field(default_factory=dict, hash=False)

    def sentence(self, language: Language = "en") -> str:
        """Returns the sentence.

        Args:
            language: `en` or `zh`.

        Raises:
            ParameterError: If the language is neither.
        """
        check_language(language)
        values = dict(self.values)
        if "measure" in values:
            values["measure"] = prose_label(str(values["measure"]))
        return catalogue("depth", language).say(f"advice.{self.kind}", **values)

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values, with the English sentence."""
        return {
            "kind": self.kind,
            "values": json_values(dict(self.values)),
            "sentence": self.sentence(),
        }
