"""``draw check``: the defects of the release, of the sample, or of any file of rows."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from draw_dataset.catalog import Folder, Source, load_splits, resolve
from draw_dataset.checks import CODES, Finding, check_datasets
from draw_dataset.checks.findings import in_order
from draw_dataset.commands import check_answers
from draw_dataset.commands.options import add_json, add_release, add_sources
from draw_dataset.release import DATASETS
from draw_dataset.release.corrections import Selection, corrections
from draw_dataset.release.reviews import reviews

HELP = "look for defects in the release, the sample or a file of rows"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    width = max(map(len, CODES))
    parser.epilog = (
        "exit status: 0 no findings, 1 findings, 2 something cannot be read\n\n"
        "codes:\n" + "".join(f"  {code:{width}}  {meaning}\n" for code, meaning in CODES.items()) + "\n"
        "examples:\n"
        "  draw check                            the whole release\n"
        "  draw check draw1k --code not-derivable\n"
        "  draw check draw1k/test sample         also near duplicates between the two\n"
        "  draw check rows.jsonl --json\n"
        "  draw check draw1k --answers gpt.jsonl other.jsonl            gold that answers contradict\n"
        "  draw check draw1k --answers gpt.jsonl --figures              with both derivations drawn\n"
        "  draw check --suspicions                gold that its own text contradicts"
    )
    add_sources(parser, "*", "the whole release")
    add_release(parser)
    parser.add_argument(
        "--code",
        action="append",
        choices=list(CODES),
        metavar="CODE",
        help="only findings with this code; may be repeated",
    )
    check_answers.configure(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the findings; return 0 if there are none, 1 if there are."""
    check_answers.check_options(arguments)
    if arguments.answers:
        return check_answers.run_answers(arguments)
    if arguments.suspicions:
        return check_answers.run_suspicions(arguments)
    names = arguments.sources or DATASETS
    found = find_defects(names, arguments.data_dir, arguments.corrected, progress=sys.stderr.isatty())
    wanted = set(arguments.code or CODES)
    found = {name: [f for f in findings if f.code in wanted] for name, findings in found.items()}
    if arguments.json:
        _print_json(found)
    else:
        _print_text(found)
    return 1 if any(found.values()) else 0


def find_defects(
    names: Iterable[str], data_dir: Folder = None, corrected: bool | str = False, *, progress: bool = False
) -> dict[str, list[Finding]]:
    """Return the defects of data, by its name; near duplicates are looked for among everything named.

    Args:
        names: of the data (see `draw_dataset.catalog`).
        data_dir: the folder of the release's files.
        corrected: whether to apply the corrections to the release first.
        progress: whether to show a progress bar on stderr.

    Raises:
        ChoiceError: there is no such data.
        RowError: a line of a file is no row; names the line and the field.
    """
    sources = {source.title: source for source in map(resolve, names)}
    loaded = {title: load_splits(source, data_dir, corrected) for title, source in sources.items()}
    found = check_datasets(loaded, progress=progress)
    for title, source in sources.items():
        ids = {problem.id for problems in loaded[title].values() for problem in problems}
        by_hand = [finding for finding in _reviewed(source, corrected) if finding.problem_id in ids]
        found[title] = in_order([*found[title], *by_hand])
    return found


def _reviewed(source: Source, corrected: bool | str) -> list[Finding]:
    """Return what readers found in a dataset of the release, but for what is repaired."""
    dataset = "" if source.config is None else source.config.dataset
    selection = Selection.of(corrected)
    applied = {} if selection is None else {i: c for i, c in corrections().get(dataset, {}).items() if selection.has(c)}
    return [
        Finding(review.code, id_, review.why)
        for id_, review in reviews().get(dataset, {}).items()
        if review.code is not None and (id_ not in applied or review.code not in applied[id_].mends)
    ]


def _print_json(found: Mapping[str, Sequence[Finding]]) -> None:
    listed = [
        {"dataset": name, "id": f.problem_id, "code": f.code, "message": f.message}
        for name, findings in found.items()
        for f in findings
    ]
    counts = Counter(str(entry["code"]) for entry in listed)
    print(json.dumps({"counts": {code: counts[code] for code in CODES if counts[code]}, "findings": listed}))


def _print_text(found: Mapping[str, Sequence[Finding]]) -> None:
    for code, meaning in CODES.items():
        lines = [
            f"  {name} {f.problem_id}: {f.message}"
            for name, findings in found.items()
            for f in findings
            if f.code == code
        ]
        if lines:
            print(f"{code}: {meaning} ({len(lines)})", *lines, "", sep="\n")
    total = sum(map(len, found.values()))
    print(f"{total or 'no'} finding{'' if total == 1 else 's'} in {', '.join(found)}")
