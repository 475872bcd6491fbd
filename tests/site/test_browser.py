"""The built site in a real browser, from files: console, filters, a cell, keyboard, light and dark, narrow screens.

``make site`` builds the site and runs these; without chromium and its driver they are skipped.
"""

import contextlib
import functools
import os
import shutil
import signal
import time
import warnings
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.common import exceptions
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.select import Select
from urllib3.exceptions import HTTPError

SITE = os.environ.get("MR_SITE")
if not SITE:
    pytest.skip("MR_SITE does not name a built site: `make site` runs these tests", allow_module_level=True)
if not (shutil.which("chromium") and shutil.which("chromedriver")):
    pytest.skip("no chromium with chromedriver on this machine", allow_module_level=True)

FLAGS = (
    "--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --disable-dev-shm-usage --disable-extensions --hide-scrollbars"
).split()
LOAD, ANSWER, CONTENT = 60, 90, 30  # seconds for a page, for an answer of the driver, for content to appear
PAGES = ("index", "scoreboard", "claims", "guide/graphs", "choosing_parameters", "papers/00_overview",
         "papers/03_chen2012", "gallery/plot_01_two_moons", "api/generated/mr.LapRLS", "extending/paper",
         "source/mr/metrics.py")  # fmt: skip
GONE = (exceptions.TimeoutException, exceptions.InvalidSessionIdException, exceptions.NoSuchWindowException,
        exceptions.SessionNotCreatedException)  # fmt: skip
CELL = "chen2012_table3.FACEMIT.LapESVR"
# A page is ready when all its files are there and, on the scoreboard, the explorer has drawn its rows.
READY = """
return document.readyState === "complete" && location.href.split("#")[0] === arguments[0]
  && (!document.getElementById("explorer") || document.documentElement.dataset.ready === "explorer");
"""
# WCAG 2: the nodes whose letters have too little contrast against the first opaque background behind them
FAINT = """
const light = (colour) => {
  const [r, g, b] = colour.match(/[\\d.]+/g).slice(0, 3).map((v) => v / 255)
    .map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const contrast = (node) => {
  let back = "rgba(0, 0, 0, 0)";
  const letters = light(getComputedStyle(node).color);
  while (node && /rgba\\(.*, 0\\)|transparent/.test(back)) {
    back = getComputedStyle(node).backgroundColor;
    node = node.parentElement;
  }
  const other = light(back);
  return (Math.max(letters, other) + 0.05) / (Math.min(letters, other) + 0.05);
};
const nodes = [...document.querySelectorAll(arguments[0])].slice(0, arguments[1]);
return [nodes.length, nodes.filter((node) => contrast(node) < 4.5).map((node) => node.innerText)];
"""


def address_of(name: str) -> str:
    return f"{(Path(SITE).resolve() / name).as_uri()}.html"


class Browser:
    """A few words on top of Selenium. Every wait is for content, never for time."""

    def __init__(self, folder: Path):
        self.folder, self.driver, self.starts = folder, None, 0
        try:
            self.start()
        except (HTTPError, exceptions.WebDriverException) as error:
            warnings.warn(f"the browser did not start at once: {error!r}", stacklevel=1)
            self.start()

    def start(self) -> None:
        self.starts += 1
        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which("chromium")
        for flag in [*FLAGS, f"--user-data-dir={self.folder / str(self.starts)}"]:
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))
        self.driver.command_executor.client_config.timeout = ANSWER
        self.driver.set_page_load_timeout(LOAD)
        self.driver.set_script_timeout(CONTENT)

    def end(self) -> None:
        """End the browser and its driver without asking them: one that is stuck would not answer."""
        driver = self.driver.service.process
        for process in (self.driver.capabilities["goog:processID"], driver.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        driver.wait()

    def restart(self) -> None:
        self.end()
        self.start()

    def open(self, page: str, scheme: str = "light", width: int = 1280) -> None:
        name, _, anchor = page.partition("#")
        self.driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        )
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        self.driver.get("about:blank")
        self.errors()  # those of the page before
        self.driver.get(address_of(name) + (f"#{anchor}" if anchor else ""))
        self.ready(name)

    def ready(self, name: str) -> None:
        self.until(lambda: self.run(READY, address_of(name)), f"{name} did not become ready")

    def run(self, script: str, *arguments):
        return self.driver.execute_script(script, *arguments)

    def all(self, selector: str) -> list:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector: str):
        self.until(lambda: self.all(selector), f"no {selector} on the page")
        return self.all(selector)[0]

    def errors(self) -> list[str]:
        """What the page has written to the console as an error since the last call."""
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] == "SEVERE"]

    def rows(self) -> list[list[str]]:
        """Texts of the rows of the table that is shown, in one call: hundreds of single ones take seconds."""
        return self.run(
            "return [...document.querySelectorAll('#ex-panel .ex-table > tbody > tr:not(.ex-details)')]"
            ".map((row) => [...row.cells].map((cell) => cell.innerText))"
        )

    def readable(self, selector: str, first: int = 1000) -> None:
        count, faint = self.run(FAINT, selector, first)
        assert count and faint == [], f"too little contrast: {faint}"

    def until(self, condition, otherwise: str = "the page did not change as expected") -> None:
        end = time.monotonic() + CONTENT
        while not condition():
            assert time.monotonic() < end, f"{otherwise} within {CONTENT} s"
            time.sleep(0.1)


