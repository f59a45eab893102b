"""ASDiv: a body and a question, a formula such as ``7+2=9`` and an answer with its unit, in XML."""

from __future__ import annotations

from draw_dataset.sources.fields import Fields
from draw_dataset.sources.presets.preset import Preset

PRESET = Preset(
    name="asdiv",
    title="ASDiv V1.0",
    fields=Fields(question=("Body", "Question"), formula="Formula", answer="Answer", id="ID"),
    licence="CC BY-NC 4.0",
)
