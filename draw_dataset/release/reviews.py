"""Reviews: what readers say about gold of the release (wrong, arguable or fine), by dataset and id.

``reviewed.json`` has the verdict on every problem that was read because a check or answers made its gold suspect:

- *wrong*: the gold misreads the text. Its kind is ``derivation`` if template or alignment are wrong, and ``equations``
if the equations and solutions are wrong as well. `draw_dataset.release.corrections` repairs what can be repaired.
- *arguable*: the text allows another derivation as well; it is listed and becomes one of the row's `alternatives`.
- *fine*: the suspicion was a false alarm.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from draw_dataset.release.data import own_json

VerdictOfReader = Literal["wrong", "arguable", "fine"]

CODES = {
    ("wrong", "derivation"): "reviewed-wrong",
    ("wrong", "equations"): "reviewed-wrong-equations",
    ("arguable", ""): "reviewed-arguable",
}
"""The code that a verdict becomes in the findings of a row, by verdict and kind; what is fine has none."""


@dataclass(frozen=True, slots=True)
class Review:
    """What a reader says of a gold.

    Attributes:
        verdict: wrong, arguable or fine.
        kind: of what is wrong: ``derivation`` or ``equations``.
        why: in a sentence.
        alternatives: further derivations in q-notation, over the published numbers.
    """

    verdict: VerdictOfReader
    kind: str = ""
    why: str = ""
    alternatives: tuple[str, ...] = ()

    @property
    def code(self) -> str | None:
        """What stands in the findings of the row; None if nothing does."""
        return CODES.get((self.verdict, self.kind))


@lru_cache(maxsize=1)
def reviews() -> dict[str, dict[int, Review]]:
    """Return all verdicts: dataset -> id -> review."""
    return {
        dataset: {
            int(id_): Review(
                one["verdict"], one.get("kind", ""), one.get("why", ""), tuple(one.get("alternatives", ()))
            )
            for id_, one in by_id.items()
        }
        for dataset, by_id in own_json("reviewed.json").items()
    }
