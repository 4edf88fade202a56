"""Uniform samples of the problems of a suite: drawn by hashes, without replacement, and run in one folder."""

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import permove as pm
from permove import data
from permove.common import random_numbers
from permove.data import Sample
from permove.runs import store
from permove.runs.manifest import Manifest
from support import assert_same_records, edit_manifest, rejects, small_maps


def keys(suite: data.Suite) -> list[tuple[str, int]]:
    return list(suite.problems.select("map", "problem").iter_rows())


@pytest.fixture(scope="module")
def suite() -> data.Suite:
    return data.load("embedded@free")


@pytest.fixture
def small() -> data.Suite:
    return data.load("embedded").only_maps(small_maps())


def test_draw_is_the_same_on_every_machine() -> None:
    hashed = int.from_bytes(hashlib.blake2b(b"1\0x", digest_size=8).digest(), "little")
    assert random_numbers.draw(1, "x") == hashed == 7586524058169547570
    assert random_numbers.share(1, "x") == hashed // 2**11 / 2**53
    # The first two numbers of SplitMix64 with seed 0.
    gamma = 0x9E3779B97F4A7C15
    states = np.array([0, gamma], dtype=np.uint64)
    assert random_numbers.mix(states).tolist() == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4]
    assert random_numbers.stream(1, "x", 5)[:2].tolist() == random_numbers.stream(1, "x", 2).tolist()


def test_consecutive_samples_are_disjoint_until_all_problems_are_used(suite: data.Suite) -> None:
    parts = [keys(suite.sample(Sample(first, 400), 7)) for first in range(0, suite.problems.height, 400)]
    assert [len(part) for part in parts] == [400] * len(parts)
    before = [key for part in parts[:-1] for key in part]
    assert len(set(before)) == len(before)
    # The last sample has all remaining problems, and then other ones.
    remaining = set(keys(suite)) - set(before)
    assert remaining < set(parts[-1])
    assert len(set(parts[-1])) == 400


def test_order_changes_when_all_problems_are_used(suite: data.Suite) -> None:
    first, second = (keys(suite.sample(Sample(turn * suite.problems.height, 100), 7)) for turn in (0, 1))
    assert first != second
    assert first == keys(suite.sample(Sample(0, 100), 7))
    assert first != keys(suite.sample(Sample(0, 100), 8))


def test_sample_larger_than_the_suite_has_every_problem(suite: data.Suite) -> None:
    assert keys(suite.sample(Sample(5000, 10**6), 0)) == keys(suite)
    with rejects("use at least 1"):
        suite.sample(Sample(0, 0), 0)


def test_problems_of_all_maps_are_equally_likely(suite: data.Suite) -> None:
    counts = dict.fromkeys(suite.problems["map"].unique(), 0)
    for seed in range(60):
        for name, _ in keys(suite.sample(Sample(0, 100), seed)):
            counts[name] += 1
    sizes = dict(suite.problems["map"].value_counts().iter_rows())
    shares = np.array([counts[name] / sizes[name] for name in counts]) / (60 * 100 / suite.problems.height)
    assert np.abs(shares - 1).max() < 0.25


def test_runs_of_several_samples_share_a_folder_and_the_manifest_lists_them(small: data.Suite) -> None:
    for first in (0, 10):
        run = pm.run(small, "rtaa(k=100)", sample=Sample(first, 10), out="run")
    assert run.records.height == 20
    assert [start.choice["sample"] for start in run.manifest.starts] == [[0, 10], [10, 10]]
    assert_same_records(pm.run(small, "rtaa(k=100)", sample=Sample(0, 20), out="both"), run)
    read = pl.concat(store.read_columns(run.folder, ["map", "moves"]))
    assert read.columns == ["map", "moves"]
    assert sorted(read["moves"]) == sorted(run.records["moves"])


def test_another_sample_uses_another_folder_unless_it_is_common(small: data.Suite) -> None:
    def folder(first: int, common: bool | str = False) -> Path:
        return pm.run(small, "rtaa(k=100)", sample=Sample(first, 2), common=common).folder

    assert folder(0) != folder(2)
    assert folder(0, "mine") == folder(2, "mine")
    assert len({folder(0, "mine"), folder(0, "yours"), folder(0, common=True)}) == 3


def test_manifest_without_samples_is_read(small: data.Suite) -> None:
    run = pm.run(small, "rtaa(k=100)", limit=2)
    path = run.folder / "manifest.json"

    def edit(manifest: dict[str, Any]) -> dict[str, Any]:
        for start in manifest["starts"]:
            start["choice"].pop("sample", None)
        return manifest

    edit_manifest(path, edit)
    assert Manifest.read(path) == run.manifest
