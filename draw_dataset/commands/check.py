"""``draw check``: defects of any rows, gold that answers or texts contradict, and corrections with their reasons."""

from __future__ import annotations

import json
import shutil
import sys
import textwrap
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import click

from draw_dataset.checks.findings import CODES, Finding, check_datasets, in_order
from draw_dataset.commands.options import (
    CORRECTED,
    DATA_DIR,
    JSON,
    Arguments,
    command,
    option,
    say,
    say_note,
    sources,
    whole_number,
)
from draw_dataset.data.catalog import ALL, DataRef, Folder, load_splits, resolve, with_gold
from draw_dataset.data.corrections import KINDS, VERSION, Selection, corrections
from draw_dataset.data.editions import ChangedRow, Comparison, changed_rows, edition_date, kinds_table
from draw_dataset.data.release import DATASETS, reviews
from draw_dataset.derivation.problem import id_named
from draw_dataset.errors import ChoiceError, short_repr
from draw_dataset.io.jsonl import json_line
from draw_dataset.version import __version__

if TYPE_CHECKING:
    from draw_dataset.checks.voices import Suspect
    from draw_dataset.derivation.problem import Problem, ProblemId

SOLVER = "solver"  # name of the solver among the voices
_SUSPECTS = "Gold derivations that may be wrong"
_CORRECTIONS = "Corrections of the release"
_WIDTH = max(map(len, CODES))


@command(
    sources("[SOURCE]...", "the whole release"),
    DATA_DIR,
    CORRECTED,
    option("--code CODE", "only findings with this code; repeatable", multiple=True, type=click.Choice(list(CODES))),
    _SUSPECTS,
    option(
        "--answers FILE",
        "list the problems whose gold these answers or predictions contradict, the most certain first; files as "
        "for draw score, several answers for a problem are welcome",
        several=True,
        reads="file",
    ),
    option("--field NAME", "with --answers: field of a record that holds the answer"),
    option("--id-field NAME", "with --answers: field of a record that holds the id"),
    option("--solver", "with --answers: also ask the solver, cross-validated (takes minutes)"),
    option("--cut S", "with --answers: lowest score of a suspect", type=float),
    option("--figures", "with --answers: draw gold and the contradicting answer; with --corrections ID: both golds"),
    option("--suspicions", "list gold derivations that their own texts contradict"),
    _CORRECTIONS,
    option(
        "--corrections [ID]...",
        "list the rows that our corrections change, or explain the rows with these ids; with a version (v1, v2 or v3, "
        "or v2-derivations, which keeps equations and solutions): find the defects that it leaves",
        dest="named",
        takes=r"[vV]\d\S*|\d+",
    ),
    option("--edition N", f"with --corrections: another edition (default: {VERSION})", type=whole_number(1, VERSION)),
    option(
        "--kind KIND", "with --corrections: only rows of this kind; repeatable", multiple=True,
        type=click.Choice(list(KINDS)),
    ),
    option("--dispute ID", "print an issue form that disputes the gold of this row"),
    option("--reason TEXT", "with --dispute: what is wrong, and what would be right"),
    "Options",
    JSON,
    more="\n\nCodes:\n"
    + "\n".join(f"  {code:{_WIDTH}}  {meaning}" for code, meaning in CODES.items())
    + "\n\nKinds of corrections:\n"
    + "\n".join(f"  {kind:{_WIDTH}}  {meaning}" for kind, meaning in KINDS.items()),
)  # fmt: skip
def check(arguments: Arguments) -> int:
    """Find defects in the release, the sample or a file of rows.

    Exit status: 0 no findings, or corrections printed, 1 findings, 2 input refused

    Examples:
      draw check                            the whole release
      draw check draw1k --code not-derivable
      draw check draw1k/test sample         also near-duplicates between the two
      draw check rows.jsonl --json
      draw check draw1k --answers gpt.jsonl other.jsonl            gold that answers contradict
      draw check draw1k --answers gpt.jsonl --figures              with both derivations drawn
      draw check --suspicions                gold that its own text contradicts
      draw check --corrections               every corrected row, with the reason; counts by kind first
      draw check draw1k --corrections --kind equations
      draw check --corrections 17610         one corrected row: before, after, and why
      draw check draw1k --corrections v2     the defects that version 2 of the corrections leaves
      draw check --dispute 17610 --reason "q2 and q4 are exchanged"
    """
    ids = _read_named(arguments)
    _check_options(arguments, ids)
    if arguments.dispute is not None:
        return _print_dispute(arguments)
    if ids is not None:
        return _explain_corrections(arguments, ids) if ids else _list_corrections(arguments)
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


def _read_named(arguments: Arguments) -> list[int] | None:
    """Return the ids after --corrections, none of them for a list, None if corrected rows are checked."""
    named = arguments.named
    ids = [id_ for id_ in map(id_named, named) if isinstance(id_, int)]
    versions = [name for name in named if name and not isinstance(id_named(name), int)]
    if not versions:
        return ids if named else None
    if ids or len(versions) > 1:
        raise ChoiceError(f"--corrections: expected ids or one version, but got {', '.join(named)}")
    (arguments.corrected,) = versions
    return None


