"""Two workers behind a real proxy, one of which is killed."""

import os
import shutil
import signal

import pytest
from playwright.sync_api import expect

from tests.browser.server import running_fleet, settle

PROXIES = [name for name in ("nginx", "caddy") if shutil.which(name, path="/usr/sbin:/usr/bin")]


def move_exponent(page):
    """Presses a key until the server has heard of it: the first press finds a dead connection."""
    for _ in range(20):
        page.locator(".st-key-exponent input[type=range]").focus()
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(1000)
        settle(page)
        if "exponent=" in page.url:
            return
    raise AssertionError(f"the server never heard of it: {page.url}")


@pytest.mark.skipif(not PROXIES, reason="this machine has neither nginx nor Caddy")
@pytest.mark.parametrize("proxy", PROXIES)
def test_visitors_of_a_killed_worker_go_on_at_another_one_by_their_link(browser, tmp_path, proxy):
    with running_fleet(tmp_path, "--proxy", proxy) as (address, workers):
        pages = []
        for heads in (3, 5, 12, 16):
            page = browser.new_context().new_page()
            page.goto(f"{address}/decay?heads={heads}")
            settle(page)
            pages.append((page, str(heads)))
        os.kill(workers[0], signal.SIGKILL)
        for page, heads in pages:
            move_exponent(page)
            thumb = page.locator(".st-key-heads [data-testid=stSliderThumbValue]")
            expect(thumb).to_have_text(heads)
            assert f"heads={heads}" in page.url
            page.context.close()
