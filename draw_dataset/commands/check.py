"""``draw check``: defects of the release, the sample or any rows, and gold that answers or texts contradict."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import click

from draw_dataset.checks.findings import CODES, Finding, check_datasets, in_order
from draw_dataset.commands.options import JSON, RELEASE, Arguments, command, option, sources
from draw_dataset.data.catalog import DataRef, Folder, load_splits, resolve, with_gold
from draw_dataset.data.corrections import Selection, corrections
from draw_dataset.data.release import DATASETS, reviews
from draw_dataset.errors import ChoiceError, short_repr
from draw_dataset.io.jsonl import json_line

if TYPE_CHECKING:
    from draw_dataset.checks.voices import Suspect
    from draw_dataset.derivation.problem import Problem, ProblemId

SOLVER = "solver"  # name of the solver among the voices
_SUSPECTS = "Gold derivations that may be wrong"
_WIDTH = max(map(len, CODES))


@command(
    sources("[SOURCE]...", "the whole release"),
    *RELEASE,
    option("--code CODE", "only findings with this code; repeatable", multiple=True, type=click.Choice(list(CODES))),
    _SUSPECTS,
    option(
        "--answers FILE",
        "list the problems whose gold these answers or predictions contradict, the most certain first; files as "
        "for draw score, several answers for a problem are welcome",
        several=True,
        reads="file",
    ),
    option("--field NAME", "with --answers: field of a line that holds the answer"),
    option("--solver", "with --answers: also ask the solver, cross-validated (takes minutes)"),
    option("--cut S", "with --answers: lowest score of a suspect", type=float),
    option("--figures", "with --answers: draw gold and the contradicting answer of every suspect"),
    option("--suspicions", "list gold derivations that their own texts contradict"),
    "Options",
    JSON,
    more="\n\nCodes:\n" + "\n".join(f"  {code:{_WIDTH}}  {meaning}" for code, meaning in CODES.items()),
)
def check(arguments: Arguments) -> int:
    """Find defects in the release, the sample or a file of rows.

    Exit status: 0 no findings, 1 findings, 2 input refused

    Examples:
      draw check                            the whole release
      draw check draw1k --code not-derivable
      draw check draw1k/test sample         also near-duplicates between the two
      draw check rows.jsonl --json
      draw check draw1k --answers gpt.jsonl other.jsonl            gold that answers contradict
      draw check draw1k --answers gpt.jsonl --figures              with both derivations drawn
      draw check --suspicions                gold that its own text contradicts
    """
    _check_options(arguments)
    if arguments.answers:
        return _list_suspects(arguments)
    if arguments.suspicions:
        return _list_suspicions(arguments)
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
    """Return the defects of datasets by name; near-duplicates are searched across all of them."""
    sources = {source.title: source for source in map(resolve, names)}
    loaded = {title: load_splits(source, data_dir, corrected) for title, source in sources.items()}
    found = check_datasets(loaded, progress=progress)
    for title, source in sources.items():
        ids = {problem.id for problems in loaded[title].values() for problem in problems}
        by_hand = [finding for finding in _review_findings(source, corrected) if finding.problem_id in ids]
        found[title] = in_order([*found[title], *by_hand])
    return found


def _review_findings(source: DataRef, corrected: bool | str) -> list[Finding]:
    """Return the findings of human reviewers in a dataset of the release, without corrected ones."""
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


def _check_options(arguments: Arguments) -> None:
    """Refuse options that need or exclude each other."""
    if not arguments.answers:
        for name in ("field", "solver", "cut", "figures"):
            if getattr(arguments, name) not in (None, False):
                raise ChoiceError(f"expected --answers FILE with --{name}, but got none")
    elif arguments.suspicions:
        raise ChoiceError("expected --answers or --suspicions, but got both")
    if arguments.code and (arguments.answers or arguments.suspicions):
        other = "--answers" if arguments.answers else "--suspicions"
        raise ChoiceError(f"--code chooses among findings: expected it without {other}, but got both")
    if arguments.figures and arguments.json:
        raise ChoiceError("expected --figures or --json, but got both")


def _list_suspects(arguments: Arguments) -> int:
    """Print the suspects; return 0 if there are none, 1 if there are."""
    from draw_dataset.checks.voices import CUT, find_suspects, read_answers, solver_answers
    from draw_dataset.report.terminal import show

    progress = sys.stderr.isatty()
    problems, home, refused = _problems(arguments)
    read = read_answers(arguments.answers, field=arguments.field)
    answers = {name: [(id_, answer) for id_, answer in said if id_ not in refused] for name, said in read.items()}
    if arguments.solver:
        answers[SOLVER] = solver_answers(problems, progress=progress)
    cut = CUT if arguments.cut is None else arguments.cut
    suspects = find_suspects(problems, answers, cut=cut, progress=progress)
    by_id = {problem.id: problem for problem in problems}
    for rank, suspect in enumerate(suspects, 1):
        if arguments.json:
            print(json_line({"rank": rank, "dataset": home[suspect.id], **suspect.to_dict()}), end="")
        else:
            print("\n".join(_suspect_lines(rank, home[suspect.id], suspect)), end="\n\n")
            if arguments.figures:
                print(show(by_id[suspect.id], suspect.rival if suspect.agreeing else None), end="\n\n")
    if not arguments.json:
        asked = len({id_ for said in answers.values() for id_, _ in said})
        print(f"{len(suspects) or 'no'} suspect{'' if len(suspects) == 1 else 's'} among {asked} problems with answers")
    return 1 if suspects else 0


def _list_suspicions(arguments: Arguments) -> int:
    """Print the suspicions by kind; return 0 if there are none, 1 if there are."""
    from draw_dataset.checks.suspicions import SUSPICIONS, find_suspicions

    problems, home, _ = _problems(arguments)
    found = find_suspicions(problems, progress=sys.stderr.isatty())
    if arguments.json:
        for one in found:
            data = {"dataset": home[one.problem_id], "id": one.problem_id, "code": one.code, "message": one.message}
            print(json_line(data), end="")
        return 1 if found else 0
    for code, meaning in SUSPICIONS.items():
        lines = [f"  {home[one.problem_id]} {one.problem_id}: {one.message}" for one in found if one.code == code]
        if lines:
            print(f"{code}: {meaning} ({len(lines)})", *lines, "", sep="\n")
    print(f"{len(found) or 'no'} suspicion{'' if len(found) == 1 else 's'} of {len(problems)} problems")
    return 1 if found else 0


def _problems(arguments: Arguments) -> tuple[list[Problem], dict[ProblemId, str], set[ProblemId]]:
    """Return the problems of all sources, each id once, the source of each id, and the ids of refused rows."""
    problems: dict[ProblemId, Problem] = {}
    home: dict[ProblemId, str] = {}
    refused: set[ProblemId] = set()
    for source in map(resolve, arguments.sources or DATASETS):
        for split in load_splits(source, arguments.data_dir, arguments.corrected, refused=True).values():
            refused.update(problem.id for problem in split if problem.is_refused)
            for problem in with_gold(split, source.title):
                if home.setdefault(problem.id, source.title) != source.title:
                    raise ChoiceError(f"expected different ids, but {short_repr(problem.id)} is in two of the sources")
                problems.setdefault(problem.id, problem)
    return list(problems.values()), home, refused - problems.keys()


def _suspect_lines(rank: int, dataset: str, suspect: Suspect) -> list[str]:
    values = suspect.to_dict()
    against = suspect.voices - suspect.for_gold
    lines = [
        f"{rank}. {dataset} {suspect.id}: score {suspect.score:.2f}, {against} of {suspect.voices} voices against gold"
        f", {suspect.agreeing} agree",
        f"   gold    [{', '.join(values['gold_values'])}]  {suspect.gold}",
    ]
    if suspect.agreeing:
        lines.append(f"   answers [{', '.join(values['rival_values'])}]  {suspect.rival[:160]}")
    if suspect.proposal:
        who = ", ".join(suspect.sources[:6]) + ", …" * (len(suspect.sources) > 6)
        lines.append(f"   proposed as {suspect.proposed_as}: {suspect.proposal}  (says {who})")
    if suspect.text:
        lines.append(f"   part at sentence {suspect.sentence}: {suspect.text}")
    lines += [f"   {code}: {message}" for code, message in suspect.suspicions.items()]
    return lines
