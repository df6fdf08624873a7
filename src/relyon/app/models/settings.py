"""The language models that the operator allows."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["ModelEndpoint", "Price"]


@dataclass(frozen=True)
class Price:
    """What a model costs, for a million tokens.

    Attributes:
        prompt: Of requests.
        answer: Of answers.
        currency: Such as `USD`; may be empty.
    """

    prompt: float
    answer: float
    currency: str = ""

    def cost(self, prompt_tokens: float, answer_tokens: float) -> float:
        """Returns the cost of some tokens.

        Examples:
            >>> Price(0.25, 2.0).cost(1_000_000, 500_000)
            1.25
        """
        return (prompt_tokens * self.prompt + answer_tokens * self.answer) / 1e6


@dataclass(frozen=True)
class ModelEndpoint:
    """A language model that leads may choose.

    Attributes:
        name: Its name in the app.
        url: The address of its endpoint, as `tidy_url` returns it.
        model: Its name there.
        key: Sent as a bearer token; never shown.
        price: What it costs; None if unknown.
    """

    name: str
    url: str
    model: str
    key: str = field(default="", repr=False)
    price: Price | None = None
