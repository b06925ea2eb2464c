"""What a link can say to each page: the parameters of every page's folder, collected."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from alibi_viz.ui.frame.presentation import PRESENT, SHOW
from alibi_viz.ui.link.parameter import Control, Parameter, Several, Words, choice, text_of

LARGE = choice("large", "type", ("0", "1"), allowed="1 for a projector")
"""Large type, on the page that is opened and on those visited after it."""
PRESENTED = Words(PRESENT, "presented figure", "1, or the name of a figure", r"[\w-]*", 40)
"""The figure that fills the screen."""
# Folders of ui/ that are not called like their page.
_FOLDERS = {"trained_attention": "trained"}


@dataclass(frozen=True)
class PageParameters:
    """Everything that a link can say to one page."""

    always: tuple[Parameter[Any], ...]
    """What it has in every part."""
    part: Control[str] | None = None
    """Decides which others the page has; None where nothing does."""
    by_part: Mapping[str, tuple[Parameter[Any], ...]] = field(default_factory=dict)
    """What it has besides, by that."""

    def of(self, part: str | None = None) -> tuple[Parameter[Any], ...]:
        """Returns the parameters of a part of the page, in their order.

        Args:
            part: The part; the one that the page opens with if left out.
        """
        if self.part is None:
            return self.always
        return (self.part, *self.always, *self.by_part[part or self.part.default])

    def by_key(self) -> dict[str, Parameter[Any]]:
        """Returns the parameters of all parts, by their names in the URL."""
        parts = self.part.options if self.part else (None,)
        return {parameter.key: parameter for part in parts for parameter in self.of(part)}


def page_parameters(page: str) -> PageParameters:
    """Returns everything that a link can say to a page; what its folder says of itself.

    Args:
        page: The page's name.
    """
    # Here, not at the top: some bring in torch.
    module = import_module(f"alibi_viz.ui.{_FOLDERS.get(page, page)}.controls")
    parameters: PageParameters = module.parameters()
    return parameters


def shown_controls(page: str) -> Several:
    """Returns the choice of the controls that a link leaves on a page; all of them by default."""
    options = tuple(page_parameters(page).by_key())
    return Several(SHOW, "controls that stay on the page", options, may_be_empty=True)


def complaints(page: str, state: Mapping[str, Any]) -> list[str]:
    """Returns what is wrong with a link to a page, one sentence each; nothing where it will open.

    Args:
        page: The page's name.
        state: What the link says, by names in the URL.
    """
    known, found = page_parameters(page).by_key(), []
    everywhere: dict[str, Parameter[Any]] = {
        LARGE.key: LARGE,
        PRESENT: PRESENTED,
        SHOW: shown_controls(page),
    }
    for name, value in state.items():
        text = text_of(value)
        parameter = known.get(name) or everywhere.get(name)
        if parameter is None:
            found.append(f"the page {page} has no parameter {name!r}; it has {', '.join(known)}")
        elif not parameter.means(parameter.nearest(text), text):
            found.append(f"the page {page} does not take {name}={text}")
    return found
