"""Writes draw_dataset/solver/sample.npz, the solver that the package ships, trained on the embedded sample.

With --check it writes nothing, trains, and fails if the shipped solver answers a problem of the sample in another way.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from draw_dataset.data.sample import load_sample
from draw_dataset.solver.model import can_calibrate
from draw_dataset.solver.systems import load_model, save_model, train

SHIPPED = Path(__file__).resolve().parents[1] / "draw_dataset" / "solver" / "sample.npz"


def main(argv: Sequence[str] | None = None) -> int:
    """Train the solver and write it, or compare it with the one that is shipped; return 1 if they differ."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if the shipped solver is not current")
    arguments = parser.parse_args(argv)
    problems = [problem for split in load_sample().values() for problem in split]
    model = train(problems, calibrate=can_calibrate(problems))
    if not arguments.check:
        save_model(model, SHIPPED)
        print(f"{SHIPPED}: {SHIPPED.stat().st_size:,} bytes")
        return 0
    shipped = load_model(SHIPPED)
    differ = [p.id for p in problems if model.predict(p).to_dict() != shipped.predict(p).to_dict()]
    print(f"{SHIPPED} answers {len(differ)} of {len(problems)} problems in another way" if differ else "current")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
