"""Writes `data/allrank.json`: losses and gradients of a few lists by allRank.

    PYTHONPATH=ALLRANK_CHECKOUT python tests/golden/make_allrank.py

allRank is https://github.com/allegro/allRank (Apache 2.0; it is run and not copied). Its losses
import modules that read files in clouds and pictures: empty ones take their place. Scores are near
one another, where what it clamps does not show; see `test_losses.py` for what differs.
"""

from __future__ import annotations

import json
import random
import sys
from functools import partial
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import torch


def stand_ins() -> None:
    """Puts modules where allRank's losses look for two names."""
    wanted: dict[str, dict[str, Any]] = {
        "allrank.data.dataset_loading": {"PADDED_Y_VALUE": -1},
        "allrank.models.model_utils": {"get_torch_device": lambda: torch.device("cpu")},
    }
    for name, values in wanted.items():
        module = ModuleType(name)
        for key, value in values.items():
            setattr(module, key, value)
        sys.modules[name] = module


def lists() -> list[dict[str, list[float]]]:
    """Lists of all lengths from 2 to 9, labels and scores all different."""
    generator = random.Random(11)
    made = []
    for size in range(2, 10):
        labels = [float(label) for label in generator.sample(range(size), size)]
        places = generator.sample(range(size), size)
        scores = [round(0.4 * place + generator.uniform(-0.15, 0.15) - 1, 6) for place in places]
        made.append({"labels": [label / 2 for label in labels], "scores": scores})
    return made


def allrank_losses() -> dict[str, Any]:
    """Returns allRank's losses by our names: functions of padded scores and labels."""
    stand_ins()

    def imported(module: str, name: str) -> Any:
        return getattr(import_module(f"allrank.models.losses.{module}"), name)

    def scheme(name: str) -> Any:
        return partial(imported("lambdaLoss", "lambdaLoss"), weighing_scheme=name)

    return {
        "ranknet": imported("rankNet", "rankNet"),
        "listnet": imported("listNet", "listNet"),
        "listmle": imported("listMLE", "listMLE"),
        "approx_ndcg": imported("approxNDCG", "approxNDCGLoss"),
        "neural_ndcg": imported("neuralNDCG", "neuralNDCG"),
        "ndcg_loss1": scheme("ndcgLoss1_scheme"),
        "ndcg_loss2": scheme("ndcgLoss2_scheme"),
        "ndcg_loss2pp": scheme("ndcgLoss2PP_scheme"),
    }


def main() -> None:
    """Runs allRank and writes what it finds."""
    found = []
    losses = allrank_losses()
    for one in lists():
        results = {}
        for name, loss in losses.items():
            # Its NeuralNDCG takes nothing but single precision.
            kind = torch.float32 if name == "neural_ndcg" else torch.float64
            scores = torch.tensor([one["scores"]], dtype=kind, requires_grad=True)
            value = loss(scores, torch.tensor([one["labels"]], dtype=kind))
            (gradient,) = torch.autograd.grad(value, scores)
            results[name] = {"value": value.item(), "gradient": gradient[0].tolist()}
        found.append(one | {"losses": results})
    path = Path(__file__).with_name("data") / "allrank.json"
    path.write_text(json.dumps({"lists": found}, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
