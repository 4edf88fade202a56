"""Bad input on the command line: one line, exit code 2, and no changed file."""

from pathlib import Path

import pytest

from support import edit_manifest, error_of, full_disk, invoke

RUN = "run --limit 5 -a astar --out run"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", "-a", "lrtaa"], ["'lrtaa'", "did you mean 'rtaa'"]),
        (["run", "-a", "lrta(depth=3)"], ["no parameter 'depth'", "did you mean 'path'"]),
        (["run", "-a", "lrta(d=0)"], ["lrta(d=0)", "d"]),
        (["run", "-a", "lrta(d=1..)"], ["character 8"]),
        (["run", "-a", "lrta(gamma=0)"], ["gamma=0 is out of range", "gamma is above 0, at most 1"]),
        (["run", "-a", "lrts(T=-1)"], ["character 6", "T=-1 is out of range", "T is 0.. or inf"]),
        (["run", "-a", "lrts(gamma=0)"], ["gamma=0 is out of range", "gamma is above 0, at most 1"]),
        (["run", "-a", "lrts(gamma=2)"], ["gamma=2 is out of range", "gamma is above 0, at most 1"]),
        (["run", "-a", "slat(T=nan)"], ["T=nan is out of range", "T is 0.. or inf"]),
        (["run", "-a", "gamma-trap(d=0)"], ["d=0 is out of range", "d is 1..1000"]),
        (["run", "-a", "plrta(q=0)"], ["q=0 is out of range", "q is 1..10000"]),
        (["run", "-a", "pr-lrts(l=16)"], ["l=16 is out of range", "l is 0..15"]),
        (["run", "-a", "pr-lrts(l=2, levels=al)"], ["levels=al has 2 letters, but l=2 needs 3"]),
        (["run", "-a", "pr-lrts(l=1, levels=pl)"], ["passes through the ground"]),
        (
            ["run", "--map", "rooms-128", "-a", "lrta", "pr-lrts(l={1,15})", "--limit", "20"],
            ["rooms-128: level 15 of pr-lrts(l=15", "above the top of the map's hierarchy, which is 11", "--map"],
        ),
        (["solve", "small.map", "0,0", "3,0", "-a", "pr-lrts(l=9)"], ["small.map: level 9", "which is 2"]),
        (["run", "-a", "dstar-lite(prefer=g)"], ["prefer=g is out of range", "larger-g | smaller-g"]),
        (["run", "-a", "wastar(gamma=2..1)"], ["is descending"]),
        (["run"], ["needs an agent", "--panel real-time"]),
        (["run", "embeded", "-a", "lrta"], ["embeded"]),
        (["run", "-a", "lrta", "--cutoff", "0"], ["cutoff 0 is out of range", "at least 1"]),
        (["run", "-a", "lrta", "--cutoff", "many"], ["--cutoff", "integer"]),
        (["run", "-a", "lrta", "--alpha", "0.5"], ["alpha 0.5 is out of range"]),
        (["run", "-a", "lrta", "--jobs", "-1"], ["jobs -1 is out of range"]),
        (["run", "-a", "lrta", "--limit", "0"], ["limit 0 is out of range"]),
        (["run", "-a", "lrta", "--seed", "-1"], ["seed -1 is out of range"]),
        (["run", "-a", "lrta", "--seed", "99999999999999999999"], ["out of range"]),
        (["run", "-a", "lrta", "--cutoff", "99999999999999999999"], ["out of range"]),
        (["run", "-a", "lrta", "--jobs", "1000000"], ["jobs 1000000 is out of range", "at most 4096"]),
        (["run", "-a", "lrta", "--alpha", "nan"], ["alpha nan is out of range"]),
        (["run", "-a", "lrta", "--time-limit", "soon"], ["invalid duration 'soon'", "500us"]),
        (["run", "-a", "lrta", "--time-limit", "0ms"], ["invalid duration '0ms'"]),
        (["run", "-a", "lrta", "--sensor", "sonar"], ["sonar", "square"]),
        (["run", "-a", "lrta", "--sensor", "square(0)"], ["'square(0)' is not a sensor", "a radius R of 1 to 8192"]),
        (["run", "-a", "lrta", "--sensor", "square"], ["'square' is not a sensor", "use all, cross or square(R)"]),
        (["run", "-a", "lrta", "--map", "atlantis"], ["atlantis"]),
        (["run", "-a", "lrta", "--out", "small.map"], ["small.map is a file", "--out"]),
        (["run", "-a", "lrta", "--out", "small.map/run"], ["small.map/run", "--out"]),
        (["run", "-a", "lrta", "--format", "pdf"], ["pdf"]),
        (["run", "-a", "lrta", "--frobnicate"], ["--frobnicate"]),
        (["frobnicate"], ["frobnicate"]),
        (["report", "nowhere"], ["nowhere", "permove run"]),
        (["report", "."], ["not a run folder", "manifest.json"]),
        (["agents", "lrtta"], ["'lrtta'", "did you mean 'lrta'"]),
        (["agents", "-o", "nowhere/out.txt"], ["nowhere"]),
        (["solve", "nowhere.map", "0,0", "1,0", "-a", "astar"], ["nowhere.map"]),
        (["solve", "small.map", "0", "1,0", "-a", "astar"], ["invalid cell '0'", "12,7"]),
        (["solve", "small.map", "0,0", "1,1", "-a", "astar"], ["small.map", "goal 1,1", "obstacle"]),
        (["solve", "small.map", "9,0", "1,0", "-a", "astar"], ["small.map", "start 9,0", "0..3"]),
        (["solve", "small.map", "0,0", "3,2", "-a", "astar"], ["small.map", "no path from 0,0 to 3,2"]),
        (["solve", "small.map", "1,0", "1,0", "-a", "astar"], ["small.map", "the same cell 1,0"]),
        (["solve", "small.map", "0,0", "3,0", "-a", "astar", "--cutoff", "0"], ["cutoff 0 is out of range"]),
        (["solve", "small.map", "0,0", "3,0", "-a", "lrta(d=1..2)"], ["stands for 2 agents"]),
        (["solve", "small.map", "0,0", "3,0", "-a", "astar", "--diagonal", "often"], ["often"]),
    ],
    ids=lambda value: " ".join(value) if value and isinstance(value, list) else str(value),
)
def test_bad_input_prints_one_line_and_changes_no_file(arguments: list[str], words: list[str]) -> None:
    Path("small.map").write_text("type octile\nheight 3\nwidth 4\nmap\n....\n.@@@\n.@..\n")
    error = error_of("", *arguments)
    assert all(word in error for word in words), error


def test_run_folder_of_another_version_or_with_other_settings_is_rejected() -> None:
    invoke(RUN)
    assert "cutoff none, not 9" in error_of(RUN, "--cutoff", 9)
    path = Path("run/manifest.json")
    edit_manifest(path, lambda manifest: manifest | {"records": 99})
    error = error_of(RUN)
    assert "version 99 of the records, not" in error
    assert "--out" in error
    edit_manifest(path, lambda manifest: manifest | {"format": 7})
    assert "has format 7, expected 2" in error_of(RUN)


def test_full_disk_prints_one_line() -> None:
    with full_disk():
        assert "No space left on device" in error_of(RUN)
        assert not Path("run").exists()
        assert "No space left on device" in error_of("agents -o agents.txt")


def test_folder_without_permission_prints_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(self: Path, *_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "mkdir", denied)
    assert "cannot create the run folder run: Permission denied" in error_of(RUN)
