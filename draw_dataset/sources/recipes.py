"""How records become rows: which fields are what, by a preset or by name, and one record after the other.

A `Recipe` is plain data, so that it can be sent to another process.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from draw_dataset.errors import ChoiceError
from draw_dataset.sources.deriving import derive_row
from draw_dataset.sources.fields import REFERENCES, Fields, Names, id_of, problem_of, with_names
from draw_dataset.sources.files import Broken, Record
from draw_dataset.sources.presets import PRESETS, find_preset
from draw_dataset.sources.record import Reason, Refusal, refused_row


@dataclass(frozen=True, slots=True)
class Recipe:
    """How records become rows; it can be sent to another process.

    Attributes:
        fields: where the parts of a problem stand.
        preset: the preset that adjusts problems; empty if there is none.
    """

    fields: Fields
    preset: str = ""

    def row(self, record: Record, position: int) -> dict[str, Any]:
        """Return the row of a record; whatever is wrong with the record becomes a refused row."""
        if isinstance(record, Broken):
            return refused_row(position, "", (), Refusal(Reason.BROKEN, record.message))
        if not isinstance(record, Mapping):
            return refused_row(position, "", (), Refusal(Reason.BROKEN, f"no record: {type(record).__name__}"))
        adjust = PRESETS[self.preset].adjust if self.preset else None
        if self.preset:
            record = with_names(record, PRESETS[self.preset].names)
        try:
            problem = problem_of(record, self.fields, position, adjust)
        except Refusal as refusal:
            return refused_row(id_of(record, self.fields, position), _question(record, self.fields), (), refusal)
        return derive_row(problem)

    def rows(self, records: Sequence[Record], first: int) -> list[dict[str, Any]]:
        """Return the rows of a parcel of records, the first of which has a given position."""
        return [self.row(record, position) for position, record in enumerate(records, first)]

    def lacking(self, columns: Sequence[str]) -> list[str]:
        """Return the fields that a dataset with some columns lacks."""
        known = {*columns, *(with_names(dict.fromkeys(columns), PRESETS[self.preset].names) if self.preset else ())}
        return [name for name in self.fields.names if name not in known]

    @property
    def element(self) -> str:
        """In XML files, the element that is one record."""
        return PRESETS[self.preset].element if self.preset else "Problem"


def _question(record: Mapping[str, Any], fields: Fields) -> str:
    """Return what there is of a question, for the row of a record that is refused."""
    names = [fields.question] if isinstance(fields.question, str) else fields.question
    found = [record[name] for name in names if isinstance(record.get(name), str)]
    return " ".join(part.strip() for part in found)[:MAX_SHOWN]


MAX_SHOWN = 2_000
"""Characters of a question that a refused row keeps."""


def recipe_for(preset: str | None, named: Mapping[str, Names | None]) -> Recipe:
    """Return how records become rows.

    Args:
        preset: the preset that says where the fields are; None if there is none.
        named: fields that are named otherwise than the preset has them, by what they are for (`FIELDS`); None leaves
            a name as it is.

    Raises:
        ChoiceError: there is no such preset, or nothing says what a derivation is read from.
    """
    if preset is not None:
        chosen = find_preset(preset)
        return Recipe(chosen.fields.changed(named), chosen.name)
    if all(named.get(reference) is None for reference in REFERENCES):
        raise ChoiceError(
            f"expected a preset ({', '.join(PRESETS)}), or the field with the equations, the formula or the solution"
        )
    return Recipe(Fields().changed(named))


def row_function(recipe: Recipe) -> Callable[[Mapping[str, Any], int], dict[str, Any]]:
    """Return what makes a row of a record and its position, for `datasets` to map with."""
    return partial(_row, recipe)


def _row(recipe: Recipe, record: Mapping[str, Any], position: int) -> dict[str, Any]:
    return recipe.row(record, position)
