import json
from pathlib import Path

import pytest

from alibi_viz.jobs.evaluate_request import EvaluateRequest, checkpoint_folder
from alibi_viz.jobs.recall_request import RecallRequest
from alibi_viz.jobs.requests import read_request, request_key
from alibi_viz.jobs.train_request import TrainRequest
from alibi_viz.paths import CHECKPOINTS, PROJECT
from alibi_viz.training.cli import add_parser

JOB = PROJECT / "var" / "jobs" / "0123456789abcdef"


def test_the_command_line_understands_what_a_training_job_asks():
    from argparse import ArgumentParser

    parser = ArgumentParser()
    add_parser(parser.add_subparsers())
    request = TrainRequest(
        position="alibi",
        heads=3,
        layers=2,
        width=96,
        train_length=64,
        max_exponent=4.5,
        learned_slopes=True,
        tokens=250_000,
        seed=7,
        text="0123456789abcdef",
    )
    (arguments,) = request.commands(JOB)
    args = parser.parse_args(arguments)
    assert (args.position, args.heads, args.layers, args.width) == ("alibi", 3, 2, 96)
    assert (args.train_length, args.tokens, args.seed) == (64, 250_000, 7)
    assert (args.max_exponent, args.learned_slopes) == (4.5, True)
    assert args.batch_size * args.train_length == 2048
    assert args.text == "var/texts/0123456789abcdef.txt"
    assert args.run == Path("var/jobs/0123456789abcdef/run")
    assert args.output == Path("var/jobs/0123456789abcdef/own-0123456789abcdef")


def test_the_command_line_understands_what_an_evaluation_asks():
    from argparse import ArgumentParser

    from alibi_viz.evaluation.cli import add_parser

    parser = ArgumentParser()
    add_parser(parser.add_subparsers())
    request = EvaluateRequest(
        ("own:fedcba9876543210", "bundled:alibi-L128-s0"), (256, 64), "sliding_window"
    )
    (arguments,) = request.commands(JOB)
    args = parser.parse_args(arguments)
    assert args.checkpoints == [
        Path("assets/checkpoints/alibi-L128-s0"),
        Path("var/jobs/fedcba9876543210/own-fedcba9876543210"),
    ]
    assert (args.lengths, args.protocol, args.stride) == ([64, 256], "sliding_window", None)
    assert (args.tokens, args.text) == (4096, None)
    assert args.output == Path("var/jobs/0123456789abcdef/records.json")


def test_the_command_line_understands_what_a_recall_job_asks():
    from argparse import ArgumentParser

    from alibi_viz.retrieval.recall_cli import add_parser

    parser = ArgumentParser()
    add_parser(parser.add_subparsers())
    (arguments,) = RecallRequest(max_exponent=9.5, free_heads=3, steps=100, seed=7).commands(JOB)
    args = parser.parse_args(arguments)
    assert (args.position, args.max_exponent, args.free_heads) == ("alibi", 9.5, 3)
    assert (args.steps, args.seed, args.learned_slopes) == (100, 7, False)
    assert args.run == Path("var/jobs/0123456789abcdef/run")
    assert args.output == Path("var/jobs/0123456789abcdef/recall.json")
    (arguments,) = RecallRequest(learned_slopes=True).commands(JOB)
    assert parser.parse_args(arguments).learned_slopes
    (arguments,) = RecallRequest("t5").commands(JOB)
    assert parser.parse_args(arguments).position == "t5"


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"position": "rotary"}, "unknown position method 'rotary'"),
        ({"position": "learned"}, "no positions past its training length"),
        ({"position": "rope", "free_heads": 1}, "RoPE has no slopes"),
        ({"position": "nope", "max_exponent": 9.0}, "NoPE has no slopes"),
        ({"free_heads": 8}, "free_heads must be one of 0, 1, 2, 3, 4, 5, 6, 7, got 8"),
        ({"steps": 4000}, "steps must be one of 50, 100, 200, 400, got 4000"),
        ({"seed": 100}, "seed must be between 0 and 99, got 100"),
        ({"max_exponent": 17.0}, "max_exponent must be between 0.5 and 16"),
        ({"free_heads": 1, "learned_slopes": True}, "a slope of 0 cannot be learned"),
    ],
)
def test_a_recall_model_beyond_the_limits_is_refused(fields, message):
    with pytest.raises(ValueError, match=message):
        RecallRequest(**fields)


def test_a_recall_model_of_the_usual_steps_is_trained_as_long_as_the_measured_ones():
    from alibi_viz.retrieval.recall_training import STEPS

    assert RecallRequest().steps == STEPS


