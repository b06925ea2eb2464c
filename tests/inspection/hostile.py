"""Three hundred checkpoints that somebody made to do harm, by kind; the same every time."""

import json
import os
import random
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from alibi_viz.data.tokenizer import train_tokenizer
from tests.inspection.conftest import TEXT, VOCABULARY, bloom, fill

SIZES = {"hidden_size": 16, "n_layer": 1, "n_head": 2}
ODD: tuple[Any, ...] = (
    *(0, -1, 3, 10**7, 10**12, 2**63, "x", "", None, [], {}, [1], {"a": 1}, True, 1.5),
    *("../../etc/passwd", "![x](http://elsewhere.example/x.png)", "\x1b[31mred", "\ud800"),
)
SIZE_NAMES = (
    *("n_layer", "n_head", "hidden_size", "vocab_size", "num_hidden_layers", "layer_norm_epsilon"),
    *("num_attention_heads", "apply_residual_connection_post_layernorm", "hidden_dropout"),
    *("bos_token_id", "id2label", "text_config", "is_decoder", "initializer_range", "rope_scaling"),
)


@dataclass(frozen=True)
class Good:
    """A small model that is what it says: what the others are made of."""

    config: dict[str, Any]
    header: dict[str, Any]
    data: bytes
    tokenizer: dict[str, Any]

    @classmethod
    def read(cls, folder: Path) -> "Good":
        whole = (folder / "model.safetensors").read_bytes()
        (size,) = struct.unpack("<Q", whole[:8])
        return cls(
            json.loads((folder / "config.json").read_text()),
            json.loads(whole[8 : 8 + size]),
            whole[8 + size :],
            json.loads((folder / "tokenizer.json").read_text()),
        )

    def write(self, folder: Path, **parts: Any) -> None:
        """Writes the model with some of its parts replaced: values, or the bytes of a file."""
        folder.mkdir(parents=True)
        for name in ("config", "tokenizer"):
            content = parts.get(name, getattr(self, name))
            data = content if isinstance(content, bytes) else json.dumps(content).encode()
            (folder / f"{name}.json").write_bytes(data)
        (folder / "model.safetensors").write_bytes(parts.get("weights", self.weights()))

    def weights(self, header: Any = None, data: bytes | None = None) -> bytes:
        text = json.dumps(self.header if header is None else header).encode()
        return struct.pack("<Q", len(text)) + text + (self.data if data is None else data)


def make_good(folder: Path) -> Good:
    """Makes a small model that is what it says."""
    import transformers

    name, given = bloom(**SIZES)
    config = getattr(transformers, name)(vocab_size=VOCABULARY, **given)
    model = transformers.AutoModelForCausalLM.from_config(config)
    fill(model)
    model.save_pretrained(folder)
    train_tokenizer([TEXT] * 3, VOCABULARY).save(str(folder / "tokenizer.json"))
    return Good.read(folder)


def multiplied(kind: str) -> dict[str, Any]:
    """Returns parts of a tokenizer.json that make much out of little: they end the child."""
    every: dict[str, Any] = {"type": "Replace", "pattern": {"Regex": "."}, "content": "x" * 100}
    whole = {"Sequence": {"id": "A", "type_id": 0}}
    backwards = {"Regex": r"(.|\s|.)*[^\s\S]"}
    return {
        "characters": {"normalizer": {"type": "Sequence", "normalizers": [every] * 6}},
        "tokens": {
            "post_processor": {
                "type": "TemplateProcessing", "single": [whole] * 200_000,
                "pair": [whole, {"Sequence": {"id": "B", "type_id": 1}}], "special_tokens": {},
            },
        },
        "tries": {
            "pre_tokenizer": {
                "type": "Split", "pattern": backwards, "behavior": "Isolated", "invert": False,
            },
        },
    }[kind]  # fmt: skip


Maker = Callable[[Good, Path, int, random.Random], None]


def header_of_another_type(good: Good, folder: Path, number: int, draw: random.Random) -> None:
    odd = (*ODD, *({"w": value} for value in ODD), [[[]]], {"w": {"dtype": "F32"}})
    good.write(folder, weights=good.weights(odd[number % len(odd)], b""))


