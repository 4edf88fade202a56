"""Panels: every baseline that they name is there, and walks beside the agents of a run."""

from pathlib import Path

import pytest

import permove as pm
from permove import _core
from permove.agents.panels import PANELS, specs_of
from permove.agents.specs import check_bounds, expand_all
from permove.common.errors import InputError
from support import called


@pytest.mark.parametrize("name", PANELS)
def test_agents_of_a_panel_exist(name: str) -> None:
    assert len(expand_all(specs_of([name]))) > 10


def test_all_has_every_agent_of_the_catalogue() -> None:
    assert {spec.spec.partition("(")[0] for spec in expand_all(specs_of(["all"]))} == {
        info.name for info in _core.catalogue()
    }


@pytest.mark.parametrize("name", ["real-time", "dynamic-control-2008"])
def test_other_panels_need_no_bound_on_travel(name: str) -> None:
    check_bounds(expand_all(specs_of([name])), alpha=None)


def test_real_time_agents_need_no_known_map_and_plan_a_bounded_amount(tmp_path: Path) -> None:
    run = pm.run("embedded", panel="real-time", maps=["rooms-128", "outdoor-woods-192"], limit=4, out=tmp_path / "run")
    assert run.records["status"].unique().to_list() == ["solved"]
    assert run.records["expanded_max"].max() <= 330
    assert run.records["build_bytes"].max() == 0


def test_panel_is_added_to_agents_without_duplicates(tmp_path: Path) -> None:
    run = pm.run(
        "embedded", ["sla", "lrts(d=2)"], panel=["real-time"], maps=["rooms-128"], limit=1, out=tmp_path / "run"
    )
    assert run.records.height == len(expand_all(["lrts(d=2)", *specs_of(["real-time"])]))


def test_unknown_panel_is_rejected_with_the_nearest_name() -> None:
    with pytest.raises(InputError, match=r"there is no panel 'realtime'; did you mean 'real-time'\?"):
        specs_of(["realtime"])
    with pytest.raises(InputError, match="choose one of real-time, dynamic-control-2008, all"):
        specs_of(["x"])


def test_command_line_lists_panels(tmp_path: Path) -> None:
    assert "dynamic-control-2008" in called("panels", cwd=tmp_path).stdout
    nobody = called("run", "embedded", cwd=tmp_path)
    assert nobody.returncode == 2
    assert "or a panel, as in --panel real-time" in nobody.stderr
