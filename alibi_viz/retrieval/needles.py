"""The recall task: one-token needles in filler, and questions about them; numpy only.

A window holds every colour once, at a random place and with a random number: "red 3" is one token.
A question is a token too, "red?", and its answer is the number of the red needle. All other tokens
are drawn evenly from filler without meaning. A needle is a single token, so no head has to look one
token back: one layer is enough, and the task measures distance and nothing else.

Tokens by id: fillers, needles (colour by colour, number by number), questions, answers.
"""

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

COLOURS = ("red", "green", "blue", "yellow")
N_COLOUR = len(COLOURS)
N_NUMBER = 8
N_FILLER = 32
FIRST_NEEDLE = N_FILLER
FIRST_QUESTION = FIRST_NEEDLE + N_COLOUR * N_NUMBER
FIRST_ANSWER = FIRST_QUESTION + N_COLOUR
VOCAB_SIZE = FIRST_ANSWER + N_NUMBER
CHANCE = 1 / N_NUMBER
"""Share of questions that a guess among the answers gets right."""

TRAIN_LENGTH = 128
N_QUESTION = 16
"""Questions in a window; in a test they are its last tokens."""
NO_ANSWER = -100
"""Answer where nothing can be asked; torch's losses leave it out."""
N_DEPTH = 8
"""Equal parts of a window by which accuracy is told."""


@dataclass(frozen=True)
class NeedleWindows:
    """Windows of the task with what is asked in them."""

    tokens: Ints
    """(window, token) ids."""
    places: Ints
    """(window, question) where the questions stand, from 0."""
    answers: Ints
    """(window, question) the id of the token that answers, or `NO_ANSWER`."""
    distances: Ints
    """(window, question) back to the needle, in tokens; 0 where nothing is asked."""

    @property
    def length(self) -> int:
        """Tokens in a window."""
        return int(self.tokens.shape[1])

    def part(self, start: int, stop: int) -> "NeedleWindows":
        """Returns the windows from `start` up to `stop`."""
        return NeedleWindows(*(getattr(self, f.name)[start:stop] for f in fields(self)))


def token_names() -> tuple[str, ...]:
    """Returns what each token is called, by id.

    >>> names = token_names()
    >>> names[0], names[FIRST_NEEDLE], names[FIRST_QUESTION], names[FIRST_ANSWER + 7]
    ('w1', 'red 1', 'red?', '8')
    """
    numbers = [str(number) for number in range(1, N_NUMBER + 1)]
    fillers = [f"w{number}" for number in range(1, N_FILLER + 1)]
    needles = [f"{colour} {number}" for colour in COLOURS for number in numbers]
    return (*fillers, *needles, *(f"{colour}?" for colour in COLOURS), *numbers)


def training_windows(
    seed: int, step: int, *, count: int = 32, length: int = TRAIN_LENGTH
) -> NeedleWindows:
    """Returns the windows of one training step: needles and questions anywhere.

    A question asks for one of the needles that came before it. Where none did, filler stands.

    Args:
        seed: Of the run.
        step: Number of the batch, from 0.
        count: Windows.
        length: Tokens in a window.

    Raises:
        ValueError: A window too short for all needles and questions.
    """
    _require_room(length)
    rng = np.random.default_rng([seed, step])
    places = _distinct_places(rng, count, length, N_COLOUR + N_QUESTION)
    needles, questions = places[:, :N_COLOUR], places[:, N_COLOUR:]
    came_before = needles[:, None, :] < questions[:, :, None]
    asked = np.where(came_before, rng.random(came_before.shape), -1.0).argmax(axis=-1)
    asked[~came_before.any(axis=-1)] = -1
    return _written(rng, length, needles, questions, asked)


