"""How fast the package is, as ratios against a floor and against peers, everything measured in one run.

Times differ between machines; ratios of times taken side by side hardly do. Each section prints what was aimed at
next to what was measured, and nothing fails: a benchmark informs, tests decide.

    python scripts/benchmark.py                 everything, half an hour (the million lines of f take most of it)
    python scripts/benchmark.py --quick         smaller, for a look
    python scripts/benchmark.py --only a,b      some sections
    python scripts/benchmark.py --json          one JSON object on standard output

With the release at hand (DRAW_RELEASE_DIR, or ../shared/release) its templates and derivations are used, otherwise a
built-in handful of templates with alignments made up for them.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))  # for the literal algorithm, and rewriting

from benchmarks import Row, data, derivations, load_rows, scale, scores, solver, viewer

SECTIONS: dict[str, Callable[[list[Row], bool], dict[str, Any]]] = {
    "a": derivations.section_a, "b": derivations.section_b, "c": derivations.section_c,
    "d": derivations.section_d, "e": derivations.section_e, "m": derivations.section_m,
    "n": data.section_n, "l": data.section_l, "i": data.section_i,
    "s": scores.section_s, "o": scores.section_o, "v": scores.section_v, "f": scores.section_f,
    "g": data.section_g, "h": data.section_h, "w": data.section_w, "p": data.section_p,
    "t": solver.section_t, "r": scores.section_r, "x": scores.section_x,
    "k": scale.section_k, "y": scale.section_y, "u": viewer.section_u,
}  # fmt: skip


def print_text(report: dict[str, Any], indent: str = "") -> None:
    """Print a report as indented lines."""
    for key, value in report.items():
        if isinstance(value, dict):
            print(f"{indent}{key}")
            print_text(value, indent + "  ")
        else:
            print(f"{indent}{key}: {value}")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the sections and print them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="smaller numbers, for a look")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--only", metavar="a,b", help=f"some of the sections {', '.join(SECTIONS)} (default all)")
    arguments = parser.parse_args(argv)
    chosen = arguments.only.split(",") if arguments.only else list(SECTIONS)
    unknown = [name for name in chosen if name not in SECTIONS]
    if unknown:
        parser.error(f"expected sections among {', '.join(SECTIONS)}, but got {', '.join(unknown)}")
    source, rows = load_rows()
    report: dict[str, Any] = {"source": source, "python": platform.python_version(), "machine": platform.machine()}
    for name in chosen:
        section = SECTIONS[name]
        print(f"measuring {name}: {section.__doc__}", file=sys.stderr)
        report[f"({name}) {section.__doc__}"] = section(rows, arguments.quick)
    if arguments.json:
        print(json.dumps(report, indent=1))
    else:
        print_text(report)
    return 0


if __name__ == "__main__":
    sys.exit(main())
