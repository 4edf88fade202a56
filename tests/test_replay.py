"""Traces contain every event of a trial, runs keep them, and replays show them on a page and in Posthoc."""

import base64
import json
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from playwright.sync_api import Page

import permove as pm
from browser import Open
from permove import _core
from permove.records import traces
from permove.records.traces import Trace
from permove.report import posthoc
from permove.report.replay_page import PARTS, packed, replay_page
from permove.runs import record_traces
from support import contents, error_of, invoke, rejects

MAP = Path(__file__).parent.parent / "maps" / "rooms-128.map"
SENSOR = "square(7)"
AGENTS = ["rtaa(k=20)", "pr-lrts(l=2, d=3)"]


def ends_of_the_largest_part() -> tuple[tuple[int, int], tuple[int, int]]:
    """Return two connected cells that are far from each other."""
    grid = _core.Map.parse(MAP.read_bytes(), str(MAP)).grid("land", "strict")
    parts = grid.components()
    rows, columns = np.nonzero(parts == np.bincount(parts[parts >= 0]).argmax())
    first, last = np.argmin(rows + columns), np.argmax(rows + columns)
    return (int(columns[first]), int(rows[first])), (int(columns[last]), int(rows[last]))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Traces of three agents on the same problem: two arrive in unknown terrain, one is stopped."""
    folder = tmp_path_factory.mktemp("traces")
    start, goal = ends_of_the_largest_part()
    for name, agent, alpha in (("few", "rtaa(k=5)", None), ("many", "rtaa(k=200)", None), ("lost", "lrta", 3.0)):
        pm.solve(MAP, start, goal, agent, sensor=SENSOR, alpha=alpha).save_trace(folder / f"{name}.npz")
    return folder


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> pm.Run:
    out = tmp_path_factory.mktemp("traced") / "run"
    return pm.run("embedded", AGENTS, maps=["rooms-128"], limit=3, sensor=SENSOR, trace=True, out=out)


def identities(run: pm.Run) -> list[tuple[str, str, str, int]]:
    return run.records.select("agent", "set", "map", "problem").rows()


def test_written_trace_reads_back(folder: Path) -> None:
    start, goal = ends_of_the_largest_part()
    solution = pm.solve(MAP, start, goal, "rtaa(k=5)", sensor=SENSOR)
    trace = traces.read(folder / "few.npz")
    assert trace.facts == solution.facts
    assert np.array_equal(trace.letters, solution.map.letters())
    assert np.array_equal(trace.xy(trace.cells), solution.trace.cells)
    assert np.array_equal(trace.xy(trace.expansions), solution.trace.expansions)
    assert np.array_equal(trace.ends, solution.trace.ends)
    counts = solution.record.select("moves", "expanded", "discovered").row(0)
    assert (trace.moves, len(trace.expansions), len(trace.discovered)) == counts


def test_trace_assigns_every_event_to_a_move(folder: Path) -> None:
    trace = traces.read(folder / "few.npz")
    assert len(trace.ends) == trace.moves + 1 == len(trace.expanded) + 1
    assert np.array_equal(np.diff(trace.ends[:, 0].astype(int)), trace.expanded)
    # Before the first move, cells are seen but nothing is planned.
    assert trace.ends[0].tolist()[:2] == [0, 0]
    assert trace.ends[0, 2] > 0
    heights: dict[int, float] = {}
    for cell, risen in zip(trace.rises.tolist(), trace.risen.tolist(), strict=True):
        assert risen > heights.get(cell, 0)  # RTAA* never lowers heuristics
        heights[cell] = risen
    lost = traces.read(folder / "lost.npz")
    assert (lost.facts.status, len(lost.ends)) == ("travel-cap", lost.moves + 2)


@given(st.lists(st.integers(-(2**40), 2**40)))
def test_packed_numbers_unpack(numbers: list[int]) -> None:
    found, value, unit = [], 0, 1
    for byte in zlib.decompress(base64.b64decode(packed(numbers))):
        value += (byte & 0x7F) * unit
        unit *= 128
        if byte < 0x80:
            found.append(-(value + 1) // 2 if value % 2 else value // 2)
            value, unit = 0, 1
    assert found == numbers


@pytest.mark.parametrize("sensor", ["square(1)", "square(4)", "square(400)", "cross"])
def test_seen_cells_are_those_in_reach_of_the_sensor(sensor: str) -> None:
    start, goal = ends_of_the_largest_part()
    solution = pm.solve(MAP, start, goal, "rtaa(k=200)", sensor=sensor)
    shape = solution.map.letters().shape
    expected: NDArray[np.bool_] = np.zeros(shape, bool)
    rows, columns = np.indices(shape)
    for x, y in np.unique(solution.trace.cells, axis=0).astype(int):
        across, down = np.abs(columns - x), np.abs(rows - y)
        reach = 1 if sensor == "cross" else int(sensor[7:-1])
        expected |= (across + down <= 1) if sensor == "cross" else (np.maximum(across, down) <= reach)
    for x, y in solution.trace.discovered:
        expected[y, x] = True  # an obstacle that the agent touched beyond the reach of the sensor
    seen = traces.seen(solution.trace, sensor, shape)
    assert np.array_equal(seen, expected)
    assert traces.seen(solution.trace, "all", shape) is None


def test_run_keeps_a_trace_of_each_record(run: pm.Run) -> None:
    files = {path.name for path in (run.folder / traces.FOLDER).iterdir()}
    assert files == {traces.name_of(*identity) for identity in identities(run)}
    for record in run.records.iter_rows(named=True):
        identity = (record["agent"], record["set"], record["map"], record["problem"])
        trace = traces.read(record_traces.path_of(run.folder, *identity))
        facts = trace.facts
        assert (facts.agent, facts.set, facts.map, facts.problem) == identity
        assert (trace.moves, int(trace.expanded.sum())) == (record["moves"], record["expanded"])
        assert (facts.status, len(trace.discovered)) == (record["status"], record["discovered"])
        assert (len(trace.expansions) < record["expanded"]) == record["agent"].startswith("pr-lrts")


def test_only_missing_traces_are_recomputed(run: pm.Run) -> None:
    before = contents(run.folder)
    (lost, *others) = sorted((run.folder / traces.FOLDER).iterdir())
    times = {path: path.stat().st_mtime_ns for path in others}
    lost.unlink()
    (run.folder / traces.FOLDER / ".half.npz.tmp").write_text("left by a killed run")
    pm.run("embedded", AGENTS, maps=["rooms-128"], limit=3, sensor=SENSOR, trace=True, out=run.folder)
    assert traces.read(lost).facts.map == "rooms-128"
    assert {path: path.stat().st_mtime_ns for path in others} == times
    after = contents(run.folder)
    assert {name for name in after if after[name] != before.get(name)} <= {f"traces/{lost.name}"}
    assert set(after) == set(before)


def test_trial_that_is_too_long_is_not_traced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traces, "MAX_EVENTS", 1000)
    out = tmp_path / "run"
    run = pm.run("embedded", ["rtaa(k=5)"], maps=["rooms-128"], limit=4, trace=True, out=out)
    events = run.records["expanded"] + run.records["moves"]
    assert 0 < (events <= 1000).sum() < len(events)
    assert len(list((out / traces.FOLDER).iterdir())) == (events <= 1000).sum()
    start, goal = ends_of_the_largest_part()
    with rejects("the maximum is 1,000; trace a shorter trial"):
        pm.solve(MAP, start, goal, "rtaa(k=5)").save_trace(tmp_path / "long.npz")
    assert not (tmp_path / "long.npz").exists()


def test_unrecorded_run_is_rejected_with_the_command_that_records_it() -> None:
    line = "run embedded --map rooms-128 --limit 1 -a 'rtaa(k=5)'"
    invoke(line)
    (folder,) = Path("runs").iterdir()
    command = f"{line} --out {folder} --trace"
    error = error_of(f"replay {folder} -o x.html")
    assert error == f"permove: no trial of {folder} was recorded; `permove {command}` records them\n"
    assert "permove replay" in invoke(command).stderr
    assert invoke(f"replay {folder} -o x.html").stderr.endswith("x.html\n")
    assert Path("x.html").is_file()


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("replay nowhere.npz -o x.html", ["nowhere.npz"]),
        ("replay text.npz -o x.html", ["text.npz is damaged or not a trace", "permove solve"]),
        ("replay torn.npz -o x.html", ["torn.npz is damaged or not a trace"]),
        ("replay few.npz -a rtaa -o x.html", ["few.npz is not a run folder"]),
        ("replay few.npz --against none.npz -o x.html", ["the trace none.npz does not exist"]),
        ("replay few.npz --against other.npz -o x.html", ["another problem", "the same map"]),
        ("replay few.npz --format posthoc -o x.yaml", [".trace.yaml or .trace.json", "x.trace.yaml"]),
        ("replay few.npz --against many.npz --format posthoc -o x.trace.yaml", ["one agent", "--against"]),
        ("replay run -a rtaa(k=6) -o x.html", ["run has no records of rtaa(k=6", "permove report"]),
        ("replay run --problem rooms-128 -o x.html", ["invalid problem 'rooms-128'", "caves-512:17"]),
        ("replay run --problem rooms-128:99999 -o x.html", ["no records on rooms-128:99999", "some on"]),
        ("run -a lrta rtaa --limit 501 --trace", ["1,002 records", "--limit"]),
        ("run -a lrta --trials converge --limit 1 --trace", ["a single trial", "--trials"]),
    ],
)
def test_impossible_replay_prints_one_line(line: str, words: list[str], folder: Path, run: pm.Run) -> None:
    for path in folder.iterdir():
        Path(path.name).write_bytes(path.read_bytes())
    Path("run").symlink_to(run.folder)
    Path("text.npz").write_text("no trace\n")
    Path("torn.npz").write_bytes((folder / "few.npz").read_bytes()[:-2000])
    other = traces.read(folder / "few.npz")
    traces.write(replace(other, cells=other.cells[1:]), Path("other.npz"))
    error = error_of("", *line.split())
    assert all(word in error for word in words), error


def value(page: Page, name: str) -> str:
    return page.locator(f"#trace-0 [data-value={name}]").inner_text().replace(",", "")


def frame(page: Page, trace: int = 0) -> int:
    return int(page.locator(f"#trace-{trace}").get_attribute("data-frame") or -1)


def pixels(page: Page) -> list[str]:
    """Return the drawn maps before scaling."""
    shown: list[str] = page.evaluate("panels.map((panel) => panel.trace.canvas.toDataURL())")
    return shown


def opened(open_page: Open, *shown: Trace) -> Page:
    path = Path("replay.html")
    path.write_text(replay_page(list(shown)))
    page = open_page(path)
    page.wait_for_selector("body[data-ready]")
    return page


def test_replay_plays_until_the_agent_arrives(folder: Path, open_page: Open) -> None:
    trace = traces.read(folder / "few.npz")
    page = opened(open_page, trace)
    assert frame(page) == 0
    assert page.locator(".badge").inner_text() == ""
    page.locator("#speed").select_option("5000")
    page.locator("#play").click()
    page.wait_for_selector(f"body:not(.playing) #trace-0[data-frame='{trace.moves}']")
    assert page.locator(".badge").inner_text() == "arrived"
    assert value(page, "move") == f"{trace.moves} of {trace.moves}"
    record = pm.solve(MAP, *ends_of_the_largest_part(), "rtaa(k=5)", sensor=SENSOR).record.row(0, named=True)
    assert value(page, "cost") == f"{record['cost']:.1f} {record['suboptimality']:.2f} × optimum"
    assert value(page, "total") == str(record["expanded"])
    assert page.evaluate("panels[0].trace.cell === content.goal")


def test_buttons_slider_and_keys_reach_the_same_frames_forward_and_back(folder: Path, open_page: Open) -> None:
    trace = traces.read(folder / "few.npz")
    page = opened(open_page, trace)
    begin = pixels(page)
    assert page.evaluate("panels[0].trace.pixels.every((pixel) => pixel >>> 24 === 255)")
    page.locator("#forward").click()
    assert (frame(page), value(page, "expanded")) == (1, str(trace.expanded[0]))
    assert pixels(page) != begin
    page.locator("#back").click()
    assert (frame(page), pixels(page)) == (0, begin)
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("ArrowRight")
    ten_and_one = pixels(page)
    assert frame(page) == 11
    page.keyboard.press("End")
    assert (frame(page), page.locator(".badge").inner_text()) == (trace.moves, "arrived")
    page.locator("#time").fill("11")
    assert (frame(page), pixels(page)) == (11, ten_and_one)
    assert page.locator(".badge").inner_text() == ""
    page.keyboard.press("Home")
    assert (frame(page), pixels(page)) == (0, begin)
    page.keyboard.press(" ")
    assert page.locator("body.playing").count() == 1
    page.keyboard.press(" ")
    assert page.locator("body.playing").count() == 0


def test_page_knows_seen_expanded_and_learned_cells_at_every_move(folder: Path, open_page: Open) -> None:
    trace = traces.read(folder / "few.npz")
    page = opened(open_page, trace)
    for move in (0, 7, trace.moves // 2, trace.moves, trace.moves // 3):
        page.evaluate(f"go({move})")
        times, risen, is_seen = page.evaluate(
            "(({ times, risen, isSeen }) => [times, risen, isSeen].map((list) => Array.from(list)))(panels[0].trace)"
        )
        end = trace.ends[move]
        assert times == np.bincount(trace.expansions[: end[0]], minlength=trace.letters.size).tolist()
        heights = np.zeros(trace.letters.size)
        for cell, height in zip(trace.rises[: end[1]], trace.risen[: end[1]], strict=True):
            heights[cell] = height
        assert risen == np.rint(heights * PARTS).astype(int).tolist()
        rows, columns = np.indices(trace.letters.shape)
        seen = np.zeros(trace.letters.shape, bool)
        for x, y in trace.xy(np.unique(trace.cells[: move + 1])).astype(int):
            seen |= np.maximum(np.abs(columns - x), np.abs(rows - y)) <= int(SENSOR[7:-1])
        assert is_seen == seen.ravel().astype(int).tolist()


def test_two_agents_play_in_step_and_the_first_to_arrive_waits(folder: Path, open_page: Open) -> None:
    few, many = (traces.read(folder / f"{name}.npz") for name in ("few", "many"))
    assert many.moves < few.moves
    page = opened(open_page, few, many)
    page.locator("#time").fill(str(many.moves - 1))
    assert (frame(page, 0), frame(page, 1)) == (many.moves - 1, many.moves - 1)
    page.locator("#forward").click()
    assert [badge.inner_text() for badge in page.locator(".badge").all()] == ["", "arrived"]
    page.keyboard.press("End")
    assert (frame(page, 0), frame(page, 1)) == (few.moves, many.moves)
    assert [badge.inner_text() for badge in page.locator(".badge").all()] == ["arrived", "arrived"]


def test_replay_of_a_failed_trial_shows_the_reason(folder: Path, open_page: Open) -> None:
    lost = traces.read(folder / "lost.npz")
    page = opened(open_page, lost)
    page.keyboard.press("End")
    assert page.locator(".badge.lost").inner_text() == "travelled more than 3 times the optimum"


def test_names_are_never_markup(folder: Path, open_page: Open) -> None:
    nasty = "</script><img src=x onerror=alert(1)><b>&amp;"
    trace = traces.read(folder / "few.npz")
    facts = replace(trace.facts, label=nasty, agent=f"a{nasty}", map=f"m{nasty}", set="s<", reason=nasty, status="lost")
    page = opened(open_page, replace(trace, facts=facts))
    page.keyboard.press("End")
    assert page.locator("h1").inner_text() == f"{nasty} on problem 0 of s</m{nasty}"
    assert page.locator("h2 code").inner_text() == f"a{nasty}"
    assert page.locator(".badge").inner_text() == nasty
    assert page.locator("img, b").count() == 0


def test_page_stays_small(tmp_path: Path) -> None:
    # A long trial on a large map: about 26,000 moves and half a million expansions.
    large = MAP.with_name("caves-512.map")
    pm.solve(large, (357, 344), (450, 35), "rtaa(k=100)", sensor="square(10)").save_trace(tmp_path / "long.npz")
    trace = traces.read(tmp_path / "long.npz")
    assert trace.moves > 20_000
    assert len(replay_page([trace])) < 2_000_000


PRIMITIVES = {"rect": {"x", "y", "width", "height", "fill"}, "circle": {"x", "y", "radius", "fill"}}
"""The built-in components of the visualiser that are used, with their required properties."""


def check_format(content: dict[str, Any]) -> None:
    """Check the requirements of version 1.4.0 of the format."""
    assert set(content) <= {"version", "views", "pivot", "events"}
    assert content["version"] == "1.4.0"
    assert "main" in content["views"]
    for view in content["views"].values():
        for component in view:
            needed = PRIMITIVES.get(component["$"], set())
            assert component["$"] in {*PRIMITIVES, *content["views"]}
            assert needed <= set(component)
            assert isinstance(component.get("clear", False), bool | str)
    assert set(content["pivot"]) <= {"x", "y", "z", "scale"}
    known: set[object] = set()
    for event in content["events"]:
        assert isinstance(event["type"], str)
        assert isinstance(event["id"], int | str)
        parent = event.get("pId")
        assert parent is None or parent in known  # parents come before children
        assert event["id"] not in known
        known.add(event["id"])


@pytest.mark.parametrize("name", ["few", "lost"])
def test_search_trace_has_the_format_of_the_visualiser(name: str, folder: Path) -> None:
    invoke(f"replay {folder / name}.npz --format posthoc -o x.trace.yaml")
    content = json.loads(Path("x.trace.yaml").read_text())  # JSON is also YAML
    check_format(content)
    trace = traces.read(folder / f"{name}.npz")
    of_type = {
        kind: [event for event in content["events"] if event["type"] == kind]
        for kind in ("source", "destination", "move", "expand", "learn", "discover")
    }
    assert sum(map(len, of_type.values())) == len(content["events"])
    path = [(event["x"], event["y"]) for event in of_type["source"] + of_type["move"]]
    assert path == [tuple(cell) for cell in trace.xy(trace.cells).tolist()]
    expanded = [(event["x"], event["y"]) for event in of_type["expand"]]
    assert expanded == [tuple(cell) for cell in trace.xy(trace.expansions).tolist()]
    assert (len(of_type["learn"]), len(of_type["discover"])) == (len(trace.rises), len(trace.discovered))
    if name == "few":
        last = of_type["move"][-1]
        assert (last["x"], last["y"], last["h"]) == (*trace.facts.goal, 0)
        assert last["g"] == last["f"] >= round(trace.facts.optimal, 4)
        assert (of_type["destination"][0]["x"], of_type["destination"][0]["y"]) == trace.facts.goal


def test_removed_states_are_marked(tmp_path: Path, open_page: Open) -> None:
    start, goal = ends_of_the_largest_part()
    pm.solve(MAP, start, goal, "median(7·c+h)+E", diagonal="free", alpha=1000).save_trace(tmp_path / "removed.npz")
    trace = traces.read(tmp_path / "removed.npz")
    cells = trace.rises[np.isinf(trace.risen)]
    assert cells.size
    content = json.loads(posthoc.search_trace(trace))
    check_format(content)
    removed = [event for event in content["events"] if event["type"] == "remove"]
    assert [(event["x"], event["y"]) for event in removed] == [tuple(cell) for cell in trace.xy(cells).tolist()]
    page = opened(open_page, trace)
    page.keyboard.press("End")
    removed_cells = page.evaluate("panels[0].trace.risen.filter((risen) => risen >= removed / 2).length")
    assert removed_cells == len(set(cells.tolist()))
