"""The resampling kernels: exact sums, the same bits however the work is shared out."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray

from relyon import _native
from relyon.core.errors import InputError

Whole = NDArray[np.int64]
Kernel = Callable[..., Whole]
KERNELS: list[Kernel] = [_native.signed_sums, _native.resampled_sums, _native.permuted_ranges]
NAMES = ["signed_sums", "resampled_sums", "permuted_ranges"]
kernels = pytest.mark.parametrize("kernel", KERNELS, ids=NAMES)


WORD = 2**64 - 1


class Generator:
    """xoshiro256++, seeded by SplitMix64; whole numbers below a bound by Lemire's method."""

    def __init__(self, seed: int, resample: int) -> None:
        self.mixer = seed
        self.mixer = self.mix() ^ resample
        self.mixer = self.mix()
        self.state = [self.mix() for _ in range(4)]
        self.halves: list[int] = []

    def mix(self) -> int:
        self.mixer = (self.mixer + 0x9E3779B97F4A7C15) & WORD
        mixed = self.mixer
        mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9 & WORD
        mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB & WORD
        return mixed ^ (mixed >> 31)

    def next(self) -> int:
        def rotate(bits: int, by: int) -> int:
            return (bits << by | bits >> (64 - by)) & WORD

        s0, s1, s2, s3 = self.state
        result = (rotate((s0 + s3) & WORD, 23) + s0) & WORD
        shifted = s1 << 17 & WORD
        s2, s3 = s2 ^ s0, s3 ^ s1
        s1, s0 = s1 ^ s2, s0 ^ s3
        self.state = [s0, s1, s2 ^ shifted, rotate(s3, 45)]
        return result

    def below(self, bound: int) -> int:
        while True:
            if not self.halves:
                bits = self.next()
                self.halves = [bits & 0xFFFFFFFF, bits >> 32]
            product = self.halves.pop(0) * bound
            if product & 0xFFFFFFFF >= 2**32 % bound:
                return product >> 32


def columns(*rows: list[int]) -> Whole:
    return np.array(rows, dtype=np.int64)


def random_columns(count: int, items: int, seed: int = 7) -> Whole:
    return np.random.default_rng(seed).integers(-(10**6), 10**6, (count, items), dtype=np.int64)


@kernels
@pytest.mark.parametrize("items", [1, 7, 8, 9, 63, 64, 65, 200])
def test_the_same_bits_at_any_number_of_threads(kernel: Kernel, items: int) -> None:
    values = random_columns(3, items)
    one = kernel(values, 0, 9000, 11, 1)
    for threads in (2, 5, 16):
        assert np.array_equal(kernel(values, 0, 9000, 11, threads), one)


@kernels
@given(cut=st.integers(0, 5000), first=st.integers(0, 2**62), items=st.integers(0, 70))
def test_the_same_bits_in_any_chunks(kernel: Kernel, cut: int, first: int, items: int) -> None:
    values = random_columns(2, items)
    whole = kernel(values, first, 5000, 3)
    parts = [kernel(values, first, cut, 3), kernel(values, first + cut, 5000 - cut, 3)]
    assert np.array_equal(np.concatenate(parts, axis=-1), whole)


