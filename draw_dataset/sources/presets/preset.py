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
        also: further fields that the adjustment looks at.
    """

    name: str
    title: str
    fields: Fields
    licence: str
    adjust: Adjust | None = None
    element: str = "Problem"
    also: tuple[str, ...] = ()

    @property
    def names(self) -> list[str]:
        """All fields that are looked at, as the dataset was first published with them."""
        return [*self.fields.names, *filter(None, (self.fields.answer, self.fields.id)), *self.also]
