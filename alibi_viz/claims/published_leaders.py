"""Who leads in published comparisons, by task and length, with every number cited."""

from dataclasses import dataclass

from alibi_viz.maths.paired import published_word
from alibi_viz.published.cited import CitedNumber, cited_numbers


@dataclass(frozen=True)
class PublishedComparison:
    """One comparison that a paper reports."""

    task: str
    """What was asked, with data and lengths."""
    numbers: dict[str, CitedNumber]
    """Each method's number, by its name here."""
    more_is_better: bool = False
    """Whether it is a rank or a score, not a perplexity."""

    @property
    def leaders(self) -> tuple[str, ...]:
        """The best, with all perplexities that are level with it: single runs vary."""
        ranked = self.ranked
        if self.more_is_better:
            return ranked[:1]
        best = self.numbers[ranked[0]].number
        return tuple(
            name
            for name in ranked
            if name == ranked[0] or published_word(self.numbers[name].number, best) == "level"
        )

    @property
    def ranked(self) -> tuple[str, ...]:
        """All methods, the best first."""
        sign = -1 if self.more_is_better else 1
        return tuple(sorted(self.numbers, key=lambda name: sign * self.numbers[name].number))

    @property
    def said(self) -> str:
        """The numbers as printed, the best first."""
        return ", ".join(f"{name} {self.numbers[name]}" for name in self.ranked)


_NAMES = {
    **{"alibi": "ALiBi", "sinusoidal": "sinusoidal", "rope": "RoPE", "t5": "T5 bias"},
    **{"nope": "NoPE", "log": "KERPLE", "absolute": "absolute"},
}


def published_comparisons() -> tuple[PublishedComparison, ...]:
    """Returns the comparisons that answer who wins where, the shortest lengths first."""
    return (
        PublishedComparison(
            "Perplexity at the training length: WikiText-103, 512 tokens",
            _of("{}_512_512", "alibi", "sinusoidal", "rope", "t5"),
        ),
        PublishedComparison(
            "Perplexity at 30 times the training length: WikiText-103, from 512 to 15,512 tokens",
            {
                "ALiBi": cited_numbers()["alibi_512_last"],
                "sinusoidal": cited_numbers()["sinusoidal_512_15512"],
            },
        ),
        PublishedComparison(
            "Perplexity at 32 times the training length: OpenWebText2, from 512 to 16,384 tokens",
            _of("kerple_{}_16384", "alibi", "log", "t5", "rope"),
        ),
        PublishedComparison(
            "Perplexity on code at 2.5 times the training length: from 1,024 to 2,560 tokens",
            _of("code_{}_2560", "alibi", "nope"),
        ),
        PublishedComparison(
            "Ten small reasoning tasks, longer than trained on: mean reciprocal rank",
            _of("rank_{}", "alibi", "nope", "t5", "rope", "absolute"),
            more_is_better=True,
        ),
    )


def _of(name: str, *methods: str) -> dict[str, CitedNumber]:
    return {_NAMES[method]: cited_numbers()[name.format(method)] for method in methods}