def no_answer(error: Exception) -> bool:
    """Whether the browser or its driver is gone or stuck. Anything else is a finding about the site."""
    return isinstance(error, (HTTPError, *GONE)) or type(error) is exceptions.WebDriverException


def checked(test):
    """No test may leave an error in the console. One whose browser stops answering runs again, once, in a new one."""

    def run(browser, arguments):
        test(browser, **arguments)
        assert browser.errors() == []

    @functools.wraps(test)
    def steady(browser, **arguments):
        try:
            run(browser, arguments)
        except (HTTPError, exceptions.WebDriverException) as error:
            if not no_answer(error):
                raise
            warnings.warn(f"the browser did not answer and was started again: {error!r}", stacklevel=1)
            browser.restart()
            run(browser, arguments)

    return steady


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    made = Browser(tmp_path_factory.mktemp("chromium"))
    yield made
    made.end()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("page", PAGES)
@checked
def test_a_page_has_no_errors_and_can_be_read(browser, page, scheme):
    browser.open(page, scheme)
    browser.readable("h1, main p, main td", first=8)
    broken = "return [...document.images].filter((i) => i.loading !== 'lazy' && !i.naturalWidth).map((i) => i.src)"
    assert browser.run(broken) == []
    tables = "return [...document.querySelectorAll('main p')].map((p) => p.innerText).filter((t) => t.startsWith('| '))"
    assert browser.run(tables) == [], "a table of Markdown that nothing has rendered"


@pytest.mark.parametrize("page", PAGES[:-1])
@checked
def test_a_narrow_screen_never_scrolls_sideways(browser, page):
    browser.open(page, width=390)
    assert browser.run("return document.documentElement.scrollWidth <= innerWidth")


@checked
def test_a_narrow_screen_shows_both_numbers_and_the_verdict(browser):
    browser.open("scoreboard", width=390)
    ends = browser.run(
        "return [...document.querySelectorAll('#ex-table-cells > thead th')].filter((head) => head.offsetWidth)"
        ".map((head) => [head.innerText.trim(), head.getBoundingClientRect().right])"
    )
    assert [name for name, _ in ends[1:]] == ["Data set", "Method", "Printed", "Ours", "Verdict"]
    assert max(right for _, right in ends) <= 390


@checked
def test_filters_and_search_leave_fitting_rows(browser):
    browser.open("scoreboard")
    every = len(browser.rows())
    Select(browser.one("#ex-paper")).select_by_value("chen2012")
    browser.until(lambda: {row[1] for row in browser.rows()} == {"chen2012"}, "rows of other papers stayed")
    mine = browser.rows()
    assert 0 < len(mine) < every
    browser.one("#ex-query").send_keys("FACEMIT")
    browser.until(lambda: 0 < len(browser.rows()) < len(mine), "the search left every row")
    found = browser.rows()  # notes are searched too, so a cell whose note speaks of FACEMIT stays
    about = [row for row in found if "FACEMIT" in row]
    assert about and about == [row for row in mine if "FACEMIT" in row]
    assert browser.one(".ex-count").text.startswith(f"{len(found)} of {every} shown")
    assert "paper=chen2012" in browser.driver.current_url
    browser.one("#ex-reset").click()
    browser.until(lambda: len(browser.rows()) == every, "rows were missing after 'Clear all'")


@pytest.mark.parametrize("name", ["paper", "table", "dataset", "method", "verdict", "status", "flag"])
@checked
def test_a_filter_counts_what_it_leaves(browser, name):
    browser.open("scoreboard")
    options = browser.run(f"return [...document.querySelector('#ex-{name}').options].map((o) => [o.value, o.text])")
    value, text = options[1]
    expected = int(text.rpartition("(")[2].rstrip(")"))
    assert expected > 0
    Select(browser.one(f"#ex-{name}")).select_by_value(value)
    browser.until(lambda: len(browser.rows()) == expected, f"{text} does not leave {expected} rows")


@checked
def test_a_column_sorts_both_ways(browser):
    browser.open("scoreboard#?paper=chen2012&metric=error_pct")
    head = next(head for head in browser.all("#ex-panel th") if "Printed" in head.text)

    def column() -> list[float]:
        return [float(row[5].split()[0]) for row in browser.rows()]

    for direction, reverse in (("ascending", False), ("descending", True)):
        head.find_element(By.TAG_NAME, "button").click()
        browser.until(lambda wanted=direction: head.get_attribute("aria-sort") == wanted, f"not {direction}")
        assert column() == sorted(column(), reverse=reverse)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@checked
