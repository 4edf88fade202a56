"""Use in a notebook: objects render as HTML, agents may be classes, and lists are frames."""

import inspect
import linecache
import pydoc
import sys
from pathlib import Path

import polars as pl
import pytest

import permove as pm
from permove.common.errors import InputError
from permove.plugins.classes import spec_of
from support import invoke

MAP = Path(__file__).parent.parent / "maps" / "caves-128.map"

CELL = '''class Greedy:
    """Moves to the neighbour with the lowest estimate, and learns."""

    def plan(self, world):
        state, cost, h = min(world.expand(world.at), key=lambda successor: successor[1] + successor[2])
        world.learn(world.at, max(cost + h, world.heuristic(world.at)))
        return state
'''


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> pm.Run:
    folder = tmp_path_factory.mktemp("notebook") / "<b>run"
    return pm.run("embedded", ["lrta(d=1)", "rtaa(k=100)"], cutoff=1000, limit=16, out=folder, progress=False)


def test_results_render_as_html(run: pm.Run) -> None:
    shown = {
        "RTAA* (k=100)": run._repr_html_(),
        "best agent": run.guide()._repr_html_(),
        "Wilcoxon": pm.compare(run, "lrta(d=1)", "rtaa(k=100)")._repr_html_(),
        "worst move": pm.solve(MAP, (3, 4), (100, 90), "rtaa(k=100)", progress=False)._repr_html_(),
    }
    for words, html in shown.items():
        assert words in html
        assert "<html" not in html
        assert "\x1b" not in html
    assert "data:image/png;base64," in shown["worst move"]


def test_lists_are_frames() -> None:
    agents, suites = pm.agents(), pm.suites()
    assert "rtaa" in agents["agent"].to_list()
    assert suites.filter(pl.col("name") == "embedded")["maps"].to_list() == [16]
    assert invoke("agents --format json").stdout.count('"agent"') == agents.height


def test_class_in_a_file_is_its_spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "greedy.py").write_text(CELL)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    from greedy import Greedy  # type: ignore[import-not-found]

    assert spec_of(Greedy) == "greedy.py:Greedy"
    assert spec_of("rtaa(k=10)") == "rtaa(k=10)"
    found = pm.run("embedded", [Greedy, "rtaa(k=10)"], maps=["rooms-128"], limit=4, progress=False)
    assert set(found.records["status"]) == {"solved"}
    assert set(found.records["label"]) == {"Greedy", "RTAA* (k=10)"}


def test_class_of_a_cell_is_written_to_a_file() -> None:
    linecache.cache["<cell 1>"] = (len(CELL), None, CELL.splitlines(keepends=True), "<cell 1>")
    names: dict[str, type] = {}
    exec(compile(CELL, "<cell 1>", "exec"), names)
    spec = spec_of(names["Greedy"])
    assert spec.startswith("runs/agents/Greedy_")
    assert Path(spec.partition(":")[0]).read_text() == CELL
    assert spec_of(names["Greedy"]) == spec
    assert pm.solve(MAP, (3, 4), (100, 90), names["Greedy"], progress=False).record["status"].to_list() == ["solved"]


def test_class_that_is_no_agent_is_rejected() -> None:
    with pytest.raises(InputError, match="method plan"):
        spec_of(int)

    class Local:
        def plan(self, world: object) -> None: ...

    with pytest.raises(InputError, match="inside a function"):
        spec_of(Local)


@pytest.mark.parametrize("name", [name for name in pm.__all__ if name != "__version__"])
def test_public_name_has_a_docstring_with_an_example(name: str) -> None:
    text = inspect.getdoc(getattr(pm, name)) or ""
    assert len(text.split()) > 5
    assert any(line.startswith("    ") for line in text.splitlines()), f"help(pm.{name}) shows no example:\n{text}"
    assert pydoc.render_doc(getattr(pm, name))
    assert sys.modules["permove"]
