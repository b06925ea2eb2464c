"""The children with foreign models, which all visitors share; knowing of them imports no torch."""

import os
import threading
from functools import cache

from alibi_viz.inspection.foreign.children import Children
from alibi_viz.policy import hub_is_allowed


@cache
def children() -> Children:
    """Returns the children of this server."""
    return Children()


def warm() -> None:
    """Starts the first child in the background, where visitors may open foreign models."""
    if os.environ.get("ALIBI_VIZ_MODELS", "").strip() or hub_is_allowed():
        threading.Thread(target=children().warm, daemon=True).start()
