"""What a preset is."""

from __future__ import annotations

from dataclasses import dataclass

from draw_dataset.sources.fields import Adjust, Fields


@dataclass(frozen=True, slots=True)
class Preset:
    """Where the fields of a dataset are.

    Attributes:
        name: what it is called here.
        title: what the dataset is called.
        fields: its fields.
        licence: of the dataset.
        adjust: what is done with a problem besides, if anything.
        element: in XML files, the element that is one problem.
    """

    name: str
    title: str
    fields: Fields
    licence: str
    adjust: Adjust | None = None
    element: str = "Problem"
