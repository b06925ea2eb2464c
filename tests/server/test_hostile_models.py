"""What other visitors notice while hostile checkpoints are opened: next to nothing."""

import subprocess
import sys
import threading
import time
import urllib.request
from contextlib import contextmanager
from itertools import cycle
from statistics import median
from urllib.parse import urlencode

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg

from alibi_viz.paths import CHECKPOINTS
from tests.browser.server import running_app
from tests.inspection.hostile import make_good, multiplied
from tests.server.visitor import run_of

# A process beside the server that takes a core as the child does, and nothing else.
BUSY = "import os; os.nice(5)\nwhile True: pass"
RUNS = 4


def look_into(address, model):
    """All that a visitor is sent who looks into a model."""
    asked = {"page_name": "trained_attention", "query_string": urlencode({"model": model})}
    return b"".join(run_of(address, BackMsg(rerun_script=asked), patience=240))


@contextmanager
def repeated(do):
    """Does something again and again in a thread while the block runs; gives what came of it."""
    found, over = [], threading.Event()

    def repeat():
        while not over.is_set():
            found.append(do())

    thread = threading.Thread(target=repeat)
    thread.start()
    try:
        yield found
    finally:
        over.set()
        thread.join()


def timed(do):
    """When it began and when it ended."""
    start = time.monotonic()
    do()
    return start, time.monotonic()


def seconds(spans):
    return [end - start for start, end in spans]


def inside(spans, others):
    """How many spans lie wholly within one of the others."""
    return sum(any(a < start and end < b for a, b in others) for start, end in spans)


@pytest.fixture
def folder(tmp_path):
    """Models of which every one would end the server or keep it for minutes."""
    models = tmp_path / "models"
    good = make_good(tmp_path / "good")
    for kind in ("characters", "tries"):
        good.write(models / kind, tokenizer={**good.tokenizer, **multiplied(kind)})
    many = {"model_type": "llama", "n_layer": 1, "num_hidden_layers": 10**7}
    good.write(models / "layers", config={**good.config, **many})
    loops = {"pretraining_tp": 10**9, "slow_but_exact": True}
    good.write(models / "loops", config={**good.config, **loops})
    return models


# On a machine that does nothing else it takes a minute.
@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_others_look_into_bundled_models_and_are_answered_as_beside_any_busy_process(folder):
    bundled = sorted(path.name for path in CHECKPOINTS.glob("*-L128-s*"))
    hostile = sorted(path.name for path in folder.iterdir())
    turns, told = cycle(hostile), {}

    with running_app(ALIBI_VIZ_MODELS=str(folder)) as address:

        def health():
            time.sleep(0.05)
            urllib.request.urlopen(f"{address}/_stcore/health", timeout=120).read()

        def attack():
            name = next(turns)

            def open_it():
                told[name] = look_into(address, f"folder:{name}")

            return timed(open_it)

        def waits(models):
            with repeated(lambda: timed(health)) as answers:
                runs = [timed(lambda name=name: look_into(address, name)) for name in models]
            return runs, seconds(answers)

        # Imports what the first one needs.
        look_into(address, bundled[-1])
        with subprocess.Popen([sys.executable, "-c", BUSY]) as busy:
            usual, usual_answers = waits(bundled[:RUNS])
            busy.kill()
        with repeated(attack) as attacks:
            attacked, answers = waits(bundled[RUNS : 2 * RUNS])
        # However long it takes until all have been opened.
        while len(told) < len(hostile):
            attack()
        look_into(address, bundled[0])

    # Who looks into one of ours does not wait until a hostile one is done with.
    assert inside(attacked, attacks) >= RUNS / 2
    assert median(seconds(attacked)) < 2 * median(seconds(usual)) + 1
    assert median(answers) < 2 * median(usual_answers) + 0.1
    assert max(answers) < 2 * max(usual_answers) + 1
    assert b"tokenizer.json cuts the text into tokens" in told["characters"]
    assert b"layers" in told["layers"]
