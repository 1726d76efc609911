"""The pages in a real browser, against what a person waits for without noticing: a second, or a tenth of one."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import isegoria as iso
from benchmarks.harness import BenchmarkRow

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

MOVES = 30
SLIDER_SCRIPT = """async ([arm, before]) => {
  const slider = document.getElementById(`arm-${arm}`), start = performance.now();
  slider.value = String((Number(slider.value) + 137) % 1000);
  slider.dispatchEvent(new Event("input", { bubbles: true }));
  const judged = document.getElementById("judged").dataset;
  while (Number(judged.times) <= before) await new Promise((go) => setTimeout(go, 1));
  return performance.now() - start;
}"""


def rows() -> Iterator[BenchmarkRow]:
    """The first page of a member, a table in the explorer, its sliders, and learners at work."""
    from playwright.sync_api import sync_playwright

    from browser import downloads
    from browser.fixtures import CHROMIUM_ARGUMENTS

    program, surroundings = downloads.install_chromium()
    with sync_playwright() as playwright:
        environment = {**os.environ, **surroundings}
        browser = playwright.chromium.launch(executable_path=program, args=CHROMIUM_ARGUMENTS, env=environment)
        yield first_page_row(browser)
        yield from explorer_rows(browser)
        browser.close()


def first_page_row(browser) -> BenchmarkRow:
    """Until everything of a member's first page is there and its scripts have begun; the best of five."""
    from pages.conftest import RunningService

    with tempfile.TemporaryDirectory() as folder:
        service = RunningService(Path(folder))
        group = service.group(rounds=1)
        best = min(time_page(browser, group.link(name)) for name in group.names[:5])
        service.close()
    return BenchmarkRow("a member's first page, until it can be used, against 1 s", best, 1.0, 1, faster=False)


def time_page(browser, address: str) -> float:
    page = browser.new_context().new_page()
    start = time.perf_counter()
    page.goto(address)
    page.wait_for_selector("#h-rate")
    page.wait_for_load_state("load")
    taken = time.perf_counter() - start
    page.context.close()
    return taken


def explorer_rows(browser) -> Iterator[BenchmarkRow]:
    from explorer.conftest import RunningExplorer

    rng = np.random.default_rng(16)
    large = RunningExplorer(iso.Instance(rng.random((1000, 20)).round(1)), "large.csv")
    page = browser.new_page()
    start = time.perf_counter()
    page.goto(large.address)
    page.wait_for_selector("body[data-shown]")
    yield BenchmarkRow(
        "a table of 1,000 × 20 in the explorer, against 2 s", time.perf_counter() - start, 2.0, 1, faster=False
    )
    page.close()
    large.close()
    small = RunningExplorer(iso.Instance(rng.random((200, 10)).round(1)), "small.csv")
    page = browser.new_page()
    page.goto(small.address)
    page.wait_for_selector("body[data-shown]")
    times = [
        page.evaluate(SLIDER_SCRIPT, [move % 10, int(page.get_attribute("#judged", "data-times"))])
        for move in range(MOVES)
    ]
    yield BenchmarkRow(
        "a slider at 200 × 10, the slowest tenth, against 0.1 s", sorted(times)[-3] / 1000, 0.1, 1, faster=False
    )
    page.fill("#rounds", "100000")
    start = time.perf_counter()
    page.click("#learn button")
    page.wait_for_selector("#progress:has-text('Done.')", timeout=120_000)
    frames = int(page.get_attribute("#course", "data-frames") or 0)
    taken = (time.perf_counter() - start) / frames
    yield BenchmarkRow("a frame of two learners at work, against 0.1 s", taken, 0.1, 1, faster=False)
    page.close()
    small.close()