_NEEDS = {
    "field": "--answers FILE", "id_field": "--answers FILE", "solver": "--answers FILE", "cut": "--answers FILE",
    "edition": "--corrections", "kind": "--corrections", "reason": "--dispute ID",
}  # fmt: skip
"""Options that belong to another option."""


def _check_options(arguments: Arguments, ids: Sequence[int] | None) -> None:
    """Refuse options that need or exclude each other."""
    chosen = {
        "--answers": bool(arguments.answers),
        "--suspicions": arguments.suspicions,
        "--corrections": ids is not None,
        "--dispute": arguments.dispute is not None,
    }
    modes = [mode for mode, given in chosen.items() if given]
    if len(modes) > 1:
        raise ChoiceError(f"expected {' or '.join(modes)}, but got {'both' if len(modes) == 2 else 'all'}")
    for name, needed in _NEEDS.items():
        if getattr(arguments, name) not in (None, False, []) and not chosen[needed.split()[0]]:
            raise ChoiceError(f"expected {needed} with --{name.replace('_', '-')}, but got none")
    if arguments.figures and not (arguments.answers or ids):
        raise ChoiceError("expected --answers FILE or --corrections ID with --figures, but got neither")
    if arguments.kind and ids:
        raise ChoiceError("--kind chooses among listed rows: expected it without ids, but got both")
    if arguments.code and modes:
        raise ChoiceError(f"--code chooses among findings: expected it without {modes[0]}, but got both")
    if arguments.corrected and (ids is not None or arguments.dispute is not None):
        raise ChoiceError(f"{modes[0]} is about corrected rows: expected it without --corrected, but got both")
    if arguments.figures and arguments.json:
        raise ChoiceError("expected --figures or --json, but got both")
    if arguments.dispute is not None and arguments.json:
        raise ChoiceError("expected --dispute or --json, but got both")


def _list_suspects(arguments: Arguments) -> int:
    """Print the suspects; return 0 if there are none, 1 if there are."""
    from draw_dataset.checks.voices import CUT, find_suspects, read_answers, solver_answers
    from draw_dataset.report.terminal import show
    from draw_dataset.scoring.gold_rows import ListedIds

    progress = sys.stderr.isatty()
    problems, home, refused = _problems(arguments)
    known = ListedIds((problem.id for problem in problems), refused)
    read = read_answers(
        arguments.answers,
        field=arguments.field,
        id_field=arguments.id_field,
        known=known,
        note=say_note,
    )
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


def _release_sources(arguments: Arguments) -> list[DataRef]:
    """Return the sources, all of them of the release."""
    found = [resolve(name) for name in arguments.sources or DATASETS]
    for source in found:
        if source.config is None or source.config.dataset not in DATASETS:
            raise ChoiceError(f"Corrections are for the release ({', '.join(DATASETS)}), but got {source.title}")
    return found


def _published(source: DataRef, arguments: Arguments) -> list[Problem]:
    splits = load_splits(source, arguments.data_dir, refused=True)
    return [problem for problems in splits.values() for problem in problems]


def _list_corrections(arguments: Arguments) -> int:
    """Print the counts of changed rows by kind and dataset, then each row; return 0."""
    edition = arguments.edition or VERSION
    wanted: dict[str, set[ProblemId] | None] = {}  # None stands for all
    for source in _release_sources(arguments):
        dataset = source.config.dataset if source.config else ""
        known = wanted.get(dataset, set())
        if source.split == ALL or known is None:
            wanted[dataset] = None  # needs no file
        else:
            wanted[dataset] = known | {problem.id for problem in _published(source, arguments)}
    rows = [row for row in changed_rows(edition) if _is_wanted(row, wanted, arguments.kind)]
    if arguments.json:
        for row in rows:
            print(json_line(row.to_dict()), end="")
        return 0
    date = f" ({edition_date()})" if edition == VERSION else ""
    earlier = sum(row.edition < edition for row in rows)
    counts = f"{len(rows)} rows; {earlier} of them were corrected by an earlier edition"
    print(f"Edition {edition} of the corrections{date} changes {counts}.\n")
    print(*kinds_table(rows).to_text(), "", sep="\n")
    for row in rows:
        print(f"{row.dataset} {row.id}: edition {row.edition}, {row.kind}: {row.why}")
    return 0


def _is_wanted(row: ChangedRow, wanted: Mapping[str, set[ProblemId] | None], kinds: Sequence[str]) -> bool:
    ids = wanted.get(row.dataset, set())
    return (ids is None or row.id in ids) and (not kinds or row.kind in kinds)


def _compare(arguments: Arguments, ids: Sequence[int], edition: int) -> list[Comparison]:
    """Return the rows with these ids as published and in an edition."""
    sources = _release_sources(arguments)
    found: dict[ProblemId, list[Comparison]] = {id_: [] for id_ in ids}
    for source in sources:
        dataset = source.config.dataset if source.config else ""
        for problem in {problem.id: problem for problem in _published(source, arguments)}.values():
            if problem.id in found:
                found[problem.id].append(Comparison.of(dataset, problem, Selection(edition)))
    for id_, comparisons in found.items():
        if not comparisons:
            names = ", ".join(source.title for source in sources)
            raise ChoiceError(
                f"Unknown id {id_} in {names}: draw check --corrections lists the corrected rows, "
                f"draw show --list --references {sources[0].title} all rows"
            )
    return [comparison for comparisons in found.values() for comparison in comparisons]


