"""Lead me through it, and ask me before you show me."""

from alibi_viz.ui.frame import page_header
from alibi_viz.ui.lesson_list import show_list
from alibi_viz.ui.lesson_place import current_place
from alibi_viz.ui.lesson_steps import show_lesson

page_header("lessons")
place = current_place()
if place is None:
    show_list()
else:
    show_lesson(place)
