"""Two ways to do the same on a page: by mouse, and by keyboard alone."""

import json
from typing import Any, Protocol

import pytest
from playwright.sync_api import Locator, Page

from alibi_viz.lessons.questions import NumberQuestion, Question

NUMBER_FIELD = "input[placeholder^='a number']"


class Hands(Protocol):
    """What a student does with a lesson."""

    page: Page

    def press(self, button: str) -> None:
        """Presses the button with that CSS selector."""

    def reach(self, target: str) -> None:
        """Gets to the element with that CSS selector, and does nothing with it."""

    def answer(self, question: Question) -> None:
        """Gives the right answer and has it checked."""

    def choose(self, group: str, name: str) -> None:
        """Takes the button of that name in a group of buttons."""

    def slide(self, key: str, value: float) -> None:
        """Moves a slider until it says that value."""

    def set_number(self, label: str, number: int) -> None:
        """Writes a number into a field."""

    def point(self, cell: tuple[int, int]) -> None:
        """Chooses a cell of an attention map."""


def slider_label(page: Page, key: str) -> Locator:
    return page.locator(f".st-key-{key} [data-testid=stSliderThumbValue]")


def chosen_cell(page: Page) -> tuple[int, int]:
    query, key = json.loads(page.locator(".attention").get_attribute("data-cell") or "[]")
    return query, key


