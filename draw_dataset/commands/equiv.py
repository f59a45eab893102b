"""``draw equiv``: whether two templates are equivalent, how their slots correspond, or why they are not."""

from __future__ import annotations

import json
from itertools import islice
from typing import Any

from draw_dataset.core.difference import Difference, find_difference
from draw_dataset.core.equivalence import SlotMap, all_slot_maps, find_slot_map
from draw_dataset.core.solving import Solution
from draw_dataset.core.template import Template


def run(first: str, second: str, *, all_maps: bool, limit: int, as_json: bool, unknowns: list[str] | None) -> int:
    """Print the verdict; return 0 if the templates are equivalent, 1 if not."""
    one = Template(first, unknowns=unknowns)
    other = Template(second, unknowns=unknowns)
    slot_map = find_slot_map(one, other)
    maps: list[SlotMap] = [] if slot_map is None else [slot_map]
    more = False
    if slot_map is not None and all_maps:
        maps = list(islice(all_slot_maps(one, other), limit + 1))
        more = len(maps) > limit
        maps = maps[:limit]
    difference = find_difference(one, other) if slot_map is None else None
    if as_json:
        print(json.dumps(_as_json(one, other, maps, more, difference)))
    else:
        _print_text(maps, more, difference)
    return 1 if difference else 0


def _as_json(
    one: Template, other: Template, maps: list[SlotMap], more: bool, difference: Difference | None
) -> dict[str, Any]:
    result: dict[str, Any] = {
        "equivalent": difference is None,
        "templates": [list(one.equations), list(other.equations)],
        "slot_maps": maps,
        "more_slot_maps": more,
    }
    if difference is not None:
        result["reason"] = {"code": difference.code, "message": difference.message}
        if difference.witness is not None:
            witness = difference.witness
            result["reason"]["witness"] = {
                "values": [witness.values, witness.other_values],
                "solutions": [_numbers(witness.solution), _numbers(witness.other_solution)],
                "ways_to_fill_the_second": witness.ways,
            }
    return result


def _numbers(solution: Solution) -> dict[str, str]:
    """Return the solution as text, since JSON has no exact fractions."""
    return {name: str(value) for name, value in solution.values.items()}


def _print_text(maps: list[SlotMap], more: bool, difference: Difference | None) -> None:
    if difference is not None:
        print(f"not equivalent: {difference.message}")
        return
    print("equivalent")
    for slot_map in maps:
        print("  " + (", ".join(f"{slot} -> {image}" for slot, image in slot_map.items()) or "(no slots)"))
    if more:
        print("  … and more; raise --limit to see them")
