"""Presets: for each dataset that is known, a small module that says where its fields are.

A preset has the names of the fields, what its dataset is called on the Hub, its licence, and perhaps an adjustment of
what the fields hold.
"""

from __future__ import annotations

from collections.abc import Mapping

from draw_dataset.errors import ChoiceError, shown
from draw_dataset.sources.presets.asdiv import PRESET as ASDIV
from draw_dataset.sources.presets.gsm8k import PRESET as GSM8K
from draw_dataset.sources.presets.mawps import PRESET as MAWPS
from draw_dataset.sources.presets.preset import Preset
from draw_dataset.sources.presets.svamp import PRESET as SVAMP

PRESETS: Mapping[str, Preset] = {preset.name: preset for preset in (GSM8K, SVAMP, ASDIV, MAWPS)}


def find_preset(name: str) -> Preset:
    """Return a preset by its name.

    Raises:
        ChoiceError: there is none of that name; names those there are.
    """
    preset = PRESETS.get(name.lower()) if isinstance(name, str) else None
    if preset is None:
        raise ChoiceError(f"Unknown preset {shown(name)}: there are {', '.join(PRESETS)}")
    return preset


__all__ = ["PRESETS", "Preset", "find_preset"]
