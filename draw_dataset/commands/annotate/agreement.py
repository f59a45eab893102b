"""``draw annotate agreement``: how much annotators agree, and where they do not."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from draw_dataset.commands.annotate import add_store
from draw_dataset.commands.options import add_json

if TYPE_CHECKING:
    from draw_dataset.annotation.outcome import Agreement

HELP = "measure how much annotators agree, and list where they do not"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = (
        "raw %: of all pairs of annotators who have both submitted a problem, how many agree. alpha: Krippendorff's,\n"
        "nominal; over questions for the alignment, pairs of equal numbers for EquivTNum, problems for the template.\n"
        "annotation is derivation and EquivTNum together.\n\n"
        "examples:\n"
        "  draw annotate agreement --store work.db\n"
        "  draw annotate agreement --store work.db --json"
    )
    add_store(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the figures and the disagreements."""
    from draw_dataset.annotation.outcome import measure_agreement
    from draw_dataset.annotation.store import Store

    with Store.open(arguments.store) as store:
        agreement = measure_agreement(store.works())
    print(json.dumps(agreement.as_data()) if arguments.json else _as_text(agreement))
    return 0


def _as_text(agreement: Agreement) -> str:
    lines = [f"problems that at least two annotators have submitted: {agreement.problems}", ""]
    lines.append("field       agreeing      raw %   alpha   units")
    for name, field in agreement.fields.items():
        percent = "-" if field.percent is None else f"{field.percent:.1f}"
        alpha = "-" if field.alpha is None else f"{float(field.alpha):.3f}"
        units = "-" if field.units is None else str(field.units)
        pairs = f"{field.agreeing}/{field.compared}"
        lines.append(f"{name:10} {pairs:>9} {percent:>10} {alpha:>7} {units:>7}")
    if agreement.median_seconds is not None:
        each = ", ".join(f"{name} {seconds:.1f}" for name, seconds in agreement.seconds_by_annotator.items())
        lines += ["", f"median seconds a problem: {agreement.median_seconds:.1f} ({each})"]
    if agreement.disagreements:
        lines += ["", "disagreements:"]
    for found in agreement.disagreements:
        lines.append(f"  {found.problem_id}: {' and '.join(found.annotators)}: {', '.join(found.comparison.differing)}")
        lines += [f"    {detail}" for detail in found.comparison.details]
    return "\n".join(lines)
