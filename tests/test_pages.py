"""The design that all pages share: they fit a desktop and a phone, in light and in dark, and have links to sections."""

import shutil
from pathlib import Path

import pytest

import permove as pm
from browser import Open
from support import invoke

RUN = "run --map rooms-128 --limit 12 -a 'rtaa(k={3,10,30})' 'lrta(d={1,8})' astar --cutoff 1000"
REPORTS = Path(__file__).parent.parent / "reports"
NAMES = ("run", "guide", "pair", "field", "tradeoff", "scaling", "replay", "index")
SCREENS = [(1400, "light"), (1400, "dark"), (390, "light"), (390, "dark")]


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a page of each kind."""
    folder = tmp_path_factory.mktemp("pages")
    run = folder / "first"
    invoke(RUN, "--out", run)
    for name, line in (
        ("run", "report {}"),
        ("guide", "guide {}"),
        ("pair", "compare {} 'rtaa(k=3)' 'rtaa(k=10)'"),
        ("field", "compare {} 'rtaa(k=3)' --against all"),
        ("tradeoff", "report {} --view tradeoff"),
        ("scaling", "report {} --view scaling"),
    ):
        invoke(line.format(run), "--format", "html", "-o", folder / f"{name}.html")
    solution = pm.Suite.of([[0] * 12] * 8, 1)
    pm.run(solution, "rtaa(k=3)", trace=True, out=folder / "traced")
    invoke("replay", folder / "traced", "-o", folder / "replay.html")
    shutil.copy(REPORTS / "index.html", folder)
    return folder


@pytest.mark.parametrize("name", NAMES)
def test_page_fits_every_screen_and_logs_nothing(name: str, pages: Path, open_page: Open) -> None:
    for width, scheme in SCREENS:
        page = open_page(pages / f"{name}.html", viewport={"width": width, "height": 844}, color_scheme=scheme)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.locator("#top .brand").inner_text() == "permove"
        ink, ground = (
            page.evaluate(f"getComputedStyle(document.body).{each}") for each in ("color", "backgroundColor")
        )
        brightness = [sum(map(int, colour.removeprefix("rgb(").rstrip(")").split(","))) for colour in (ink, ground)]
        assert (brightness[0] > brightness[1]) is (scheme == "dark")


@pytest.mark.parametrize("name", ["run", "guide", "pair", "index"])
def test_links_of_the_header_lead_to_sections(name: str, pages: Path, open_page: Open) -> None:
    page = open_page(pages / f"{name}.html", viewport={"width": 1400, "height": 844})
    links = page.locator("#sections a")
    assert links.count() >= 2
    for target in links.evaluate_all("links => links.map(link => link.getAttribute('href'))"):
        assert page.locator(f"section{target}").is_visible()


def test_slider_of_a_guide_shows_the_agent_of_the_table(pages: Path, open_page: Open) -> None:
    page = open_page(pages / "guide.html", viewport={"width": 1400, "height": 1000})
    rows = page.locator("#guide tbody tr")
    found = set()
    for position in (0, 300, 600, 1000):
        page.locator("#slider").fill(str(position))
        now = page.locator("#guide tr.now")
        assert now.count() == 1
        agent = page.locator("#answer").inner_text()
        assert now.locator("td").nth(1).inner_text().partition(" or ")[0].split("\n")[0] in agent or "no agent" in agent
        found.add(now.locator("td").first.inner_text())
    assert 1 < len(found) <= rows.count()


def test_figures_of_pages_have_names_and_unique_identifiers(pages: Path, open_page: Open) -> None:
    page = open_page(pages / "field.html", color_scheme="dark", viewport={"width": 1400, "height": 900})
    assert page.locator("figure svg[role=img][aria-label]").count() == page.locator("figure").count() >= 1
    page = open_page(pages / "index.html")
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map(one => one.id)")
    assert len(ids) == len(set(ids))


def test_index_of_the_reports_says_first_what_was_reproduced(pages: Path, open_page: Open) -> None:
    page = open_page(pages / "index.html", viewport={"width": 1400, "height": 1000})
    first = page.locator(".papers .card").first
    assert first.bounding_box()["y"] < 500  # type: ignore[index]
    for words in ("agrees with the paper", "Reproduced:", "Not reproduced:"):
        assert words in first.inner_text()
    assert page.locator("a[href$='.md']").count() == 0
    report = page.locator("details.report", has=page.locator("figure")).first
    report.locator("summary").click()
    assert report.locator("figure svg").is_visible()
    assert report.locator("table").first.is_visible()


def test_controls_of_a_replay_leave_room_on_a_phone(pages: Path, open_page: Open) -> None:
    page = open_page(pages / "replay.html", viewport={"width": 390, "height": 844}, has_touch=True)
    box = page.locator("#controls").bounding_box()
    assert box is not None
    assert box["height"] < 844 / 4
    assert not page.locator("#layers").is_visible()
    page.locator("#legend > summary").click()
    assert page.locator("#path").is_visible()
