import json
import re
import struct

import numpy as np
import pytest

from alibi_viz.ui.canvas import grid as attention_grid
from alibi_viz.ui.canvas import live, pack, read_files
from alibi_viz.ui.canvas import map as attention_map


@pytest.mark.parametrize("component", [attention_grid, attention_map, live])
def test_the_joined_scripts_of_a_component_declare_each_name_once(component):
    script = read_files(component.HERE, component.SCRIPTS)
    names = re.findall(r"^(?:function|class|const|let) (\w+)", script, re.MULTILINE)
    # A second function of a name would silently take the place of the first.
    assert sorted(names) == sorted(set(names))
    assert {"CanvasView", "lookOf", "write"} < set(names)


def test_a_header_and_arrays_come_out_as_they_went_in():
    arrays = {
        "odd": np.arange(5, dtype=np.uint8),
        "weights": np.arange(6, dtype=np.float32).reshape(2, 3) / 7,
        "order": np.array([3, -1, 2], np.int32),
    }
    data = pack({"title": "naïve “🙂”"}, arrays)
    (size,) = struct.unpack_from("<I", data)
    header = json.loads(data[4 : 4 + size])
    assert header["title"] == "naïve “🙂”"
    for name, array in arrays.items():
        place = header["arrays"][name]
        start = 4 + size + place["start"]
        # The browser's typed arrays must start at a multiple of their item's size.
        assert start % 8 == 0
        found = np.frombuffer(data, place["type"], array.size, start).reshape(place["shape"])
        np.testing.assert_array_equal(found, array)


def test_an_array_of_a_type_that_browsers_lack_is_refused():
    with pytest.raises(ValueError, match="weights must be one of float32, int32, uint8, got float"):
        pack({}, {"weights": np.zeros(3)})
