"""Samples of sessions: who is drawn, with which probability, from any engine."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import duckdb
import narwhals as nw
import numpy as np
import polars as pl
import pytest
from hypothesis import given, strategies as st

from relyon import _native
from relyon.core.errors import DependencyError, InputError, ParameterError
from relyon.data.columns.batches import batches
from relyon.data.keys import mix, mix_all
from relyon.io.session_readers import read_sessions
from relyon.online.logs import examine
from relyon.online.sampling import Allocation, Design, build_tiers, draw_sample, frames, slots
from relyon.online.sampling.pptss import inclusion_probability
from relyon.online.sampling.slots import places_of

pytestmark = pytest.mark.long

COUNTS = {"shoes": 30, "coat": 20, "手机": 15, "tv": 6, "pen": 4, "cup": 3, "mug": 1, "hat": 1}


def make_log(counts: dict[str, int] | None = None, results: int = 3) -> pl.DataFrame:
    rows = []
    number = 0
    for query, sessions in (counts or COUNTS).items():
        for _ in range(sessions):
            number += 1
            session = hashlib.md5(str(number).encode()).hexdigest()[:12]
            rows += [
                (session, query, position, f"{query}-d{position}")
                for position in range(1, results + 1)
            ]
    return pl.DataFrame(rows, schema=["session", "query", "position", "doc"], orient="row")


LOG = make_log()
DESIGNS: tuple[Design, ...] = ("stratified", "pptss")


def fnv(text: str) -> int:
    found = 0xCBF29CE484222325
    for byte in text.encode():
        found = (found ^ byte) * 0x100000001B3 % 2**64
    return found


@given(st.lists(st.text(st.characters(codec="utf-8"), min_size=1)))
def test_ids_are_hashed_as_the_definition_says(ids: list[str]) -> None:
    found = _native.hash_ids(pl.Series(ids, dtype=pl.String))
    assert found.dtype == np.uint64
    assert found.tolist() == [fnv(text) for text in ids]


def test_hash_of_many_ids_in_many_parts() -> None:
    ids = [f"id-{number}" for number in range(10_000)]
    parts = pl.concat([pl.Series(ids[:77]), pl.Series(ids[77:])], rechunk=False)
    assert _native.hash_ids(parts).tolist() == [fnv(text) for text in ids]


def test_whole_numbers_are_hashed_as_text() -> None:
    assert _native.hash_ids(pl.Series([12, -3])).tolist() == [fnv("12"), fnv("-3")]


@pytest.mark.parametrize("missing", [None, ""])
def test_an_id_that_is_missing_has_no_hash(missing: str | None) -> None:
    with pytest.raises(InputError):
        _native.hash_ids(pl.Series(["a", missing]))


@given(st.integers(0, 2**64 - 1))
def test_mixing_an_array_is_mixing_each_number(value: int) -> None:
    assert mix_all(np.array([value], dtype=np.uint64)).tolist() == [mix(value)]


@pytest.mark.parametrize("design", DESIGNS)
def test_the_same_seed_draws_the_same_sessions(design: Design) -> None:
    first = draw_sample(LOG, per_tier=5, design=design, seed=3)
    again = draw_sample(LOG, per_tier=5, design=design, seed=3)
    other = draw_sample(LOG, per_tier=5, design=design, seed=4)
    assert first.to_frame().equals(again.to_frame())
    assert not first.to_frame().equals(other.to_frame())


@pytest.mark.parametrize("design", DESIGNS)
@given(shuffle=st.randoms(use_true_random=False), parts=st.integers(1, 5), seed=st.integers(0, 99))
def test_row_order_and_partitions_do_not_matter(
    design: Design, shuffle: object, parts: int, seed: int
) -> None:
    order = list(range(len(LOG)))
    shuffle.shuffle(order)  # type: ignore[attr-defined]
    size = -(-len(LOG) // parts)
    mixed = LOG[order]
    split = pl.concat([part.lazy() for part in mixed.iter_slices(size)])
    expected = draw_sample(LOG, per_tier=4, design=design, seed=seed)
    found = draw_sample(split, per_tier=4, design=design, seed=seed)
    assert found.to_frame().equals(expected.to_frame())
    assert found.to_dict() == expected.to_dict()


@pytest.mark.parametrize("design", DESIGNS)
def test_duckdb_draws_what_polars_draws(design: Design) -> None:
    connection = duckdb.connect()
    connection.register("log", LOG.reverse().to_arrow())
    relation = connection.sql("select * from log")
    expected = draw_sample(LOG.lazy(), per_tier=6, design=design, seed=1)
    found = draw_sample(relation, per_tier=6, design=design, seed=1)
    assert found.to_frame().equals(expected.to_frame())


@pytest.mark.parametrize("design", DESIGNS)
def test_the_size_of_the_parts_does_not_matter(
    design: Design, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = draw_sample(LOG, per_tier=6, design=design, seed=2)
    read: list[int] = []

    def small(frame: nw.LazyFrame[pl.LazyFrame]) -> Iterator[pl.DataFrame]:
        for part in batches(frame, 7):
            read.append(len(part))
            yield part

    monkeypatch.setattr(frames, "batches", small)
    monkeypatch.setattr(slots, "PART", 5)
    found = draw_sample(LOG, per_tier=6, design=design, seed=2)
    assert found.to_frame().equals(expected.to_frame())
    assert len(read) > 3


@pytest.mark.parametrize(
    ("name", "hint"), [("pyarrow", "pip install pyarrow"), (None, "pip install 'relyon[spark]'")]
)
def test_a_package_that_an_engine_needs(
    name: str | None, hint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lacks(frame: object) -> None:
        raise ImportError("not installed", name=name)

    monkeypatch.setattr("relyon.data.columns.batches.gather", lacks)
    with pytest.raises(DependencyError) as raised:
        draw_sample(LOG)
    assert raised.value.hint == hint


def test_a_log_that_changes_while_it_is_read() -> None:
    tiers = build_tiers(LOG)
    with pytest.raises(InputError, match="the log changed"):
        draw_sample(LOG.filter(pl.col("query") != "shoes"), tiers=tiers)


def test_repeated_rows_change_nothing() -> None:
    twice = pl.concat([LOG, LOG])
    assert draw_sample(twice, seed=1).to_frame().equals(draw_sample(LOG, seed=1).to_frame())


@given(
    st.dictionaries(st.sampled_from("abcdefghij"), st.integers(1, 30), min_size=1),
    st.integers(1, 20),
    st.sampled_from(["equal", "proportional"]),
)
def test_inclusion_probabilities_sum_to_the_sample_size(
    counts: dict[str, int], per_tier: int, allocation: Allocation
) -> None:
    sample = draw_sample(make_log(counts, 1), per_tier=per_tier, allocation=allocation)
    expected = sum(
        tier.sessions * tier.inclusion_probability for tier in sample.tiers if tier.sampled
    )
    assert expected == pytest.approx(len(sample))
    for tier in sample.tiers:
        drawn = sample.sessions.filter(pl.col("tier") == tier.name)
        assert len(drawn) == tier.sampled == drawn["session"].n_unique()
        assert set(drawn["inclusion_probability"]) <= {tier.sampled / max(tier.sessions, 1)}


def test_pptss_draws_by_traffic_and_keeps_what_comes_twice() -> None:
    sample = draw_sample(LOG, per_tier=20, design="pptss", seed=5)
    assert len(sample) == 60
    assert sample.sessions["draw"].to_list() == list(range(1, 61))
    assert sample.sessions["query"].n_unique() < 60
    for row in sample.sessions.iter_rows(named=True):
        share = COUNTS[row["query"]] / 80
        assert row["draw_probability"] == pytest.approx(share)
        assert row["inclusion_probability"] == pytest.approx(1 - (1 - share) ** 60)


def test_the_chance_to_be_drawn_at_least_once() -> None:
    assert inclusion_probability(1.0, 3) == 1.0
    assert inclusion_probability(1e-12, 100) == pytest.approx(1e-10, rel=1e-9)


def test_every_session_has_the_chance_that_is_stored() -> None:
    # Each seed is an independent sample: how often a session comes is binomial.
    log = make_log({"a": 6, "b": 3, "c": 1, "d": 1, "e": 1}, 1)
    seeds = 300
    seen = Counter(
        row
        for seed in range(seeds)
        for row in draw_sample(log, per_tier=2, seed=seed)
        .sessions.select("session", "inclusion_probability")
        .iter_rows()
    )
    assert len(seen) == 12
    for (_, chance), times in seen.items():
        # Six standard deviations: one failure in 10^8 for all of them.
        assert abs(times - seeds * chance) <= 6 * (seeds * chance * (1 - chance)) ** 0.5


def test_pptss_draws_every_session_alike_and_queries_as_stored() -> None:
    log = make_log({"a": 6, "b": 3, "c": 1}, 1)
    seeds, draws = 300, 6
    sessions: Counter[str] = Counter()
    queries: Counter[tuple[str, float, float]] = Counter()
    for seed in range(seeds):
        rows = draw_sample(log, per_tier=2, design="pptss", seed=seed).sessions
        assert len(rows) == draws
        sessions.update(rows["session"])
        chances = rows.select("query", "draw_probability", "inclusion_probability")
        queries.update(chances.unique().iter_rows())
    assert len(sessions) == 10
    for times in sessions.values():
        assert abs(times - seeds * draws / 10) <= 6 * (seeds * draws * 0.1 * 0.9) ** 0.5
    assert len(queries) == 3
    assert sum(chance for _, chance, _ in queries) == pytest.approx(1)
    for (_, _, chance), times in queries.items():
        assert abs(times - seeds * chance) <= 6 * (seeds * chance * (1 - chance)) ** 0.5


def test_places_are_a_simple_random_sample() -> None:
    queries = pl.DataFrame({"query": ["a", "b"], "sessions": [8, 4]})
    drawn = [places_of(queries, 3, seed).tolist() for seed in range(1000)]
    assert {sum(one) for one in drawn} == {3}
    # Hypergeometric: 3 of 12, 4 of them b.
    for count, chance in enumerate((56 / 220, 112 / 220, 48 / 220, 4 / 220)):
        times = sum(one[1] == count for one in drawn)
        assert abs(times - 1000 * chance) <= 6 * (1000 * chance * (1 - chance)) ** 0.5


def test_a_larger_sample_holds_the_smaller_one() -> None:
    small = draw_sample(LOG, per_tier=3, seed=2).sessions
    large = draw_sample(LOG, per_tier=8, seed=2).sessions
    assert set(small["session"]) < set(large["session"])


def test_results_reach_down_to_the_k_of_the_tier() -> None:
    sample = draw_sample(make_log(results=50), per_tier=2)
    depths = dict(
        sample.to_frame().group_by("tier").agg(pl.col("position").max()).sort("tier").iter_rows()
    )
    assert depths == {"head": 40, "middle": 20, "tail": 20}
    assert sample.common_k == 20


def test_k_for_all_and_by_tier() -> None:
    log = make_log(results=9)
    assert draw_sample(log, k=5).results["position"].max() == 5
    sample = draw_sample(log, k={"head": 7, "middle": 3, "tail": 4}, common_k=2)
    assert [tier.k for tier in sample.tiers] == [7, 3, 4]
    assert sample.common_k == 2


def test_a_result_shown_twice_counts_at_its_first_position() -> None:
    log = pl.DataFrame(
        {"session": ["s"] * 3, "query": ["q"] * 3, "position": [3, 1, 2], "doc": ["d", "d", "e"]}
    )
    assert draw_sample(log).results.rows() == [("s", "q", 1, "d"), ("s", "q", 2, "e")]


def test_small_and_empty_tiers_are_said() -> None:
    sample = draw_sample(make_log({"a": 9, "b": 1}, 1), per_tier=4, tiers="count", cuts=[5, 2])
    assert [tier.sampled for tier in sample.tiers] == [4, 0, 1]
    assert [str(note) for note in sample.notes] == [
        "the tier middle contains no queries: nothing is drawn from it",
        "the tier tail has only 1 session (4 requested): all are used. Its mean for this month"
        " needs no interval; a change between months still treats its queries as a sample",
    ]
    assert sample.tiers[1].to_dict()["inclusion_probability"] is None


def test_tiers_of_the_caller() -> None:
    tiers = build_tiers(LOG, "count", [10], names=["often", "rare"])
    sample = draw_sample(LOG, per_tier=3, tiers=tiers)
    assert [tier.name for tier in sample.tiers] == ["often", "rare"]
    assert [tier.k for tier in sample.tiers] == [20, 20]


def test_neyman_by_name() -> None:
    sample = draw_sample(
        LOG,
        per_tier=4,
        allocation="neyman",
        deviations={"tail": 1.0, "head": 0.1, "middle": 0.0},
    )
    sizes = [tier.sampled for tier in sample.tiers]
    assert sum(sizes) == 12
    assert sizes[1] == 2 < sizes[2]


def test_the_summary_fits_80_columns() -> None:
    text = str(draw_sample(LOG, per_tier=5))
    assert max(map(len, text.splitlines())) <= 80
    assert text.splitlines()[2].split() == [
        "head", "1", "30", "37.5%", "30", "30", "5", "0.167", "40",
    ]  # fmt: skip


def test_zero_based_positions_are_refused() -> None:
    with pytest.raises(InputError, match="at position 0"):
        draw_sample(LOG.with_columns(pl.col("position") - 1))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"per_tier": 0}, "`per_tier` must be 1 or more"),
        ({"seed": -1}, "`seed` must be 0 or more"),
        ({"design": "systematic"}, "must be one of `stratified`, `pptss`"),
        ({"design": "pptss", "allocation": "proportional"}, "PPTSS has no allocation"),
        ({"deviations": {"head": 1.0}}, "for the allocation `neyman`"),
        ({"allocation": "neyman", "deviations": {"hed": 1.0}}, "names the tier `hed`"),
        ({"allocation": "neyman", "deviations": {"head": 1.0}}, "nothing of the tier `middle`"),
        ({"k": 0}, "`k` must be 1 or more"),
        ({"k": {"head": 3}}, "nothing of the tier `middle`"),
        ({"common_k": 21}, "must be between 1 and 20"),
    ],
)
def test_options_that_cannot_be(options: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        draw_sample(LOG, **options)  # type: ignore[arg-type]


def test_a_public_collection_of_sessions(test_data: Path) -> None:
    path = test_data / "trec_session2013_part" / "session_impressions.tsv.gz"
    log = read_sessions(path, columns={"session": "session+interaction"})
    sample = draw_sample(log, per_tier=20, seed=1)
    assert [tier.sampled for tier in sample.tiers] == [20, 20, 20]
    assert sample.notes == ()
    assert (
        draw_sample(log.collect().reverse(), per_tier=20, seed=1)
        .to_frame()
        .equals(sample.to_frame())
    )
    visits = draw_sample(read_sessions(path), per_tier=20, seed=1)
    assert [note.kind for note in visits.notes] == ["mixed-sessions"]


def test_a_messy_log_after_its_repair(test_data: Path) -> None:
    log = read_sessions(test_data / "ubi_chorus" / "ubi_queries_events.ndjson.gz")
    with pytest.raises(InputError, match="positions count from 1"):
        draw_sample(log)
    sample = draw_sample(examine(log).repair().sessions, per_tier=10, seed=1)
    assert sample.results["position"].min() == 1
    total = sum(tier.sessions * tier.inclusion_probability for tier in sample.tiers)
    assert total == pytest.approx(len(sample))
