import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.testing.v1 import AppTest

from alibi_viz.paths import PROJECT
from alibi_viz.ui.frame.serve import FAREWELL, LONGEST_FRAME, is_a_visitors, without_paths

KINDS = {field.name for field in BackMsg.DESCRIPTOR.oneofs_by_name["type"].fields}


def of_kind(kind):
    message = BackMsg()
    field = message.DESCRIPTOR.fields_by_name[kind]
    if field.message_type is None:
        setattr(message, kind, True)
    else:
        getattr(message, kind).SetInParent()
    return message.SerializeToString()


def test_visitors_run_the_page_stop_it_and_upload_and_that_is_all():
    taken = {kind for kind in KINDS if is_a_visitors(of_kind(kind))}
    assert taken == {"rerun_script", "stop_script", "file_urls_request", "app_heartbeat"}


@pytest.mark.parametrize(
    ("operation", "taken"),
    [("deferred_file", True), ("dataframe_chunk", True), ("install_skills", False)],
)
def test_operations_are_those_that_our_pages_have(operation, taken):
    message = BackMsg()
    getattr(message.backend_operation_request, operation).SetInParent()
    assert is_a_visitors(message.SerializeToString()) is taken


def test_a_frame_that_no_page_needs_so_long_is_not_taken():
    longest = BackMsg(rerun_script={"query_string": "x" * (LONGEST_FRAME - 20)})
    assert is_a_visitors(longest.SerializeToString())
    assert not is_a_visitors(
        BackMsg(rerun_script={"query_string": "x" * LONGEST_FRAME}).SerializeToString()
    )


def test_who_leaves_stops_the_script():
    assert BackMsg.FromString(FAREWELL).stop_script


def test_a_new_session_keeps_all_but_the_path():
    told = ForwardMsg(hash="a")
    told.new_session.name = "home"
    told.new_session.main_script_path = f"{PROJECT}/app.py"
    told.new_session.page_script_hash = "b"
    received = ForwardMsg.FromString(without_paths(told.SerializeToString()))
    assert received.new_session.main_script_path == ""
    assert (received.hash, received.new_session.page_script_hash) == ("a", "b")


def test_other_frames_are_sent_as_they_are():
    content = ForwardMsg(hash="a", ref_hash="b").SerializeToString()
    assert without_paths(content) is content


def test_a_page_without_models_says_what_to_install():
    def page():
        from alibi_viz.ui.frame.serve import explain

        missing = ModuleNotFoundError("No module named 'torch'", name="torch")
        ours = ModuleNotFoundError("No module named 'alibi_viz.x'", name="alibi_viz.x")
        assert explain(missing)
        assert not explain(ours)
        assert not explain(ValueError("torch"))

    app = AppTest.from_function(page).run()
    assert not app.exception
    assert "pip install 'alibi-viz[models]'" in app.info[0].value
    assert len(app.info) == 1
