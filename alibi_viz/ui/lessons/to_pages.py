"""Where a lesson's view can be seen in full: the link, and what that link opens."""

from alibi_viz.lessons.lesson import Lesson, State, ViewName
from alibi_viz.positions import METHODS
from alibi_viz.ui.frame.navigation import address, entry
from alibi_viz.ui.link.parameter import text_of
from alibi_viz.ui.methods.controls import WINDOW

_NAMES = ("heads", "exponent", "length", "rule", "head", "colour", "scale", "weight", "distance")


def page_address(lesson: Lesson, state: State) -> str:
    """Returns the relative link to the full page of a lesson's view, in the view's state.

    Args:
        lesson: The lesson.
        state: Values of its controls, as `show_view` returns them.
    """
    return address(lesson.view.page, page_state(lesson.view.name, state))


def page_promise(lesson: Lesson, state: State) -> str:
    """Returns in words what the link opens: the same view, or what the page has in its place.

    Args:
        lesson: The lesson.
        state: As for `page_address`.
    """
    title = entry(lesson.view.page).title
    opened = page_state(lesson.view.name, state)
    if lesson.view.name == "words":
        return f"Follow {opened['method']} from stage to stage: {title}"
    if lesson.view.name == "phases":
        return f"What is new to {opened['method']} past {opened['window']} tokens: {title}"
    return f"Open this view in full: {title}"


def page_state(view: ViewName, state: State) -> dict[str, str]:
    """Returns a view's state as its full page spells it in its link.

    Args:
        view: The view.
        state: Values of the view's controls.
    """
    if view == "words":
        return {"method": METHODS[state["position"]].label}
    if view == "phases":
        # The page computes every logit of its inputs, and stops at shorter ones.
        trained = min(state["trained"], max(WINDOW.options))
        label = METHODS[state["position"]].label
        return {"part": "compare", "method": label, "window": text_of(trained)}
    if view == "perplexity":
        return {"methods": ",".join(state["methods"]), "protocol": state["protocol"]}
    if view == "stretching":
        return {"part": "stretching"} | {name: text_of(value) for name, value in state.items()}
    if view == "trained":
        return {"layer_head": f"{state['layer']}.{state['head']}"} | _cell("pair", state)
    spelled = {name: text_of(state[name]) for name in _NAMES if name in state}
    if view == "decay":
        # The lesson's figure shades no distances past a training length.
        spelled["trained"] = text_of(state["length"])
    return spelled | _cell("cell", state)


def _cell(name: str, state: State) -> dict[str, str]:
    return {name: ".".join(map(str, state[name]))} if name in state else {}
