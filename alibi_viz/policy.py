"""What whoever runs the app lets its visitors do: read from the environment, off or on.

| variable | unset means | what it allows |
|---|---|---|
| ALIBI_VIZ_TRAINING | 1 | training and evaluating models on this machine |
| ALIBI_VIZ_UPLOADS | 1 | bringing a text of one's own |
| ALIBI_VIZ_HUB | 0 | fetching data sets and models from the Hugging Face hub by name |
| ALIBI_VIZ_JOB_MINUTES | 60 | how long a job may take |
| ALIBI_VIZ_QUEUE_PLACES | 30 | jobs that may wait for visitors of one address: a class shares one |
| ALIBI_VIZ_FRAMED_BY | 'self' | showing the app in a frame: origins, as a CSP's frame-ancestors |
| ALIBI_VIZ_ORIGINS | none | origins of a proxy that sends a Host header of its own |
"""

import os
import re

_HUB_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,95}(/[A-Za-z0-9][\w.-]{0,95})?")
_ORIGIN = re.compile(r"https?://(\*\.)?[\w.-]+(:\d+)?")
NO_MODELS = "This needs PyTorch, which is not installed here: pip install 'alibi-viz[models]'"
_MODEL_PACKAGES = ("torch", "transformers", "tokenizers", "safetensors", "huggingface_hub")
_WORDS = {"1": True, "true": True, "on": True, "0": False, "false": False, "off": False}


def training_is_allowed() -> bool:
    """Returns whether visitors may start jobs: train and evaluate models on this machine."""
    return switch("ALIBI_VIZ_TRAINING", default=True)


def uploads_are_allowed() -> bool:
    """Returns whether visitors may bring a text of their own, as a file or pasted."""
    return switch("ALIBI_VIZ_UPLOADS", default=True)


def hub_is_allowed() -> bool:
    """Returns whether visitors may have this machine fetch what they name from the hub."""
    return switch("ALIBI_VIZ_HUB", default=False)


def is_of_models(error: ModuleNotFoundError) -> bool:
    """Returns whether what is missing is part of the extra [models]."""
    return (error.name or "").split(".")[0] in _MODEL_PACKAGES


def job_minutes() -> int:
    """Returns how many minutes a job may take."""
    return _count("ALIBI_VIZ_JOB_MINUTES", 60)


def queue_places() -> int:
    """Returns how many jobs may wait for the visitors of one address."""
    return _count("ALIBI_VIZ_QUEUE_PLACES", 30)


def _count(name: str, default: int) -> int:
    text = os.environ.get(name, "").strip() or str(default)
    if not text.isdecimal() or not 1 <= int(text) <= 10_000:
        raise ValueError(f"{name} must be a whole number from 1 to 10000, got {text!r}")
    return int(text)


def framed_by() -> str:
    """Returns who may show the app in a frame, e.g. "'self' https://slides.example.org".

    Raises:
        ValueError: Something that would end the list and begin another rule.
    """
    return " ".join(_origins("ALIBI_VIZ_FRAMED_BY", also=("'self'", "'none'", "*"))) or "'self'"


def other_origins() -> tuple[str, ...]:
    """Returns the origins that count as the app's own, beside the one that it is asked under.

    Raises:
        ValueError: Something that is no origin.
    """
    return _origins("ALIBI_VIZ_ORIGINS")


def _origins(name: str, also: tuple[str, ...] = ()) -> tuple[str, ...]:
    words = tuple(os.environ.get(name, "").split())
    for word in words:
        if word not in also and not _ORIGIN.fullmatch(word):
            raise ValueError(f"{name} must list origins such as https://example.org, got {word!r}")
    return words


def check_switches() -> None:
    """Reads every switch.

    Raises:
        ValueError: One says neither on nor off; the message names it.
    """
    training_is_allowed()
    uploads_are_allowed()
    hub_is_allowed()
    job_minutes()
    queue_places()
    framed_by()
    other_origins()


def is_hub_name(name: str) -> bool:
    """Returns whether this reads owner/name or name, as the hub spells models and data sets.

    >>> is_hub_name("Salesforce/wikitext"), is_hub_name("gpt2"), is_hub_name("../etc")
    (True, True, False)
    """
    return _HUB_NAME.fullmatch(name) is not None and ".." not in name


def switch(name: str, *, default: bool) -> bool:
    """Returns what an environment variable says.

    Args:
        name: The variable.
        default: What an unset or empty variable means.

    Raises:
        ValueError: It says neither on nor off: guessing would open what should be shut.
    """
    text = os.environ.get(name, "").strip().lower()
    if not text:
        return default
    if text not in _WORDS:
        raise ValueError(f"{name} must be one of {', '.join(_WORDS)}, got {text!r}")
    return _WORDS[text]