def entry_of_another_type(good: Good, folder: Path, number: int, draw: random.Random) -> None:
    header = json.loads(json.dumps(good.header))
    names = sorted(set(header) - {"__metadata__"})
    entry = header[draw.choice(names)]
    key = ("dtype", "shape", "data_offsets")[number % 3]
    odd = draw.choice((*ODD, [-1, 4], [0, 10**18], [4, 0], [0.0, 4.0], [True, 16], [1] * 2000))
    if number % 5 == 0:
        del entry[key]
    else:
        entry[key] = odd
    good.write(folder, weights=good.weights(header))


def length_that_lies(good: Good, folder: Path, number: int, draw: random.Random) -> None:
    whole = good.weights()
    size = draw.choice(
        (0, 1, 2**31, 2**63, 2**64 - 1, len(whole), len(whole) - 8, draw.randrange(900))
    )
    good.write(folder, weights=struct.pack("<Q", size) + whole[8:])


def file_cut_or_longer(good: Good, folder: Path, number: int, draw: random.Random) -> None:
    whole = good.weights()
    good.write(folder, weights=whole + b"x" if number == 0 else whole[: draw.randrange(len(whole))])


def config_that_is_none(good: Good, folder: Path, number: int, draw: random.Random) -> None:
    text = json.dumps(good.config)
    contents = (
        *(b"", b"{", b"[]", b"null", b'"model"', b"1", b"\xff\xfe", text.encode("utf-16")),
        *(b"[" * 100_000, b'{"a":' * 50_000, b"\0" * 64, ("\ufeff" + text).encode()),
        *(b'{"model_type": "bloom", "n_layer": ' + b"9" * 5000 + b"}", b" " * 5_000_000),
        *(b'{"model": "evil"}', b'{"model": [], "schema": 1}', b'{"model": {}, "schema": [1]}'),
        *(b'{"model": {"position": {}, "n_layer": 1}, "schema": 1}', b'{"schema": 1}'),
        *(b'{"model": {"position": "alibi", "n_layer": 10000000}, "schema": 1}', b"{}"),
    )
    good.write(folder, config=contents[number % len(contents)])


def setting_of_another_type(good: Good, folder: Path, number: int, draw: random.Random) -> None:
    name = SIZE_NAMES[number % len(SIZE_NAMES)]
    good.write(folder, config={**good.config, name: draw.choice(ODD)})


def sizes_beyond_the_weights(good: Good, folder: Path, number: int, draw: random.Random) -> None:
    many = 10 ** (4 + number % 9)
    given: tuple[dict[str, Any], ...] = (
        {"n_layer": 1, "num_hidden_layers": many},
        {"n_layer": many},
        {"hidden_size": 2 * many, "n_embed": 16},
        {"vocab_size": many},
        {"model_type": "llama", "num_hidden_layers": many, "n_layer": 1},
        {"model_type": "gpt_neo", "attention_types": [[["global"], 10**9]], "num_layers": 1},
        {"model_type": "gpt2", "n_positions": many, "n_embd": 16},
    )
    good.write(folder, config={**good.config, **given[number % len(given)]})


def settings_that_choose_kernels(
    good: Good, folder: Path, number: int, draw: random.Random
) -> None:
    given: tuple[dict[str, Any], ...] = (
        {"pretraining_tp": 10**9, "slow_but_exact": True},
        {"attn_implementation": "elsewhere/kernel"},
        {"_attn_implementation": "flash_attention_2", "_attn_implementation_internal": "x"},
        {"quantization_config": {"quant_method": "bitsandbytes", "load_in_4bit": True}},
        {"transformers_weights": "../../secret.safetensors"},
        {"auto_map": {"AutoModelForCausalLM": "own.Own"}, "torch_dtype": "load"},
        {"fusion_config": {"x": True}, "distributed_config": {"tp": 8}, "use_kernels": True},
        {"pruned_heads": {"0": [0]}, "chunk_size_feed_forward": 1, "return_dict": False},
    )
    good.write(folder, config={**good.config, **given[number % len(given)]})


