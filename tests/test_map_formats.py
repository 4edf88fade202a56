"""Maps in other formats: the same rooms give the same records, and broken files get one sentence."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from polars.testing import assert_frame_equal

import permove as pm
from map_formats import ROOMS, WRITERS, walls, write_image, write_ros, write_tmj, write_tmx
from permove import data
from permove.data.map_formats import COLOURS, read_map
from permove.records.columns import CLOCK
from support import error_of, invoke, json_of, rejects

AGENTS = "-a 'rtaa(k=3)' astar --cutoff 1000"


@pytest.fixture
def fingerprint() -> str:
    """The grid of the rooms."""
    return data.Suite.of(walls(), 1).grid("array/array").fingerprint


@pytest.mark.parametrize("suffix", WRITERS)
def test_every_format_has_the_same_grid_and_records(suffix: str, fingerprint: str) -> None:
    path = Path(f"rooms{suffix}")
    WRITERS[suffix](path)
    assert json_of(f"maps show {path}")[0]["fingerprint"] == fingerprint
    expected = pm.run(pm.Suite.of(walls(), 12, name="rooms"), ["rtaa(k=3)", "astar"], cutoff=1000, out="array")
    result = invoke(f"run {path} --problems 12 {AGENTS} --out run")
    assert "drew 12 problems on 1 map with seed 0" in result.stderr
    assert_frame_equal(pm.Run("run").records.drop(CLOCK), expected.records.drop(CLOCK))
    assert json_of(f"solve {path} 1,1 10,8 -a astar")[0]["status"] == "solved"


@pytest.mark.parametrize("suffix", [".map", ".png", ".txt", ".csv", ".npy", ".pgm", ".gif"])
def test_converted_maps_are_read_again(suffix: str, fingerprint: str) -> None:
    write_tmx(Path("rooms.tmx"))
    assert "12 × 10, 67 free cells" in invoke(f"maps convert rooms.tmx made{suffix}").stdout
    assert json_of(f"maps show made{suffix}")[0]["fingerprint"] == fingerprint
    assert f"made{suffix} already exists" in error_of(f"maps convert rooms.tmx made{suffix}")
    invoke(f"maps convert rooms.tmx made{suffix} --force")


def test_colours_of_written_letters_are_light_only_if_they_are_free() -> None:
    dark = {
        letter for letter, (red, green, blue) in COLOURS.items() if 0.299 * red + 0.587 * green + 0.114 * blue < 128
    }
    assert dark == set("@OTW")


def test_palette_threshold_and_cells_of_several_pixels_are_respected() -> None:
    pixels = np.array([[(0, 0, 255), (250, 250, 250)], [(90, 90, 90), (250, 250, 250)]], np.uint8)
    Image.fromarray(pixels.repeat(4, axis=0).repeat(4, axis=1)).save("level.png")
    Path("level.toml").write_text('"#0000ff" = "W"\n"#fafafa" = "."\n"#5a5a5a" = "T"\n')
    invoke("maps convert level.png level.map --cell 4 --palette level.toml")
    assert Path("level.map").read_text().endswith("map\nW.\nT.\n")
    invoke("maps convert level.png dark.txt --cell 4 --threshold 80")
    assert Path("dark.txt").read_text() == "@.\n..\n"
    Path("level.toml").write_text('"#0000ff" = "W"\n"#fafafa" = "."\n')
    message = error_of("maps convert level.png no.map --cell 4 --palette level.toml")
    assert "level.png: the pixel of cell 0,1 has the colour #5a5a5a, which the palette lacks; add a line" in message


def test_transparent_pixels_and_bright_pixels_of_16_bits_are_free() -> None:
    clear = np.zeros((2, 2, 4), np.uint8)
    clear[0, 0, 3] = 255
    Image.fromarray(clear).save("clear.png")
    assert read_map(Path("clear.png")).text().endswith(b"map\n@.\n..\n")
    Image.fromarray(np.array([[0, 60000], [20000, 65535]], np.uint16)).save("deep.png")
    assert read_map(Path("deep.png")).text().endswith(b"map\n@.\n@.\n")


def test_layer_and_property_of_a_tiled_map_are_chosen_by_name() -> None:
    write_tmx(Path("rooms.tmx"))
    invoke("maps convert rooms.tmx floor.map --layer floor")
    assert Path("floor.map").read_text().count("@") == walls().size
    write_tmj(Path("rooms.tmj"))
    invoke("maps convert rooms.tmj rooms.map --layer second --property solid")
    assert Path("rooms.map").read_text().splitlines()[4:] == list(ROOMS)


BROKEN = [
    ("cut.png", b"\x89PNG\r\n\x1a\n\x00\x00", "cut.png is not a valid image"),
    ("text.png", b"no picture", "text.png is not a valid image (its first bytes are of no known format)"),
    ("a.txt", b"..#\n.?#\n", "a.txt:2: unknown cell '?' in column 2; use . or a space"),
    ("b.txt", b"..#\n.#\n", "b.txt:2: the row has 2 cells, expected 3 as in line 1; make all rows"),
    ("c.txt", b"\n\n", "c.txt:1: the map is empty; use ."),
    ("d.txt", b"\xff\xfe", "d.txt is not a valid ASCII map (byte 1 is not text in UTF-8)"),
    ("a.csv", b"0,1\n0,7\n", "a.csv:2: unknown cell '7' in column 2; use 0 for free cells and 1 for walls"),
    ("b.csv", b'0,1\n"0,1\n', "b.csv:2: unexpected end of data; correct the quotes"),
    ("c.csv", b"0,1\n\n0\n", "c.csv:3: the row has 1 cells, expected 2 as in line 1"),
    ("a.tmx", b"<map>\n<layer", "a.tmx:2: unclosed token in column 1; open it in Tiled"),
    ("b.tmx", b"<map/>", "b.tmx is not a valid Tiled map"),
    ("a.tmj", b'{"layers": [\n', "a.tmj:2: Expecting value in column 1; open it in Tiled"),
    ("b.tmj", b"{}", "b.tmj is not a valid Tiled map"),
    ("a.yaml", b"image: a.pgm\nnegate: [\n", "a.yaml:3:"),
    ("b.yaml", b"- 1\n", "b.yaml:1: expected names with values; add lines such as image: b.pgm"),
    ("c.yaml", b"resolution: 1\n", "c.yaml does not name an image; add a line such as image: c.pgm"),
    ("d.yaml", b"image: none.pgm\n", "none.pgm does not exist"),
    ("e.yaml", b"image: e.pgm\nfree_thresh: much\n", "e.yaml: free_thresh is 'much', expected a number"),
    ("a.npy", b"\x93NUMPY\x01\x00", "a.npy is not a valid array"),
    ("none.png", None, "the file none.png does not exist"),
]


@pytest.mark.parametrize(("name", "content", "words"), BROKEN, ids=[name for name, *_ in BROKEN])
def test_broken_file_gets_one_sentence(name: str, content: bytes | None, words: str) -> None:
    if content is not None:
        Path(name).write_bytes(content)
    assert words in error_of(f"maps convert {name} made.map")


def test_truncated_image_and_huge_images_are_rejected() -> None:
    write_image(Path("rooms.bmp"))
    Path("rooms.bmp").write_bytes(Path("rooms.bmp").read_bytes()[:-20])
    assert "rooms.bmp is not a valid image (image file is truncated" in error_of("maps show rooms.bmp")
    Image.new("1", (9000, 8000)).save("huge.png")
    assert "huge.png has 9,000 × 8,000 pixels" in error_of("maps show huge.png")
    Image.new("1", (9000, 1)).save("long.png")
    assert "long.png has 9,000 × 1 cells; 1 to 8192 along each side" in error_of("maps show long.png")


def test_unclear_layers_and_hexagonal_maps_are_rejected() -> None:
    write_tmx(Path("rooms.tmx"))
    Path("rooms.tmx").write_text(Path("rooms.tmx").read_text().replace('"Walls"', '"things"'))
    message = error_of("run rooms.tmx --problems 3 -a astar")
    assert "has 2 tile layers ('floor', 'things') and none is named after walls; name one with --layer" in message
    assert "no tile layer 'thing' (did you mean things?)" in error_of("maps show rooms.tmx --layer thing")
    Path("rooms.tmx").write_text(Path("rooms.tmx").read_text().replace("orthogonal", "hexagonal"))
    assert "is a hexagonal map" in error_of("maps show rooms.tmx")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("rooms.png made.map --layer walls", "--layer does not apply to images; omit it"),
        ("rooms.png made.map --cell 7", "12 × 10 pixels cannot be divided into cells of 7 × 7"),
        ("rooms.png made.tmx", "cannot write maps as '.tmx' files; use one of .map, .txt, .csv"),
        ("rooms.png nowhere/made.map", "the folder nowhere does not exist"),
        ("rooms.png made.map --threshold 3 --palette p.toml", "--threshold and --palette cannot be combined"),
    ],
)
def test_wrong_options_of_conversions_are_errors(line: str, words: str) -> None:
    write_image(Path("rooms.png"))
    assert words in error_of(f"maps convert {line}")


def test_image_of_an_occupancy_grid_uses_the_thresholds_next_to_it(fingerprint: str) -> None:
    write_ros(Path("rooms.yaml"))
    assert json_of("maps show rooms.pgm")[0]["fingerprint"] == fingerprint
    Path("rooms.yaml").write_text("image: rooms.pgm\nnegate: 1\nmode: trinary\n")
    assert json_of("maps show rooms.yaml")[0]["free_cells"] == walls()[1:].sum()


def test_scenarios_may_name_a_map_of_any_format() -> None:
    folder = Path("own")
    folder.mkdir()
    write_image(folder / "rooms.png")
    (folder / "notes.txt").write_text("not a map")
    invoke("maps problems own/rooms.png -n 5 -o own/rooms.png.scen")
    invoke(f"run own {AGENTS} --out folder")
    invoke(f"run own/rooms.png {AGENTS} --out beside")
    invoke(f"run own/rooms.png.scen {AGENTS} --out scenarios")
    costs = [
        pm.Run(name).records.select("map", "problem", "agent", "cost") for name in ("folder", "beside", "scenarios")
    ]
    assert costs[0]["map"].unique().to_list() == ["rooms"]
    assert costs[0].equals(costs[1])
    assert costs[0].equals(costs[2])


def test_suite_of_an_array_has_the_stated_problems() -> None:
    suite = pm.Suite.of(walls(), [(1, 1, 10, 8), (1, 1, 2, 1)])
    assert suite.problems["optimal"].round(3).to_list() == [13.071, 1.0]
    assert pm.run(suite, "astar").records["suboptimality"].to_list() == [1.0, 1.0]
    with rejects("problems, line 2: the start (0, 0) is inside a wall of array"):
        pm.Suite.of(walls(), [(1, 1, 2, 1), (0, 0, 2, 1)])
    with rejects("problem 0 on array is outside the map: [1, 1, 12, 1]; x is 0..11 and y is 0..9"):
        pm.Suite.of(walls(), [(1, 1, 12, 1)])
    with rejects("invalid problems on array"):
        pm.Suite.of(walls(), [(1, 1)])
    with rejects("the map array has 1 dimensions, expected 2"):
        pm.Suite.of([0, 1], 3)
    letters = np.array([list(row) for row in ROOMS])
    assert pm.Suite.of(letters, 4).fingerprint == pm.Suite.of(walls(), 4).fingerprint
