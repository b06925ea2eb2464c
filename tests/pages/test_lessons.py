"""The page of lessons through Streamlit's own runner: every step of every lesson."""

from urllib.parse import parse_qsl, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from alibi_viz.evaluation.records import Record
from alibi_viz.lessons.course import find_lesson, lessons
from alibi_viz.lessons.progress import all_items, from_text
from alibi_viz.lessons.questions import NumberQuestion
from alibi_viz.paths import PROJECT
from alibi_viz.ui.frame.navigation import PAGES
from tests.lessons.far_looks import far_looks
from tests.made_up_records import made_up
from tests.pages.measured import records, write_results


def page(**query):
    """The page alone: walking through the landing page first would cost every test a second."""
    app = AppTest.from_file(PROJECT / "pages" / "lessons.py", default_timeout=60)
    for name, value in query.items():
        app.query_params[name] = str(value)
    return app.run()


def param(app, name):
    value = app.query_params.get(name, "")
    return value if isinstance(value, str) else value[0]


def press(app, key):
    return app.button(key=key).click().run()


def check(app):
    (button,) = [b for b in app.button if b.label == "Check"]
    return button.click().run()


def answer(app, lesson, question, given):
    key = f"answer_{lesson.slug}_{question.key}"
    if isinstance(question, NumberQuestion):
        app.text_input(key=key).set_value(given)
    else:
        app.radio(key=key).set_value(given)
    return check(app)


def right(question):
    return f"{question.answer():.12g}" if isinstance(question, NumberQuestion) else question.right


def full_view(app):
    """The link to the page that shows a lesson's view in full; the other one asks the class."""
    (link,) = [link for link in app.get("link_button") if "room?" not in link.proto.url]
    return link


def texts(app):
    return " ".join(part.value for part in app.markdown)


@pytest.fixture(scope="module")
def listed():
    return page()


def test_the_list_names_every_lesson_with_its_goal_and_time(listed):
    assert not listed.exception
    assert [title.value for title in listed.title] == ["Lessons"]
    for lesson in lessons():
        assert f"**{lesson.title}**" in texts(listed)
        assert listed.button(key=f"lesson_open_{lesson.slug}").label == "Open"
    assert f"about {sum(lesson.minutes for lesson in lessons())} minutes" in texts(listed)


@pytest.mark.parametrize("lesson", lessons(), ids=lambda lesson: lesson.slug)
def test_a_lesson_can_be_walked_from_end_to_end(lesson):
    app = page(lesson=lesson.slug)
    assert not app.exception
    assert lesson.title in app.header[0].value
    assert not app.warning
    for question in lesson.questions:
        press(app, "lesson_next")
        assert param(app, "step") == question.key
        assert question.prompt in texts(app)
        answer(app, lesson, question, right(question))
        assert not app.exception
        assert question.explained() in app.success[0].value
    press(app, "lesson_next")
    assert lesson.action.task in texts(app)
    assert not app.success
    press(app, "lesson_next")
    assert not app.exception
    assert lesson.explanation.strip() in texts(app)
    link = full_view(app)
    assert link.proto.url.split("?")[0] in {page.name for page in PAGES} | {"./"}
    done = from_text(param(app, "done"), lessons())
    assert done == {(lesson.slug, question.key) for question in lesson.questions}


def test_a_wrong_answer_gets_its_feedback_and_the_answer_only_on_request():
    lesson = find_lesson("windows")
    question = lesson.questions[0]
    app = page(lesson="windows", step="steep")
    answer(app, lesson, question, "5")
    assert "Five tokens hold 91.8 %" in app.warning[0].value
    assert not app.success
    assert param(app, "done") == ""
    press(app, "lesson_reveal")
    assert "6 tokens" in app.info[0].value
    # Whoever was shown the answer has not given it, until they do.
    assert param(app, "done") == ""
    answer(app, lesson, question, "6 tokens")
    assert from_text(param(app, "done"), lessons()) == {("windows", "steep")}


def test_an_answer_that_is_nearly_right_is_called_close():
    app = page(lesson="windows", step="flat")
    answer(app, find_lesson("windows"), find_lesson("windows").questions[1], "780")
    assert app.warning[0].value.startswith("**Close.**")


