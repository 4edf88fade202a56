"""Panels: all their baselines exist, and are added to the agents of a run."""

import math

import pytest

import permove as pm
from permove import _core
from permove.agents.panels import PANELS, specs_of
from permove.agents.specs import check_bounds, expand_all
from support import invoke, rejects


@pytest.mark.parametrize("name", PANELS)
def test_agents_of_a_panel_exist(name: str) -> None:
    assert len(expand_all(specs_of([name]))) > 10


def test_all_has_every_agent_of_the_catalogue() -> None:
    names = {spec.spec.partition("(")[0] for spec in expand_all(specs_of(["all"]))}
    assert names == {info.name for info in _core.catalogue()}


@pytest.mark.parametrize("name", ["real-time", "dynamic-control-2008"])
def test_other_panels_need_no_bound_on_travel(name: str) -> None:
    check_bounds(expand_all(specs_of([name])), alpha=None)


def test_real_time_agents_need_no_known_map_and_plan_a_bounded_amount() -> None:
    maps = ["rooms-128", "outdoor-woods-192"]
    run = pm.run("embedded", panel="real-time", maps=maps, limit=4, alpha=math.inf)
    assert run.records["status"].unique().to_list() == ["solved"]
    assert run.records["expanded_max"].max() <= 330
    assert run.records["build_bytes"].max() == 0


def test_panel_is_added_to_agents_without_duplicates() -> None:
    run = pm.run("embedded", ["sla", "lrts(d=2)"], panel=["real-time"], maps=["rooms-128"], limit=1)
    assert run.records.height == len(expand_all(["lrts(d=2)", *specs_of(["real-time"])]))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("realtime", "unknown panel 'realtime'; did you mean 'real-time'?"),
        ("x", "choose one of real-time, dynamic-control-2008, all"),
    ],
)
def test_unknown_panel_is_rejected_with_the_nearest_name(name: str, words: str) -> None:
    with rejects(words):
        specs_of([name])


def test_command_line_lists_panels() -> None:
    assert "dynamic-control-2008" in invoke("panels").stdout