@pytest.mark.parametrize("seed", [0, 42, 2**63 - 1])
@pytest.mark.parametrize("items", [5, 64, 131])
def test_the_draws_are_those_of_the_published_generators(seed: int, items: int) -> None:
    """A seed that stands in a report gives its numbers on every machine and in later versions."""
    values = random_columns(3, items)
    first = 2**40
    signed, drawn, ranges = (kernel(values, first, 6, seed) for kernel in KERNELS)
    for place in range(6):
        generator = Generator(seed, first + place)
        words = [generator.next() for _ in range(0, items, 64)]
        signs = [1 if words[item // 64] >> item % 64 & 1 else -1 for item in range(items)]
        assert signed[:, place].tolist() == (values @ np.array(signs)).tolist()

        below = Generator(seed, first + place).below
        chosen = [below(items) for _ in range(items)]
        assert drawn[:, place].tolist() == values[:, chosen].sum(axis=1).tolist()

        below = Generator(seed, first + place).below
        totals = [0, 0, 0]
        for item in range(items):
            row = values[:, item].tolist()
            for last in (2, 1):
                swapped = below(last + 1)
                row[last], row[swapped] = row[swapped], row[last]
            totals = [total + value for total, value in zip(totals, row, strict=True)]
        assert ranges[place] == max(totals) - min(totals)


@kernels
def test_other_seeds_and_other_numbers_give_other_resamples(kernel: Kernel) -> None:
    values = random_columns(2, 100)
    drawn = [kernel(values, first, 1000, seed) for seed in range(4) for first in (0, 1000)]
    for left, right in itertools.combinations(drawn, 2):
        assert np.mean(left == right) < 0.01


def test_all_columns_share_their_signs_and_draws() -> None:
    values = random_columns(1, 150)
    both = np.vstack([values, -3 * values])
    for kernel in (_native.signed_sums, _native.resampled_sums):
        sums = kernel(both, 0, 3000, 5)
        assert np.array_equal(sums[1], -3 * sums[0])
        assert np.array_equal(sums[:1], kernel(values, 0, 3000, 5))


def test_an_items_sign_does_not_depend_on_the_items_after_it() -> None:
    values = random_columns(1, 130)
    longer = np.hstack([values, np.zeros((1, 40), dtype=np.int64)])
    assert np.array_equal(
        _native.signed_sums(values, 0, 500, 9), _native.signed_sums(longer, 0, 500, 9)
    )


@pytest.mark.parametrize("items", [3, 9, 12])
def test_signed_sums_are_all_the_sums_that_there_are_equally_often(items: int) -> None:
    """Powers of two: each pattern of signs has a sum of its own."""
    values = columns([1 << item for item in range(items)])
    patterns = 1 << items
    count = patterns * 200
    sums = _native.signed_sums(values, 0, count, 1)[0]
    found = Counter(((sums + patterns - 1) // 2).tolist())
    assert set(found) == set(range(patterns))
    statistic = sum((seen - 200) ** 2 / 200 for seen in found.values())
    # Chi square with `patterns - 1` degrees of freedom: within 5 standard deviations.
    assert abs(statistic - (patterns - 1)) < 5 * (2 * (patterns - 1)) ** 0.5


@pytest.mark.parametrize("items", [1, 2, 7, 8, 255, 256, 257, 1000])
@pytest.mark.parametrize("largest", [2**40, 2**40 + 1])
def test_columns_together_have_the_sums_of_each_alone(items: int, largest: int) -> None:
    """Many columns of values up to 2^40 are added up by the counts of what was drawn."""
    random = np.random.default_rng(items)
    values = random.integers(-largest, largest, size=(9, items), endpoint=True)
    values[0, 0] = largest
    values[1] = -largest
    together = _native.resampled_sums(values, 3, 130, 5)
    alone = [_native.resampled_sums(values[row : row + 1], 3, 130, 5)[0] for row in range(9)]
    assert together.tolist() == [sums.tolist() for sums in alone]


def test_resampled_sums_draw_every_item_equally_often() -> None:
    items, count = 10, 20_000
    identity = np.eye(items, dtype=np.int64)
    drawn = _native.resampled_sums(identity, 0, count, 1)
    assert (drawn.sum(axis=0) == items).all()
    share = drawn.sum(axis=1) / (items * count)
    assert np.abs(share - 1 / items).max() < 5 * (0.09 / (items * count)) ** 0.5
    # The number of times that an item is drawn is binomial.
    assert abs(np.mean(drawn == 0) - 0.9**items) < 0.005


def test_permuted_ranges_shuffle_evenly() -> None:
    # One item of three runs with a second that tells the permutations apart.
    values = columns([0, 0], [1, 10], [5, 70])
    expected = Counter(
        max(sums) - min(sums)
        for first in itertools.permutations([0, 1, 5])
        for second in itertools.permutations([0, 10, 70])
        for sums in [[a + b for a, b in zip(first, second, strict=True)]]
    )
    count = 36_000
    found = Counter(_native.permuted_ranges(values, 0, count, 2).tolist())
    assert set(found) == set(expected)
    for value, times in expected.items():
        assert abs(found[value] - times * 1000) < 5 * (times * 1000) ** 0.5


def test_ranges_of_two_runs_are_the_signed_sums_without_their_sign() -> None:
    """Shuffling two runs is swapping them: the same distribution, not the same draws."""
    values = random_columns(2, 6)
    ranges = set(_native.permuted_ranges(values, 0, 20_000, 0).tolist())
    sums = set(np.abs(_native.signed_sums(values[:1] - values[1:], 0, 20_000, 0)[0]).tolist())
    assert ranges == sums


@kernels
def test_no_items_and_no_resamples(kernel: Kernel) -> None:
    assert not kernel(np.zeros((2, 0), dtype=np.int64), 0, 3, 0).any()
    assert kernel(columns([1, 2], [3, 4]), 0, 0, 0).size == 0


def test_shapes() -> None:
    values = random_columns(3, 10)
    assert _native.signed_sums(values, 0, 7, 0).shape == (3, 7)
    assert _native.resampled_sums(values, 0, 7, 0).shape == (3, 7)
    assert _native.permuted_ranges(values, 0, 7, 0).shape == (7,)
    assert _native.signed_sums(np.zeros((0, 4), dtype=np.int64), 0, 7, 0).shape == (0, 7)
    with pytest.raises(InputError, match="no columns"):
        _native.permuted_ranges(np.zeros((0, 4), dtype=np.int64), 0, 7, 0)


LIMIT = 2**62


@pytest.mark.parametrize(
    "values", [[LIMIT], [-LIMIT], [LIMIT // 2, -LIMIT // 2], [-(2**63)], [2**63 - 1, 1]]
)
@kernels
def test_sums_that_could_overflow_are_refused(kernel: Kernel, values: list[int]) -> None:
    with pytest.raises(InputError, match="too large"):
        kernel(columns(values, [0] * len(values)), 0, 1, 0)


def test_the_largest_sums_are_exact() -> None:
    half = LIMIT // 2 - 1
    sums = _native.signed_sums(columns([half, half]), 0, 200, 0)[0]
    assert set(sums.tolist()) == {-2 * half, 0, 2 * half}
    drawn = _native.resampled_sums(columns([half, -half]), 0, 200, 0)[0]
    assert set(drawn.tolist()) == {-2 * half, 0, 2 * half}
    ranges = _native.permuted_ranges(columns([half, -half], [-half, half]), 0, 200, 0)
    assert set(ranges.tolist()) == {0, 4 * half}


def test_one_item_drawn_every_time_does_not_overflow() -> None:
    """The sum of the values is in bounds, that of a draw may not be."""
    values = columns([2**60, *[0] * 7])
    _native.signed_sums(values, 0, 1, 0)
    with pytest.raises(InputError, match="too large"):
        _native.resampled_sums(values, 0, 1, 0)


@kernels
@pytest.mark.parametrize("numbers", [(-1, 1, 0), (0, -1, 0), (0, 1, -1)])
def test_negative_numbers_are_refused(kernel: Kernel, numbers: tuple[int, int, int]) -> None:
    with pytest.raises(InputError, match="0 or more"):
        kernel(columns([1], [2]), *numbers)


@kernels
def test_more_resamples_than_memory_holds_are_refused(kernel: Kernel) -> None:
    with pytest.raises(InputError, match="`count` is too large"):
        kernel(random_columns(2, 3), 0, 2**63 - 1, 0)


@kernels
def test_threads_come_from_the_environment(kernel: Kernel, monkeypatch: pytest.MonkeyPatch) -> None:
    values = random_columns(2, 30)
    usual = kernel(values, 0, 3000, 1)
    monkeypatch.setenv("RELYON_THREADS", "3")
    assert np.array_equal(kernel(values, 0, 3000, 1), usual)


LARGE = 1 << 16


@pytest.mark.parametrize("items", [LARGE, LARGE + 1, LARGE + 255, LARGE + 256, 200_000])
def test_many_items_are_each_drawn_once_on_average(items: int) -> None:
    count = 200
    ones, place = np.ones(items, dtype=np.int64), np.arange(items)
    ends = [(place < items // 3), (place >= items - 100), place % 256 == 7, place % 2 == 1]
    rows = np.stack([ones, *(one.astype(np.int64) for one in ends)])
    sums = _native.resampled_sums(rows, 0, count, 5, 0)
    assert (sums[0] == items).all()
    for row, found in zip(rows[1:], sums[1:], strict=True):
        share = row.mean()
        spread = np.sqrt(items * share * (1 - share))
        off = (found - items * share) / spread
        # Binomial: means within 5 standard errors, variances within 5 of theirs.
        assert abs(off.mean()) < 5 / np.sqrt(count)
        assert abs(off.var() - 1) < 5 * np.sqrt(2 / count)


def test_counts_of_many_items_follow_the_multinomial() -> None:
    # Blocks of 256 items, and items of one block: the squared counts add up to n (2 - 1/n).
    items, count = LARGE + 300, 20
    for width in (1, 256):
        groups = np.arange(items) // width
        shown = np.unique(groups)[:: max(1, len(np.unique(groups)) // 64)]
        rows = np.stack([(groups == one).astype(np.int64) for one in shown])
        found = _native.resampled_sums(rows, 0, count, 9, 0)
        sizes = rows.sum(axis=1)[:, np.newaxis]
        chi = ((found - sizes) ** 2 / (sizes * (1 - sizes / items))).sum()
        assert abs(chi - found.size) < 5 * np.sqrt(found.size * 3)
        if width == 1:
            shares = np.bincount(found.ravel(), minlength=4)[:4] / found.size
            poisson = np.exp(-1) / np.array([1, 1, 2, 6])
            assert np.abs(shares - poisson).max() < 5 * np.sqrt(0.25 / found.size)


def test_many_items_are_drawn_alike_whatever_the_values_and_columns() -> None:
    values = random_columns(7, LARGE + 77)
    whole = _native.resampled_sums(values, 3, 20, 11, 2)
    assert np.array_equal(_native.resampled_sums(values, 3, 20, 11, 1), whole)
    for column in range(len(values)):
        alone = _native.resampled_sums(values[column : column + 1], 3, 20, 11, 1)
        assert np.array_equal(alone[0], whole[column])
    # Values beyond 2^40 are added up as whole numbers.
    large = values[:2] * (1 << 22)
    assert np.array_equal(_native.resampled_sums(large, 3, 20, 11, 1), whole[:2] * (1 << 22))
    later = _native.resampled_sums(values, 10, 5, 11, 1)
    assert np.array_equal(later, whole[:, 7:12])


@pytest.mark.parametrize("lanes", ["scalar", "avx2"])
def test_many_items_have_the_same_sums_in_any_instruction_set(lanes: str) -> None:
    program = (
        "import numpy as np, relyon._native as n;"
        "v = np.random.default_rng(7).integers(-(2**40), 2**40, (6, 70001));"
        "print(n.resampled_sums(v, 0, 9, 1, 1).tolist())"
    )
    said = [
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, **extra},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for extra in ({}, {"RELYON_SIMD": lanes})
    ]
    assert said[0] == said[1]
