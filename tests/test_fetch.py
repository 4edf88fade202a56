"""Downloads that are interrupted, resume or restart, and never leave partial data."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from data_files import demo_zips, map_text, write_zip
from data_server import Site, serve
from permove import data
from support import contents, json_of, rejects

MAPS, SCENARIOS = "/demo/demo-map.zip", "/demo/demo-scen.zip"


pytestmark = pytest.mark.usefixtures("data_home")


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """The set `demo` on a server, padded with incompressible bytes."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    zips = demo_zips(tmp_path / "zips")
    noise = random.Random(1).randbytes(5000)
    write_zip(zips / "demo-map.zip", {"room.map": map_text(), "noise.bin": noise})
    site = Site({MAPS: (zips / "demo-map.zip").read_bytes(), SCENARIOS: (zips / "demo-scen.zip").read_bytes()})
    with serve(site):
        yield site


def fails(site: Site, *words: str) -> None:
    """Fetch the set and expect an error with these words."""
    with rejects(*words):
        data.fetch_sets("demo", site.url)


def test_set_is_downloaded_and_imported(site: Site, data_home: Path) -> None:
    progress: list[tuple[str, int, int | None]] = []
    index = data.fetch_sets("demo", site.url, lambda *piece: progress.append(piece))
    assert index.rules["strict"].problems == 3
    assert data.load("movingai/demo").problems.height == 3
    assert progress[-1] == ("demo-scen.zip", len(site.files[SCENARIOS]), len(site.files[SCENARIOS]))
    assert contents(data_home / "downloads") == {}


def test_interrupted_download_resumes(site: Site, data_home: Path) -> None:
    site.cut_after = 2000
    fails(site, f"{site.url}{MAPS} was interrupted after 2,000 bytes", "run the same command again")
    assert not (data_home / "movingai").exists()
    assert (data_home / "downloads/demo-map.zip.part").read_bytes() == site.files[MAPS][:2000]
    fails(site, "was interrupted after 4,000 bytes")
    site.cut_after = None
    data.fetch_sets("demo", site.url)
    assert data.load("movingai/demo").problems.height == 3
    responses = [(requested, status) for path, requested, status in site.requests if path == MAPS]
    assert responses == [(None, 200), ("bytes=2000-", 206), ("bytes=4000-", 206)]


def test_complete_file_is_not_downloaded_again(site: Site) -> None:
    site.cut_after = len(site.files[MAPS])
    scenarios = site.files[SCENARIOS]
    site.files[SCENARIOS] = b"\0" * (site.cut_after + 1)
    fails(site)
    site.files[SCENARIOS], site.cut_after, site.version = scenarios, None, "2"
    data.fetch_sets("demo", site.url)
    assert [path for path, _, _ in site.requests] == [MAPS, SCENARIOS, SCENARIOS]


@pytest.mark.parametrize("change", ["another version", "no ranges", "no tags"])
def test_download_restarts_if_its_part_is_unusable(tmp_path: Path, site: Site, change: str) -> None:
    site.cut_after, site.tags = 2000, change != "no tags"
    fails(site)
    site.cut_after, site.ranges = None, change != "no ranges"
    if change == "another version":
        newer = write_zip(tmp_path / "newer.zip", {"room.map": map_text(["....."] * 4)})
        site.version, site.files[MAPS] = "2", newer.read_bytes()
    data.fetch_sets("demo", site.url)
    assert site.requests[1][2] == 200
    assert data.load("movingai/demo").problems.height == 3


def test_part_longer_than_the_file_is_discarded(site: Site, data_home: Path) -> None:
    site.cut_after = 2000
    fails(site)
    site.cut_after = None
    (data_home / "downloads/demo-map.zip.part").write_bytes(b"\0" * (len(site.files[MAPS]) + 1))
    data.fetch_sets("demo", site.url)
    assert [status for path, _, status in site.requests if path == MAPS] == [200, 416, 200]


def test_invalid_zip_is_discarded_and_the_data_unchanged(site: Site, data_home: Path) -> None:
    data.fetch_sets("demo", site.url)
    before = contents(data_home)
    site.files[MAPS] = b"<html>we have moved</html>"
    fails(site, f"{site.url}{MAPS} is not a valid zip file")
    assert contents(data_home) == before


def test_set_without_scenarios_has_only_maps(site: Site) -> None:
    del site.files[SCENARIOS]
    assert not data.fetch_sets("demo", site.url).has_problems


def test_unknown_set_is_rejected_with_the_nearest_name(site: Site, data_home: Path) -> None:
    with rejects("has no set doa (did you mean dao?); check the name"):
        data.fetch_sets("doa", site.url)
    assert not (data_home / "movingai").exists()


def test_failing_or_missing_server_is_named(site: Site) -> None:
    site.status = 503
    fails(site, "HTTP status 503")
    with rejects("http://127.0.0.1:9/demo/demo-map.zip was interrupted after 0 bytes"):
        data.fetch_sets("demo", "http://127.0.0.1:9")


@pytest.mark.parametrize(
    ("set_name", "base_url", "words"),
    [("../dao", None, "invalid set name"), ("dao", "file:///etc", "invalid URL")],
)
def test_invalid_names_and_urls_are_rejected(set_name: str, base_url: str | None, words: str) -> None:
    with rejects(words):
        data.fetch_sets(set_name, base_url)


def test_url_comes_from_the_option_or_the_environment(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = json_of("data fetch demo --base-url", site.url + "/")
    assert rows[0]["problems"] == 3
    monkeypatch.setenv("PERMOVE_MOVINGAI_URL", site.url)
    assert json_of("data fetch demo") == rows
    assert len(site.requests) == 4
