"""The benchmark of click models: contenders that do the same work."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from bench import generate
from bench.click_models import MODELS, clicks, command_of, fit
from bench.goals import TARGETS
from bench.timing import Timing


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return generate.ensure(tmp_path_factory.mktemp("bench"), ["clicks"], 0.0003)


@pytest.mark.long
@pytest.mark.parametrize("model", MODELS)
def test_a_process_finds_what_is_found_here(home: Path, model: str) -> None:
    log = home / "clicks.parquet"
    done = subprocess.run(command_of(model, log), capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == fit(model, str(log))


def test_targets_name_contenders(home: Path) -> None:
    names = {contender.name for contender in clicks(home).contenders}
    wanted = {
        name
        for target in TARGETS
        if target.workload == "clicks"
        for name in (target.over, target.under)
        if name
    }
    assert wanted <= names
    assert all(
        target.value({name: Timing(name) for name in names}, 1) is not None for target in TARGETS
    )