def test_a_data_set_of_the_hub_is_fetched_before_it_is_measured():
    request = EvaluateRequest(
        ("bundled:alibi-L128-s0",), (64,), text="hub:Salesforce/wikitext:wikitext-2-raw-v1:test"
    )
    fetch, measure = request.commands(JOB)
    assert fetch[:6] == [
        *("fetch", "Salesforce/wikitext", "--subset", "wikitext-2-raw-v1", "--split", "test")
    ]
    text = "var/jobs/0123456789abcdef/text.txt"
    assert fetch[fetch.index("--output") + 1] == text
    assert measure[measure.index("--text") + 1] == text


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"position": "rotary"}, "unknown position method 'rotary'"),
        ({"heads": 5}, "heads must be one of 1, 2, 3, 4, 6, 8, 12, 16, got 5"),
        ({"layers": 0}, "layers must be one of"),
        ({"width": 1024}, "width must be one of"),
        ({"train_length": 4096}, "train_length must be one of"),
        ({"tokens": 10**9}, "tokens must be one of"),
        ({"seed": -1}, "seed must be between 0 and 99, got -1"),
        ({"seed": "1; rm"}, "seed must be between 0 and 99"),
        ({"max_exponent": 17.0}, "max_exponent must be between 0.5 and 16"),
        ({"heads": 12}, "12 heads cannot share a width of 128; .*: 48, 96, 192"),
        ({"position": "rope", "learned_slopes": True}, "RoPE has no slopes"),
        ({"position": "nope", "max_exponent": 4.0}, "NoPE has no slopes"),
        ({"text": "../../etc/passwd"}, "no such text"),
        (
            {"layers": 6, "width": 256, "tokens": 4_000_000},
            r"about \d+ minutes on one core; the limit here is \d+ minute",
        ),
    ],
)
def test_a_training_request_beyond_the_limits_is_refused(fields, message):
    with pytest.raises(ValueError, match=message):
        TrainRequest(**fields)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"checkpoints": ()}, "choose 1 to 8 models, not 0"),
        ({"checkpoints": tuple(f"own:{n}" for n in range(9))}, "choose 1 to 8 models, not 9"),
        ({"checkpoints": ("own:../../secret",)}, "no such model"),
        ({"checkpoints": ("/tmp/model",)}, "no such model"),
        ({"lengths": ()}, "choose at least one length"),
        ({"lengths": (100,)}, "length must be one of 64, 128"),
        ({"lengths": (4096,), "protocol": "sliding_window"}, "length must be one of .*2048, got"),
        ({"protocol": "strided"}, "protocol must be one of nonoverlapping, sliding_window"),
        ({"text": "hub:a/../b::test"}, "no data set's name"),
        ({"text": "hub:a/b"}, "no such text"),
        ({"text": "hub:a/b::"}, "name a split"),
        ({"text": "hub:a/b:--output:test"}, "no name of a subset or split"),
    ],
)
def test_an_evaluation_request_beyond_the_limits_is_refused(fields, message):
    with pytest.raises(ValueError, match=message):
        EvaluateRequest(**{"checkpoints": ("own:a",), "lengths": (64,), **fields})


def test_order_and_repetition_do_not_make_another_job():
    one = EvaluateRequest(("own:b", "own:a"), (128, 64))
    other = EvaluateRequest(("own:a", "own:b", "own:a"), (64, 128))
    assert request_key(one) == request_key(other)
    assert request_key(TrainRequest(max_exponent=8)) == request_key(TrainRequest(max_exponent=8.0))
    assert request_key(RecallRequest(max_exponent=9)) == request_key(
        RecallRequest(max_exponent=9.0)
    )


@pytest.mark.parametrize(
    "request_made",
    [
        TrainRequest(position="t5", seed=3),
        EvaluateRequest(("own:b",), (64,), "sliding_window"),
        RecallRequest(free_heads=2, steps=50),
    ],
)
def test_a_request_survives_the_disk(request_made):
    content = {"kind": request_made.kind, "parameters": request_made.to_json()}
    assert read_request(json.loads(json.dumps(content))) == request_made


def test_a_request_of_an_unknown_kind_is_refused():
    with pytest.raises(ValueError, match="unknown kind of job: 'shell'"):
        read_request({"kind": "shell", "parameters": {}})


def test_bundled_models_lie_among_the_assets():
    assert checkpoint_folder("bundled:x", JOB.parent) == CHECKPOINTS / "x"
