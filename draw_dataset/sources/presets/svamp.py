"""SVAMP: a body and a question, an expression such as ``( 76.0 - 25.0 )`` and its value."""

from __future__ import annotations

from draw_dataset.sources.fields import Fields
from draw_dataset.sources.presets.preset import Preset

PRESET = Preset(
    name="svamp",
    title="SVAMP (ChilleD/SVAMP)",
    fields=Fields(question=("Body", "Question"), equations="Equation", answer="Answer", id="ID"),
    licence="MIT",
)
