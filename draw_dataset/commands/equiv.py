"""``draw equiv``: whether two templates are equivalent, how their slots correspond, or why they are not."""

from __future__ import annotations

import argparse
import json
from itertools import islice
from typing import Any

from draw_dataset.commands.options import add_json, whole_number
from draw_dataset.core.equations import Solution
from draw_dataset.core.equivalence import Difference, SlotMap, all_slot_maps, find_difference, find_slot_map
from draw_dataset.core.template import Template

HELP = "decide whether two templates are equivalent, and show how their slots correspond or where they differ"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = (
        "exit status: 0 equivalent, 1 not equivalent, 2 an argument cannot be read\n\n"
        "examples:\n"
        '  draw equiv "m = a + b*n; m = c - n" "m + n = a; m - c*n = b"\n'
        '  draw equiv --all "m = a + b" "n = a + b"\n'
        '  draw equiv --json "m = a + b" "m = a - b"\n'
        '  draw equiv --unknowns u,v "u + v = a" "u = a - v"'
    )
    parser.add_argument("first", metavar="T1", help="a template: equations separated by ';'")
    parser.add_argument("second", metavar="T2", help="another template")
    parser.add_argument("--all", action="store_true", help="print every slot map, not just one")
    parser.add_argument(
        "--limit",
        type=whole_number(1, 1_000_000),
        default=1000,
        metavar="N",
        help="with --all, print at most N maps (default 1000)",
    )
    add_json(parser)
    parser.add_argument(
        "--unknowns",
        type=_names,
        metavar="X,Y",
        help="the unknowns; all other names are slots (default m,n,o, or x,y,z in a template without these)",
    )


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def run(arguments: argparse.Namespace) -> int:
    """Print the verdict; return 0 if the templates are equivalent, 1 if not."""
    one = Template(arguments.first, unknowns=arguments.unknowns)
    other = Template(arguments.second, unknowns=arguments.unknowns)
    limit = arguments.limit
    slot_map = find_slot_map(one, other)
    maps: list[SlotMap] = [] if slot_map is None else [slot_map]
    more = False
    if slot_map is not None and arguments.all:
        maps = list(islice(all_slot_maps(one, other), limit + 1))
        more = len(maps) > limit
        maps = maps[:limit]
    difference = find_difference(one, other) if slot_map is None else None
    if arguments.json:
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
