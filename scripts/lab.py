"""Runs an experiment behind a figure of the docs.

    python scripts/lab.py --list                    every experiment, a line each
    python scripts/lab.py joint --help              what one prints, and its options
    python scripts/lab.py joint --data-dir ../shared/release

Exit status: 0 the figures are printed, 2 something is refused.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module
from inspect import getdoc

from reproduction import one_thread

from draw_dataset.errors import DrawError

# The experiments by module: only the module of the one that runs is imported, as memory is measured, too
MODULES = {
    "answers": ("answers", "golds"),
    "confidence": ("built-in", "confidence", "signs"),
    "gold": ("census", "consecutive", "fresh"),
    "data": ("sources", "variants-coverage", "variants-sample", "variants-identify", "variants-agree", "variants-open"),
    "matches": ("matches",),
    "solver": ("joint", "kazb", "likeness", "naming", "one-step", "readings", "relations"),
    "systems": ("systems",),
    "trust": ("trust",),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run an experiment."""
    homes = {name: module for module, names in MODULES.items() for name in names}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="name each experiment with one line, and end")
    parser.add_argument("name", nargs="?", choices=list(homes), metavar="NAME", help="the experiment")
    given = list(sys.argv[1:] if argv is None else argv)
    chosen = parser.parse_args(given[:1])
    one_thread()  # before numpy is imported
    from experiments import EXPERIMENTS

    if chosen.list:
        for name in sorted(homes):
            import_module(f"experiments.{homes[name]}")
            print(f"{name:18} {(getdoc(EXPERIMENTS[name].run) or '').splitlines()[0]}")
        return 0
    if chosen.name is None:
        parser.error("expected the NAME of an experiment; --list has them")
    import_module(f"experiments.{homes[chosen.name]}")
    run, options = EXPERIMENTS[chosen.name]
    own = argparse.ArgumentParser(
        f"lab.py {chosen.name}", description=getdoc(run), formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for names, settings in options:
        own.add_argument(*names, **settings)
    try:
        run(own.parse_args(given[1:]))
    except DrawError as error:
        print(f"lab.py {chosen.name}: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
