"""The built site in a real browser, from files: console, filters, a cell, keyboard, light and dark, narrow screens.

``make site`` builds the site and runs these; without chromium and its driver they are skipped.
"""

import os
import shutil
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.select import Select
from selenium.webdriver.support.wait import WebDriverWait

SITE = os.environ.get("MR_SITE")
if not SITE:
    pytest.skip("MR_SITE does not name a built site: `make site` runs these tests", allow_module_level=True)
if not (shutil.which("chromium") and shutil.which("chromedriver")):
    pytest.skip("no chromium with chromedriver on this machine", allow_module_level=True)

FLAGS = (
    "--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --hide-scrollbars"
).split()
PAGES = ("index", "scoreboard", "claims", "guide/graphs", "choosing_parameters", "papers/03_chen2012",
         "gallery/plot_01_two_moons", "api/generated/mr.LapRLS", "extending/paper", "source/mr/metrics.py")  # fmt: skip
CELL = "chen2012_table3.FACEMIT.LapESVR"
# WCAG 2: contrast of a node's letters against the first opaque background behind it
CONTRAST = """
const light = (colour) => {
  const [r, g, b] = colour.match(/[\\d.]+/g).slice(0, 3).map((v) => v / 255)
    .map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
let node = arguments[0], back = "rgba(0, 0, 0, 0)";
const letters = light(getComputedStyle(node).color);
while (node && /rgba\\(.*, 0\\)|transparent/.test(back)) {
  back = getComputedStyle(node).backgroundColor;
  node = node.parentElement;
}
const other = light(back);
return (Math.max(letters, other) + 0.05) / (Math.min(letters, other) + 0.05);
"""


class Browser:
    """A few words on top of Selenium."""

    def __init__(self, folder: Path):
        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which("chromium")
        for flag in [*FLAGS, f"--user-data-dir={folder}"]:
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        service = webdriver.ChromeService(shutil.which("chromedriver"))
        self.driver = webdriver.Chrome(options=options, service=service)

    def open(self, page: str, scheme: str = "light", width: int = 1280) -> None:
        name, _, anchor = page.partition("#")
        self.driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        )
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        self.driver.get("about:blank")
        self.driver.get(f"{(Path(SITE).resolve() / name).as_uri()}.html" + (f"#{anchor}" if anchor else ""))

    def all(self, selector: str) -> list:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector: str):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def errors(self) -> list[str]:
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] == "SEVERE"]

    def rows(self) -> list[list[str]]:
        """Texts of the rows of the table that is shown, in one call: hundreds of single ones take seconds."""
        return self.driver.execute_script(
            "return [...document.querySelectorAll('#ex-panel .ex-table > tbody > tr:not(.ex-details)')]"
            ".map((row) => [...row.cells].map((cell) => cell.innerText))"
        )

    def until(self, condition) -> None:
        WebDriverWait(self.driver, 10).until(lambda _: condition())


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    made = Browser(tmp_path_factory.mktemp("chromium"))
    yield made
    made.driver.quit()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("page", PAGES)
def test_a_page_has_no_errors_and_can_be_read(browser, page, scheme):
    browser.open(page, scheme)
    assert browser.errors() == []
    for node in browser.all("h1, main p")[:5]:
        assert browser.driver.execute_script(CONTRAST, node) >= 4.5, node.text
    broken = "return [...document.images].filter((i) => i.loading !== 'lazy' && !i.naturalWidth).map((i) => i.src)"
    browser.until(lambda: browser.driver.execute_script("return document.readyState") == "complete")
    assert browser.driver.execute_script(broken) == []


@pytest.mark.parametrize("page", PAGES[:-1])
def test_a_narrow_screen_never_scrolls_sideways(browser, page):
    browser.open(page, width=390)
    assert browser.driver.execute_script("return document.documentElement.scrollWidth <= innerWidth")


