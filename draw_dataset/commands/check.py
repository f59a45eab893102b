"""``draw check``: the defects of the release, of the sample, or of any file of rows."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from draw_dataset.checks import CODES, Finding, check_datasets
from draw_dataset.core.problem import Problem
from draw_dataset.core.rows import read_rows
from draw_dataset.errors import ChoiceError
from draw_dataset.release.corrections import REVIEWED, correct, corrections, reviewed
from draw_dataset.release.loading import DATASETS, load_problems
from draw_dataset.sample import load_sample

HELP = "look for defects in the release, the sample or a file of rows"

SAMPLE = "sample"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    width = max(map(len, CODES))
    parser.epilog = (
        "exit status: 0 no findings, 1 findings, 2 something cannot be read\n\n"
        "codes:\n" + "".join(f"  {code:{width}}  {meaning}\n" for code, meaning in CODES.items()) + "\n"
        "examples:\n"
        "  draw check                            the whole release\n"
        "  draw check draw1k --code not-derivable\n"
        "  draw check sample\n"
        "  draw check rows.jsonl --json"
    )
    parser.add_argument(
        "targets",
        nargs="*",
        metavar="WHAT",
        help=f"{', '.join(DATASETS)}, {SAMPLE}, or a JSONL file of rows (default: the whole release); "
        "near duplicates are looked for among everything named",
    )
    parser.add_argument("--data-dir", metavar="DIR", help="the folder of the release's files")
    parser.add_argument("--corrected", action="store_true", help="check the release with the corrections applied")
    parser.add_argument(
        "--code",
        action="append",
        choices=list(CODES),
        metavar="CODE",
        help="only this kind; may be repeated",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: argparse.Namespace) -> int:
    """Print the findings; return 0 if there are none, 1 if there are."""
    targets = list(dict.fromkeys(arguments.targets)) or list(DATASETS)
    found = find_defects(targets, arguments.data_dir, arguments.corrected, progress=sys.stderr.isatty())
    wanted = set(arguments.code or CODES)
    found = {name: [f for f in findings if f.code in wanted] for name, findings in found.items()}
    if arguments.json:
        _print_json(found)
    else:
        _print_text(found)
    return 1 if any(found.values()) else 0


def find_defects(
    targets: Sequence[str],
    data_dir: str | Path | None = None,
    corrected: bool = False,
    *,
    progress: bool = False,
) -> dict[str, list[Finding]]:
    """Return the defects of datasets of the release, the sample and files of rows, by name.

    Args:
        targets: names of datasets, ``sample``, or paths of JSONL files.
        data_dir: the folder of the release's files.
        corrected: whether to apply the corrections to the release first.
        progress: whether to show a progress bar on stderr.

    Raises:
        ChoiceError: a target is none of these.
        RowError: a line of a file is no row; names the line and the field.
    """
    loaded = {target: _load(target, data_dir, corrected) for target in targets}
    found = check_datasets(loaded, progress=progress)
    return {name: _with_reviewed(name, findings, corrected) for name, findings in found.items()}


def codes_by_id(findings: Iterable[Finding]) -> dict[int, tuple[str, ...]]:
    """Return the codes of each problem that has any, sorted."""
    found: dict[int, set[str]] = {}
    for finding in findings:
        found.setdefault(finding.problem_id, set()).add(finding.code)
    return {id_: tuple(sorted(codes)) for id_, codes in sorted(found.items())}


def _load(target: str, data_dir: str | Path | None, corrected: bool) -> Mapping[str, Sequence[Problem]]:
    if target in DATASETS:
        splits = load_problems(target, data_dir)
        return {name: [correct(target, p) for p in split] for name, split in splits.items()} if corrected else splits
    if target == SAMPLE:
        return load_sample()
    path = Path(target)
    if not path.is_file():
        raise ChoiceError(f"expected {', '.join(DATASETS)}, {SAMPLE} or a file of rows, but got {target!r}")
    return {"all": read_rows(path)}


def _with_reviewed(name: str, findings: list[Finding], corrected: bool) -> list[Finding]:
    mended = corrections().get(name, {}) if corrected else {}
    by_hand = [
        Finding(REVIEWED, id_, why)
        for id_, why in reviewed().get(name, {}).items()
        if id_ not in mended or REVIEWED not in mended[id_].mends
    ]
    order = list(CODES)
    return sorted([*findings, *by_hand], key=lambda f: (order.index(f.code), f.problem_id))


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
