"""A running app, a Chromium, and visits that end when their test does."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser import chromium
from tests.browser.server import PATIENCE_MS, running_app, settle

Visit = Callable[..., Page]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "browser" in item.path.parts:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = chromium.find()
    if path is None:
        pytest.fail("no Chromium: run python tests/browser/chromium.py --install")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    with running_app() as address:
        yield address


@pytest.fixture(scope="module")
def with_jobs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server with jobs of its own."""
    with running_app(ALIBI_VIZ_JOBS=str(tmp_path_factory.mktemp("jobs"))) as address:
        yield address


@pytest.fixture
def visit(browser: Browser, server: str) -> Iterator[Visit]:
    """Opens a page of the app and waits until it has settled."""
    contexts = []

    def open_page(
        path: str = "",
        *,
        width: int = 1400,
        height: int = 900,
        dark: bool = False,
        address: str = server,
    ) -> Page:
        context = browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if dark else "light",
            permissions=["clipboard-read", "clipboard-write"],
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(PATIENCE_MS)
        page.goto(f"{address}/{path}")
        settle(page)
        return page

    yield open_page
    for context in contexts:
        context.close()
