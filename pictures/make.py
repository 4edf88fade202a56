"""Draw the pictures of the README from real runs: the page of a run, its guide, and a replay, by `make pictures`."""

import os
import shutil
import tempfile
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

import permove as pm

FOLDER = Path(__file__).parent
AGENTS = ["rtaa(k={10,30,100,300})", "lrta(d={1,3,8})", "klrta(k={10,30,100})", "wastar(gamma={0.2,0.5})", "astar"]
SIZE = {"width": 1200, "height": 960}
WIDTH, COLOURS = 800, 256
"""Width and number of colours of a picture, so that it is small."""


def main() -> None:
    """Run the agents in a temporary folder, open the pages in the system's Chromium, and write the pictures."""
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if program is None:
        raise SystemExit("pictures need a browser: install chromium, so that it is on the PATH")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        os.chdir(folder)
        run = pm.run("embedded", AGENTS, limit=160, out="run", progress=False)
        run.report("html", "tradeoff.html")
        run.guide().show("html", Path("guide.html"))
        traced = {"maps": ["caves-256"], "limit": 1, "sensor": "square(10)", "trace": True, "progress": False}
        pm.run("embedded", ["rtaa(k=30)", "lrta(d=1)"], out="traced", **traced)
        pm.replay("traced", "replay.html", agent="rtaa(k=30)", against="lrta(d=1)")
        browser = playwright.chromium.launch(executable_path=program)
        for name in ("tradeoff", "guide", "replay"):
            page = browser.new_page(viewport=SIZE, color_scheme="light")  # type: ignore[arg-type]
            page.goto(Path(f"{name}.html").resolve().as_uri())
            if name == "replay":
                page.locator("#time").fill("900")
            write(page, FOLDER / f"{name}.png")
        browser.close()


def write(page: Page, path: Path) -> None:
    """Write the visible part of a page as a small picture."""
    with Image.open(BytesIO(page.screenshot())) as shot:
        small = shot.convert("RGB").resize((WIDTH, WIDTH * shot.height // shot.width), Image.Resampling.LANCZOS)
        small.quantize(COLOURS, Image.Quantize.MAXCOVERAGE).save(path, optimize=True)
    print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