@pytest.mark.parametrize("lesson", lessons(), ids=lambda lesson: lesson.slug)
def test_the_action_has_a_hint_and_is_shown_on_request_but_not_ticked(lesson):
    app = page(lesson=lesson.slug, step="do")
    press(app, "lesson_hint")
    assert lesson.action.hint in texts(app)
    press(app, "lesson_show")
    assert not app.exception
    assert lesson.action.praise in app.info[0].value
    assert not app.success
    assert param(app, "done") == ""


def test_whoever_does_again_what_was_shown_has_done_it():
    app = page(lesson="windows", step="do")
    press(app, "lesson_show")
    app.select_slider(key="exponent").set_value(8.0).run()
    assert not app.info
    app.select_slider(key="exponent").set_value(12.0).run()
    assert "Done." in app.success[0].value
    assert from_text(param(app, "done"), lessons()) == {("windows", "do")}


def test_an_empty_answer_is_asked_for():
    app = check(page(lesson="windows", step="halve"))
    assert "Give an answer first" in app.warning[0].value


def test_the_action_is_noticed_when_the_control_is_moved():
    app = page(lesson="windows", step="do")
    app.select_slider(key="length").set_value(16_384).run()
    assert not app.success
    app.select_slider(key="exponent").set_value(12.0).run()
    assert "Done." in app.success[0].value
    assert from_text(param(app, "done"), lessons()) == {("windows", "do")}


@pytest.mark.parametrize(
    "lesson",
    [
        lesson
        for lesson in lessons()
        if "methods" not in lesson.view.controls and not lesson.view.readings
    ],
    ids=lambda lesson: lesson.slug,
)
def test_a_link_with_the_solution_does_the_action(lesson):
    app = page(lesson=lesson.slug, step="do", **lesson.action.solution)
    assert not app.exception
    assert lesson.action.praise in app.success[0].value


def test_the_solution_may_be_a_choice_of_methods():
    app = page(lesson="short-long", step="do", methods="alibi,sinusoidal")
    assert "Done." in app.success[0].value


def test_only_methods_that_have_a_line_can_be_chosen_and_count():
    """The paper's table has neither learned positions nor NoPE nor KERPLE."""
    app = page(lesson="short-long", step="do")
    offered = app.button_group(key="methods")
    assert offered.options == ["ALiBi", "Sinusoidal", "RoPE", "T5 bias"]
    assert not app.success
    offered.set_value(["ALiBi", "Sinusoidal"]).run()
    assert "Done." in app.success[0].value


def test_the_solution_may_be_a_cell_of_a_map():
    lesson = find_lesson("trained-heads")
    solution = {"head": 3, "pair": ".".join(map(str, far_looks(2, 3)[0]))}
    app = page(lesson=lesson.slug, step="do", **solution)
    assert "has paid for the distance" in texts(app)
    assert lesson.action.praise in app.success[0].value
    press(app, "lesson_next")
    link = full_view(app)
    assert link.proto.url == f"trained_attention?layer_head=2.3&pair={solution['pair']}"
    # The next lesson has no use for it.
    press(app, "lesson_next")
    assert param(app, "pair") == param(app, "head") == ""


def test_the_next_lesson_prepares_its_own_view():
    app = page(lesson="penalty", step="why", length=16)
    assert app.select_slider(key="length").value == 16
    press(app, "lesson_next")
    assert param(app, "lesson") == "ladder"
    assert app.select_slider(key="heads").value == 8
    app.select_slider(key="heads").set_value(12).run()
    press(app, "lesson_next")
    press(app, "lesson_back")
    assert app.select_slider(key="heads").value == 12
    # Its questions are about the view as it is prepared.
    press(app, "lesson_all")
    press(app, "lesson_open_ladder")
    assert app.select_slider(key="heads").value == 8


def test_progress_in_the_link_is_shown_and_can_be_forgotten():
    app = page(done="3")
    assert "2 of" in app.get("progress")[0].proto.text
    assert app.button(key="lesson_open_equal-words").label == "Go on"
    assert app.button(key="lesson_go_on").label == "Go on: Two equal words"
    press(app, "lesson_go_on")
    assert (param(app, "lesson"), param(app, "step")) == ("equal-words", "mask")
    press(app, "lesson_all")
    press(app, "lesson_reset")
    assert param(app, "done") == ""
    assert f"0 of {len(all_items(lessons()))}" in app.get("progress")[0].proto.text


