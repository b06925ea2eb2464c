"""A lesson's task: done with the view's own controls; a hint and a way to do it, on request."""

import streamlit as st

from alibi_viz.lessons.lesson import Lesson, State
from alibi_viz.ui.lessons.place import had_help, mark_done, note_help, set_control
from alibi_viz.ui.link.settle import choose


def show_action(lesson: Lesson, state: State) -> None:
    """Shows the task, whether the view's state does it, and what help there is.

    Args:
        lesson: The lesson.
        state: What `show_view` has returned.
    """
    action = lesson.action
    is_solved = action.done(state)
    if not is_solved:
        # Whoever moves away from what was shown, and comes back, has done it.
        note_help(lesson, "shown", given=False)
    st.subheader("Your turn", anchor=False)
    st.markdown(action.task)
    if had_help(lesson, "shown"):
        st.info(
            f"**Shown.** {action.praise}\n\nMove a control away and bring it back: then you have "
            "done it."
        )
    elif is_solved:
        mark_done(lesson, "do")
        st.success(f"**Done.** {action.praise}", icon=":material/check:")
    else:
        _help(lesson)


def _help(lesson: Lesson) -> None:
    st.caption("Use the controls beside the figure. The page notices when you have done it.")
    if had_help(lesson, "hint"):
        st.markdown(f"**Hint.** {lesson.action.hint}")
    with st.container(horizontal=True):
        if not had_help(lesson, "hint"):
            st.button(
                "Give me a hint",
                key="lesson_hint",
                type="tertiary",
                on_click=note_help,
                args=(lesson, "hint"),
            )
        st.button("Show me", key="lesson_show", type="tertiary", on_click=_show, args=(lesson,))


def _show(lesson: Lesson) -> None:
    """Brings the view to where the task is done; a callback of a button."""
    for name, value in lesson.action.solution.items():
        if name in lesson.view.controls:
            set_control(lesson, name, value)
    if lesson.view.readings:
        # Here, not at the top: it brings in torch, which the other lessons can do without.
        from alibi_viz.ui.lessons.trained_head import cell_that

        head = int(lesson.action.solution["head"])
        cell = cell_that(lesson.action.done, int(lesson.view.state["layer"]), head)
        if cell is not None:
            choose("pair", cell)
    note_help(lesson, "shown")
