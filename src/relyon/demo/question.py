"""What a programmer asks."""

from dataclasses import dataclass

__all__ = ["Question"]


@dataclass(frozen=True, slots=True)
class Question:
    """A question that a Python programmer asks.

    Attributes:
        id: Such as ``en01`` or ``zh01``.
        language: ``en`` or ``zh``.
        text: The question.
    """

    id: str
    language: str
    text: str