def test_everything_done_leaves_nothing_to_go_on_with():
    app = page(done="f" * 16)
    assert {"Start", "lesson_go_on"}.isdisjoint({b.label for b in app.button})
    assert app.button(key="lesson_open_windows").label == "Again"


@pytest.mark.parametrize(("slug", "quoted"), [("algebra", "algebra"), ("`x`", "x")])
def test_an_unknown_lesson_leads_to_the_list_with_a_note(slug, quoted):
    app = page(lesson=slug)
    assert f"`lesson={quoted}`, which is not allowed" in app.warning[0].value
    assert app.button(key="lesson_open_windows").label == "Open"


def test_an_unknown_step_leads_to_the_first():
    app = page(lesson="windows", step="dance")
    assert find_lesson("windows").opening.strip() in texts(app)


def captions(app):
    return " ".join(caption.value for caption in app.caption)


def test_early_tokens_are_told_by_both_protocols_on_the_same_tokens(tmp_path, monkeypatch):
    path = tmp_path / "extrapolation.json"
    monkeypatch.setattr(Record, "file", path)
    # Of the made-up records the nonoverlapping ones score more tokens than the sliding ones.
    write_results(path, records(seeds=1))
    app = page(lesson="early-tokens", step="do")
    assert "Press, Smith and Lewis" in captions(app)
    same = [
        made_up("alibi", length, value, tokens_scored=8192, targets="sample")
        for length, value in ((128, 13.7), (512, 12.9))
    ]
    write_results(path, [*records(seeds=1), *same])
    app = page(lesson="early-tokens", step="do")
    assert "Models trained for this app" in captions(app)
    (chart,) = app.get("plotly_chart")
    assert "ALiBi from 13.7 at 128 to 12.9 at 512 tokens" in chart.proto.alt


def test_a_control_out_of_range_is_moved_and_noted():
    app = page(lesson="windows", length=99_999)
    assert app.select_slider(key="length").value == 16_384
    assert "length=99999" in app.warning[0].value


def test_the_teacher_builds_a_link_with_a_code():
    app = page(teach="links")
    assert not app.exception
    app.selectbox(key="build_page").set_value("decay").run()
    app.select_slider(key="build_decay_heads").set_value(12).run()
    app.pills(key="build_shown_decay").set_value(["heads", "head"]).run()
    app.toggle(key="build_large").set_value(True).run()
    assert not app.exception
    link = app.code[0].value
    assert link.endswith("/decay?heads=12&show=heads,head&large=1")
    (image,) = app.get("image")
    assert image.proto.imgs[0].alt == f"QR code of the link {link}"


def test_a_half_typed_address_has_no_code():
    app = page(teach="links")
    app.text_input(key="build_base").set_value("http://[").run()
    assert not app.exception
    assert "This is no address" in app.error[0].value
    assert not app.code
    assert not app.get("image")
    app.text_input(key="build_base").set_value("http://lab.example").run()
    assert app.code[0].value == "http://lab.example/lessons"


def test_the_teacher_links_to_several_methods_and_the_page_shows_them():
    app = page(teach="links")
    app.selectbox(key="build_page").set_value("extrapolation").run()
    app.pills(key="build_extrapolation_methods").set_value(["T5 bias", "ALiBi"]).run()
    app.pills(key="build_shown_extrapolation").set_value(["measure"]).run()
    link = app.code[0].value
    assert link.endswith("/extrapolation?methods=alibi,t5&show=measure")
    opened = follow(link)
    assert list(opened.query_params["methods"]) == ["ALiBi", "T5 bias"]
    # What is measured live has controls of its own.
    groups = {choice.key for choice in opened.button_group}
    assert groups.isdisjoint({"methods", "protocol", "paper"})
    assert "measure" in groups


def test_the_teacher_sets_what_is_to_be_trained():
    app = page(teach="links")
    app.selectbox(key="build_page").set_value("train").run()
    app.selectbox(key="build_train_method").set_value("RoPE").run()
    app.select_slider(key="build_train_t_length").set_value(64).run()
    app.number_input(key="build_train_t_seed").set_value(5).run()
    link = app.code[0].value
    assert link.endswith("/train?method=RoPE&t_length=64&t_seed=5")
    opened = follow(link)
    assert "--position rope" in opened.code[0].value
    assert "--train-length 64" in opened.code[0].value
    assert "--seed 5" in opened.code[0].value


