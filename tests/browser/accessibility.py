"""What axe has to say about a page, in each theme and at each width."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from alibi_viz.figures import theme
from tests.browser.server import settle


def complaints(page: Page, *, dark: bool, width: int) -> list[str]:
    """Everything that axe finds wrong with a page as it stands, one line an element."""
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme="dark" if dark else "light")
    surface = theme.DARK if dark else theme.LIGHT
    app = page.locator("[data-testid=stApp]")
    expect(app).to_have_css("background-color", css_colour(surface.background))
    settle(page)
    return said_by_axe(page)


def said_by_axe(page: Page) -> list[str]:
    """The same of any document."""
    return [
        f"{violation['id']}: {node['html'][:200]}"
        for violation in Axe().run(page).response["violations"]
        for node in violation["nodes"]
    ]


def css_colour(colour: str) -> str:
    """A colour as the browser spells it."""
    parts = [int(colour[start : start + 2], 16) for start in (1, 3, 5)]
    return f"rgb({', '.join(map(str, parts))})"
