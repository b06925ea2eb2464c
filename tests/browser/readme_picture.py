"""Makes the README's picture, the front door past the training length: assets/readme.png.

python -m tests.browser.readme_picture
"""

import io

from PIL import Image
from playwright.sync_api import expect, sync_playwright

from tests.browser import chromium
from tests.browser.server import ROOT, running_app, settle

TARGET = ROOT / "assets" / "readme.png"
COLOURS = 128
"""Of the palette: the picture has few hues, and a third of the bytes so."""


def main() -> None:
    """Writes the picture."""
    with running_app() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium.find(), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 775}, color_scheme="light")
        page.goto(f"{address}/?read=6")
        settle(page)
        expect(page.locator(".ending")).to_have_attribute("data-length", "512")
        taken = Image.open(io.BytesIO(page.screenshot()))
        taken.convert("RGB").quantize(COLOURS).save(TARGET, optimize=True)
        browser.close()


if __name__ == "__main__":
    main()
