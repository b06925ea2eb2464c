"""Inside a trained model: seconds and memory of first pictures and of a change of head.

    python -m benchmarks.inspection            # our model at 512 and 2,048 tokens
    python -m benchmarks.inspection --bloom    # and a random BLOOM, 24 layers of 16 heads

Times are those of the server: from the model and the text to the bytes that the browser draws.
"""

import argparse
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from alibi_viz.charts.trained.run import HeadOfRun, Run
from alibi_viz.inspection.loading import load_model
from alibi_viz.inspection.probe import probe
from alibi_viz.inspection.text.capture import Capture, capture, overview
from alibi_viz.inspection.text.samples import sample_text
from alibi_viz.maths.windows import WINDOW_MASS
from alibi_viz.model.checkpoint import save_checkpoint
from alibi_viz.model.config import ModelConfig
from alibi_viz.model.transformer import Transformer, initialise
from alibi_viz.paths import CHECKPOINTS
from alibi_viz.ui.canvas import pack
from alibi_viz.ui.canvas.grid import as_bytes
from alibi_viz.ui.canvas.map import map_data
from alibi_viz.ui.trained.models import threads_for
from alibi_viz.ui.trained.offered import PREFERRED

REPEATS = 3


def timed(work: Callable[[], Any], repeats: int = REPEATS) -> str:
    """Returns the seconds of the shortest of some runs, and behind a slash those of the processor.

    Small models compute on one core: on an idle machine the two agree, on a busy one the second
    tells what the first would be.
    """
    taken = []
    for _ in range(repeats):
        start, used = time.perf_counter(), time.process_time()
        work()
        taken.append((time.perf_counter() - start, time.process_time() - used))
    return " / ".join(f"{part:.3f}" for part in min(taken))


def own_model(folder: Path) -> Path:
    """Returns the bundled ALiBi model, or one of random weights where none is bundled."""
    if (CHECKPOINTS / PREFERRED / "config.json").is_file():
        return CHECKPOINTS / PREFERRED
    model = Transformer(ModelConfig())
    initialise(model, 0)
    save_checkpoint(folder / "own", model, {})
    return folder / "own"


def bloom(folder: Path) -> Path:
    """Returns a BLOOM of random weights with the bundled tokenizer: 24 layers, 16 heads."""
    from transformers import BloomConfig, BloomForCausalLM, PreTrainedTokenizerFast

    from alibi_viz.data.tokenizer import TOKENIZER_FILE

    config = BloomConfig(vocab_size=250_880, hidden_size=1024, n_layer=24, n_head=16)
    BloomForCausalLM(config).save_pretrained(folder / "bloom")
    PreTrainedTokenizerFast(tokenizer_file=str(TOKENIZER_FILE)).save_pretrained(folder / "bloom")
    return folder / "bloom"


def picture(seen: Capture, layer: int, head: int) -> bytes:
    """Returns what is sent to the browser for one head."""
    return pack(*map_data([HeadOfRun(Run(seen=seen), layer + 1, head + 1)]))


def measure(name: str, directory: Path, n_token: int, repeats: int = REPEATS) -> None:
    """Prints one row: loading, first picture, all heads, another head, bytes, memory."""
    start = time.perf_counter()
    adapter = load_model(directory)
    loading = time.perf_counter() - start
    text = sample_text(f"{n_token:,} tokens of code")
    with threads_for(adapter):
        first = timed(lambda: picture(capture(adapter, text), 0, 0), repeats)
        seen = capture(adapter, text)
        everything = timed(lambda: as_bytes(overview(seen, mass=WINDOW_MASS).thumbnails), repeats)
        other = timed(lambda: picture(seen, 1, 3), repeats)
        verdict = timed(lambda: probe(adapter), 1)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    sent = len(picture(seen, 1, 3)) / 1000
    print(
        f"{name:16} {seen.length:6,} {loading:8.2f} {first:>16} {everything:>16} {other:>16} "
        f"{verdict:>16} {sent:9.0f} {memory:8.2f}"
    )


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bloom", action="store_true", help="a large random BLOOM too")
    chosen = parser.parse_args(arguments)
    print(
        f"{'model':16} {'tokens':>6} {'load, s':>8} {'map, s':>16} {'all heads, s':>16} "
        f"{'other head, s':>16} {'probe, s':>16} {'sent, kB':>9} {'peak, GB':>8}"
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        ours = own_model(folder)
        for n_token in (512, 2048):
            measure("ours, 4 x 8", ours, n_token)
        if chosen.bloom:
            measure("BLOOM, 24 x 16", bloom(folder), 512, repeats=1)


if __name__ == "__main__":
    main(sys.argv[1:])
