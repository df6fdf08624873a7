"""Writes `data/obp.json`: what the Open Bandit Pipeline estimates from small logs.

    PYTHONPATH=.:OBP_CHECKOUT python tests/golden/make_obp.py

The Open Bandit Pipeline is https://github.com/st-tech/zr-obp (Apache 2.0; it is run, not copied).
Its doubly robust estimators are given relyon's model of rewards: what is compared is what they make
of it.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from relyon.labels.off_policy import read_candidate, read_feedback
from relyon.labels.off_policy.choices import align
from relyon.labels.off_policy.reward_model import fit_rewards

ACTIONS = "abcd"
PLACES = 3
SHOWN = [0.4, 0.3, 0.2, 0.1]
CHOSEN = [0.1, 0.2, 0.3, 0.4]
#: Of a Plackett-Luce logging policy.
STRENGTHS = {"a": 4, "b": 3, "c": 2, "d": 1}
CANDIDATE = "bda"


def decisions() -> list[dict[str, Any]]:
    """Single decisions with rewards from 0 to 1."""
    generator = random.Random(3)
    made = []
    for number in range(60):
        place = generator.choices(range(len(ACTIONS)), SHOWN)[0]
        made.append(
            {"session": f"s{number}", "doc": ACTIONS[place], "propensity": SHOWN[place]}
            | {"reward": round(generator.random(), 3)}
        )
    return made


def lists() -> list[dict[str, Any]]:
    """Lists, and the propensity of each document given those above it."""
    generator = random.Random(5)
    made = []
    for number in range(150):
        left = dict(STRENGTHS)
        for position in range(1, PLACES + 1):
            doc = generator.choices(list(left), list(left.values()))[0]
            made.append(
                {"session": f"s{number}", "query": "q", "doc": doc, "position": position}
                | {"propensity": left[doc] / sum(left.values())}
                | {"clicked": int(generator.random() < 0.6 / position)}
            )
            del left[doc]
    return made


def model(
    log: pl.DataFrame, table: Callable[[str], dict[str, list[Any]]], kind: Any
) -> NDArray[np.float64]:
    """What relyon foresees of each action at each place of each session. (n, k, actions)."""
    feedback = read_feedback(log, propensities=kind)
    found = []
    for action in ACTIONS:
        candidate = read_candidate(pl.DataFrame(table(action)))
        rewards = fit_rewards(align(feedback, candidate))
        found.append(rewards.of_sessions(feedback.context))
    return np.stack(found, axis=2)


def of_decisions() -> dict[str, float]:
    """IPS, SNIPS, DR and the direct method of single decisions."""
    from obp.ope import estimators

    rows = decisions()
    foreseen = model(
        pl.DataFrame(rows), lambda doc: {"document": [doc], "probability": [1.0]}, "auto"
    )
    known = {
        "reward": np.array([row["reward"] for row in rows]),
        "action": np.array([ACTIONS.index(row["doc"]) for row in rows]),
        "pscore": np.array([row["propensity"] for row in rows]),
        "action_dist": np.tile(np.array(CHOSEN)[None, :, None], (len(rows), 1, 1)),
        "estimated_rewards_by_reg_model": foreseen.transpose(0, 2, 1),
    }
    names = {
        "ips": "InverseProbabilityWeighting",
        "snips": "SelfNormalizedInverseProbabilityWeighting",
        "dr": "DoublyRobust",
    }
    return {
        name: float(getattr(estimators, kind)().estimate_policy_value(**known))
        for name, kind in names.items()
    }


def of_lists() -> dict[str, float]:
    """IPS, SNIPS, item-position IPS and cascade DR of lists."""
    from obp.ope import estimators_slate as slate

    rows = lists()
    count = len(rows) // PLACES
    shown = [
        [ACTIONS.index(row["doc"]) for row in rows[PLACES * i :][:PLACES]] for i in range(count)
    ]
    wanted = [ACTIONS.index(doc) for doc in CANDIDATE]
    same = np.array(shown) == np.array(wanted)
    prefix = np.cumprod(same, axis=1).astype(float)
    given = np.array([row["propensity"] for row in rows]).reshape(count, PLACES)
    above = np.cumprod(given, axis=1)
    # How often each document stood where it stood: what relyon counts for single places.
    often = np.array(
        [[np.mean([one[k] == row[k] for one in shown]) for k in range(PLACES)] for row in shown]
    )
    known = {
        "slate_id": np.repeat(np.arange(count), PLACES),
        "position": np.tile(np.arange(PLACES), count),
        "reward": np.array([float(row["clicked"]) for row in rows]),
    }
    whole = {
        "pscore": np.repeat(above[:, -1], PLACES),
        "evaluation_policy_pscore": np.repeat(prefix[:, -1], PLACES),
    }
    single = {
        "pscore_item_position": often.ravel(),
        "evaluation_policy_pscore_item_position": same.astype(float).ravel(),
    }
    foreseen = model(
        pl.DataFrame(rows),
        lambda doc: {
            "document": [doc] * PLACES,
            "position": list(range(1, PLACES + 1)),
            "probability": [1.0] * PLACES,
        },
        "conditional",
    )
    ours = np.stack([foreseen[:, place, wanted[place]] for place in range(PLACES)], axis=1)
    later = ours[:, ::-1].cumsum(axis=1)[:, ::-1] - ours
    chances = np.zeros(foreseen.shape)
    chances[:, np.arange(PLACES), wanted] = 1.0
    cascade = {
        "action": np.array(shown).ravel(),
        "pscore_cascade": above.ravel(),
        "evaluation_policy_pscore_cascade": prefix.ravel(),
        "q_hat": (foreseen + later[:, :, None]).ravel(),
        "evaluation_policy_action_dist": chances.ravel(),
    }
    robust = slate.SlateCascadeDoublyRobust(len_list=PLACES, n_unique_action=len(ACTIONS))
    return {
        "ips": float(slate.SlateStandardIPS(PLACES).estimate_policy_value(**known, **whole)),
        "snips": float(
            slate.SelfNormalizedSlateStandardIPS(PLACES).estimate_policy_value(**known, **whole)
        ),
        "item-position": float(
            slate.SlateIndependentIPS(PLACES).estimate_policy_value(**known, **single)
        ),
        "cascade-dr": float(robust.estimate_policy_value(**known, **cascade)),
    }


def main() -> None:
    """Runs the Open Bandit Pipeline and writes what it estimates."""
    from obp.version import __version__

    found = {
        "program": f"Open Bandit Pipeline {__version__}",
        "decisions": decisions(),
        "policy": {"document": list(ACTIONS), "probability": CHOSEN},
        "lists": lists(),
        "ranking": CANDIDATE,
        "of_decisions": of_decisions(),
        "of_lists": of_lists(),
    }
    path = Path(__file__).with_name("data") / "obp.json"
    path.write_text(json.dumps(found, ensure_ascii=False, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
