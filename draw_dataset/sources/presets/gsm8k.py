"""GSM8K: a question and a worked solution, with calculations in ``<<…>>`` and the result after ``####``."""

from __future__ import annotations

from draw_dataset.sources.fields import Fields
from draw_dataset.sources.presets.preset import Preset

PRESET = Preset(
    name="gsm8k",
    title="GSM8K (openai/gsm8k)",
    fields=Fields(question="question", solution="answer", answer=None, id="id"),
    licence="MIT",
)
