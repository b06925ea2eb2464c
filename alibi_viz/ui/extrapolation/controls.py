"""Everything that a link can say to the page about extrapolation."""

from alibi_viz.charts.measured.read import measured_texts, own_records
from alibi_viz.jobs.models import trained_models
from alibi_viz.ui.extrapolation import compared, live, shown
from alibi_viz.ui.link.parameters import PageParameters
from alibi_viz.ui.show import jobs
from alibi_viz.ui.show.texts import OWN_TEXT


def parameters() -> PageParameters:
    """Returns everything that a link can say to the page."""
    lengths = shown.train_length_control(own_records())
    texts = measured_texts()
    models = trained_models(jobs.registry().root)
    return PageParameters(
        (
            shown.PROTOCOL,
            shown.STRETCHED,
            shown.STRETCHINGS_CHOSEN,
            shown.STRETCHED_WINDOW,
            shown.MEASURE,
            compared.AGAINST,
            *((compared.measured_text_control(texts),) if len(texts) > 1 else ()),
            shown.SHOWN_METHODS,
            lengths,
            shown.PAPER,
            *((live.models_control(models),) if models else ()),
            live.PROTOCOL,
            live.LENGTHS,
            OWN_TEXT,
        )
    )