def test_a_cell_opens_to_everything_behind_it(browser, scheme):
    browser.open(f"scoreboard#{CELL}", scheme)
    card = browser.one(".ex-card")
    titles = [node.text for node in card.find_elements(By.TAG_NAME, "h3")]
    assert {"The number", "Where it comes from", "Read on", "Run it again"} <= set(titles)
    for words in ("Printed", "Ours", "draws", "Verdict", "Data", "Protocol", "Solver", "Estimator", "Notebook",
                  "make reproduce PROFILE=paper ONLY=chen2012_table3"):  # fmt: skip
        assert words in card.text, words
    browser.readable(".ex-card :is(dt, dd, .ex-pill, a, code)")
    notebook = next(a for a in card.find_elements(By.TAG_NAME, "a") if "section" in a.text).get_attribute("href")
    assert "papers/03_chen2012.html" in notebook


@checked
def test_an_open_row_keeps_the_filters_and_leads_to_its_claims(browser):
    browser.open("scoreboard#?paper=chen2012&q=FACEMIT+LapESVR")
    shown = len(browser.rows())
    browser.one(".ex-opener").click()
    address = browser.driver.current_url
    assert "paper=chen2012" in address and f"open={CELL}" in address
    browser.open(f"scoreboard#{address.partition('#')[2]}")
    browser.one(".ex-card")
    assert len(browser.rows()) == shown
    browser.one(".ex-claims a").click()
    browser.until(lambda: browser.one("#ex-tab-claims").get_attribute("aria-selected") == "true", "no claim opened")
    assert "The judgement" in browser.one(".ex-card").text


@checked
def test_a_claim_leads_to_its_cells(browser):
    browser.open("scoreboard#chen2012-large-best")
    card = browser.one(".ex-card")
    assert "make reproduce PROFILE=paper ONLY=chen2012_table3" in card.text and "processor minutes" in card.text
    next(a for a in card.find_elements(By.TAG_NAME, "a") if a.text == "on FACEMIT").click()
    browser.until(lambda: {tuple(row[1:4]) for row in browser.rows()} == {("chen2012", "III", "FACEMIT")}, "other rows")
    assert browser.one("#ex-tab-cells").get_attribute("aria-selected") == "true"


@checked
def test_a_tab_counts_what_it_will_show(browser):
    """Verdicts on cells have no meaning for claims, so that filter is left behind; the paper is kept."""
    browser.open("scoreboard#?paper=chen2012&verdict=worse")
    expected = int(browser.one("#ex-tab-claims").text.rpartition("(")[2].rstrip(")"))
    browser.one("#ex-tab-claims").click()
    browser.until(lambda: len(browser.rows()) == expected > 0, f"not {expected} claims")
    assert {row[1] for row in browser.rows()} == {"chen2012"}


@checked
def test_the_explorer_works_by_keyboard_and_names_its_parts(browser):
    browser.open("scoreboard#?paper=chen2012")
    opener = browser.one(".ex-opener")
    assert opener.get_attribute("aria-label").startswith("Details of ")
    for key, expanded in ((Keys.ENTER, "true"), (Keys.SPACE, "false")):
        opener.send_keys(key)
        browser.until(lambda wanted=expanded: opener.get_attribute("aria-expanded") == wanted, f"{key!r} did nothing")
        assert len([card for card in browser.all(".ex-card") if card.is_displayed()]) == (expanded == "true")
    browser.one("#ex-tab-cells").send_keys(Keys.ARROW_RIGHT)
    claims = browser.one("#ex-tab-claims")
    browser.until(lambda: claims.get_attribute("aria-selected") == "true", "the arrow did not move to the claims")
    assert browser.driver.switch_to.active_element == claims
    unnamed = [node for node in browser.all("#explorer button, #explorer input, #explorer select")
               if not node.accessible_name]  # fmt: skip
    assert unnamed == []


@checked
def test_a_stranger_finds_what_became_of_a_number(browser):
    """From the overview: search, open the first row, read verdict and command, go on to the notebook."""
    browser.open("index")
    browser.one("#find-q").send_keys("chen2012 FACEMIT LapESVR", Keys.ENTER)
    browser.ready("scoreboard")
    browser.until(browser.rows, "the search found nothing")
    assert browser.rows()[0][3:5] == ["FACEMIT", "LapESVR"]  # before rows that only mention them in a note
    browser.one(".ex-opener").click()
    card = browser.one(".ex-card")
    assert all(words in card.text for words in ("Verdict", "Status", "make reproduce"))
    browser.one(".ex-card a[href*='papers/03_chen2012']").click()
    browser.ready("papers/03_chen2012")
    place = browser.run("return document.getElementById(decodeURIComponent(location.hash.slice(1))).innerText")
    assert place.startswith("Table III")


@checked
def test_a_stranger_finds_code_for_their_own_data(browser):
    browser.open("index")
    browser.one("main a[href='guide/own_data.html']").click()
    browser.ready("guide/own_data")
    assert "LapRLSCV" in browser.one("main").text
    browser.one("main a[href='../choosing_parameters.html']").click()
    browser.ready("choosing_parameters")
