"""What a problem is called in its dataset: a whole number, as in the release, or a text, as in other sources.

7 and "7" are two ids. A text must be one that can be seen and told from others: it stands in tables, addresses, file
names and messages.
"""

from __future__ import annotations

import json
from contextlib import suppress

from draw_dataset.errors import DrawError, RowError, shown

ProblemId = int | str
"""An id."""

MAX_ID = (1 << 63) - 1
"""The largest whole number that may be an id: columns and indexes hold no larger one."""

MAX_ID_LENGTH = 200
"""How many characters a text may have that is an id."""

EXPECTED = f"a whole number from 0 to {MAX_ID}, or a text of 1 to {MAX_ID_LENGTH} characters that can be seen"
"""What an id is, for messages."""


def is_id(value: object) -> bool:
    """Say whether something is an id; True and 7.0 are none."""
    if type(value) is str:
        return 0 < len(value) <= MAX_ID_LENGTH and value.isprintable() and value == value.strip()
    return type(value) is int and 0 <= value <= MAX_ID


def read_id(value: object, where: str, error: type[DrawError] = RowError) -> ProblemId:
    """Return an id of data that may be anything.

    Raises:
        DrawError: the given one; it is no id.
    """
    if not is_id(value):
        raise error(f"{where}: id: expected {EXPECTED}, but got {shown(value)}")
    return value  # type: ignore[return-value]


def name_of(id_: ProblemId) -> str:
    """Return how pages and commands write an id: as it is, a text that could be taken for a number in quotes.

    >>> name_of(7), name_of("7"), name_of("a7"), id_named('"7"'), id_named("7")
    ('7', '"7"', 'a7', '7', 7)
    """
    return json.dumps(id_) if isinstance(id_, str) and (id_[:1] == '"' or id_named(id_) != id_) else str(id_)


def id_named(name: str) -> ProblemId:
    """Return the id that pages and commands write in a given way, which may be that of no problem."""
    if name.isascii() and name.isdigit() and len(name) < 20:
        return int(name)
    if name[:1] == '"':
        with suppress(ValueError):
            return str(json.loads(name))
    return name
