"""Every number of the other programs, and the page that says which are the same."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from tests.peers.catalogue import PROGRAMS
from tests.peers.findings import findings, peers, rule_for

import relyon
from relyon.evaluation.providers import other_rules


@pytest.mark.parametrize("key", PROGRAMS)
def test_every_difference_has_a_rule_and_every_rule_a_difference(key: str) -> None:
    program = PROGRAMS[key]
    used = set()
    for finding in findings(program):
        assert finding.values, finding.theirs
        for case in finding.differing:
            rule = rule_for(program, finding, case)
            assert rule is not None, (finding, case)
            used.add(rule)
    assert set(program.rules) == used


def test_every_program_that_was_asked_is_compared() -> None:
    assert set(peers()) == set(PROGRAMS)
    assert sum(len(one["values"]) for one in peers().values()) > 380


@pytest.mark.long
def test_the_page_is_what_was_found() -> None:
    path = Path(__file__).parents[2] / "docs" / "make_peers.py"
    spec = importlib.util.spec_from_file_location("make_peers_page", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.PAGE.read_text("utf-8") == module.page(), "run python docs/make_peers.py"


def test_the_note_of_ir_measures_names_the_rules_under_which_numbers_are_the_same() -> None:
    program = PROGRAMS["ir_measures"]
    noted = set()
    for theirs in peers()["ir_measures"]["values"]:
        one = relyon.measure(program.name_of(theirs))
        wanted = program.rules_of(theirs)
        del wanted["preset"]
        if one.name == "rr":  # which grades below 0 do not reach
            wanted.pop("negative", None)
        assert other_rules(one) == wanted, theirs
        noted |= {one.name} if wanted else set()
    assert {"rr", "judged", "err", "rbp", "alpha_ndcg"} <= noted
