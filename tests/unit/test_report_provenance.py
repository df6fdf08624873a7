"""What a report says of its making: rules, inputs by name and digest, notes, what was judged."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from tests.unit.pages import block_of, section_of
from tests.unit.two_runs import collection
from tests.values import whole_list

import relyon
from relyon.core.language import Language
from relyon.data.convention import CHOICES, presets
from relyon.data.input_fingerprints import content_of
from relyon.measures.parser import measure as parse_measure
from relyon.report import build_page
from relyon.report.catalogue import catalogue
from relyon.report.page import Chart, Headlines, Prose, Table
from relyon.report.provenance import convention_section, digest


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_rule_has_a_meaning(language: Any) -> None:
    texts = catalogue(language)
    for field, choices in CHOICES.items():
        for choice in choices:
            assert texts.say(f"rule.{field}.{choice}")
    for name in presets:
        rules = presets.get(name)
        one = relyon.compare(*collection(1, 3), "ndcg", convention=rules, names=["old", "new"])
        table = convention_section(one, texts).blocks[0]
        assert isinstance(table, Table)
        assert table.caption.endswith(name)
        assert [row[0].text for row in table.cells()] == list(rules.shown())
        assert all(row[2].text for row in table.cells())


def test_a_map_of_gains_has_a_meaning() -> None:
    rules = {"gain": {0: 0, 1: 1, 2: 3, 3: 7}}
    one = relyon.compare(*collection(1, 3), "ndcg", convention=rules, names=["old", "new"])
    table = block_of(Table, convention_section(one, catalogue("en")).blocks[0])
    cells = {row[0].text: row for row in table.cells()}
    assert cells["gain"][1].text == "{0:0,1:1,2:3,3:7}"
    assert "this map" in cells["gain"][2].text


def test_inputs_are_named_by_file_and_digest(tmp_path: Path) -> None:
    judgments, old, new = collection(1, 3)
    paths = [tmp_path / name for name in ("judgments.json", "old.json", "new.json")]
    for path, data in zip(paths, (judgments, old, new), strict=True):
        path.write_text(json.dumps(data), "utf-8")
    one = relyon.compare(
        relyon.read_judgments(paths[0], format="ranx"),
        relyon.read_run(paths[1], format="ranx"),
        relyon.read_run(paths[2], format="ranx"),
        "ndcg",
        names=["old", "new"],
    )
    table = block_of(Table, section_of(build_page(one), "inputs").blocks[0])
    rows = [[cell.text for cell in row] for row in table.cells()]
    assert [row[2] for row in rows] == [path.name for path in paths]
    data = (relyon.Judgments.from_dict(judgments), *map(relyon.Run.from_dict, (old, new)))
    assert [row[3] for row in rows] == [content_of(one.table).whole[:16] for one in data]
    assert [row[4] for row in rows] == [
        hashlib.sha256(path.read_bytes()).hexdigest() for path in paths
    ]
    assert [row[5] for row in rows] == ["75", "90", "135"]
    # Nobody's folders belong in a report.
    assert str(tmp_path) not in str(build_page(one))


def test_data_in_memory_has_a_digest_that_forgets_its_order() -> None:
    judgments, old, _ = collection(1, 3)
    one = relyon.Judgments.from_dict(judgments)
    turned = {q: dict(reversed(grades.items())) for q, grades in reversed(judgments.items())}
    assert digest(one) == digest(relyon.Judgments.from_dict(turned))
    changed = {**judgments, "q0": {**judgments["q0"], "d1": 9}}
    assert digest(one) != digest(relyon.Judgments.from_dict(changed))
    assert digest(one) != digest(relyon.Run.from_dict(old))


def test_notes_are_kept() -> None:
    judgments, old, new = collection(1, 4)
    del new["q2"]
    one = relyon.compare(judgments, old, new, "ndcg", names=["old", "new"])
    assert one.notes
    rows = block_of(Table, section_of(build_page(one), "notes").blocks[0]).cells()
    assert [row[1].text.partition(" — lesson: ")[0] for row in rows] == [*map(str, one.notes)]


def test_every_kind_of_measure_is_told() -> None:
    """No measure falls out of the sentences, in whatever language."""
    from relyon.measures import registry
    from relyon.report.number_formats import kind_of

    for language in ("en", "zh"):
        texts = catalogue(language)
        for name in registry:
            for heading in registry.get(name).headings:
                assert f"heading.{heading}" in texts
            measure = parse_measure(whole_list(name))
            kind = kind_of(str(measure))
            if measure.describes == "quality":
                assert texts.say(f"meaning.{kind}.better") != texts.say(f"meaning.{kind}.worse")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_was_judged_is_told_and_not_tested(language: Language) -> None:
    judgments, old, new = collection(2, 12)
    for run in new.values():
        run["nobody judged this"] = 99.0
    measures = ["ndcg@10", "judged@10", "num_ret"]
    one = relyon.compare(judgments, new, old, measures, names=["new", "old"])
    texts = catalogue(language)
    page = build_page(one, language=language)
    headlines = block_of(Headlines, section_of(page, "summary").blocks[0])
    lines = [str(line) for line in headlines.items]
    assert len(lines) == 3
    assert texts.say("meaning.judged.fewer") in lines[1]
    assert texts.say("meaning.data") in lines[2]
    for line in lines[1:]:
        assert "p = " not in line
        assert "p < " not in line
    table, legend, forest = section_of(page, "comparison").blocks[:3]
    rows = [[cell.text for cell in row] for row in block_of(Table, table).cells()]
    # Interval, p, d_z, record, detectable, needed, other tests: nothing of it is a description's.
    assert rows[1][4:] == rows[2][4:] == ["–"] * 7
    assert "Judged@10" in block_of(Prose, legend).texts[0]
    assert [row["name"] for row in block_of(Chart, forest).rows] == ["ndcg@10"]
    assert texts.say("count.measures.one") in page.subtitle
    assert texts.say("correction.holm") not in page.subtitle