def test_the_teacher_opens_a_part_of_a_page_at_a_head():
    app = page(teach="links")
    app.selectbox(key="build_page").set_value("methods").run()
    app.selectbox(key="build_methods_part").set_value("variants").run()
    app.selectbox(key="build_methods_variant").set_value("KERPLE-log").run()
    assert app.code[0].value.endswith("/methods?part=variants&variant=KERPLE-log")
    app.selectbox(key="build_page").set_value("explore").run()
    app.number_input(key="build_explore_head_head").set_value(5).run()
    assert app.code[0].value.endswith("/explore?head=5")


def follow(link):
    """The page that a link leads to, in the state that it says."""
    parts = urlsplit(link)
    app = AppTest.from_file(PROJECT / "pages" / f"{parts.path[1:]}.py", default_timeout=60)
    # The page's address, by which it knows which controls a link leaves on it.
    app.session_state["_page"] = parts.path[1:]
    for name, value in parse_qsl(parts.query):
        app.query_params[name] = value
    if shown := dict(parse_qsl(parts.query)).get("show"):
        app.session_state[f"_show_{parts.path[1:]}"] = tuple(shown.split(","))
    app.run()
    assert not app.exception
    assert not app.warning
    return app


def test_the_teacher_links_to_a_step_of_a_lesson():
    app = page(teach="links")
    app.selectbox(key="build_lesson").set_value("ladder").run()
    app.selectbox(key="build_step_ladder").set_value("do").run()
    assert app.code[0].value.endswith("/lessons?lesson=ladder&step=do")


def test_there_are_sheets_answers_and_a_page_of_notes():
    # A sheet and its answers of each lesson, and of all lessons in one file each.
    assert len(page(teach="sheets").get("download_button")) == 2 * (len(lessons()) + 1)
    app = page(teach="notes")
    assert len(app.get("download_button")) == 1
    assert "counts heads from 0" in texts(app)


def test_a_lesson_is_as_prepared_whatever_other_pages_were_left_at():
    app = AppTest.from_file(PROJECT / "pages" / "lessons.py", default_timeout=60)
    # What a control remembers of the page on which it was last shown.
    app.session_state["_page"] = "lessons"
    app.session_state["_kept_heads"] = ("explore", 64)
    app.run()
    press(app, "lesson_open_ladder")
    assert app.select_slider(key="heads").value == 8


def test_a_lesson_that_is_opened_again_is_as_prepared_again():
    app = page()
    app.session_state["_page"] = "lessons"
    press(app, "lesson_open_windows")
    app.select_slider(key="length").set_value(16).run()
    press(app, "lesson_all")
    # What a control remembers of the page on which it was last shown.
    app.session_state["_kept_exponent"] = ("", 2.0)
    press(app, "lesson_open_windows")
    assert app.select_slider(key="length").value == 512
    assert app.select_slider(key="exponent").value == 8.0


def test_the_plan_is_chosen_ordered_and_timed():
    app = page(teach="plan")
    assert not app.exception
    assert "a class of 45 minutes leaves 5 for questions" in texts(app)
    press(app, "plan_preset_90")
    assert param(app, "plan").count(",") == 9
    press(app, "plan_earlier_windows")
    press(app, "plan_out_adding")
    app.number_input(key="plan_minutes_ladder").set_value(20).run()
    app.selectbox(key="plan_add").set_value("failures").run()
    assert not app.exception
    assert param(app, "plan") == (
        "equal-words.6,rotating.7,penalty.8,ladder.20,windows.7,softmax.9,short-long.8,"
        "early-tokens.9,choosing.8,failures.9"
    )
    assert "more than a class of 90 minutes" in texts(app)


def test_a_class_sees_its_plan_only_and_can_leave_it():
    app = page(plan="windows.10,penalty.5")
    assert [b.key for b in app.button if b.key.startswith("lesson_open_")] == [
        "lesson_open_windows",
        "lesson_open_penalty",
    ]
    assert "2 lessons, about 15 minutes in all" in texts(app)
    press(app, "lesson_all_of_them")
    assert len([b for b in app.button if b.key.startswith("lesson_open_")]) == len(lessons())


def test_the_agenda_says_when_each_lesson_begins():
    app = page(teach="agenda", plan="windows.10,penalty.5")
    assert not app.exception
    assert "0 to 10  ·  **[Windows](lessons?lesson=windows&large=1)**" in texts(app)
    assert "10 to 15  ·  **[A penalty on the logit]" in texts(app)