class Mouse:
    """Points, clicks and drags; types only where there is a field to type into."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def press(self, button: str) -> None:
        self.page.locator(button).click()

    def reach(self, target: str) -> None:
        self.page.locator(target).hover()

    def answer(self, question: Question) -> None:
        if isinstance(question, NumberQuestion):
            self.page.locator(NUMBER_FIELD).click()
            self.page.keyboard.type(f"{question.answer():.12g}")
        else:
            options = self.page.locator("[data-testid=stRadio] [role=radiogroup] label")
            options.nth(question.right).click()
        self.press("[data-testid=stFormSubmitButton] button")

    def choose(self, group: str, name: str) -> None:
        self.page.locator(f".st-key-{group}").get_by_text(name, exact=True).click()

    def slide(self, key: str, value: float) -> None:
        label = slider_label(self.page, key)
        places = """input => {
            const thumb = input.closest("[style*=absolute][data-rac]");
            const [box, track] = [thumb, thumb.parentElement].map(e => e.getBoundingClientRect());
            return [box.x + box.width / 2, box.y + box.height / 2, track.width / (input.max || 1)];
        }"""
        x, y, step = self.page.locator(f".st-key-{key} input[type=range]").evaluate(places)
        self.page.mouse.move(x, y)
        self.page.mouse.down()
        step = step if float(label.inner_text()) < value else -step
        for _ in range(120):
            if float(label.inner_text()) == value:
                break
            x += step
            self.page.mouse.move(x, y)
        self.page.mouse.up()

    def set_number(self, label: str, number: int) -> None:
        field = self.page.get_by_label(label, exact=True)
        field.click(click_count=3)
        self.page.keyboard.type(str(number))
        # Away from the field: that is when a number counts.
        self.page.locator("h1").click()

    def point(self, cell: tuple[int, int]) -> None:
        mark = self.page.locator(".attention .mark")
        mark.scroll_into_view_if_needed()
        box = mark.bounding_box()
        assert box is not None
        # Two places and the cells under them tell where every other cell is.
        corners = [(0.35 * box["width"], 0.5 * box["height"])]
        corners.append((corners[0][0] + 30, corners[0][1] + 60))
        cells = []
        for x, y in corners:
            self.page.mouse.move(box["x"] + x, box["y"] + y)
            cells.append(chosen_cell(self.page))
        side = 60 / (cells[1][0] - cells[0][0])
        x, y = corners[0]
        for _ in range(6):
            self.page.mouse.move(box["x"] + x, box["y"] + y)
            query, key = chosen_cell(self.page)
            if (query, key) == cell:
                break
            x, y = x + (cell[1] - key) * side, y + (cell[0] - query) * side
        assert chosen_cell(self.page) == cell
        self.page.mouse.down()
        self.page.mouse.up()


class Keyboard:
    """Tab, Enter, Space and the arrows, and digits where there is a field to type into."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def press(self, button: str) -> None:
        self.reach(button)
        self.page.keyboard.press("Enter")

    def answer(self, question: Question) -> None:
        if isinstance(question, NumberQuestion):
            self.reach(NUMBER_FIELD)
            self.page.keyboard.type(f"{question.answer():.12g}")
            self.page.keyboard.press("Enter")
            return
        self.reach("[data-testid=stRadio] input")
        self.page.keyboard.press("Space")
        for _ in range(question.right):
            self.page.keyboard.press("ArrowDown")
        self.press("[data-testid=stFormSubmitButton] button")

    def choose(self, group: str, name: str) -> None:
        # Not the button behind the question mark.
        buttons = f".st-key-{group} :is([role=radiogroup], [role=toolbar]) button"
        self.reach(buttons)
        for _ in range(12):
            way = self._focused(_WAY_IN_A_ROW % (json.dumps(name), json.dumps(buttons)))
            if way == "here":
                self.page.keyboard.press("Space")
                return
            self.page.keyboard.press(way)
        pytest.fail(f"no button {name} in {group}")

    def slide(self, key: str, value: float) -> None:
        label = slider_label(self.page, key)
        self.reach(f".st-key-{key} input[type=range]")
        arrow = "ArrowRight" if float(label.inner_text()) < value else "ArrowLeft"
        for _ in range(120):
            if float(label.inner_text()) == value:
                break
            self.page.keyboard.press(arrow)

    def set_number(self, label: str, number: int) -> None:
        self.reach(f"input[aria-label={label!r}]")
        arrow = "ArrowUp" if int(self._focused("element.value")) < number else "ArrowDown"
        for _ in range(64):
            if int(self._focused("element.value")) == number:
                break
            self.page.keyboard.press(arrow)
        self.page.keyboard.press("Enter")

    def point(self, cell: tuple[int, int]) -> None:
        self.reach(".attention .mark")
        query, key = chosen_cell(self.page)
        # The key is bound to stay at or before the query: away from the edge first.
        for arrow, count in (
            ("ArrowLeft", key - cell[1]),
            ("ArrowUp", query - cell[0]),
            ("ArrowDown", cell[0] - query),
            ("ArrowRight", cell[1] - key),
        ):
            for _ in range(max(count, 0)):
                self.page.keyboard.press(arrow)
        assert chosen_cell(self.page) == cell

    def reach(self, target: str) -> None:
        """Presses Tab, or Shift and Tab where the way back is the shorter, until it is there.

        Args:
            target: CSS selector of the element, or of several of which any will do.
        """
        self.page.locator(target).first.wait_for(state="attached")
        for _ in range(60):
            way = self._focused(_WAY % json.dumps(target))
            if way == "here":
                return
            self.page.keyboard.press("Tab" if way == "forward" else "Shift+Tab")
        pytest.fail(f"Tab never reached {target}; it is at {self._focused('element.outerHTML')}")

    def _focused(self, script: str) -> Any:
        """Returns what a script says of the focused element, into components' shadows as well."""
        return self.page.evaluate(
            f"""() => {{
                let element = document.activeElement;
                while (element.shadowRoot?.activeElement) {{
                    element = element.shadowRoot.activeElement;
                }}
                return {script};
            }}"""
        )


# Whether the focused element is the target, comes after it, or before it.
_WAY = """(target => {
    if (element.matches(target)) return "here";
    const host = element.getRootNode().host ?? element;
    const found = document.querySelector(target);
    const place = found ? host.compareDocumentPosition(found) : 0;
    const isBehind = place & Node.DOCUMENT_POSITION_PRECEDING;
    return isBehind && element !== document.body ? "back" : "forward";
})(%s)"""

# The arrow that leads from the focused button of a group to the one of that name.
_WAY_IN_A_ROW = """((name, selector) => {
    const buttons = [...document.querySelectorAll(selector)];
    const wanted = buttons.findIndex(button => button.innerText.trim() === name);
    const place = buttons.indexOf(element);
    return wanted === place ? "here" : wanted > place ? "ArrowRight" : "ArrowLeft";
})(%s, %s)"""