def files_that_lead_out(good: Good, folder: Path, number: int, draw: random.Random) -> None:
    good.write(folder)
    outside = folder.parent / "outside"
    if not outside.exists():
        good.write(outside)
    name = ("config.json", "model.safetensors", "tokenizer.json")[number % 3]
    weights = folder / "model.safetensors"
    if number % 4 == 0:
        (folder / name).unlink()
        (folder / name).symlink_to(outside / name)
    elif number % 4 == 1:
        (folder / name).unlink()
        os.mkfifo(folder / name)
    elif number % 4 == 2:
        (folder / name).unlink()
        (folder / name).symlink_to(
            ("/dev/zero", "/etc/passwd", "config.json", name)[number // 4 % 4]
        )
    else:
        weights.unlink()
        place = ("../outside/model.safetensors", str(outside / "model.safetensors"), "..", "a/b")
        index = {"weight_map": {"w": place[number // 4 % 4]}}
        (folder / "model.safetensors.index.json").write_text(json.dumps(index))


def names_of_folders(good: Good, folder: Path, number: int, draw: random.Random) -> None:
    names = (
        *(b"caf\xe9", b"\xff\xfe", b"a\nb", b"\x1b[31mred", b"![x](http:elsewhere.example)"),
        *(b"<img src=x onerror=alert(1)>", b"$x$", b"n" * 250, b" ", b"a" * 9 + b".", b"*b*"),
    )
    place = Path(os.fsdecode(os.fsencode(folder) + b"-" + names[number % len(names)][:200]))
    if number % 2:
        good.write(place, config=b"[]")
    else:
        good.write(place)


def tokenizers(good: Good, folder: Path, number: int, draw: random.Random) -> None:
    contents: tuple[Any, ...] = (
        *(b"", b"[]", b"{}", b"\xff", b"[" * 100_000, {"model": "x"}, {"version": [1]}),
        *({**good.tokenizer, "model": {"type": "BPE", "vocab": {"a": 2**31}, "merges": []}},),
        *({**good.tokenizer, "model": {"type": "BPE", "vocab": {"a": 0}, "merges": ["x y"]}},),
        *({**good.tokenizer, "added_tokens": [{"id": -1, "content": "![x](http:y)"}]},),
        *({**good.tokenizer, "truncation": {"max_length": 0}, "padding": {"x": 1}},),
        *({**good.tokenizer, "decoder": {"type": "Sequence", "decoders": [1]}},),
    )
    good.write(folder, tokenizer=contents[number % len(contents)])


def weights_that_are_none(good: Good, folder: Path, number: int, draw: random.Random) -> None:
    numbers = np.frombuffer(good.data, np.float32).copy()
    header = json.loads(json.dumps(good.header))
    names = sorted(set(header) - {"__metadata__"})
    if number % 4 == 0:
        numbers[:] = (np.nan, np.inf, -np.inf, 3e38)[number // 4 % 4]
    elif number % 4 == 1:
        numbers[draw.randrange(len(numbers))] = np.nan
    elif number % 4 == 2:
        header[f"{names[0]}\n![x](http:y)"] = header.pop(names[0])
    else:
        for name in names:
            header[name]["dtype"] = "I32"
    good.write(folder, weights=good.weights(header, numbers.tobytes()))


def kinds_that_nobody_knows(good: Good, folder: Path, number: int, draw: random.Random) -> None:
    kinds = (*ODD, "bloom ", "../bloom", "BLOOM", "auto", "t5", "vit", "mamba", "clip", "whisper")
    good.write(folder, config={**good.config, "model_type": kinds[number % len(kinds)]})


KINDS: dict[Maker, int] = {
    header_of_another_type: 30,
    entry_of_another_type: 45,
    length_that_lies: 15,
    file_cut_or_longer: 15,
    config_that_is_none: 21,
    setting_of_another_type: 60,
    sizes_beyond_the_weights: 21,
    settings_that_choose_kernels: 8,
    files_that_lead_out: 16,
    names_of_folders: 11,
    tokenizers: 12,
    weights_that_are_none: 18,
    kinds_that_nobody_knows: 28,
}


def make_all(good: Good, folder: Path) -> Iterator[tuple[str, Path]]:
    """Makes them all and yields kind and folder of each."""
    for kind, count in KINDS.items():
        for number in range(count):
            draw = random.Random(f"{kind.__name__} {number}")
            at = folder / kind.__name__ / str(number)
            kind(good, at, number, draw)
            (made,) = at.parent.glob(f"{number}-*") if kind is names_of_folders else (at,)
            yield kind.__name__, made