def _explain_corrections(arguments: Arguments, ids: Sequence[int]) -> int:
    """Print rows before and after their corrections, and why; return 0."""
    from draw_dataset.report.terminal import derivation_text

    edition = arguments.edition or VERSION
    for at, one in enumerate(_compare(arguments, ids, edition)):
        if arguments.json:
            print(json_line(one.to_dict()), end="")
            continue
        print("\n" * bool(at) + "\n".join(_explain(one, edition)))
        if arguments.figures:
            print(f"\nAs published:\n\n{derivation_text(one.published)}")
            if one.row is not None and not one.corrected.is_excluded:
                print(f"\nIn edition {edition}:\n\n{derivation_text(one.corrected)}")
    return 0


def _explain(one: Comparison, edition: int) -> list[str]:
    from draw_dataset.report.picture import printable

    row, corrected = one.row, one.corrected
    if row is None:
        title = f"{one.dataset} {one.published.id}: edition {edition} leaves it as published"
    else:
        title = f"{one.dataset} {row.id}: changed by edition {row.edition}, {row.kind} ({KINDS[row.kind]})"
    before, after = (_write_groups(groups) for groups in one.groups)
    fields = [
        ("why", row.why if row else ""),
        ("question", printable(one.published.question)),
        ("numbers", ", ".join(f"q{n.index} = {printable(n.text or '')}" for n in one.published.numbers)),
        ("before", one.before),
        ("after", "" if row is None else one.after or "no derivation is right"),
        ("groups", before if before == after else f"{before or 'none'} before, {after or 'none'} after"),
        ("alternatives", " | ".join(corrected.alternatives)),
        ("asked", ", ".join(corrected.asked)),
        ("roles", "; ".join(f"{unknown}: {role}" for unknown, role in corrected.roles)),
        ("readers", f"{', '.join(map(str, one.change.readers))}, {one.change.date}" if one.change else ""),
    ]
    return [title, *(line for label, text in fields if text for line in _wrap(label, text))]


def _write_groups(groups: Sequence[Sequence[int]]) -> str:
    return ", ".join(" = ".join(f"q{index}" for index in group) for group in groups)


def _wrap(label: str, text: str) -> list[str]:
    width = max(shutil.get_terminal_size().columns, 40)
    return textwrap.wrap(text, width, initial_indent=f"{label:13}", subsequent_indent=" " * 13)


_FORM = """\
### Dataset and id

{title}

### The row

{row}

### Reason

{reason}"""
"""The issue form; its headings are the labels of .github/ISSUE_TEMPLATE/data.yml."""


def _print_dispute(arguments: Arguments) -> int:
    """Print an issue form about a row, and say where to paste it; return 0."""
    id_ = id_named(arguments.dispute)
    if not isinstance(id_, int):
        raise ChoiceError(f"--dispute: expected the id of a row of the release, but got {short_repr(id_)}")
    for one in _compare(arguments, [id_], VERSION):
        reason = (arguments.reason or "").strip() or "(what is wrong, and what would be right?)"
        lines = "\n".join(f"- {label}: {text}" for label, text in _form_fields(one))
        print(_FORM.format(title=f"{one.dataset} {one.published.id}", row=lines, reason=reason))
    say(f"paste it into {new_issue_page()}")
    return 0


def _form_fields(one: Comparison) -> list[tuple[str, str]]:
    """Return the lines of a form about a row; the text of the problem, which belongs to its authors, is left out."""
    row, corrected = one.row, one.corrected
    changed = "as published" if row is None else f"changed by edition {row.edition}, {row.kind} ({KINDS[row.kind]})"
    after = f"`{one.after}`" if one.after else "no derivation is right"
    fields = [
        ("edition", f"{VERSION}, {edition_date()}, draw-dataset {__version__}; {changed}"),
        ("published derivation", f"`{one.before}`"),
        ("current derivation", after),
        ("alternatives", ", ".join(f"`{text}`" for text in corrected.alternatives)),
        ("asked", ", ".join(f"`{text}`" for text in corrected.asked) or "not decided"),
        ("roles", "; ".join(f"`{unknown}`: {role}" for unknown, role in corrected.roles) or "none"),
        ("why it was changed", row.why if row else ""),
    ]
    return [(label, text) for label, text in fields if text]


def new_issue_page() -> str:
    """Return the address of the issue form on data, from the metadata of the installed package."""
    from importlib.metadata import PackageNotFoundError, metadata

    try:
        urls = metadata("draw-dataset").get_all("Project-URL") or []
    except PackageNotFoundError:
        urls = []
    issues = dict(url.split(", ", 1) for url in urls).get("Issues")
    return f"{issues}/new?template=data.yml" if issues else "a new issue of the project"