def test_filters_and_search_leave_fitting_rows(browser):
    browser.open("scoreboard")
    every = len(browser.rows())
    Select(browser.one("#ex-paper")).select_by_value("chen2012")
    mine = browser.rows()
    assert 0 < len(mine) < every and {row[1] for row in mine} == {"chen2012"}
    browser.one("#ex-query").send_keys("FACEMIT")
    found = browser.rows()  # notes are searched too, so a cell whose note speaks of FACEMIT stays
    assert len(found) < len(mine) and [row for row in found if "FACEMIT" in row] == [
        row for row in mine if "FACEMIT" in row
    ]
    assert any("FACEMIT" in row for row in found)
    assert browser.one(".ex-count").text.startswith(f"{len(browser.rows())} of {every} shown")
    assert "paper=chen2012" in browser.driver.current_url
    browser.one("#ex-reset").click()
    assert len(browser.rows()) == every
    assert browser.errors() == []


@pytest.mark.parametrize("name", ["paper", "table", "dataset", "method", "verdict", "status", "flag"])
def test_a_filter_counts_what_it_leaves(browser, name):
    browser.open("scoreboard")
    choice = browser.all(f"#ex-{name} option")[1]
    expected = int(choice.text.rpartition("(")[2].rstrip(")"))
    choice.click()
    assert len(browser.rows()) == expected


def test_a_column_sorts_both_ways(browser):
    browser.open("scoreboard#?paper=chen2012&metric=error_pct")
    head = next(head for head in browser.all("#ex-panel th") if "Printed" in head.text)

    def column() -> list[float]:
        return [float(row[5].split()[0]) for row in browser.rows()]

    for direction, reverse in (("ascending", False), ("descending", True)):
        head.find_element(By.TAG_NAME, "button").click()
        assert head.get_attribute("aria-sort") == direction
        assert column() == sorted(column(), reverse=reverse)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_cell_opens_to_everything_behind_it(browser, scheme):
    browser.open(f"scoreboard#{CELL}", scheme)
    card = browser.one(".ex-card")
    titles = [node.text for node in card.find_elements(By.TAG_NAME, "h3")]
    assert {"The number", "Where it comes from", "Read on", "Run it again"} <= set(titles)
    for words in ("Printed", "Ours", "draws", "Verdict", "Data", "Protocol", "Solver", "Estimator", "Notebook",
                  "make reproduce PROFILE=paper ONLY=chen2012_table3"):  # fmt: skip
        assert words in card.text, words
    for node in card.find_elements(By.CSS_SELECTOR, "dt, dd, .ex-pill, a, code"):
        assert browser.driver.execute_script(CONTRAST, node) >= 4.5, node.text
    notebook = next(a for a in card.find_elements(By.TAG_NAME, "a") if "section" in a.text).get_attribute("href")
    assert "papers/03_chen2012.html" in notebook
    assert browser.errors() == []


def test_the_explorer_works_by_keyboard_and_names_its_parts(browser):
    browser.open("scoreboard#?paper=chen2012")
    opener = browser.one(".ex-opener")
    assert opener.get_attribute("aria-label").startswith("Details of ")
    opener.send_keys(Keys.ENTER)
    assert opener.get_attribute("aria-expanded") == "true" and browser.one(".ex-card").is_displayed()
    opener.send_keys(Keys.SPACE)
    assert opener.get_attribute("aria-expanded") == "false" and not browser.all(".ex-card")
    browser.one("#ex-tab-cells").send_keys(Keys.ARROW_RIGHT)
    claims = browser.one("#ex-tab-claims")
    assert claims.get_attribute("aria-selected") == "true" and browser.driver.switch_to.active_element == claims
    unnamed = [node for node in browser.all("#explorer button, #explorer input, #explorer select")
               if not node.accessible_name]  # fmt: skip
    assert unnamed == []


def test_a_stranger_finds_what_became_of_a_number(browser):
    """From the overview: search, open the first row, read the verdict and the command."""
    browser.open("index")
    browser.one("#find-q").send_keys("chen2012 FACEMIT LapESVR", Keys.ENTER)
    browser.until(lambda: "scoreboard.html" in browser.driver.current_url and browser.rows())
    browser.one(".ex-opener").click()
    assert "make reproduce" in browser.one(".ex-card").text
