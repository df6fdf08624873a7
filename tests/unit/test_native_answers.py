"""The lines of a tape's entries as columns, read natively: as a decoder of JSON reads them."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from math import isnan

import msgspec
import polars as pl
import pytest

from relyon import InputError, _native
from relyon.engines.answers import Answers
from relyon.engines.tapes.entry import Entry

IDS = ['a"b', "back\\slash", "电视机", "tab\there", "😀", "é", "x" * 300, "a,b", '","', "[]", "d1"]


def entries(seed: int, count: int = 200) -> list[Entry]:
    """Returns entries with ids and numbers of all kinds."""
    chance = random.Random(seed)

    def score() -> float | None:
        kinds = (
            lambda: None,
            lambda: round(chance.random() * 20, 5),
            lambda: chance.random() * 10 ** chance.randint(-300, 300),
            lambda: -chance.random(),
            lambda: float(chance.randint(-(10**6), 10**6)),
            lambda: -0.0,
            lambda: 5e-324,
        )
        return chance.choice(kinds)()

    found = []
    for number in range(count):
        ids = [f"{chance.choice(IDS)}{place}" for place in range(chance.randint(0, 12))]
        found.append(
            Entry(
                key=f"{number:032x}",
                variant=chance.choice(["base", "标题"]),
                query=f"{chance.choice(IDS)}-{number}",
                ids=ids,
                scores=[score() for _ in ids],
                ms=round(chance.random() * 100, 3),
                took=chance.choice([None, 3.0]),
                total=chance.choice([None, 0, 10**15 - 1]),
                duplicates=chance.randint(0, 3),
                problems=['Zeit "um"'] * chance.randint(0, 2),
                failed=chance.choice(["", "拒绝\n"]),
                why=[f"sum of: {id}" for id in ids],
            )
        )
    return found


def lines_of(found: list[Entry]) -> bytes:
    """Returns the lines of entries."""
    return b"".join(msgspec.json.encode(one) + b"\n" for one in found)


@pytest.mark.parametrize("seed", range(5))
def test_entries_are_read_as_they_were_written(seed: int) -> None:
    """Texts with escapes, numbers to the last bit, and what is left out."""
    written = entries(seed)
    found = _native.read_answers(lines_of(written))
    assert found is not None
    assert pl.Series(found["query"]).to_list() == [one.query for one in written]
    assert pl.Series(found["failed"]).to_list() == [one.failed for one in written]
    assert pl.Series(found["ids"]).to_list() == [id for one in written for id in one.ids]
    assert found["ms"].tolist() == [one.ms for one in written]
    assert found["results"].tolist() == [len(one.ids) for one in written]
    assert found["duplicates"].tolist() == [one.duplicates for one in written]
    assert found["problems"].tolist() == [len(one.problems) for one in written]
    scores = [None if isnan(one) else one for one in found["scores"].tolist()]
    assert repr(scores) == repr([score for one in written for score in one.scores])
    totals = [None if isnan(one) else int(one) for one in found["total"].tolist()]
    assert totals == [one.total for one in written]


@pytest.mark.parametrize("seed", range(3))
def test_other_ways_to_write_the_same_give_the_same(seed: int) -> None:
    """White space and another order of members are left to the slower reader, which agrees."""
    content = lines_of(entries(seed, 40))
    quick = Answers.read([content])
    spaced = content.replace(b'","variant":', b'", "variant":')
    assert _native.read_answers(spaced) is None
    slow = Answers.read([spaced])
    assert quick.outlines == slow.outlines
    assert quick.ids.to_list() == slow.ids.to_list()
    assert repr(quick.scores.to_list()) == repr(slow.scores.to_list())


START = b'{"key":"0","variant":"base","query":"q1"'


@pytest.mark.parametrize(
    "line",
    [
        START + b',"ids":["d1"],"scores":[1.0]',
        START + b',"ids":["d1",],"scores":[1.0]}\n',
        START + b',"ids":["d1"],"scores":["1.0"]}\n',
        START + b',"ids":[1],"scores":[1.0]}\n',
        START + b',"ids":["d1"],"scores":[1e999]}\n',
        START + b',"ids":["d1"],"scores":[NaN]}\n',
        START + b',"ids":["d1"],"scores":[01]}\n',
        START + b',"ids":["d1","d2"],"scores":[1.0]}\n',
        START + b',"ids":["d\xff"],"scores":[1.0]}\n',
        START + b',"ids":["\\ud800"],"scores":[1.0]}\n',
        START + b',"ids":["\\x"],"scores":[1.0]}\n',
        START + b',"ids":["d\n"],"scores":[1.0]}\n',
        START + b',"ids":"d1","scores":[1.0]}\n',
        START + b',"ms":"fast"}\n',
        START + b"} x\n",
        START + b',"why":[[[',
        b'{"key":"0"}\n',
        b"[]\n",
        b"\n",
        b"{\n",
        b'{"query":"q',
        b"\x00\n",
    ],
)
def test_unusual_lines_are_left_to_the_slower_reader(line: bytes) -> None:
    """It says what is wrong; nothing is read half."""
    assert _native.read_answers(line) is None
    assert _native.read_answers(lines_of(entries(1, 3)) + line) is None


def test_an_entry_with_more_ids_than_scores_is_an_error() -> None:
    """The error names the query."""
    with pytest.raises(InputError, match="`q1` has another number of scores"):
        Answers.read([START + b',"ids":["d1","d2"],"scores":[1.0]}\n'])


def test_no_entries_are_no_rows() -> None:
    """Nothing is read from nothing."""
    found = Answers.read([])
    assert (found.outlines, len(found.ids), len(found.scores)) == ([], 0, 0)


def test_threads_read_the_same_lines() -> None:
    """The lines are copied, and no reader sees what another replaces."""
    content = lines_of(entries(9))

    def read(_: int) -> tuple[list[str], str]:
        found = _native.read_answers(content)
        assert found is not None
        return pl.Series(found["ids"]).to_list(), repr(found["scores"].tolist())

    with ThreadPoolExecutor(4) as pool:
        first, *others = pool.map(read, range(16))
    assert all(one == first for one in others)
