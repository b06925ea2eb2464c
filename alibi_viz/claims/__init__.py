"""What is said about ALiBi, what the sources say, what was measured here: all claims."""

from alibi_viz.claims.cost import COST
from alibi_viz.claims.length import LENGTH
from alibi_viz.claims.mechanism import MECHANISM
from alibi_viz.claims.others import OTHERS
from alibi_viz.claims.perplexity import PERPLEXITY
from alibi_viz.claims.recall import RECALL

CLAIMS = (*PERPLEXITY, *LENGTH, *RECALL, *MECHANISM, *COST, *OTHERS)
