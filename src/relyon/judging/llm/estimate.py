"""What a run of a language model would take: requests, tokens and their price."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relyon.judging.llm.judge import Plan, request_body
from relyon.judging.llm.prompt import Prompt

if TYPE_CHECKING:
    from relyon.judging.llm.models import Configuration
    from relyon.judging.llm.replies import Tally

__all__ = ["Estimate", "count_tokens", "estimate_tokens"]

#: Requests that are built for an estimate, evenly over all.
BUILT = 300
#: Tokens of an answer with a grade and a sentence, if none is known.
ANSWER = 60.0
#: Answers from which on their mean is used.
ENOUGH = 5


@dataclass(frozen=True)
class Estimate:
    """What a plan would take.

    Attributes:
        requests: Requests to send; answers that are known are not asked for again.
        prompt_tokens: Tokens of these requests.
        answer_tokens: Tokens of their answers.
        measured: Whether both are from earlier answers with the same settings; otherwise the
            requests are counted by their characters, and an answer is assumed to have `ANSWER`.
    """

    requests: int
    prompt_tokens: float
    answer_tokens: float
    measured: bool


def count_tokens(text: str) -> float:
    """Returns about how many tokens a text has: rather too many than too few.

    A token is about four ASCII characters, and rarely more than one other character.

    Examples:
        >>> count_tokens("wireless headset"), count_tokens("无线耳机")
        (4.0, 4.0)
    """
    plain = sum(character < "\x80" for character in text)
    return plain / 4 + (len(text) - plain)


def estimate_tokens(
    configuration: Configuration, prompt: Prompt, plan: Plan, known: Tally | None = None
) -> Estimate:
    """Estimates the tokens of a plan's open requests.

    Invalid answers are asked for again, which is not counted.

    Args:
        configuration: The model and its settings.
        prompt: Its prompt.
        plan: The requests.
        known: The answers so far with the same settings.
    """
    count = len(plan.open)
    measured = known is not None and known.answers >= ENOUGH and known.prompt_tokens > 0
    if known is not None and measured:
        prompt_mean = known.prompt_tokens / known.answers
        answer_mean = known.completion_tokens / known.answers
        return Estimate(count, prompt_mean * count, answer_mean * count, True)
    step = max(1, count // BUILT)
    sizes = [
        count_tokens(
            json.dumps(request_body(configuration, prompt, item)["messages"], ensure_ascii=False)
        )
        for item, _, _ in plan.open[::step]
    ]
    mean = math.fsum(sizes) / len(sizes) if sizes else 0.0
    return Estimate(count, mean * count, ANSWER * count, False)