def needle_windows(length: int, *, count: int = 128, seed: int = 0) -> NeedleWindows:
    """Returns windows to test with: needles anywhere, questions in the last `N_QUESTION` places.

    The windows depend on the arguments only: every model is asked the same.

    Args:
        length: Tokens in a window.
        count: Windows.
        seed: Of the windows.

    Raises:
        ValueError: A window too short for all needles and questions.
    """
    _require_room(length)
    rng = np.random.default_rng([seed, length, 1])
    needles = _distinct_places(rng, count, length - N_QUESTION, N_COLOUR)
    questions = np.tile(np.arange(length - N_QUESTION, length), (count, 1))
    asked = rng.integers(0, N_COLOUR, questions.shape)
    return _written(rng, length, needles, questions, asked)


def asked_window(
    colour: int, number: int, *, distance: int, length: int, seed: int = 0
) -> NeedleWindows:
    """Returns one window that ends with a question about a needle at a chosen distance.

    Moving the needle leaves the filler and the other needles' numbers as they were.

    Args:
        colour: Of the needle, an index of `COLOURS`.
        number: Of the needle, from 0; a page counts from 1.
        distance: From the question back to the needle, in tokens.
        length: Tokens in the window.
        seed: Of filler and other needles.

    Raises:
        ValueError: A window too short, a needle outside it, or no such colour or number.
    """
    _require_room(length)
    ranges = (("colour", colour, N_COLOUR), ("number", number, N_NUMBER))
    for name, value, count in ranges:
        if not 0 <= value < count:
            raise ValueError(f"{name} must be from 0 to {count - 1}, got {value}")
    if not 1 <= distance < length:
        raise ValueError(f"distance must be from 1 to {length - 1}, got {distance}")
    rng = np.random.default_rng([seed, length, 2])
    last = length - 1
    free = rng.permutation(last)
    free = free[free != last - distance]
    needles = free[None, :N_COLOUR].copy()
    needles[0, colour] = last - distance
    window = _written(rng, length, needles, np.array([[last]]), np.array([[colour]]))
    window.tokens[0, last - distance] = FIRST_NEEDLE + colour * N_NUMBER + number
    window.answers[:] = FIRST_ANSWER + number
    return window


def depth_of(distances: Ints, length: int) -> Ints:
    """Returns which of `N_DEPTH` equal parts of the window a needle lies in, 0 the nearest.

    Args:
        distances: From the question to its needle, in tokens, of any shape.
        length: Tokens in the window.
    """
    return np.minimum(distances * N_DEPTH // length, N_DEPTH - 1)


def _distinct_places(rng: np.random.Generator, count: int, length: int, wanted: int) -> Ints:
    return rng.random((count, length)).argsort(axis=1)[:, :wanted]


def _require_room(length: int) -> None:
    if length < N_COLOUR + N_QUESTION:
        raise ValueError(
            f"a window needs {N_COLOUR + N_QUESTION} tokens for needles and questions, got {length}"
        )


def _written(
    rng: np.random.Generator, length: int, needles: Ints, questions: Ints, asked: Ints
) -> NeedleWindows:
    """Writes needles and questions into filler.

    Args:
        rng: Draws filler and numbers.
        length: Tokens in a window.
        needles: (window, colour) places.
        questions: (window, question) places.
        asked: (window, question) colour, or -1 where nothing can be asked.
    """
    rows = np.arange(len(needles))[:, None]
    numbers = rng.integers(0, N_NUMBER, needles.shape)
    tokens = rng.integers(0, N_FILLER, (len(needles), length))
    tokens[rows, needles] = FIRST_NEEDLE + np.arange(N_COLOUR) * N_NUMBER + numbers
    can_ask, colours = asked >= 0, asked.clip(min=0)
    tokens[rows, questions] = np.where(can_ask, FIRST_QUESTION + colours, tokens[rows, questions])
    answers = np.where(can_ask, FIRST_ANSWER + numbers[rows, colours], NO_ANSWER)
    distances = np.where(can_ask, questions - needles[rows, colours], 0)
    return NeedleWindows(tokens, questions, answers, distances)
